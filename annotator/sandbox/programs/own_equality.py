"""Answers that say themselves what equals them, and tests that expect other values, which no honest answer passes.

Where a type of the answer decides whether it equals an expected value, it may equal them all.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from annotator.sandbox.languages import language

_OWN_EQUALITY = {
    "c++": r"\boperator\s*(?:==|!=|<=>)",
    "c#": r"\boperator\s*(?:==|!=)|\bbool\s+Equals\s*\(",
    "rust": r"\bimpl\b[^{;]*\bPartialEq\b",
    "ruby": r"\bdef\s+(?:==|!=|===|eql\?|equal\?|coerce)|:(?:==|eql\?|equal\?)",
    "r": r"\b(?:Ops|Compare|all\.equal)\.\w+[`\"']?\s*(?:<-|=)|[`\"'][!=]=\.\w+[`\"']\s*(?:<-|=)|\bsetMethod\s*\(",
}
_STRING = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_LITERAL = re.compile(rf"{_STRING}|(?<![\w.])-?\d+(?:\.\d+)?(?=[a-zA-Z]{{0,3}}\d{{0,2}}\b)")
_STATEMENT = re.compile(rf"(?:{_STRING}|[^;])+")
_COMMENT = re.compile(r"\s*(?://|#(?!\s*\w+\s*!)|\*|/\*)")
_UNCLEAR = re.compile(r"(?<!\w)!(?!=)|\bnot\b|\|\||&&|\bfor\b|\bwhile\b|\?|\b(?:or|and)\b|[Ff]alse|NotEqual")
"""What turns a comparison around, adds another one, or runs it more than once."""
_EQUAL_CALL = re.compile(
    r"\b(?:assert_?eq(?:ual)?s?!?|AreEqual|Equal|expect_(?:equal|identical)|identical|\w+_EQ)\s*$", re.I
)
_TRUE = re.compile(r"assert|stopifnot|expect_true|\bCHECK\b|\bREQUIRE\b|EXPECT_TRUE", re.I)
_LED_BY = re.compile(r"(?:\b(?:if|unless)|(?:[aA]ssert\w*|stopifnot|expect_true|[A-Z_]+)!?)\s*\(?\s*$")
_LEAVES = re.compile(r"\b(?:throw|return|exit|panic|raise|stop|abort|quit|fail)\b")


def has_own_equality(name: str, code: str) -> bool:
    """Tell whether an answer in a language defines what equals its objects."""
    pattern = _OWN_EQUALITY.get(language(name).name)
    return pattern is not None and re.search(pattern, code) is not None


def expecting_others(test: str) -> str:
    """Return a test that expects other values wherever it plainly compares with literals; else it stays as it is."""
    number, letter = 2 + secrets.randbelow(50), secrets.choice("abcdefghjkmpqwyz")

    def other(literal: str) -> str:
        if literal[0] in "\"'":
            return f"{literal[:-1]}{letter}{literal[-1]}"
        whole, dot, rest = literal.partition(".")
        return f"{int(whole) + number}{dot}{rest}"

    return "".join(
        line if _COMMENT.match(line) else _STATEMENT.sub(lambda found: _altered(found[0], other), line)
        for line in test.splitlines(keepends=True)
    )


def _altered(statement: str, other: Callable[[str], str]) -> str:
    if _UNCLEAR.search(re.sub(_STRING, "''", statement)):
        return statement
    operator = _operator(statement)

    def change(found: re.Match[str]) -> str:
        before, after = statement[: found.start()], statement[found.end() :]
        right = operator and re.search(rf"{operator}\s*\(?\s*$", before)
        left = operator and re.match(rf"\w*\s*{operator}", after) and _LED_BY.search(before)
        return other(found[0]) if right or left or _is_expected(before, after) else found[0]

    return _LITERAL.sub(change, statement)


def _operator(statement: str) -> str:
    """Return which comparison must hold, or must not for a test to leave; an empty text where that is not plain."""
    leaves = _LEAVES.search(statement) is not None
    if _TRUE.search(statement) or (leaves and re.search(r"\bunless\b", statement)):
        return "==" if "!=" not in statement else ""
    if leaves and re.search(r"\bif\b", statement):
        return "!=" if "==" not in statement else ""
    return ""


def _is_expected(before: str, after: str) -> bool:
    """Tell whether a literal is itself an argument of an assertion that two values are equal."""
    if re.search(r"\bassert_equal\s+$", before):
        return True
    if not re.search(r"[(,]\s*$", before) or not re.match(r"\w*\s*[,)]", after):
        return False
    depth = commas = 0
    text = re.sub(_STRING, lambda found: " " * len(found[0]), before)
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        commas += depth == 0 and text[at] == ","
        if depth < 0:
            # What comes third is a message.
            return commas < 2 and text[at] == "(" and _EQUAL_CALL.search(text[:at]) is not None
    return False
