"""The page Consensus: settle disagreements, review, vote and comment."""
