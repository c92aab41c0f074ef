"""The Stack Exchange funnel: selects questions for experts from a dump, with a count for every stage."""
