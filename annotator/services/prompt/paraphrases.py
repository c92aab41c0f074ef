"""Paraphrases: save a revision, and check what it keeps of the original."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.services.edit_conflicts import refuse_unseen
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import subjects
from annotator.store.work import expert_work
from annotator.text.anchors import Anchor, anchors, kept
from annotator.text.distance import distance


@dataclass(frozen=True, slots=True)
class PromptChecks:
    """Which anchors of the original survive, and how far the paraphrase is from it (0 same, 1 nothing shared)."""

    anchors: tuple[tuple[Anchor, bool], ...]
    distance: float


def save_prompt(
    store: ProjectFile, subject_id: str, text: str, note: str = "", *, seen: Collection[str] | None = None
) -> Changes:
    """Save a revision of a subject's paraphrase.

    Raises `BadInputError` for an empty text, and `EditConflictError` for a newer revision than those the writer has
    ``seen``.
    """
    if not text.strip():
        raise BadInputError("The paraphrase is empty, so it was not saved. Write the prompt that models will be asked.")
    with store.write() as db:
        subject = subjects.find(db, subject_id)
        standing = expert_work.prompt(db, subject.prompt_id)
        refuse_unseen(db, standing, seen, theirs=standing.text if standing else "", mine=text)
        return expert_work.add_prompt(
            db, store.annotator.id, subject.id, text, note, Message("Paraphrase {title}", title=subject.title)
        )


def prompt_checks(original: str, paraphrase: str) -> PromptChecks:
    """Compare a paraphrase with the public original."""
    return PromptChecks(kept(anchors(original), paraphrase), distance(original, paraphrase))
