"""Reduce a long context to the definitions that a function's tests run, and those that the remaining code names.

A context contains whole classes, including methods that neither the function nor its tests use. The tests run again
with the reduced context, and fail if it lacks a definition that is needed in another way.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotator.answers.masked import MASK
from annotator.mining.repository.context.shapes import changed_names
from annotator.mining.repository.discovery.scopes import FUNCTIONS, end_of, scope_of
from annotator.text.python_tree import UNREADABLE, first_line, read_tree, tree_or_empty

SHORT_CONTEXT_LINES = 55
"""Contexts up to this length are not reduced: the mean length in DomainEval's paper."""
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
"""Always kept: an answer may construct an object where the reference does not."""
_DOCSTRING_READERS = frozenset({"__doc__", "getdoc"})
"""If code uses one of these names, docstrings are not shortened."""


@dataclass(frozen=True, slots=True)
class ShownContext:
    """A context with a function in it, and the same text with `MASK` in the function's place."""

    text: str
    masked: str

    @property
    def is_long(self) -> bool:
        """Whether it has more lines than a context that stays whole."""
        return self.masked.count("\n") >= SHORT_CONTEXT_LINES

    def span(self) -> tuple[int, int]:
        """Return the function's first and last line in ``text``. Raises `ValueError` if the mask is not there."""
        before, mask, _ = self.masked.partition(MASK)
        if not mask:
            raise ValueError("the context has no mask")
        start = before.count("\n") + 1
        return start, start + self.text.count("\n") - self.masked.count("\n")

    def without(self, dropped: Collection[int]) -> ShownContext:
        """Return the context without some lines of ``text``, which must not be the function's."""
        start, last = self.span()
        text = [line for number, line in enumerate(self.text.split("\n"), 1) if number not in dropped]
        behind = last - start
        masked = [
            line
            for number, line in enumerate(self.masked.split("\n"), 1)
            if (number if number <= start else number + behind) not in dropped
        ]
        return ShownContext("\n".join(text), "\n".join(masked))


def keep_needed(context: ShownContext, reached: Collection[int], users: Iterable[str] = ()) -> ShownContext:
    """Return a long context without unneeded code, or a short one unchanged.

    ``reached`` are the first lines (from 1, decorators included) of the definitions in its text that the tests ran;
    ``users`` is code that comes after the text, such as tests.
    """
    if not context.is_long:
        return context
    try:
        units = [*_context_statements(read_tree(context.text).body, context.span(), reached)]
        used = [_names_in(read_tree(user)) for user in users]
        remaining = _find_kept_statements(units, used, context.span()[0])
        lines = _lines_of_others(units, remaining, context)
        if _DOCSTRING_READERS.isdisjoint(_Names.joined([*used, *(unit.used for unit in remaining)]).members):
            lines |= _later_paragraphs(remaining, context)
        shorter = context.without(lines)
        read_tree(shorter.text)
    except UNREADABLE:
        return context
    return shorter


@dataclass(frozen=True, slots=True)
class _Names:
    """The names that code reads or binds, and the members: those and its attributes and strings (``getattr``)."""

    names: frozenset[str]
    members: frozenset[str]

    @staticmethod
    def joined(parts: Iterable[_Names]) -> _Names:
        listed = list(parts)
        return _Names(
            frozenset().union(*(part.names for part in listed)), frozenset().union(*(part.members for part in listed))
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _ContextStatement:
    """A statement of a module or class. Of a class it is only the head, since the statements in it count on their own.

    It stays if the remaining code names one of its ``names``: those it binds or changes, or if there are none, those it
    uses. With ``stays_with_class`` it stays whenever its class does (always, outside of classes), such as a method that
    a test ran. ``methods`` are the names by which it keeps methods. Those of a function are its own name, which setters
    and overriding methods share, and the names in its decorators and defaults; what its body needs was run as well.
    """

    node: ast.stmt
    owner: _ContextStatement | None
    names: frozenset[str]
    used: _Names
    methods: frozenset[str]
    stays_with_class: bool

    def names_that_keep(self, used: _Names, methods: frozenset[str]) -> frozenset[str]:
        """Return the names in the remaining code that may refer to it."""
        if self.owner is None:
            return used.names
        return methods if isinstance(self.node, FUNCTIONS) else used.members

    @property
    def lines(self) -> range:
        """Its lines, from 1."""
        return range(first_line(self.node), end_of(self.node)[0] + 1)


def _context_statements(
    body: Sequence[ast.stmt], span: tuple[int, int], reached: Collection[int], owner: _ContextStatement | None = None
) -> Iterator[_ContextStatement]:
    for number, node in enumerate(body):
        whole: list[ast.AST] = [node]
        head = whole
        if isinstance(node, ast.ClassDef):
            whole = head = [*node.decorator_list, *node.bases, *node.keywords]
        elif isinstance(node, FUNCTIONS) and not span[0] <= node.lineno <= span[1]:
            head = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        bound_names = _names_bound(node)
        used = _Names.joined([*map(_names_in, whole), _Names(bound_names, bound_names)])
        unit = _ContextStatement(
            node=node,
            owner=owner,
            names=bound_names | changed_names(node) or used.names,
            used=used,
            methods=bound_names.union(*(_names_in(part).members for part in head)),
            stays_with_class=_stays_with_class(node, number, owner, reached),
        )
        yield unit
        if isinstance(node, ast.ClassDef):
            yield from _context_statements(node.body, span, reached, unit)


def _stays_with_class(node: ast.stmt, number: int, owner: _ContextStatement | None, reached: Collection[int]) -> bool:
    if owner is None:
        is_docstring = number == 0 and _is_text(node)
        is_star = isinstance(node, ast.ImportFrom) and any(item.name == "*" for item in node.names)
        return is_docstring or is_star or (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    if isinstance(node, FUNCTIONS):
        # Recompiled code, as by typeguard, reports a function's first line below its decorators.
        return node.name in _CONSTRUCTORS or any(line in reached for line in range(first_line(node), node.lineno + 1))
    # The attributes of other classes may be fields, members of an enumeration, or read by a base.
    is_plain = isinstance(owner.node, ast.ClassDef) and not (
        owner.node.bases or owner.node.keywords or owner.node.decorator_list
    )
    return not (is_plain and isinstance(node, ast.Assign) and not any(map(_is_dunder, _names_bound(node))))


def _is_dunder(name: str) -> bool:
    return name.startswith("__")


def _find_kept_statements(
    units: Sequence[_ContextStatement], users: Sequence[_Names], line: int
) -> set[_ContextStatement]:
    """Return the statements that stay with the function at a line; a class that would become empty stays whole."""
    members = {unit: [inner for inner in units if inner.owner is unit] for unit in units}
    remaining: set[_ContextStatement] = set()
    more = {unit for unit in units if line in unit.lines}
    while more:
        remaining |= more
        used = _Names.joined([*users, *(unit.used for unit in remaining)])
        methods = frozenset[str]().union(*(unit.methods for unit in remaining))
        more = {
            unit
            for unit in units
            if unit not in remaining
            and (unit.owner is None or unit.owner in remaining)
            and (unit.stays_with_class or not unit.names.isdisjoint(unit.names_that_keep(used, methods)))
        }
        if not more:
            emptied = (unit for unit in remaining if members[unit] and remaining.isdisjoint(members[unit]))
            more = {inner for unit in emptied for inner in members[unit]}
    return remaining


def _lines_of_others(
    units: Sequence[_ContextStatement], statements_kept: Collection[_ContextStatement], context: ShownContext
) -> set[int]:
    """Return the lines to remove, with the comments and blank lines above a statement, and deeper comments below it.

    A statement that shares a line with one that stays also stays.
    """
    lines, (first, last) = context.text.split("\n"), context.span()
    above = range(1, units[0].lines.start)
    # The comments at the top of a file are about the file, up to the last blank line.
    dropped = set(range(1, max((number for number in above if not lines[number - 1].strip()), default=0) + 1))
    for unit in units:
        start, stop = unit.lines.start, unit.lines.stop
        indent = _indent(lines[start - 1])
        if unit in statements_kept:
            if first not in unit.lines or isinstance(unit.node, ast.ClassDef):
                continue
            # Comments at the end of the function belong to its body.
            start = stop
        while start not in (1, stop) and _is_gap(lines[start - 2]) and _indent(lines[start - 2]) <= indent:
            start -= 1
        while stop <= len(lines) and lines[stop - 1].strip().startswith("#") and _indent(lines[stop - 1]) > indent:
            stop += 1
        dropped.update(range(start, stop))
    heads = (range(unit.lines.start, unit.node.lineno + 1) for unit in statements_kept)
    whole = (unit.lines for unit in statements_kept if not isinstance(unit.node, ast.ClassDef))
    return dropped.difference(*heads, *whole, range(first, last + 1))


def _later_paragraphs(units: Iterable[_ContextStatement], context: ShownContext) -> set[int]:
    """Return the lines of docstrings after their first paragraph, except for the function's own docstring."""
    lines, (first, last) = context.text.split("\n"), context.span()
    line_numbers: set[int] = set()
    for unit in units:
        text = unit.node.body[0] if isinstance(unit.node, (*FUNCTIONS, ast.ClassDef)) else unit.node
        end = end_of(text)[0]
        if _is_text(text) and not first <= text.lineno <= last and not lines[end - 1].strip(" \"'"):
            begin = text.lineno + (not lines[text.lineno - 1].strip(" rRuU\"'"))
            blank = next((number for number in range(begin + 1, end) if not lines[number - 1].strip()), end)
            line_numbers.update(range(blank, end))
    return line_numbers


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_gap(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _names_in(root: ast.AST) -> _Names:
    """Return the names in code, also in quoted annotations."""
    names: set[str] = set()
    members: set[str] = set()
    for node in ast.walk(root):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            members.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            members.add(node.value)
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                names |= _names_in(tree_or_empty(part.value)).names
    return _Names(frozenset(names), frozenset(names | members))


def _names_bound(node: ast.stmt) -> frozenset[str]:
    """Return the names that a statement binds where it is."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return frozenset((node.name,))
    return frozenset(scope_of(ast.Module(body=[node], type_ignores=[])).bindings)
