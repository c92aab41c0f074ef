"""The project file: the only SQL."""
