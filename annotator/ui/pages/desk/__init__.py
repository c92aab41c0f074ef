"""The desk: one item with everything a decision about it needs, shared by Prompt, Criterion, Bugs and Consensus."""
