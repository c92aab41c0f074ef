"""Tables made from answers: points by metric, labels of reviews, recall of dependencies, and two releases."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.construction.bugs.bug_items import BugItem
from annotator.construction.bugs.taxonomy import FIVE_KEYS
from annotator.construction.review.grading import label_scores
from annotator.evaluation.dependencies import Place, names_used, places_of
from annotator.evaluation.scoring import grader_of
from annotator.metrics.comparison.paired_models import compare
from annotator.metrics.scores.difficulty_levels import metric_scores
from annotator.metrics.scores.recall import benchmark_recall
from annotator.model.rows.results import Cell, Table, Target, count_cell, number_cell, percent_cell, text_cell
from annotator.services.release.suggested_version import comparable_subjects
from annotator.services.results.score_data import Entry, ResultData
from annotator.services.results.tables import TableOptions
from annotator.services.tasks.items import engine_item
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import releases as released
from annotator.store.runs import score_columns as stored

KS = (1, 3, 5, 10)
Names = frozenset[str]


def metrics(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Points earned of points available by metric type, summed over each item's best response (section 1.11)."""
    found = [_best_points(store, entry.run.id) for entry in data.entries]
    scores = [metric_scores(list(best.values())) for best, _ in found]
    names = sorted({name for row in scores for name in row})
    rows = tuple(
        (
            text_cell(entry.label, Target("items", entry.run.id)),
            *(percent_cell(row.get(name)) for name in names),
            count_cell(len(best)),
        )
        for entry, row, (best, _) in zip(data.entries, scores, found, strict=True)
    )
    without = sum(count for _, count in found)
    notes = [
        Message("Points earned of points available, summed over each item's best response; an item can feed several.")
    ]
    if without:
        notes.append(
            Message(
                "{without} responses were scored without attainable points by rule, and are left out.",
                without=without,
            )
        )
    headers = ("model", *names, "items")
    title = Message("Scores by metric, release {version}", version=data.version)
    return Table(name="metric", title=title, headers=headers, rows=rows,
                 numeric=(False, *(True,) * (len(headers) - 1)), notes=tuple(notes))  # fmt: skip


def _best_points(store: ProjectFile, run_id: str) -> tuple[dict[str, dict[str, tuple[float, float]]], int]:
    """Return subject -> metric -> (earned, available) of its best response, and how many could not be used."""
    best: dict[str, tuple[float, dict[str, tuple[float, float]]]] = {}
    without = 0
    with store.read() as db:
        for subject, _, score, detail in stored.rule_points(db, run_id):
            if score is None:
                continue
            rules = detail.get("rules", ())
            points: dict[str, tuple[float, float]] = {}
            for rule in rules:
                if isinstance(rule.get("total"), (int, float)):
                    earned, available = points.get(str(rule["metric"]), (0.0, 0.0))
                    # Rules that only take points away have nothing to earn.
                    points[str(rule["metric"])] = (earned + rule["points"], available + max(0.0, rule["total"]))
            without += bool(rules) and not points
            if points and (subject not in best or score > best[subject][0]):
                best[subject] = (score, points)
    return {subject: points for subject, (_, points) in best.items()}, without


def labels(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Which kinds of bugs the review answers of every model named: all together, and by label (task construction, 2.7).

    Raises `BadInputError` for a release without review items.
    """
    with store.read() as db:
        items = [item for item in released.items_of(db, data.release_id) if grader_of(item) == "review"]
    gold = {str(item["id"]): made.labels for item in items if isinstance(made := engine_item(item), BugItem)}
    if not gold:
        raise BadInputError("No item of this release asks for a review, so there are no labels.")
    keys = [key for key in FIVE_KEYS if any(key in labels for labels in gold.values())]
    rows = []
    for entry in data.entries:
        target = Target("items", entry.run.id)
        with store.read() as db:
            scored = [row for row in stored.rule_points(db, entry.run.id) if row[0] in gold and row[2] is not None]
        pairs = [(frozenset(detail.get("predicted", ())), gold[subject]) for subject, _, _, detail in scored]
        found = label_scores(pairs, FIVE_KEYS)
        over_all = (found.macro_f1, found.exact) if pairs else (None, None)
        rows.append((text_cell(entry.label, target), text_cell("all"), *_label_cells(*found.total),
                     *map(percent_cell, over_all), count_cell(len(pairs))))  # fmt: skip
        for key in keys:
            cells = _label_cells(*found.by_label[key][:3])
            rows.append((text_cell(entry.label, target), text_cell(key), *cells, *(number_cell(None),) * 3))
    headers = ("model", "label", "right", "false", "missed", "precision %", "recall %", "F1 %", "macro F1 %",
               "exact %", "answers")  # fmt: skip
    notes = (
        Message("Exact: the answer names the item's labels and no other. Macro F1 is the mean over labels."),
        Message("An answer without a review names none; labels that a reviewer lets pass as well do not count."),
    )
    title = Message("Labels of reviews, release {version}", version=data.version)
    return Table(
        name="labels", title=title, headers=headers, rows=tuple(rows), numeric=(False, False, *(True,) * 9), notes=notes
    )


def _label_cells(hit: int, false: int, missed: int) -> tuple[Cell, ...]:
    """Return counts, precision, recall and F1; what nothing was said of has none."""
    return (
        count_cell(hit),
        count_cell(false),
        count_cell(missed),
        percent_cell(hit / (hit + false) if hit + false else None),
        percent_cell(hit / (hit + missed) if hit + missed else None),
        percent_cell(2 * hit / (2 * hit + false + missed) if hit + false + missed else None),
    )


def releases(store: ProjectFile, data: ResultData, other: ResultData) -> Table:
    """Every model's score on two releases, on all items and on those asked and judged alike, as a paired difference."""
    same = comparable_subjects(store, data.release_id, other.release_id)
    rows = []
    places = {(entry.run.model, entry.run.protocol): at for at, entry in enumerate(other.entries)}
    for at, entry in enumerate(data.entries):
        there = places.get((entry.run.model, entry.run.protocol))
        ours = data.by_item(at)
        theirs = other.by_item(there) if there is not None else {}
        shared = [key for key in ours if key in theirs and key in same]
        found = compare({key: ours[key] for key in shared}, {key: theirs[key] for key in shared})
        rows.append(
            (
                text_cell(entry.label, Target("items", entry.run.id)),
                percent_cell(_mean(list(ours.values()))),
                percent_cell(_mean(list(theirs.values()))),
                count_cell(len(shared)),
                percent_cell(_mean([ours[key] for key in shared])),
                percent_cell(_mean([theirs[key] for key in shared])),
                percent_cell(found.mean if found else None),
                percent_cell(found.low if found else None),
                percent_cell(found.high if found else None),
                number_cell(found.p if found else None, 4),
            )
        )
    headers = ("model", f"{data.version} %", f"{other.version} %", "comparable items", f"{data.version} shared %",
               f"{other.version} shared %", "difference", "from", "to", "p")  # fmt: skip
    notes = (
        Message(
            "{count} items are asked and judged alike in both releases; only these are comparable.", count=len(same)
        ),
    )
    title = Message("Release {version} against {other}", version=data.version, other=other.version)
    return Table(name="releases", title=title, headers=headers, rows=tuple(rows),
                 numeric=(False, *(True,) * 9), notes=notes)  # fmt: skip


def recall(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Recall@k of every model, over all k-subsets of its samples and as published (metrics specification, 1.3).

    Raises `BadInputError` if no item says what its reference uses.
    """

    with store.read() as db:
        places = places_of(stored.places(db, data.release_id))
    if not any(place.reference for place in places.values()):
        raise BadInputError(
            "No item of this release says what its reference uses of its repository, so there is no recall. Items "
            "mined from repositories and those of EvoCodeBench do."
        )
    ks = [k for k in KS if any(entry.run.samples >= k for entry in data.entries)]
    rows = []
    for entry in data.entries:
        problems = _problems(store, entry, places)
        found = [benchmark_recall(problems, k) for k in ks]
        cells: list[Cell] = [text_cell(entry.label, Target("items", entry.run.id))]
        for one in found:
            cells += [
                percent_cell(one.expected.value if one.expected else None),
                percent_cell(one.published.value if one.published else None),
            ]
        cells += [
            percent_cell(found[0].precision),
            count_cell(len(problems) - found[0].standalone),
            count_cell(found[0].standalone),
        ]
        rows.append(tuple(cells))
    headers = ("model", *(name for k in ks for name in (f"recall@{k} %", f"first {k} %")), "precision %", "items",
               "standalone")  # fmt: skip
    notes = (
        Message(
            "Recall@k: share of the reference's names of repository objects that the best of k programs uses, over all "
            "k-subsets of the samples; first k: the best of the first k, as published."
        ),
        Message(
            "Items whose reference uses nothing of its repository are left out; a program that does not parse has 0."
        ),
    )
    title = Message("Recall of dependencies, release {version}", version=data.version)
    return Table(name="recall", title=title, headers=headers, rows=tuple(rows),
                 numeric=(False, *(True,) * (len(headers) - 1)), notes=notes)  # fmt: skip


def _problems(store: ProjectFile, entry: Entry, places: dict[str, Place]) -> list[tuple[Names, list[Names | None]]]:
    """Return (reference names, names of each sample's program) of the items a run answered."""
    programs: dict[str, list[Names | None]] = {}
    with store.read() as db:
        answers = stored.texts_of(db, entry.run.id, tuple(places))
    for subject, _, text in answers:
        place = places[subject]
        # A standalone item is only counted, so its programs need not be read.
        programs.setdefault(subject, []).append(names_used(text, place) if place.reference else None)
    return [(places[subject].reference, found) for subject, found in programs.items()]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
