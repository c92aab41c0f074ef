"""The dialog that rewrites a mined function to prevent leaks."""
