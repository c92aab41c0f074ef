"""What a function needs of its repository, and code that runs without it."""
