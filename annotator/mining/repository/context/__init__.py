"""Find the code of its repository that a function needs, and extract code that runs without the repository."""
