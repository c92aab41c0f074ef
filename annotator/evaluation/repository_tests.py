"""Score an answer in its repository's own tree: the body goes into its file, and the repository's own tests decide.

(Specification of repository mining, section 5.)

An item gives its location in ``extra.repositoryplace`` and identifies the repository's content by digest; callers pass
the files themselves. The sandbox receives neither the reference nor anything of another answer.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import secrets
import tarfile
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from annotator.answers.choice import find_code
from annotator.answers.code import code_spec_for
from annotator.base.errors import BadInputError
from annotator.base.resources import resource_path
from annotator.evaluation.answer_scoring import (
    CUT_SHORT,
    AnswerProgram,
    ScoredResponse,
    ScoreJob,
    add_forgotten_imports,
    cut_at_stops,
)
from annotator.evaluation.released_items import Item
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Job, JobResult, Limits
from annotator.sandbox.libraries import LIBRARIES, libraries_digest
from annotator.text.python_tree import first_line, readable_tree, tree_or_empty

GRADER = "repository"
"""The ``extra.grader`` of such items."""
WEAKER = "the repository's tests share a process with the code"
TEST_SECONDS = 20.0
PATIENCE = 4
"""Wall-clock limit of a test as a multiple of its time limit: the machine may be busy."""
START_SECONDS = 120.0
MOST_SECONDS = 1800.0
_ARCHIVE = "repository.b64"


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryPlace:
    """The location of a function: the repository's digest, its import roots, its file, the lines of its body (from 1,
    both ends included), its name, and the pytest ids of its tests. ``wheel`` (``name==version``) is the source of the
    repository's built files, if it has any."""

    digest: str
    roots: tuple[str, ...]
    path: str
    first: int
    last: int
    name: str
    tests: tuple[str, ...]
    wheel: str = ""


def read_repository_place(item: Item) -> RepositoryPlace:
    """Return an item's place. Raises `BadInputError` for an invalid one, which imported files may contain."""
    extra = item.get("extra")
    location = extra.get("repositoryplace") if isinstance(extra, Mapping) else None
    if not isinstance(location, Mapping):
        raise BadInputError("The item does not state its location in the repository.")
    texts = [location.get(name) for name in ("digest", "path", "name")]
    lists = [location.get(name) for name in ("roots", "tests")]
    body = location.get("body")
    is_valid = (
        all(isinstance(text, str) and text for text in texts)
        and all(isinstance(names, list) and all(isinstance(text, str) for text in names) for names in lists)
        and isinstance(body, list)
        and len(body) == 2
        and all(isinstance(line, int) and not isinstance(line, bool) for line in body)
        and 1 <= body[0] <= body[1]
    )
    if not is_valid:
        raise BadInputError("The item's location in the repository is not valid.")
    digest, path, name = (str(text) for text in texts)
    roots, tests = (tuple(map(str, names or ())) for names in lists)
    for file in (path, *roots):
        if file.startswith("/") or ".." in file.split("/"):
            raise BadInputError("The item's location is outside its repository.")
    if not tests or any(test.startswith("-") for test in tests):
        raise BadInputError("The item has no tests that pytest knows by name.")
    assert isinstance(body, list)
    wheel = location.get("wheel")
    return RepositoryPlace(
        digest=digest,
        roots=roots,
        path=path,
        first=body[0],
        last=body[1],
        name=name,
        tests=tests,
        wheel=wheel if isinstance(wheel, str) else "",
    )


# -- from an answer to the file ----------------------------------------------------------------------------------------


def body_of_answer(job: ScoreJob, place: RepositoryPlace) -> AnswerProgram:
    """Return the function body in an answer, without indentation; empty if there is none.

    A chat answer holds the whole function, or the body alone. Code outside the function is dropped, but if the protocol
    completes imports, the answer's imports that its body uses are put before it. A base model continues after the
    signature: its body ends before the first line that is indented less.
    """
    if job.continued:
        body = _cut_at_body_end(cut_at_stops(job.text, job.stops))
        return AnswerProgram(code=body, added=(), how="took the text as the continuation of the prompt")
    answer = find_code(job.text, code_spec_for("python", place.name), finish_reason=job.finish_reason)
    code = textwrap.dedent(answer.text).strip("\n")
    body_text = function_body(code, place.name)
    if body_text is None:
        return AnswerProgram(code=code, added=(), how=answer.how, outcome=answer.outcome)
    body, added = add_forgotten_imports(body_text, (code,)) if job.complete else (body_text, ())
    return AnswerProgram(code=body, added=added, how=answer.how)


def function_body(code: str, name: str) -> str | None:
    """Return the body of the named function, not indented and without its docstring; None if it is missing."""
    code = textwrap.dedent(code)
    tree = tree_or_empty(code)
    function_name = name.rpartition(".")[2]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function_name:
            body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
            if not body:
                return "pass"
            lines = code.split("\n")
            first = first_line(body[0])
            if first == node.lineno or lines[first - 1][: body[0].col_offset].strip():
                return ast.unparse(ast.Module(body, []))
            return _reindent(lines, first, node.end_lineno or first, _lines_in_strings(tree), "")
    return None


def _lines_in_strings(tree: ast.AST) -> frozenset[int]:
    """Return the lines that begin inside a string literal: indenting them would change its value."""
    line_numbers: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))):
            line_numbers.update(range(node.lineno + 1, (node.end_lineno or 0) + 1))
    return frozenset(line_numbers)


def _reindent(lines: list[str], first: int, last: int, fixed_lines: frozenset[int], margin: str) -> str:
    """Return lines ``first`` to ``last`` with the first one's indentation replaced by ``margin``."""
    old_margin = lines[first - 1][: len(lines[first - 1]) - len(lines[first - 1].lstrip())]
    new_lines = []
    for number in range(first, last + 1):
        line = lines[number - 1]
        if number not in fixed_lines:
            line = margin + line.removeprefix(old_margin) if line.strip() else ""
        new_lines.append(line)
    return "\n".join(new_lines)


def _cut_at_body_end(text: str) -> str:
    """Return the lines of a continuation before the first one that is indented less and no longer in the body."""
    lines = text.strip("\n").split("\n")
    start = next((line for line in lines if line.strip()), "")
    margin = start[: len(start) - len(start.lstrip())]
    for number, line in enumerate(lines):
        if number and margin and line.strip() and not line.startswith(margin) and _is_body(lines[:number]):
            lines = lines[:number]
            break
    return _dedent_body("\n".join(lines).rstrip(), margin)


def _is_body(lines: list[str]) -> bool:
    """Return whether lines parse as a body: lines inside a multi-line string may be indented less."""
    text = "\n".join(lines)
    return readable_tree(f"if 1:\n{text}\n") is not None


def _dedent_body(text: str, margin: str) -> str:
    if not margin:
        return text
    fixed_lines = frozenset(line - 1 for line in _lines_in_strings(tree_or_empty(f"if 1:\n{text}\n")))
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines, start=1) if line.strip()), 1)
    return _reindent(lines, first, len(lines), fixed_lines, "")


def with_body(source: str, place: RepositoryPlace, body: str) -> str:
    """Return a file with the body of the place replaced. Raises `BadInputError` if the lines are not there."""
    lines = source.split("\n")
    if place.last > len(lines):
        raise BadInputError(f"{place.path} has {len(lines)} lines, so the body cannot end in line {place.last}.")
    first_line_text = lines[place.first - 1]
    margin = first_line_text[: len(first_line_text) - len(first_line_text.lstrip())]
    fixed_lines = _lines_in_strings(tree_or_empty(body))
    body_lines = body.split("\n")
    indented_lines = [
        line if number in fixed_lines or not line.strip() else margin + line
        for number, line in enumerate(body_lines, start=1)
    ]
    return "\n".join([*lines[: place.first - 1], *indented_lines, *lines[place.last :]])


# -- running -----------------------------------------------------------------------------------------------------------


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Return files as a compressed archive, the same for the same files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz", preset=1) as archive:
        for name, data in sorted(files.items()):
            # Without the owner and time of a real file, equal files give equal archives.
            member = tarfile.TarInfo(name)
            member.size = len(data)
            member.mode = 0o644
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


@dataclass(frozen=True, slots=True)
class RepositoryJob:
    """A sandbox job, with the mark that begins the lines of its report."""

    job: Job
    mark: str


@cache
def _read_runner() -> str:
    return resource_path("sandbox", "mining", "runner.py").read_text(encoding="utf-8")


def make_job(item: Item, place: RepositoryPlace, files: Mapping[str, bytes], body: str) -> RepositoryJob:
    """Return the job that runs an item's tests on a body, in a repository of these files.

    The function's file, and every copy of it, is left out of the archive: the answer's version replaces it. Raises
    `BadInputError` if the repository does not have the file.
    """
    original = files.get(place.path)
    if original is None:
        raise BadInputError(f"The repository has no file {place.path}.")
    source = with_body(original.decode("utf-8"), place, body)
    other_files = {
        name: data for name, data in files.items() if data != original and not name.endswith((".pyc", ".pyo"))
    }
    # Unguessable, so that an answer cannot print lines of a report.
    mark = secrets.token_hex(12)
    deadline = min(MOST_SECONDS, START_SECONDS + TEST_SECONDS * PATIENCE * len(place.tests))
    request = {
        "mark": mark,
        "roots": list(place.roots),
        "environment": LIBRARIES,
        "archive": _ARCHIVE,
        "variants": [
            {
                "name": place.name, "tests": list(place.tests), "files": {place.path: source}, "trace": False,
                "alone": False, "until_failure": True, "seconds": TEST_SECONDS, "deadline": deadline,
            }
        ],
    }  # fmt: skip
    job_files = {
        "request.json": json.dumps(request),
        _ARCHIVE: base64.b64encode(pack_files(other_files)).decode("ascii"),
    }
    limits = Limits(
        wall_s=deadline + START_SECONDS, cpu_s=deadline + START_SECONDS, memory_mb=1024, file_mb=64, output_kb=8192,
        kept_kb=8192,
    )  # fmt: skip
    name = str(item.get("key") or item.get("id") or "item")
    libraries = libraries_digest(item.get("extra"))
    return RepositoryJob(
        Job(id=name, language="python", code=_read_runner(), files=job_files, limits=limits, libraries=libraries), mark
    )


# -- scoring -----------------------------------------------------------------------------------------------------------


def score_result(
    repository_job: RepositoryJob,
    place: RepositoryPlace,
    result: JobResult,
    finish_reason: str = "stop",
    added: tuple[str, ...] = (),
) -> ScoredResponse:
    """Return the score of an answer: 1 if every test of its item passes, else 0; None if the sandbox failed.

    ``added`` are the imports that were put before its body, for the log.
    """
    if result.outcome == "machinery":
        reason = {"rules": [], "reason": result.message}
        return ScoredResponse(outcome=Outcome.MACHINERY, points=None, total=None, score=None, detail=reason)
    is_ready, report = _read_report(repository_job.mark, result)
    if not is_ready:
        return ScoredResponse(
            outcome=Outcome.MACHINERY,
            points=None,
            total=None,
            score=None,
            detail={"rules": [], "reason": _describe_layout_failure(result)},
        )
    outcome_map = report.get("outcomes")
    outcomes = dict(outcome_map) if isinstance(outcome_map, Mapping) else {}
    message_map = report.get("messages")
    messages = [str(text) for text in message_map.values()] if isinstance(message_map, Mapping) else []
    rules = [
        {"label": test, "metric": "unit_test", "matched": has_passed, "points": float(has_passed), "total": 1.0}
        for test, has_passed in ((test, _has_passed(outcomes, test)) for test in place.tests)
    ]
    all_passed = report.get("exit") == 0 and all(rule["matched"] for rule in rules)
    message = ""
    if not all_passed:
        message = messages[0] if messages else result.message or "its tests ended without a report"
    detail: dict[str, Any] = {
        "rules": rules, "outcome": "pass" if all_passed else "fail", "message": message[:2000], "weaker": WEAKER,
    }  # fmt: skip
    if added:
        detail["imports_added"] = list(added)
    total = float(len(rules))
    if all_passed:
        return ScoredResponse(outcome=Outcome.PASS, points=total, total=total, score=1.0, detail=detail)
    earned = float(sum(bool(rule["matched"]) for rule in rules))
    return ScoredResponse(
        outcome=CUT_SHORT.get(finish_reason, Outcome.FAIL), points=earned, total=total, score=0.0, detail=detail
    )


def _read_report(mark: str, result: JobResult) -> tuple[bool, Mapping[str, Any]]:
    """Return whether the repository was laid out, and the report (empty without one)."""
    lines = [line[len(mark) :] for line in result.stdout.splitlines() if line.startswith(mark)]
    try:
        report = json.loads(lines[1]) if len(lines) > 1 else {}
    except (ValueError, RecursionError):
        report = {}
    return bool(lines), report if isinstance(report, Mapping) else {}


def _describe_layout_failure(result: JobResult) -> str:
    return f"The repository could not be laid out in the sandbox: {result.message or result.outcome}"[:500]


def _has_passed(outcomes: Mapping[str, Any], test: str) -> bool:
    """Return whether a test passed: at least one of its parameter sets ran, and none failed."""
    matching = [outcome for name, outcome in outcomes.items() if name == test or name.startswith(f"{test}[")]
    return "pass" in matching and "fail" not in matching
