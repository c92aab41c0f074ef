"""Commands: One project: state, history, backups, packets, servers."""
