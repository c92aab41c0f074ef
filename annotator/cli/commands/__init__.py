"""The commands, grouped like the sidebar; `annotator.cli.parser` lists them and imports them on demand."""
