"""The datasheet of a project: what its facts say, what people wrote, what is still open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.documents import datasheet as sheets
from annotator.formats.documents.datasheet import Answer, Question
from annotator.formats.documents.facts import facts_of
from annotator.model.changes import Changes
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.release.exports import gather_facts
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.runs import releases

SETTING = "datasheet"
TEXTS = ("description", "url", "citation")
"""What is written beside the answers: it goes into cards and citations."""
_LIMIT = 20_000


def written(store: ProjectFile) -> dict[str, Any]:
    """Return what people wrote: description, url, citation, and answers by question id."""
    with store.read() as db:
        return _written(db)


def _written(db: Session) -> dict[str, Any]:
    found = people.setting(db, SETTING)
    return dict(found) if isinstance(found, Mapping) else {}


def answers(store: ProjectFile) -> tuple[Answer, ...]:
    """Return every question with what is known for a release of the present state."""
    with store.read() as db:
        items = releases.current_items(db)
    frozen = gather_facts(store, written(store))
    head = {
        "project": store.project_name,
        "version": "",
        "notes": "",
        "created_at": "",
        "content_hash": "",
        "manifest": {"facts": frozen.as_json()},
    }
    return sheets.answers(facts_of(head, items))


def open_questions(store: ProjectFile) -> tuple[Question, ...]:
    """Return the required questions that nobody has answered and no fact does."""
    return tuple(answer.question for answer in answers(store) if answer.open and answer.question.required)


def write(store: ProjectFile, name: str, text: str, *, seen: str | None = None) -> Changes:
    """Keep an answer (by question id) or one of `TEXTS`; an empty text takes it away.

    Raises `BadInputError` for a name that is neither, and `EditConflictError` if the text is no longer the one that the
    writer has ``seen``.
    """
    questions = {question.id for question in sheets.QUESTIONS}
    if name not in questions and name not in TEXTS:
        names = ", ".join((*TEXTS, *sorted(questions)))
        raise BadInputError(f"The datasheet has no question {name}. There are: {names}. Nothing was changed.")
    if len(text) > _LIMIT:
        raise BadInputError(f"An answer may have at most {_LIMIT:,} characters. Nothing was changed.")
    label = Message("Datasheet: {name}", name=name)
    with store.write() as db:
        kept = _written(db)
        answered = dict(kept.get("answers", {}))
        texts = kept if name in TEXTS else answered
        before = str(texts.get(name, ""))
        if seen is not None and before not in (seen.strip(), text.strip()):
            raise EditConflictError("", before, *undo_log.last_with_label(db, label))
        texts[name] = text.strip()
        if texts is answered and not text.strip():
            del answered[name]
        if texts is answered:
            kept["answers"] = answered
        people.set_setting(db, SETTING, kept)
        undo_log.record_event(db, store.annotator.id, label, ["datasheet"])
    return Changes(frozenset({"datasheet"}), label=label)
