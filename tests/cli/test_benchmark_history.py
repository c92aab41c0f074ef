"""The benchmarks stand beside the figures recorded last, and what got worse is marked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.benchmarks import history


def _figure(
    what: str, value: float, *, ratio: float | None, goal: str = "≤ 2 times", unit: str = "ms"
) -> dict[str, Any]:
    return {"row": "start", "what": what, "value": value, "unit": unit, "ratio": ratio, "goal": goal}


def test_the_figures_recorded_last_are_found_and_a_release_has_one_line(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    assert history.previous_record(path) == ("", {})
    history.write_record("0.1", 1000, [_figure("window", 500.0, ratio=2.0)], path)
    assert history.previous_record(path) == ("0.1", {"start: window": {"ratio": 2.0}})
    history.write_record("0.2", 1000, [_figure("window", 500.0, ratio=3.0)], path)
    history.write_record("0.2", 1000, [_figure("page", 70.0, ratio=None)], path)
    assert history.previous_record(path) == ("0.2", {"start: window": {"ratio": 3.0}, "start: page": {"value": 70.0}})
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2


def test_what_got_worse_by_more_than_a_fifth_is_marked() -> None:
    before = history.record_of([
        _figure("window", 500.0, ratio=2.0),
        _figure("import", 900.0, ratio=0.5, goal="≥ 0.4 times"),
        _figure("memory", 70.0, ratio=None, unit="MB"),
        _figure("jumps", 100.0, ratio=None, unit="1/s", goal=""),
    ])  # fmt: skip

    def compare(what: str, value: float, **more: Any) -> tuple[str, bool]:
        return history.compare_figure(_figure(what, value, **more), before)

    # Another machine is twice as slow, and so is what was measured beside it.
    assert compare("window", 1000.0, ratio=2.3) == ("2.00", False)
    assert compare("window", 400.0, ratio=2.5) == ("2.00", True)
    assert compare("import", 900.0, ratio=0.45, goal="≥ 0.4 times") == ("0.50", False)
    assert compare("import", 900.0, ratio=0.3, goal="≥ 0.4 times") == ("0.50", True)
    assert compare("memory", 90.0, ratio=None, unit="MB") == ("70.00", True)
    assert compare("jumps", 90.0, ratio=None, unit="1/s", goal="") == ("100.00", False)
    assert compare("jumps", 70.0, ratio=None, unit="1/s", goal="") == ("100.00", True)
    assert compare("memory", 90.0, ratio=1.0) == ("", False), "it was measured in another way"
    assert compare("new", 1.0, ratio=1.0) == ("", False)
