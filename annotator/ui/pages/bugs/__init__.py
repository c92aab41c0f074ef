"""The page Bugs: review implanted bugs and items made from code."""
