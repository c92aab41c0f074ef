"""Keeping work safe: history, past states, backups, recovery, drafts and crash reports."""
