"""Capture real calls while the tests run, keep those that repeat and that a person could follow
(specification, task construction, 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.code_facts import code_lines, imported, without_docstrings
from annotator.construction.material import PYTHON, ConstructionError, Material
from annotator.construction.probing import BASE_LIMIT_S, ask, start_calls

if TYPE_CHECKING:
    from annotator.sandbox import Runner

SEEDS = (0, 1, 2)
OPAQUE = frozenset({"hashlib", "hmac", "zlib", "binascii"})
"""Modules whose results nobody works out by reading, however few lines run."""


@dataclass(frozen=True, slots=True)
class CaptureLimits:
    """What an instance may be: characters of arguments and of output, steps (lines run), lines of code.

    ``readable`` leaves out code whose results nobody works out by reading.
    """

    characters: int = 400
    steps: int = 2000
    fewest_lines: int = 3
    most_lines: int = 60
    instances: int = 50
    exceptions: bool = False
    readable: bool = True


@dataclass(frozen=True, slots=True)
class Instance:
    """One call: arguments by name as they were before it, and its output (or the exception it raised)."""

    arguments: tuple[tuple[str, Form], ...]
    output: Form
    steps: int
    branches: frozenset[tuple[int, int]]
    mutated: bool = False
    raises: str = ""

    @property
    def values(self) -> list[Form]:
        """The arguments in their order."""
        return [value for _, value in self.arguments]


@dataclass(frozen=True, slots=True)
class Captured:
    """The instances of one material, and how many fell out for which reason."""

    instances: tuple[Instance, ...]
    dropped: dict[str, int]


def capture(material: Material, runner: Runner, limits: CaptureLimits | None = None) -> Captured:
    """Return the calls of the entry point that the tests make, each proven to repeat.

    Raises `ConstructionError` for material that is not Python or whose entry point cannot be followed.
    """
    limits = limits or CaptureLimits()
    if material.language != PYTHON or not material.entry_point:
        raise ConstructionError("Calls can be captured in Python code with an entry point only.")
    lines = code_lines(without_docstrings(material.code))
    if not limits.fewest_lines <= lines <= limits.most_lines:
        return Captured((), {f"code of {lines} lines": 1})
    if limits.readable and (opaque := OPAQUE & imported(material.code)):
        return Captured((), {f"results of {min(opaque)} cannot be worked out": 1})
    task = {
        "command": "capture",
        "code": material.code,
        "tests": [test.code for test in material.tests],
        "entry": material.entry_point,
        "most_steps": limits.steps,
        "most": limits.instances * 4,
        "limit_s": BASE_LIMIT_S * 5,
    }
    answer = ask(runner, task).answer()
    if answer["load"]:
        raise ConstructionError(f"The calls of {material.key} could not be captured: {answer['load']}")
    if answer["problem"]:
        raise ConstructionError(f"{material.key}: {answer['problem']}")
    dropped: dict[str, int] = {}
    kept = _fitting([_instance(row) for row in answer["calls"]], limits, dropped)
    chosen = diverse(kept, limits.instances)
    steady = _repeating(material, chosen, runner)
    if len(steady) < len(chosen):
        dropped["does not repeat"] = len(chosen) - len(steady)
    return Captured(tuple(steady), dropped)


def _instance(row: dict[str, object]) -> Instance:
    arguments = row["arguments"]
    branches = row["branches"]
    assert isinstance(arguments, list) and isinstance(branches, list)
    return Instance(
        tuple((str(name), form) for name, form in arguments),
        row.get("output"),
        int(str(row["steps"])),
        frozenset((int(a), int(b)) for a, b in branches),
        bool(row["mutated"]),
        str(row.get("raises") or ""),
    )


def _fitting(found: Sequence[Instance], limits: CaptureLimits, dropped: dict[str, int]) -> list[Instance]:
    kept: dict[str, Instance] = {}
    for item in found:
        reason = ""
        if item.raises and not limits.exceptions:
            reason = "raises"
        elif len(canonical.show(item.values)) > limits.characters:
            reason = "arguments too long"
        elif len(canonical.show(item.output)) > limits.characters:
            reason = "output too long"
        elif canonical.key(item.values) in kept:
            reason = "seen already"
        if reason:
            dropped[reason] = dropped.get(reason, 0) + 1
        else:
            kept[canonical.key(item.values)] = item
    return list(kept.values())


def diverse(instances: Sequence[Instance], most: int) -> list[Instance]:
    """Return at most ``most`` instances: those that add branches first, then those whose outputs are new."""
    rest = list(instances)
    chosen: list[Instance] = []
    covered: set[tuple[int, int]] = set()
    outputs: set[str] = set()
    while rest and len(chosen) < most:
        best = max(
            range(len(rest)),
            key=lambda at: (
                len(rest[at].branches - covered),
                canonical.key(rest[at].output) not in outputs,
                -abs(rest[at].steps - 20),
                -at,
            ),
        )
        item = rest.pop(best)
        covered |= item.branches
        outputs.add(canonical.key(item.output))
        chosen.append(item)
    return chosen


def _repeating(material: Material, instances: Sequence[Instance], runner: Runner) -> list[Instance]:
    """Keep what three fresh processes repeat, with other hash seeds, folders, and no clock, entropy or network."""
    if not instances:
        return []
    calls = [call_of(item) for item in instances]
    waiting = [
        start_calls(material.code, material.entry_point, calls, runner, seed=seed, frozen=True) for seed in SEEDS
    ]
    runs = [read() for read in waiting]
    if any(len(run) != len(instances) for run in runs):
        return []
    return [
        item
        for number, item in enumerate(instances)
        if all(
            run[number].get("raises") == item.raises
            if item.raises
            else "output" in run[number] and canonical.equal(run[number]["output"], item.output, "strict")
            for run in runs
        )
    ]


def call_of(item: Instance) -> tuple[list[Form], dict[str, Form]]:
    """Return the call of an instance: by name, which fits all parameters but those that have none."""
    return [], dict(item.arguments)
