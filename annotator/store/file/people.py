"""The people who work in a project."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func
from sqlmodel import Session, col, select

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.model.rows.queue import AnnotatorRow
from annotator.model.tables.project import Annotator, Change, Project
from annotator.model.tables.work import Decision
from annotator.model.vocabulary import ChangeState

_EARLIER_NAMES = "earlier_names"


def listing(db: Session) -> tuple[AnnotatorRow, ...]:
    """Return all annotators in the order they joined."""
    query = select(Annotator).order_by(Annotator.created_at)
    return tuple(AnnotatorRow(person.id, person.name, person.role) for person in db.exec(query))


def contributors(db: Session) -> frozenset[str]:
    """Return the ids of the annotators whose work is in the project: those with a change that stands."""
    query = select(Change.annotator_id).where(col(Change.state).in_((ChangeState.DONE, ChangeState.EVENT)))
    return frozenset(db.exec(query.distinct()))


def decisions(db: Session) -> dict[str, int]:
    """Return how many decisions each annotator has made that still stand, by the annotator's id."""
    query = select(Decision.annotator_id, func.count()).where(col(Decision.active)).group_by(Decision.annotator_id)
    return {str(person): int(count) for person, count in db.exec(query)}


def rejections(db: Session) -> dict[str, int]:
    """Return how many subjects are rejected, by the reason given last; "" counts those without a reason."""
    newest = (
        select(Decision.subject_id, Decision.reason, Decision.verdict)
        .where(col(Decision.active))
        .order_by(col(Decision.created_at), col(Decision.id))
    )
    last = {subject: (verdict, reason) for subject, reason, verdict in db.exec(newest)}
    counts: dict[str, int] = {}
    for verdict, reason in last.values():
        if verdict == "reject":
            counts[reason] = counts.get(reason, 0) + 1
    return dict(sorted(counts.items()))


def named(db: Session, name: str) -> Annotator:
    """Return a person by name; raises `BadInputError` naming those there are."""
    found = db.exec(select(Annotator).where(Annotator.name == name)).first()
    if found is None:
        names = ", ".join(db.exec(select(Annotator.name).order_by(Annotator.created_at)))
        raise BadInputError(f"There is no annotator {name} in this project. There are: {names}.")
    return found


def add(db: Session, name: str, role: str) -> Annotator:
    """Add a person without working as them; one who is there already is returned."""
    found = db.exec(select(Annotator).where(Annotator.name == name)).first()
    if found is None:
        found = Annotator(name=name, role=role)
        db.add(found)
        db.flush()
    return found


def switch(db: Session, name: str, role: str, *, keep: bool = True) -> AnnotatorRow:
    """Return the named person, who works in this project from now on; a new name joins it.

    With ``keep`` the project opens as this person from then on, which is no use where several have it open.
    """
    person = add(db, name, role)
    if keep:
        project = db.exec(select(Project)).one()
        project.settings = {**project.settings, "annotator": person.id}
        db.add(project)
    return AnnotatorRow(person.id, person.name, person.role)


def project(db: Session) -> tuple[str, str]:
    """Return the project's identifier and name."""
    found = db.exec(select(Project)).one()
    return found.id, found.name


def rename(db: Session, name: str) -> str:
    """Give the project another name; returns the one it had, which is kept with the moment until it held."""
    found = db.exec(select(Project)).one()
    before = found.name
    if before != name:
        earlier = found.settings.get(_EARLIER_NAMES, [])
        found.settings = {**found.settings, _EARLIER_NAMES: [*earlier, {"name": before, "until": now_text()}]}
        found.name = name
        db.add(found)
    return before


def name_at(db: Session, moment: str) -> str:
    """Return the name that the project had at a moment (as `now_text` writes it)."""
    found = db.exec(select(Project)).one()
    earlier = found.settings.get(_EARLIER_NAMES, [])
    return next((str(item["name"]) for item in earlier if moment < item["until"]), found.name)


def setting(db: Session, key: str) -> object:
    """Return one of the project's own settings, None if it was never set."""
    found: object = db.exec(select(Project)).one().settings.get(key)
    return found


def set_setting(db: Session, key: str, value: bool | str | float | dict[str, Any] | None) -> None:
    """Keep one of the project's own settings."""
    project = db.exec(select(Project)).one()
    project.settings = {**project.settings, key: value}
    db.add(project)
