"""Score a response by each metric of a criterion."""
