"""The release audit as screens, commands and releases show it: points, what is known of each, and who said it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

MET, NOT_MET, OPEN, NOT_APPLICABLE = "met", "not met", "open", "not applicable"
STATES = (MET, NOT_MET, OPEN, NOT_APPLICABLE)


@dataclass(frozen=True, slots=True)
class AuditPoint:
    """A point of the checklist. ``evidence`` says that the program can know the answer.

    ``threshold`` is what its number must reach, or with ``at_most`` must not pass; None: it has no number.
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
    """What the program knows of a point: its state, a sentence with the figures, the number, and where to look.

    ``place`` is the page of the window, or the command's first word, that shows it.
    """

    state: str
    text: str
    place: str = ""
    value: float | None = None


@dataclass(frozen=True, slots=True)
class AuditStatement:
    """What a person states on a point, and when."""

    state: str
    text: str
    person: str
    created_at: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A point with what is known of it. Evidence decides where there is some, else the statement; else it is open."""

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
        """What the answer rests on: evidence, a statement, or nothing."""
        if self.evidence.state != OPEN:
            return "evidence"
        return "statement" if self.statement and self.statement.state != OPEN else ""

    def as_json(self) -> dict[str, object]:
        """Return the row as JSON and releases keep it."""
        said = self.statement
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
            "statement": said.text if said else "",
            "person": said.person if said else "",
            "stated_at": said.created_at if said else "",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseShare:
    """How many points of a phase are met, not met and open; those not applicable do not count."""

    phase: str
    met: int
    not_met: int
    open: int
    not_applicable: int

    @property
    def points(self) -> int:
        """How many points apply."""
        return self.met + self.not_met + self.open


@dataclass(frozen=True, slots=True)
class Audit:
    """Every point of the checklist for one version (empty: the present state)."""

    project: str
    version: str
    rows: tuple[AuditRow, ...]

    @property
    def phases(self) -> tuple[PhaseShare, ...]:
        """The share of each phase, in the order of the checklist; there is no single number."""
        return phase_shares([row.as_json() for row in self.rows])


def phase_shares(rows: Sequence[Mapping[str, object]]) -> tuple[PhaseShare, ...]:
    """Return the shares of the phases of rows as releases keep them."""
    states: dict[str, list[object]] = {}
    for row in rows:
        states.setdefault(str(row["phase"]), []).append(row["state"])
    return tuple(
        PhaseShare(
            phase=phase,
            met=found.count(MET),
            not_met=found.count(NOT_MET),
            open=found.count(OPEN),
            not_applicable=found.count(NOT_APPLICABLE),
        )
        for phase, found in states.items()
    )
