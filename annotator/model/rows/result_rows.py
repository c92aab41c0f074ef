"""Result tables made of columns, with the targets of their cells. Importable without SQLModel.

A table is a tuple of columns, each with its title, its cells and whether they are numbers, made in one place. The
window, commands, CSV, LaTeX, figures, site and report all use these columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat
from typing import Literal, NamedTuple

from annotator.model.rows.run_rows import SettlementRow
from annotator.model.vocabulary import UNSETTLED


class Target(NamedTuple):
    """The target of a cell's link.

    It is the items of a run (in one group), one item of all runs, one response, failed responses, or the responses of
    all runs with a doubtful verdict. ``run_id``, ``by`` and ``value`` name run and group, ``id`` subject or response.
    """

    kind: Literal["items", "item", "response", "failed", "doubt"]
    run_id: str = ""
    by: str = ""
    value: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class ValueCell:
    """A cell's text, its number in the unit shown (None for texts and undefined values), and its target."""

    text: str
    number: float | None = None
    target: Target | None = None


class Overall(NamedTuple):
    """A table's mean over all ``n`` items, with its 95 % interval if defined."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its title, a cell for each row, and whether they are numbers (right-aligned)."""

    title: str
    cells: tuple[ValueCell, ...]
    numeric: bool = False

    @classmethod
    def of_texts(cls, title: str, texts: Iterable[str], targets: Sequence[Target | None] = ()) -> Column:
        """Return a column of texts; ``targets`` are the cells' targets, if any."""
        return cls(title, _link_cells(map(text_cell, texts), targets))

    @classmethod
    def of_marks(cls, title: str, marks: Iterable[object]) -> Column:
        """Return a column with "yes" in the marked rows and empty cells in the others."""
        return cls.of_texts(title, ("yes" if mark else "" for mark in marks))

    @classmethod
    def of_numbers(
        cls, title: str, values: Iterable[float | None], decimals: int = 2, targets: Sequence[Target | None] = ()
    ) -> Column:
        """Return a column of numbers, "n/a" for undefined ones."""
        return cls(title, _link_cells((number_cell(value, decimals) for value in values), targets), numeric=True)

    @classmethod
    def of_shares(cls, title: str, shares: Iterable[float | None], targets: Sequence[Target | None] = ()) -> Column:
        """Return a column of shares in percent with two decimals."""
        return cls(title, _link_cells(map(percent_cell, shares), targets), numeric=True)

    @classmethod
    def of_counts(cls, title: str, counts: Iterable[int], targets: Sequence[Target | None] = ()) -> Column:
        """Return a column of whole numbers."""
        return cls(title, _link_cells((number_cell(count, 0) for count in counts), targets), numeric=True)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the cells."""
        return tuple(cell.text for cell in self.cells)

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The numbers behind the cells."""
        return tuple(cell.number for cell in self.cells)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table: its name, title, columns and notes."""

    name: str
    title: str
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    overall: Overall | None = None

    @property
    def headers(self) -> tuple[str, ...]:
        """The titles of the columns; two may be the same, as models are named freely."""
        return tuple(column.title for column in self.columns)

    @cached_property
    def rows(self) -> tuple[tuple[ValueCell, ...], ...]:
        """The cells row by row."""
        return tuple(zip(*(column.cells for column in self.columns), strict=True))

    def with_rows(self, rows: Sequence[tuple[ValueCell, ...]]) -> Table:
        """Return the table with the given rows: some of its own, or all of them in another order."""
        cells = zip(*rows, strict=True) if rows else repeat(())
        columns = (
            replace(column, cells=column_cells) for column, column_cells in zip(self.columns, cells, strict=False)
        )
        return replace(self, columns=tuple(columns))

    def column(self, title: str) -> Column:
        """Return the first column with a title. Raises `ValueError` if there is none."""
        return self.columns[self.headers.index(title)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One item of a release with the fields that results group by; ``position`` is its index in the release.

    ``mode`` is the sandbox mode of its tests (judged or shared), empty if unknown or if no code is run; ``direction``
    is that of an understanding item; ``mining_rules`` names the set of rules that found it in a repository.
    """

    position: int
    subject_id: str
    key: str
    title: str
    language: str
    domain: str
    area: str
    question_type: str
    difficulty: str
    task: str
    repository: str
    length: int
    mode: str = ""
    direction: str = ""
    mining_rules: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRun:
    """A finished run; ``settings`` are those of the run, ``about`` those of the model.

    ``criteria`` is the source of the current scores: "release" (its own), "project" or "release V".
    """

    id: str
    model: str
    protocol: str
    samples: int
    created_at: str
    settings: dict[str, object]
    about: dict[str, object]
    criteria: str = "release"

    @property
    def test_timeout_s(self) -> float | None:
        """The run's time limit for tests without their own."""
        protocol = self.settings.get("protocol")
        seconds = protocol.get("test_timeout_s") if isinstance(protocol, dict) else None
        return float(seconds) if isinstance(seconds, (int, float)) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardRow:
    """One model's row. ``score`` is the mean item score in 0..1, ``low`` and ``high`` its 95 % interval, ``se`` its
    standard error.

    None means undefined. Equal scores share the better rank, as in 1, 1, 3. ``machinery`` counts samples without a
    score because of a failure on our side. ``unsettled`` counts disputed, flaky and tampered samples, which earn 0.
    ``shared`` counts evaluated items whose tests share a process with the answer. ``test_timeout_s`` is the run's limit
    for tests without their own. ``groups`` maps "language", "domain", "task" and "difficulty" to each value's mean.
    """

    rank: int | None
    model: str
    score: float | None
    low: float | None
    high: float | None
    passed: int
    partial: int
    failed: int
    no_answer: int
    machinery: int
    items: int
    samples: int
    groups: dict[str, dict[str, float | None]]
    run_id: str
    protocol: str = ""
    se: float | None = None
    label: str = ""
    unsettled: dict[str, int] = field(default_factory=dict)
    shared: int = 0
    test_timeout_s: float | None = None

    @property
    def unsettled_words(self) -> str:
        """The counts of doubtful outcomes to append to a score: "; 3 disputed, 1 flaky"; usually empty."""
        counts = ", ".join(f"{count} {word}" for word, count in self.unsettled.items() if count)
        return f"; {counts}" if counts else ""

    @property
    def name(self) -> str:
        """The model, with its protocol where the board has several."""
        return self.label or self.model


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """The models that ran on one release, best first; ``items`` is the release's size.

    ``shared`` counts the items whose tests share a process with the answer; ``overrides`` describes the unmet gates
    that were overridden for the release.
    """

    version: str
    rows: tuple[LeaderboardRow, ...]
    items: int
    shared: int = 0
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, cost and seconds of one answer; None for unrecorded values."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemScoreRow:
    """One response's outcome in a run; ``mode`` is its item's sandbox mode, ``usage`` its tokens, cost and time."""

    subject_id: str
    key: str
    title: str
    language: str
    domain: str
    sample: int
    outcome: str
    score: float | None
    response_id: str
    run_id: str = ""
    model: str = ""
    mode: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseDetail:
    """One response and the details of its score.

    ``source`` is the criterion as released, ``mode`` the item's sandbox mode. ``told`` is the outcome before people
    settled it; of the settlements in ``settled`` the last counts.
    """

    key: str
    title: str
    model: str
    sample: int
    outcome: str
    score: float | None
    prompt: str
    text: str
    reference: str
    source: str
    files: dict[str, str]
    response_id: str = ""
    mode: str = ""
    told: str = ""
    settled: tuple[SettlementRow, ...] = ()

    @property
    def in_doubt(self) -> bool:
        """Whether the sandbox's verdict is doubtful, so that people may settle it."""
        return self.told in UNSETTLED


def text_cell(text: str, target: Target | None = None) -> ValueCell:
    """Return a cell of text."""
    return ValueCell(text, None, target)


def number_cell(value: float | None, decimals: int = 2, target: Target | None = None) -> ValueCell:
    """Return a cell of a number, "n/a" for an undefined one. Rounding happens here only."""
    return ValueCell("n/a", None, target) if value is None else ValueCell(f"{value:.{decimals}f}", float(value), target)


def percent_cell(share: float | None, target: Target | None = None) -> ValueCell:
    """Return a cell of a share in percent with two decimals."""
    return number_cell(None if share is None else 100 * share, 2, target)


def _link_cells(cells: Iterable[ValueCell], targets: Sequence[Target | None]) -> tuple[ValueCell, ...]:
    if not targets:
        return tuple(cells)
    return tuple(replace(cell, target=target) for cell, target in zip(cells, targets, strict=True))
