"""The people who work in a project."""

from __future__ import annotations

from sqlmodel import Session, select

from annotator.model.project import Annotator, Project
from annotator.model.rows import AnnotatorRow


def listing(db: Session) -> tuple[AnnotatorRow, ...]:
    """Return all annotators in the order they joined."""
    query = select(Annotator).order_by(Annotator.created_at)
    return tuple(AnnotatorRow(person.id, person.name, person.role) for person in db.exec(query))


def switch(db: Session, name: str, role: str) -> AnnotatorRow:
    """Make the named person the one who works in this project; a new name joins it."""
    person = db.exec(select(Annotator).where(Annotator.name == name)).first()
    if person is None:
        person = Annotator(name=name, role=role)
        db.add(person)
        db.flush()
    project = db.exec(select(Project)).one()
    project.settings = {**project.settings, "annotator": person.id}
    db.add(project)
    return AnnotatorRow(person.id, person.name, person.role)


def setting(db: Session, key: str) -> object:
    """Return one of the project's own settings, None if it was never set."""
    found: object = db.exec(select(Project)).one().settings.get(key)
    return found


def set_setting(db: Session, key: str, value: bool | str | float | None) -> None:
    """Keep one of the project's own settings."""
    project = db.exec(select(Project)).one()
    project.settings = {**project.settings, key: value}
    db.add(project)
