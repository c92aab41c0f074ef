"""The page Release: create, export and publish releases."""
