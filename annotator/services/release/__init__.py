"""Check, freeze, export and publish releases."""
