"""The open project, and the work that the window runs on it."""
