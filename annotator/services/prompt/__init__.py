"""Paraphrase and rewrite what models are asked."""
