"""Choose candidates."""
