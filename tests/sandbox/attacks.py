"""What hostile code tries: each with the outcomes that are right for it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.samples import load_samples

ADD = "assert add(1, 2) == 3"
HONEST = "def add(a, b):\n    return a + b\n"


@dataclass(frozen=True)
class Attack:
    name: str
    code: str
    outcomes: tuple[str, ...]
    language: str = "python"
    test: str = ADD
    limits: dict[str, float] = field(default_factory=dict)
    fast: bool = True
    """Whether the fast mode withstands it as well."""


ATTACKS = tuple(Attack(**{**row, "outcomes": tuple(row["outcomes"])}) for row in load_samples(__file__))
