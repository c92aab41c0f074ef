"""Use cases read what they decide by in the transaction that writes; the others are named, and what makes them safe."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.trees import PACKAGE, tree_of

BY_CONTENT = "the result is stored under the hash of the content that was run"
CHECKED_AGAIN = "the write checks again what was read before it"
NEVER_CHANGES = "what is read before never changes: an identifier, a frozen release, a recorded request"
READ_BEFORE = {
    "bugs/implanted_bugs.py _prove_bug_again": BY_CONTENT,
    "bugs/implanted_bugs.py edit_bug": CHECKED_AGAIN,
    "consensus/three_experts.py record_confirmation": CHECKED_AGAIN,
    "consensus/three_experts.py run_artefacts": BY_CONTENT,
    "project/time_machine.py restore_as_of": NEVER_CHANGES,
    "prompt/rewrites.py check_rewrite": BY_CONTENT,
    "release/versions.py create_release": CHECKED_AGAIN,
    "runs/execution.py _release_score_set": "the run is claimed, so no other process writes to it",
    "runs/recorded_answers.py _import_outcomes": CHECKED_AGAIN,
    "runs/rescoring.py rescore_responses": CHECKED_AGAIN,
    "runs/run_control.py start_replay": NEVER_CHANGES,
    "runs/run_list.py list_runs": "counts of a finished run come out the same whoever saves them",
    "runs/run_plan.py plan_run": "the forecast is for the reader; the plan is read in the write",
    "suggestions.py accept_suggestion": NEVER_CHANGES,
}


def _calls(function: ast.FunctionDef, method: str) -> Iterator[ast.Call]:
    """Yield the calls of `store.read()` or `store.write()` in a function."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = ast.unparse(node.func.value).rpartition(".")[2]
        if node.func.attr == method and owner in ("store", "_store"):
            yield node


def _reads(function: ast.FunctionDef) -> list[ast.Call]:
    return [*_calls(function, "read"), *_calls(function, "reader")]


def _called_names(function: ast.FunctionDef) -> Iterator[tuple[str, int]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node.lineno


def _reads_before_writing(path: Path) -> Iterator[str]:
    """Yield the functions of a module that read, by themselves or by others of the module, before they write."""
    functions = {node.name: node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)}
    readers = {name for name, function in functions.items() if _reads(function)}
    while more := {
        name
        for name, function in functions.items()
        if name not in readers and any(called in readers for called, _ in _called_names(function))
    }:
        readers |= more
    for name, function in functions.items():
        first_write = min((call.lineno for call in _calls(function, "write")), default=0)
        lines = [call.lineno for call in _reads(function)]
        lines += [line for called, line in _called_names(function) if called in readers]
        if any(line < first_write for line in lines):
            yield name


def test_what_is_decided_by_is_read_in_the_transaction_that_writes() -> None:
    services = PACKAGE / "services"
    found = {
        f"{path.relative_to(services).as_posix()} {name}"
        for path in services.rglob("*.py")
        for name in _reads_before_writing(path)
    }
    assert found == READ_BEFORE.keys()
