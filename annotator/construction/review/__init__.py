"""Tasks that ask for a review of a program with bugs."""
