"""Read and write EvalPlus' JSON lines: HumanEval with argument lists in place of tests.

The base and plus inputs are lists of argument lists; the canonical solution determines the expected results. If an item
has none, they are taken from its tests, provided these only compare calls with plain values.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annotator.base.plain_json import python_text, python_value
from annotator.formats.interchange.humaneval import (
    SplitProgram,
    docstring_title,
    ending_name,
    guarded_name,
    split_program,
)
from annotator.formats.interchange.plain_calls import plain_calls
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    dataset_candidate,
    list_column,
    number_column,
    text_column,
)
from annotator.formats.write.export_folder import CannotHoldError, ExportResult, Head, Item, short_key
from annotator.formats.write.row_exports import export_rows
from annotator.text.python_tree import free_names, tree_or_empty

_INPUT_KINDS = ("base", "plus")
_PUBLISHED_TEST = "check"
_SPECIAL_ENTRY_POINT = "find_zero"
_SPECIAL_TASK = "HumanEval/32"
# EvalPlus compares floats with this tolerance if a row's own is 0.
_DEFAULT_TOLERANCE = 1e-06
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


def evalplus_candidate(row: Row, dataset: str = "EvalPlus") -> Candidate:
    """Return a row of EvalPlus as a candidate. Raises `ColumnError` for a column that does not fit.

    The expected results come from the reference, so the tests contain it.
    """
    prompt = text_column(row, "prompt", filled=True)
    entry_point = text_column(row, "entry_point", filled=True)
    if not entry_point.isidentifier():
        raise ColumnError(f"the entry point {entry_point} is not a name")
    code = text_column(row, "test", default="") or text_column(row, "assertion", default="")
    tests = [_make_inputs_test(row, kind, prompt, entry_point) for kind in _INPUT_KINDS]
    if code:
        tests.append(CandidateTest(name="check", code=code, language="python"))
    return dataset_candidate(
        row, dataset, "task_id",
        title=docstring_title(prompt, entry_point),
        prompt=prompt,
        reference=text_column(row, "canonical_solution"),
        entry_point=entry_point,
        extra={"contract": text_column(row, "contract", default=""), "atol": number_column(row, "atol", 0)},
        tests=tuple(tests),
    )  # fmt: skip


def _make_inputs_test(row: Row, kind: str, prompt: str, entry_point: str) -> CandidateTest:
    calls = list_column(row, f"{kind}_input")
    if not all(isinstance(call, list) for call in calls):
        raise ColumnError(f"column {kind}_input must be a list of argument lists")
    if not calls:
        return CandidateTest(name=kind, language="python", inputs={"calls": calls})
    code = _CHECK.format(
        entry_point=entry_point,
        calls=python_text(calls),
        reference=prompt + text_column(row, "canonical_solution"),
        atol=float(number_column(row, "atol", 0)) or _DEFAULT_TOLERANCE,
    )
    return CandidateTest(name=kind, code=code, language="python", inputs={"calls": calls})


def export_evalplus(head: Head, items: Sequence[Item], folder: Path) -> ExportResult:
    """Write the release as ``evalplus.jsonl``, to be named in ``HUMANEVAL_OVERRIDE_PATH``."""
    return export_rows("evalplus", head, items, folder, file="evalplus.jsonl", make=_make_row, name="task_id")


def _make_row(item: Item) -> dict[str, Any]:
    program = split_program(item)
    _refuse_special(item, program)
    calls = {kind: _listed_calls(item, kind) for kind in _INPUT_KINDS}
    has_lists = any(calls.values())
    code = ""
    for test in item["tests"]:
        if test["name"] in _INPUT_KINDS or not test["code"].strip():
            continue
        if has_lists and test["name"] == _PUBLISHED_TEST:
            # EvalPlus's own rows hold their lists of arguments as HumanEval's test beside them.
            code = code or test["code"]
            continue
        calls["base"] += [call for call in plain_calls(test["code"], program.entry_point) if call not in calls["base"]]
        code = code or (test["code"] if "def check(" in test["code"] else "")
    if not any(calls.values()):
        raise CannotHoldError("its tests contain no calls with plain values, so there are no argument lists")
    extra = item.get("extra", {})
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


def _refuse_special(item: Item, program: SplitProgram) -> None:
    """Raise `CannotHoldError` for a program that EvalPlus cannot run, or judges by a special rule.

    It runs the references of all items in its own process to get the expected results, so a reference that ends the
    process ends the whole evaluation.
    """
    code = program.prompt + program.solution
    if name := ending_name(code):
        raise CannotHoldError(f"its reference uses {name}, and EvalPlus runs all references in its own process")
    if name := guarded_name(code, "open"):
        raise CannotHoldError(f"its reference uses {name}, which EvalPlus disables for answers")
    if names := free_names(tree_or_empty(code)):
        raise CannotHoldError(f"its reference reads {min(names)}, which it does not define, and EvalPlus runs no tests")
    if program.entry_point == _SPECIAL_ENTRY_POINT and short_key(item["key"]) != _SPECIAL_TASK:
        raise CannotHoldError(f"EvalPlus judges every {_SPECIAL_ENTRY_POINT} by the rule of {_SPECIAL_TASK}")


def _listed_calls(item: Item, kind: str) -> list[Any]:
    call_lists = [test["inputs"].get("calls") or [] for test in item["tests"] if test["name"] == kind]
    return [call for calls in python_value(call_lists) for call in calls]
