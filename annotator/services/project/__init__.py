"""The project as a whole."""
