"""Tables made from answers: points by metric, labels of reviews, recall of dependencies, and two releases."""

from __future__ import annotations

from typing import NamedTuple

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.construction.bugs.bug_items import BugItem
from annotator.construction.bugs.taxonomy import FIVE_REVIEW_KEYS
from annotator.construction.review_grading import label_scores
from annotator.evaluation.answer_scoring import grader_of
from annotator.evaluation.named_dependencies import FunctionLocation, find_used_names, locate_functions
from annotator.metrics.comparison.paired_models import compare_pairwise
from annotator.metrics.scores.item_health import metric_scores
from annotator.metrics.scores.recall import benchmark_recall
from annotator.model.rows.result_rows import Column, Table
from annotator.services.release.suggested_version import comparable_subjects
from annotator.services.results.result_tables import TableOptions, mean_known, model_column
from annotator.services.results.score_data import ResultData, ResultEntry
from annotator.services.tasks.items import engine_item
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_answers as stored
from annotator.store.runs import stored_releases as released

KS = (1, 3, 5, 10)
UsedNames = frozenset[str]


def metric_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return points earned of points available by metric type, over each item's best response (section 1.11)."""
    per_run = [_load_best_points(store, entry.run.id) for entry in data.entries]
    scores = [metric_scores(list(best.values())) for best, _ in per_run]
    names = sorted({name for row in scores for name in row})
    columns = (
        model_column(data.entries),
        *(Column.of_shares(name, [row.get(name) for row in scores]) for name in names),
        Column.of_counts("items", [len(best) for best, _ in per_run]),
    )
    without_points = sum(count for _, count in per_run)
    notes = [
        Message(
            "Share of available points earned, summed over each item's best response; an item can contribute to "
            "several metrics."
        )
    ]
    if without_points:
        notes.append(
            Message("{without} responses were scored without points per rule and are left out.", without=without_points)
        )
    title = Message("Scores by metric, release {version}", version=data.version)
    return Table(name="metric", title=title, columns=columns, notes=tuple(notes))


def _load_best_points(store: ProjectFile, run_id: str) -> tuple[dict[str, dict[str, tuple[float, float]]], int]:
    """Return subject -> metric -> (earned, available) of its best response, and the number of unusable responses."""
    best: dict[str, tuple[float, dict[str, tuple[float, float]]]] = {}
    without_points = 0
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
            without_points += bool(rules) and not points
            if points and (subject not in best or score > best[subject][0]):
                best[subject] = (score, points)
    return {subject: points for subject, (_, points) in best.items()}, without_points


def label_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return precision and recall of bug labels in every model's reviews, also by label (task construction, 2.7).

    Raises `BadInputError` for a release without review items.
    """
    with store.read() as db:
        items = [item for item in released.items_of(db, data.release_id) if grader_of(item) == "review"]
    gold = {str(item["id"]): bug_item.labels for item in items if isinstance(bug_item := engine_item(item), BugItem)}
    if not gold:
        raise BadInputError("No item of this release asks for a review, so there are no labels.")
    keys = [key for key in FIVE_REVIEW_KEYS if any(key in labels for labels in gold.values())]
    entries: list[ResultEntry] = []
    lines: list[_LabelCountRow] = []
    for entry in data.entries:
        with store.read() as db:
            scored = [row for row in stored.rule_points(db, entry.run.id) if row[0] in gold and row[2] is not None]
        pairs = [(frozenset(detail.get("predicted", ())), gold[subject]) for subject, _, _, detail in scored]
        summary = label_scores(pairs, FIVE_REVIEW_KEYS)
        macro_f1, exact = (summary.macro_f1, summary.exact) if pairs else (None, None)
        lines.append(_LabelCountRow("all", *summary.total, macro_f1=macro_f1, exact=exact, answers=len(pairs)))
        lines += [_LabelCountRow(key, *summary.by_label[key][:3]) for key in keys]
        entries += [entry] * (1 + len(keys))
    columns = (
        model_column(entries),
        Column.of_texts("label", [line.label for line in lines]),
        Column.of_counts("right", [line.right for line in lines]),
        Column.of_counts("false", [line.false for line in lines]),
        Column.of_counts("missed", [line.missed for line in lines]),
        Column.of_shares("precision %", [_compute_share(line.right, line.right + line.false) for line in lines]),
        Column.of_shares("recall %", [_compute_share(line.right, line.right + line.missed) for line in lines]),
        Column.of_shares(
            "F1 %", [_compute_share(2 * line.right, 2 * line.right + line.false + line.missed) for line in lines]
        ),
        Column.of_shares("macro F1 %", [line.macro_f1 for line in lines]),
        Column.of_shares("exact %", [line.exact for line in lines]),
        Column.of_numbers("answers", [line.answers for line in lines], 0),
    )
    notes = (
        Message("Exact: the answer names the item's labels and no others. Macro F1 is the mean over labels."),
        Message("An answer without a review names no labels; labels that a reviewer also accepts are left out."),
    )
    title = Message("Labels of reviews, release {version}", version=data.version)
    return Table(name="labels", title=title, columns=columns, notes=notes)


class _LabelCountRow(NamedTuple):
    """The counts of one label; the row "all" sums over labels and also has macro F1 and exact match."""

    label: str
    right: int
    false: int
    missed: int
    macro_f1: float | None = None
    exact: float | None = None
    answers: int | None = None


def _compute_share(part: int, whole: int) -> float | None:
    """Return a share, None if the whole is 0."""
    return part / whole if whole else None


def release_table(store: ProjectFile, data: ResultData, other: ResultData) -> Table:
    """Return every model's scores on two releases: on all items, and as a paired difference on comparable items."""
    comparable = comparable_subjects(store, data.release_id, other.release_id)
    other_indices = {(entry.run.model, entry.run.protocol): index for index, entry in enumerate(other.entries)}
    own_scores = [data.by_item(index) for index in range(len(data.entries))]
    other_scores: list[dict[str, float]] = []
    shared = []
    for entry, ours in zip(data.entries, own_scores, strict=True):
        other_index = other_indices.get((entry.run.model, entry.run.protocol))
        theirs = {} if other_index is None else other.by_item(other_index)
        keys = [key for key in ours if key in theirs and key in comparable]
        other_scores.append(theirs)
        shared.append(({key: ours[key] for key in keys}, {key: theirs[key] for key in keys}))
    differences = [compare_pairwise(ours, theirs) for ours, theirs in shared]
    columns = (
        model_column(data.entries),
        Column.of_shares(f"{data.version} %", [mean_known(scores.values()) for scores in own_scores]),
        Column.of_shares(f"{other.version} %", [mean_known(scores.values()) for scores in other_scores]),
        Column.of_counts("comparable items", [len(ours) for ours, _ in shared]),
        Column.of_shares(f"{data.version} shared %", [mean_known(ours.values()) for ours, _ in shared]),
        Column.of_shares(f"{other.version} shared %", [mean_known(theirs.values()) for _, theirs in shared]),
        Column.of_shares("difference", [result.mean if result else None for result in differences]),
        Column.of_shares("from", [result.low if result else None for result in differences]),
        Column.of_shares("to", [result.high if result else None for result in differences]),
        Column.of_numbers("p", [result.p if result else None for result in differences], 4),
    )
    notes = (
        Message(
            "{count} items have the same prompt and criterion in both releases; only these are comparable.",
            count=len(comparable),
        ),
    )
    title = Message("Release {version} against {other}", version=data.version, other=other.version)
    return Table(name="releases", title=title, columns=columns, notes=notes)


def recall_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return every model's Recall@k, over all k-subsets of its samples and as published (metrics specification, 1.3).

    Raises `BadInputError` if no item lists the repository objects that its reference uses.
    """

    with store.read() as db:
        locations = locate_functions(stored.item_locations(db, data.release_id))
    if not any(location.reference for location in locations.values()):
        raise BadInputError(
            "No item of this release lists the repository objects that its reference uses, so there is no recall. "
            "Items mined from repositories and those of EvoCodeBench do."
        )
    ks = [k for k in KS if any(entry.run.samples >= k for entry in data.entries)]
    problems = [_load_recall_problems(store, entry, locations) for entry in data.entries]
    by_k = {k: [benchmark_recall(run_problems, k) for run_problems in problems] for k in ks}
    smallest_k_recalls = by_k[ks[0]]
    columns = [model_column(data.entries)]
    for k, recalls in by_k.items():
        columns += (
            Column.of_shares(
                f"recall@{k} %", [recall.expected.value if recall.expected else None for recall in recalls]
            ),
            Column.of_shares(
                f"first {k} %", [recall.published.value if recall.published else None for recall in recalls]
            ),
        )
    columns += (
        Column.of_shares("precision %", [recall.precision for recall in smallest_k_recalls]),
        Column.of_counts(
            "items",
            [
                len(run_problems) - recall.standalone
                for run_problems, recall in zip(problems, smallest_k_recalls, strict=True)
            ],
        ),
        Column.of_counts("standalone", [recall.standalone for recall in smallest_k_recalls]),
    )
    notes = (
        Message(
            "Recall@k: share of the reference's names of repository objects that the best of k programs uses, over all "
            "k-subsets of the samples; first k: the best of the first k, as published."
        ),
        Message(
            "Items whose reference uses nothing from its repository are left out; a program that does not "
            "parse scores 0."
        ),
    )
    title = Message("Recall of dependencies, release {version}", version=data.version)
    return Table(name="recall", title=title, columns=tuple(columns), notes=notes)


def _load_recall_problems(
    store: ProjectFile, entry: ResultEntry, locations: dict[str, FunctionLocation]
) -> list[tuple[UsedNames, list[UsedNames | None]]]:
    """Return (reference names, names of each sample's program) of the items a run answered."""
    programs: dict[str, list[UsedNames | None]] = {}
    with store.read() as db:
        answers = stored.texts_of(db, entry.run.id, tuple(locations))
    for subject, _, text in answers:
        location = locations[subject]
        # A standalone item is only counted, so its programs need not be read.
        programs.setdefault(subject, []).append(find_used_names(text, location) if location.reference else None)
    return [(locations[subject].reference, samples) for subject, samples in programs.items()]
