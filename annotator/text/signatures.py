"""The signature of a function as a prompt writes it, in any language."""

from __future__ import annotations

import re
from collections import Counter

from annotator.text.completions import is_python, read_completion

_DECLARES = frozenset(
    ("def", "function", "func", "fn", "fun", "public", "private", "static", "void", "int", "long", "double", "bool",
     "boolean", "auto", "String")
)  # fmt: skip


def find_signature(text: str, name: str) -> str:
    """Return the first signature of a function in a text, without its end; empty if there is none."""
    bare = name.rpartition(".")[2]
    for found in re.finditer(rf"(?<![\w.]){re.escape(bare)}\s*\([^)]*\)[^\n{{:;`]*", text) if bare else ():
        start = text.rfind("\n", 0, found.start()) + 1
        before = text[start : found.start()].lstrip(" \t`")
        if _DECLARES.intersection(before.split()) and "=" not in before:
            return " ".join(f"{before}{found[0]}".split())
    return ""


def keeps_signature(signature: str, text: str) -> bool:
    """Whether a text has a signature; white space may differ."""
    return _squeeze(signature) in _squeeze(text)


_WORD = re.compile(r"[A-Za-z0-9_]+|\w")
"""A word, or a letter of a script that may not part words by spaces."""
_ADDRESS = re.compile(r"\w+://\S+")
_FEWEST_WORDS = 3


def says_more(text: str, signature: str) -> bool:
    """Whether a text has some words besides a function's signature and addresses."""
    besides = Counter(_WORD.findall(_ADDRESS.sub(" ", text))) - Counter(_WORD.findall(signature))
    return besides.total() >= _FEWEST_WORDS


def without_signature(text: str, signature: str) -> str:
    """Return a text without the signature that it may begin with; white space may differ."""
    lines = text.lstrip().split("\n")
    count = signature.strip().count("\n") + 1
    if signature.strip() and _squeeze("\n".join(lines[:count])) == _squeeze(signature):
        return "\n".join(lines[count:]).strip("\n")
    return text


def description_of(asked: str, name: str, decorators: str, signature: str, language: str) -> str:
    """Return what is asked of a function without its signature, which may stand above it or have it as a docstring."""
    found = read_completion(asked, name) if is_python(language) else None
    for head in (decorators + signature, signature):
        if found is not None and not without_signature(found.fixed, head).strip():
            return found.description
        asked = without_signature(asked, head)
    return asked


def _squeeze(text: str) -> str:
    return "".join(text.split())
