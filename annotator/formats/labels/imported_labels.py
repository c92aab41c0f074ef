"""The records that the readers of labels yield: answers of people, and parts of a file that were left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedLabel:
    """One person's answer to one question about one task.

    ``row`` counts the rows of the file from 1. ``task`` is the tool's name for the task, ``texts`` are its fields.
    ``person`` is empty and ``moment`` None if the export lacks them. Several ``values`` are several choices.
    """

    file: str
    row: int
    task: str
    texts: Mapping[str, str]
    person: str
    moment: str | None
    question: str
    values: tuple[str, ...]
    is_text: bool = False
    """Whether the answer was written rather than chosen."""
    seconds: float | None = None
    is_named_by_file: bool = False
    """Whether only the name of the file says who answered."""


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """A part of a row that is not a person's answer, and why it was left out."""

    file: str
    row: int
    reason: str

    def __str__(self) -> str:
        """Return "file:row: reason"."""
        return f"{self.file}:{self.row}: {self.reason}"


@dataclass(frozen=True, slots=True)
class LabelPlace:
    """The place of a row: its file, its 1-based number, and the person if the file's name says who answered."""

    file: str
    row: int
    person: str = ""

    def omit(self, reason: str) -> OmittedPart:
        """Return a record of a part of this row that is left out."""
        return OmittedPart(self.file, self.row, reason)


def json_value_text(value: Any) -> str:
    """Return a JSON value as readable text: texts as they are, lists and objects as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def field_texts(fields: Any) -> dict[str, str]:
    """Return the non-empty fields of a task as texts."""
    if not isinstance(fields, dict):
        return {}
    return {str(name): text for name, value in fields.items() if (text := json_value_text(value))}


def label_name(value: Any) -> str:
    """Return the name of a person or task, which is a text or whole number; "" for any other value."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else ""
