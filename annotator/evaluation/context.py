"""What a model sees of the repository around a function (EvoCodeBench's four settings)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from annotator.base.errors import BadInputError
from annotator.evaluation.items import Item, requirement_of, text_of
from annotator.llm import estimate_tokens
from annotator.llm.prices import CHARACTERS_PER_TOKEN

_WORDS = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{L}+|\d+")


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function of the repository that can be shown as an example."""

    name: str
    code: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A function to write, and what stands around it; texts are whole lines."""

    name: str
    signature: str
    requirement: str
    above: str = ""
    below: str = ""
    functions: tuple[NamedFunction, ...] = ()


def name_tokens(name: str) -> tuple[str, ...]:
    """Split the last part of a name at underscores and camel case, in lower case.

    "parse_HTTPResponse2" → parse, http, response, 2.
    """
    return tuple(word.lower() for word in _WORDS.findall(name.rpartition(".")[2]))


def similar_functions(
    name: str, functions: Iterable[NamedFunction], count: int = 5, signature: str = ""
) -> tuple[NamedFunction, ...]:
    """Return the functions whose names share most tokens with ``name``, best first (repository mining, section 5).

    The target itself (the same qualified name, or the same ``signature`` in its code) is left out, as are functions
    that share nothing. Equal counts go to the name with fewer other tokens, then to the order given.
    """
    wanted = Counter(name_tokens(name))
    head = signature.strip()
    ranked = []
    for order, function in enumerate(functions):
        if function.name == name or (head and function.code.lstrip().startswith(head)):
            continue
        found = Counter(name_tokens(function.name))
        shared = (wanted & found).total()
        if shared:
            ranked.append((-shared, (found - wanted).total(), order, function))
    return tuple(function for *_, function in sorted(ranked, key=lambda entry: entry[:3])[:count])


def surroundings_of(item: Item) -> Surroundings:
    """Read an item's surroundings from its fields.

    ``signature``, ``context_above``, ``context_below`` and ``functions`` (a list of {name, code}) lie in the item or
    its ``extra``. Raises `BadInputError` if there is no signature.
    """
    name = text_of(item, "entry_point", "qualified_name")
    signature = text_of(item, "signature")
    if not signature:
        raise BadInputError(
            f"{item.get('key') or item.get('id') or 'An item'} has no signature, so it cannot be asked as a function "
            "of a repository. Mine it again with its repository at hand."
        )
    extra = item.get("extra")
    listed = item.get("functions") or (extra.get("functions") if isinstance(extra, Mapping) else None) or ()
    return Surroundings(
        name=name,
        signature=signature,
        requirement=requirement_of(item),
        above=text_of(item, "context_above"),
        below=text_of(item, "context_below"),
        functions=tuple(_functions(listed)),
    )


def _functions(rows: Any) -> Iterable[NamedFunction]:
    for row in rows if isinstance(rows, Sequence) else ():
        if isinstance(row, Mapping) and isinstance(row.get("code"), str):
            yield NamedFunction(str(row.get("name") or row.get("qualified_name") or ""), row["code"])


def split_file(source: str, signature: tuple[int, int], body: tuple[int, int]) -> tuple[str, str, str]:
    """Return (above, signature, below) of a function in its file; spans are 1-based, inclusive lines.

    Raises `BadInputError` if the spans do not lie in the file in that order.
    """
    lines = source.splitlines(keepends=True)
    (first, last), (start, end) = signature, body
    if not 1 <= first <= last <= start <= end <= len(lines):
        raise BadInputError(
            f"The signature (lines {first} to {last}) and body (lines {start} to {end}) do not fit a file of "
            f"{len(lines)} lines."
        )
    return "".join(lines[: first - 1]), "".join(lines[first - 1 : last]), "".join(lines[end:])


def with_requirement(signature: str, requirement: str, language: str = "python", indent: str = "    ") -> str:
    """Return a signature with its requirement where the language has it: a docstring, or a comment above."""
    text = requirement.strip()
    if not text:
        return signature.rstrip("\n") + "\n"
    if language.lower() != "python":
        comment = "\n".join(f"// {line}".rstrip() for line in text.splitlines())
        return f"{comment}\n{signature.rstrip()}\n"
    head = signature.rstrip()
    margin = head[: len(head) - len(head.lstrip())].rpartition("\n")[2] + indent
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = "\n".join(f"{margin}{line}".rstrip() for line in escaped.splitlines())
    return f'{head}\n{margin}"""\n{lines}\n{margin}"""\n'


def last_lines(text: str, tokens: int | None) -> str:
    """Return the end of a text that fits so many tokens (4 characters each), in whole lines."""
    if tokens is None or estimate_tokens(len(text)) <= tokens:
        return text
    cut = text[len(text) - tokens * CHARACTERS_PER_TOKEN :] if tokens > 0 else ""
    return cut.partition("\n")[2]


def first_lines(text: str, tokens: int | None) -> str:
    """Return the beginning of a text that fits so many tokens, in whole lines."""
    if tokens is None or estimate_tokens(len(text)) <= tokens:
        return text
    cut = text[: tokens * CHARACTERS_PER_TOKEN] if tokens > 0 else ""
    return cut[: cut.rfind("\n") + 1]
