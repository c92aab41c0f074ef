"""The commands, grouped like the sidebar; `annotator.cli.registry` lists them and imports them on demand."""
