"""Read pairs and verdicts from JSON lines, naming the first line that is malformed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.open_files import refuse_project
from annotator.formats.read.import_records import RowError
from annotator.formats.read.lines import read_objects
from annotator.metrics.agreement.blind_comparisons import CHOICES
from annotator.model.rows.judging_rows import CandidatePair
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects

_FACT_NAMES = ("seconds", "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileJudgement:
    """A verdict from a file, or a skipped pair: then ``choice`` is empty and ``skip`` the reason."""

    assignment_id: str
    choice: str
    rationale: str
    seconds: float | None
    skip: str = ""


def read_candidate_pairs(store: ProjectFile, path: Path) -> tuple[CandidatePair, ...]:
    """Read pairs from JSON lines with subject, a and b, and optionally a_seconds, a_cost, b_seconds, b_cost.

    Raises `BadInputError` naming the malformed line; nothing is changed then.
    """
    pairs = []
    with store.read() as db:
        for number, row in read_json_lines(path):
            fields = [row.get(name) for name in ("subject", "a", "b")]
            texts = [item for item in fields if isinstance(item, str) and item.strip()]
            if len(texts) < len(fields):
                raise BadInputError(f"{path.name}:{number}: a pair needs the texts subject, a and b.")
            subject = stored_subjects.find_subject(db, texts[0])
            facts = [_read_facts(row, side, path, number) for side in ("a", "b")]
            pairs.append(
                CandidatePair(
                    subject_id=subject.id, text_a=texts[1], text_b=texts[2], facts_a=facts[0], facts_b=facts[1]
                )
            )
    return tuple(pairs)


def _read_facts(row: dict[str, Any], side: str, path: Path, number: int) -> dict[str, Any]:
    facts = {}
    for name in _FACT_NAMES:
        value = row.get(f"{side}_{name}")
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
            raise BadInputError(f"{path.name}:{number}: {side}_{name} must be a number that is not negative.")
        facts[name] = value
    return facts


def read_judgements(path: Path) -> tuple[FileJudgement, ...]:
    """Read verdicts from JSON lines with assignment, verdict, rationale and seconds.

    A line without a verdict is left out, unless it has a reason to skip the pair in ``skip``. Raises `BadInputError`
    naming the malformed line.
    """
    judgements = []
    for number, row in read_json_lines(path):
        choice = row.get("verdict")
        skip = row.get("skip")
        if choice is None and not skip:
            continue
        if choice is not None and skip:
            raise BadInputError(
                f"{path.name}:{number}: a line has either a verdict or a reason to skip the pair, not both."
            )
        if choice is None and isinstance(skip, str) and isinstance(row.get("assignment"), str):
            skipped = FileJudgement(assignment_id=row["assignment"], choice="", rationale="", seconds=None, skip=skip)
            judgements.append(skipped)
            continue
        choice = str(choice) if isinstance(choice, int) else choice
        rationale = row.get("rationale", "")
        seconds = row.get("seconds")
        assignment = row.get("assignment")
        if choice not in CHOICES or not isinstance(assignment, str) or not isinstance(rationale, str):
            raise BadInputError(
                f"{path.name}:{number}: a line needs assignment and a verdict ({', '.join(CHOICES)}), or skip with a "
                "reason."
            )
        if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds < 0):
            raise BadInputError(f"{path.name}:{number}: seconds must be a number that is not negative.")
        judgements.append(FileJudgement(assignment_id=assignment, choice=choice, rationale=rationale, seconds=seconds))
    return tuple(judgements)


def read_json_lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """Return the JSON objects of a JSON lines file with their line numbers. Raises `BadInputError` for a bad line."""
    refuse_project(path)
    rows = []
    for row in read_objects(path):
        if isinstance(row, RowError):
            raise BadInputError(f"{row}. Nothing was changed.")
        rows.append(row)
    return rows
