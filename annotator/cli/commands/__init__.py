"""The commands, in the rooms of the sidebar; `annotator.cli.registry` names them and loads them late."""
