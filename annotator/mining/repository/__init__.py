"""Mine functions with their tests from Python repositories."""
