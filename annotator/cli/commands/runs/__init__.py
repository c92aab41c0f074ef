"""Commands: Run models on a release."""
