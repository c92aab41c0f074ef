"""Commands: Paraphrases, rewrites and drafts by a model."""
