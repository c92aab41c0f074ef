"""The page Judge: compare pairs of texts blind."""
