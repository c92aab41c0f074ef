"""Commands: The window, this machine and its sandbox, settings, the manual."""
