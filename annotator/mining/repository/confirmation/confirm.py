"""Confirm mined functions by running their tests in the sandbox, offline, with the repository's libraries.

The rows record the results (specification, 3.5 and 4): which tests pass three times and run the function, whether they
fail when its body is missing, and which functions a test called that static analysis had missed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotator.base.resources import resource_path
from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation.journal import (
    Journal,
    Variant,
    VariantAnswer,
    is_node_of_test,
    read_answer,
)
from annotator.mining.repository.confirmation.weak_bodies import weak_bodies
from annotator.mining.repository.discovery.discovery_filters import FilterVerdict, direct_filter
from annotator.mining.repository.discovery.modules import FunctionInfo, ParsedProject, import_roots
from annotator.mining.repository.discovery.spans import replace_body
from annotator.mining.repository.discovery.tree import RepositoryTree, UnreadableError, read_bytes
from annotator.mining.repository.rows import MinedSubject, MinedTest
from annotator.sandbox import Job, JobResult, Limits, Pool
from annotator.text.python_tree import condition_over, first_line

PASSES = 3
"""Number of runs that a test must pass, to leave out flaky tests."""
TESTS_PER_PROCESS = 25
"""Tests of a file that run in one process. If it dies or takes too long, none of them has a report."""
TEST_TIMEOUT_S = 20.0
BROKEN_TEST_TIMEOUT_S = 4.0
"""Time limit of a test while a body is missing; a test that hangs counts as having noticed."""
VARIANTS_PER_JOB = 100
"""A job starts Python, imports pytest, and collects tests for all its variants; its answers come at its end."""
MAX_FILE_BYTES = 8 * 1024 * 1024
MAX_COPY_BYTES = 64 * 1024 * 1024
DEADLINE_S, BROKEN_DEADLINE_S = 300.0, 60.0
"""Processor time limit of a variant, normally and with a missing body."""
WALL_TIME_FACTOR = 4
"""A variant's wall time limit is this multiple of its processor time limit: the machine may be busy."""
STUB_BODIES = ("pass", "raise NotImplementedError")
NOT_FOUND = "pytest does not find its tests where they are defined"
SKIPPED = "a file, library or system that they need is missing"
NO_REPORT = "its process ends before it reports, or takes too long"
MAX_STRENGTH_TESTS = 40
"""Maximum number of tests, the most direct and quickest, that are run with a missing or a weak body."""
_LIMITS = Limits(wall_s=300.0, cpu_s=300.0, memory_mb=1024, processes=64, file_mb=64, output_kb=65_536, kept_kb=65_536)


def repository_files(tree: RepositoryTree, root: Path) -> dict[str, bytes]:
    """Return the files of the repository's copy in the sandbox: its Python files, and other files up to a limit.

    Links to files become copies of these, because tests import or read them under that name.
    Package metadata (``*.dist-info``) and generated version files are not created.
    """
    files = {file.path: file.text.encode("utf-8") for file in tree.files}
    total = sum(map(len, files.values()))
    for path, size in tree.others:
        if size <= MAX_FILE_BYTES and total + size <= MAX_COPY_BYTES:
            try:
                files[path] = read_bytes(root, path, MAX_FILE_BYTES)
            except UnreadableError:
                continue
            total += size
    for path, target in tree.links:
        if target in files and total + len(files[target]) <= MAX_COPY_BYTES:
            files[path] = files[target]
            total += len(files[target])
    return files


def end_of_message(text: str, limit: int = 200) -> str:
    """Return the cause of a failure: pytest's first ``E`` line, else the whole message; only its end if it is long."""
    causes = [line[2:].strip() for line in text.splitlines() if line.startswith("E ") and line[2:].strip()]
    words = " ".join((causes[0] if causes else text).split())
    if len(words) <= limit:
        return words
    return "…" + words[-limit:].partition(" ")[2]


def program_digest() -> str:
    """Return a digest of the test runner. Stored answers are keyed by it, so a new runner invalidates them."""
    return hashlib.sha256(_runner_code().encode()).hexdigest()[:12]


def _runner_code() -> str:
    return resource_path("sandbox", "mining", "runner.py").read_text(encoding="utf-8")


class VariantRunner:
    """Runs variants on a pool whose containers have the repository and its libraries."""

    def __init__(
        self,
        pool: Pool,
        roots: Sequence[str],
        journal: Journal | None = None,
        progress: Progress | None = None,
    ) -> None:
        """``roots`` are the folders that imports start from; variants with an answer in the journal are not run."""
        self._pool = pool
        self._progress = progress or Progress()
        self._roots = list(roots)
        self._journal = journal
        self._code = _runner_code()

    def run(self, variants: Iterable[Variant], stage: str = "") -> Iterator[tuple[Variant, VariantAnswer]]:
        """Run variants, at most `VARIANTS_PER_JOB` per job, and yield them with their answers, in order.

        ``stage`` is the progress message; without it no progress is reported. Batches are smaller (down to `PASSES`) if
        some processors would get no job otherwise.
        """
        requested = list(variants)
        stored = [self._journal.get(item) if self._journal is not None else None for item in requested]
        new_variants = [item for item, answer in zip(requested, stored, strict=True) if answer is None]
        new_answers = self._run(new_variants)
        progress = self._progress if stage and requested else Progress()
        progress.report(0, len(requested), stage)
        for number, (item, answer) in enumerate(zip(requested, stored, strict=True), start=1):
            yield item, answer if answer is not None else next(new_answers)
            progress.report(number, len(requested), stage)

    def _run(self, variants: Sequence[Variant]) -> Iterator[VariantAnswer]:
        batch = min(VARIANTS_PER_JOB, max(PASSES, -(-len(variants) // self._pool.size)))
        groups = [variants[start : start + batch] for start in range(0, len(variants), batch)]
        marks = [secrets.token_hex(12) for _ in groups]
        jobs = (self._job(group, mark) for group, mark in zip(groups, marks, strict=True))
        for group, mark, result in zip(groups, marks, self._pool.run(jobs), strict=True):
            answers = _read_answers(group, mark, result)
            for item, answer in zip(group, answers, strict=True):
                if self._journal is not None:
                    self._journal.record(item, answer)
            yield from answers

    def _job(self, variants: Sequence[Variant], mark: str) -> Job:
        variant_rows = [
            {
                "name": item.name,
                "tests": list(item.tests),
                "files": item.files,
                "trace": item.trace,
                "alone": item.alone,
                "until_failure": item.until_failure,
                "reach": item.reach,
                "shared": item.shared,
                "changed": list(item.changed) if item.changed is not None else None,
                "seconds": BROKEN_TEST_TIMEOUT_S if item.until_failure else TEST_TIMEOUT_S,
                "processor": _deadline(item),
                "deadline": _deadline(item) * WALL_TIME_FACTOR,
            }
            for item in variants
        ]
        request = {"mark": mark, "roots": self._roots, "variants": variant_rows}
        # Every variant has its own deadline, so a job must have time for all of them; twice for those that
        # share a collection, because variants without an answer are run once more.
        seconds = sum(_deadline(item) * (1 + item.shared) for item in variants)
        limits = replace(_LIMITS, wall_s=_LIMITS.wall_s + seconds * WALL_TIME_FACTOR, cpu_s=_LIMITS.cpu_s + seconds)
        return Job(
            id="repository",
            language="python",
            code=self._code,
            files={"request.json": json.dumps(request)},
            limits=limits,
        )


def _deadline(variant: Variant) -> float:
    return BROKEN_DEADLINE_S if variant.until_failure else DEADLINE_S


def _read_answers(group: Sequence[Variant], mark: str, result: JobResult) -> list[VariantAnswer]:
    reports: list[Any] = []
    for line in result.stdout.splitlines():
        if line.startswith(mark):
            try:
                reports.append(json.loads(line[len(mark) :]))
            except ValueError:
                reports.append({})
    answers = []
    for number, _ in enumerate(group):
        report = reports[number] if number < len(reports) and isinstance(reports[number], dict) else {}
        problem = "" if report else (result.message or result.stderr[-300:] or f"it ended with {result.outcome}")
        try:
            answers.append(replace(read_answer(report), problem=problem))
        except (ValueError, KeyError, TypeError, AttributeError):
            answers.append(VariantAnswer(problem="the report of the tests cannot be read"))
    return answers


def sort_by_files(variants: Iterable[Variant]) -> list[Variant]:
    """Return variants sorted by the files of their tests, so that those of the same files are together."""
    return sorted(variants, key=lambda item: sorted({name.partition("::")[0] for name in item.tests}))


def _first_lines_by_line(project: ParsedProject) -> dict[tuple[str, int], int]:
    """Map every line that Python may report as a function's start to its first line, decorators included."""
    return {
        (module.path, line): first_line(info.node)
        for module in project.modules
        for info in module.functions.values()
        for line in range(first_line(info.node), info.node.lineno + 1)
    }


def _describe_condition(condition: str) -> str:
    return f': it is below "{condition}", which does not happen in the sandbox' if condition else ""


def _is_run_by_its_caller(info: FunctionInfo) -> bool:
    """Return whether calling a function by its name runs its body directly.

    Otherwise the wrapper of a decorator runs it, or the code that iterates the generator or awaits the coroutine.
    """
    is_plain = set(info.decorators) <= {"classmethod", "staticmethod"}
    return is_plain and not any(
        isinstance(node, (ast.Yield, ast.YieldFrom, ast.AsyncFunctionDef)) for node in ast.walk(info.node)
    )


def _variants_of(node_ids: Sequence[str], *, trace: bool) -> list[Variant]:
    """Return the variants that run tests without a change, several tests of a file in each."""
    by_file: dict[str, list[str]] = {}
    for node_id in dict.fromkeys(node_ids):
        by_file.setdefault(node_id.partition("::")[0], []).append(node_id)
    return [
        Variant(
            name=f"{path} {start}",
            tests=tuple(names[start : start + TESTS_PER_PROCESS]),
            trace=trace,
            shared=True,
        )
        for path, names in sorted(by_file.items())
        for start in range(0, len(names), TESTS_PER_PROCESS)
    ]


class TestConfirmation:
    """Runs the tests of one repository and confirms its rows."""

    def __init__(self, project: ParsedProject, tree: RepositoryTree, runner: VariantRunner) -> None:
        self._project = project
        self._runner = runner
        self._roots = import_roots(tree)
        self._first_lines = _first_lines_by_line(project)
        self.passing: set[str] = set()
        self.skipped: set[str] = set()
        self.collected: set[str] = set()
        self.calls_by_test: dict[str, list[tuple[str, int, bool]]] = {}
        self.set_up_calls: dict[str, list[tuple[str, int]]] = {}
        self.messages: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        self._disturbed: set[str] = set()

    def run_tests(self, node_ids: Sequence[str]) -> None:
        """Run tests once and trace their calls."""
        # A test that ends its process loses the reports of the others in it, so each is run by itself.
        unreported = self._run(_variants_of(node_ids, trace=True))
        single_variants = [
            replace(variant, name=name, tests=(name,))
            for variant in unreported
            if len(variant.tests) > 1
            for name in variant.tests
        ]
        for variant in (*unreported, *self._run(single_variants)):
            if len(variant.tests) == 1:
                self.messages[variant.tests[0]] = self.messages[variant.tests[0]] or NO_REPORT

    def _repeat_tests(self, rows: Sequence[MinedSubject]) -> None:
        """Run the confirmed tests of rows again, `PASSES` times in all; those that fail no longer pass.

        The last time no other files are collected with them: a test may pass only because of what these import.
        """
        node_ids = sorted({test.node_id for row in rows for test in row.tests if test.confirmed})
        self._run(
            [
                replace(variant, name=f"{variant.name} {number}", shared=number < PASSES - 1)
                for number in range(1, PASSES)
                for variant in _variants_of(node_ids, trace=False)
            ]
        )

    def _run(self, variants: Sequence[Variant]) -> list[Variant]:
        """Run variants and record their answers; return the variants without a report."""
        unreported = []
        for variant, answer in self._runner.run(variants, "running tests"):
            path = variant.tests[0].partition("::")[0]
            if answer.exit < 0 and not answer.outcomes:
                unreported.append(variant)
            self.set_up_calls.setdefault(path, []).extend(
                (file, self._first_line_of(file, line)) for file, line in answer.reached
            )
            for node_id in variant.tests:
                if not answer.passed(node_id):
                    self.passing.discard(node_id)
                elif variant.trace:
                    self.passing.add(node_id)
                self._record(node_id, variant, answer)
        return unreported

    def _record(self, node_id: str, variant: Variant, answer: VariantAnswer) -> None:
        """Record the result of one test."""
        if any(is_node_of_test(name, node_id) for name in answer.disturbed):
            self._disturbed.add(node_id)
        if any(is_node_of_test(name, node_id) for name in answer.outcomes):
            self.collected.add(node_id)
        if answer.skipped(node_id):
            self.skipped.add(node_id)
        if answer.failed(node_id):
            reasons = [text for name, text in answer.messages.items() if is_node_of_test(name, node_id)]
            general = answer.problem or next(iter(answer.messages.values()), "")
            self.messages.setdefault(node_id, reasons[0] if reasons else general)
        for name, seconds in answer.durations.items():
            if is_node_of_test(name, node_id) and not variant.trace:
                self.seconds[node_id] = self.seconds.get(node_id, 0.0) + seconds
        for name, calls in answer.calls.items():
            if is_node_of_test(name, node_id):
                started = [(file, self._first_line_of(file, line), direct) for file, line, direct in calls]
                self.calls_by_test.setdefault(node_id, []).extend(started)

    def _first_line_of(self, path: str, line: int) -> int:
        return self._first_lines.get((path, line), line)

    def reached(self) -> dict[str, set[tuple[str, int]]]:
        """Return the functions that ran for each test: those it called, and those run to set up its file."""
        return {
            node_id: {(path, line) for path, line, _ in calls}
            | {*self.set_up_calls.get(node_id.partition("::")[0], ())}
            for node_id, calls in self.calls_by_test.items()
        }

    def confirm(self, rows: Sequence[MinedSubject]) -> list[MinedSubject]:
        """Return the rows with confirmed tests and verdicts of the filters "direct" and "executable".

        Only tests of functions that no filter excludes are run again.
        """
        first = [self._confirm_row(row) for row in rows]
        self._repeat_tests([row for row in first if not row.is_excluded])
        return [self._confirm_row(row) for row in rows]

    def _confirm_row(self, row: MinedSubject) -> MinedSubject:
        tests = tuple(self._confirm_test(row, test) for test in row.tests)
        is_confirmed = any(test.confirmed for test in tests)
        reason = "" if is_confirmed else self._find_failure(row)
        direct = direct_filter(test.how for test in tests)
        row = replace(row, tests=tests)
        row = row if direct in row.filters else row.with_filter(direct)
        return row.with_filter(FilterVerdict("executable", is_confirmed, reason))

    def _confirm_test(self, row: MinedSubject, test: MinedTest) -> MinedTest:
        """Return a test with ``confirmed`` set: whether it passes and runs the function.

        A test that was matched as a caller but ran the function only through other code becomes a "helper" match.
        """
        calls = self.calls_by_test.get(test.node_id, [])
        directs = {direct for path, line, direct in calls if path == row.module_path and line == row.span[0]}
        function = self._project.by_path[row.module_path].functions[row.qualified_name]
        if test.how == "call" and directs == {False} and _is_run_by_its_caller(function):
            test = replace(test, how="helper")
        return replace(test, confirmed=test.node_id in self.passing and bool(directs))

    def _find_failure(self, row: MinedSubject) -> str:
        if not any(test.node_id for test in row.tests):
            return "pytest does not collect its tests"
        message = next((self.messages[test.node_id] for test in row.tests if self.messages.get(test.node_id)), "")
        if any(test.node_id in self.passing for test in row.tests):
            others = f", and others do not pass: {end_of_message(message)}" if message else ""
            condition = condition_over(self._project.by_path[row.module_path].tree, row.span[0])
            return f"no passing test runs it{_describe_condition(condition)}{others}"
        if all(test.node_id in self.skipped for test in row.tests if test.node_id):
            return f"pytest skips its tests: {end_of_message(message.removeprefix('Skipped: ')) or SKIPPED}"
        if message:
            return f"its tests do not pass three times: {end_of_message(message)}"
        if self.collected & {test.node_id for test in row.tests}:
            return "its tests do not pass"
        return f"{NOT_FOUND}{_describe_condition(next(filter(None, map(self._condition_of, row.tests)), ''))}"

    def _condition_of(self, test: MinedTest) -> str:
        """Return the condition around a test's definition, "" if there is none."""
        module = self._project.by_path.get(test.path)
        info = module.functions.get(test.qualified_name) if module is not None else None
        return condition_over(module.tree, info.node.lineno) if module is not None and info is not None else ""

    def _rank_tests(self, row: MinedSubject) -> tuple[str, ...]:
        """Return the node ids of a function's confirmed tests, the most direct and quickest, at most so many."""
        ranked = sorted(
            (test.how not in ("call", "argument"), self.seconds.get(test.node_id, 0.0), test.node_id)
            for test in row.tests
            if test.confirmed
        )
        return tuple(dict.fromkeys(node_id for _, _, node_id in ranked))[:MAX_STRENGTH_TESTS]

    def _changed_variant(self, row: MinedSubject, body: str, tests: Sequence[str], file: str) -> Variant:
        """Return a variant in which a function has another body; its name encodes both.

        A test that fails beside others' tests must not count as noticing it.
        """
        return Variant(
            name=json.dumps([*row.key, body]),
            tests=tuple(tests),
            files={row.module_path: file},
            until_failure=True,
            shared=self._disturbed.isdisjoint(tests),
            changed=(row.module_path, row.span[0]),
        )

    def check_noticing(self, rows: Sequence[MinedSubject]) -> list[MinedSubject]:
        """Return the rows with the verdict of the filter "noticed": whether tests fail while a body is missing.

        Tests that run alone have shown it; those of the other functions are run in the repository.
        """
        variants = []
        for row in rows:
            if row.is_excluded or (row.context and row.recipe != "evocodebench"):
                continue
            tests = self._rank_tests(row)
            function = self._project.by_path[row.module_path].functions[row.qualified_name]
            for body in STUB_BODIES:
                variants.append(self._changed_variant(row, body, tests, replace_body(function, body)))
        missed: dict[tuple[str, str], str] = {}
        for variant, answer in self._runner.run(sort_by_files(variants), "running tests without functions"):
            path, name, body = json.loads(variant.name)
            if answer.exit == 0 and not any(map(answer.failed, variant.tests)):
                missed.setdefault((path, name), f"its tests still pass with only {body} as body")
            elif answer.exit < 0:
                missed.setdefault((path, name), answer.problem or "checking whether its tests notice took too long")
        return [
            row
            if row.is_excluded
            else row.with_filter(FilterVerdict("noticed", row.key not in missed, missed.get(row.key, "")))
            for row in rows
        ]

    def measure_strength(self, rows: Sequence[MinedSubject]) -> list[MinedSubject]:
        """Return the rows with the verdict of the filter ``strong`` for selected ones, by their standalone tests.

        The reason names the wrong bodies that these tests accept, each with a kind of test that would notice it.
        """
        variants, bodies = [], {}
        for row in rows:
            tests = [test.node_id for test in row.tests if test.confirmed and test.code][:MAX_STRENGTH_TESTS]
            if not row.selected or not tests:
                continue
            for body in weak_bodies(self._project.by_path[row.module_path].functions[row.qualified_name]):
                variants.append(self._changed_variant(row, body.description, tests, body.file))
                bodies[variants[-1].name] = body
        missed: dict[tuple[str, str], list[str]] = {}
        for variant, answer in self._runner.run(sort_by_files(variants), "measuring the strength of tests"):
            path, name, description = json.loads(variant.name)
            reasons = missed.setdefault((path, name), [])
            if answer.exit == 0 and not any(map(answer.failed, variant.tests)):
                reasons.append(f"its tests pass with {description}; {bodies[variant.name].noticed_by} would notice")
        return [
            row.with_filter(FilterVerdict("strong", not missed[row.key], ". ".join(missed[row.key])))
            if row.key in missed
            else row
            for row in rows
        ]
