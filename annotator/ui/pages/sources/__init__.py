"""The page Sources: import and mine candidates."""
