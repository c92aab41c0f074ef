"""What runs in the processes that ``runner.py`` starts: the program, its tests, or both.

The modules imported here are those of Annotator's sandbox: what is no plain value stays where it is, and is asked for.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import testing
from judge import Candidate, CandidateEndedError, Judge
from solution import describe, load, names_of

MEMORY = 1024 * 1024 * 1024


class Report:
    """Gathers what the tests report, and says it once they have come to their end."""

    def __init__(self, descriptor: int, word: str = "", touched: set[str] | None = None) -> None:
        self._descriptor, self._word = descriptor, word
        self._seen: set[str] = set() if touched is None else touched
        self._tests: list[dict[str, str]] = []
        self._touched = False

    def begin(self) -> None:
        """Say that the time of the tests begins."""
        os.write(self._descriptor, b"\n")

    def add(self, name: str, outcome: str, message: str) -> None:
        """Take what became of a test."""
        if outcome == "pass" and "own_equality" in self._seen:
            message = "weaker: a class of the program's own decided that its object is the expected one"
        self._tests.append({"name": name, "outcome": outcome, "message": message[:2000]})
        self._touched = self._touched or bool(self._seen and outcome != "pass")
        self._seen.clear()

    def say(self) -> None:
        """Write all of it as one line."""
        told: dict[str, Any] = {"word": self._word, "tests": self._tests, "touched": self._touched}
        data = json.dumps(told).encode("ascii") + b"\n"
        while data:
            data = data[os.write(self._descriptor, data) :]


def candidate(part: dict[str, Any], channel: int) -> None:
    """Run the program and answer the calls of its tests."""
    _limit_memory()
    Candidate(channel).serve(part["code"])


def judge(part: dict[str, Any], channel: int, result: int) -> None:
    """Run the tests against stand-ins for what the program defines."""
    test = part["test"]
    referee = Judge(channel, tuple(test["shadowed"]))
    report = Report(result, "", referee.touched)
    report.begin()
    try:
        names = referee.names()
    except BaseException as error:
        message = str(error) if isinstance(error, CandidateEndedError) else describe(error)
        report.add(test["name"], "fail", message)
    else:
        referee.read(test["code"])
        testing.run(test["style"], test["name"], test["code"], names, report.add, str(Path.cwd()))
    report.say()


def together(part: dict[str, Any], result: int) -> None:
    """Run the program and then its tests, in this process."""
    _limit_memory()
    test = part["test"]
    report = Report(result, part.pop("word"))
    os.set_inheritable(result, False)
    report.begin()
    try:
        module = load(part["code"])
    except BaseException as error:
        report.add(test["name"], "fail", describe(error))
    else:
        names = names_of(module)
        testing.run(test["style"], test["name"], test["code"], names, report.add, str(Path.cwd()), module)
    report.say()


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard == resource.RLIM_INFINITY or hard > MEMORY:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, hard))


def main() -> None:
    """Play the part that the arguments name."""
    role, *descriptors = sys.argv[1:]
    part = json.load(sys.stdin.buffer)
    sys.argv = ["solution.py"]
    sys.path[0] = str(Path.cwd())
    roles = {"candidate": candidate, "judge": judge, "together": together}
    roles[role](part, *map(int, descriptors))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # What the program left running does not keep this process.
    os._exit(0)
