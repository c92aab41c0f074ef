"""Which functions a test calls, found without running anything."""
