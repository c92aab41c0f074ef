"""Build tasks from code with passing tests: understanding, completion, modification, review; each proven."""
