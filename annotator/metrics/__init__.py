"""Numbers: pure functions over plain Python values."""
