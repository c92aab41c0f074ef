"""What lists and screens show: small frozen records, importable without SQLModel.

The first page of the queue waits for this module, so only what it shows is defined here: making such a class takes half
a millisecond. The rest is loaded when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotator.model.changes import Changes as Changes

if TYPE_CHECKING:
    from annotator.model.count_rows import (
        DiskStatus as DiskStatus,
    )
    from annotator.model.count_rows import (
        Facets as Facets,
    )
    from annotator.model.count_rows import (
        QueuePage as QueuePage,
    )
    from annotator.model.count_rows import (
        StageCounts as StageCounts,
    )
    from annotator.model.view_rows import (
        ChangeRow as ChangeRow,
    )
    from annotator.model.view_rows import (
        CriterionRow as CriterionRow,
    )
    from annotator.model.view_rows import (
        DecisionRow as DecisionRow,
    )
    from annotator.model.view_rows import (
        HistoryRow as HistoryRow,
    )
    from annotator.model.view_rows import (
        PromptRow as PromptRow,
    )
    from annotator.model.view_rows import (
        ProofRow as ProofRow,
    )
    from annotator.model.view_rows import (
        ProvedRow as ProvedRow,
    )
    from annotator.model.view_rows import (
        ResponseRow as ResponseRow,
    )
    from annotator.model.view_rows import (
        RunRow as RunRow,
    )
    from annotator.model.view_rows import (
        SourceRow as SourceRow,
    )
    from annotator.model.view_rows import (
        SubjectView as SubjectView,
    )
    from annotator.model.view_rows import (
        SuggestionRow as SuggestionRow,
    )
    from annotator.model.view_rows import (
        TestRow as TestRow,
    )

_COUNTS = ("DiskStatus", "Facets", "QueuePage", "StageCounts")


def __getattr__(name: str) -> Any:
    """Load a record that is defined elsewhere. Raises AttributeError for what is none."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _COUNTS:
        from annotator.model import count_rows

        return getattr(count_rows, name)
    from annotator.model import view_rows

    return getattr(view_rows, name)


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
class AnnotatorRow:
    """A person in the project."""

    id: str
    name: str
    role: str
