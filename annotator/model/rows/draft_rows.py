"""Drafts: unsaved text in a field."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DraftKey:
    """Where a draft belongs: the person who typed, the field's name and the item's identifier.

    The field's name begins with the page it is on, in lower case: ``prompt.paraphrase``. The item is a subject in most
    fields, else what the field is about, such as a pair or a bug.
    """

    person_id: str
    field: str
    item_id: str

    @property
    def page(self) -> str:
        """The name of the field's page in the table of pages."""
        return self.field.partition(".")[0].capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A text that is not saved.

    ``subject_id`` is the subject to show for it, ``began_from`` the revision that was stored when the typing began
    (empty for none), ``written_at`` the time of the last change, as the project file writes times. ``window`` names the
    window it was typed in: two windows of one person may write one text at the same time.
    """

    key: DraftKey
    text: str
    subject_id: str = ""
    began_from: str = ""
    written_at: str = ""
    window: str = ""
