"""What a test expects of an answer if both are one program: literals that must equal results, and checks of truth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from itertools import pairwise

from annotator.sandbox.programs.rust import expected_panics, ignored_tests
from annotator.text.trees.word_trees import BracketGroup, Item, Statement, Word, read_statements

_TYPES = ("class", "enum", "interface", "record", "struct", "trait", "type")
_DEFINING = ("def", "fn", "func", "function", "module")
_LAST_IS_RESULT = ("bash", "r", "rust")
"""Languages whose functions return their last statement."""
_ORDERS, _ALIKE, _UNLIKE = ("<", ">", "<=", ">="), ("==", "===", "-eq", "="), ("!=", "!==", "-ne")
_APART = frozenset((*_ALIKE, *_UNLIKE, "-lt", "-gt", "-le", "-ge", ",", ":", "?", "&&", "||", "and", "or"))
"""Operators between the two sides of a check, or between two checks."""
_MEMBER = (".", "->", "::", "?.")
_IN_CALLS = frozenset((*_MEMBER, ",", "-", "!", "&", "<", "<<<", ">"))
"""Symbols that may occur in a call of the answer; in Bash, a here-string is its input."""
_CONDITIONS, _LOOPS, _LOADING = ("if", "elif"), ("for", "foreach", "while", "until"), ("require", "import")
_BEFORE_BLOCKS = (*_CONDITIONS, *_LOOPS, "switch", "match", "case", "else", "unless")
_JOINING = ("&&", "||", "and", "or")
_IN_EXPRESSIONS = (*_BEFORE_BLOCKS, "new", "is", "with")
"""Words by which an expression has a block: ``new S(1) { … }``, or ``f(1) switch { … }`` in C#."""
_DEFINED_BY_KEYWORD = ("go", "php", "r", "ruby", "rust")
"""Languages whose functions begin with a keyword: without it, a block belongs to a call, as in ``f(1) { |x| x }``."""
_EXPORTS = frozenset(("exports", "module", "this", "self", "global", "globalThis", "window"))
_LEAVES = ("throw", "raise", "panic", "panic!", "fail", "exit", "die", "abort", "stop")
_FIXED_OPERATORS = ("c", "go", "java")
"""Languages in which an answer cannot say what an operator does."""
_FAILS = frozenset((*_LEAVES, "Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"))
"""Words by which a test fails."""
_FAILS_AS_METHOD = frozenset(("exit", "fail", "Exit", "Fatal", "Fatalf", "Fail", "FailNow"))
"""Those that fail a test as a method of anything: ``timer.stop()`` and ``err.Error()`` do not."""
_TESTS_OF_GO = ("t", "b", "tb")
_EXPECTS_EXCEPTION = re.compile(r"throw|raise|panic", re.IGNORECASE)
_COMPARES = re.compile(r"eq|same|match|cmp|compare|identical|is$|like", re.IGNORECASE)
_CHECKS = re.compile(
    _COMPARES.pattern + r"|assert|expect|check|test|verif|diff|grep|should|to_?be|^is|contain|include|in_array|require"
    r"|stop|must|^f?abs$|^(?:true|false)$",
    re.IGNORECASE,
)
_DISABLED, _X_CASES = ("@Disabled", "@Ignore"), ("xit", "xtest", "xdescribe", "xcontext", "xspecify", "xsuite")
"""Marks of tests that do not run: annotations, and what a case begins with instead of its framework's name."""
_TELL_APART = frozenset(("strcmp", "strncmp", "strcasecmp", "memcmp", "wcscmp"))
"""Functions of C that are true of what differs."""
_OF_LIBRARIES = _TELL_APART | {
    "equals", "Equals", "Equal", "eql?", "equal?", "eq", "compareTo", "CompareTo", "SequenceEqual", "cmp", "identical",
    "all.equal", "isTRUE", "stopifnot", "assert", "assert_equal", "expect_equal", "expect_identical",
}  # fmt: skip
"""Functions by which tests compare and check, in any language: an answer may define its own."""
_DESCRIBED = frozenset(("described_class", "subject", "is_expected"))
"""RSpec's names for the class that is described, and for what it makes."""
_EQUAL = frozenset(("0", "true", "TRUE"))
"""What a comparison says of equal values."""
_TRUTHS = ("assert", "assert!", "CHECK", "REQUIRE", "ok", "stopifnot")
_ENDS_OF_TRUTHS = ("true", "false", "truthy", "falsy")
"""Checks that a condition is true, or false: their names, and what those of others end with."""
_NEGATES = re.compile(r"^not(?![a-z])|not_|_not|Not|[Ff]alse|refute|[Dd]iffer|^neq?$|_neq?\b|_NEQ?\b")
_HOLDS = re.compile(_COMPARES.pattern + "|contain|include", re.IGNORECASE)


# -- words and names -----------------------------------------------------------------------------------------------


def _texts(items: list[Item]) -> list[str]:
    """Return the texts of words, and of brackets the opening one."""
    return [item.text if isinstance(item, Word) else item.opened for item in items]


def _words(items: list[Item], *kinds: str, blocks: bool = True) -> list[Word]:
    """Return the words of these kinds, also of those in brackets, with those of blocks or without."""
    matches: list[Word] = []
    for item in items:
        if isinstance(item, Word):
            matches += [item] if item.kind in kinds else []
        elif blocks or not item.is_block:
            matches += [word for part in item.statements for word in _words(part, *kinds, blocks=blocks)]
    return matches


def _names(items: list[Item]) -> set[str]:
    return {word.text for word in _words(items, "name")}


def _symbols(items: list[Item]) -> set[str]:
    """Return the names in symbols of Ruby."""
    return {word.text[1:] for word in _words(items, "literal") if word.text[0] == ":"}


def _are_joined(first: Item, second: Item) -> bool:
    """Return whether something stands directly after a word."""
    return isinstance(first, Word) and first.at + len(first.text) == second.at


def walk_statements(statements: list[Statement]) -> Iterator[Statement]:
    """Yield statements and all statements inside them."""
    for statement in statements:
        yield statement
        for item in statement:
            if isinstance(item, BracketGroup):
                yield from walk_statements(item.statements)


def _without_skipped(statements: list[Statement], ignored: Set[int]) -> list[Statement]:
    """Leave out tests that are marked as skipped, and functions at an ignored offset."""
    remaining: list[Statement] = []
    for statement in statements:
        texts = _texts(statement)
        functions = {item.at for item, text in zip(statement, texts, strict=True) if text == "fn"}
        is_marked = texts[0] in _X_CASES or texts[1:3] in ([".", "skip"], [".", "todo"])
        if not (is_marked or not {*_DISABLED}.isdisjoint(texts) or (functions and functions <= ignored)):
            remaining.append(statement)
            for item in statement:
                if isinstance(item, BracketGroup):
                    item.statements = _without_skipped(item.statements, ignored)
    return remaining


def _without_undefined(test: str) -> str:
    """Blank the lines of C that need a name which the test does not define, as ``#ifdef RUN_ALL_TESTS`` does."""
    lines, depth = test.splitlines(keepends=True), 0
    for number, line in enumerate(lines):
        words = [*line.replace("(", " ").replace(")", " ").split(), "", "", ""]
        if depth:
            depth += words[0].startswith("#if") - (words[0] == "#endif" or (words[0] == "#else" and depth == 1))
        elif words[0] == "#ifdef" or (words[:2] == ["#if", "defined"] and not any(words[3:])):
            name = words[1 + (words[0] == "#if")]
            depth = int(name[:1] != "_" and f"#define {name}" not in test)
        lines[number] = " " * len(line) if depth else line
    return "".join(lines)


def _executed(statements: list[Statement], *, inside: bool = False) -> Iterator[Statement]:
    """Yield statements and those of blocks inside them."""
    for statement in statements:
        if not inside:
            yield statement
        for item in statement:
            if isinstance(item, BracketGroup):
                yield from _executed(item.statements, inside=not item.is_block)


def _names_after(statement: Statement, words: tuple[str, ...]) -> set[str]:
    """Return the names that follow one of the words: directly, or with a receiver between, as methods in Go do."""
    words_at = [(place, item) for place, item in enumerate(statement) if isinstance(item, Word)]
    return {
        name.text
        for (word_at, word), (place, name) in pairwise(words_at)
        if (word.text in words and name.kind == "name")
        and (place == word_at + 1 or _texts(statement[place + 1 : place + 2]) == ["("])
    }


def _names_before_block(statement: Statement) -> set[str]:
    """Return the names that head a block with arguments: of a function without a keyword, or of a macro's test case."""
    names: set[str] = set()
    for place, (name, brackets) in enumerate(pairwise(statement), start=2):
        if isinstance(name, Word) and name.kind == "name" and isinstance(brackets, BracketGroup):
            body = next((part for part in statement[place:] if isinstance(part, BracketGroup)), brackets)
            # Pygments reads the qualified name of a C++ function as one word.
            names |= {name.text.rpartition("::")[2]} if brackets.opened == "(" and body.is_block else set()
    return names if _texts(statement[:1])[0] not in _BEFORE_BLOCKS else set()


def _defined_names(code: list[Statement]) -> set[str]:
    """Return the names of functions and types that code defines."""
    names: set[str] = set()
    for statement in walk_statements(code):
        names |= _names_after(statement, (*_DEFINING, *_TYPES)) | _names_before_block(statement)
        if _has_member(statement[1:2]) and _texts(statement[:1])[0] not in names | _EXPORTS:
            # What another object is given, as in ``JSON.stringify = …``, is not asked for as the answer.
            continue
        is_function = any(isinstance(item, BracketGroup) and item.is_block for item in statement)
        if is_function or not {"=>", "function"}.isdisjoint(_texts(statement)):
            names |= _targets(statement)
    return names


def _value_begins(statement: Statement) -> int:
    """Return the index of the value that a statement gives to a name, by a sign or as ``vector<int> v{1, 2}``; or 0."""
    if _texts(statement[:2]) in (["let", "("], ["subject", "("]) and _texts(statement[2:]) == ["{"]:
        # RSpec's ``let(:x) { f(1) }``.
        return 2
    signs = [n for n, item in enumerate(statement) if isinstance(item, Word) and item.kind == "assign"]
    if signs and signs[0]:
        return signs[0] + 1
    if len(statement) < 3 or _texts(statement[-1:]) != ["{"] or not _are_joined(*statement[-2:]):
        return 0
    kind = statement[-3]
    is_type = isinstance(kind, Word) and (kind.kind == "name" or kind.text in (">", "auto"))
    return len(statement) - 1 if is_type else 0


def _targets(statement: Statement) -> set[str]:
    """Return the names that a statement assigns to."""
    before = statement[: _value_begins(statement)]
    texts = [*_texts(before), ":"]
    before = before[: texts.index(":")]
    while len(before) > 1 and (
        (isinstance(before[-1], Word) and before[-1].kind == "assign")
        or (texts[len(before) - 1] == "[" and _are_joined(*before[-2:]))
    ):
        # The sign, or the index of an element, or how many there are: ``int e[2] = {1, 2}``.
        before.pop()
    if texts[0] == "var":
        # In Go, its type follows.
        return _names(before[1:2])
    listed = [item for item, after in pairwise([*before, Word("sign", ",", 0)]) if _texts([after]) == [","]]
    return {name for item in listed for name in (_names([item]) | _symbols([item]) or _texts([item]))}


# -- what is expected ------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Side:
    """What one side of a comparison holds."""

    results: int = 0
    """The number of results of the answer."""
    values: list[Word] = field(default_factory=list)
    compared: list[Word] = field(default_factory=list)
    """Those of the values that a method of a result compares it with."""
    object_values: list[Word] = field(default_factory=list)
    """The values by which an object of the answer's types is made."""
    is_changed: bool = False
    """Whether values in it are changed already."""

    def add(self, other: _Side) -> None:
        """Take over what another side holds."""
        self.results += other.results
        self.values = self.values + other.values
        self.compared = self.compared + other.compared
        self.object_values = self.object_values or other.object_values
        self.is_changed |= other.is_changed


class ExpectedValueReader:
    """Finds the values that a test expects of what code defines."""

    def __init__(self, language: str, code: list[Statement], test: str) -> None:
        statements = read_statements(language, _without_undefined(test) if language in ("c", "c++") else test)
        ignored = {at for at, _ in ignored_tests(test)} if language == "rust" else set[int]()
        self._expected_panics = expected_panics(test) if language == "rust" else []
        self._language, self._test = language, _without_skipped(statements, ignored)
        walked = list(walk_statements(self._test))
        self._defined_by_tests = set[str]().union(*map(self._defined_by_test, walked))
        # What the test defines itself is the test's, whatever the answer names alike.
        self._own_names = _defined_names(code)
        pairs = [pair for statement in walk_statements(code) for pair in pairwise(_texts(statement))]
        self._defines_equality = any(map(_COMPARES.search, self._own_names)) or any(
            first == "operator" or (first == "def" and second.startswith("==")) for first, second in pairs
        )
        self._defined = self._own_names - self._defined_by_tests
        self._defined |= _DESCRIBED if language == "ruby" else set()
        called_names = self._defined.intersection(*[set().union(*map(_names, walked))])
        if called_names - _OF_LIBRARIES:
            # Where others are asked, what the answer names like a comparison of the library is compared with.
            self._defined -= _OF_LIBRARIES
        self._types = {name for statement in walk_statements(code) for name in _names_after(statement, _TYPES)}
        self._results: set[str] = set()
        """Variables that hold a result of the answer."""
        self._values: dict[str, list[Word]] = {}
        """Variables that hold only values of the test, with these values."""
        self._made: dict[str, list[Word]] = {}
        """Variables that hold an object of the answer's types, with the values it is made of."""
        self._tables: dict[str, BracketGroup] = {}
        self._rows: set[str] = set()
        """Columns of tables that hold what is the answer's in one of them."""
        self._given: set[str] = set()
        """Variables that are passed to the answer."""
        self._sources: set[str] = set()
        """Variables of which results are made, like copies."""
        self._in_objects: set[Word] = set()
        """Values of which the test makes objects of the answer's types."""
        self._expected: dict[int, Word] = {}
        self._executed_at = {statement[0].at for statement in _executed(self._test)}
        for _ in range(2):
            self._values.clear()
            self._made.clear()
            for statement in walked:
                self._note_names(statement)

    def _is_head(self, statement: Statement) -> bool:
        """Return whether a statement is a function, or a test case of a macro, with its block."""
        if not {*_DEFINING}.isdisjoint(_texts(statement)):
            return bool(_names_before_block(statement))
        is_expression = not {*_IN_EXPRESSIONS}.isdisjoint(_texts(statement)) or _value_begins(statement) > 0
        return self._language not in _DEFINED_BY_KEYWORD and not is_expression and bool(_names_before_block(statement))

    def _defined_by_test(self, statement: Statement) -> set[str]:
        """Return the names of functions and types that a statement of the test defines: ``struct S s(3)`` is none."""
        has_block = any(isinstance(item, BracketGroup) and item.is_block for item in statement)
        names = _names_after(statement, (*_DEFINING, *(_TYPES if has_block else ())))
        return names | (_names_before_block(statement) if self._is_head(statement) else set())

    def expected(self, *, in_objects: bool = False) -> set[Word]:
        """Return the literals that the test expects, or those in objects of the answer's types if there are others."""
        for statement in _executed(self._test):
            # The head of a function or of a test case checks nothing.
            for part, leads in () if self._is_head(statement) else _split_checks(statement):
                if not _value_begins(part) or _compares(part):
                    self._read_values(part[_value_begins(part) :], leads=leads)
        expected = {*self._expected.values()}
        in_own_objects = expected & self._in_objects if self._defines_equality else set[Word]()
        return (in_own_objects if in_own_objects < expected else set()) if in_objects else expected

    def negations(self) -> Iterator[tuple[int, str]]:
        """Yield what to insert, and where, to negate results that are checked for truth, and to expect no panics."""
        for argument in self._negatable(self._test) if self._language != "bash" else ():
            last = argument[-1]
            yield argument[0].at, "!("
            yield last.end if isinstance(last, BracketGroup) else last.at + len(last.text), ")"
        for start, end in self._expected_panics:
            yield start, "cfg_attr(any(), "
            yield end, ")"

    def _negatable(self, statements: list[Statement]) -> Iterator[Statement]:
        """Yield conditions with results, each of which makes the test fail if it is negated.

        Of conditions inside one another only the inner one is negated: with the outer one, it would not be reached.
        """
        for statement in statements:
            if _expects_exception(statement, self._own_names | self._defined_by_tests):
                # It also passes if a negated result is not reached.
                continue
            argument = self._checked_for_truth(statement)
            if self._can_be_negated(argument):
                yield argument
                continue
            condition, body = _condition_and_body(statement, self._language)
            groups = (item for item in body if isinstance(item, BracketGroup))
            inner = [part for group in groups for part in self._negatable(group.statements)]
            yield from inner
            if not inner and _fails(body) and self._can_be_negated(condition):
                yield condition

    def _can_be_negated(self, condition: Statement) -> bool:
        """Tell whether a condition holds a result, and the answer cannot say what its comparisons mean."""
        if not _names(condition) & (self._defined | self._results):
            return False
        if any(isinstance(item, Word) and (item.kind == "assign" or item.text == "let") for item in condition):
            # It defines a name, as Rust's ``if let`` does.
            return False
        comparing = {name for name in _names(condition) if _COMPARES.search(name)}
        is_compared = bool(comparing) or not {*_ORDERS, *_ALIKE, *_UNLIKE}.isdisjoint(_texts(condition))
        # Elsewhere the answer may say what an operator does with its results.
        return not is_compared or (self._language in _FIXED_OPERATORS and not comparing & self._own_names)

    def _checked_for_truth(self, statement: Statement) -> Statement:
        """Return the argument of a check of truth that holds a result, or nothing."""
        own, after_name = self._defined | self._results, list[Statement]()
        # What the answer names like a check, such as ``isFalsy``, is none.
        functions = self._defined | self._defined_by_tests
        for place, item in enumerate(statement, start=1):
            if not isinstance(item, Word) or item.kind not in ("name", "keyword") or item.text in functions:
                continue
            is_called = _texts(statement[place : place + 1]) == ["("]
            if item.text == "assert":
                is_called = place == 1 and not _has_member(statement[1:])
            if is_called and (item.text in _TRUTHS or item.text.lower().endswith(_ENDS_OF_TRUTHS)):
                after_name = after_name or _split_at(statement[place:], (",", ":"))
        for item in statement if after_name else ():
            whole = next((part for part in after_name if _names(part) & own), [])
            if isinstance(item, Word) and item.text in own:
                return whole
            if isinstance(item, BracketGroup) and not item.is_block and _names([item]) & own:
                if self._language in ("java", "ruby") and not {*_JOINING}.isdisjoint(_texts(whole)):
                    # ``assert (f(1)) || g(1)``: its brackets are not those of a call.
                    return whole
                parts = [part for line in item.statements for part in _split_at(line) if _names(part) & own]
                # Another one may be the message.
                return next((part for part in parts if not _texts(part)[0].startswith(("'", '"'))), parts[0])
        return []

    def _note_names(self, statement: Statement) -> None:
        """Record whether the names defined in a statement are functions, results or values."""
        if self._returns_result(statement):
            self._defined |= _names_after(statement, _DEFINING) | _names_before_block(statement)
        for place, item in enumerate(statement):
            if isinstance(item, Word) and item.text in self._defined:
                after = statement[place + 1 : place + 2]
                if after and isinstance(after[0], BracketGroup):
                    # Of a row of a table, only members are passed.
                    self._given |= _names(after) - _with_members(after[0])
                    # What a call changes instead of giving it back is its result.
                    is_all = statement == [item, *after] and item.at in self._executed_at
                    whole = [part for line in after[0].statements for part in _split_at(line) if len(part) < 3]
                    self._results |= _changed_by_call(after[0]).union(*map(_names, whole if is_all else []))
                elif item.text in self._types:
                    # A variable of a type of the answer.
                    self._results |= _names(after)
        columns = list(_columns(statement, self._tables))
        own = self._defined | self._results
        # What a type alone makes is a value: ``[]Point{{1, 2}}``.
        self._results |= {name for name, part in columns if not _names(part).isdisjoint(own - self._types)}
        if any(not _names(part).isdisjoint(own) for _, part in columns):
            self._rows |= {name for name, _ in columns}
        for name, part in columns:
            self._values[name] = self._values.get(name, []) + _words(part, "literal", blocks=False)
        if targets := _targets(statement):
            self._note_assignment(targets, statement, statement[_value_begins(statement) :])

    def _note_assignment(self, targets: set[str], statement: Statement, value: Statement) -> None:
        if len(value) == 1 and isinstance(table := value[0], BracketGroup):
            self._tables |= dict.fromkeys(targets, table)
        # A loop's body is not part of its variable's value.
        value = value[: -1 if _texts(statement[:1])[0] in _LOOPS else None]
        referred = _symbols(value)
        referred |= targets if _loads(statement) else set(_texts(value)) if len(value) == 1 else set()
        if not referred.isdisjoint(self._defined):
            # The answer's function itself rather than a call of it.
            self._defined |= targets
        elif _names(value) & (self._defined | self._results):
            self._results |= targets - self._defined
            self._sources |= set() if _compares(value) else _names(value)
            values = self._made_values(value)
            self._made |= {name: [*self._made.get(name, ()), *values] for name in targets}
        elif literals := [] if _loads(statement) else _words(value, "literal", blocks=len(value) == 1):
            # Tests name alike what they expect: all of it counts.
            self._values |= {name: [*self._values.get(name, ()), *literals] for name in targets}

    def _returns_result(self, statement: Statement) -> bool:
        """Return whether a function of the test returns a result of the answer."""
        blocks = [item.statements for item in statement if isinstance(item, BracketGroup) and item.is_block]
        if self._language in _LAST_IS_RESULT and any(len(block) == 1 for block in blocks):
            return bool(_names(statement) & self._defined)
        parts = (part for block in blocks for part in walk_statements(block))
        return any(_texts(part[:1]) == ["return"] and _names(part) & self._defined for part in parts)

    def _made_values(self, items: Statement) -> list[Word]:
        """Return the values of which an expression makes an object of the answer's types, and does nothing else."""
        texts = [text for text in _texts(items) if text not in ("new", "&")]
        if len(texts) == 1 and texts[0] not in self._given | self._sources:
            return self._made.get(texts[0], [])
        own = _names(items) & (self._defined | self._results)
        members = {after for text, after in pairwise([*texts, ""]) if text in (".", "->")}
        is_object = own and own <= self._types and members <= {"new"}
        values = _words(items, "literal", blocks=False) if is_object else []
        self._in_objects |= {*values}
        return values

    def _read_values(self, items: Statement, *, leads: bool, function_name: str = "") -> _Side:
        """Record the expected values in a statement, or in the arguments of a call of ``function_name``.

        ``leads`` says that the statement is a condition of what follows, which is mostly the failure of a check.
        """
        items = items if self._language == "bash" else _without_types(items)
        function_name = function_name or next((item.text for item in items if isinstance(item, Word)), "")
        conditions = _split_at(items, _JOINING)
        if len(conditions) > 1:
            return self._read_conditions(items, conditions, leads=leads, function_name=function_name)
        leads = leads != _is_negated(items, self._defined | self._results | self._values.keys())
        sides, signs, begins = [_Side()], list[str](), 0
        place = called_at = 0
        while place < len(items):
            item, place, side = items[place], place + 1, sides[-1]
            if isinstance(item, BracketGroup):
                inner = self._read_group(item, items[: place - 1], items[place : place + 2], leads=leads)
                callee = _texts(items[called_at : place - 1]) if called_at else []
                if len(callee) > 1 and callee[-2] in _MEMBER:
                    # What a method of a result is given is expected only if it compares.
                    inner.compared = (inner.values or inner.object_values) if _COMPARES.search(callee[-1]) else []
                    inner.object_values, inner.values = [], inner.values if _HOLDS.search(callee[-1]) else []
                is_method = _has_member(items[place - 3 : place]) and not _HOLDS.search(_texts(items[place - 2 :])[0])
                if side.results and is_method and _has_member(items[place:]):
                    # In ``assertThat(f(1)).as("one").isEqualTo(1)``, ``as`` does not compare.
                    inner.object_values = inner.values = inner.compared = []
                side.add(inner)
            elif _has_member(items[place:]) and not self._rows.isdisjoint(_texts(items[place + 1 : place + 2])):
                continue
            elif item.text in self._defined or item.text in self._results:
                side.results, called_at = side.results + 1, place
                place = self._end_of_call(items, place) if item.text in self._defined else place
            elif item.text in _APART or item.kind == "assign" or (item.text in _ORDERS and self._language != "bash"):
                sides[-1].object_values = self._made_values(items[begins : place - 1]) or sides[-1].object_values
                sides.append(_Side())
                signs.append("," if item.kind == "assign" else item.text)
                called_at, begins = 0, place
            elif item.kind == "literal":
                around = pairwise(items[max(0, place - 2) : place + 1])
                joined = {text for pair in around if _are_joined(*pair) for text in _texts(list(pair))}
                # In Bash, both numbers in ``2>&1`` are open files.
                is_file = self._language == "bash" and not joined.isdisjoint(("<", ">", "&"))
                side.values += [] if is_file else [item]
            elif item.kind == "name" and item.text not in self._given:
                # A member of an argument of the answer, or of a result, is not a value of the test.
                owner = (
                    items[max(0, place - 3) : place - 2] if _has_member(items[max(0, place - 2) : place - 1]) else []
                )
                side.values += self._values.get(item.text, ()) if _names(owner).isdisjoint(self._given) else ()
        sides[-1].object_values = self._made_values(items[begins:]) or sides[-1].object_values
        return self._compare(sides, signs, items, leads=leads, function_name=function_name)

    def _read_conditions(
        self, items: Statement, conditions: list[Statement], *, leads: bool, function_name: str
    ) -> _Side:
        """Record the expected values of conditions that are joined, but of none if another one may hold instead."""
        whole, expected_before, has_alternative = _Side(), self._expected.copy(), False
        for condition in conditions:
            count = len(self._expected)
            whole.add(self._read_values(condition, leads=leads, function_name=function_name))
            # In ``if (n > 0 && f(n) != 3) throw``, the first condition is no alternative.
            is_guard = leads and "!" not in "".join(_texts(condition))
            has_alternative |= len(self._expected) == count and not is_guard and not _fails(condition)
        joining = ("&&", "and") if leads else ("||", "or")
        if has_alternative and self._language != "bash" and not {*joining}.isdisjoint(_texts(items)):
            self._expected = expected_before
        return whole

    def _compare(
        self, sides: list[_Side], signs: list[str], items: Statement, *, leads: bool, function_name: str
    ) -> _Side:
        """Record the values that must equal a result; return what all sides hold."""
        for number, sign in enumerate(signs):
            if sign in _ORDERS:
                # Bounds, or parts of them: ``f(1) - 2 / 3 < 0.1`` holds for all that is larger than 2, too.
                for side in sides[number : number + 2]:
                    side.values = side.compared = side.object_values = []
        whole = _Side()
        for side in sides:
            whole.add(side)
        names = {function_name, *(item.text for item in items if isinstance(item, Word) and item.kind == "name")}
        compares = not {*_ALIKE, *_UNLIKE}.isdisjoint(signs)
        if (
            whole.results
            and not whole.is_changed
            and (compares or function_name in self._defined_by_tests or any(map(_CHECKS.search, names)))
        ):
            expected = _beside_signs(sides, signs, _UNLIKE if leads else _ALIKE) if compares else []
            if not leads and (not compares or _COMPARES.search(function_name)):
                expected = expected or _beside_results(sides, signs, function_name)
            if {word.text for word in expected} <= _EQUAL:
                # They say that a method of the result found both equal.
                expected = whole.compared or expected
            self._expected |= {word.at: word for word in expected}
            whole.is_changed = bool(expected)
        whole.values = [] if whole.results else whole.values
        return whole

    def _read_group(self, group: BracketGroup, before: Statement, after: Statement, *, leads: bool) -> _Side:
        last = before[-1] if before else None
        function_name = last.text if isinstance(last, Word) else " "
        if _texts(after) == [".", "abs"]:
            function_name = "abs"
        whole = _Side()
        is_parameters = group.opened == "(" and _texts(after[:1]) == ["=>"]
        if group.is_block or is_parameters or function_name in _LOADING:
            return whole
        if self._language == "bash" and function_name == "$" and _names([group]) & (self._defined | self._results):
            # What a command prints is a result, whatever it looks for.
            return _Side(results=1)
        for statement in group.statements:
            whole.add(self._read_values(statement, leads=leads, function_name=function_name))
        indexed = isinstance(last, BracketGroup) or (last and last.kind == "name" and _are_joined(last, group))
        if group.opened == "[" and indexed and not function_name.endswith("!"):
            # A place in values of the test is none of the answer's, though it is counted along with its results.
            return _Side(results=len(_names([group]) & self._defined))
        return whole

    def _end_of_call(self, items: Statement, place: int) -> int:
        """Return the index at which a call of the answer ends."""
        while place < len(items):
            item = items[place]
            if isinstance(item, BracketGroup):
                return place + 1
            if item.kind == "keyword" or (item.kind == "sign" and item.text not in _IN_CALLS):
                break
            place += 1
        return place


def _has_member(after: list[Item]) -> bool:
    """Return whether an object is followed by a member access."""
    return bool(after) and isinstance(after[0], Word) and after[0].text in _MEMBER


def _with_members(arguments: BracketGroup) -> set[str]:
    """Return the names in the arguments of a call of which members are asked, but no methods."""
    return {
        item.text
        for statement in walk_statements(arguments.statements)
        for place, item in enumerate(statement)
        if isinstance(item, Word)
        and _has_member(statement[place + 1 : place + 2])
        and _texts(statement[place + 3 : place + 4]) != ["("]
    }


def _split_at(statement: Statement, signs: tuple[str, ...] = (",",)) -> list[Statement]:
    parts: list[Statement] = [[]]
    for item in statement:
        if isinstance(item, Word) and item.text in signs:
            parts.append([])
        else:
            parts[-1].append(item)
    return [part for part in parts if part]


def _changed_by_call(arguments: BracketGroup) -> set[str]:
    """Return the variables changed by functions that are arguments of a call."""
    pairs = (pair for statement in walk_statements(arguments.statements) for pair in pairwise(statement))
    return {name for before, sign in pairs if {*_texts([sign])} & {"++", "--", "+=", "="} for name in _names([before])}


def _columns(statement: Statement, tables: dict[str, BracketGroup]) -> Iterator[tuple[str, Statement]]:
    """Yield names with values: keys of objects, and columns of tables: structs in Go, ``each`` in Jest."""
    for part in _split_at(statement):
        if isinstance(key := part[0], Word) and key.kind == "name" and _texts(part[1:2]) == [":"]:
            yield key.text, part[2:]
    for word, first, second in zip(statement, statement[1:], statement[2:], strict=False):
        if not (isinstance(first, BracketGroup) and isinstance(second, BracketGroup)):
            continue
        heads, table = first.statements, second
        if _texts([word]) == ["each"] and heads:
            first_head = heads[0][0]
            table = first_head if isinstance(first_head, BracketGroup) else tables.get(first_head.text, table)
            groups = (item for part in second.statements for item in part if isinstance(item, BracketGroup))
            heads = next((item.statements for item in groups if item.opened == "("), [])
        elif _texts([word]) != ["struct"]:
            continue
        names = [_texts(part)[0] for line in heads for part in _split_at(line)]
        for row in (row for line in table.statements for row in line if isinstance(row, BracketGroup)):
            for values in map(_split_at, row.statements):
                yield from zip(names, (value for value in values if _texts(value[1:2]) != [":"]), strict=False)


def _loads(statement: Statement) -> bool:
    """Return whether a statement loads a module; the module's name is not an expected value."""
    return not {*_LOADING}.isdisjoint(_texts(statement))


def _split_checks(statement: Statement) -> Iterator[tuple[Statement, bool]]:
    """Yield the parts of a statement that may be checks, and whether each is a condition for a failure."""
    texts = _texts(statement)
    if texts[0] in _LOOPS:
        return
    leads = texts[0] == "case" or not {*_CONDITIONS}.isdisjoint(texts)
    leads = leads or any(
        sign == "&&" and not {*_LEAVES, "return"}.isdisjoint(_names([after]))
        for sign, after in zip(texts, statement[1:], strict=False)
    )
    rest: Statement = []
    if leads and len(statement) > 1 and isinstance(statement[1], BracketGroup):
        statement, rest = statement[:2], statement[2:]
    checked_items: Statement = []
    is_after_leave = False
    for item, text in zip(statement, texts, strict=False):
        is_after_leave = text in _LEAVES or (is_after_leave and text not in ("if", "unless"))
        checked_items += [] if is_after_leave else [item]
    yield checked_items, leads
    if rest:
        yield from _split_checks(rest)


def _condition_and_body(statement: Statement, language: str) -> tuple[Statement, Statement]:
    """Return the condition of an ``if`` and what follows it: ``!ok`` and the block of ``if ok := f(1); !ok { … }``.

    Other statements have no condition.
    """
    begins = 1 if _texts(statement[:1]) == ["else"] else 0
    if _texts(statement[begins : begins + 1])[:1] not in (["if"], ["elseif"], ["elif"]):
        return [], statement
    head = statement[begins + 1 : begins + 2]
    if _texts(head) == ["("] and isinstance(head[0], BracketGroup) and language not in ("go", "rust", "ruby"):
        return head[0].statements[-1] if head[0].statements else [], statement[begins + 2 :]
    blocks = (place for place, item in enumerate(statement) if isinstance(item, BracketGroup) and item.is_block)
    ends = next(blocks, begins + 1)
    return (_split_at(statement[begins + 1 : ends], (";",)) or [[]])[-1], statement[ends:]


def _expects_exception(statement: Statement, defined: Set[str]) -> bool:
    """Tell whether a statement is passed by an exception: ``assertThrows(…)``, or ``try { f(1); fail(); } catch …``.

    Names that are defined, such as that of the test, say nothing of that.
    """
    names = {word.text for word in _words(statement, "name", blocks=False)}
    if any(map(_EXPECTS_EXCEPTION.search, names - _FAILS - defined)):
        return True
    if _texts(statement[:1]) == ["@Test"] and "expected" in names:
        return True
    block = statement[1] if _texts(statement[:1]) == ["try"] and len(statement) > 1 else None
    parts = block.statements if isinstance(block, BracketGroup) else []
    return any(_texts(part[:1]) != ["if"] and _fails(part) for part in parts)


def _fails(items: Statement) -> bool:
    """Tell whether a statement, or one inside it, fails a test."""
    for statement in walk_statements([items]):
        for place, item in enumerate(statement):
            if not isinstance(item, Word) or item.kind not in ("name", "keyword") or item.text not in _FAILS:
                continue
            is_method = place > 0 and _texts([statement[place - 1]])[0] in (".", "->", "?.")
            if item.text in ("Error", "Errorf"):
                if is_method and not {*_TESTS_OF_GO}.isdisjoint(_texts(statement[: place - 1])[-1:]):
                    return True
            elif not is_method or item.text in _FAILS_AS_METHOD:
                return True
    return False


def _is_negated(items: Statement, defined: Set[str]) -> bool:
    """Tell whether words outside brackets negate a condition; names that are defined say nothing of that."""
    texts = _texts(items)
    compares = not {*_ALIKE, *_UNLIKE}.isdisjoint(texts)
    negating = [
        item
        for place, item in enumerate(items)
        if isinstance(item, Word)
        and (
            (item.kind == "sign" and "!" in item.text and item.text not in _UNLIKE)
            or (item.text[:1] == "-" and "v" in item.text and "grep" in texts[:place])
            or (item.text in _TELL_APART and not compares)
            or (
                item.kind in ("name", "keyword")
                and item.text not in defined
                and _NEGATES.search(item.text)
                and _texts(items[place + 1 : place + 2]) != ["::"]
            )
        )
    ]
    return len(negating) % 2 == 1


def _compares(statement: Statement) -> bool:
    """Return whether a statement assigns the result of a comparison."""
    words = _words(statement, "sign", "name", "keyword", blocks=False)
    return any(word.text in ("==", "===", "!=") or _COMPARES.search(word.text) for word in words)


def _beside_signs(sides: list[_Side], signs: list[str], accepted: tuple[str, ...]) -> list[Word]:
    """Return the values that these signs compare with results."""
    expected: list[Word] = []
    for sign, (left, right) in zip(signs, pairwise(sides), strict=True):
        if sign in accepted:
            if left.results and right.results:
                expected += left.object_values or right.object_values
            elif left.results or right.results:
                expected += left.values if right.results else right.values
    return expected


def _beside_results(sides: list[_Side], signs: list[str], function_name: str) -> list[Word]:
    """Return the values before and after a result among arguments, or else those that belong to it.

    A string is a message if the function's name does not compare, or if another value beside the result is unknown.
    """
    arguments = [_Side()]
    for sign, side in zip([";", *signs], sides, strict=True):
        arguments += [_Side()] if sign == "," else []
        arguments[-1].add(side)
    results = {place for place, side in enumerate(arguments) if side.results}
    if len(results) > 1:
        object_values = [side.object_values for side in arguments if side.object_values]
        return (
            object_values[0]
            if object_values and _COMPARES.search(function_name) and object_values.count(object_values[0]) == 1
            else []
        )
    places = {place for result in results for place in (result - 1, result + 1)}
    beside = [arguments[place].values for place in sorted(places) if 0 <= place < len(arguments)]
    # After a number, one below 1 is how exact it must be; after anything else, a very small one.
    beside = beside[:1] + [part for part in beside[1:] if not _is_tolerance(part, follows_number=bool(beside[0]))]
    if not (_COMPARES.search(function_name) and all(beside)):
        beside = [part for part in beside if not all(word.text[-1:] in "\"'`" for word in part)]
    values = [word for part in beside for word in part]
    return values or [word for side in sides if side.results for word in side.values]


def _is_tolerance(literals: list[Word], *, follows_number: bool) -> bool:
    begins = ("0.", ".") if follows_number else ("0.0", ".0")
    numbers = [literal.text for literal in literals]
    return all(number[:1] in "0123456789." and (number.startswith(begins) or "e-" in number) for number in numbers)


def _without_types(items: Statement) -> Statement:
    """Leave out type arguments: from ``<`` joined to a name to its ``>``, as in ``List<Map<String, Integer>>``."""
    for place, (before, item) in enumerate(pairwise(items), start=1):
        names = isinstance(before, Word) and (before.kind == "name" or before.text in _MEMBER)
        if names and _texts([item]) == ["<"] and _are_joined(before, item):
            depth = 0
            for end, text in enumerate(_texts(items)[place:], start=place + 1):
                depth += {"<": 1, ">": -1, ">>": -2}.get(text, 0)
                if depth <= 0:
                    return items[:place] + _without_types(items[end:])
    return items
