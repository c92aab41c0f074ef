"""The control of a pass if code and tests are one program: the same test with other expected values.

Wherever values of the test meet a result of the answer, in one comparison or one list of arguments, they are changed;
the arguments of the answer itself stay. An honest answer then fails.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from annotator.sandbox.programs.skipped_tests import skipped_tests
from annotator.text.trees.word_trees import BOOLEANS, BracketGroup, Item, Statement, Word, read_statements

_TYPES = ("class", "enum", "interface", "record", "struct", "trait", "type")
_DEFINING = (*_TYPES, "def", "fn", "func", "function", "module")
_LAST_IS_RESULT = ("bash", "r", "rust")
"""Languages whose functions return their last statement."""
_ORDERS, _SHELL_ORDERS = ("<", ">", "<=", ">="), ("-lt", "-gt", "-le", "-ge")
_ALIKE, _UNLIKE = ("==", "===", "-eq", "="), ("!=", "!==", "-ne")
_APART = frozenset((*_ALIKE, *_UNLIKE, ",", ":", "?", "&&", "||", "and", "or"))
"""What stands between two sides of a check, or between two checks."""
_IN_TYPES = frozenset((",", "::", ".", "?", "&", "*"))
"""Signs that may stand in type arguments."""
_IN_CALLS = frozenset((",", "-", ".", "::", "->", "!", "&", "<", "<<<", ">", '"', "'"))
"""Signs that may stand in a call of the answer; in Bash, a here-string is its input."""
_CONDITIONS, _LOOPS = ("if", "elif"), ("for", "foreach", "while", "until")
_LEAVES = ("throw", "raise", "panic", "panic!", "fail", "exit", "die", "abort", "stop", "return")
_LOADING = ("require", "import")
_COMPARES = re.compile(r"eq|same|match|cmp|compare|identical|is$|like", re.IGNORECASE)
_CHECKS = re.compile(
    r"assert|expect|check|test|verif|eq|same|match|cmp|compare|identical|like|diff|grep|should|to_?be|^is|contain|include"
    r"|in_array|require|stop|must|^f?abs$|^(?:true|false)$",
    re.IGNORECASE,
)
_TELL_APART = frozenset(("strcmp", "strncmp", "strcasecmp", "memcmp", "wcscmp"))
"""Functions of C that are true of what differs."""
_OF_LIBRARIES = _TELL_APART | {
    "equals", "Equals", "eql?", "equal?", "eq", "compareTo", "CompareTo", "SequenceEqual", "cmp", "identical",
    "all.equal", "isTRUE", "stopifnot", "assert", "assert_equal", "expect_equal", "expect_identical",
}  # fmt: skip
"""Functions by which tests compare and check, in any language: an answer may define its own."""
_EQUAL = frozenset(("0", "true", "TRUE"))
"""What a comparison says of equal values."""
_NEGATES = re.compile(r"^not(?![a-z])|not_|_not|Not|[Ff]alse|refute|[Dd]iffer|^neq?$|_neq?\b|_NEQ?\b")
_DIGITS = re.compile(r"(?!0[xXbBoO])\d+")
_CHARACTER = re.compile(r"'[^'\\]'")
_NONE, _HAS, _CHANGED = range(3)
"""State of a part of a statement: no result of the answer, a result that met no value yet, or one whose values are
changed."""


def alter_expected_values(language: str, code: str, test: str, *, far: int = 0) -> str:
    """Return a test that expects other values of the code; unchanged if none of its values is clearly expected.

    ``far`` is added to each number.
    """
    if language == "sql":
        # Its checks run apart from the code.
        return test
    statements = read_statements(language, test)
    skipped = skipped_tests(language, test, list(_walk_statements(statements)), _own_names(statements))
    reader = _ExpectedValueReader(read_statements(language, code), statements, language, skipped)
    other = _other_values(language)
    for number, word in enumerate(sorted(reader.expected(), key=lambda word: word.at, reverse=True)):
        before = test[: word.at]
        # Of a negative number, the sign is no part.
        added = number % 7 + (-far if before.endswith("-") else far)
        changed = other(word.text, added)
        blank = " " if changed.startswith("-") and before.endswith("-") else ""
        test = before + blank + changed + test[word.at + len(word.text) :]
    return test


def _other_values(language: str) -> Callable[[str, int], str]:
    """Return a function that changes a literal; each number changes by another amount, so that no difference stays
    equal."""
    step, letter = 2 + secrets.randbelow(20), secrets.choice("abcdefghjkmpqwyz")

    def other(literal: str, added: int) -> str:
        if opposite := _opposite_check(literal):
            return opposite
        if number := _DIGITS.match(literal):
            return f"{int(number[0]) + step + added}{literal[number.end() :]}"
        if language in ("c", "c++", "c#", "java", "go", "rust") and _CHARACTER.fullmatch(literal):
            return "'b'" if literal == "'a'" else "'a'"
        inner = literal.rstrip("\"'`#")
        return f"{inner}{letter}{literal[len(inner) :]}" if inner else f"{literal[:1]}{letter}{literal[1:]}"

    return other


def _opposite_check(name: str) -> str:
    """Return the check that fails where one passes: ``assertFalse`` of ``assertTrue``; empty for other names."""
    pairs = {**BOOLEANS, "True": "False", "False": "True"}.items()
    return next((name.removesuffix(one) + other for one, other in pairs if name.endswith(one)), "")


# -- names ---------------------------------------------------------------------------------------------------------


def _walk_statements(statements: list[Statement]) -> Iterator[Statement]:
    """Yield statements and all statements inside them."""
    for statement in statements:
        yield statement
        for item in statement:
            if isinstance(item, BracketGroup):
                yield from _walk_statements(item.statements)


def _executed(statements: list[Statement], skipped: set[int], *, inside: bool = False) -> Iterator[Statement]:
    """Yield statements and those of blocks inside them, without those that begin at the offsets of skipped tests."""
    for statement in statements:
        if statement[0].at in skipped:
            continue
        if not inside:
            yield statement
        for item in statement:
            if isinstance(item, BracketGroup):
                yield from _executed(item.statements, skipped, inside=not item.is_block)


def _names(items: list[Item]) -> set[str]:
    names = {item.text for item in items if isinstance(item, Word) and item.kind == "name"}
    return names.union(*(_names(part) for item in items if isinstance(item, BracketGroup) for part in item.statements))


def _defined_names(code: list[Statement]) -> set[str]:
    """Return the names of functions and types that code defines."""
    names: set[str] = set()
    for statement in _walk_statements(code):
        names |= _defined_functions(statement)
        if any(
            item.is_block if isinstance(item, BracketGroup) else item.text in ("=>", "function") for item in statement
        ):
            names |= _targets(statement)
    return names


def _own_names(test: list[Statement]) -> set[str]:
    """Return the names that a test defines or assigns, without those of modules it loads."""
    own = (item for item in _walk_statements(test) if not _loads_module(item))
    return set[str]().union(*(_defined_functions(item) | _targets(item) for item in own))


def _defined_functions(statement: Statement) -> set[str]:
    """Return the names of the functions and types that a statement defines."""
    names = _names_after(statement, _DEFINING)
    for place, item in enumerate(statement):
        rest = statement[place + 1 :]
        if isinstance(item, Word) and item.kind == "name" and rest and isinstance(rest[0], BracketGroup):
            brackets = [part.opened for part in rest if isinstance(part, BracketGroup)]
            if brackets[:2] == ["(", "{"]:
                names.add(item.text)
    return names


def _names_after(statement: Statement, words: tuple[str, ...]) -> set[str]:
    """Return the names that directly follow one of the words."""
    pairs = pairwise(item for item in statement if isinstance(item, Word))
    return {name.text for word, name in pairs if word.text in words and name.kind == "name"}


def _assignment(statement: Statement) -> int:
    """Return the index of the assignment sign in a statement, or -1."""
    signs = (n for n, item in enumerate(statement) if isinstance(item, Word) and item.kind == "assign")
    return next(signs, -1)


def _value_begins(statement: Statement) -> int:
    """Return the index of the value that a statement gives to a name, by a sign or as ``vector<int> v{1, 2}``; or 0."""
    if (at := _assignment(statement)) > 0:
        return at + 1
    if len(statement) < 3 or _texts(statement[-1:]) != ["{"] or not _are_joined(*statement[-2:]):
        return 0
    kind = statement[-3]
    is_type = isinstance(kind, Word) and (kind.kind == "name" or kind.text in (">", "auto"))
    return len(statement) - 1 if is_type else 0


def _targets(statement: Statement) -> set[str]:
    """Return the names that a statement assigns to."""
    before = statement[: _value_begins(statement)]
    if before and isinstance(before[-1], Word) and before[-1].kind == "assign":
        before.pop()
    colon_at = next((n for n, item in enumerate(before) if isinstance(item, Word) and item.text == ":"), len(before))
    before = before[:colon_at]
    while len(before) > 1 and _texts(before[-1:]) == ["["] and _are_joined(before[-2], before[-1]):
        # An element, or how many there are: ``int e[2] = {1, 2}``.
        before.pop()
    if not before:
        return set()
    if isinstance(before[-1], BracketGroup):
        return _names(before[-1:])
    if _texts(before[:1]) == ["var"]:
        # In Go, its type follows.
        return _names(before[1:2])
    return {before[-1].text} | {
        item.text
        for item, comma in pairwise(before)
        if isinstance(item, Word) and isinstance(comma, Word) and comma.text == ","
    }


# -- what is expected ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _PartRead:
    """What a part of a statement holds: its state, the test's values, the values by which objects of the answer's types
    are made, and the number of results."""

    state: int = _NONE
    values: list[Word] = field(default_factory=list)
    made: list[Word] = field(default_factory=list)
    results: int = 0


class _ExpectedValueReader:
    """Finds the values that a test expects of what code defines."""

    def __init__(self, code: list[Statement], test: list[Statement], language: str, skipped: set[int]) -> None:
        self._defined, self._test, self._language = _defined_names(code), test, language
        self._skipped = skipped
        called_names = (self._defined & set[str]().union(*map(_names, test))) - _defined_names(test)
        if called_names - _OF_LIBRARIES:
            # Where others are asked, what the answer names like a comparison of the library is compared with.
            self._defined -= _OF_LIBRARIES
        self._types = {name for statement in _walk_statements(code) for name in _names_after(statement, _TYPES)}
        self._results: set[str] = set()
        """Variables that hold a result of the answer."""
        self._returned: set[str] = set()
        """Those of them that are all of a result, and not a table, say, with one in it."""
        self._tables: dict[str, BracketGroup] = {}
        self._values: dict[str, list[Word]] = {}
        """Variables that hold only values of the test, with these values."""
        self._made: dict[str, list[Word]] = {}
        """Variables that hold an object of the answer's types, with the values it is made of."""
        self._arguments: set[str] = set()
        """Variables that are passed to the answer."""
        self._sources: set[str] = set()
        """Variables of which others are made, like copies."""
        self._expected: set[Word] = set()
        self._executed_at = {statement[0].at for statement in _executed(test, set())}
        for _ in range(2):
            for statement in _walk_statements(test):
                self._note_names(statement)

    def expected(self) -> set[Word]:
        """Return the literals that the test expects."""
        for statement in _executed(self._test, self._skipped):
            for part, leads in _split_checks(statement):
                if leads == _is_negated(part) and (_assignment(part) < 0 or _compares(part)):
                    self._read_values(part, leads=leads)
        return self._expected or self._truth_checks()

    def _truth_checks(self) -> set[Word]:
        """Return the names of checks that a result is true, or false, wherever they stand, as in an import.

        A check that the test defines itself stays: its definition would change places with it.
        """
        defined = self._defined | _defined_names(self._test)
        checks = {
            name
            for statement in _executed(self._test, self._skipped)
            if not _names(statement).isdisjoint(self._defined | self._results)
            for name in _names(statement)
            if _opposite_check(name) and _CHECKS.search(name) and name not in defined
        }
        words = (item for statement in _walk_statements(self._test) for item in statement if isinstance(item, Word))
        return {word for word in words if word.text.rpartition(".")[2] in checks}

    def _note_names(self, statement: Statement) -> None:
        """Record whether the names defined in a statement are functions, results or values."""
        self._defined |= {name for name in _defined_functions(statement) if self._returns_result(statement)}
        for place, item in enumerate(statement):
            if isinstance(item, Word) and item.text in self._defined:
                after = statement[place + 1 : place + 2]
                if after and isinstance(after[0], BracketGroup):
                    # Of a row of a table, only members are passed.
                    self._arguments |= _names(after) - _with_members(after[0])
                    # What a call changes instead of giving it back is its result.
                    is_all = statement == [item, *after] and item.at in self._executed_at
                    self._results |= _names(after) if is_all else _changed_by_call(after[0])
                elif after and isinstance(after[0], Word) and after[0].kind == "name" and self._language != "bash":
                    # A variable of a type of the answer.
                    self._results.add(after[0].text)
        for name, literals in _members(statement, self._tables):
            self._values[name] = self._values.get(name, []) + literals
        targets = _targets(statement)
        if not targets:
            return
        at = _value_begins(statement)
        if isinstance(table := statement[-1], BracketGroup) and at == len(statement) - 1:
            self._tables |= dict.fromkeys(targets, table)
        if isinstance(statement[at - 2], BracketGroup) and targets & self._defined:
            # What a module gives by name: it is the answer by whatever name.
            self._defined |= targets
            return
        # What a loop does is no part of what its variable holds.
        names = _names(statement[at : -1 if _texts(statement[:1])[0] in _LOOPS else None])
        if self._is_reference(statement[at:]):
            self._defined |= targets
        elif names & (self._defined | self._results):
            self._results |= targets
            self._sources |= set() if _compares(statement[at:]) else names
            if not (self._defined | self._returned).isdisjoint(_texts(statement[at:])):
                self._returned |= targets
            if len(statement) - at <= 3 and _texts(statement[-2:-1])[0] in self._types:
                self._made |= dict.fromkeys(targets, _literals(statement[-1:]))
        elif literals := [] if _loads_module(statement) else _assigned_literals(statement[at:]):
            for name in targets:
                self._values[name] = literals

    def _returns_result(self, statement: Statement) -> bool:
        """Tell whether a function of the test returns a result of the answer."""
        blocks = [item.statements for item in statement if isinstance(item, BracketGroup) and item.is_block]
        if self._language in _LAST_IS_RESULT and any(len(block) == 1 for block in blocks):
            return bool(_names(statement) & self._defined)
        return any(
            isinstance(part[0], Word) and part[0].text == "return" and _names(part) & self._defined
            for block in blocks
            for part in _walk_statements(block)
        )

    def _is_reference(self, items: list[Item]) -> bool:
        """Tell whether an expression is the answer's function itself rather than a call of it."""
        if len(items) == 1:
            return isinstance(items[0], Word) and items[0].text in self._defined
        symbols = {word.text for word in _literals(items)}
        return self._language == "ruby" and any(f":{name}" in symbols for name in self._defined)

    def _read_values(self, statement: Statement, *, leads: bool, function_name: str = "") -> _PartRead:
        """Record the expected values in a statement, or in the arguments of a call of ``function_name``.

        ``leads`` says that the statement is a condition of what follows, which is mostly the failure of a check.
        """
        # In brackets, what is before the sign may be further arguments.
        place = 0 if function_name else _assignment(statement) + 1
        function_name = function_name or next((item.text for item in statement if isinstance(item, Word)), "")
        parts: list[list[Word]] = [[]]
        signs, state, made, results, result_parts = list[str](), _NONE, list[Word](), 0, set[int]()
        inner_results, inner_made, compared, called_at = 0, list[Word](), list[Word](), 0
        # In Bash, ``<`` and ``>`` redirect; elsewhere they may enclose type arguments.
        types = set[int]() if self._language == "bash" else _type_arguments(statement)
        orders = _SHELL_ORDERS if self._language == "bash" else _ORDERS
        while place < len(statement):
            item = statement[place]
            place += 1
            if isinstance(item, BracketGroup):
                inner = self._read_group(item, statement, place - 1, leads=leads)
                compared += (inner.values or inner.made) if _is_comparing_method(statement[: place - 1]) else []
                state = max(state, inner.state)
                result_parts |= {len(parts)} if inner.state else set()
                if not (inner.state == _NONE and called_at and _is_other_method(statement[called_at : place - 1])):
                    parts[-1] += inner.values
                inner_results, inner_made = inner_results + inner.results, inner_made or inner.made
            elif place - 1 in types:
                continue
            elif item.text in self._defined or item.text in self._results:
                state, results, result_parts = max(state, _HAS), results + 1, result_parts | {len(parts)}
                called_at = place
                end = self._end_of_call(statement, place) if item.text in self._defined else place
                if not _has_member(statement[end : end + 1]):
                    made = made or self._made_values(statement, place - 1, end)
                place = end
            elif item.text in _APART or item.kind == "assign" or item.text in orders:
                parts.append([])
                signs.append("," if item.kind == "assign" else item.text)
                called_at = 0
            elif item.kind == "literal":
                if not self._is_file(statement, place - 1) and _may_differ(statement, place - 1, leads=leads):
                    parts[-1].append(item)
            elif item.kind == "name" and not self._is_given(statement, place - 1):
                parts[-1] += self._values.get(item.text, ())
        if _drop_bounds(parts, signs, orders):
            compared = []
        values = [word for part in parts for word in part]
        if state == _HAS:
            values = _first_compared(compared, _compared_values(parts, signs, result_parts, function_name))
            # An object of the answer's type may be expected, or a list of such objects be compared as a whole.
            values = values or (made if results > 1 else [])
            if results + inner_results > 1 and _COMPARES.search(function_name):
                values = values or inner_made
            if values and _is_check(statement, function_name):
                self._expected.update(values)
                return _PartRead(_CHANGED)
        if state == _CHANGED:
            # What is compared with false is a check that must not hold.
            self._expected.update(word for word in values if BOOLEANS.get(word.text, "").lower() == "true")
        return _PartRead(state, [] if state else values, made or inner_made, results + inner_results)

    def _read_group(self, group: BracketGroup, statement: Statement, place: int, *, leads: bool) -> _PartRead:
        if group.is_block:
            return _PartRead()
        last = statement[place - 1] if place else None
        function_name = last.text if isinstance(last, Word) else " "
        if self._language == "bash" and function_name == "$" and _names([group]) & (self._defined | self._results):
            # What a command prints is a result, whatever it looks for.
            return _PartRead(_HAS, results=1)
        if _texts(statement[place + 1 : place + 3]) == [".", "abs"]:
            function_name = "abs"
        # What is negated as a whole holds where the condition does not.
        leads = leads != (function_name == "!")
        if function_name in _LOADING and all(len(statement) == 1 for statement in group.statements):
            # The name of a module is no value.
            return _PartRead()
        parts = [
            self._read_values(statement, leads=leads, function_name=function_name) for statement in group.statements
        ]
        state = max((part.state for part in parts), default=_NONE)
        joined = isinstance(last, BracketGroup) or (
            last is not None and last.kind == "name" and _are_joined(last, group)
        )
        is_index = group.opened == "[" and joined and not function_name.endswith("!")
        return _PartRead(
            state,
            [] if is_index else [word for part in parts for word in part.values],
            next((part.made for part in parts if part.made), []),
            sum(part.results for part in parts),
        )

    def _made_values(self, statement: Statement, place: int, end: int) -> list[Word]:
        """Return the values of which a type's name makes an object, or made one if nothing else is made of it."""
        name = _texts(statement[place : place + 1])[0]
        if name in self._made:
            return [] if name in self._sources or _texts(statement).count(name) > 1 else self._made[name]
        called = [text for text in _texts(statement[place + 1 : end]) if text not in (".", "::", "new")]
        return _literals(statement[place:end]) if name in self._types and called[:1] in (["("], ["{"]) else []

    def _is_given(self, statement: Statement, place: int) -> bool:
        """Tell whether a name is a variable given to the answer, or a member of one or of a result."""
        around = statement[max(0, place - 2) : place]
        owner = _names(around[:1]) if _has_member(around[1:]) else set[str]()
        return not (owner | _names(statement[place : place + 1])).isdisjoint(self._arguments | (owner & self._returned))

    def _is_file(self, statement: Statement, place: int) -> bool:
        """Tell whether a literal is the number of an open file in Bash, as both in ``2>&1`` are."""
        literal = statement[place]
        if self._language != "bash" or not (isinstance(literal, Word) and literal.text.isdigit()):
            return False
        pairs = pairwise(statement[max(0, place - 1) : place + 2])
        joined = {item.text for pair in pairs if _are_joined(*pair) for item in pair if isinstance(item, Word)}
        return not joined.isdisjoint(("<", ">", "&"))

    def _end_of_call(self, statement: Statement, place: int) -> int:
        """Return the index at which a call of the answer ends."""
        while place < len(statement):
            item = statement[place]
            if isinstance(item, BracketGroup):
                # In Bash an answer may be named as a command that compares.
                checks = self._language == "bash" and bool(_names([item]) & (self._defined | self._results))
                return place if checks else place + 1
            if item.kind == "sign" and item.text not in _IN_CALLS:
                break
            if item.kind == "keyword":
                break
            place += 1
        return place


def _has_member(after: list[Item]) -> bool:
    """Tell whether an object is followed by a member access."""
    return bool(after) and isinstance(after[0], Word) and after[0].text in (".", "->", "::", "?.")


def _with_members(arguments: BracketGroup) -> set[str]:
    """Return the names in the arguments of a call of which members are asked, but no methods."""
    names: set[str] = set()
    for statement in _walk_statements(arguments.statements):
        for place, item in enumerate(statement):
            is_method = _texts(statement[place + 3 : place + 4]) == ["("]
            if isinstance(item, Word) and _has_member(statement[place + 1 : place + 2]) and not is_method:
                names.add(item.text)
    return names


def _split_at_commas(statement: Statement) -> list[Statement]:
    parts: list[Statement] = [[]]
    for item in statement:
        if isinstance(item, Word) and item.text == ",":
            parts.append([])
        else:
            parts[-1].append(item)
    return [part for part in parts if part]


def _members(statement: Statement, tables: Mapping[str, BracketGroup]) -> Iterator[tuple[str, list[Word]]]:
    """Yield names with literals: keys of objects, and columns of tables: structs in Go, ``each`` in Jest."""
    for part in _split_at_commas(statement):
        if isinstance(key := part[0], Word) and key.kind == "name" and _texts(part[1:2]) == [":"]:
            yield key.text, _literals(part[2:])
    for word, first, second in zip(statement, statement[1:], statement[2:], strict=False):
        if not (isinstance(word, Word) and isinstance(first, BracketGroup) and isinstance(second, BracketGroup)):
            continue
        if word.text == "struct":
            yield from _columns(first.statements, second)
        elif word.text == "each" and first.statements:
            given = first.statements[0][0]
            table = given if isinstance(given, BracketGroup) else tables.get(given.text, BracketGroup("[", 0))
            called = (item for part in second.statements for item in part if isinstance(item, BracketGroup))
            yield from _columns(next((item.statements for item in called if item.opened == "("), []), table)


def _columns(names: list[Statement], table: BracketGroup) -> Iterator[tuple[str, list[Word]]]:
    """Yield the names of the columns of a table with the literals of each row."""
    heads = [_texts(part)[0] for line in names for part in _split_at_commas(line)]
    for row in (row for line in table.statements for row in line if isinstance(row, BracketGroup)):
        for values in map(_split_at_commas, row.statements):
            yield from zip(heads, map(_literals, values), strict=False)


def _loads_module(statement: Statement) -> bool:
    """Tell whether a statement loads a module; the module's name is not an expected value."""
    return any(isinstance(item, Word) and item.text in _LOADING for item in statement)


def _changed_by_call(arguments: BracketGroup) -> set[str]:
    """Return the variables changed by functions that are arguments of a call."""
    names: set[str] = set()
    for statement in _walk_statements(arguments.statements):
        for name, sign in pairwise(statement):
            if isinstance(name, Word) and isinstance(sign, Word) and sign.text in ("++", "--", "+=", "="):
                names.add(name.text)
    return names


def _split_checks(statement: Statement) -> Iterator[tuple[Statement, bool]]:
    """Yield the parts of a statement that may be checks, and whether each is a condition for a failure."""
    first = statement[0]
    if isinstance(first, Word) and first.text in _LOOPS:
        return
    leads = any(isinstance(item, Word) and item.text in _CONDITIONS for item in statement) or any(
        isinstance(sign, Word) and sign.text == "&&" and not {*_LEAVES}.isdisjoint(_names([after]))
        for sign, after in pairwise(statement)
    )
    rest: Statement = []
    if leads and isinstance(first, Word) and len(statement) > 1 and isinstance(statement[1], BracketGroup):
        statement, rest = statement[:2], statement[2:]
    checked_items: Statement = []
    is_after_leave = False
    for item in statement:
        word = item.text if isinstance(item, Word) else ""
        is_after_leave = word in _LEAVES[:-1] or (is_after_leave and word not in ("if", "unless"))
        if not is_after_leave:
            checked_items.append(item)
    yield checked_items, leads
    if rest:
        yield from _split_checks(rest)


def _is_negated(statement: Statement) -> bool:
    """Tell whether a statement negates a comparison."""
    words = _texts(statement)
    compares = not {*_ALIKE, *_UNLIKE}.isdisjoint(words)
    for place, item in enumerate(statement):
        if isinstance(item, BracketGroup):
            if not item.is_block and any(_is_negated(part) for part in item.statements):
                return True
        elif item.text == "!" and not _TELL_APART.isdisjoint(words[place + 1 : place + 2]):
            continue
        elif (
            item.text == "-ne"
            or (item.text[:1] == "-" and "v" in item.text and "grep" in words[:place])
            or (item.kind == "sign" and "!" in item.text)
            or (item.text in _TELL_APART and not compares and words[max(0, place - 1)] != "!")
            or (item.kind in ("name", "keyword") and _NEGATES.search(item.text))
        ):
            return True
    return False


def _is_check(statement: Statement, function_name: str) -> bool:
    """Tell whether a statement compares values: by a sign, or in a function named like a check."""
    words = [item for item in statement if isinstance(item, Word)]
    return any(word.text in (*_ALIKE, *_UNLIKE) for word in words) or any(
        _CHECKS.search(name) for name in (function_name, *(word.text for word in words if word.kind == "name"))
    )


def _compares(statement: Statement) -> bool:
    """Tell whether a statement assigns the result of a comparison."""
    words = [item for item in statement if isinstance(item, Word)]
    inner = [
        part for item in statement if isinstance(item, BracketGroup) and not item.is_block for part in item.statements
    ]
    return any(word.text in (*_ALIKE[:2], "!=") or _COMPARES.search(word.text) for word in words) or any(
        map(_compares, inner)
    )


def _opposite_values(parts: list[list[Word]], signs: list[str], result_parts: set[int]) -> list[Word]:
    """Return the values that signs between the parts compare with results."""
    compared = [
        side
        for number, sign in enumerate(signs, start=1)
        if sign in (*_ALIKE, *_UNLIKE) and len({number, number + 1} & result_parts) == 1
        for side in {number, number + 1} - result_parts
    ]
    return [word for side in compared for word in parts[side - 1]]


def _is_other_method(before: list[Item]) -> bool:
    """Tell whether brackets after these items hold what a method of a result is given, unless it compares."""
    name = before[-1].text if len(before) > 1 and isinstance(before[-1], Word) else ""
    return _has_member(before[-2:]) and not (_COMPARES.search(name) or "contain" in name.lower() or "include" in name)


def _is_comparing_method(before: list[Item]) -> bool:
    """Tell whether brackets after these items hold what a method of an object compares it with."""
    name = before[-1].text if len(before) > 2 and isinstance(before[-1], Word) else ""
    return _has_member(before[-2:]) and (name in _OF_LIBRARIES or "equal" in name.lower())


def _drop_bounds(parts: list[list[Word]], signs: list[str], orders: Collection[str]) -> bool:
    """Empty the parts beside each sign of order, which are bounds or parts of them, and return whether there were any.

    ``f(1) - 2 / 3 < 0.1`` holds for all that is larger than 2, too.
    """
    bounds = [number for number, sign in enumerate(signs) if sign in orders]
    for number in bounds:
        parts[number : number + 2] = [[], []]
    return bool(bounds)


def _first_compared(compared: list[Word], values: list[Word]) -> list[Word]:
    """Return what a method compares with if the other values only say that it found both equal."""
    others = {word.text for word in values if word not in compared}
    return compared if compared and others <= _EQUAL else values


def _compared_values(
    parts: list[list[Word]], signs: list[str], result_parts: set[int], function_name: str
) -> list[Word]:
    """Return the values with which signs compare a result, or a function that it is given to."""
    values = _opposite_values(parts, signs, result_parts)
    if not values and (_COMPARES.search(function_name) or {*signs}.isdisjoint((*_ALIKE, *_UNLIKE))):
        values = _values_beside(parts, signs, result_parts, function_name)
    return values


def _values_beside(parts: list[list[Word]], signs: list[str], result_parts: set[int], function_name: str) -> list[Word]:
    """Return the values before and after a result among arguments, or else those that belong to it.

    A string is a message if the function's name does not compare, or if another value beside the result is unknown.
    """
    arguments, results = list[list[Word]](), set[int]()
    for number, (sign, part) in enumerate(zip([",", *signs], parts, strict=True), start=1):
        if sign == ",":
            arguments.append([])
        arguments[-1] += part
        results |= {len(arguments) - 1} if number in result_parts else set()
    places = {place for result in results for place in (result - 1, result + 1)} - results
    beside = [arguments[place] for place in sorted(places) if 0 <= place < len(arguments)]
    # After a number, one below 1 is how exact it must be; after anything else, a very small one.
    beside = beside[:1] + [part for part in beside[1:] if not _is_tolerance(part, follows_number=bool(beside[0]))]
    if not (_COMPARES.search(function_name) and all(beside)):
        beside = [part for part in beside if not all(word.text[-1:] in "\"'`" for word in part)]
    values = [word for part in beside for word in part]
    return values or [word for part in sorted(result_parts) for word in parts[part - 1]]


def _is_tolerance(literals: list[Word], *, follows_number: bool) -> bool:
    begins = ("0.", ".") if follows_number else ("0.0", ".0")
    numbers = [literal.text for literal in literals]
    return all(number[:1] in "0123456789." and (number.startswith(begins) or "e-" in number) for number in numbers)


def _literals(items: list[Item]) -> list[Word]:
    literals = [item for item in items if isinstance(item, Word) and item.kind == "literal"]
    inner = [part for item in items if isinstance(item, BracketGroup) and not item.is_block for part in item.statements]
    return literals + [word for part in inner for word in _literals(part)]


def _assigned_literals(items: list[Item]) -> list[Word]:
    """Return the literals of an assigned value; braces alone are a list or an object."""
    only = items[0] if len(items) == 1 else None
    return [
        word for part in (only.statements if isinstance(only, BracketGroup) else [items]) for word in _literals(part)
    ]


def _texts(items: list[Item]) -> list[str]:
    """Return the texts of words, and of brackets the opening one."""
    return [item.text if isinstance(item, Word) else item.opened for item in items]


def _are_joined(first: Item, second: Item) -> bool:
    """Tell whether something stands directly after a word."""
    return isinstance(first, Word) and first.at + len(first.text) == second.at


def _type_arguments(statement: Statement) -> set[int]:
    """Return the indices of type arguments and their brackets: ``<`` joined to a name, up to ``>`` with only types.

    ``parse::<i32>()``, ``List<Map<String, Integer>>``
    """
    brackets, opened = set[int](), list[int]()
    for place, item in enumerate(statement):
        before = statement[max(0, place - 1)]
        if isinstance(item, BracketGroup):
            continue
        follows_name = isinstance(before, Word) and (before.kind == "name" or before.text in ("::", "."))
        if item.text == "<" and follows_name and _are_joined(before, item):
            opened.append(place)
        elif opened and item.text in (">", ">>"):
            brackets |= {*range(opened[-len(item.text) :][0], place + 1)}
            del opened[-len(item.text) :]
        elif not (item.text in _IN_TYPES or (item.kind in ("name", "keyword") and item.text not in _APART)):
            opened.clear()
    return brackets


def _may_differ(statement: Statement, place: int, *, leads: bool) -> bool:
    """Tell whether a check fails if this literal changes: not if it is an exit status, say."""
    beside = [item.text for item in statement[max(0, place - 1) : place + 2] if isinstance(item, Word)]
    return not {*beside} & {*(_ALIKE if leads else ()), *_LEAVES}
