"""The control run of a pass if code and tests are one program: the same test with altered expected values.

Literals of the test that must equal a result of the answer are changed; arguments of the answer stay. If there are no
such literals, results that are checked to be true or false are negated.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable

from annotator.sandbox.programs.expected_values import ExpectedValueReader, walk_statements
from annotator.text.trees.word_trees import BOOLEANS, Word, read_statements

_OPPOSITES = {**BOOLEANS, "True": "False", "False": "True"}
_STRICT = {"==": "===", "!=": "!==", "<>": "!==", "assertEquals": "assertSame"}
"""PHP's comparisons that convert their sides, with those that compare types too."""


def alter_expected_values(language: str, code: str, test: str, *, far: int = 0, in_objects: bool = False) -> str:
    """Return a test that expects other results of the code; unchanged if no value in it is clearly an expected one.

    ``far`` is added to each number. ``in_objects`` changes only objects of types for which the code defines equality.
    """
    reader = ExpectedValueReader(language, read_statements(language, code), test)
    other = _other_values(language)
    words = sorted(reader.expected(in_objects=in_objects), key=lambda word: word.at, reverse=True)
    for at, sign in sorted(reader.negations(), reverse=True) if not (words or in_objects) else ():
        test = f"{test[:at]}{sign}{test[at:]}"
    for number, word in enumerate(words):
        before = test[: word.at]
        # The sign of a negative number is not part of the literal.
        changed = other(word.text, number % 7 + (-far if before.endswith("-") else far))
        blank = " " if changed.startswith("-") and before.endswith("-") else ""
        test = before + blank + changed + test[word.at + len(word.text) :]
    return test


def compare_strictly(language: str, test: str) -> str:
    """Return a PHP test that also compares types, since ``true == 888`` holds in PHP; other tests are unchanged."""
    if language != "php":
        return test
    words = (item for part in walk_statements(read_statements(language, test)) for item in part)
    loose = [word for word in words if isinstance(word, Word) and word.text in _STRICT]
    for word in sorted(loose, key=lambda word: word.at, reverse=True):
        test = test[: word.at] + _STRICT[word.text] + test[word.at + len(word.text) :]
    return test


def _other_values(language: str) -> Callable[[str, int], str]:
    """Return a function that changes a literal; each number changes by another amount, so that no difference stays
    equal."""
    step, letter = 2 + secrets.randbelow(20), secrets.choice("abcdefghjkmpqwyz")

    def other(literal: str, added: int) -> str:
        if literal in _OPPOSITES:
            return _OPPOSITES[literal]
        if literal[0] == "-":
            return f"-{other(literal[1:], added)}"
        if literal[0] == ":" and literal[-1] not in "\"'`":
            # A symbol of Ruby; an operator's symbol is not a value.
            return f":{letter}{literal[1:]}" if literal[1:2].isalpha() else literal
        if literal[0] == "0" and literal[1:2].lower() in tuple("xbo") and len(literal) > 2:
            return f"{literal[:2]}{int(literal[2] != '1')}{literal[3:]}"
        rest = literal.lstrip("0123456789")
        if rest != literal:
            return f"{int(literal.removesuffix(rest)) + step + added}{rest}"
        if language in ("c", "c++", "c#", "java", "go", "rust") and len(literal) == 3 and literal[0] == "'":
            return "'b'" if literal == "'a'" else "'a'"
        lines = literal.split("\n")
        if literal.startswith("<<") and len(lines) > 2:
            # A here document: its first line names the last one.
            return "\n".join((lines[0], lines[1] + letter, *lines[2:]))
        # The value of a variable in a text, as in ``"a #{b}"``, begins after it; ``%w[a]`` ends with a bracket.
        inner = literal.rstrip("\"'`#${)]}")
        if (len(inner) - len(inner.rstrip("\\"))) % 2:
            # A quotation mark with a backslash before it does not end the text.
            inner = literal[: len(inner) + 1]
        if not inner:
            return f"{literal[:1]}{letter}{literal[1:]}"
        if {*"\\{$"}.isdisjoint(inner) and (at := max(map(inner.rfind, "0123456789"))) >= 0:
            # Where the text is read as a date, the letter may be ignored. In an escape, or in the name of a variable,
            # another digit may not compile.
            return f"{inner[:at]}{(int(inner[at]) + 1) % 10}{inner[at + 1 :]}{letter}{literal[len(inner) :]}"
        return f"{inner}{letter}{literal[len(inner) :]}"

    return other
