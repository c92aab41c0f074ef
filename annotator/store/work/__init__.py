"""Expert work: reading and writing decisions, texts, proofs, bugs, rewrites and suggestions."""
