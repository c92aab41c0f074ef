"""EvalPlus' JSON lines: HumanEval with argument lists in place of tests. Read, and written.

The base and plus inputs are lists of argument lists; what they should give is what the canonical solution gives.
Where an item has none, they are taken from assertions that call the entry point with plain values.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotator.base.plain_json import python_text, python_value
from annotator.formats.documents.attribution import credit_texts
from annotator.formats.interchange.humaneval import program_of, title_of
from annotator.formats.read.candidates import Candidate, CandidateTest, RowError
from annotator.formats.read.columns import ColumnError, Row, licence_of, listing, name_of, number, read_rows, text
from annotator.formats.write.export_folder import (
    CannotHoldError,
    Exported,
    Head,
    Item,
    convert,
    json_line,
    short_key,
    write_export,
)
from annotator.text.python_tree import tree_or_empty

INPUT_LIMIT = 2000
_KINDS = ("base", "plus")
_ATOL = 1e-06


_CHECK = '''def check(candidate):
    """Compare what calls give with what the reference solution gives."""
    import copy
    import math

    def same(found, wanted):
        # Floats may differ as little as EvalPlus lets them.
        if found == wanted:
            return True
        if isinstance(found, float) or isinstance(wanted, float):
            if not (isinstance(found, (int, float)) and isinstance(wanted, (int, float))):
                return False
            both_nan = math.isnan(found) and math.isnan(wanted)
            return both_nan or math.isclose(found, wanted, rel_tol=1e-07, abs_tol={atol!r})
        if isinstance(found, (list, tuple)) and type(found) is type(wanted) and len(found) == len(wanted):
            return all(same(one, other) for one, other in zip(found, wanted))
        return False

    names = {{}}
    exec(compile({reference!r}, "reference", "exec"), names)
    for call in {calls}:
        try:
            wanted = names[{entry_point!r}](*copy.deepcopy(call))
        except Exception:
            continue  # JSON could not hold the argument as it was, so this call says nothing.
        assert same(candidate(*copy.deepcopy(call)), wanted), call
'''


def read(path: Path, _: Mapping[str, str]) -> Iterator[Candidate | RowError]:
    """Yield a candidate per task."""
    yield from read_rows(path, lambda row: candidate(row, "evalplus", "EvalPlus"))


def candidate(row: Row, prefix: str, dataset: str) -> Candidate:
    """Turn a row of EvalPlus into a candidate; raises `ColumnError` saying which column does not fit.

    What is expected of argument lists is known from the reference alone, so the tests hold it.
    """
    name = name_of(row, "task_id")
    prompt, entry_point = text(row, "prompt", filled=True), text(row, "entry_point", filled=True)
    if not entry_point.isidentifier():
        raise ColumnError(f"the entry point {entry_point} is no name")
    code = text(row, "test", default="") or text(row, "assertion", default="")
    tests = [_inputs(row, kind, prompt, entry_point) for kind in _KINDS]
    if code:
        tests.append(CandidateTest(name="check", code=code, language="python"))
    return Candidate(
        key=f"{prefix}:{name}",
        title=title_of(prompt, entry_point),
        task="generation",
        language="python",
        licence=licence_of(row),
        prompt=prompt,
        reference=text(row, "canonical_solution"),
        entry_point=entry_point,
        provenance={"dataset": dataset, "task_id": name},
        extra={"contract": text(row, "contract", default=""), "atol": number(row, "atol", 0)},
        tests=tuple(tests),
    )


def _inputs(row: Row, kind: str, prompt: str, entry_point: str) -> CandidateTest:
    calls = listing(row, f"{kind}_input")
    if not all(isinstance(call, list) for call in calls):
        raise ColumnError(f"column {kind}_input must be a list of argument lists")
    if not calls:
        return CandidateTest(name=kind, language="python", inputs={"calls": calls})
    code = _CHECK.format(
        entry_point=entry_point,
        calls=python_text(calls),
        reference=prompt + text(row, "canonical_solution"),
        atol=float(number(row, "atol", 0)) or _ATOL,
    )
    return CandidateTest(name=kind, code=code, language="python", inputs={"calls": calls})


def export(head: Head, items: Sequence[Item], folder: Path) -> Exported:
    """Write the release as ``evalplus.jsonl``, to be named in ``HUMANEVAL_OVERRIDE_PATH``."""
    made, left = convert(items, _row)
    texts = {
        "evalplus.jsonl": "".join(json_line(row) for _, row in made),
        **credit_texts(head, (item for item, _ in made)),
    }
    return write_export("evalplus", head, folder, texts, len(made), left)


def _row(item: Item) -> dict[str, Any]:
    program = program_of(item)
    calls = {kind: _calls(item, kind) for kind in _KINDS}
    if not any(calls.values()):
        calls["base"] = _literal_calls(item, program.entry_point)
    if not any(calls.values()):
        raise CannotHoldError("its tests hold no calls with plain values, so there are no argument lists")
    extra = item.get("extra", {})
    codes = (test["code"] for test in item["tests"] if test["name"] not in _KINDS)
    code = next((code for code in codes if "def check(" in code), "")
    return {
        "task_id": short_key(item["key"]),
        "prompt": program.prompt,
        "entry_point": program.entry_point,
        "canonical_solution": program.solution,
        **({"test": code} if code else {}),
        "contract": str(extra.get("contract", "")),
        "base_input": calls["base"],
        "plus_input": calls["plus"],
        "atol": extra.get("atol", 0),
    }


def _calls(item: Item, kind: str) -> list[Any]:
    found = [test["inputs"].get("calls") or [] for test in item["tests"] if test["name"] == kind]
    return [call for calls in python_value(found) for call in calls]


def _literal_calls(item: Item, entry_point: str) -> list[Any]:
    """Return the argument lists of calls in the test code whose arguments are plain JSON values, each once."""
    found: dict[str, Any] = {}
    for test in item["tests"]:
        for node in ast.walk(tree_or_empty(test["code"])):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
                continue
            if node.func.id in ("candidate", entry_point) and len(found) < INPUT_LIMIT:
                values = _plain_values(node.args)
                if values is not None:
                    found.setdefault(json.dumps(values), values)
    return list(found.values())


def _plain_values(nodes: Sequence[ast.expr]) -> list[Any] | None:
    """Return the values of literals, None where one is not what JSON can hold unchanged."""
    try:
        values = [value for node in nodes for value in _argument_values(node)]
        same = json.loads(json.dumps(values, allow_nan=False)) == values
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return values if same and values else None


def _argument_values(node: ast.expr) -> list[Any]:
    """Return the value of an argument, or the values that a starred one stands for; raises as `ast.literal_eval`."""
    if not isinstance(node, ast.Starred):
        return [ast.literal_eval(node)]
    values = ast.literal_eval(node.value)
    if not isinstance(values, (list, tuple)):
        raise ValueError("what is starred has no order")
    return list(values)
