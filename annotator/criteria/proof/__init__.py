"""Prove that a criterion judges well."""
