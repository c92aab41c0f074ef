"""Read candidates, verdicts and published tables from files."""
