"""What import and export know: one table each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import UsageError
from annotator.formats import humaneval, infibench, jsonl, native
from annotator.formats.candidate import Candidate, RowError

Reader = Callable[[Path, Mapping[str, str]], Iterator[Candidate | RowError]]


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format that candidates are read from."""

    name: str
    title: str
    description: str
    example: str
    accepts_mapping: bool
    read: Reader


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format that releases are written in."""

    name: str
    title: str
    description: str


IMPORTS: tuple[ImportFormat, ...] = (
    ImportFormat(
        "jsonl",
        "JSON lines",
        "One candidate a line, with our field names or columns you map to them. The prompt is the only one needed.",
        "annotator import jsonl rows.jsonl --project p.annotator --map prompt=question",
        True,
        jsonl.read,
    ),
    ImportFormat(
        "humaneval",
        "HumanEval",
        "JSON lines with task_id, prompt, canonical_solution, test and entry_point; gzipped or not.",
        "annotator import humaneval HumanEval.jsonl.gz --project p.annotator",
        False,
        humaneval.read,
    ),
    ImportFormat(
        "infibench",
        "InfiBench suite",
        "A folder with eval_*.yaml, prompts and the files they refer to; each evaluation file becomes the criterion.",
        "annotator import infibench suite --project p.annotator",
        False,
        infibench.read,
    ),
    ImportFormat(
        "annotator",
        "Exported release",
        "A release folder written by annotator release export; refused if a byte of it has changed.",
        "annotator import annotator release-0.1 --project p.annotator",
        False,
        native.read,
    ),
)

EXPORTS: tuple[ExportFormat, ...] = (
    ExportFormat(
        "annotator",
        "Release folder",
        "Every item whole, the criteria and tests as files, and a manifest with the SHA-256 of each.",
    ),
)


def import_format(name: str) -> ImportFormat:
    """Return a format by name; raises `UsageError` listing those there are."""
    for item in IMPORTS:
        if item.name == name:
            return item
    names = ", ".join(item.name for item in IMPORTS)
    raise UsageError(f"There is no import format {name} in this version. There is: {names}.")
