"""The undo log, past states of a project, and restoring them."""
