"""What a measurement gives: a figure beside its floor or peer, and the goal it is held against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure.

    ``row`` and ``what`` name it; ``value`` is in ``unit``. ``floor`` is what was measured beside it in the same run,
    ``floor_name`` says what that is, and ``ratio`` is value over floor. ``goal`` is the goal in words, ``met`` whether
    it holds here (None: there is no goal for this figure).
    """

    row: str
    what: str
    value: float
    unit: str
    goal: str = ""
    met: bool | None = None
    floor: float | None = None
    floor_name: str = ""

    @property
    def ratio(self) -> float | None:
        """Value over floor, None without a floor."""
        return self.value / self.floor if self.floor else None


def at_most(
    row: str, what: str, value: float, unit: str, limit: float, beside: tuple[float, str] = (0.0, "")
) -> Figure:
    """Return a figure whose goal is a number; ``beside`` is what was measured for comparison, and what that is."""
    floor, name = beside
    return Figure(row, what, value, unit, f"≤ {limit:g} {unit}", value <= limit, floor or None, name)


def within(row: str, what: str, value: float, unit: str, times: float, beside: tuple[float, str]) -> Figure:
    """Return a figure that may be at most so many times what was measured beside it."""
    floor, name = beside
    return Figure(row, what, value, unit, f"≤ {times:.3g} times", value <= times * floor, floor, name)


def reaching(row: str, what: str, value: float, unit: str, times: float, beside: tuple[float, str]) -> Figure:
    """Return a rate that must be at least so many times what was measured beside it."""
    floor, name = beside
    return Figure(row, what, value, unit, f"≥ {times:.3g} times", value >= times * floor, floor, name)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that ``share`` of the values do not exceed (nearest rank). Raises `ValueError` for none."""
    if not values:
        raise ValueError("no values")
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(len(ranked) * share))]


def repeated(work: Callable[[], object], rounds: int, clock: Callable[[], float]) -> list[float]:
    """Do something several times; returns the milliseconds each took by a clock."""
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append((clock() - start) * 1000)
    return times
