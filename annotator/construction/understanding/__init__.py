"""Tasks that ask for the output or an input of a call."""
