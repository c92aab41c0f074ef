"""Reviews, votes and confirmations by several people, and how their disagreements are settled."""
