"""Find candidates in repositories, question dumps, and code whose comments say that a model wrote it."""
