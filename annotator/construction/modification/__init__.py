"""Tasks that ask for a change to a program."""
