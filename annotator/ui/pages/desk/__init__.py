"""The desk, which shows one item and the steps of its work; used by Prompt, Criterion, Bugs and Consensus."""
