"""Blind judging of pairs."""
