"""What a repository holds: its files, modules, functions, tests and facts, and which of them are taken."""
