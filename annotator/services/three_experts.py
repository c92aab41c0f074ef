"""The three-expert rule as a function of what happened (sampling specification, section 4.4).

Nobody confirms their own edit: an edit needs two others on the very same content, content nobody edited needs three.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotator.model.judging import Confirmation, Revision

EDIT, CONFIRM, REJECT = "edit", "confirm", "reject"
DRAFT, CHECKING, EDITED, CONFIRMED = "draft", "checking", "edited", "confirmed"
EXPERTS = 3
PANEL, PANEL_KEEP = 13, 10


@dataclass(frozen=True, slots=True)
class Act:
    """An edit, confirmation or rejection by a person, of the content with this hash."""

    kind: str
    person: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class ArtefactState:
    """Where an artefact stands: ``missing`` confirmations until it is confirmed; ``rejected_by`` sent it back."""

    state: str
    content_hash: str
    edited_by: str | None
    confirmed_by: tuple[str, ...]
    missing: int
    rejected_by: str | None = None

    def may_confirm(self, person: str) -> bool:
        """Say whether a person's confirmation would count."""
        return person != self.edited_by and person not in self.confirmed_by and self.state != CONFIRMED


def artefact_acts(rows: Iterable[Revision | Confirmation]) -> list[Act]:
    """Return stored edits, confirmations and rejections as acts, in their order."""
    return [Act(EDIT if isinstance(row, Revision) else row.verdict, row.annotator_id, row.content_hash) for row in rows]


def artefact_state(acts: Sequence[Act], original_hash: str) -> ArtefactState:
    """Return where an artefact stands after acts in the order they happened.

    An edit makes new content and clears confirmations. A rejection of the present content makes it a draft: what was
    confirmed before does not count any more. Acts on other content than the present one change nothing, nor does an
    editor's own confirmation.
    """
    content, editor, rejecter = original_hash, None, None
    confirmed: list[str] = []
    for act in acts:
        if act.kind == EDIT:
            content, editor, rejecter = act.content_hash, act.person, None
            confirmed = []
        elif act.content_hash != content:
            continue
        elif act.kind == REJECT:
            confirmed, rejecter = [], act.person
        elif act.person != editor and act.person not in confirmed:
            confirmed.append(act.person)
            rejecter = None
    missing = max(0, EXPERTS - (editor is not None) - len(confirmed))
    if missing == 0:
        state = CONFIRMED
    elif rejecter is not None or (editor is None and not confirmed):
        state = DRAFT
    else:
        state = CHECKING if editor is None else EDITED
    return ArtefactState(state, content, editor, tuple(confirmed), missing, rejecter)


def approvals_needed(voters: int) -> int:
    """Return how many of a panel must approve: 10 of 13, and that share of any other panel, rounded up."""
    return math.ceil(PANEL_KEEP * voters / PANEL)


def approves(answers: dict[str, str], questions: Sequence[str]) -> bool:
    """Say whether one voter approves: yes to every question; an abstention counts as no."""
    return all(answers.get(question) == "yes" for question in questions)
