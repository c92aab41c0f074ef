"""The thresholds that a project sets for its release gates; importable without SQLModel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SETTING = "release_gates"
"""The project's setting that holds the rules of the gates and these numbers."""


@dataclass(frozen=True, slots=True)
class GateNumber:
    """A threshold that a project may change: its key in the setting, its default, and its range."""

    key: str
    default: int
    least: int
    most: int

    def read(self, setting: object) -> int:
        """Return the number in the project's setting, or the default if it is missing or out of range."""
        value = setting.get(self.key) if isinstance(setting, Mapping) else None
        return value if type(value) is int and self.allows(value) else self.default

    def allows(self, value: int) -> bool:
        """Return whether a value is in the range."""
        return self.least <= value <= self.most


REVIEWS = GateNumber("reviews", 1, 1, 20)
"""Number of people who must review an item."""
BUG_REVIEWERS = GateNumber("bug_reviewers", 2, 1, 2)
"""Number of agreeing reviewers that accept or reject a bug."""
MINED_PERCENT = GateNumber("mined_percent", 50, 0, 99)
"""Maximum percentage of a rewrite's tests that the mined code may pass."""
NUMBERS = (REVIEWS, BUG_REVIEWERS, MINED_PERCENT)
