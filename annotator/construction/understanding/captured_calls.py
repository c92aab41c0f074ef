"""Capture real calls while the tests run, and keep those that are repeatable and that a person could follow
(specification, task construction, 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotator.construction import canonical
from annotator.construction.canonical import Form, Mode
from annotator.construction.languages.language_calls import read_foreign_signature, start_tracing_calls
from annotator.construction.languages.language_calls import start_foreign_calls as start_foreign
from annotator.construction.languages.sql import TABLES_ARGUMENT, is_ordered_query, query_tables, start_queries
from annotator.construction.languages.tree_sitter_bugs import without_comments
from annotator.construction.python_facts import code_lines, top_level_imports, without_docstrings
from annotator.construction.sandbox_probe import BASE_LIMIT_S, start_probe, start_python_calls
from annotator.construction.task_material import PYTHON, SQL, ConstructionError, Material
from annotator.sandbox import Runner
from annotator.text.syntax_trees import LANGUAGES

SEEDS = (0, 1, 2)
OPAQUE_MODULES = frozenset({"hashlib", "hmac", "zlib", "binascii"})
"""Modules whose results nobody can work out by reading the code."""
_OPAQUE_WORDS = re.compile(
    r"\b(?:crypto|MessageDigest|CRC32|openssl"
    r"|Math\.random|(?:Secure|ThreadLocal|Splittable)?Random|UUID|s?rand(?=\s*\()|random_device|mt19937\w*"
    r"|Date\.now|new\s+Date\s*\(\s*\)|performance\.now|process\.hrtime|getTimezoneOffset|toLocale\w*String|Intl"
    r"|currentTimeMillis|nanoTime|identityHashCode|chrono|time(?=\s*\(\s*(?:0|NULL|nullptr)\s*\))"
    r"|(?:Instant|Local(?:Date|Time|DateTime)|ZonedDateTime)\.now)"
)
"""Digests, randomness and clocks in languages other than Python, where repeated runs cannot disable them."""
_STEPS_PER_BLOCK = 2
"""An estimate for other languages, which count entered blocks instead of executed lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureLimits:
    """Limits for instances: characters of arguments and of output, steps (executed lines), lines of code.

    ``readable`` drops code whose results nobody can work out by reading, ``steady`` drops calls that are not
    repeatable. ``iterators`` also keeps calls that return an iterator (in Python), with the list of its items as
    output. ``partial`` also keeps calls without the last parameters (in other languages).
    """

    characters: int = 400
    steps: int = 2000
    min_lines: int = 3
    max_lines: int = 60
    instances: int = 50
    exceptions: bool = False
    readable: bool = True
    steady: bool = True
    iterators: bool = False
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallInstance:
    """One call: its arguments by name as they were before the call, and its output or the exception it raised."""

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
class CapturedCalls:
    """The instances of one material, and how many were dropped for which reason."""

    instances: tuple[CallInstance, ...]
    dropped: dict[str, int]


def capture_calls(material: Material, runner: Runner, limits: CaptureLimits | None = None) -> CapturedCalls:
    """Return the tests' calls of the entry point, each checked for repeatability unless ``limits`` says otherwise.

    Works for Python, Java, JavaScript, TypeScript and C++; an SQL query has the tests' tables as its argument.
    Raises `ConstructionError` for other languages, and for an entry point that cannot be traced.
    """
    limits = limits or CaptureLimits()
    if material.language not in (PYTHON, SQL, *LANGUAGES):
        raise ConstructionError(f"Calls can be captured in {', '.join((PYTHON, SQL, *LANGUAGES))} only.")
    if material.language != SQL and not material.entry_point:
        raise ConstructionError("Calls can only be captured for code with an entry point.")
    lines = code_lines(shown_code(material))
    if not limits.min_lines <= lines <= limits.max_lines:
        return CapturedCalls((), {f"code of {lines} lines": 1})
    if limits.readable and (opaque := _opaque_word(material)):
        return CapturedCalls((), {f"results of {opaque} cannot be worked out": 1})
    if material.language == PYTHON:
        instances = _trace_python(material, runner, limits)
    elif material.language == SQL:
        instances = _run_query(material, runner)
    else:
        instances = _trace_foreign(material, runner, limits)
    dropped: dict[str, int] = {}
    filtered = _filter_instances(instances, limits, dropped)
    selected = select_diverse(filtered, limits.instances)
    if not limits.steady:
        return CapturedCalls(tuple(selected), dropped)
    steady = keep_repeatable(material, selected, runner)
    if len(steady) < len(selected):
        dropped["does not repeat"] = len(selected) - len(steady)
    return CapturedCalls(tuple(steady), dropped)


def shown_code(material: Material) -> str:
    """Return the code without text that often reveals results: docstrings in Python, all comments elsewhere."""
    if material.language == PYTHON:
        return without_docstrings(material.code)
    return material.code if material.language == SQL else without_comments(material.code, material.language)


def _opaque_word(material: Material) -> str:
    if material.language == PYTHON:
        return min(OPAQUE_MODULES & top_level_imports(material.code), default="")
    if material.language == SQL:
        return ""
    match = _OPAQUE_WORDS.search(without_comments(material.code, material.language))
    return match[0] if match else ""


def _trace_python(material: Material, runner: Runner, limits: CaptureLimits) -> list[CallInstance]:
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
    answer = start_probe(runner, task).answer()
    if answer["load"]:
        raise ConstructionError(f"The calls of {material.key} could not be captured: {answer['load']}")
    if answer["problem"]:
        raise ConstructionError(f"{material.key}: {answer['problem']}")
    return _exhaust_iterators(material, [_read_instance(row) for row in answer["calls"]], runner)


def _exhaust_iterators(material: Material, instances: Sequence[CallInstance], runner: Runner) -> list[CallInstance]:
    """Replace iterators in outputs by the lists of their items; drop calls whose items are not plain values."""
    iterating = [item for item in instances if item.iterates]
    calls: list[tuple[list[Form], dict[str, Form]]] = [([], dict(item.arguments)) for item in iterating]
    answers = iter(
        start_python_calls(material.code, material.entry_point, calls, runner, exhaust=True)() if calls else ()
    )
    exhausted = []
    for item in instances:
        answer: dict[str, Any] = next(answers, {}) if item.iterates else {"output": item.output}
        if item.iterates and answer.get("raises"):
            exhausted.append(replace(item, raises=str(answer["raises"])))
        elif "output" in answer:
            exhausted.append(replace(item, output=answer["output"]))
    return exhausted


def _trace_foreign(material: Material, runner: Runner, limits: CaptureLimits) -> list[CallInstance]:
    """Trace calls in other languages with a wrapper; entered blocks count as branches."""
    signature = read_foreign_signature(material)
    rows = start_tracing_calls(material, signature, runner)()
    if not rows:
        raise ConstructionError(f"No call of {material.key} could be captured: nothing was called with plain values.")
    return [
        CallInstance(
            arguments=tuple(zip(signature.names, row["arguments"], strict=False)),
            output=row["output"],
            steps=int(row["steps"]) * _STEPS_PER_BLOCK,
            branches=frozenset((0, int(block_number)) for block_number in row["places"]),
            mutated=bool(row["mutated"]),
            raises=str(row["raises"]),
        )
        for row in rows
        if len(row["arguments"]) == len(signature.names)
        or (limits.partial and len(row["arguments"]) < len(signature.names))
    ]


def _run_query(material: Material, runner: Runner) -> list[CallInstance]:
    tables = query_tables(material)
    answers = start_queries(material.code, tables, runner)() if tables else []
    instances = [
        CallInstance(arguments=((TABLES_ARGUMENT, setup),), output=answer["output"], steps=0, branches=frozenset())
        for setup, answer in zip(tables, answers, strict=True)
        if "output" in answer
    ]
    if not instances:
        raise ConstructionError(
            f"No rows of {material.key} could be captured: no test creates tables for which it returns rows."
        )
    return instances


def _read_instance(row: dict[str, object]) -> CallInstance:
    arguments = row["arguments"]
    branches = row["branches"]
    assert isinstance(arguments, list) and isinstance(branches, list)
    return CallInstance(
        arguments=tuple((str(name), form) for name, form in arguments),
        output=row.get("output"),
        steps=int(str(row["steps"])),
        branches=frozenset((int(a), int(b)) for a, b in branches),
        mutated=bool(row["mutated"]),
        raises=str(row.get("raises") or ""),
        iterates=bool(row.get("iterates")),
    )


def _filter_instances(
    instances: Sequence[CallInstance], limits: CaptureLimits, dropped: dict[str, int]
) -> list[CallInstance]:
    filtered: dict[str, CallInstance] = {}
    for item in instances:
        reason = ""
        if item.raises and not limits.exceptions:
            reason = "raises"
        elif item.steps > limits.steps:
            reason = "too many steps"
        elif len(canonical.form_text(item.values)) > limits.characters:
            reason = "arguments too long"
        elif len(canonical.form_text(item.output)) > limits.characters:
            reason = "output too long"
        elif canonical.form_key(item.values) in filtered:
            reason = "seen already"
        if reason:
            dropped[reason] = dropped.get(reason, 0) + 1
        else:
            filtered[canonical.form_key(item.values)] = item
    return list(filtered.values())


def select_diverse(instances: Sequence[CallInstance], most: int) -> list[CallInstance]:
    """Return at most ``most`` instances, preferring new branches, then new outputs, then about 20 steps."""
    remaining = list(instances)
    selected: list[CallInstance] = []
    covered: set[tuple[int, int]] = set()
    outputs: set[str] = set()
    while remaining and len(selected) < most:
        best = max(
            range(len(remaining)),
            key=lambda index: (
                len(remaining[index].branches - covered),
                canonical.form_key(remaining[index].output) not in outputs,
                -abs(remaining[index].steps - 20),
                -index,
            ),
        )
        item = remaining.pop(best)
        covered |= item.branches
        outputs.add(canonical.form_key(item.output))
        selected.append(item)
    return selected


def keep_repeatable(material: Material, instances: Sequence[CallInstance], runner: Runner) -> list[CallInstance]:
    """Return the instances that three fresh processes reproduce.

    The processes have different hash seeds and folders, and no clock, randomness or network.
    """
    if not instances:
        return []
    if material.language in (PYTHON, SQL):
        pending = [start_instances(material, instances, runner, seed) for seed in SEEDS]
    else:
        pending = [start_instances(material, instances, runner, runs=len(SEEDS))]
    runs = [read_answers() for read_answers in pending]
    if any(len(run) != len(instances) for run in runs):
        return []
    return [
        item
        for number, item in enumerate(instances)
        if all(
            run[number].get("raises") == item.raises
            if item.raises
            else "output" in run[number] and outputs_equal(material, run[number]["output"], item.output, "strict")
            for run in runs
        )
    ]


def outputs_equal(material: Material, output: Form, expected: Form, mode: Mode, *, strip: bool = False) -> bool:
    """Return whether two outputs are equal; the rows of a query without ORDER BY may be in any order."""
    if material.language == SQL and isinstance(output, list) and isinstance(expected, list):
        if is_ordered_query(material.code):
            return canonical.forms_equal(output, expected, mode)
        return canonical.same_items(output, expected, mode)
    return canonical.forms_equal(output, expected, mode, strip=strip)


def start_instances(
    material: Material, instances: Sequence[CallInstance], runner: Runner, seed: int | None = None, *, runs: int = 1
) -> Callable[[], list[dict[str, Any]]]:
    """Start the calls of instances again; with a seed in a fresh process, without clock, randomness or network.

    In other languages than Python and SQL the program is compiled once for all ``runs``.
    """
    if material.language == SQL:
        return start_queries(material.code, [str(item.values[0]) for item in instances], runner)
    if material.language != PYTHON:
        argument_lists = [item.values for item in instances]
        return start_foreign(
            material, read_foreign_signature(material), argument_lists, BASE_LIMIT_S, runner, runs=runs
        )
    # Passing by name works for all but positional-only parameters.
    calls: list[tuple[list[Form], dict[str, Form]]] = [([], dict(item.arguments)) for item in instances]
    exhausts_iterators = any(item.iterates for item in instances)
    return start_python_calls(
        material.code,
        material.entry_point,
        calls,
        runner,
        seed=seed,
        frozen=seed is not None,
        exhaust=exhausts_iterators,
    )
