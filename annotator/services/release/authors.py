"""Choose the people whom a release names as authors, by default those whose work is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.formats.documents.personal_data import name_rule, scan_texts
from annotator.model.changes import Changes
from annotator.services.consensus.panel_votes import PSEUDONYMS, voter_names
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log

SETTING = "authors"
NAMED, LEFT_OUT, DEFAULT = "named", "left-out", "default"
CHOICES = (NAMED, LEFT_OUT, DEFAULT)


class ReleaseNames:
    """People's names in a release: those of its authors, else pseudonyms such as "expert 7c1e" from a hash of their id.

    If voters have pseudonyms, everybody gets one. A running number would reveal who joined when, and so who it is.
    The hash is the same in every version. ``unnamed`` are the people who have not agreed to be named.
    """

    def __init__(self, store: ProjectFile) -> None:
        hides_all = voter_names(store) == PSEUDONYMS
        author_rows = list_authors(store)
        self.unnamed = frozenset(row.name for row in author_rows if not row.is_named)
        self._by_id = {
            row.id: f"expert {content_hash(row.id)[:8]}" if hides_all or not row.is_named else row.name
            for row in author_rows
        }
        self._by_name = {row.name: self._by_id[row.id] for row in author_rows}

    def for_id(self, person: str) -> str:
        """Return the name to show for a person's id."""
        return self._by_id[person]

    def for_name(self, name: str) -> str:
        """Return the name to show for a person's real name."""
        return self._by_name.get(name, name)

    def public_text(self, text: str) -> str:
        """Return a text that a person wrote, or a note in its place if it contains personal data or a secret."""
        return "withheld: personal data" if scan_texts({"": text}, name_rule(self.unnamed)) else text


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorRow:
    """A person of the project: whether a release would name them, by which choice, and whether their work is in it."""

    id: str
    name: str
    role: str
    is_named: bool
    choice: str
    has_work: bool


def list_authors(store: ProjectFile) -> tuple[AuthorRow, ...]:
    """Return every person of the project, and whether the next release names them."""
    with store.read() as db:
        return fetch_authors(db)


def fetch_authors(db: Session) -> tuple[AuthorRow, ...]:
    """Return the authors like `list_authors`, within a transaction."""
    contributor_ids = people.list_contributor_ids(db)
    choices = _load_choices(db)
    rows = []
    for person in people.fetch_annotators(db):
        choice = choices.get(person.id, DEFAULT)
        has_work = person.id in contributor_ids
        is_named = has_work if choice == DEFAULT else choice == NAMED
        rows.append(
            AuthorRow(id=person.id, name=person.name, role=person.role, is_named=is_named, choice=choice,
                      has_work=has_work)
        )  # fmt: skip
    return tuple(rows)


def _load_choices(db: Session) -> dict[str, str]:
    return {str(key): str(value) for key, value in people.read_settings(db, SETTING).items()}


def choose_authors(store: ProjectFile, choices: Mapping[str, str]) -> Changes:
    """Save who is named in future releases; ``choices`` is name -> one of `CHOICES`. Earlier releases stay as they are.

    Raises `BadInputError` for an unknown person or choice.
    """
    with store.write() as db:
        stored_choices = _load_choices(db)
        for name, choice in choices.items():
            if choice not in CHOICES:
                raise BadInputError(f"{name}: the choice must be one of {', '.join(CHOICES)}, not {choice}.")
            person_id = people.find_annotator(db, name).id
            if choice == DEFAULT:
                stored_choices.pop(person_id, None)
            else:
                stored_choices[person_id] = choice
        people.set_setting(db, SETTING, stored_choices)
        label = Message(
            "Authors of releases: {list}", list=", ".join(f"{name} {word}" for name, word in choices.items())
        )
        undo_log.record_event(db, store.annotator.id, label, ["datasheet"])
    return Changes(frozenset({"datasheet"}), label=label)
