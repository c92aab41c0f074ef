"""Run a function's standalone tests with its context, without the rest of the repository."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from annotator.answers.masked import MASK
from annotator.mining.repository.confirmation.confirm import STUB_BODIES, VariantRunner, end_of_message
from annotator.mining.repository.confirmation.journal import Variant, VariantAnswer, is_node_of_test
from annotator.mining.repository.confirmation.long_contexts import drop_long_context
from annotator.mining.repository.context.needed import ShownContext, keep_needed
from annotator.mining.repository.discovery.discovery_filters import CONTEXT_LIMIT, FilterVerdict
from annotator.mining.repository.rows import MinedSubject

MAX_STUB_TESTS = 8
"""Number of tests that are run with a missing body."""
SLOW_TEST_S = 5.0
"""Slower tests are dropped if there is a quicker one: proofs and runs have shorter time limits than mining."""
PassingTests = dict[tuple[str, str], list[int]]
"""The numbers of the passing tests by row key (path, name)."""


def confirm_alone(
    rows: Sequence[MinedSubject],
    runner: VariantRunner,
    limit: int = CONTEXT_LIMIT,
) -> list[MinedSubject]:
    """Return the rows with only those standalone tests that pass.

    A row whose standalone tests fail, or pass without the function's body, fails the filter "self-contained". Code that
    the tests do not need is removed from a long context; a row whose context still has more than ``limit`` characters
    is tested in its repository instead.
    """
    reasons: dict[tuple[str, str], str] = {}
    passing: PassingTests = {}
    disturbed: set[tuple[str, str]] = set()
    reached: dict[tuple[str, str], set[int]] = {}
    unchanged_variants = [
        replace(variant, reach=_context_of(row).is_long)
        for row in rows
        if not row.is_excluded
        for variant in _variants(row, "", _runnable_tests(row))
    ]
    for variant, answer in runner.run(unchanged_variants, "running functions alone"):
        path, name, _ = json.loads(variant.name)
        passing[path, name] = [_test_number(test) for test in _quick_tests(answer, variant.tests)]
        if answer.disturbed:
            disturbed.add((path, name))
        if not passing[path, name]:
            reasons[path, name] = f"alone, its tests do not pass: {_describe_failure(answer)}"
        files = {test.partition("::")[0] for test in variant.tests if _test_number(test) in passing[path, name]}
        reached[path, name] = {line for file, line in answer.reached if file in files}
    rows = _reduce_contexts(rows, passing, reached, runner)
    # A test that fails only beside others' tests must not count as noticing a missing body.
    stub_variants = [
        replace(variant, shared=row.key not in disturbed)
        for row in rows
        if not row.is_excluded
        for body in STUB_BODIES
        for variant in _variants(row, body, passing.get(row.key, [])[:MAX_STUB_TESTS])
    ]
    for variant, answer in runner.run(stub_variants, "running tests without functions, alone"):
        path, name, body = json.loads(variant.name)
        # A negative exit code means that the run ended early, so its missing failures show nothing about the tests.
        if answer.exit < 0 or not any(map(answer.failed, variant.tests)):
            reasons.setdefault((path, name), answer.problem or f"alone, its tests still pass with only {body} as body")
    return [_apply_outcome(row, passing.get(row.key, []), reasons.get(row.key, ""), limit) for row in rows]


def _quick_tests(answer: VariantAnswer, tests: Sequence[str]) -> list[str]:
    """Return the tests that passed, without the slow ones unless all are slow."""
    passed = [test for test in tests if answer.passed(test)]
    quick_tests = [
        test
        for test in passed
        if sum(s for name, s in answer.durations.items() if is_node_of_test(name, test)) <= SLOW_TEST_S
    ]
    return quick_tests or passed


def _describe_failure(answer: VariantAnswer) -> str:
    message = answer.problem or next(iter(answer.messages.values()), "")
    return end_of_message(message)


def _runnable_tests(row: MinedSubject) -> list[int]:
    return [number for number, test in enumerate(row.tests) if test.code and test.confirmed is not False]


def _reduce_contexts(
    rows: Sequence[MinedSubject],
    passing: PassingTests,
    reached: Mapping[tuple[str, str], Collection[int]],
    runner: VariantRunner,
) -> list[MinedSubject]:
    """Return the rows with contexts reduced to what their passing tests need, unless the tests then fail."""
    shorter = {}
    for row in rows:
        tests = passing.get(row.key, ())
        if tests:
            shortened = keep_needed(_context_of(row), reached[row.key], [row.tests[number].code for number in tests])
            if shortened.text != row.context:
                shorter[row.key] = replace(row, context=shortened.text, masked=shortened.masked)
    variants = [variant for row in shorter.values() for variant in _variants(row, "", passing[row.key])]
    for variant, answer in runner.run(variants, "running functions with shortened contexts"):
        path, name, _ = json.loads(variant.name)
        if not all(map(answer.passed, variant.tests)):
            del shorter[path, name]
    return [shorter.get(row.key, row) for row in rows]


def _context_of(row: MinedSubject) -> ShownContext:
    return ShownContext(row.context, row.masked)


def _test_number(node_id: str) -> int:
    return int(node_id.partition(".py")[0].rpartition("_")[2])


def _variants(row: MinedSubject, body: str, numbers: Sequence[int]) -> Iterator[Variant]:
    """Yield the variant that runs some of a row's standalone tests, each in its own file; nothing without tests."""
    if not row.context or not numbers:
        return
    context = replace_masked_body(row, body) if body else row.context
    files, names = {}, []
    for number in numbers:
        test = row.tests[number]
        text = f"{context}\n\n{test.code}"
        # Files of several functions are collected together, so their names differ.
        path = f"test_{hashlib.sha256(f'{row.key}{text}'.encode()).hexdigest()[:16]}_{number}.py"
        files[path] = text
        names.append(f"{path}::{test.qualified_name.replace('.', '::')}")
    yield Variant(
        name=json.dumps([*row.key, body]),
        tests=tuple(names),
        files=files,
        alone=True,
        until_failure=bool(body),
        shared=True,
    )


def replace_masked_body(row: MinedSubject, body: str) -> str:
    """Return a row's context with another body for its function."""
    head, _, tail = row.masked.partition(MASK)
    outer = len(head) - len(head.rstrip(" "))
    head_lines = row.code.split("\n")[: max(1, row.body_span[0] - row.span[0])]
    lines = [*head_lines, " " * max(1, row.indent - outer) + body]
    return head + "\n".join(" " * outer * bool(number) + line for number, line in enumerate(lines)) + tail


def _apply_outcome(row: MinedSubject, passing: Sequence[int], reason: str, limit: int) -> MinedSubject:
    tests = tuple(test if number in passing else replace(test, code="") for number, test in enumerate(row.tests))
    judged_row = replace(row, tests=tests)
    if row.is_excluded or not row.context:
        return judged_row
    if passing and not reason:
        return drop_long_context(judged_row, limit)
    if not reason and any(item.name == "self-contained" and not item.passed for item in row.filters):
        # The filter already has the reason from static analysis.
        return judged_row
    return judged_row.with_filter(
        FilterVerdict("self-contained", False, reason or "alone, it has no test that can run")
    )
