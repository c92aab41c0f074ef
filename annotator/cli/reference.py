"""The page of the manual about the command line, made from the tree of commands itself."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from annotator.cli.parser import build_parser

_INTRODUCTION = """# Command line

Everything the window does, these commands do too. This page is made from the program itself: it says what
`annotator COMMAND --help` says.

- Data goes to standard output; progress and errors go to standard error.
- `--json` answers with one JSON document, for programs.
- Exit status: 0 done, 2 usage, 3 bad input and nothing changed, 4 something is missing here (it says what),
  5 interrupted, run it again to go on.
- Without a command, the window opens.
"""
_SILENT = {"--help", "--json"}


def reference() -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION]
    for parser, summary in _commands(build_parser()):
        parts.append(_describe(parser, summary))
    return "\n".join(parts)


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Yield every command that does something, depth first, with its summary."""
    children = _children(parser)
    if children is None:
        return
    for choice in children._choices_actions:
        child = children.choices[choice.dest]
        if _children(child) is None:
            yield child, str(choice.help)
        else:
            yield from _commands(child)


def _children(parser: argparse.ArgumentParser) -> argparse._SubParsersAction[argparse.ArgumentParser] | None:
    return next((a for a in parser._actions if isinstance(a, argparse._SubParsersAction)), None)


def _describe(parser: argparse.ArgumentParser, summary: str) -> str:
    actions = [action for action in parser._actions if not _SILENT & set(action.option_strings)]
    lines = [f"## {parser.prog}", "", f"{summary[0].upper()}{summary[1:]}.", "", "```", _synopsis(parser.prog, actions)]
    lines += ["```", ""]
    if actions:
        lines += ["| argument | what it is |", "|---|---|"]
        lines += [f"| {_name(action)} | {_meaning(action)} |" for action in actions]
        lines.append("")
    example = (parser.epilog or "").partition("example:\n")[2].partition("\n\n")[0]
    if example:
        lines += ["```", *(line.strip() for line in example.splitlines()), "```", ""]
    return "\n".join(lines)


def _synopsis(prog: str, actions: list[argparse.Action]) -> str:
    # Our own words: those of argparse differ between versions of Python.
    needed = [_shown(action) for action in actions if not action.option_strings]
    needed += [_shown(action) for action in actions if action.option_strings and action.required]
    optional = any(action.option_strings and not action.required for action in actions)
    return " ".join([prog, *needed, *(["[OPTIONS]"] if optional else [])])


def _shown(action: argparse.Action) -> str:
    value = _value(action)
    shown = f"{action.option_strings[-1]} {value}".strip() if action.option_strings else value
    if action.nargs in ("?", "*"):
        return f"[{shown}]"
    return f"{shown}…" if action.nargs == "+" else shown


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices is not None:
        return "|".join(str(choice) for choice in action.choices)
    return action.dest.upper()


def _name(action: argparse.Action) -> str:
    # A bar would end the table's cell.
    value = "" if action.choices is not None and action.metavar is None else _value(action)
    names = ", ".join(action.option_strings)
    return f"`{f'{names} {value}'.strip() if names else value or action.dest.upper()}`"


def _meaning(action: argparse.Action) -> str:
    said = [str(action.help)] if action.help else []
    if action.choices is not None:
        said.append(f"one of {', '.join(f'`{choice}`' for choice in action.choices)}")
    if action.option_strings and action.required:
        said.append("required")
    return "; ".join(said).replace("|", "\\|").replace("%%", "%")
