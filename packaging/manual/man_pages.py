"""Write the manual pages for man(1), a page a command, from the commands' declarations: man_pages.py FOLDER."""

import sys
from pathlib import Path

from annotator import __version__
from annotator.cli.command import AS_LINES_HELP, HIDDEN, Command, CommandParameter
from annotator.cli.parser import WORDS, load_commands

_STATUS = (("0", "done"), ("2", "usage"), ("3", "bad input, and nothing was changed"),
           ("4", "something is missing here; the sentence says what"),
           ("5", "interrupted; run it again to go on"))  # fmt: skip


def pages() -> dict[str, str]:
    """Return every page by the name of its file."""
    commands = [item for word in WORDS for item in load_commands(word)]
    found = {f"annotator-{item.name.replace(' ', '-')}.1": _page(item) for item in commands}
    return {"annotator.1": _overview(commands), **found}


def _overview(commands: list[Command]) -> str:
    lines = [_head("annotator"), ".SH NAME", "annotator \\- make a benchmark for code language models"]
    lines += [".SH SYNOPSIS", ".B annotator", '.RI [ COMMAND " " ARGUMENTS ]', ".SH DESCRIPTION"]
    lines += ["Turn mined candidates into a proven, released benchmark for code models, and read the results."]
    lines += [
        "Without a command, the window opens.",
        "Data goes to standard output, progress and errors to standard error;",
    ]
    lines += ["with", f".B {_escape('--json')}", "a command answers with one JSON document.", ".SH COMMANDS"]
    for item in commands:
        lines += [".TP", f".BR {_name(item)} (1)", _escape(_sentence(item.summary))]
    return "\n".join([*lines, *_status(), ""])


def _page(item: Command) -> str:
    lines = [_head(_name(item)), ".SH NAME", f"{_escape(_name(item))} \\- {_escape(item.summary)}"]
    parts = [part for part in item.parameters if part.declared.help != HIDDEN]
    lines += [".SH SYNOPSIS", f".B annotator {_escape(item.name)}", *(_usage(part) for part in parts), ".SH OPTIONS"]
    if item.json:
        lines += [".TP", f".B {_escape('--json')}", _escape(_sentence(item.json_switch.help))]
    if item.rows:
        lines += [".TP", f".B {_escape('--jsonl')}", _escape(_sentence(AS_LINES_HELP))]
    for part in parts:
        lines += [".TP", _term(part), _meaning(part)]
    lines += [".SH EXAMPLE", ".nf", *(_escape(line.strip()) for line in item.example.splitlines()), ".fi"]
    return "\n".join([*lines, *_status(), ".SH SEE ALSO", ".BR annotator (1)", ""])


def _head(name: str) -> str:
    return f'.TH "{name.upper()}" "1" "" "annotator {__version__}" "Annotator"'


def _status() -> list[str]:
    return [".SH EXIT STATUS", *(line for status in _STATUS for line in (".TP", f".B {status[0]}", status[1]))]


def _name(item: Command) -> str:
    return f"annotator-{item.name.replace(' ', '-')}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def _usage(part: CommandParameter) -> str:
    value = f"\\fI{_escape(part.metavar)}\\fR" if part.metavar else ""
    text = f"\\fB{_escape(part.flag)}\\fR {value}".strip() if part.flag else value
    return f"{text} ..." if part.many and part.required else text if part.required else f"[{text}]"


def _term(part: CommandParameter) -> str:
    value = "" if part.declared.choices is not None and part.declared.metavar is None else part.metavar
    if part.flag and not value:
        return f".B {_escape(part.flag)}"
    return f"\\fB{_escape(part.flag)}\\fR \\fI{_escape(value)}\\fR" if part.flag else f"\\fI{_escape(part.metavar)}\\fR"


def _meaning(part: CommandParameter) -> str:
    said = [part.declared.help] if part.declared.help else []
    if part.declared.choices is not None:
        said.append(f"one of {', '.join(part.declared.choices)}")
    said += ["required"] if part.flag and part.required else ["may be repeated"] if part.many and part.flag else []
    return _escape(_sentence("; ".join(said).replace("%%", "%"))) if said else "\\&"


def _escape(text: str) -> str:
    """Return text in which nothing is a request of roff and every hyphen can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in pages().items():
        (folder / name).write_text(page, encoding="utf-8")
