"""Commands: Mine and import candidates."""
