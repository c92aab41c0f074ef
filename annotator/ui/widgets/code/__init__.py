"""Views and editors of code, with highlighting, differences and search."""
