"""Read a repository: files, modules, functions, tests and facts, and the filters that select from them."""
