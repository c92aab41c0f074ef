"""What three pages or more use."""
