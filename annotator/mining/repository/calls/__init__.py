"""Find the functions that a test calls, without running anything."""
