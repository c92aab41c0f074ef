"""Read MBPP's JSON lines: ``task_id, text or prompt, code, test_list``, with the imports and set-up its tests need.

The full set calls the question ``text`` and the set-up ``test_setup_code``; the sanitized one calls them ``prompt`` and
``test_imports``. Every assertion becomes one test. MBPP+ is read here too.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from annotator.formats.interchange import evalplus
from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    dataset_candidate,
    row_name,
    text_column,
    text_list_column,
)
from annotator.text.python_tree import tree_or_empty

_BUILT_IN = ("set", "sorted", "list", "tuple", "abs", "round", "len", "str", "int", "float", "dict", "sum", "bool")


def mbppplus_candidate(row: Row) -> Candidate:
    """Return a task of MBPP+ as a candidate: MBPP's columns with more tests in ``test``, or EvalPlus' own."""
    if "base_input" in row:
        return evalplus.evalplus_candidate(row, "mbppplus", "MBPP+")
    base, name = mbpp_candidate(row), row_name(row, "task_id")
    more = CandidateTest(name="plus", code=text_column(row, "test", filled=True), language="python")
    origin = {"dataset": "MBPP+", "task_id": name}
    return replace(base, key=f"mbppplus:{name}", provenance=origin, tests=(*base.tests, more))


def mbpp_candidate(row: Row) -> Candidate:
    """Return a task as a candidate."""
    name = row_name(row, "task_id")
    prompt = text_column(row, "text" if "text" in row else "prompt", filled=True)
    tests, harder = text_list_column(row, "test_list"), text_list_column(row, "challenge_test_list")
    if not tests:
        raise ColumnError(f"column test_list of {name} holds no tests")
    before = "\n".join([*text_list_column(row, "test_imports"), text_column(row, "test_setup_code", default="")]).strip(
        "\n"
    )
    return dataset_candidate(
        row, "MBPP", "task_id",
        title=first_line(prompt),
        prompt=prompt,
        reference=text_column(row, "code"),
        entry_point=_tested_function(tests[0]),
        tests=tuple(_test(code, number, "test", before) for number, code in enumerate(tests, start=1))
        + tuple(_test(code, number, "challenge", before) for number, code in enumerate(harder, start=1)),
    )  # fmt: skip


def _test(code: str, number: int, kind: str, before: str) -> CandidateTest:
    return CandidateTest(name=f"{kind} {number}", code=f"{before}\n{code}" if before else code, language="python")


def _tested_function(assertion: str) -> str:
    """Return the function an assertion tests: the first one called that is not a built-in."""
    for node in ast.walk(tree_or_empty(assertion.strip())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in _BUILT_IN:
            return node.func.id
    return ""
