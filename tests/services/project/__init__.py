"""Nothing is lost: history, the project as it was, backups, recovery, reports."""
