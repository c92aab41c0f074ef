"""Empirical difficulty: recalibration by pass rates, and a skill rating of items and models."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.metrics.models.skill_rating import Rating, rate_items
from annotator.metrics.scores.difficulty_levels import Recalibration, recalibrate_difficulty
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import Column, Table, Target
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_rewrites

MIN_MODELS = 5
ORIGIN = "pass rates"


def _rates(data: ResultData) -> dict[str, tuple[float, ...]]:
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
        for item, rates in zip(data.items, _rates(data).values(), strict=True)
    }


def difficulty_table(data: ResultData, _: TableOptions) -> Table:
    """Return every item's difficulty as released and by pass rates (task construction, 2.5 and 3.4)."""
    data = data.one_protocol()
    rates, by_subject = _rates(data), recalibrate_items(data)
    items = sorted(data.items, key=lambda one: (not by_subject[one.subject_id].changed, one.key))
    targets, grades = (
        [Target("item", id=item.subject_id) for item in items],
        [by_subject[item.subject_id] for item in items],
    )
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
    scores = {entry.label: data.by_item(at) for at, entry in enumerate(data.entries)}
    rated = rate_items(scores, seed=options.seed)
    facts = {item.subject_id: item for item in data.items}
    listed: list[tuple[str, str, str, Rating, Target | None]] = [
        ("model", name, "", rating, None) for name, rating in rated.models.items()
    ]
    listed += [
        ("item", facts[name].key, facts[name].difficulty, rating, Target("item", id=name))
        for name, rating in rated.items.items()
    ]
    listed.sort(key=lambda row: (row[0] == "item", -row[3].mu, row[1]))
    grades = [grade or ("" if kind == "model" else "none") for kind, _, grade, *_ in listed]
    ratings = [rating for *_, rating, _ in listed]
    columns = (
        Column.of_texts("what", [kind for kind, *_ in listed]),
        Column.of_texts("name", [name for _, name, *_ in listed], [to for *_, to in listed]),
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
            db, change, *(stored_rewrites.label_of(item, "difficulty", grade, ORIGIN) for item, grade in changed)
        )
        ids = [subject.id for subject, _ in changed]
        undo_log.refresh_subjects(db.connection(), ids)
        return len(changed), Changes(frozenset({"label", "subject"}), frozenset(ids), label, change.id)
