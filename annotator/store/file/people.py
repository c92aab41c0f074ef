"""The people who work in a project."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.model.tables.project_tables import Annotator, Change, Project
from annotator.model.tables.work_tables import Decision
from annotator.model.vocabulary import ChangeState

_EARLIER_NAMES = "earlier_names"


def fetch_annotators(db: Session) -> tuple[AnnotatorRow, ...]:
    """Return all annotators in the order they joined."""
    query = select(Annotator).order_by(Annotator.created_at)
    return tuple(AnnotatorRow(person.id, person.name, person.role) for person in db.exec(query))


def list_contributor_ids(db: Session) -> frozenset[str]:
    """Return the ids of the annotators who have a change that was not undone."""
    query = select(Change.annotator_id).where(col(Change.state).in_((ChangeState.DONE, ChangeState.EVENT)))
    return frozenset(db.exec(query.distinct()))


def count_decisions_by_annotator(db: Session) -> dict[str, int]:
    """Return the number of active decisions of each annotator, by the annotator's id."""
    query = select(Decision.annotator_id, func.count()).where(col(Decision.active)).group_by(Decision.annotator_id)
    return {str(annotator_id): int(count) for annotator_id, count in db.exec(query)}


def count_rejections(db: Session) -> dict[str, int]:
    """Return the number of rejected subjects by their latest reason; "" counts those without a reason."""
    query = (
        select(Decision.subject_id, Decision.reason, Decision.verdict)
        .where(col(Decision.active))
        .order_by(col(Decision.created_at), col(Decision.id))
    )
    last_decisions = {subject: (verdict, reason) for subject, reason, verdict in db.exec(query)}
    counts: dict[str, int] = {}
    for verdict, reason in last_decisions.values():
        if verdict == "reject":
            counts[reason] = counts.get(reason, 0) + 1
    return dict(sorted(counts.items()))


def find_annotator(db: Session, name: str) -> Annotator:
    """Return a person by name. Raises `BadInputError` with the existing names if there is none."""
    annotator = db.exec(select(Annotator).where(Annotator.name == name)).first()
    if annotator is None:
        names = ", ".join(db.exec(select(Annotator.name).order_by(Annotator.created_at)))
        raise BadInputError(f"There is no annotator {name} in this project. Choose from: {names}.")
    return annotator


def ensure_annotator(db: Session, name: str, role: str) -> Annotator:
    """Return the person of this name, adding them if necessary; does not switch to them."""
    annotator = db.exec(select(Annotator).where(Annotator.name == name)).first()
    if annotator is None:
        annotator = Annotator(name=name, role=role)
        db.add(annotator)
        db.flush()
    return annotator


def switch_to_annotator(db: Session, name: str, role: str, *, keep: bool = True) -> AnnotatorRow:
    """Return the person of this name, adding them if necessary, and work as them from now on.

    With ``keep``, the project will also open as this person next time. Shared projects do not use that.
    """
    person = ensure_annotator(db, name, role)
    if keep:
        project = db.exec(select(Project)).one()
        project.settings = {**project.settings, "annotator": person.id}
        db.add(project)
    return AnnotatorRow(person.id, person.name, person.role)


def load_project_identity(db: Session) -> tuple[str, str]:
    """Return the project's identifier and name."""
    row = db.exec(select(Project)).one()
    return row.id, row.name


def store_project_name(db: Session, name: str) -> str:
    """Rename the project; returns the old name, which is kept with the time of the change."""
    project = db.exec(select(Project)).one()
    old_name = project.name
    if old_name != name:
        earlier_names = project.settings.get(_EARLIER_NAMES, [])
        project.settings = {
            **project.settings,
            _EARLIER_NAMES: [*earlier_names, {"name": old_name, "until": now_text()}],
        }
        project.name = name
        db.add(project)
    return old_name


def find_name_at(db: Session, moment: str) -> str:
    """Return the name that the project had at a moment, given in the format of `now_text`."""
    project = db.exec(select(Project)).one()
    earlier_names = project.settings.get(_EARLIER_NAMES, [])
    return next((str(item["name"]) for item in earlier_names if moment < item["until"]), project.name)


def read_setting(db: Session, key: str) -> object:
    """Return one of the project's own settings, None if it was never set."""
    value: object = db.exec(select(Project)).one().settings.get(key)
    return value


def read_settings(db: Session, key: str) -> dict[str, Any]:
    """Return one of the project's own settings that is an object, empty if it is anything else."""
    value = read_setting(db, key)
    return dict(value) if isinstance(value, dict) else {}


def set_setting(db: Session, key: str, value: bool | str | float | dict[str, Any] | None) -> None:
    """Store one of the project's own settings."""
    project = db.exec(select(Project)).one()
    project.settings = {**project.settings, key: value}
    db.add(project)
