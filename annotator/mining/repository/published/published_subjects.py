"""Select and extract DomainEval's subjects as its published scripts do.

A subject is a function that a test calls; its code is unparsed from the syntax tree, so without comments, and searched
for banned words. Its context are all imports of its file and the top-level statement with the function. Its test has
the imports of the test's file, the header of the test's class, the test and its call. Missing names are added when it
is run.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotator.answers.masked import MASK
from annotator.mining.repository.context.function_dependencies import Dependencies
from annotator.mining.repository.discovery.discovery_filters import FilterVerdict, banned_text, length_filter
from annotator.mining.repository.discovery.modules import FunctionInfo, ParsedProject
from annotator.mining.repository.discovery.repository_facts import RepositoryFacts
from annotator.mining.repository.discovery.spans import spans_of
from annotator.mining.repository.published.published_matching import (
    ImportStatement,
    PublishedCall,
    PublishedTest,
)
from annotator.mining.repository.rows import MinedSubject, MinedTest, function_row
from annotator.text.python_tree import tree_or_empty

_LINE_WIDTH = 79
"""The line width of the scripts' code generator; a longer line counts as several."""
_FUTURE = "from __future__ import "
_Definition = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSubject:
    """A function with its tests and their calls; ``path`` are the definitions around it, then its own."""

    info: FunctionInfo
    path: tuple[ast.FunctionDef | ast.ClassDef, ...]
    tests: tuple[tuple[PublishedTest, PublishedCall], ...]

    @property
    def outer(self) -> ast.stmt:
        """The top-level definition that contains it."""
        return self.path[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the definitions around it, then its own."""
        return tuple(item.name for item in self.path)

    @property
    def node(self) -> ast.FunctionDef:
        """Its definition."""
        assert isinstance(self.info.node, ast.FunctionDef)
        return self.info.node


def subjects_of(
    project: ParsedProject, matched: Iterable[tuple[PublishedTest, Sequence[PublishedCall]]]
) -> list[PublishedSubject]:
    """Return the functions that tests call, in source order.

    The scripts list a function that is called by two names twice; here it is one subject with the tests of both.
    """
    subjects: dict[int, PublishedSubject] = {}
    for test, calls in matched:
        for call in calls:
            if call.function is not None:
                key = id(call.function)
                subject = subjects.get(key) or PublishedSubject(
                    info=project.functions[key], path=call.definitions, tests=()
                )
                subjects[key] = replace(subject, tests=(*subject.tests, (test, call)))
    return sorted(subjects.values(), key=lambda item: (item.info.module.path, item.node.lineno))


def code_filters(subject: PublishedSubject) -> tuple[FilterVerdict, ...]:
    """Apply the scripts' filters for a function's own code."""
    code = ast.unparse(subject.node)
    banned = banned_text(code)
    looks_like_test = "assert" in code or "test" in subject.node.name
    return (
        FilterVerdict("banned calls", not banned, f"its code has banned words: {', '.join(banned)}" if banned else ""),
        FilterVerdict(
            "test code", not looks_like_test, "its code has assert, or its name test" if looks_like_test else ""
        ),
    )


def size_filters(code: str, name: str, lines: tuple[int, int], limit: int) -> tuple[FilterVerdict, ...]:
    """Apply the scripts' filters for the size of a function, alone and with its context."""
    reason = f"its code with the context is too long: {len(code):,} characters, at most {limit:,} are allowed"
    return (
        length_filter(1 + count_body_lines(code, name), *lines),
        FilterVerdict("context", len(code) <= limit, reason if len(code) > limit else ""),
    )


def count_body_lines(code: str, name: str) -> int:
    """Count the lines of the bodies of all functions with a name, without docstrings."""
    return sum(
        max(1, math.ceil(len(line) / _LINE_WIDTH))
        for node in ast.walk(tree_or_empty(code))
        if isinstance(node, ast.FunctionDef) and node.name == name
        for item in node.body
        if not _is_text(item)
        for line in ast.unparse(item).splitlines()
    )


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def context_of_subject(imports: Iterable[str], subject: PublishedSubject) -> str:
    """Return the imports of a function's file and the top-level statement that contains it."""
    return "\n".join([*imports, ast.unparse(subject.outer)]) + "\n"


def insert_statement(code: str, statement: str) -> str:
    """Return code with a statement inserted after its imports, and without blank lines, as in the scripts."""
    lines = [line.rstrip() for line in code.splitlines() if line.strip()]
    count = next((number for number, line in enumerate(lines) if not line.startswith(("import ", "from "))), len(lines))
    return "\n".join([*lines[:count], statement, *lines[count:]])


def find_defining_statement(project: ParsedProject, path: str, name: str) -> str:
    """Return the first top-level statement of a file that defines a name, at any depth; empty if there is none."""
    module = project.by_path.get(path)
    for statement in module.tree.body if module is not None else ():
        if any(name in _names_defined(node) for node in ast.walk(statement)):
            return ast.unparse(statement)
    return ""


def _names_defined(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_code(
    project: ParsedProject, imports: Sequence[str], test: PublishedTest, call: PublishedCall
) -> tuple[str, str]:
    """Return the ``__future__`` imports of a test's file, and the code that calls the test once."""
    start = "".join(f"{item}\n" for item in imports if item.startswith(_FUTURE))
    lines = [item for item in imports if not item.startswith(_FUTURE)]
    margin = ""
    if test.case is not None:
        lines += _class_header(project, test.path, test.case)
        margin = "    "
    lines += [margin + _without_arguments(line, test.node.name) for line in ast.unparse(test.node).split("\n")]
    lines.append(f"{'().'.join(test.names)}()")
    text = "\n".join(lines) + "\n"
    return start, text.replace(call.text, ".".join(call.names))


def _class_header(project: ParsedProject, path: str, case: ast.ClassDef) -> list[str]:
    """Return the header of a test's class, after its bases that are defined in the same file."""
    bases = [ast.unparse(base) for base in case.bases]
    body = project.by_path[path].tree.body
    lines = [ast.unparse(node) for node in body if isinstance(node, ast.ClassDef) and node.name in bases]
    lines += [
        ast.unparse(node)
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and any(base.startswith(f"{target.id}.") for base in bases)
    ]
    return [*lines, f"class {case.name}({', '.join(bases)}):"]


def _without_arguments(line: str, name: str) -> str:
    """Return a test's ``def`` line with no argument but ``self``; any other line unchanged."""
    head = f"def {name}("
    if not line.startswith(head):
        return line
    arguments, *rest = line.removeprefix(head).split(")")
    return head + ("self" if arguments.lstrip().startswith("self") else "") + "".join(f"){part}" for part in rest)


def masked_code(code: str, names: Sequence[str]) -> str:
    """Return code with the function at a path of names (outermost first) replaced by `MASK`; empty without one."""
    tree = tree_or_empty(code)
    body = tree.body
    for depth, name in enumerate(names, 1):
        items = enumerate(body)
        matches = ((number, item) for number, item in items if isinstance(item, _Definition) and item.name == name)
        number, definition = next(matches, (-1, None))
        if definition is None:
            return ""
        if depth == len(names):
            body[number] = ast.Expr(ast.Name(MASK))
        body = definition.body
    return ast.unparse(tree) + "\n"


def published_row(
    facts: RepositoryFacts,
    subject: PublishedSubject,
    domain: str,
    filters: Sequence[FilterVerdict],
    dependencies: Dependencies,
) -> MinedSubject:
    """Return a function's row, without context and test code."""
    info = subject.info
    row = function_row(facts, info, spans_of(info), domain=domain, dependencies=dependencies, filters=filters)
    tests = (
        MinedTest(path=test.path, qualified_name=".".join(test.names), node_id="", code="", how="call")
        for test, _ in subject.tests
    )
    return replace(row, tests=tuple(tests), rules="published")


def codes_of_imports(imports: Iterable[ImportStatement]) -> list[str]:
    """Return the source of the absolute imports; relative ones cannot work outside a package."""
    return [item.code for item in imports if not item.module.startswith(".")]
