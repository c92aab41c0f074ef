"""Published releases, which are written once and never changed, and people's statements on points of their audit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from annotator.base.errors import BadInputError, DamagedFileError
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.audit_rows import AuditStatement
from annotator.model.rows.project_rows import ReleaseRow, override_sentences
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.release_tables import AuditAnswer, Release, ReleaseItem
from annotator.model.tables.run_tables import ModelUnderTest, Response, Run
from annotator.model.tables.subject_tables import Subject, SubjectText
from annotator.model.tables.work_tables import Criterion, Prompt
from annotator.store.core_tables import ANNOTATOR, AUDIT_ANSWER, DECISION, SUBJECT_COUNT
from annotator.store.history import undo_log
from annotator.store.soundness import hashes
from annotator.store.work import artefacts, stored_proofs
from annotator.text.completions import compose_prompt

_CHUNK = 500
_MAX_LISTED = 10
_SUBJECT_FIELDS = (
    "id", "key", "title", "task", "language", "domain", "area", "difficulty", "question_type", "licence"
)  # fmt: skip
"""The fields copied from the subject; they come first in an item."""


@dataclass
class ItemResponses:
    """The number of a run's responses, in total and for some subjects."""

    run_id: str
    model: str
    responses: int
    by_subject: dict[str, int] = field(default_factory=dict)


def current_items(db: Session) -> list[dict[str, Any]]:
    """Return the items of a release of the current state, one for each accepted subject, sorted by key."""
    query = _item_query().where(col(Subject.active), Subject.verdict == "accept").order_by(col(Subject.key))
    solutions = artefacts.all_solutions(db)
    tests = artefacts.all_tests(db)
    modes = stored_proofs.proven_modes(db)
    items = []
    for subject, texts, prompt, criterion in db.exec(query):
        reference = solutions.get(subject.id, texts.reference)
        item = _build_item(subject, texts, prompt, criterion, reference, tests.get(subject.id, []))
        mode = modes.get((subject.id, (criterion or subject).content_hash, subject.prompt_id))
        items.append({**item, **_mode_entry(mode)})
    return items


def intact_items(db: Session) -> list[dict[str, Any]]:
    """Return `current_items`. Raises `DamagedFileError` if some content does not match its hash."""
    items = current_items(db)
    connection = db.connection()
    problems = [
        *hashes.find_changed_subjects(connection, [item["id"] for item in items]),
        *hashes.find_changed_work(connection),
    ]
    if problems:
        raise DamagedFileError(
            "Nothing was released: some content does not match its hash, so the project is damaged. annotator check "
            "lists all of it. Restore a backup, or use annotator recover.",
            details=tuple(problems[:_MAX_LISTED]),
        )
    return items


def current_item(db: Session, subject_id: str) -> dict[str, Any]:
    """Return a subject as an item of a release of the current state, without results of proofs.

    Raises `NoResultFound` for an unknown subject.
    """
    subject, texts, prompt, criterion = db.exec(_item_query().where(Subject.id == subject_id)).one()
    reference = artefacts.current_solution(db, subject.id, texts.reference)
    return _build_item(subject, texts, prompt, criterion, reference, artefacts.current_tests(db, subject.id))


def _item_query() -> Select[Subject, SubjectText, Prompt, Criterion]:
    return (
        select(Subject, SubjectText, Prompt, Criterion)
        .join(SubjectText, col(SubjectText.subject_id) == Subject.id)
        .outerjoin(Prompt, col(Prompt.id) == Subject.prompt_id)
        .outerjoin(Criterion, col(Criterion.id) == Subject.criterion_id)
    )


def _build_item(
    subject: Subject,
    texts: SubjectText,
    prompt: Prompt | None,
    criterion: Criterion | None,
    reference: str,
    tests: list[dict[str, Any]],
) -> dict[str, Any]:
    return {
        **{name: getattr(subject, name) for name in _SUBJECT_FIELDS},
        "prompt": _prompt_for_models(subject, texts, prompt),
        "original_prompt": texts.prompt,
        "reference": reference,
        "context": texts.context,
        "entry_point": texts.entry_point,
        "dependencies": texts.dependencies,
        "provenance": texts.provenance,
        "extra": {name: value for name, value in texts.extra.items() if name != "files"},
        "views": subject.views,
        "tests": tests,
        "criterion": criterion.source if criterion else "",
        **_files_entry(texts),
    }


def _prompt_for_models(subject: Subject, texts: SubjectText, prompt: Prompt | None) -> str:
    """Return the prompt for models: the paraphrase, below the fixed code if the original is code to complete."""
    if prompt is None:
        return texts.prompt
    return compose_prompt(texts.prompt, prompt.text, texts.entry_point, subject.language).text


def _files_entry(texts: SubjectText) -> dict[str, Any]:
    """Return the item's entry for the criterion's files; empty if there are none."""
    files = texts.extra.get("files")
    return {"files": files} if files else {}


def _mode_entry(mode: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the item's entry for the sandbox mode of its tests; empty if no proof recorded one."""
    return {"mode": dict(mode)} if mode else {}


def refuse_used_version(db: Session, version: str) -> None:
    """Raise `BadInputError` if a release has this version."""
    if db.exec(select(Release).where(Release.version == version)).first() is not None:
        raise BadInputError(f"There is a release {version} already, and releases never change. Choose another version.")


def freeze_release(db: Session, release: Release, items: Sequence[Mapping[str, Any]]) -> None:
    """Write a release with its items; raises `BadInputError` if the version exists."""
    refuse_used_version(db, release.version)
    db.add(release)
    db.flush()
    db.add_all(
        ReleaseItem(
            release_id=release.id,
            subject_id=item["id"],
            position=position,
            content_hash=item["content_hash"],
            item=dict(item),
        )
        for position, item in enumerate(items)
    )
    db.flush()


def row_of(release: Release, annotator: str) -> ReleaseRow:
    """Return a release as a row of a list."""
    return record_from(ReleaseRow, release, annotator=annotator, overrides=override_sentences(release.manifest))


def fetch_release_rows(db: Session) -> tuple[ReleaseRow, ...]:
    """Return all releases, newest first."""
    query = select(Release, Annotator.name).join(Annotator, col(Annotator.id) == Release.annotator_id)
    return tuple(row_of(release, name) for release, name in db.exec(query.order_by(col(Release.created_at).desc())))


def fetch_release(db: Session, version: str | None) -> Release:
    """Return a release by version, or the newest for None. Raises `BadInputError` if there is none."""
    query = select(Release).order_by(col(Release.created_at).desc())
    release = db.exec(query.where(Release.version == version) if version else query).first()
    if release is None:
        missing = f"no release {version}" if version else "no release"
        raise BadInputError(f"There is {missing} in this project yet. Make one with annotator release create.")
    return release


def items_of(db: Session, release_id: str) -> list[dict[str, Any]]:
    """Return a release's items in order."""
    query = select(ReleaseItem).where(ReleaseItem.release_id == release_id).order_by(col(ReleaseItem.position))
    return [item.item for item in db.exec(query)]


def items_of_all(db: Session) -> Iterator[Mapping[str, Any]]:
    """Yield the items of every release."""
    yield from db.exec(select(ReleaseItem.item))


def responses_by_item(db: Session, release_id: str, subject_ids: Collection[str]) -> list[ItemResponses]:
    """Return every run of a release, oldest first, with its number of responses in total and for some subjects."""
    query = (
        select(Run.id, ModelUnderTest.name)
        .join(ModelUnderTest, col(ModelUnderTest.id) == Run.model_id)
        .where(Run.release_id == release_id)
        .order_by(col(Run.created_at), col(Run.id))
    )
    runs = {run: ItemResponses(run, model, 0) for run, model in db.exec(query)}
    totals = select(Response.run_id, func.count()).where(col(Response.run_id).in_(runs)).group_by(col(Response.run_id))
    for run, count in db.exec(totals):
        runs[str(run)].responses = int(count)
    sorted_ids = sorted(subject_ids)
    for start in range(0, len(sorted_ids), _CHUNK):
        part = sorted_ids[start : start + _CHUNK]
        count_query = (
            select(Response.run_id, Response.subject_id, func.count())
            .where(col(Response.run_id).in_(runs), col(Response.subject_id).in_(part))
            .group_by(col(Response.run_id), col(Response.subject_id))
        )
        for run, subject, count in db.exec(count_query):
            runs[str(run)].by_subject[subject] = int(count)
    return list(runs.values())


def add_audit_answer(db: Session, annotator_id: str, point: str, state: str, statement: str) -> Changes:
    """Write a person's statement on a point, as one act that can be undone."""
    label = Message("Audit: {point}", point=point)
    row = AuditAnswer(point=point, state=state, statement=statement)
    return undo_log.write_act(db, annotator_id, label, ["audit"], [row])


def current_audit_answers(db: Session) -> dict[str, AuditStatement]:
    """Return the current statement of each point, by the point's id."""
    query = (
        select_columns(
            AUDIT_ANSWER.c.point,
            AUDIT_ANSWER.c.state,
            AUDIT_ANSWER.c.statement.label("text"),
            ANNOTATOR.c.name.label("person"),
            AUDIT_ANSWER.c.created_at,
        )
        .join(ANNOTATOR, ANNOTATOR.c.id == AUDIT_ANSWER.c.annotator_id)
        .where(AUDIT_ANSWER.c.active)
        .order_by(AUDIT_ANSWER.c.created_at, AUDIT_ANSWER.c.id)
    )
    rows = [dict(row) for row in db.connection().execute(query).mappings()]
    return {row.pop("point"): AuditStatement(**row) for row in rows}


def candidate_labels(db: Session, names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the number of visible subjects for each value of some labels, by label."""
    counts: dict[str, dict[str, int]] = {}
    for name in names:
        column = SUBJECT_COUNT.c[name]
        query = (
            select_columns(column, func.sum(SUBJECT_COUNT.c.subjects))
            .where(SUBJECT_COUNT.c.subjects > 0)
            .group_by(column)
        )
        counts[name] = {str(value): int(count) for value, count in db.connection().execute(query)}
    return counts


def verdicts_by_person(db: Session) -> dict[str, dict[str, str]]:
    """Return subject → person → that person's last verdict."""
    query = (
        select_columns(DECISION.c.subject_id, DECISION.c.annotator_id, DECISION.c.verdict)
        .where(DECISION.c.active)
        .order_by(DECISION.c.created_at, DECISION.c.id)
    )
    verdicts: dict[str, dict[str, str]] = {}
    for subject, person, verdict in db.connection().execute(query):
        verdicts.setdefault(subject, {})[person] = verdict
    return verdicts
