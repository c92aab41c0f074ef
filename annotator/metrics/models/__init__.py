"""Statistical models of scores: scaling lines and skill ratings."""
