"""Item health: discrimination of items, strength of their tests, and reopening items for a new decision."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.metrics.scores.item_health import FLAG_TEXTS, ItemHealth, item_health
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import Column, Table, Target, ValueCell, percent_cell, text_cell
from annotator.services.results.difficulty import MIN_MODELS, recalibrate_items
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.work import stored_proofs

SENT_BACK = "sent back from the results"


def health_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return every item's statistics, difficulty, test strength and flags; flagged items first."""
    data = data.one_protocol()
    health = _health(data)
    facts, graded = {item.subject_id: item for item in data.items}, recalibrate_items(data)
    with store.read() as db:
        strengths = stored_proofs.count_mutants(db, data.release_id)
    rows = sorted(
        health, key=lambda one: (-len(one.flags), math.inf if one.discrimination is None else one.discrimination)
    )
    listed, targets = [facts[row.item] for row in rows], [Target("item", id=row.item) for row in rows]
    grades = [graded[row.item] for row in rows]
    columns = (
        Column.of_texts("key", [item.key for item in listed], targets),
        Column.of_texts("title", [item.title for item in listed], targets),
        Column.of_texts("flags", map(_shown_flags, rows), targets),
        *([Column.of_texts("mode", [item.mode for item in listed])] if data.shared else []),
        Column.of_texts("difficulty", [level.grade if level.measured else "" for level in grades], targets),
        Column(
            "tests notice %",
            tuple(_strength_cell(*strengths.get(row.item, (0, 0)), to) for row, to in zip(rows, targets, strict=True)),
            numeric=True,
        ),
        Column.of_counts("models", [row.models for row in rows]),
        Column.of_shares("mean %", [row.mean for row in rows]),
        Column.of_numbers("spread", [row.spread for row in rows]),
        Column.of_numbers("correlation", [row.correlation for row in rows]),
        Column.of_numbers("discrimination", [row.discrimination for row in rows]),
        Column.of_texts("evidence", [" ".join(FLAG_TEXTS[flag] for flag in row.flags) for row in rows]),
    )
    flagged = sum(bool(entry.flags) for entry in health)
    notes = [
        Message("{flagged} of {count} items are flagged.", flagged=flagged, count=len(health)),
        Message(
            "Difficulty comes from pass rates of at least {number} models. Tests notice: the share of small changes "
            "to the reference that the item's tests fail; blank if no proof of this version has tried.",
            number=MIN_MODELS,
        ),
    ]
    if health and health[0].tentative:
        notes.append(Message("With fewer than ten models, flags are only hints."))
    title = Message("Item health, release {version}", version=data.version)
    return Table(name="items", title=title, columns=columns, notes=tuple(notes))


def _strength_cell(killed: int, tried: int, target: Target) -> ValueCell:
    return percent_cell(killed / tried) if tried else text_cell("", target)


def _shown_flags(health: ItemHealth) -> str:
    words = _flag_words(health)
    return f"{words} (a hint)" if words and health.tentative else words


def _health(data: ResultData) -> tuple[ItemHealth, ...]:
    return item_health([item.subject_id for item in data.items], data.scores.values)


def _flag_words(health: ItemHealth) -> str:
    return ", ".join(flag.replace("_", " ") for flag in health.flags)


def flagged_items(data: ResultData) -> tuple[str, ...]:
    """Return the ids of the flagged items."""
    return tuple(entry.item for entry in _health(data.one_protocol()) if entry.flags)


def reopen_items(
    store: ProjectFile,
    subjects: Sequence[str],
    reason: str = "",
    *,
    data: ResultData | None = None,
    anyway: bool = False,
) -> Changes:
    """Reopen items (subject ids or keys) for a new decision, in one undoable change.

    Without a ``reason`` each item gets its flags in ``data`` as the reason. Raises `BadInputError` if no item is
    given, and `OthersWorkError` as `triage.decide_subjects` does.
    """
    if not subjects:
        raise BadInputError("No item was chosen, so nothing was reopened.")
    reasons = {} if reason.strip() or data is None else _reasons(data)
    return triage.reopen_decisions(store, subjects, reason.strip() or SENT_BACK, reasons, anyway=anyway)


def _reasons(data: ResultData) -> Mapping[str, str]:
    words_by_item = {item.item: _flag_words(item) for item in _health(data.one_protocol()) if item.flags}
    return {item: f"{SENT_BACK} of release {data.version}: {words}" for item, words in words_by_item.items()}
