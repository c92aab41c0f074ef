"""Tasks that ask for a missing body or a blank."""
