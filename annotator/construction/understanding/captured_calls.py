"""Capture real calls while the tests run, keep those that repeat and that a person could follow
(specification, task construction, 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.construction import canonical
from annotator.construction.canonical import Form, Mode
from annotator.construction.languages.calls import signature_of, start_following
from annotator.construction.languages.calls import start_calls as start_foreign
from annotator.construction.languages.sql import TABLES, is_ordered, start_queries, tables_of
from annotator.construction.languages.tree_sitter_bugs import without_comments
from annotator.construction.material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.python_facts import code_lines, imported, without_docstrings
from annotator.construction.sandbox_probe import BASE_LIMIT_S, ask, start_calls
from annotator.sandbox import Runner
from annotator.text.syntax_trees import LANGUAGES

SEEDS = (0, 1, 2)
OPAQUE = frozenset({"hashlib", "hmac", "zlib", "binascii"})
"""Modules whose results nobody works out by reading, however few lines run."""
_OPAQUE_WORDS = re.compile(
    r"\b(?:crypto|MessageDigest|CRC32|openssl"
    r"|Math\.random|(?:Secure|ThreadLocal|Splittable)?Random|UUID|s?rand(?=\s*\()|random_device|mt19937\w*"
    r"|Date\.now|new\s+Date\s*\(\s*\)|performance\.now|process\.hrtime|getTimezoneOffset|toLocale\w*String|Intl"
    r"|currentTimeMillis|nanoTime|identityHashCode|chrono|time(?=\s*\(\s*(?:0|NULL|nullptr)\s*\))"
    r"|(?:Instant|Local(?:Date|Time|DateTime)|ZonedDateTime)\.now)"
)
"""Digests, chance and clocks of other languages than Python, where calls are repeated without chance and clocks."""
_STEPS_A_BLOCK = 2
"""Lines run are not counted in other languages; a block that is entered has about so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureLimits:
    """What an instance may be: characters of arguments and of output, steps (lines run), lines of code.

    ``readable`` leaves out code whose results nobody works out by reading, ``steady`` what does not repeat.
    ``iterators`` keeps calls that give an iterator too (in Python); their output is what it yields, as a list.
    ``partial`` keeps calls that leave out the last parameters (in other languages).
    """

    characters: int = 400
    steps: int = 2000
    fewest_lines: int = 3
    most_lines: int = 60
    instances: int = 50
    exceptions: bool = False
    readable: bool = True
    steady: bool = True
    iterators: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One call: arguments by name as they were before it, and its output (or the exception it raised)."""

    arguments: tuple[tuple[str, Form], ...]
    output: Form
    steps: int
    branches: frozenset[tuple[int, int]]
    mutated: bool = False
    raises: str = ""
    iterates: bool = False

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
    """Return the calls of the entry point that the tests make, each proven to repeat unless ``limits`` says otherwise.

    Followed are Python, Java, JavaScript, TypeScript and C++; of a query in SQL, the tables that tests make stand for
    arguments. Raises `ConstructionError` for another language, and for an entry point that cannot be followed.
    """
    limits = limits or CaptureLimits()
    if material.language not in (PYTHON, SQL, *LANGUAGES):
        raise ConstructionError(f"Calls can be captured in {', '.join((PYTHON, SQL, *LANGUAGES))} only.")
    if material.language != SQL and not material.entry_point:
        raise ConstructionError("Calls can be captured in code with an entry point only.")
    lines = code_lines(shown_code(material))
    if not limits.fewest_lines <= lines <= limits.most_lines:
        return Captured((), {f"code of {lines} lines": 1})
    if limits.readable and (opaque := _opaque(material)):
        return Captured((), {f"results of {opaque} cannot be worked out": 1})
    if material.language == PYTHON:
        found = _traced(material, runner, limits)
    else:
        found = _queried(material, runner) if material.language == SQL else _followed(material, runner, limits)
    dropped: dict[str, int] = {}
    kept = _fitting(found, limits, dropped)
    chosen = diverse(kept, limits.instances)
    if not limits.steady:
        return Captured(tuple(chosen), dropped)
    steady = repeating(material, chosen, runner)
    if len(steady) < len(chosen):
        dropped["does not repeat"] = len(chosen) - len(steady)
    return Captured(tuple(steady), dropped)


def shown_code(material: Material) -> str:
    """Return the code without what often tells of results: docstrings in Python, all comments elsewhere."""
    if material.language == PYTHON:
        return without_docstrings(material.code)
    return material.code if material.language == SQL else without_comments(material.code, material.language)


def _opaque(material: Material) -> str:
    if material.language == PYTHON:
        return min(OPAQUE & imported(material.code), default="")
    if material.language == SQL:
        return ""
    found = _OPAQUE_WORDS.search(without_comments(material.code, material.language))
    return found[0] if found else ""


def _traced(material: Material, runner: Runner, limits: CaptureLimits) -> list[Instance]:
    task = {
        "command": "capture",
        "code": material.code,
        "tests": [test.code for test in material.tests],
        "entry": material.entry_point,
        "most_steps": limits.steps,
        "most": limits.instances * 4,
        "limit_s": BASE_LIMIT_S * 5,
        "iterators": limits.iterators,
    }
    answer = ask(runner, task).answer()
    if answer["load"]:
        raise ConstructionError(f"The calls of {material.key} could not be captured: {answer['load']}")
    if answer["problem"]:
        raise ConstructionError(f"{material.key}: {answer['problem']}")
    return _draw(material, [_instance(row) for row in answer["calls"]], runner)


def _draw(material: Material, found: Sequence[Instance], runner: Runner) -> list[Instance]:
    """Give the calls whose output is an iterator what it yields; those that yield nothing plain fall out."""
    waiting = [item for item in found if item.iterates]
    calls: list[tuple[list[Form], dict[str, Form]]] = [([], dict(item.arguments)) for item in waiting]
    answers = iter(start_calls(material.code, material.entry_point, calls, runner, drawn=True)() if calls else ())
    drawn = []
    for item in found:
        answer: dict[str, Any] = next(answers, {}) if item.iterates else {"output": item.output}
        if item.iterates and answer.get("raises"):
            drawn.append(replace(item, raises=str(answer["raises"])))
        elif "output" in answer:
            drawn.append(replace(item, output=answer["output"]))
    return drawn


def _followed(material: Material, runner: Runner, limits: CaptureLimits) -> list[Instance]:
    """Other languages: a wrapper tells of each call; blocks of statements that were entered stand for branches."""
    signature = signature_of(material)
    rows = start_following(material, signature, runner)()
    if not rows:
        raise ConstructionError(f"No call of {material.key} could be captured: nothing was called with plain values.")
    return [
        Instance(
            arguments=tuple(zip(signature.names, row["arguments"], strict=False)),
            output=row["output"],
            steps=int(row["steps"]) * _STEPS_A_BLOCK,
            branches=frozenset((0, int(place)) for place in row["places"]),
            mutated=bool(row["mutated"]),
            raises=str(row["raises"]),
        )
        for row in rows
        if len(row["arguments"]) == len(signature.names)
        or (limits.partial and len(row["arguments"]) < len(signature.names))
    ]


def _queried(material: Material, runner: Runner) -> list[Instance]:
    tables = tables_of(material)
    answers = start_queries(material.code, tables, runner)() if tables else []
    found = [
        Instance(arguments=((TABLES, setup),), output=answer["output"], steps=0, branches=frozenset())
        for setup, answer in zip(tables, answers, strict=True)
        if "output" in answer
    ]
    if not found:
        raise ConstructionError(f"No rows of {material.key} could be captured: no test makes tables that give any.")
    return found


def _instance(row: dict[str, object]) -> Instance:
    arguments = row["arguments"]
    branches = row["branches"]
    assert isinstance(arguments, list) and isinstance(branches, list)
    return Instance(
        arguments=tuple((str(name), form) for name, form in arguments),
        output=row.get("output"),
        steps=int(str(row["steps"])),
        branches=frozenset((int(a), int(b)) for a, b in branches),
        mutated=bool(row["mutated"]),
        raises=str(row.get("raises") or ""),
        iterates=bool(row.get("iterates")),
    )


def _fitting(found: Sequence[Instance], limits: CaptureLimits, dropped: dict[str, int]) -> list[Instance]:
    kept: dict[str, Instance] = {}
    for item in found:
        reason = ""
        if item.raises and not limits.exceptions:
            reason = "raises"
        elif item.steps > limits.steps:
            reason = "too many steps"
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


def repeating(material: Material, instances: Sequence[Instance], runner: Runner) -> list[Instance]:
    """Keep what three fresh processes repeat, with other hash seeds, folders, and no clock, chance or network."""
    if not instances:
        return []
    waiting = [start_instances(material, instances, runner, seed) for seed in SEEDS]
    runs = [read() for read in waiting]
    if any(len(run) != len(instances) for run in runs):
        return []
    return [
        item
        for number, item in enumerate(instances)
        if all(
            run[number].get("raises") == item.raises
            if item.raises
            else "output" in run[number] and same_output(material, run[number]["output"], item.output, "strict")
            for run in runs
        )
    ]


def same_output(material: Material, found: Form, wanted: Form, mode: Mode, *, strip: bool = False) -> bool:
    """Compare outputs; rows of a query without an order are a multiset."""
    if material.language == SQL and isinstance(found, list) and isinstance(wanted, list):
        if is_ordered(material.code):
            return canonical.equal(found, wanted, mode)
        return canonical.same_items(found, wanted, mode)
    return canonical.equal(found, wanted, mode, strip=strip)


def start_instances(
    material: Material, instances: Sequence[Instance], runner: Runner, seed: int
) -> Callable[[], list[dict[str, Any]]]:
    """Start the calls of instances again in a fresh process."""
    if material.language == SQL:
        return start_queries(material.code, [str(item.values[0]) for item in instances], runner)
    if material.language != PYTHON:
        return start_foreign(
            material, signature_of(material), [item.values for item in instances], BASE_LIMIT_S, runner
        )
    # By name, which fits all parameters but those that have none.
    calls: list[tuple[list[Form], dict[str, Form]]] = [([], dict(item.arguments)) for item in instances]
    drawn = any(item.iterates for item in instances)
    return start_calls(material.code, material.entry_point, calls, runner, seed=seed, frozen=True, drawn=drawn)
