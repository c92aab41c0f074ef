"""Write."""
