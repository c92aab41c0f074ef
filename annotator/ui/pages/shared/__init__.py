"""Widgets that three or more pages use."""
