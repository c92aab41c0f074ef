"""Acts on results: items sent back to the queue, another benchmark's scores read."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.model.rows import Changes
from annotator.model.words import Verdict
from annotator.services import selecting
from annotator.store.project_file import ProjectFile

_LIMIT = 16 * 1024 * 1024


def send_back(store: ProjectFile, items: Sequence[str], reason: str = "") -> Changes:
    """Flag items (subject ids or keys) so that they wait in the queue again, as one act that can be undone."""
    return selecting.decide(store, items, Verdict.FLAG, reason.strip() or "sent back from the results")


def read_scores(path: Path) -> dict[str, float]:
    """Read another benchmark's scores: JSON (model -> score) or CSV with the model first and its score second.

    Raises `BadInputError` saying which line is wrong.
    """
    try:
        if path.stat().st_size > _LIMIT:
            raise BadInputError(f"{path.name} is too large for a list of scores.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path.name} could not be read ({error}).") from error
    if text.lstrip().startswith("{"):
        try:
            pairs = list(json.loads(text).items())
        except (ValueError, RecursionError) as error:
            raise BadInputError(f"{path.name} is not JSON ({error}).") from error
    else:
        rows = [row for row in csv.reader(text.splitlines()) if row]
        # A first line whose score is no number is a heading.
        pairs = [(row[0], row[1] if len(row) > 1 else "") for row in rows]
        if pairs and _number(pairs[0][1]) is None:
            del pairs[0]
    found: dict[str, float] = {}
    for name, value in pairs:
        number = _number(value)
        if number is None:
            raise BadInputError(f"{path.name} has no number as the score of {name}.")
        found[str(name).strip()] = number
    if not found:
        raise BadInputError(f"{path.name} holds no scores. Give a line per model: name, score.")
    return found


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
