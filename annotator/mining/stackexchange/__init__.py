"""Select questions for experts from a Stack Exchange dump, with counts for every stage of the funnel."""
