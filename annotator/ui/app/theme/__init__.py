"""Colours, fonts, icons and the stylesheet."""
