"""What a bug changes in behaviour, in a sentence that running the code has checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotator.construction import canonical
from annotator.construction.material import PYTHON, ConstructionError, Material
from annotator.construction.sandbox_probe import start_calls
from annotator.construction.understanding.captured_calls import CaptureLimits, Instance, capture
from annotator.sandbox import Runner

_LONGEST = 300
_LIMITS = CaptureLimits(steps=1_000_000, fewest_lines=1, most_lines=10_000, exceptions=True, readable=False)


def describe_behaviour(material: Material, codes: Sequence[str], runner: Runner) -> list[str]:
    """Return for each changed program a call of the tests for which it does something else than the reference, with
    what it does and what it should do; empty where no such call is known (other languages, methods, long values)."""
    if material.language != PYTHON or not material.entry_point or not codes:
        return [""] * len(codes)
    try:
        calls = capture(material, runner, _LIMITS).instances
    except ConstructionError:
        return [""] * len(codes)
    given: list[tuple[list[Any], dict[str, Any]]] = [([], dict(item.arguments)) for item in calls]
    reads = [start_calls(code, material.entry_point, given, runner) for code in codes]
    return [_first_difference(material.entry_point, calls, read()) for read in reads]


def _first_difference(entry: str, calls: Sequence[Instance], answers: Sequence[dict[str, Any]]) -> str:
    """Return the shortest sentence on a call that differs."""
    found = []
    for item, answer in zip(calls, answers, strict=False):
        right = {"raises": item.raises} if item.raises else {"output": item.output}
        if not _same(right, answer):
            given = ", ".join(f"{name}={canonical.show(value)}" for name, value in item.arguments)
            found.append(f"{entry}({given}) {_does(answer)}. It should {_shall(right)}.")
    return min((text for text in found if len(text) <= _LONGEST), key=len, default="")


def _same(right: dict[str, Any], answer: dict[str, Any]) -> bool:
    if "output" in right and "output" in answer:
        return canonical.equal(right["output"], answer["output"], "strict")
    return "raises" in right and right.get("raises") == answer.get("raises")


def _does(answer: dict[str, Any]) -> str:
    if "output" in answer:
        return f"returns {canonical.show(answer['output'])}"
    if answer.get("timeout"):
        return "does not end"
    return f"raises {answer['raises']}" if "raises" in answer else "returns something that is no plain value"


def _shall(right: dict[str, Any]) -> str:
    return f"raise {right['raises']}" if "raises" in right else f"return {canonical.show(right['output'])}"
