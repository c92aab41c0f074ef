"""One module per group of commands, each with ``add(commands)``."""
