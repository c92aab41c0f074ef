"""Item health: discrimination of items, strength of their tests, difficulty by pass rates, items to decide on again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.metrics.scores.item_health import (
    FLAG_TEXTS,
    ItemHealth,
    Recalibration,
    item_health,
    recalibrate_difficulty,
)
from annotator.metrics.scores.skill_rating import Rating, rate_items
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import Column, Table, Target, ValueCell, percent_cell, text_cell
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_proofs, stored_rewrites

REOPENED_REASON = "sent back from the results"


def health_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return every item's statistics, difficulty, test strength and flags; flagged items first."""
    data = data.one_protocol()
    health = _compute_health(data)
    facts = {item.subject_id: item for item in data.items}
    recalibrated = recalibrate_items(data)
    with store.read() as db:
        strengths = stored_proofs.count_mutants(db, data.release_id)
    rows = sorted(health, key=_worst_first_key)
    items = [facts[row.item] for row in rows]
    targets = [Target("item", id=row.item) for row in rows]
    grades = [recalibrated[row.item] for row in rows]
    columns = (
        Column.of_texts("key", [item.key for item in items], targets),
        Column.of_texts("title", [item.title for item in items], targets),
        Column.of_texts("flags", map(_format_flags, rows), targets),
        *([Column.of_texts("mode", [item.mode for item in items])] if data.shared else []),
        Column.of_texts("difficulty", [level.grade if level.measured else "" for level in grades], targets),
        Column(
            "tests notice %",
            tuple(
                _make_strength_cell(*strengths.get(row.item, (0, 0)), target)
                for row, target in zip(rows, targets, strict=True)
            ),
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


def _worst_first_key(health: ItemHealth) -> tuple[int, float]:
    """Return a sort key: items with the most flags first, then those with the least discrimination."""
    return -len(health.flags), math.inf if health.discrimination is None else health.discrimination


def _make_strength_cell(killed: int, tried: int, target: Target) -> ValueCell:
    return percent_cell(killed / tried) if tried else text_cell("", target)


def _format_flags(health: ItemHealth) -> str:
    words = _flag_text(health)
    return f"{words} (a hint)" if words and health.tentative else words


def _compute_health(data: ResultData) -> tuple[ItemHealth, ...]:
    return item_health([item.subject_id for item in data.items], data.scores.values)


def _flag_text(health: ItemHealth) -> str:
    return ", ".join(flag.replace("_", " ") for flag in health.flags)


def flagged_items(data: ResultData) -> tuple[str, ...]:
    """Return the ids of the flagged items."""
    return tuple(entry.item for entry in _compute_health(data.one_protocol()) if entry.flags)


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
    reasons = {} if reason.strip() or data is None else _collect_reasons(data)
    return triage.reopen_decisions(store, subjects, reason.strip() or REOPENED_REASON, reasons, anyway=anyway)


def _collect_reasons(data: ResultData) -> Mapping[str, str]:
    words_by_item = {item.item: _flag_text(item) for item in _compute_health(data.one_protocol()) if item.flags}
    return {item: f"{REOPENED_REASON} of release {data.version}: {words}" for item, words in words_by_item.items()}


MIN_MODELS = 5
LABEL_ORIGIN = "pass rates"


def _compute_pass_rates(data: ResultData) -> dict[str, tuple[float, ...]]:
    """Return subject -> pass rates, one per model that was evaluated on it."""
    columns = data.scores.values.T
    return {
        item.subject_id: tuple(float(value) for value in column if value == value)
        for item, column in zip(data.items, columns, strict=True)
    }


def recalibrate_items(data: ResultData) -> dict[str, Recalibration]:
    """Return subject -> difficulty recalibrated by the models' pass rates."""
    return {
        # A criterion may give more than the full score, or a negative one.
        item.subject_id: recalibrate_difficulty(
            item.difficulty, [min(1.0, max(0.0, rate)) for rate in rates], minimum_models=MIN_MODELS
        )
        for item, rates in zip(data.items, _compute_pass_rates(data).values(), strict=True)
    }


def difficulty_table(data: ResultData, _: TableOptions) -> Table:
    """Return every item's difficulty as released and by pass rates (task construction, 2.5 and 3.4)."""
    data = data.one_protocol()
    rates = _compute_pass_rates(data)
    by_subject = recalibrate_items(data)
    items = sorted(data.items, key=lambda item: (not by_subject[item.subject_id].changed, item.key))
    targets = [Target("item", id=item.subject_id) for item in items]
    grades = [by_subject[item.subject_id] for item in items]
    columns = (
        Column.of_texts("key", [item.key for item in items], targets),
        Column.of_texts("title", [item.title for item in items], targets),
        Column.of_texts("released as", [level.start or "none" for level in grades], targets),
        Column.of_texts("by pass rates", [level.grade if level.measured else "" for level in grades], targets),
        Column.of_shares("mean %", [level.rate for level in grades]),
        Column.of_counts("models", [len(rates[item.subject_id]) for item in items]),
        Column.of_marks("changes", [level.changed for level in grades]),
    )
    changed = sum(level.changed for level in by_subject.values())
    notes = (
        Message("{changed} of {count} items would change.", changed=changed, count=len(by_subject)),
        Message(
            "Easy: mean above 60 %; hard: below 20 %. Pass rates of fewer than {number} models are not meaningful.",
            number=MIN_MODELS,
        ),
    )
    title = Message("Difficulty by pass rates, release {version}", version=data.version)
    return Table(name="difficulty", title=title, columns=columns, notes=notes)


def skill_table(data: ResultData, options: TableOptions) -> Table:
    """Return the skill rating of models and items; an item wins its game if the model scores below one half.

    See the metrics specification, 1.7.
    """
    data = data.one_protocol()
    scores = {entry.label: data.by_item(index) for index, entry in enumerate(data.entries)}
    rated = rate_items(scores, seed=options.seed)
    facts = {item.subject_id: item for item in data.items}
    rows: list[tuple[str, str, str, Rating, Target | None]] = [
        ("model", name, "", rating, None) for name, rating in rated.models.items()
    ]
    rows += [
        ("item", facts[name].key, facts[name].difficulty, rating, Target("item", id=name))
        for name, rating in rated.items.items()
    ]
    rows.sort(key=lambda row: (row[0] == "item", -row[3].mu, row[1]))
    grades = [grade or ("" if kind == "model" else "none") for kind, _, grade, *_ in rows]
    ratings = [rating for *_, rating, _ in rows]
    columns = (
        Column.of_texts("what", [kind for kind, *_ in rows]),
        Column.of_texts("name", [name for _, name, *_ in rows], [target for *_, target in rows]),
        Column.of_texts("released as", grades),
        Column.of_numbers("skill", [rating.mu for rating in ratings]),
        Column.of_numbers("from", [rating.interval[0] for rating in ratings]),
        Column.of_numbers("to", [rating.interval[1] for rating in ratings]),
    )
    notes = (
        Message(
            "{games} games. A high rating means that a model often passes, or that models often fail an item.",
            games=rated.games,
        ),
        Message("The order of the games is random (seeded); intervals are 95 %."),
    )
    title = Message("Skill rating, release {version}", version=data.version)
    return Table(name="skill", title=title, columns=columns, notes=notes)


def apply_difficulty(store: ProjectFile, data: ResultData) -> tuple[int, Changes]:
    """Label the items of a release with their difficulty by pass rates, in one undoable change.

    Returns how many labels were changed. Raises `BadInputError` if nothing would change.
    """
    data = data.one_protocol()
    new_grades = {
        subject: recalibration.grade
        for subject, recalibration in recalibrate_items(data).items()
        if recalibration.changed
    }
    with store.write() as db:
        targets = zip(stored_subjects.find_subjects(db, new_grades), new_grades.values(), strict=True)
        changed = [(subject, grade) for subject, grade in targets if subject.difficulty != grade]
        if not changed:
            raise BadInputError(
                f"No item of release {data.version} has a different difficulty by pass rates. At least {MIN_MODELS} "
                "models are needed. Nothing was changed."
            )
        items = Message("1 item") if len(changed) == 1 else Message("{count} items", count=len(changed))
        label = Message("Set the difficulty of {items} by pass rates", items=items)
        change = undo_log.record_change(db, store.annotator.id, label, ["label"])
        undo_log.write_work(
            db, change, *(stored_rewrites.label_of(item, "difficulty", grade, LABEL_ORIGIN) for item, grade in changed)
        )
        ids = [subject.id for subject, _ in changed]
        undo_log.refresh_subjects(db.connection(), ids)
        return len(changed), Changes(frozenset({"label", "subject"}), frozenset(ids), label, change.id)
