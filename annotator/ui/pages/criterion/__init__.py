"""The widgets to write a criterion, try it on answers and prove it."""
