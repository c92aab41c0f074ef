"""Drafts: unsaved text in a field."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DraftKey:
    """The key of a draft: the person who typed it, the field's name and the item's identifier.

    The field's name begins with its page in lower case: ``prompt.paraphrase``. The item is a subject for most
    fields, and a pair or a bug for some.
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
    """An unsaved text.

    ``subject_id`` is the subject to open for it, ``began_from`` the revision that was stored when typing began
    (empty for none), and ``written_at`` the time of the last change in the project file's format. ``window`` names the
    window it was typed in, because one person may edit the same text in two windows.
    """

    key: DraftKey
    text: str
    subject_id: str = ""
    began_from: str = ""
    written_at: str = ""
    window: str = ""
