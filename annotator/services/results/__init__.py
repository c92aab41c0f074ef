"""What models scored."""
