"""The code task of an item, and the program built from an answer, on its own or in place of [MASK]."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from annotator.answers.choice import build_code_spec, find_code
from annotator.answers.found import ExtractedAnswer
from annotator.answers.masked import MASK, fill_mask, find_masked_place
from annotator.answers.source import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTask:
    """The code that an item asks for.

    ``context`` is either the code around the answer, with one `MASK` in place of the answer, or code shown with the
    prompt; ``tests`` are the sources of the tests.
    """

    language: str
    entry_point: str
    prompt: str = ""
    context: str = ""
    tests: tuple[str, ...] = ()

    @property
    def is_masked(self) -> bool:
        """Whether the context contains exactly one mask."""
        return self.context.count(MASK) == 1


def find_task_answer(
    task: CodeTask,
    response: str,
    reader: Reader,
    *,
    finish_reason: str = "stop",
    alone: bool = False,
) -> ExtractedAnswer:
    """Return the code in a response; with ``alone``, no definitions are added from the context."""
    is_masked = task.is_masked
    place = find_masked_place(task.context) if is_masked and task.language.lower() == "python" else None
    name = task.entry_point.rpartition(".")[2]
    spec = build_code_spec(
        reader,
        task.language,
        (f"{place.owner}.{name}" if place is not None and place.owner else name) if is_masked else task.entry_point,
        # The code around a mask is part of the program anyway, so no definitions are added from it.
        prompt="" if is_masked else task.prompt,
        visible_code=(task.context,) if task.context and not is_masked and not alone else (),
        tests=() if is_masked else task.tests,
    )
    prompt = task.prompt if not is_masked else place.opening if place is not None else ""
    return find_code(response, spec, finish_reason=finish_reason, prompt=prompt)


def place_in_context(task: CodeTask, code: str) -> str:
    """Return the context with the mask replaced by code, or the code alone if there is no mask.

    Python is placed by its syntax tree (`fill_mask`); other languages, and Python that does not parse, are indented
    like the mask.
    """
    if not task.is_masked:
        return code
    if task.language.lower() == "python":
        place = find_masked_place(task.context)
        filled = fill_mask(place, task.entry_point.rpartition(".")[2], code) if place is not None else None
        if filled is not None:
            return filled
    line = next(line for line in task.context.split("\n") if MASK in line)
    margin = line[: len(line) - len(line.lstrip())]
    if line.strip() != MASK:
        return code
    return task.context.replace(line, textwrap.indent(textwrap.dedent(code).strip("\n"), margin), 1)
