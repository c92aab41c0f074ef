"""Changed code of right Python answers fails in the mode of its tests where it fails in one process with them.

Run as ``python -m tests.benchmarks.mutants`` with the verdict data beside the project; needs the sandbox's image.
"""

from __future__ import annotations

import ast
import copy
import itertools
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from annotator.construction.bugs.variables import variable_bugs
from annotator.construction.languages.tree_sitter_bugs import tree_bugs
from annotator.sandbox import Job, Pool, TestCode
from annotator.sandbox.sandbox_places import DockerPlace

DATA = Path(__file__).parents[3] / "shared" / "data" / "verdicts-dev" / "python.jsonl"
WANTED, TRIED = 2, 40
_DROPPED = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Delete)


class _Changed(ast.NodeTransformer):
    """Changes the node with a number, counted in the order of visits, where it is of a kind that can be changed."""

    def __init__(self, wanted: int, value: str | None) -> None:
        self._wanted, self._value, self._count, self.changed = wanted, value, -1, False

    def generic_visit(self, node: ast.AST) -> ast.AST:
        self._count += 1
        if self._count == self._wanted:
            other = _other(node, self._value)
            self.changed = other is not None
            return node if other is None else ast.copy_location(other, node)
        return super().generic_visit(node)


def _other(node: ast.AST, value: str | None) -> ast.AST | None:
    """Return what may stand in the place of a node, None where nothing here may; ``value`` is what is given back."""
    if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
        same = isinstance(node.value, ast.Constant) and node.value.value == value
        return None if same else type(node)(value=ast.Constant(value))
    if value is not None:
        return None
    if isinstance(node, _DROPPED):
        text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.Yield)
        return None if text else ast.Pass()
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str):
        old = node.value
        return ast.Constant(not old if isinstance(old, bool) else old + "x" if isinstance(old, str) else old + 1)
    return None


def simple_changes(code: str) -> Iterator[str]:
    """Yield a code with one return, statement or constant changed at a time, and with functions that raise."""
    tree = ast.parse(code)
    for value, number in itertools.product((None, "other"), range(sum(1 for _ in ast.walk(tree)))):
        change = _Changed(number, value)
        text = ast.unparse(ast.fix_missing_locations(change.visit(copy.deepcopy(tree))))
        if change.changed:
            yield text
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kept, node.body = node.body, ast.parse("raise RuntimeError('changed')").body
            yield ast.unparse(tree)
            node.body = kept


def mutants() -> Iterator[Job]:
    """Yield changed code of each right answer with its tests; the id is the answer's and the change's number."""
    with open(DATA, encoding="utf-8") as stream:
        rows = [row for row in map(json.loads, stream) if row["expect"] == "pass" and row.get("tests")]
    for row in rows:
        changes = (*tree_bugs(row["code"], "python"), *variable_bugs(row["code"]))
        proposals = [item.code for item in changes if item.family == "logic"][: TRIED // 2]
        tests = tuple(TestCode(test["name"], test["code"]) for test in row["tests"])
        for number, code in enumerate([*proposals, *simple_changes(row["code"])][:TRIED]):
            yield Job(id=f"{row['id']}#{number}", language="python", code=code, tests=tests)


def main() -> int:
    """Run them all; return 1 if one passes that must not."""
    jobs = list(mutants())
    place = DockerPlace()
    with Pool(place) as pool:
        plain = list(pool.run([replace(job, mode="fast") for job in jobs]))
        failing: dict[str, list[Job]] = {}
        for job, result in zip(jobs, plain, strict=True):
            if result.outcome != "pass":
                failing.setdefault(job.id.rpartition("#")[0], []).append(job)
        chosen = [job for found in failing.values() for job in found[:WANTED]]
        judged = list(pool.run(chosen))
    place.close()
    wrong = [(job.id, result.outcome) for job, result in zip(chosen, judged, strict=True) if result.outcome == "pass"]
    few = sorted(
        {job.id.rpartition("#")[0] for job in jobs} - {name for name, found in failing.items() if len(found) >= WANTED}
    )
    answers = sum(len(found) >= WANTED for found in failing.values())
    print(f"{len(jobs)} changes, {len(chosen)} that fail, {answers} answers with two: passed {wrong}; fewer: {few}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
