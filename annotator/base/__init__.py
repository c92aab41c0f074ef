"""Errors, paths, settings, secrets, logs, resources: what every layer may use."""
