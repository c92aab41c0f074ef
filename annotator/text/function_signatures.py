"""Find the signature of a function in a prompt, in any language."""

from __future__ import annotations

import re
from collections import Counter

from annotator.text.completions import is_python, read_completion

_DECLARATION_WORDS = frozenset(
    ("def", "function", "func", "fn", "fun", "public", "private", "static", "void", "int", "long", "double", "bool",
     "boolean", "auto", "String")
)  # fmt: skip


def find_signature(text: str, name: str) -> str:
    """Return the first signature of a function in a text, up to its body, or an empty text."""
    bare_name = name.rpartition(".")[2]
    for match in re.finditer(rf"(?<![\w.]){re.escape(bare_name)}\s*\([^)]*\)[^\n{{:;`]*", text) if bare_name else ():
        start = text.rfind("\n", 0, match.start()) + 1
        before = text[start : match.start()].lstrip(" \t`")
        if _DECLARATION_WORDS.intersection(before.split()) and "=" not in before:
            return " ".join(f"{before}{match[0]}".split())
    return ""


def keeps_signature(signature: str, text: str) -> bool:
    """Return whether a text contains a signature; white space may differ."""
    return _squeeze(signature) in _squeeze(text)


_WORD = re.compile(r"[A-Za-z0-9_]+|\w")
"""A word, or a single letter of a script that may not separate words by spaces."""
_ADDRESS = re.compile(r"\w+://\S+")
_MIN_WORDS = 3


def has_further_words(text: str, signature: str) -> bool:
    """Return whether a text has at least three words besides a function's signature and URLs."""
    further_words = Counter(_WORD.findall(_ADDRESS.sub(" ", text))) - Counter(_WORD.findall(signature))
    return further_words.total() >= _MIN_WORDS


def without_signature(text: str, signature: str) -> str:
    """Return a text without its leading signature, if any; white space may differ."""
    lines = text.lstrip().split("\n")
    count = signature.strip().count("\n") + 1
    if signature.strip() and _squeeze("\n".join(lines[:count])) == _squeeze(signature):
        return "\n".join(lines[count:]).strip("\n")
    return text


def extract_description(question: str, name: str, decorators: str, signature: str, language: str) -> str:
    """Return the description in a question about a function, without the signature above or around it."""
    completion = read_completion(question, name) if is_python(language) else None
    for head in (decorators + signature, signature):
        if completion is not None and not without_signature(completion.fixed, head).strip():
            return completion.description
        question = without_signature(question, head)
    return question


def _squeeze(text: str) -> str:
    return "".join(text.split())
