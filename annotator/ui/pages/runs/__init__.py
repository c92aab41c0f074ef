"""The page Runs: send requests to models and score their answers."""
