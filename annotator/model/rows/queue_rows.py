"""Rows of lists that load no SQLModel: subjects with filters, counts, quotas and people; sources, runs and studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRow:
    """One row of a queue. ``row`` is the keyset position; ``verdict`` is None for an undecided candidate."""

    row: int
    id: str
    key: str
    title: str
    task: str
    language: str
    domain: str
    area: str
    difficulty: str
    verdict: str | None
    has_prompt: bool
    has_criterion: bool
    views: int | None = None
    proven: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFilter:
    """The filter of a queue; an empty value means no restriction.

    ``verdicts`` may hold verdict names and ``"open"`` (undecided). ``text`` is a search as typed.
    ``missing`` may hold ``"prompt"``, ``"criterion"`` or ``"proof"`` to select subjects without one.
    ``holders`` may hold annotators' ids, ``"me"`` and ``"nobody"`` to select candidates by the person assigned to them.
    ``sort`` is a column of `SORTS`, empty for the order of import.
    """

    text: str = ""
    verdicts: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    difficulties: tuple[str, ...] = ()
    sort: str = ""
    holders: tuple[str, ...] = ()


SORTS = ("title", "views", "language", "area", "domain", "difficulty", "verdict")
"""The sort columns of a queue: views in descending order, the rest in alphabetical order."""


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """The number of subjects that an act decided; ``overwritten`` counts the different earlier verdicts by verdict."""

    count: int
    overwritten: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QueueRows:
    """The row numbers of a queue in its order; ``capped`` is True if a search found more than it returns.

    ``unsearched`` is how many subjects a search did not look at, because its index is still being built. ``as_of`` is
    the number of the newest act in the undo log when it was read.
    """

    rows: Sequence[int]
    capped: bool = False
    unsearched: int = 0
    as_of: int = 0


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """A person in the project."""

    id: str
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaRow:
    """The progress of a quota: accepted subjects, and open ones that could still fill it.

    ``values`` are its conditions as (dimension, value) pairs; ``queue_filter`` selects its subjects.
    """

    label: str
    values: tuple[tuple[str, str], ...]
    target: int
    filled: int
    open: int
    queue_filter: QueueFilter

    def holds(self, row: SubjectRow) -> bool:
        """Return whether a subject counts towards this quota."""
        return all(str(getattr(row, name)).casefold() == value.casefold() for name, value in self.values)


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A slice of a queue in order of ``row``; ``total`` has an upper limit, and ``capped`` is True if there are more.

    ``unsearched`` is how many subjects a search did not look at, because its index is still being built.
    """

    rows: tuple[SubjectRow, ...]
    total: int
    capped: bool = False
    unsearched: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """The number of subjects per value of a filter, most frequent first: ``{"language": (("python", 12), ...), ...}``.

    ``capped`` is True if only the first matches of a search were counted.
    """

    counts: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    capped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCounts:
    """The number of subjects, releases and runs at each stage of the work."""

    subjects: int = 0
    open: int = 0
    accepted: int = 0
    rejected: int = 0
    skipped: int = 0
    flagged: int = 0
    without_prompt: int = 0
    without_criterion: int = 0
    proven: int = 0
    ready: int = 0
    releases: int = 0
    runs: int = 0
    running: int = 0
    decisions: int = 0
    to_judge: int = 0
    to_review: int = 0
    to_release: int = 0
    to_settle: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskStatus:
    """The number of saved decisions, the last checked backup and the acts since; servers have their own backups."""

    decisions: int
    last_saved: datetime | None
    backup_at: datetime | None
    backup_ok: bool
    acts_since_backup: int = 0
    on_server: bool = False


@dataclass(frozen=True, slots=True)
class SeenDecisions:
    """The state that a person saw before deciding: the list as of an act of the undo log, and decisions shown since."""

    as_of: int
    decision_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A subject that another person is working on now."""

    key: str
    person: str
    seconds_left: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedRow:
    """A subject that was decided elsewhere; ``mine`` is True if the same person did so in another window or program."""

    key: str
    person: str
    verdict: str
    mine: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseRow:
    """A subject leased to somebody; ``seconds_left`` is 0 for an expired lease, which anybody may take."""

    subject_id: str
    key: str
    title: str
    annotator: str
    seconds_left: float
    mine: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """An imported file or folder."""

    id: str
    kind: str
    name: str
    created_at: str
    annotator: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run; ``outcomes`` counts scored responses by outcome, ``done`` all of them, ``expected`` items times samples.

    ``answered`` counts saved responses, ``failures`` requests without an answer by cause. ``cost`` is in ``currency``
    ("" without a price). ``live`` is True while a process works on it; a running run that is not live was interrupted.
    """

    id: str
    version: str
    model: str
    preset: str
    samples: int
    state: str
    reason: str
    created_at: str
    finished_at: str | None
    outcomes: dict[str, int]
    done: int
    expected: int
    answered: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: int = 0
    cost: float = 0.0
    currency: str = ""
    seconds: float = 0.0
    live: bool = False
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRow:
    """A study as one rater sees it.

    The rater has ``mine`` servings, of which ``done`` are judged and ``skipped`` skipped; ``total`` and ``judged``
    count those of all raters. ``names`` are the names of A and B, None until this person unblinds the study;
    ``unblinded`` is True once anybody has. ``identical`` counts pairs with two equal sides, which are ties without
    judging. ``raters_done`` counts the raters who have judged or skipped all of their pairs.
    """

    id: str
    name: str
    kind: str
    guidelines: str
    commitment: str
    created_at: str
    annotator: str
    pairs: int
    raters: tuple[str, ...]
    mine: int
    done: int
    total: int
    judged: int
    sealed: bool
    names: tuple[str, str] | None
    identical: int = 0
    raters_done: int = 0
    unblinded: bool = False
    skipped: int = 0

    @property
    def ended(self) -> bool:
        """Whether this person can no longer judge pairs of the study."""
        return self.sealed or self.unblinded
