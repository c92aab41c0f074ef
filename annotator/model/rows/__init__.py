"""Data classes for the rows that screens and commands show."""
