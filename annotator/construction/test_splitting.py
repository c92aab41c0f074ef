"""Split tests into single assertions, so that a bug can fail one of them and pass another."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from tree_sitter import Node

from annotator.construction.languages.tree_sitter_bugs import parse_foreign
from annotator.sandbox import TestCode
from annotator.sandbox.programs.source_text import closing_place, mask_literals
from annotator.text.python_tree import first_line, readable_tree
from annotator.text.syntax_trees import LANGUAGES, walk_nodes


def split_tests(code: str, entry_point: str = "") -> tuple[TestCode, ...]:
    """Return one test per assertion of a snippet, a ``check(candidate)`` function or test functions.

    Test classes, and test functions with decorators or fixtures, are split into one test per method or function. Each
    test keeps the statements before its assertion that are not assertions themselves. A compound statement with
    assertions inside stays one test. Code that does not parse is returned whole.
    """
    tree = readable_tree(code)
    if tree is None:
        return (TestCode("test 1", code),)
    splitter = _Splitter(code.splitlines(keepends=True))
    texts = splitter.split_module(tree, entry_point)
    if not texts:
        return (TestCode("test 1", code),)
    return tuple(TestCode(f"test {number}", text) for number, text in enumerate(texts, start=1))


@dataclass(frozen=True, slots=True)
class _Splitter:
    lines: list[str]

    def split_module(self, tree: ast.Module, entry_point: str) -> list[str]:
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and _is_test_class(node)]
        if classes:
            return self._split_cases(tree, classes)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and _has_assertions(node)]
        if not functions:
            return self._split_body(tree.body, "", "")
        test_functions = [node for node in functions if node.name == "check" or node.name.startswith("test")]
        if len(test_functions) != len(functions) or any(_cannot_be_split(node) for node in test_functions):
            return self._split_cases(tree, ())
        setup = "".join(self._text(node) for node in tree.body if node not in test_functions and not _calls_check(node))
        texts = []
        for node in test_functions:
            if node.args.args and not entry_point:
                return []
            bindings = "".join(f"{argument.arg} = {entry_point}\n" for argument in node.args.args)
            texts += self._split_body(node.body, setup + bindings, " " * node.body[0].col_offset)
        return texts

    def _split_cases(self, tree: ast.Module, classes: Sequence[ast.ClassDef]) -> list[str]:
        """Return the module once for each of its test methods and test functions, without the others."""
        bases = {item.id for node in classes for base in node.bases for item in ast.walk(base) if _is_name(item)}
        if bases & {node.name for node in classes}:
            return []  # A class also runs the tests that it inherits.
        methods = [(node, item) for node in classes for item in node.body if _is_test(item)]
        functions = [(node, node) for node in tree.body if _is_test(node)]
        cases = [*methods, *functions]
        if len(cases) < 2:
            return []
        texts = []
        for owner, test in cases:
            left_out = [node for node in (*classes, *(node for node, _ in functions)) if node is not owner]
            left_out += [item for node, item in methods if node is owner and item is not test]
            dropped_lines = {line for node in left_out for line in range(first_line(node), (node.end_lineno or 0) + 1)}
            texts.append(
                "".join(line for number, line in enumerate(self.lines, start=1) if number not in dropped_lines)
            )
        return texts

    def _split_body(self, body: list[ast.stmt], before: str, indent: str) -> list[str]:
        texts = []
        setup = before
        for node in body:
            text = self._text(node, indent)
            if isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and node.test.value:
                continue
            if _has_assertions(node):
                texts.append(setup + text)
            if not isinstance(node, ast.Assert):
                # A loop with assertions may set values for later ones, but its failures must not count for them.
                setup += "" if _has_assertions(node) and not _defines_names(node) else text
        return texts

    def _text(self, node: ast.stmt, indent: str = "") -> str:
        first = first_line(node)
        lines = self.lines[first - 1 : node.end_lineno]
        if len(lines) == 1 and not lines[0][: node.col_offset].isspace() and node.col_offset:
            # Another statement precedes it in the same line.
            return ast.unparse(node) + "\n"
        string_lines = _string_lines(node)
        dedented = [
            line.removeprefix(indent) if number not in string_lines else line
            for number, line in enumerate(lines, start=first)
        ]
        return "".join(dedented).rstrip("\n") + "\n"


def _string_lines(node: ast.stmt) -> set[int]:
    """Return the lines that begin inside a string, which must keep their indentation."""
    return {
        line
        for item in ast.walk(node)
        if isinstance(item, ast.Constant | ast.JoinedStr) and isinstance(getattr(item, "value", ""), str)
        for line in range(item.lineno + 1, (item.end_lineno or item.lineno) + 1)
    }


def _is_test_class(node: ast.ClassDef) -> bool:
    """Return whether a class has test methods."""
    return any(map(_is_test, node.body))


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _has_assertions(node: ast.AST) -> bool:
    # A nested function that raises may be an argument for the code under test.
    own_nodes = () if isinstance(node, ast.FunctionDef | ast.ClassDef) else (node, *_nodes_outside_nested(node))
    raises = any(isinstance(item, ast.Raise) for item in own_nodes)
    return raises or any(isinstance(item, ast.Assert) or _is_asserting(item) for item in ast.walk(node))


def _is_asserting(node: ast.AST) -> bool:
    """Return whether a node calls an asserting function such as ``pytest.raises``."""
    function = node.func if isinstance(node, ast.Call) else None
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("raises", "warns", "fail") or name.startswith("assert")


def _defines_names(node: ast.stmt) -> bool:
    """Return whether an asserting statement may define names for later ones.

    That is a function, a class, or a ``with`` that does more than expect an exception or warning.
    """
    if isinstance(node, ast.With):
        is_check = all(_is_asserting(item.context_expr) and item.optional_vars is None for item in node.items)
        return not is_check
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _calls_check(node: ast.stmt) -> bool:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    function = node.value.func
    return isinstance(function, ast.Name) and (function.id == "check" or function.id.startswith("test"))


def _cannot_be_split(node: ast.FunctionDef) -> bool:
    if node.decorator_list or (node.name != "check" and node.args.args):
        return True
    # Once the body is split, a return or yield would be outside a function, and nonlocal would have no outer scope.
    leaves_function = any(
        isinstance(item, ast.Return | ast.Yield | ast.YieldFrom) for item in _nodes_outside_nested(node)
    )
    return leaves_function or any(isinstance(item, ast.Nonlocal) for item in ast.walk(node))


def _nodes_outside_nested(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, except those inside nested functions and classes."""
    for item in ast.iter_child_nodes(node):
        yield item
        if not isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _nodes_outside_nested(item)


_ASSERTION = re.compile(
    rb"\b(?:assert\w*|expect|(?:EXPECT|ASSERT|REQUIRE|CHECK)(?:_\w+)?)\s*(?:\.\s*\w+\s*)*\(|\bassert\b|\bthrow\b"
)
_STATEMENT_NODES = ("expression_statement", "if_statement", "assert_statement", "for_statement", "for_in_statement",
           "enhanced_for_statement", "for_range_loop", "while_statement", "try_statement", "statement_block",
           "compound_statement", "block")  # fmt: skip
_TEST_METHOD = re.compile(rb"@(?:Test|RepeatedTest)\b")
_SCRIPT_CASE = re.compile(rb"(?:it|test)\s*\(")
_CPP_CASE = re.compile(r"^(?:TEST_CASE|SCENARIO|TEST|TEST_F)[ \t]*\(", re.MULTILINE)
_MAIN_FUNCTION = re.compile(rb"main\b")
_TEST_FUNCTION = re.compile(rb"tests?(?:[_A-Z0-9]\w*)?\b")
_FUNCTION_NODES = ("function_definition", "method_declaration")
_BODY_NODES = ("block", "statement_block", "compound_statement")
Span = tuple[int, int]


def split_foreign(code: str, language: str) -> tuple[str, ...]:
    """Return one program per assertion of a test, each with all statements that are not assertions.

    Assertions are the statements of a script, or of the function ``main``, that call assert or expect, or throw. In
    JUnit classes each test method counts as one assertion, in scripts with ``describe`` each ``it`` or ``test`` case,
    and in C++ each ``TEST_CASE`` or ``TEST`` case. If there is only one such method or case, or if ``main`` calls test
    functions, the statements inside are split. Any other test, or one with a single assertion, is returned whole.
    """
    if language not in LANGUAGES:
        return (code,)
    data = code.encode("utf-8", "surrogatepass")
    cases = _cpp_cases(code) if language == "c++" else []
    if len(cases) == 1:
        cases = _cpp_statements(data, cases[0])
    if len(cases) > 1:
        return tuple(_keep_only(data, cases, span).decode("utf-8", "surrogatepass") for span in cases)
    root = parse_foreign(code, language)
    if root.has_error:
        return (code,)
    for nodes in _possible_splits(root, data, language):
        if len(nodes) > 1:
            spans = [(node.start_byte, node.end_byte) for node in nodes]
            return tuple(_keep_only(data, spans, span).decode("utf-8", "surrogatepass") for span in spans)
    return (code,)


def _possible_splits(root: Node, data: bytes, language: str) -> Iterator[list[Node]]:
    """Yield the alternatives in order of preference: statements of the script or main, cases, statements of a case."""
    is_script = language in ("javascript", "typescript")
    yield _asserting_statements(
        root.named_children if is_script else _function_statements(root, data, _MAIN_FUNCTION), data
    )
    cases = _find_cases(root, data, language)
    yield cases
    if len(cases) == 1:
        bodies = (node for node in walk_nodes(cases[0]) if node.type in _BODY_NODES)
        yield _asserting_statements(next((body.named_children for body in bodies), []), data)
    if language == "c++":
        yield _asserting_statements(_function_statements(root, data, _TEST_FUNCTION), data)


def _asserting_statements(statements: Sequence[Node], data: bytes) -> list[Node]:
    return [node for node in statements if node.type in _STATEMENT_NODES and _ASSERTION.search(_node_bytes(node, data))]


def _find_cases(root: Node, data: bytes, language: str) -> list[Node]:
    """Return the test methods of JUnit, or the innermost cases of a script's suites."""
    if language == "java":
        methods = (node for node in walk_nodes(root) if node.type == "method_declaration")
        return [
            node
            for node in methods
            if any(
                child.type == "modifiers" and _TEST_METHOD.search(_node_bytes(child, data)) for child in node.children
            )
        ]
    if language not in ("javascript", "typescript"):
        return []
    statements = (node for node in walk_nodes(root) if node.type == "expression_statement")
    return [node for node in statements if _SCRIPT_CASE.match(_node_bytes(node, data))]


def _cpp_cases(code: str) -> list[Span]:
    """Return the byte spans of test cases made by macros, which the parser does not see as functions."""
    masked = mask_literals(code, "c")
    spans: list[Span] = []
    for start in (match.start() for match in _CPP_CASE.finditer(masked)):
        parameters_end = closing_place(masked, masked.index("(", start))
        opening = masked.find("{", parameters_end)
        if parameters_end is None or opening < 0 or masked[parameters_end + 1 : opening].strip():
            return []
        closing = closing_place(masked, opening)
        end = 0 if closing is None else closing + 1
        spans.append((_byte_offset(code, start), _byte_offset(code, end)))
    return spans


def _cpp_statements(data: bytes, case: Span) -> list[Span]:
    """Return the byte spans of the asserting statements in a macro's test case, none if it does not parse."""
    text = data[slice(*case)].decode("utf-8", "surrogatepass")
    masked = mask_literals(text, "c")
    parameters_end = closing_place(masked, masked.index("("))
    opening = _byte_offset(text, masked.index("{", parameters_end))
    # The parser needs a function around the statements.
    head = b"void test() "
    body = head + data[case[0] + opening : case[1]]
    root = parse_foreign(body.decode("utf-8", "surrogatepass"), "c++")
    if root.has_error:
        return []
    shift = case[0] + opening - len(head)
    nodes = _asserting_statements(_function_statements(root, body, _TEST_FUNCTION), body)
    return [(node.start_byte + shift, node.end_byte + shift) for node in nodes]


def _function_statements(root: Node, data: bytes, name: re.Pattern[bytes]) -> list[Node]:
    """Return the statements of the functions whose name matches, in their order."""
    stack = [root]
    statements = list[Node]()
    while stack:
        node = stack.pop()
        if node.type in _FUNCTION_NODES:
            name_node = node.child_by_field_name("declarator") or node.child_by_field_name("name")
            body = node.child_by_field_name("body")
            if name_node is not None and body is not None and name.match(_node_bytes(name_node, data)):
                statements += body.named_children
        stack += reversed(node.named_children)
    return statements


def _byte_offset(text: str, index: int) -> int:
    return len(text[:index].encode("utf-8", "surrogatepass"))


def _node_bytes(node: Node, data: bytes) -> bytes:
    return data[node.start_byte : node.end_byte]


def _keep_only(data: bytes, asserting: Sequence[Span], kept_span: Span) -> bytes:
    """Return the test with only one of its assertions; the others are removed, whole lines where possible."""
    parts = []
    position = 0
    for start, end in asserting:
        if (start, end) == kept_span:
            continue
        line_start = data.rfind(b"\n", 0, start) + 1
        line_end = data.find(b"\n", end)
        if not data[line_start:start].strip() and line_end >= 0 and not data[end:line_end].strip(b" \t;"):
            start, end = line_start, line_end + 1
        parts.append(data[position : max(position, start)])
        position = end
    return b"".join([*parts, data[position:]])
