"""Confirm mined functions by running their tests in the sandbox."""
