"""What texts in one language are, as their trees tell it."""
