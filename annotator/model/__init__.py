"""The nouns: SQLModel tables, and the rows that screens and commands show."""
