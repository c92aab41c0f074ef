"""From what a model wrote to what is scored: one module per family of items, pure functions that say how they chose."""
