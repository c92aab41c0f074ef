"""Runs: plan, execute, resume, rescore and inspect them."""
