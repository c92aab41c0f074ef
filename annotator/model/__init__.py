"""The data model: SQLModel tables, and the rows that screens and commands show."""
