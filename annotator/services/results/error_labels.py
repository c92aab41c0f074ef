"""Error analysis: labels by experts for why responses failed, and their counts per model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import Column, Table, Target
from annotator.model.rows.run_rows import LabelRow
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.runs import run_data, run_views, score_columns

LABELS = ("logic error", "missing context", "vague requirement")
"""The labels of every project; people can add any other short text as a label."""
_DIGIT_KEYS = "123456789"
_MAX_LABEL_CHARACTERS = 60
UNLABELLED = ""
"""The group of responses that nobody has labelled."""


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """A label on offer and the digit key that selects it ("" from the tenth on)."""

    label: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedResponse:
    """A response of a run that did not pass, with its labels."""

    response_id: str
    subject_id: str
    key: str
    title: str
    sample: int
    outcome: str
    labels: tuple[LabelRow, ...]


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """The labels of a run's failed responses: ``counts`` by label, the most frequent first.

    A response with different labels counts under each of them, and once in ``disputed``.
    """

    failed: int
    labelled: int
    disputed: int
    counts: tuple[tuple[str, int], ...]


def list_label_choices(store: ProjectFile) -> tuple[LabelChoice, ...]:
    """Return the labels on offer: `LABELS`, then the project's own, the most used first."""
    with store.read() as db:
        own_labels = [label for label in run_views.list_used_labels(db) if label not in LABELS]
    labels = (*LABELS, *own_labels)
    return tuple(LabelChoice(label, _DIGIT_KEYS[index : index + 1]) for index, label in enumerate(labels))


def label_failed_responses(store: ProjectFile, response_ids: list[str], label: str, note: str = "") -> Changes:
    """Label failed responses in one undoable change; an empty label removes the annotator's own label.

    Raises `BadInputError` if no response is given, for an unknown one, and for a label that is too long.
    """
    normalized_label = " ".join(label.split()).lower()
    if not response_ids:
        raise BadInputError("No response was chosen, so nothing was labelled.")
    if len(normalized_label) > _MAX_LABEL_CHARACTERS:
        raise BadInputError(f"A label may have at most {_MAX_LABEL_CHARACTERS} characters. Put the rest in the note.")
    with store.write() as db:
        return run_views.label_responses(db, store.annotator.id, response_ids, normalized_label, note.strip())


def labels_of_response(store: ProjectFile, response_id: str) -> tuple[LabelRow, ...]:
    """Return the labels of a response, at most one per person."""
    with store.read() as db:
        return run_views.labels_of_response(db, response_id)


def failed_responses_of_run(store: ProjectFile, run_id: str, *, unlabelled: bool = False) -> tuple[FailedResponse, ...]:
    """Return a run's responses that did not pass, by item; with ``unlabelled`` only those without a label.

    Infrastructure failures are excluded, since they say nothing about the model. Raises `BadInputError` for a rater of
    a blind study of some of these items.
    """
    with store.read() as db:
        run = run_data.fetch_run(db, run_id)
        labels = run_views.fetch_labels_of_run(db, run.id)
        rows = run_views.find_failed_responses(db, run.id)
        studies.refuse_blind(db, store.annotator.id, {row[1] for row in rows})
    with store.reader() as connection:
        items = {item.subject_id: item for item in score_columns.load_item_rows(connection, run.release_id)}
    responses = [
        record_from(FailedResponse, items[subject], response_id=response, sample=sample, outcome=outcome,
                    labels=labels.get(response, ()))
        for response, subject, sample, outcome in rows
    ]  # fmt: skip
    selected = [item for item in responses if not (unlabelled and item.labels)]
    return tuple(sorted(selected, key=lambda item: (item.key, item.sample)))


def count_labels(store: ProjectFile, run_id: str) -> LabelCounts:
    """Count the labels on a run's failed responses."""
    responses = failed_responses_of_run(store, run_id)
    return _count_distinct_labels(
        len(responses), [{row.label for row in item.labels} for item in responses if item.labels]
    )


def count_labels_of_runs(store: ProjectFile, failed_counts: Mapping[str, int]) -> dict[str, LabelCounts]:
    """Return run id -> label counts; ``failed_counts`` is run id -> number of failed responses."""
    with store.read() as db:
        labels = run_views.fetch_labels_on_failed(db)
    return {run: _count_distinct_labels(number, labels.get(run, {}).values()) for run, number in failed_counts.items()}


def _count_distinct_labels(failed_count: int, labels: Collection[set[str]]) -> LabelCounts:
    tally = Counter(word for words in labels for word in words)
    disputed = sum(len(words) > 1 for words in labels)
    return LabelCounts(
        failed_count, len(labels), disputed, tuple(sorted(tally.items(), key=lambda pair: (-pair[1], pair[0])))
    )


def error_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Count every model's failed responses by label; a response with two labels counts under both."""
    outcome_counts = [data.outcomes(index) for index in range(len(data.entries))]
    failures = [outcomes.total() - outcomes["pass"] - outcomes["machinery"] for outcomes in outcome_counts]
    ids = [entry.run.id for entry in data.entries]
    by_run = count_labels_of_runs(store, dict(zip(ids, failures, strict=True)))
    label_counts = [by_run[run_id] for run_id in ids]
    use_counts: dict[str, int] = dict.fromkeys(LABELS, 0)
    for counts in label_counts:
        for name, number in counts.counts:
            use_counts[name] = use_counts.get(name, 0) + number
    custom_labels = sorted(
        (name for name in use_counts if name not in LABELS), key=lambda name: (-use_counts[name], name)
    )
    names = (*LABELS, *custom_labels)
    failed_targets = [Target("failed", run) for run in ids]
    by_label = [dict(counts.counts) for counts in label_counts]
    columns = (
        Column.of_texts("model", [entry.label for entry in data.entries], failed_targets),
        Column.of_counts("failed", [counts.failed for counts in label_counts], failed_targets),
        Column.of_counts(
            "not labelled", [counts.failed - counts.labelled for counts in label_counts], _make_targets(ids, UNLABELLED)
        ),
        *(
            Column.of_counts(name, [counts.get(name, 0) for counts in by_label], _make_targets(ids, name))
            for name in names
        ),
        Column.of_counts("labelled differently", [counts.disputed for counts in label_counts]),
    )
    notes = (
        Message("Responses that did not pass, except those without a score because the sandbox or endpoint failed."),
    )
    title = Message("Why responses failed, release {version}", version=data.version)
    return Table(name="errors", title=title, columns=columns, notes=notes)


def _make_targets(run_ids: Sequence[str], name: str) -> list[Target]:
    return [Target("failed", run, "label", name) for run in run_ids]
