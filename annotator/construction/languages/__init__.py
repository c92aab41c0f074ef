"""Values, calls, bugs and tests in languages besides Python."""
