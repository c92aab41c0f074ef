"""Find code whose comments say that a model wrote it, attribute these to functions, and filter the functions."""
