"""Code in languages without a parser here: definitions are found by how they are written, brackets are counted."""

from __future__ import annotations

import re

from annotator.answers.repairs import cleaned, readings
from annotator.answers.source import Part, Reader, Source, Wanted

_TEXTS = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_DECLARED = re.compile(r"\b(?:const|let|var|function|class|def|int|auto|double|bool|String)\s+([A-Za-z_$][\w$]*)")
_DEFINED = (
    r"\b(?:func|fn|function|def|sub|fun|proc)\s+(?:\([^)]*\)\s*)?(?:[\w<>]+(?:\.|::))?{name}(?=\W|$)",
    r"(?<![\w.]){name}\s*(?:<-|:=|=)\s*(?:async\s+)?(?:function\b|func\b|fn\b|lambda\b|proc\b|->|\\\(|\|)",
    r"^\s*(?:[\w<>\[\],:*&?.]+\s+)+{name}\s*(?:<[^>]*>)?\([^;]*?\)\s*(?:where[^{{]*)?(?:\{{|=>)",
    r"\b(?:class|struct|interface|enum|trait|type|module)\s+{name}\b",
    r"^\s*{name}\s*\(\)\s*\{{",
)
_SENTENCE = re.compile(r"^[A-Z][\w']*(?:,?\s+[\w',-]+){2,}.*[.:?!]$|^\w+:$")
_RUBY_OPENS = re.compile(
    r"^\s*(?:def|class|module|if|unless|while|until|case|begin|for)\b|\bdo\b[ \t]*(?:\|[^|\n]*\|)?[ \t]*$", re.MULTILINE
)
_PROGRAMS = ("sql", "bash")
_SQL = re.compile(r"^\s*(?:--[^\n]*\n\s*)*\(?\s*(?:select|with|insert|update|delete|create|alter|drop|merge|replace)\b",
                  re.IGNORECASE)  # fmt: skip


def read_plain(code: str, wanted: Wanted) -> Source | None:
    """Return code whose brackets are balanced; None for other text."""
    code, cleaning = cleaned(code)
    for text, reading in readings(code):
        if _balanced(text) and text.strip():
            kind = _kind(text, wanted)
            how = cleaning or reading
            return Source(text, (_part(text),), "whole" if kind else "", (), " ".join(text.split()), how)
    return None


def find_plain(text: str, wanted: Wanted) -> list[Source]:
    """Return the code in a text of prose and code: from a line that defines the entry point to where it closes."""
    if wanted.language == "sql":
        return _queries(text, wanted)
    lines = text.split("\n")
    for first, line in enumerate(lines):
        if not defines("\n".join(lines[first : first + 2]), wanted.entry) or wanted.entry not in line:
            continue
        start = first
        while start and not _SENTENCE.match(lines[start - 1].strip()):
            start -= 1
        for last in range(first, len(lines)):
            source = read_plain("\n".join(lines[start : last + 1]), wanted)
            if wanted.language == "ruby" and not _ended("\n".join(lines[start : last + 1])):
                continue
            closed = last > first or "}" in line or line.rstrip().endswith(("end", ")"))
            if source is not None and source.kind and closed and lines[last].strip():
                return [source]
    return []


def _queries(text: str, wanted: Wanted) -> list[Source]:
    """Return the statements of SQL in a text: a paragraph that begins as one does."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        if _SQL.match(paragraph):
            source = read_plain(paragraph, wanted)
            if source is not None:
                found.append(source)
    return found


def _kind(code: str, wanted: Wanted) -> bool:
    if wanted.language == "sql":
        return _SQL.match(code) is not None
    return defines(code, wanted.entry)


def defines(code: str, name: str) -> bool:
    """Tell whether code is written as a definition of a name, whether or not it parses."""
    return bool(name) and any(
        re.search(pattern.format(name=re.escape(name)), code, re.MULTILINE) for pattern in _DEFINED
    )


def _part(code: str) -> Part:
    names = {word for word in set(_WORD.findall(code)) if defines(code, word)}
    return Part(code, frozenset(names), frozenset(_WORD.findall(code)) - names, False, bool(names))


def _balanced(code: str) -> bool:
    plain = _TEXTS.sub("", code)
    return all(plain.count(left) == plain.count(right) for left, right in ("()", "[]", "{}"))


def _ended(code: str) -> bool:
    """Tell whether each block of Ruby has its ``end``."""
    return len(_RUBY_OPENS.findall(code)) == len(re.findall(r"^\s*end\b", code, re.MULTILINE))


def free_words(test: str) -> frozenset[str]:
    """Return the words of tests that they do not declare."""
    return frozenset(_NAME.findall(test)) - frozenset(_DECLARED.findall(test))


def missing_words(source: Source, wanted: Wanted) -> set[str]:
    """Return the words that a program or its tests use and no part of it binds."""
    return (set(source.used) | set(wanted.names)) - set(source.bound) - {wanted.entry}


def has_sentences(text: str) -> bool:
    """Tell whether a line of a text is a sentence."""
    return any(_SENTENCE.match(line.strip()) for line in text.split("\n"))


def without_sentences(text: str) -> str:
    """Return a text without the sentences that it begins and ends with."""
    lines = text.strip().split("\n")
    while len(lines) > 1 and (not lines[0].strip() or _SENTENCE.match(lines[0].strip())):
        lines.pop(0)
    while len(lines) > 1 and (not lines[-1].strip() or _SENTENCE.match(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines)


def declares(code: str, name: str) -> bool:
    """Tell whether code declares a name anywhere, in a function too."""
    return re.search(rf"[\w>\]][\s*&]+{re.escape(name)}\s*(?:[=;:{{\[,)]|\bof\b|\bin\b)", code) is not None


def is_program(language: str) -> bool:
    """Tell whether answers in a language are whole programs, all of which count."""
    return language in _PROGRAMS


PLAIN = Reader(False, read_plain, find_plain, free_words, missing_words)
"""Reads languages without a parser here."""
