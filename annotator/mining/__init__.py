"""Candidates out of other people's work: repositories, question dumps, code that says a model wrote it."""
