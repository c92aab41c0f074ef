"""Code that says a model wrote it: find it, attribute it to functions, filter it with reasons, show duplicates."""
