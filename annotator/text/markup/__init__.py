"""HTML: told from other text, and written as Markdown."""
