"""The output of commands: data to stdout, progress to stderr, the same facts as text or JSON.

A command returns one `CommandAnswer` with its records and a text for people; only `CommandAnswer.write` decides between
text, ``--json`` and ``--jsonl``. Tables take values, not texts: whole numbers are right-aligned here, and booleans
become "yes" and "no".
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, TypeAlias

from annotator.base.errors import BadInputError, ExitCode, MissingEnvironmentError
from annotator.base.open_files import refuse_project
from annotator.cli.progress_display import CLEAR_LINE
from annotator.model.changes import Changes
from annotator.text.hidden_characters import CONTROL_CHARACTERS, visible_text

if TYPE_CHECKING:
    from annotator.model.rows.result_rows import Column

_RED, _GREEN, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[0m"
_COLOURS_BY_SIGN = {"+": _GREEN, "-": _RED}


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream is a terminal on which colours are welcome (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def paint_difference(line: str) -> str:
    """Return a diff line in green if added and in red if removed; a table's rule of dashes stays plain."""
    return _paint(line, _COLOURS_BY_SIGN.get(line[:1], "") if line.strip("- ") else "")


def paint_finding(line: str) -> str:
    """Return a line of a list of checks, in red if it begins with "no"."""
    return _paint(line, _RED if line.split(" ", 1)[0] == "no" else "")


def _paint(line: str, colour: str) -> str:
    return f"{colour}{line}{_PLAIN}" if colour else line


Value: TypeAlias = "str | int"
"""The value of a table cell: a text, a whole number or a bool."""
Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


# json.dumps already escapes the C0 control characters.
_JSON_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in CONTROL_CHARACTERS if ord(letter) >= 0x7F}
_MAX_LAST_RULE = 60
"""Maximum length of the dashes under the heading of the last column, whose texts a terminal wraps."""


@dataclass(frozen=True)
class CommandAnswer:
    """The result of a command: ``data`` for ``--json``, ``text`` for people (None: the data as JSON).

    ``rows`` are the lines of ``--jsonl``, consumed lazily; without them the data are the only line. ``follow_up`` is
    called after the answer is written, while the project is still open. ``event`` is the name of the answer if it is
    the last of several JSON lines. ``paint`` colours a line of the text.
    """

    data: object
    text: str | None = None
    status: ExitCode = ExitCode.DONE
    follow_up: Callable[[], object] | None = None
    event: str = ""
    rows: Iterable[object] | None = None
    paint: Callable[[str], str] | None = None

    def write(self, *, as_json: bool, as_lines: bool = False) -> None:
        """Write to stdout the data as one JSON document, the rows as JSON lines, or the text for people."""
        if as_lines:
            for row in (self.data,) if self.rows is None else self.rows:
                write_out(json_text(to_json(row)) + "\n")
        elif as_json and self.event:
            write_event(self.event, self.data)
        elif as_json or self.text is None:
            write_out(json_text(to_json(self.data), indent=2) + "\n")
        elif self.text:
            text = visible_text(self.text.rstrip("\n"))
            if self.paint is not None and wants_colour(sys.stdout):
                text = "\n".join(map(self.paint, text.split("\n")))
            write_out(text + "\n")


def write_out(text: str) -> None:
    """Write to stdout. Raises `MissingEnvironmentError` if that fails, `BrokenPipeError` if the reader is gone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        reason = error.strerror or str(error)
        raise MissingEnvironmentError(
            f"The output could not be written ({reason}). The command itself was completed."
        ) from error


def drop_output() -> None:
    """Redirect stdout to the null device, so that the interpreter's final flush does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_event(name: str, data: object) -> None:
    """Write an event as one JSON line to stdout: its name merged with its data."""
    content = to_json(data)
    row = {"event": name, **(content if isinstance(content, dict) else {"data": content})}
    write_out(json_text(row) + "\n")


def write_error(text: str) -> None:
    """Write a line to stderr, replacing the progress line on a terminal."""
    sys.stderr.write((CLEAR_LINE if sys.stderr.isatty() else "") + visible_text(text) + "\n")


def json_text(data: object, indent: int | None = None) -> str:
    """Return data as JSON with terminal control characters escaped; parsing it restores the data."""
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    return text if text.isascii() and "\x7f" not in text else text.translate(_JSON_ESCAPES)


def answer_changes(changes: Changes, text: str | None = None, **facts: object) -> CommandAnswer:
    """Return an answer with a change's label and id, and further facts; ``text`` is shown instead of the label."""
    data = {"done": changes.label, "change": changes.change_id, **facts}
    return CommandAnswer(data, changes.label if text is None else text)


def answer_list(
    name: str,
    records: Sequence[object],
    headers: Sequence[str],
    rows: Sequence[Sequence[Value]],
    right: Sequence[int] = (),
    *,
    none: str = "",
) -> CommandAnswer:
    """Return an answer with records under a name and a table of their values, or the sentence ``none`` if empty."""
    text = text_table(headers, rows, right) if rows or not none else none
    return CommandAnswer({name: records}, text, rows=records)


def to_json(value: object) -> Json:
    """Convert a value to JSON types: dataclasses to objects, tuples to arrays, sets to sorted arrays."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_json(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return [to_json(item) for item in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)


def text_table(headers: Sequence[str], rows: Sequence[Sequence[Value]], right: Sequence[int] = ()) -> str:
    """Return a table in fixed-width columns; columns of whole numbers, and those in ``right``, are right-aligned."""
    lines = [[visible_text(" ".join(value_text(value).splitlines())) for value in row] for row in (headers, *rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]
    # A bool is an int too, but it is shown as "yes" or "no".
    numeric = {*right, *(column for row in rows for column, value in enumerate(row) if type(value) is int)}

    def fit(line: Sequence[str]) -> str:
        cells = (
            text.rjust(width) if column in numeric else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        return "  ".join(cells).rstrip()

    head, *body = map(fit, lines)
    *rules, last = ["-" * width for width in widths]
    return "\n".join([head, "  ".join((*rules, last[:_MAX_LAST_RULE])), *body])


def value_text(value: object) -> str:
    """Return a value as text, a boolean as "yes" or "no"."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def columns_text(columns: Sequence[Column]) -> str:
    """Return columns as a fixed-width table with right-aligned numbers."""
    rows = list(zip(*(column.texts for column in columns), strict=True))
    numeric = [index for index, column in enumerate(columns) if column.numeric]
    return text_table([column.title for column in columns], rows, numeric)


def read_text(path: Path) -> str:
    """Read a UTF-8 text file, or stdin for ``-``. Raises `BadInputError` naming the file and the first bad byte."""
    refuse_project(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror}). Nothing was changed.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name} is not UTF-8 text (byte {error.start + 1}). Nothing was changed.") from error


def read_json(path: Path) -> Json:
    """Read a JSON file, or stdin for ``-``. Raises `BadInputError` for invalid JSON."""
    try:
        content: Json = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{path.name} is not valid JSON ({error}). Nothing was changed.") from error
    return content


def percent_text(value: float | None) -> str:
    """Return a share as a percentage with two decimals, or "n/a" for None."""
    return "n/a" if value is None else f"{value * 100:.2f}"
