"""Facts about programs in one language, from their syntax trees."""
