"""Whether tests look at all of a result: whatever a function's code is, its results are changed in one respect at a
time, such as their order or the kind of exception."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.base.resources import resource
from annotator.construction.languages.calls import SCRIPTS
from annotator.construction.material import PYTHON

_WRAPPER = {PYTHON: "changed_results.py", **dict.fromkeys(SCRIPTS, "changed_results.js")}


@dataclass(frozen=True, slots=True)
class ResultChange:
    """A respect in which results are changed; where it may not matter, the prompt must speak of it (``asked``)."""

    kind: str
    explanation: str
    asked: re.Pattern[str] | None = None


CHANGES = (
    ResultChange("shorter", "the last part of the result is missing"),
    ResultChange("empty_end", "an empty last part of the result is missing"),
    ResultChange("longer", "the last part of the result is there twice"),
    ResultChange("number", "the number returned is too large"),
    ResultChange("case", "the text returned has its letters in the other case"),
    ResultChange(
        "order",
        "the result is in the opposite order",
        re.compile(r"\b(?:sort|order|ascend|descend|first|last|stable|earliest|latest|ranked|oldest|newest)", re.I),
    ),
    ResultChange(
        "error", "another exception is raised", re.compile(r"\b(?:[A-Z]\w*(?:Error|Exception)|StopIteration)\b")
    ),
    ResultChange(
        "arguments",
        "what the function is given is changed by it",
        re.compile(
            r"mutat|modif|unchanged|untouched|intact|in[- ]place|side[- ]effect|\bnew (?:list|dict|set|arr|obj)", re.I
        ),
    ),
)


def result_changes(language: str, prompt: str) -> tuple[ResultChange, ...]:
    """Return in which respects results can be changed, of a function that a prompt asks for; none in most languages."""
    if language not in _WRAPPER:
        return ()
    return tuple(change for change in CHANGES if change.asked is None or change.asked.search(prompt))


def with_changed_results(code: str, language: str, names: Sequence[str], kind: str, *, told: bool = False) -> str:
    """Return a program with the results of some of its functions changed.

    Where it is ``told``, the program ends instead, so that it shows whether there is anything to change.
    """
    if language in SCRIPTS:
        for name in names:
            code = re.sub(rf"^((?:export\s+)?)const(?=\s+{re.escape(name)}\s*[=:])", r"\1let", code, flags=re.MULTILINE)
    wrapper = (resource("construction") / _WRAPPER[language]).read_text(encoding="utf-8")
    # These lines are of all these languages.
    calls = "".join(f"{name} = annotator_changed({name}, '{kind}', {int(told)});\n" for name in names)
    return f"{code.rstrip()}\n\n\n{wrapper}\n\n{calls}"
