"""Read rows of published Python data sets that need little more than other column names."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from annotator.formats.interchange.humaneval import docstring_title
from annotator.formats.read.import_records import Candidate, CandidateTest, first_line
from annotator.formats.read.typed_columns import (
    ColumnError,
    Row,
    dataset_candidate,
    object_column,
    row_licence,
    row_name,
    text_column,
    text_list_column,
)
from annotator.text.python_tree import readable_tree

_FUNCTION = "f"
_CALL_PROMPT = (
    "Work out what the call below returns.\n\nCode:\n```python\n{code}\n```\n\nCall:\n```python\n{call}\n```\n\n"
    "Answer with the returned value only, written as Python writes it, on the last line, after `Answer:`."
)
_CLASS_PROMPT = "Complete the class {name} below.\n\n```python\n{skeleton}\n```\n"


def bigcodebench_candidate(row: Row) -> Candidate:
    """Return a row of BigCodeBench as a candidate.

    The reference continues ``complete_prompt``, so that is the prompt; the instruction goes into ``extra``.
    """
    prompt, entry_point = text_column(row, "complete_prompt", filled=True), text_column(row, "entry_point", filled=True)
    extra = {"instruction": text_column(row, "instruct_prompt", default=""), "libs": _libraries(row.get("libs"))}
    return dataset_candidate(
        row, "BigCodeBench", "task_id",
        title=docstring_title(prompt, entry_point),
        task="completion",
        prompt=prompt,
        reference=text_column(row, "canonical_solution"),
        entry_point=entry_point,
        extra={field: value for field, value in extra.items() if value},
        tests=(CandidateTest(name="test", code=text_column(row, "test", filled=True), language="python"),),
    )  # fmt: skip


def _libraries(value: Any) -> list[str]:
    """Return the names of libraries; the data set has the list as Python source text."""
    if isinstance(value, str):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            value = ast.literal_eval(value)
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def classeval_candidate(row: Row) -> Candidate:
    """Return a row of ClassEval as a candidate; the task is to complete a class."""
    name = text_column(row, "class_name", filled=True)
    # The data set runs the tests below the class in one file, so they rely on its imports.
    test = "\n".join([*text_list_column(row, "import_statement"), text_column(row, "test", filled=True)])
    return dataset_candidate(
        row, "ClassEval", "task_id",
        title=f"{name} ({row_name(row, 'task_id')})",
        prompt=_CLASS_PROMPT.format(name=name, skeleton=text_column(row, "skeleton", filled=True).rstrip()),
        reference=text_column(row, "solution_code"),
        entry_point=name,
        tests=(CandidateTest(name="test", code=test, language="python"),),
    )  # fmt: skip


def cruxeval_candidate(row: Row) -> Candidate:
    """Return a row of CRUXEval as a candidate; the task is to predict what a function call returns."""
    code = text_column(row, "code", filled=True).strip("\n")
    arguments, output = text_column(row, "input"), text_column(row, "output", filled=True)
    call = f"{_FUNCTION}({arguments})"
    if readable_tree(f"{code}\n{call}\n{output}\n") is None:
        raise ColumnError("code, call and output are not Python that can be read")
    return dataset_candidate(
        row, "CRUXEval", "id",
        title=f"{row_name(row, 'id')}: {call}"[:100],
        task="understanding",
        prompt=_CALL_PROMPT.format(code=code, call=call),
        reference=output,
        context=code,
        entry_point=_FUNCTION,
        extra={"grader": "understanding", "direction": "forward", "call": {"input": arguments, "value": output}},
        tests=(CandidateTest(name="instance", language="python", inputs={"arguments": arguments, "expected": output}),),
    )  # fmt: skip


def ds1000_candidate(row: Row) -> Candidate:
    """Return a row of DS-1000 as a candidate without tests; the task is to complete a data science program.

    ``code_context`` runs an answer's text inside another program, which no test here can do, so it is left out.
    """
    prompt, about = text_column(row, "prompt", filled=True), object_column(row, "metadata")
    return dataset_candidate(
        about, "DS-1000", "problem_id",
        title=first_line(prompt.removeprefix("Problem:")),
        task="completion",
        domain=text_column(about, "library", default=""),
        licence=row_licence(row),
        prompt=prompt,
        reference=text_column(row, "reference_code"),
        provenance={"dataset": "DS-1000", **about},
    )  # fmt: skip
