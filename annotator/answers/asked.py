"""What an item asks of an answer, and the program that an answer makes: alone, or where [MASK] stands."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from annotator.answers.choice import choose_code, wanted_of
from annotator.answers.found import Found
from annotator.answers.masked import MASK, fill_mask, masked_place
from annotator.answers.source import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an item asks: ``context`` is code around the answer, with `MASK` once where the answer belongs, or code
    that the prompt shows; ``tests`` are their texts."""

    language: str
    entry_point: str
    prompt: str = ""
    context: str = ""
    tests: tuple[str, ...] = ()

    @property
    def is_masked(self) -> bool:
        """Whether the context has one place for the answer."""
        return self.context.count(MASK) == 1


def answer_to(
    asked: Asked,
    response: str,
    reader: Reader,
    *,
    finish_reason: str = "stop",
    alone: bool = False,
) -> Found:
    """Return the code of a response. ``alone`` says that nothing is to be taken over from the context."""
    masked = asked.is_masked
    place = masked_place(asked.context) if masked and asked.language.lower() == "python" else None
    name = asked.entry_point.rpartition(".")[2]
    wanted = wanted_of(
        reader,
        asked.language,
        (f"{place.owner}.{name}" if place is not None and place.owner else name) if masked else asked.entry_point,
        # What surrounds a mask stays around it, so nothing is taken over from there.
        prompt="" if masked else asked.prompt,
        shown=(asked.context,) if asked.context and not masked and not alone else (),
        tests=() if masked else asked.tests,
    )
    prompt = asked.prompt if not masked else place.opening if place is not None else ""
    return choose_code(response, wanted, finish_reason=finish_reason, prompt=prompt)


def put_in_place(asked: Asked, code: str) -> str:
    """Return the program that code makes where the mask of the context stands; the code alone without a mask.

    Python is put there by its meaning (`fill_mask`), other code and what cannot be read as far in as the mask.
    """
    if not asked.is_masked:
        return code
    if asked.language.lower() == "python":
        place = masked_place(asked.context)
        filled = fill_mask(place, asked.entry_point.rpartition(".")[2], code) if place is not None else None
        if filled is not None:
            return filled
    line = next(line for line in asked.context.split("\n") if MASK in line)
    margin = line[: len(line) - len(line.lstrip())]
    if line.strip() != MASK:
        return code
    return asked.context.replace(line, textwrap.indent(textwrap.dedent(code).strip("\n"), margin), 1)
