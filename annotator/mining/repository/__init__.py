"""Functions with their tests, from the files of a Python repository."""
