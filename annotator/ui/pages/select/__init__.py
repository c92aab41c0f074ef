"""The page Select: accept or reject candidates."""
