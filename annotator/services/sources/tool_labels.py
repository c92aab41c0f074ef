"""Import labels from other tools in one undoable change, or preview the import without writing."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from annotator.base.errors import BadInputError
from annotator.base.ids import new_id
from annotator.base.messages import message_for_count
from annotator.formats.labels import label_import
from annotator.formats.labels.imported_labels import ImportedLabel, OmittedPart
from annotator.formats.read.import_records import RowError
from annotator.model.changes import Changes
from annotator.model.tables.judging_tables import Assignment, BlindKey, Study
from annotator.model.tables.table_columns import ExpertWork
from annotator.model.tables.work_tables import Comment, Decision, Judgement, Label, Pair, Review, Vote
from annotator.services.consensus.aspect_reviews import reviewed_hash
from annotator.services.judge.blind_judging import default_guidelines
from annotator.services.judge.side_order import LEFT_FIRST, pair_commitment, study_commitment
from annotator.services.sources.imports import new_subject, path_digest
from annotator.services.sources.label_plan import (
    COMMENT,
    DECISION,
    JUDGEMENT,
    LabelChoices,
    LabelPlan,
    PlannedLabel,
    check_targets,
    compared_fields,
    plan_labels,
    planned_title,
    study_name,
)
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.judging.studies import IMPORTED
from annotator.store.queue import stored_candidates, stored_subjects
from annotator.store.queue.stored_candidates import SourceInfo
from annotator.store.work import given_labels
from annotator.store.work.given_labels import NewStudyRows

Work = TypeVar("Work", bound=ExpertWork)
EXAMPLES_SHOWN = 8
VALUES_SHOWN = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """The labels of a file or folder, independent of any project."""

    tool: str
    labels: tuple[ImportedLabel, ...]
    left_out: tuple[str, ...]
    bad: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """A question of the file: the number of answers, the most frequent values, the target, and the answers imported."""

    question: str
    answers: int
    values: tuple[str, ...]
    target: str
    taken: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelExample:
    """One label as it would appear in the project."""

    subject: str
    person: str
    moment: str
    question: str
    answer: str
    becomes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPreview:
    """The effect of an import of labels."""

    tool: str
    tasks: int
    matched: int
    added_tasks: int
    questions: tuple[QuestionRow, ...]
    people: tuple[tuple[str, int, bool], ...]
    """Name, number of imported answers, and whether the person is new."""
    examples: tuple[LabelExample, ...]
    known: int
    left_out: tuple[str, ...]
    bad: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReport:
    """The outcome of an import of labels; ``added`` counts by target."""

    tool: str
    added: dict[str, int]
    known: int
    subjects: int
    new_people: tuple[str, ...]
    left_out: tuple[str, ...]
    bad: tuple[str, ...]
    changes: Changes


def find_label_tool(path: Path) -> str:
    """Return the tool that exported a file or folder of labels, empty for anything else."""
    return label_import.find_tool(path)


def read_label_file(path: Path) -> LabelFile:
    """Read all labels of a file or folder. Raises `BadInputError` if it holds none of a known tool."""
    labels: list[ImportedLabel] = []
    left_out: list[str] = []
    bad: list[str] = []
    for item in label_import.read_labels(path):
        if isinstance(item, ImportedLabel):
            labels.append(item)
        elif isinstance(item, OmittedPart):
            left_out.append(str(item))
        elif isinstance(item, RowError):
            bad.append(str(item))
    tool = label_import.find_tool(path) or "labels"
    if not labels and not bad:
        raise BadInputError(
            f"{path.name} comes from {tool}, but holds no answer of a person. Nothing was imported. To import its rows "
            f"as candidates: annotator import jsonl {path.name} --map prompt=COLUMN; for those of a list, add "
            "--map rows=LIST.",
            details=tuple(left_out[:EXAMPLES_SHOWN]),
        )
    return LabelFile(tool=tool, labels=tuple(labels), left_out=tuple(left_out), bad=tuple(bad))


def preview_labels(store: ProjectFile, path: Path, choices: LabelChoices) -> LabelPreview:
    """Return the effect of importing a file's labels. Raises as `import_labels` does, except for bad rows."""
    label_file = read_label_file(path)
    check_targets(choices.targets, (label.question for label in label_file.labels))
    with store.read() as db:
        plan = plan_labels(db, label_file.tool, label_file.labels, choices)
        examples = tuple(_build_example(db, row, plan) for row in plan.rows[:EXAMPLES_SHOWN])
    by_person = Counter(row.person for row in plan.rows)
    return LabelPreview(
        tool=label_file.tool,
        tasks=plan.tasks,
        matched=plan.matched,
        added_tasks=len(plan.candidates),
        questions=tuple(_build_question_row(question, label_file.labels, plan) for question in plan.targets),
        people=tuple((name, by_person[name], name in plan.new_people) for name in plan.people),
        examples=examples,
        known=plan.known_count,
        left_out=(*label_file.left_out, *plan.left_out),
        bad=label_file.bad,
    )


def _build_question_row(question: str, labels: Sequence[ImportedLabel], plan: LabelPlan) -> QuestionRow:
    answers = [label for label in labels if label.question == question]
    values = Counter(value for label in answers for value in label.values)
    return QuestionRow(
        question=question,
        answers=len(answers),
        values=tuple(value for value, _ in islice(values.most_common(), VALUES_SHOWN)),
        target=plan.targets[question],
        taken=sum(row.label.question == question for row in plan.rows),
    )


def _build_example(db: Session, row: PlannedLabel, plan: LabelPlan) -> LabelExample:
    return LabelExample(
        subject=planned_title(db, row.subject_id, plan),
        person=row.person,
        moment=row.moment or "",
        question=row.label.question,
        answer=", ".join(row.label.values),
        becomes=f"{row.target} {row.value}",
    )


def import_labels(store: ProjectFile, path: Path, choices: LabelChoices, *, skip_bad: bool = False) -> LabelReport:
    """Add the labels of a file or folder as the work of the people who gave them, in one change that can be undone.

    Importing a file again adds nothing. Raises `BadInputError` if no known tool wrote the file, and for bad rows unless
    ``skip_bad``; `UsageError` for an unknown target or question. Then nothing has changed.
    """
    label_file = read_label_file(path)
    check_targets(choices.targets, (label.question for label in label_file.labels))
    if label_file.bad and not skip_bad:
        rows = "row" if len(label_file.bad) == 1 else "rows"
        raise BadInputError(
            f"{path.name} has {len(label_file.bad)} bad {rows}, so nothing was imported. Correct the file.",
            details=label_file.bad,
        )
    source = SourceInfo("labels", path.name, path_digest(path))
    with store.write() as db:
        plan = plan_labels(db, label_file.tool, label_file.labels, choices)
        changes = _write_labels(db, store.annotator.id, label_file.tool, source, plan, choices)
    return LabelReport(
        tool=label_file.tool,
        added=plan.counts(),
        known=plan.known_count,
        subjects=len(plan.candidates),
        new_people=plan.new_people,
        left_out=(*label_file.left_out, *plan.left_out),
        bad=label_file.bad,
        changes=changes,
    )


def _write_labels(
    db: Session, me: str, tool: str, source: SourceInfo, plan: LabelPlan, choices: LabelChoices
) -> Changes:
    if not plan.rows and not plan.candidates:
        return Changes()
    label = message_for_count(
        "Import {count} label from {tool}", "Import {count} labels from {tool}", len(plan.rows), tool=tool
    )
    _, change_id = stored_candidates.add_candidates_within(
        db, me, source, [new_subject(candidate) for candidate in plan.candidates.values()], label
    )
    ids = {row.person: people.ensure_annotator(db, row.person, "expert").id for row in plan.rows}
    nouns = {_NOUN_BY_TARGET.get(row.target.partition(":")[0], row.target) for row in plan.rows}
    change = (
        given_labels.change_of(db, change_id) if change_id else undo_log.record_change(db, me, label, sorted(nouns))
    )
    work = [(row, ids[person]) for row, person in _build_work_rows(db, plan)]
    judged = [row for row in plan.rows if row.target == JUDGEMENT]
    studies = [
        _build_study(name, [row for row in judged if study_name(tool, row.label.question, choices) == name], ids)
        for name in dict.fromkeys(study_name(tool, row.label.question, choices) for row in judged)
    ]
    subject_ids = frozenset(row.subject_id for row in plan.rows)
    given_labels.write_for_people(db, change, work, subject_ids, nouns, studies)
    further_nouns = {"annotator"} if plan.new_people else set()
    further_nouns |= {"source", "criterion"} if plan.candidates else set()
    return Changes(frozenset({*nouns, *further_nouns, "subject"}), subject_ids, label, change.id)


_NOUN_BY_TARGET = {JUDGEMENT: "study", "vote": "vote", "label": "label", "review": "review"}


def _build_work_rows(db: Session, plan: LabelPlan) -> list[tuple[ExpertWork, str]]:
    """Return (row, person's name) for everything but judgements; aspects rated at the same time form one review."""
    rows: list[tuple[ExpertWork, str]] = []
    reviews: dict[tuple[str, str, str | None], Review] = {}
    labels = [row for row in plan.rows if row.target.startswith("label:")]
    sourced = given_labels.sourced_labels(db, {row.subject_id for row in labels}, undo_log.LABELS)
    for row in plan.rows:
        kind, _, name = row.target.partition(":")
        if kind == JUDGEMENT:
            continue
        if kind == "review":
            key = (row.subject_id, row.person, row.moment)
            if key not in reviews:
                digest = reviewed_hash(stored_subjects.load_subject_view(db, row.subject_id))
                reviews[key] = Review(subject_id=row.subject_id, content_hash=digest)
                rows.append((_set_time(reviews[key], row), row.person))
            setattr(reviews[key], name, int(row.value))
            continue
        rows.append((_set_time(_build_work_row(row, kind, name, sourced), row), row.person))
    return rows


def _build_work_row(row: PlannedLabel, kind: str, name: str, sourced: dict[tuple[str, str], str]) -> ExpertWork:
    subject = row.subject_id
    if kind == DECISION:
        return Decision(subject_id=subject, verdict=row.value)
    if kind == COMMENT:
        return Comment(subject_id=subject, text=row.value)
    if kind == "vote":
        return Vote(subject_id=subject, question=name, choice=row.value)
    return Label(subject_id=subject, name=name, value=row.value, before=sourced.get((subject, name), ""))


def _set_time(work: Work, row: PlannedLabel) -> Work:
    """Set a row's time to that of its label, if the label has one."""
    work.created_at = row.moment or work.created_at
    return work


def _build_study(name: str, rows: Sequence[PlannedLabel], ids: dict[str, str]) -> NewStudyRows:
    """Return a study of comparisons made in another tool: A is the first text of every task and was on the left."""
    secret = secrets.token_hex(16)
    study_id = new_id()
    names = compared_fields(rows[0].label.texts) or ("a", "b")
    pairs: dict[str, Pair] = {}
    for row in rows:
        if row.subject_id not in pairs:
            pairs[row.subject_id] = _build_pair(row, study_id, secret)
    raters = list(dict.fromkeys(row.person for row in rows))
    next_positions = Counter[str]()
    servings: list[Assignment] = []
    judgements: list[tuple[Judgement, str]] = []
    for row in rows:
        pair = pairs[row.subject_id]
        rater = ids[row.person]
        if any((serving.pair_id, serving.annotator_id) == (pair.id, rater) for serving in servings):
            continue
        servings.append(
            Assignment(
                study_id=study_id, pair_id=pair.id, annotator_id=rater, position=next_positions[rater], order=LEFT_FIRST
            )
        )
        next_positions[rater] += 1
        judgement = Judgement(pair_id=pair.id, verdict=row.value, order=LEFT_FIRST, seconds=row.label.seconds)
        judgements.append((_set_time(judgement, row), rater))
    hashes = {pair.id: pair.commitment for pair in pairs.values()}
    study = Study(
        id=study_id, name=name, kind="response", guidelines=default_guidelines("response"),
        commitment=study_commitment(secret, names, hashes),
        plan={"plan": IMPORTED, "raters": [ids[rater] for rater in raters]},
    )  # fmt: skip
    sides = dict.fromkeys(hashes, "left")
    key = BlindKey(study_id=study_id, secret=secret, name_a=names[0], name_b=names[1], sides=sides)
    return NewStudyRows(study=study, key=key, pairs=list(pairs.values()), servings=servings, judgements=judgements)


def _build_pair(row: PlannedLabel, study_id: str, secret: str) -> Pair:
    texts = row.label.texts
    first, second = compared_fields(texts) or ("", "")
    left = texts.get(first, "")
    right = texts.get(second, "")
    pair_id = new_id()
    question = next((text for name, text in texts.items() if name not in (first, second)), "")
    return Pair(
        id=pair_id, study_id=study_id, subject_id=row.subject_id, kind="response",
        left={"text": left, "question": question}, right={"text": right},
        commitment=pair_commitment(secret, pair_id, "left", left, right),
    )  # fmt: skip
