"""Build the programs of each language: join code and tests, then compile and run them."""
