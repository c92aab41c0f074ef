"""Who works on what at this moment, as lists show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A subject somebody has been given; ``seconds_left`` is 0 for one that has lapsed, which anybody may be given."""

    subject_id: str
    key: str
    title: str
    annotator: str
    seconds_left: float
    mine: bool
