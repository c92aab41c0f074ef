"""Extract the answer from a response: one module per family of items, pure functions that say how they chose."""
