"""Ask models and score their answers."""
