"""How commands answer: data to stdout, progress to stderr, the same facts as text or JSON."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from annotator.jobs.progress import Progress


def plain(value: Any) -> Any:
    """Return a value as JSON has it: records as objects, tuples as arrays, sets sorted."""
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    return str(value)


def answer(as_json: bool, data: Any, text: str) -> None:
    """Write ``data`` as one JSON document, or the text meant for people."""
    if as_json:
        sys.stdout.write(json.dumps(plain(data), ensure_ascii=False, indent=2) + "\n")
    elif text:
        sys.stdout.write(text.rstrip("\n") + "\n")


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Return a table in fixed columns; the columns in ``right`` are right-aligned."""
    lines = [list(headers), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]

    def fit(line: Sequence[str]) -> str:
        cells = (
            text.rjust(width) if column in right else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        return "  ".join(cells).rstrip()

    return "\n".join([fit(headers), "  ".join("-" * width for width in widths), *(fit(row) for row in rows)])


def as_csv(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as CSV (RFC 4180) with ``\\n`` line ends."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return out.getvalue()


def percent(value: float | None) -> str:
    """Return a share as percent with two decimals, "n/a" for an undefined one."""
    return "n/a" if value is None else f"{value * 100:.2f}"


def progress_line(label: str) -> Progress:
    """Return a progress that writes one line to stderr, kept in place on a terminal and silent elsewhere."""

    def show(progress: Progress) -> None:
        if not sys.stderr.isatty():
            return
        share = f"{progress.fraction:.0%} " if progress.fraction is not None else ""
        sys.stderr.write(f"\r\x1b[K{label}: {share}{progress.text}")
        if progress.total is not None and progress.done >= progress.total:
            sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    return Progress(show)
