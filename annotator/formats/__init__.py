"""Other people's files in, releases out."""
