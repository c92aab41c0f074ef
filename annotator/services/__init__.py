"""Use cases; every change returns what it changed."""
