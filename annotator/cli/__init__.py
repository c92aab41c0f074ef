"""The command line: one of two faces of the services."""
