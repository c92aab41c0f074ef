"""Items made from code."""
