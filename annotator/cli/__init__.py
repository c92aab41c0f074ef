"""The command line, which like the window calls the services."""
