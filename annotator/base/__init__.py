"""Errors, paths, settings, secrets, logs and resources, which every layer may use."""
