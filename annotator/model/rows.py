"""What lists and screens show: small frozen records, importable without SQLModel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Changes:
    """What an act changed; screens refresh what they show of it.

    ``nouns`` are lower-case noun names (``"decision"``, ``"subject"`` ...), ``subjects`` the ids of the subjects
    concerned (empty means: possibly all), ``change_id`` the undo log's entry, None for acts without undo.
    """

    nouns: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()
    label: str = ""
    change_id: str | None = None


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """One line of a queue. ``row`` is the keyset position; ``verdict`` is None for an undecided candidate."""

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


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which subjects a queue shows; an empty value means no restriction.

    ``verdicts`` may hold verdict names and ``"open"`` (undecided). ``text`` is a search as typed.
    ``missing`` may hold ``"prompt"``, ``"criterion"`` or ``"proof"``: only subjects that still lack it.
    ``holders`` may hold annotators' ids, ``"me"`` and ``"nobody"``: whose turn a candidate is.
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
"""What a queue can be sorted by: views from the most, the rest in the order of their words."""


@dataclass(frozen=True, slots=True)
class QueueRows:
    """The row numbers of a queue in its order; ``capped`` says that a search found more than it shows.

    ``unsearched`` is how many subjects a search did not look at, because its index is still being built.
    """

    rows: Sequence[int]
    capped: bool = False
    unsearched: int = 0


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A slice of a queue in order of ``row``; ``total`` is capped, ``capped`` says that there are more.

    ``unsearched`` is how many subjects a search did not look at, because its index is still being built.
    """

    rows: tuple[SubjectRow, ...]
    total: int
    capped: bool = False
    unsearched: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """How many subjects each value of a filter has, most first: ``{"language": (("python", 12), ...), ...}``.

    ``capped``: a search found so many that only the first of them are counted.
    """

    counts: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    capped: bool = False


@dataclass(frozen=True, slots=True)
class StageCounts:
    """What waits at each stage of the work."""

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


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """A person in the project."""

    id: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class DiskStatus:
    """What is safe: decisions on disk, the last checked backup and the acts since; a server keeps its own."""

    decisions: int
    last_saved: datetime | None
    backup_at: datetime | None
    backup_ok: bool
    acts_since_backup: int = 0
    on_server: bool = False


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A file or folder that was read into the project."""

    id: str
    kind: str
    name: str
    created_at: str
    annotator: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class TestRow:
    """One test of a subject, as shown."""

    __test__ = False

    name: str
    language: str
    code: str
    inputs: dict[str, Any]
    expected: str
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class PromptRow:
    """A revision of a paraphrase."""

    id: str
    text: str
    note: str
    annotator: str
    created_at: str
    origin: str


@dataclass(frozen=True, slots=True)
class CriterionRow:
    """A revision of a criterion document."""

    id: str
    source: str
    content_hash: str
    annotator: str
    created_at: str


@dataclass(frozen=True, slots=True)
class ProofRow:
    """The newest proof of a criterion; ``holds`` is False once criterion or prompt have changed since.

    ``outcome`` is pass or fail; ``checks`` are the parts as JSON objects with name, title, outcome, required, summary,
    trials and facts.
    """

    id: str
    outcome: str
    holds: bool
    created_at: str
    checks: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ProvedRow:
    """What came of proving one subject's criterion; ``reason`` is the first required check that did not pass."""

    subject_id: str
    key: str
    title: str
    outcome: str
    reason: str


@dataclass(frozen=True, slots=True)
class SuggestionRow:
    """What a model proposed for a subject; ``state`` is open, accepted or rejected."""

    id: str
    subject_id: str
    key: str
    kind: str
    text: str
    model: str
    template: str
    created_at: str
    state: str
    complete: bool


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """Who decided what, and why."""

    verdict: str
    reason: str
    annotator: str
    created_at: str


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """A stored sample response, to try criteria on."""

    id: str
    model: str
    sample: int
    text: str


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One act on a subject, for its timeline; ``active`` is False while the act is undone."""

    created_at: str
    annotator: str
    act: str
    detail: str
    active: bool


@dataclass(frozen=True, slots=True)
class SubjectView:
    """One subject with everything its page shows.

    ``extra`` is what its source knew besides: tags, a thread's other answers, why a filter would have dropped it.
    ``holder`` is the name of the person whose turn it is.
    """

    row: SubjectRow
    prompt: str
    reference: str
    context: str
    entry_point: str
    licence: str
    question_type: str
    provenance: dict[str, Any]
    dependencies: dict[str, Any]
    files: dict[str, str]
    extra: dict[str, Any]
    tests: tuple[TestRow, ...]
    paraphrase: PromptRow | None
    criterion: CriterionRow | None
    proof: ProofRow | None
    decisions: tuple[DecisionRow, ...]
    responses: tuple[ResponseRow, ...]
    holder: str = ""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One entry of the undo log; ``state`` is done, undone, superseded or event."""

    id: str
    label: str
    kind: str
    state: str
    annotator: str
    created_at: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run; ``outcomes`` counts scored responses by outcome (``done`` in all), ``expected`` is items times samples.

    ``answered`` responses are on disk, ``failures`` requests have no answer, by cause. ``cost`` is in ``currency``
    ("" without a price). ``live`` says that a process works on it now; a run that is running without one was cut off.
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
