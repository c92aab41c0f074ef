"""The figures recorded last, a line per release in history.jsonl, and which figures have got worse since."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

HISTORY = Path(__file__).with_name("history.jsonl")
WORSE = 1.2
"""How many times worse a figure may get before it is marked."""
_RATES = ("1/s", "%")
Record: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By a figure's name its ``ratio`` to what was measured beside it, or its ``value`` if nothing was."""


def name_figure(figure: Mapping[str, Any]) -> str:
    """Return the name by which a figure is found in another release."""
    return f"{figure['row']}: {figure['what']}"


def record_of(figures: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return figures as they are written down: two machines can only be compared by a ratio, so it comes first."""
    return {
        name_figure(figure): {"ratio": round(figure["ratio"], 4)}
        if figure["ratio"]
        else {"value": round(figure["value"], 4)}
        for figure in figures
    }


def previous_record(path: Path = HISTORY) -> tuple[str, Record]:
    """Return the version and the figures that were recorded last; empty if there are none."""
    lines = _lines(path)
    return (str(lines[-1]["version"]), lines[-1]["figures"]) if lines else ("", {})


def write_record(version: str, subjects: int, figures: Sequence[Mapping[str, Any]], path: Path = HISTORY) -> None:
    """Write a release's figures, in place of those it had; its figures of groups not measured now are kept."""
    lines = _lines(path)
    own = next((line for line in lines if line["version"] == version), None)
    if own is None:
        own = {"version": version, "figures": {}}
        lines.append(own)
    own.update(subjects=subjects, figures={**own["figures"], **record_of(figures)})
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def compare_figure(figure: Mapping[str, Any], before: Record) -> tuple[str, bool]:
    """Return the recorded figure as text, and whether it has got worse by more than a fifth since.

    Both are empty or False if there is no such figure, or one that was measured in another way.
    """
    earlier = before.get(name_figure(figure), {})
    kind = "ratio" if figure["ratio"] else "value"
    if kind not in earlier:
        return "", False
    then, now = float(earlier[kind]), float(figure[kind])
    more_is_better = str(figure["goal"]).startswith("≥") or figure["unit"] in _RATES
    is_worse = then > WORSE * now if more_is_better else now > WORSE * then
    return f"{then:,.2f}", is_worse


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
