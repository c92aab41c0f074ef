"""Split tests into single assertions, so that a bug can fail one of them and pass another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from tree_sitter import Node

from annotator.construction.languages.tree_sitter_bugs import tree_of
from annotator.sandbox import TestCode
from annotator.sandbox.programs.source_text import closing_place, mask
from annotator.text.python_tree import first_line, readable_tree
from annotator.text.syntax_trees import LANGUAGES, walk_nodes


def split_tests(code: str, entry_point: str = "") -> tuple[TestCode, ...]:
    """Return one test per assertion of a snippet, a ``check(candidate)`` function or test functions.

    Where there are test classes, or test functions with decorators or fixtures, it is one per test method and test
    function. What stands before an assertion (set-up, earlier statements that are no assertions) is kept in its test. A
    compound statement with assertions inside stays one test. Text that does not parse is returned whole.
    """
    tree = readable_tree(code)
    if tree is None:
        return (TestCode("test 1", code),)
    splitter = _Splitter(code.splitlines(keepends=True))
    found = splitter.module(tree, entry_point)
    if not found:
        return (TestCode("test 1", code),)
    return tuple(TestCode(f"test {number}", text) for number, text in enumerate(found, start=1))


@dataclass(frozen=True, slots=True)
class _Splitter:
    lines: list[str]

    def module(self, tree: ast.Module, entry_point: str) -> list[str]:
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and _is_case(node)]
        if classes:
            return self._cut_cases(tree, classes)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _asserts(node)]
        if not functions:
            return self._cut(tree.body, "", "")
        chosen = [node for node in functions if node.name == "check" or node.name.startswith("test")]
        if len(chosen) != len(functions) or any(_not_plain(node) for node in chosen):
            return self._cut_cases(tree, ())
        before = "".join(self._text(node) for node in tree.body if node not in chosen and not _calls_check(node))
        found = []
        for node in chosen:
            if node.args.args and not entry_point:
                return []
            bound = "".join(f"{argument.arg} = {entry_point}\n" for argument in node.args.args)
            found += self._cut(node.body, before + bound, " " * node.body[0].col_offset)
        return found

    def _cut_cases(self, tree: ast.Module, classes: Sequence[ast.ClassDef]) -> list[str]:
        """Return the module once for each of its test methods and test functions, without the others."""
        bases = {item.id for node in classes for base in node.bases for item in ast.walk(base) if _is_name(item)}
        if bases & {node.name for node in classes}:
            return []  # A class runs the tests that it inherits.
        methods = [(node, item) for node in classes for item in node.body if _is_test(item)]
        functions = [(node, node) for node in tree.body if _is_test(node)]
        cases = [*methods, *functions]
        if len(cases) < 2:
            return []
        found = []
        for owner, chosen in cases:
            left_out = [node for node in (*classes, *(node for node, _ in functions)) if node is not owner]
            left_out += [item for node, item in methods if node is owner and item is not chosen]
            dropped = {line for node in left_out for line in range(first_line(node), (node.end_lineno or 0) + 1)}
            found.append("".join(line for number, line in enumerate(self.lines, start=1) if number not in dropped))
        return found

    def _cut(self, body: list[ast.stmt], before: str, indent: str) -> list[str]:
        found, setup = [], before
        for node in body:
            text = self._text(node, indent)
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and node.test.value:
                continue
            if _asserts(node):
                found.append(setup + text)
            if not isinstance(node, ast.Assert):
                # A loop with assertions may also set what later ones need, but would fail for them: it is left out.
                setup += "" if _asserts(node) and not _binds(node) else text
        return found

    def _text(self, node: ast.stmt, indent: str = "") -> str:
        first = first_line(node)
        lines = self.lines[first - 1 : node.end_lineno]
        if len(lines) == 1 and not lines[0][: node.col_offset].isspace() and node.col_offset:
            return ast.unparse(node) + "\n"
        inside = _string_lines(node)
        kept = [
            line.removeprefix(indent) if number not in inside else line
            for number, line in enumerate(lines, start=first)
        ]
        return "".join(kept).rstrip("\n") + "\n"


def _string_lines(node: ast.stmt) -> set[int]:
    """Return the lines that begin inside a string, which must keep their indentation."""
    return {
        line
        for item in ast.walk(node)
        if isinstance(item, ast.Constant | ast.JoinedStr) and isinstance(getattr(item, "value", ""), str)
        for line in range(item.lineno + 1, (item.end_lineno or item.lineno) + 1)
    }


def _is_case(node: ast.ClassDef) -> bool:
    """Tell whether a class holds tests, which somebody must find and call."""
    return any(map(_is_test, node.body))


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _asserts(node: ast.AST) -> bool:
    # A function that raises may be one that is handed to what is tested.
    own = () if isinstance(node, ast.FunctionDef | ast.ClassDef) else (node, *_own_nodes(node))
    raises = any(isinstance(item, ast.Raise) for item in own)
    return raises or any(isinstance(item, ast.Assert) or _is_asserting(item) for item in ast.walk(node))


def _is_asserting(node: ast.AST) -> bool:
    """Tell whether a node calls what asserts, such as ``pytest.raises``."""
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in ("raises", "warns", "fail") or name.startswith("assert")


def _binds(node: ast.stmt) -> bool:
    """Tell whether later statements may need what an asserting one defines."""
    if isinstance(node, ast.With):
        is_check = all(_is_asserting(item.context_expr) and item.optional_vars is None for item in node.items)
        return not is_check
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _calls_check(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    called = node.value.func
    return isinstance(called, ast.Name) and (called.id == "check" or called.id.startswith("test"))


def _not_plain(node: ast.FunctionDef) -> bool:
    if node.decorator_list or (node.name != "check" and node.args.args):
        return True
    # A return or yield would stand outside a function once the body is cut up, and there is no scope to be nonlocal to.
    own = any(isinstance(item, ast.Return | ast.Yield | ast.YieldFrom) for item in _own_nodes(node))
    return own or any(isinstance(item, ast.Nonlocal) for item in ast.walk(node))


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a function, without what stands in functions and classes inside it."""
    for item in ast.iter_child_nodes(node):
        yield item
        if not isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own_nodes(item)


_ASSERTING = re.compile(
    rb"\b(?:assert\w*|expect|(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?)\s*(?:\.\s*\w+\s*)*\(|\bassert\b|\bthrow\b"
)
_ACTING = ("expression_statement", "if_statement", "assert_statement", "for_statement", "for_in_statement",
           "enhanced_for_statement", "for_range_loop", "while_statement", "try_statement", "statement_block",
           "compound_statement", "block")  # fmt: skip
_TEST_METHOD = re.compile(rb"@(?:Test|RepeatedTest)\b")
_SCRIPT_CASE = re.compile(rb"(?:it|test)\s*\(")
_CPP_CASE = re.compile(r"^(?:TEST_CASE|SCENARIO|TEST|TEST_F)[ \t]*\(", re.MULTILINE)
_MAIN_NAME, _TEST_NAME = re.compile(rb"main\b"), re.compile(rb"tests?(?:[_A-Z0-9]\w*)?\b")
_FUNCTIONS = ("function_definition", "method_declaration")
_BODIES = ("block", "statement_block", "compound_statement")
Span = tuple[int, int]


def split_foreign(code: str, language: str) -> tuple[str, ...]:
    """Return one program per assertion of a test; what stands before an assertion and asserts nothing is kept in it.

    Assertions are statements of a script, or of the function ``main``, that call assert or expect, or throw; in test
    classes of JUnit they are the test methods, in scripts with ``describe`` the cases of ``it`` and ``test``, in C++
    those of ``TEST_CASE`` and ``TEST``. Where there is one case or method only, or ``main`` calls test functions, they
    are the statements in these. A test that is not built so, or has one assertion only, is returned whole.
    """
    if language not in LANGUAGES:
        return (code,)
    data = code.encode("utf-8", "surrogatepass")
    found = _cpp_cases(code) if language == "c++" else []
    if len(found) == 1:
        found = _cpp_statements(data, found[0])
    if len(found) > 1:
        return tuple(_only(data, found, chosen).decode("utf-8", "surrogatepass") for chosen in found)
    root = tree_of(code, language)
    if root.has_error:
        return (code,)
    for nodes in _ways_to_split(root, data, language):
        if len(nodes) > 1:
            spans = [(node.start_byte, node.end_byte) for node in nodes]
            return tuple(_only(data, spans, chosen).decode("utf-8", "surrogatepass") for chosen in spans)
    return (code,)


def _ways_to_split(root: Node, data: bytes, language: str) -> Iterator[list[Node]]:
    """Yield what asserts: statements of the script or main, then cases, then statements of a case or test function."""
    script = language in ("javascript", "typescript")
    yield _asserting(root.named_children if script else _statements(root, data, _MAIN_NAME), data)
    cases = _cases(root, data, language)
    yield cases
    if len(cases) == 1:
        bodies = (node for node in walk_nodes(cases[0]) if node.type in _BODIES)
        yield _asserting(next((body.named_children for body in bodies), []), data)
    if language == "c++":
        yield _asserting(_statements(root, data, _TEST_NAME), data)


def _asserting(statements: Sequence[Node], data: bytes) -> list[Node]:
    return [node for node in statements if node.type in _ACTING and _ASSERTING.search(_bytes(node, data))]


def _cases(root: Node, data: bytes, language: str) -> list[Node]:
    """Return the test methods of JUnit, or the innermost cases of a script's suites."""
    if language == "java":
        methods = (node for node in walk_nodes(root) if node.type == "method_declaration")
        return [
            node
            for node in methods
            if any(child.type == "modifiers" and _TEST_METHOD.search(_bytes(child, data)) for child in node.children)
        ]
    if language not in ("javascript", "typescript"):
        return []
    statements = (node for node in walk_nodes(root) if node.type == "expression_statement")
    return [node for node in statements if _SCRIPT_CASE.match(_bytes(node, data))]


def _cpp_cases(code: str) -> list[Span]:
    """Return where test cases made by macros stand, in bytes: no parser reads them as functions."""
    masked = mask(code, "c")
    found = []
    for start in (each.start() for each in _CPP_CASE.finditer(masked)):
        given = closing_place(masked, masked.index("(", start))
        opens = masked.find("{", given)
        if given is None or opens < 0 or masked[given + 1 : opens].strip():
            return []
        closes = closing_place(masked, opens)
        end = 0 if closes is None else closes + 1
        found.append(tuple(len(code[:at].encode("utf-8", "surrogatepass")) for at in (start, end)))
    return [(start, end) for start, end in found]


def _cpp_statements(data: bytes, case: Span) -> list[Span]:
    """Return where the statements that assert stand in a test case made by a macro, in bytes; none where it has
    sections, which no parser reads as statements."""
    text = data[slice(*case)].decode("utf-8", "surrogatepass")
    masked = mask(text, "c")
    opens = len(text[: masked.index("{", closing_place(masked, masked.index("(")))].encode("utf-8", "surrogatepass"))
    head = b"void test() "
    body = head + data[case[0] + opens : case[1]]
    root = tree_of(body.decode("utf-8", "surrogatepass"), "c++")
    if root.has_error:
        return []
    shift = case[0] + opens - len(head)
    nodes = _asserting(_statements(root, body, _TEST_NAME), body)
    return [(node.start_byte + shift, node.end_byte + shift) for node in nodes]


def _statements(root: Node, data: bytes, name: re.Pattern[bytes]) -> list[Node]:
    """Return the statements of the functions of a name, in their order; nothing if there is none."""
    stack, found = [root], list[Node]()
    while stack:
        node = stack.pop()
        if node.type in _FUNCTIONS:
            named = node.child_by_field_name("declarator") or node.child_by_field_name("name")
            body = node.child_by_field_name("body")
            if named is not None and body is not None and name.match(_bytes(named, data)):
                found += body.named_children
        stack += reversed(node.named_children)
    return found


def _bytes(node: Node, data: bytes) -> bytes:
    return data[node.start_byte : node.end_byte]


def _only(data: bytes, asserting: Sequence[Span], chosen: Span) -> bytes:
    """Return the test without its other assertions, each taken out with the line it stood on alone."""
    parts, at = [], 0
    for start, end in asserting:
        if (start, end) == chosen:
            continue
        line, after = data.rfind(b"\n", 0, start) + 1, data.find(b"\n", end)
        if not data[line:start].strip() and after >= 0 and not data[end:after].strip(b" \t;"):
            start, end = line, after + 1
        parts.append(data[at : max(at, start)])
        at = end
    return b"".join([*parts, data[at:]])
