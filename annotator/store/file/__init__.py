"""Project files: opening, writing, upgrading, backup and recovery."""
