"""How hard items turned out to be: recalibrated difficulty, and the skill rating of items and models."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.metrics.models.skill_rating import Rating, rate_items
from annotator.metrics.scores.difficulty_levels import Recalibration, recalibrate
from annotator.model.changes import Changes
from annotator.model.rows.results import Table, Target, count_cell, number_cell, percent_cell, text_cell
from annotator.services.results.score_data import ResultData
from annotator.services.results.tables import TableOptions
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import subjects
from annotator.store.work import suggestions

FEWEST_MODELS = 5
ORIGIN = "pass rates"


def _rates(data: ResultData) -> dict[str, tuple[float, ...]]:
    """Return each item's pass rates, one a model that was evaluated on it."""
    columns = data.scores.values.T
    return {
        item.subject_id: tuple(float(value) for value in column if value == value)
        for item, column in zip(data.items, columns, strict=True)
    }


def recalibrated(data: ResultData) -> dict[str, Recalibration]:
    """Return each item's difficulty by the pass rates of models, by subject."""
    return {
        item.subject_id: recalibrate(item.difficulty, _clipped(rates), minimum_models=FEWEST_MODELS)
        for item, rates in zip(data.items, _rates(data).values(), strict=True)
    }


def _clipped(rates: tuple[float, ...]) -> list[float]:
    # A criterion may give more than the full score, or less than none.
    return [min(1.0, max(0.0, rate)) for rate in rates]


def difficulty(data: ResultData, _: TableOptions) -> Table:
    """Every item's difficulty as released and by the pass rates of models (task construction, 2.5 and 3.4)."""
    data = data.one_protocol()
    rates, found = _rates(data), recalibrated(data)
    rows = []
    for item in sorted(data.items, key=lambda one: (not found[one.subject_id].changed, one.key)):
        said, to = found[item.subject_id], Target("item", id=item.subject_id)
        rows.append(
            (
                text_cell(item.key, to),
                text_cell(item.title, to),
                text_cell(said.start or "none", to),
                text_cell(said.grade if said.measured else "", to),
                percent_cell(said.rate),
                count_cell(len(rates[item.subject_id])),
                text_cell("yes" if said.changed else ""),
            )
        )
    changed = sum(said.changed for said in found.values())
    notes = (
        Message("{changed} of {count} items would change.", changed=changed, count=len(found)),
        Message(
            "Easy above a mean of 60 %, hard below 20 %; with fewer than {number} models pass rates say nothing.",
            number=FEWEST_MODELS,
        ),
    )
    headers = ("key", "title", "released as", "by pass rates", "mean %", "models", "changes")
    numeric = (False, False, False, False, True, True, False)
    title = Message("Difficulty by pass rates, release {version}", version=data.version)
    return Table(name="difficulty", title=title, headers=headers, rows=tuple(rows), numeric=numeric, notes=notes)


def skill(data: ResultData, options: TableOptions) -> Table:
    """Skill rating of models and items from their games: an item wins where a model scores below a half
    (metrics specification, 1.7)."""
    data = data.one_protocol()
    scores = {entry.label: data.by_item(at) for at, entry in enumerate(data.entries)}
    found = rate_items(scores, seed=options.seed)
    facts = {item.subject_id: item for item in data.items}
    listed: list[tuple[str, str, str, Rating, Target | None]] = [
        ("model", name, "", rating, None) for name, rating in found.models.items()
    ]
    listed += [
        ("item", facts[name].key, facts[name].difficulty, rating, Target("item", id=name))
        for name, rating in found.items.items()
    ]
    rows = [
        (
            text_cell(kind),
            text_cell(name, to),
            text_cell(grade or ("" if kind == "model" else "none")),
            number_cell(rating.mu),
            number_cell(rating.interval[0]),
            number_cell(rating.interval[1]),
        )
        for kind, name, grade, rating, to in sorted(listed, key=lambda row: (row[0] == "item", -row[3].mu, row[1]))
    ]
    notes = (
        Message(
            "{games} games. A high rating of a model says that it often passes, of an item that models often fail.",
            games=found.games,
        ),
        Message("The order of the games is drawn with the seed; intervals are 95 %."),
    )
    headers = ("what", "name", "released as", "skill", "from", "to")
    numeric = (False, False, False, True, True, True)
    title = Message("Skill rating, release {version}", version=data.version)
    return Table(name="skill", title=title, headers=headers, rows=tuple(rows), numeric=numeric, notes=notes)


def apply_difficulty(store: ProjectFile, data: ResultData) -> tuple[int, Changes]:
    """Label the items of a release with their difficulty by pass rates, as one act that can be undone.

    Returns how many labels were changed. Raises `BadInputError` if nothing would change.
    """
    data = data.one_protocol()
    wanted = {subject: said.grade for subject, said in recalibrated(data).items() if said.changed}
    with store.write() as db:
        found = [(subjects.find(db, subject), grade) for subject, grade in wanted.items()]
        open_ = [(subject, grade) for subject, grade in found if subject.difficulty != grade]
        if not open_:
            raise BadInputError(
                f"No item of release {data.version} has another difficulty by pass rates. At least {FEWEST_MODELS} "
                "models are needed. Nothing was changed."
            )
        items = Message("1 item") if len(open_) == 1 else Message("{count} items", count=len(open_))
        label = Message("Set the difficulty of {items} by pass rates", items=items)
        change = undo_log.record(db, store.annotator.id, label, ["label"])
        undo_log.write(db, change, *(suggestions.label_of(item, "difficulty", grade, ORIGIN) for item, grade in open_))
        ids = [subject.id for subject, _ in open_]
        undo_log.refresh_subjects(db.connection(), ids)
        return len(open_), Changes(frozenset({"label", "subject"}), frozenset(ids), label, change.id)
