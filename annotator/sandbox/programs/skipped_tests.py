"""Tests that are marked as skipped: what they expect is never checked, so a control cannot change it.

Only marks that frameworks define count, only at a test, and only if nothing else runs that test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotator.sandbox.language_imports import SAME
from annotator.sandbox.programs.rust import ignored_tests
from annotator.text.trees.word_trees import BracketGroup, Item, Statement, Word

_JAVA_MARKS = frozenset(("@Disabled", "@Ignore"))
_CASES = frozenset(("context", "describe", "it", "specify", "suite", "test"))
_SKIPPED_CASES = frozenset(f"x{name}" for name in _CASES)
_MARKS = frozenset(("skip", "todo"))
_JUNIT = re.compile(r"^[ \t]*import\s+(?:static\s+)?org\.junit\.", re.MULTILINE)
_MAIN = re.compile(r"\bmain\s*\(")


def skipped_tests(language: str, test: str, statements: list[Statement], own: set[str]) -> set[int]:
    """Return the offsets of the statements that are tests marked as skipped; ``own`` are names that the test defines.

    ``statements`` are all of the test, those inside others too.
    """
    name = SAME.get(language, language)
    if name == "rust":
        offsets = {at for at, function in ignored_tests(test) if _is_named_once(function, test)}
        return {item[0].at for item in statements if _is_one_block(item) and offsets & {part.at for part in item}}
    if name == "java" and _JUNIT.search(test) and not _MAIN.search(test):
        return {item[0].at for item in statements if _is_disabled(item, test)}
    if name == "javascript":
        return {item[0].at for item in statements if _is_skipped_case(item, own)}
    return set()


def _is_named_once(name: str, test: str) -> bool:
    return len(re.findall(rf"\b{re.escape(name)}\b", test)) == 1


def _is_one_block(statement: Statement) -> bool:
    """Return whether a statement ends with its only block, so that nothing else is part of it."""
    last = statement[-1]
    braces = [item for item in statement if isinstance(item, BracketGroup) and item.opened == "{"]
    return len(braces) == 1 and braces[0] is last and braces[0].is_block


def _is_disabled(statement: Statement, test: str) -> bool:
    """Return whether JUnit is told to skip a method or class that nothing else mentions."""
    annotations = list(_annotations(statement))
    rest = [item for item in statement[len(annotations) :] if isinstance(item, Word) and item.kind == "name"]
    marks = {item.text for item in annotations if isinstance(item, Word)}
    if not marks & _JAVA_MARKS or not _is_one_block(statement):
        return False
    words = [item.text for item in statement if isinstance(item, Word)]
    if "class" in words:
        name = words[words.index("class") + 1 :][:1]
    else:
        brackets = next(item.at for item in statement[len(annotations) :] if isinstance(item, BracketGroup))
        name = [item.text for item in rest if item.at < brackets][-1:]
    return bool(name) and _is_named_once(name[0], test)


def _annotations(statement: Statement) -> Iterator[Item]:
    """Yield the annotations at the beginning of a statement, with their arguments."""
    for item in statement:
        if not (item.opened == "(" if isinstance(item, BracketGroup) else item.text.startswith("@")):
            return
        yield item


def _is_skipped_case(statement: Statement, own: set[str]) -> bool:
    """Tell whether a statement is nothing but the call of a framework for a case with a title that it skips."""
    *called, arguments = statement
    words = [item.text if isinstance(item, Word) else "" for item in called]
    if own & {*words} or not (isinstance(arguments, BracketGroup) and arguments.opened == "("):
        return False
    is_marked = len(words) == 3 and words[0] in _CASES and words[1] == "." and words[2] in _MARKS
    if not is_marked and not (len(words) == 1 and words[0] in _SKIPPED_CASES):
        return False
    title = arguments.statements[0][0] if arguments.statements else None
    return isinstance(title, Word) and title.kind == "literal" and title.text[:1] in "\"'`"
