"""The nouns: SQLModel tables and their rules."""
