"""Freeze and export versions."""
