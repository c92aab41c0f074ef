"""Score answers as Annotator does: its own search for the code of a response, and its own way to run tests.

The modules below ``answers`` and those that carry values between two processes are Annotator's own, copied when this
export was made. Nothing but Python is needed; the code of models runs in processes of the machine this runs on, so use
one that you can spare, or a container.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotator_scoring.answers.masked import CodeTask, find_task_answer, place_in_context
from annotator_scoring.answers.python_source import PythonReader
from annotator_scoring.runner import Verdict, run


@dataclass(frozen=True)
class Program:
    """The program that a response makes of a task, and how it was found; ``code`` is empty where there is none."""

    code: str
    how: str


def program_of(task: dict[str, Any], response: str, *, finish_reason: str = "stop") -> Program:
    """Return the program of a response, which may go on from the prompt."""
    asked = CodeTask(
        language="python",
        entry_point=task["entry_point"],
        prompt=task["prompt"],
        context=task["context"],
        tests=tuple(test["code"] for test in task["tests"]),
    )
    found = find_task_answer(asked, response, PythonReader(), finish_reason=finish_reason)
    return Program(place_in_context(asked, found.text) if found.text.strip() else "", found.how)


def verdict_on(task: dict[str, Any], program: Program, seconds: float | None = None) -> Verdict:
    """Run the tests of a task against a program, each with so many seconds (None: its own)."""
    if not program.code:
        return Verdict("fail", program.how)
    return run(job_of(task, program, seconds))


def job_of(task: dict[str, Any], program: Program, seconds: float | None = None) -> dict[str, Any]:
    """Return what ``runner.py`` reads as JSON where it is started as a program."""
    tests = [{**test, "code": test["called"], "seconds": seconds or test["seconds"]} for test in task["tests"]]
    return {"code": program.code, "tests": tests}
