"""The release audit for screens, commands and releases: points, their evidence, and people's statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

MET, NOT_MET, OPEN, NOT_APPLICABLE = "met", "not met", "open", "not applicable"
STATES = (MET, NOT_MET, OPEN, NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class AuditPoint:
    """A point of the checklist. ``evidence`` marks points that the program can check itself.

    ``threshold`` is the minimum of its number, or with ``at_most`` the maximum; None for a point without a number.
    """

    id: str
    phase: str
    text: str
    _: KW_ONLY
    evidence: bool = True
    threshold: float | None = None
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class AuditEvidence:
    """The program's finding on a point: its state, a sentence with the figures, the number, and where to look.

    ``place`` is the page of the window, or the command's first word, that shows it.
    """

    state: str
    text: str
    place: str = ""
    value: float | None = None


@dataclass(frozen=True, slots=True)
class AuditStatement:
    """A person's statement on a point."""

    state: str
    text: str
    person: str
    created_at: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A point with its evidence and statement. Evidence decides if there is any, else the statement; else open."""

    point: AuditPoint
    evidence: AuditEvidence
    statement: AuditStatement | None = None

    @property
    def state(self) -> str:
        """Whether the point is met, not met, not applicable or open."""
        if self.evidence.state != OPEN:
            return self.evidence.state
        return self.statement.state if self.statement else OPEN

    @property
    def by(self) -> str:
        """The basis of the state: "evidence", "statement" or empty."""
        if self.evidence.state != OPEN:
            return "evidence"
        return "statement" if self.statement and self.statement.state != OPEN else ""

    @property
    def person(self) -> str:
        """The person who made the statement, empty without one."""
        return self.statement.person if self.statement else ""

    def as_json(self) -> dict[str, object]:
        """Return the row as stored in JSON output and releases."""
        statement = self.statement
        return {
            "id": self.point.id,
            "phase": self.point.phase,
            "text": str(self.point.text),
            "state": self.state,
            "by": self.by,
            "evidence": str(self.evidence.text),
            "place": self.evidence.place,
            "value": self.evidence.value,
            "threshold": self.point.threshold,
            "at_most": self.point.at_most,
            "statement": statement.text if statement else "",
            "person": self.person,
            "stated_at": statement.created_at if statement else "",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseShare:
    """Number of points of a phase by state; `points` leaves out those that are not applicable."""

    phase: str
    met: int
    not_met: int
    open: int
    not_applicable: int

    @property
    def points(self) -> int:
        """Number of applicable points."""
        return self.met + self.not_met + self.open


@dataclass(frozen=True, slots=True)
class Audit:
    """Every point of the checklist for one version; an empty ``version`` means the current state of the project."""

    project: str
    version: str
    rows: tuple[AuditRow, ...]

    @property
    def phases(self) -> tuple[PhaseShare, ...]:
        """The share of each phase, in the order of the checklist; there is no single number."""
        return phase_shares([row.as_json() for row in self.rows])


def phase_shares(rows: Sequence[Mapping[str, object]]) -> tuple[PhaseShare, ...]:
    """Return the shares of each phase from rows in the form of `AuditRow.as_json`."""
    states: dict[str, list[object]] = {}
    for row in rows:
        states.setdefault(str(row["phase"]), []).append(row["state"])
    return tuple(
        PhaseShare(
            phase=phase,
            met=phase_states.count(MET),
            not_met=phase_states.count(NOT_MET),
            open=phase_states.count(OPEN),
            not_applicable=phase_states.count(NOT_APPLICABLE),
        )
        for phase, phase_states in states.items()
    )
