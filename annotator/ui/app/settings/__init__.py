"""The settings, the keys and the saved state of the window."""
