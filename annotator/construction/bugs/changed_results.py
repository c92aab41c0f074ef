"""Check whether tests look at the whole result of a function.

The function's results are changed in one respect at a time, such as their order or the type of exception.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.base.resources import resource_path
from annotator.construction.languages.language_calls import SCRIPTS
from annotator.construction.task_material import PYTHON

_WRAPPER_FILES = {PYTHON: "changed_results.py", **dict.fromkeys(SCRIPTS, "changed_results.js")}


@dataclass(frozen=True, slots=True)
class ResultChange:
    """One way to change results. If ``prompt_pattern`` is set, the change only counts for prompts that match it."""

    kind: str
    explanation: str
    prompt_pattern: re.Pattern[str] | None = None


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
    """Return the changes that apply to the results of a function a prompt asks for; none in most languages."""
    if language not in _WRAPPER_FILES:
        return ()
    return tuple(change for change in CHANGES if change.prompt_pattern is None or change.prompt_pattern.search(prompt))


def with_changed_results(
    code: str, language: str, names: Sequence[str], kind: str, *, should_exit: bool = False
) -> str:
    """Return a program that changes the results of the named functions.

    With ``should_exit`` the program ends instead at the first result it would change, which shows whether there is one.
    """
    if language in SCRIPTS:
        for name in names:
            code = re.sub(rf"^((?:export\s+)?)const(?=\s+{re.escape(name)}\s*[=:])", r"\1let", code, flags=re.MULTILINE)
    wrapper = (resource_path("construction") / _WRAPPER_FILES[language]).read_text(encoding="utf-8")
    # These lines are valid in all supported languages.
    calls = "".join(f"{name} = annotator_changed({name}, '{kind}', {int(should_exit)});\n" for name in names)
    return f"{code.rstrip()}\n\n\n{wrapper}\n\n{calls}"
