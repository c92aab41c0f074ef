"""Read other people's files, and write releases and results."""
