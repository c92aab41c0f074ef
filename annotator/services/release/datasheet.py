"""A project's datasheet: answers from its facts, answers that people wrote, and open questions."""

from __future__ import annotations

from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.documents import datasheet_document as sheets
from annotator.formats.documents.datasheet_document import DatasheetAnswer, DatasheetQuestion
from annotator.formats.documents.release_facts import collect_facts
from annotator.model.changes import Changes
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.release.exports import gather_facts
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.runs import stored_releases

SETTING = "datasheet"
TEXTS = ("description", "url", "citation")
"""The texts in addition to the answers, used in cards and citations."""
_MAX_ANSWER_CHARACTERS = 20_000


def load_datasheet_texts(store: ProjectFile) -> dict[str, Any]:
    """Return the texts that people wrote: description, url, citation, and answers by question id."""
    with store.read() as db:
        return people.read_settings(db, SETTING)


def datasheet_answers(store: ProjectFile) -> tuple[DatasheetAnswer, ...]:
    """Return every question with its answer for a release of the current state."""
    with store.read() as db:
        items = stored_releases.current_items(db)
    frozen = gather_facts(store, load_datasheet_texts(store))
    head = {
        "project": store.project_name,
        "version": "",
        "notes": "",
        "created_at": "",
        "content_hash": "",
        "manifest": {"facts": frozen.as_json()},
    }
    return sheets.make_datasheet_answers(collect_facts(head, items))


def open_questions(store: ProjectFile) -> tuple[DatasheetQuestion, ...]:
    """Return the required questions that neither a person nor a fact answers."""
    return tuple(answer.question for answer in datasheet_answers(store) if answer.open and answer.question.required)


def save_datasheet_text(store: ProjectFile, name: str, text: str, *, seen_text: str | None = None) -> Changes:
    """Save an answer (by question id) or one of `TEXTS`; an empty text removes it.

    ``seen_text`` is the text that the editor started from. Raises `BadInputError` for an unknown name, and
    `EditConflictError` if somebody has changed the text since.
    """
    questions = {question.id for question in sheets.QUESTIONS}
    if name not in questions and name not in TEXTS:
        names = ", ".join((*TEXTS, *sorted(questions)))
        raise BadInputError(f"The datasheet has no question {name}. Choose from: {names}. Nothing was changed.")
    if len(text) > _MAX_ANSWER_CHARACTERS:
        raise BadInputError(f"An answer may have at most {_MAX_ANSWER_CHARACTERS:,} characters. Nothing was changed.")
    label = Message("Datasheet: {name}", name=name)
    with store.write() as db:
        stored = people.read_settings(db, SETTING)
        answers = dict(stored.get("answers", {}))
        texts = stored if name in TEXTS else answers
        saved_text = str(texts.get(name, ""))
        if seen_text is not None and saved_text not in (seen_text.strip(), text.strip()):
            raise EditConflictError("", saved_text, *undo_log.find_last_with_label(db, label))
        texts[name] = text.strip()
        if texts is answers and not text.strip():
            del answers[name]
        if texts is answers:
            stored["answers"] = answers
        people.set_setting(db, SETTING, stored)
        undo_log.record_event(db, store.annotator.id, label, ["datasheet"])
    return Changes(frozenset({"datasheet"}), label=label)
