"""Reduce a context to the code that a function's tests run, and the names that this code uses.

A context has whole classes, also methods that neither the function nor its tests use. From a long context those are
removed, then what only they needed; docstrings keep their first paragraph.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from annotator.answers.masked import MASK
from annotator.mining.repository.context.shapes import changed_names
from annotator.mining.repository.discovery.scopes import FUNCTIONS, end_of
from annotator.text.python_tree import UNREADABLE, first_line, read_tree, tree_or_empty

SHORT_CONTEXT_LINES = 55
"""Contexts up to this length are not reduced: the mean length in DomainEval's paper."""
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
"""Always kept: an answer may construct an object where the reference does not."""
_DOCSTRING_READERS = frozenset({"__doc__", "getdoc"})
"""If code uses one of these names, docstrings are not shortened."""
_QUOTES = frozenset({'"""', "'''"})
_ABSTRACT = frozenset({"abstractmethod", "abstractproperty"})


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
    """Return a long context without unneeded code; the same if it is short or nothing can be removed.

    ``reached`` are the first lines (from 1, decorators included) of the definitions in its text that the tests ran;
    ``users`` is code that comes after the text, such as tests.
    """
    if not context.is_long:
        return context
    try:
        tree = read_tree(context.text)
        trees = [read_tree(user) for user in users]
        user_names = {name for user in trees for name in _names_used(user)}
        members_read = {name for user in trees for name in _members_read(user)}
        shorter = context.without(
            _unneeded(tree, context.span(), frozenset(reached), user_names, members_read, context.text.split("\n"))
        )
        read_tree(shorter.text)
    except UNREADABLE:
        return context
    return shorter


def _unneeded(
    tree: ast.Module,
    span: tuple[int, int],
    reached: frozenset[int],
    user_names: set[str],
    members_read: set[str],
    lines: Sequence[str],
) -> set[int]:
    """Return the unneeded lines; ``user_names`` and ``members_read`` are names and attributes used by the tests."""
    methods = _unreached_members(tree, span, reached, members_read)
    cut = {id(node) for node in methods}
    statements = _unnamed_statements(tree, span, user_names, cut)
    removed = {id(node): node for node in (*methods, *statements)}
    remaining = [*_remaining_ranges(tree, removed)]
    kept_lines = {line for each in remaining for line in each}
    dropped = {line for node in removed.values() for line in _lines_of(node)} - kept_lines
    # The mask also replaces comments after the function's last line.
    units = [(each, False, each == range(span[0], span[1] + 1)) for each in remaining]
    units += [(_lines_of(node), True, True) for node in removed.values()]
    dropped |= _unneeded_comments(lines, sorted(units, key=lambda unit: (unit[0].start, unit[0].stop)))
    if _DOCSTRING_READERS.isdisjoint(
        {*members_read, *user_names, *_members_read(tree, removed), *_names_used(tree, removed)}
    ):
        dropped |= _unneeded_paragraphs(tree, span, lines)
    return dropped | _unneeded_blank_lines(lines, dropped)


def _lines_of(node: ast.stmt) -> range:
    return range(first_line(node), end_of(node)[0] + 1)


def _unneeded_comments(lines: Sequence[str], units: Sequence[tuple[range, bool, bool]]) -> set[int]:
    """Return the comments that belong to removed statements, and those at the beginning of the file.

    ``units`` are the statements in order, each with whether to remove the comments above and below it. A comment
    belongs to the next statement, or to the previous one if it is indented more than the next or there is no next.
    """
    unneeded: set[int] = set()
    end, goes_below = 1, False
    for unit, goes_above, next_below in (*units, (range(len(lines) + 1, len(lines) + 1), False, False)):
        gap = range(end, unit.start)
        inner = _indent(lines[unit.start - 1]) if unit.start <= len(lines) else -1
        for number in gap:
            line = lines[number - 1]
            if line.lstrip().startswith("#") and (goes_below if _indent(line) > inner else goes_above):
                unneeded.add(number)
        if end == 1:
            blank = next((number for number in reversed(gap) if not lines[number - 1].strip()), 0)
            unneeded.update(number for number in gap if number < blank and lines[number - 1].strip())
        end, goes_below = max(end, unit.stop), next_below
    return unneeded


def _unneeded_paragraphs(tree: ast.Module, span: tuple[int, int], lines: Sequence[str]) -> set[int]:
    """Return the lines of docstrings after their first paragraph, except for the function's own docstring."""
    unneeded: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) or ast.get_docstring(node) is None:
            continue
        first, last = node.body[0].lineno, end_of(node.body[0])[0]
        if span[0] <= first <= span[1] or lines[last - 1].strip() not in _QUOTES:
            continue
        start = first if lines[first - 1].strip().lstrip("rRuU") not in _QUOTES else first + 1
        blank = next((number for number in range(start + 1, last) if not lines[number - 1].strip()), last)
        unneeded.update(range(blank, last))
    return unneeded


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _unneeded_blank_lines(lines: Sequence[str], dropped: Collection[int]) -> set[int]:
    """Return the blank lines around dropped lines, but keep one gap between the remaining lines on both sides."""
    unneeded: set[int] = set()
    gap: list[int] = []
    for number, line in enumerate([*lines, "end"], 1):
        if number in dropped or not line.strip():
            gap.append(number)
            continue
        if any(each in dropped for each in gap):
            # Keep the blank lines before the next statement, or else those after the previous one.
            after = [*takewhile(lambda each: each not in dropped, reversed(gap))]
            before = [*takewhile(lambda each: each not in dropped, gap)]
            unneeded |= {*gap} - {*dropped} - {*(after or before)}
        gap = []
    return unneeded


def _remaining_ranges(tree: ast.Module, removed: Container[int]) -> Iterator[range]:
    """Yield the lines of the remaining statements; of a class with removed members, its header and other members."""
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if id(node) in removed:
            continue
        if isinstance(node, ast.ClassDef) and any(id(inner) in removed for inner in node.body):
            pending.extend(node.body)
            ends = [end_of(item)[0] for item in (*node.bases, *node.keywords)]
            yield range(first_line(node), max([node.lineno, *ends]) + 1)
        else:
            yield _lines_of(node)


# -- members of classes ------------------------------------------------------------------------------------------------


def _unreached_members(
    tree: ast.Module, span: tuple[int, int], reached: frozenset[int], members_read: Collection[str]
) -> list[ast.stmt]:
    """Return the methods that no test ran and that neither the function nor their class's own statements name.

    Includes class attributes of plain classes that no remaining code reads; ``members_read`` is what the tests read.
    """
    attributes_read = {node.attr for node in _nodes_between(tree, span) if isinstance(node, ast.Attribute)}
    classes = [*_classes(tree.body)]
    attributes_read |= {
        node.name
        for class_node in classes
        for node in class_node.body
        if isinstance(node, FUNCTIONS) and _is_abstract(node)
    }
    unneeded = [node for class_node in classes for node in _class_attributes(class_node)]
    while True:
        cut = {id(node) for node in unneeded}
        methods = [
            node
            for class_node in classes
            for node in _unreached_methods(class_node, span, reached, attributes_read, cut)
        ]
        removed = {id(node) for node in (*methods, *unneeded)}
        used_names = {*members_read, *_members_read(tree, removed), *_names_used(tree, removed)}
        needed = [node for node in unneeded if not used_names.isdisjoint(_names_bound(node))]
        if not needed:
            empty = {
                id(node)
                for class_node in classes
                if removed.issuperset(map(id, class_node.body))
                for node in class_node.body[:1]
            }
            return [node for node in (*methods, *unneeded) if id(node) not in empty]
        unneeded = [node for node in unneeded if node not in needed]


def _class_attributes(class_node: ast.ClassDef) -> list[ast.stmt]:
    """Return the attribute assignments in a class without bases, keywords and decorators, else nothing."""
    if class_node.bases or class_node.keywords or class_node.decorator_list:
        return []
    assignments: list[ast.stmt] = [
        node
        for node in class_node.body
        if isinstance(node, ast.Assign)
        and all(isinstance(item, ast.Name) and not item.id.startswith("__") for item in node.targets)
    ]
    return assignments if len(assignments) < len(class_node.body) else []


def _members_read(root: ast.AST, cut: Collection[int] = ()) -> set[str]:
    """Return the attribute names in code, and its string literals that may be such names (``getattr``)."""
    names: set[str] = set()
    for node in _nodes_without(root, cut):
        if isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            names.add(node.value)
    return names


def _unreached_methods(
    class_node: ast.ClassDef,
    span: tuple[int, int],
    reached: frozenset[int],
    attributes_read: Collection[str],
    cut: Collection[int],
) -> list[ast.stmt]:
    method_names = {node.name for node in class_node.body if isinstance(node, FUNCTIONS)}
    kept_names = {name for name in method_names if name in attributes_read or name in _CONSTRUCTORS}
    kept_names |= {
        node.name for node in class_node.body if isinstance(node, FUNCTIONS) and _is_reached(node, span, reached)
    }
    while (
        more := (
            method_names & _class_names(class_node, kept_names, cut) | _setters(class_node, kept_names, attributes_read)
        )
        - kept_names
    ):
        kept_names |= more
    unreached: list[ast.stmt] = [
        node for node in class_node.body if isinstance(node, FUNCTIONS) and node.name not in kept_names
    ]
    return unreached if len(unreached) < len(class_node.body) else []


def _setters(class_node: ast.ClassDef, kept_names: Collection[str], attributes_read: Collection[str]) -> set[str]:
    """Return the methods that set attributes which the function reads and no kept method sets (``__enter__``)."""
    sets = {
        node.name: {item.attr for item in ast.walk(node) if isinstance(item, ast.Attribute) and _is_set(item)}
        for node in class_node.body
        if isinstance(node, FUNCTIONS)
    }
    names_set = set().union(
        *(names for name, names in sets.items() if name in kept_names), *map(_names_bound, class_node.body)
    )
    return {name for name, names in sets.items() if (names & {*attributes_read}) - names_set}


def _is_set(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _classes(body: Sequence[ast.stmt]) -> Iterator[ast.ClassDef]:
    """Yield the classes of a module, also nested ones."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node
            yield from _classes(node.body)


def _nodes_between(tree: ast.Module, span: tuple[int, int]) -> Iterator[ast.AST]:
    """Yield the nodes between two lines, both included."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if span[0] <= line <= span[1]:
            yield node


def _is_reached(node: ast.stmt, span: tuple[int, int], reached: frozenset[int]) -> bool:
    # Recompiled code, as by typeguard, reports a function's first line below its decorators.
    begins = range(first_line(node), node.lineno + 1)
    return not reached.isdisjoint(begins) or span[0] <= first_line(node) <= span[1]


def _is_abstract(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(name in _ABSTRACT for item in node.decorator_list for name in _words(item))


def _class_names(class_node: ast.ClassDef, kept_methods: Collection[str], cut: Collection[int]) -> set[str]:
    """Return the names that a class's own statements use, decorators and defaults of its kept methods included."""
    names: set[str] = set()
    for node in class_node.body:
        if id(node) in cut:
            continue
        if not isinstance(node, FUNCTIONS):
            names |= _names_used(node)
        elif node.name in kept_methods:
            for item in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
                names |= _names_used(item)
    return names


# -- statements --------------------------------------------------------------------------------------------------------


def _unnamed_statements(
    tree: ast.Module, span: tuple[int, int], user_names: Collection[str], cut: Collection[int]
) -> list[ast.stmt]:
    """Return the statements of a module that neither bind nor change a name that is used."""
    binds = [_names_bound(node) for node in tree.body]
    uses = [_names_used(node, cut) for node in tree.body]
    kept_numbers = {
        number
        for number, node in enumerate(tree.body)
        if _is_always_kept(node, number) or first_line(node) <= span[0] <= end_of(node)[0]
    }
    names_needed = {*user_names}.union(*(uses[number] for number in kept_numbers))
    while True:
        more = {
            number
            for number, bound_here in enumerate(binds)
            if number not in kept_numbers
            and (
                (bound_here | changed_names(tree.body[number])) & names_needed
                if bound_here
                else _touches_kept(uses[number], binds, kept_numbers)
            )
        }
        if not more:
            return [node for number, node in enumerate(tree.body) if number not in kept_numbers]
        kept_numbers |= more
        names_needed = names_needed.union(*(uses[number] for number in more))


def _touches_kept(used: Collection[str], binds: Sequence[set[str]], kept_numbers: Collection[int]) -> bool:
    """Return whether a statement that binds nothing uses a name that a kept statement binds."""
    return any(binds[number] & {*used} for number in kept_numbers)


def _is_always_kept(node: ast.stmt, number: int) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__" or any(item.name == "*" for item in node.names)
    return number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _names_bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement of a module binds there."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return {node.name}
    names: set[str] = set()
    pending: list[ast.AST] = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, (*FUNCTIONS, ast.ClassDef)):
            names.add(item.name)
            continue
        if isinstance(item, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in item.names)
        elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            names.add(item.id)
        pending.extend(ast.iter_child_nodes(item))
    return names


def _nodes_without(root: ast.AST, cut: Collection[int]) -> Iterator[ast.AST]:
    """Yield the nodes of a tree without the subtrees in ``cut`` (by id)."""
    pending: list[ast.AST] = [root]
    while pending:
        node = pending.pop()
        if id(node) not in cut:
            yield node
            pending.extend(ast.iter_child_nodes(node))


def _names_used(root: ast.AST, cut: Collection[int] = ()) -> set[str]:
    """Return the names that code uses, also in quoted annotations; subtrees in ``cut`` are skipped."""
    names: set[str] = set()
    for node in _nodes_without(root, cut):
        if isinstance(node, ast.Name):
            names.add(node.id)
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                names.update(_words_of_type(part.value))
    return names


def _words_of_type(text: str) -> set[str]:
    return _names_used(tree_or_empty(text))


def _words(node: ast.AST) -> Iterator[str]:
    for item in ast.walk(node):
        if isinstance(item, (ast.Name, ast.Attribute)):
            yield item.id if isinstance(item, ast.Name) else item.attr
