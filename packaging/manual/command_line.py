"""The page of the manual about the command line, made from the commands' declarations."""

from annotator.cli.command import HIDDEN, Command, CommandParameter
from annotator.cli.parser import WORDS, load_commands

_INTRODUCTION = """# Command line

Everything in the window is also a command. This page is made from the commands: it says the same as
`annotator COMMAND --help`.

- Data goes to standard output; progress and errors go to standard error.
- For programs, `--json` prints one JSON document. Commands that print a list also have `--jsonl`, one JSON object per
  line, for the whole list.
- Exit status: 0 success, 1 a bug, 2 wrong usage, 3 bad input (nothing was changed), 4 something is missing on this
  machine, 5 interrupted (run the command again to continue).
- Without a command, `annotator` opens the window.
"""


def reference() -> str:
    """Return the page as Markdown."""
    return "\n".join([_INTRODUCTION, *(_describe(item) for word in WORDS for item in load_commands(word))])


def _describe(item: Command) -> str:
    prog, summary = f"annotator {item.name}", item.summary
    parts = [part for part in item.parameters if part.declared.help != HIDDEN]
    lines = [f"## {prog}", "", f"{summary[0].upper()}{summary[1:]}.", "", "```", _synopsis(prog, item), "```", ""]
    if parts:
        lines += ["| argument | what it is |", "|---|---|"]
        lines += [f"| {_name(part)} | {_meaning(part)} |" for part in parts]
        lines.append("")
    return "\n".join([*lines, "```", *(line.strip() for line in item.example.splitlines()), "```", ""])


def _synopsis(prog: str, item: Command) -> str:
    needed = [_usage(part) for part in item.parameters if not part.flag]
    needed += [_usage(part) for part in item.parameters if part.flag and part.required]
    optional = any(part.flag and not part.required for part in item.parameters)
    return " ".join([prog, *needed, *(["[OPTIONS]"] if optional else [])])


def _usage(part: CommandParameter) -> str:
    if part.flag:
        return f"{part.flag} {part.metavar}".strip()
    if not part.required:
        return f"[{part.metavar}]"
    return f"{part.metavar}…" if part.many else part.metavar


def _name(part: CommandParameter) -> str:
    # A bar would end the table's cell.
    value = "" if part.declared.choices is not None and part.declared.metavar is None else part.metavar
    return f"`{f'{part.flag} {value}'.strip() if part.flag else value or part.name.upper()}`"


def _meaning(part: CommandParameter) -> str:
    parts = [part.declared.help] if part.declared.help else []
    if part.declared.choices is not None:
        parts.append(f"one of {', '.join(f'`{choice}`' for choice in part.declared.choices)}")
    if part.flag and part.required:
        parts.append("required")
    return "; ".join(parts).replace("|", "\\|").replace("%%", "%")


if __name__ == "__main__":
    print(reference(), end="")
