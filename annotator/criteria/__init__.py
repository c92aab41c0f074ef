"""Read a criterion document and score one response against it."""
