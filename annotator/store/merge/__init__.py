"""Merging of projects and packets."""
