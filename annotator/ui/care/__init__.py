"""What the window does so that nothing is lost: history, time machine, backups, recovery, reports of bugs."""
