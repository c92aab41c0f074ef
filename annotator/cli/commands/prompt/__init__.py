"""Commands: Paraphrases, rewrites and suggestions by a model."""
