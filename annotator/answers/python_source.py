"""Reader of Python: definitions and names, demonstration code, and bodies that complete a prompt."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from annotator.answers.source import NO_DEFINITION, CodeSpec, EntryDefinition, ParsedCode, Part, Reader, last_definition
from annotator.text.python_tree import (
    PREDEFINED,
    accepted_tree,
    first_line,
    free_names,
    local_names,
    readable_tree,
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEMO_FUNCTIONS = frozenset(("print", "pprint", "input", "display", "help", "exit", "quit"))
_DEMO_MODULES = frozenset(("doctest", "unittest", "pytest", "timeit", "logging"))


class PythonReader(Reader):
    """Reads Python with the standard library: a program is code that `compile` accepts."""

    can_parse = True

    def read(self, code: str, spec: CodeSpec) -> ParsedCode | None:
        """Return parsed code; None if it cannot be compiled."""
        tree = accepted_tree(code)
        if tree is None or not tree.body:
            return None
        functions = frozenset(node.name for node in ast.walk(tree) if isinstance(node, _Definition)) | {spec.entry}
        return ParsedCode(
            code=code,
            parts=tuple(_parts(tree, code, spec.entry)),
            entry=last_definition(_definition(node, spec, functions) for node in _top_statements(tree.body)),
            classes=frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
            inner=local_names(tree) | PREDEFINED,
        )

    def is_code(self, lines: str) -> bool:
        """Return whether lines are statements, not just a name, a number or a string, which may be prose."""
        tree = accepted_tree(lines)
        if tree is None:
            return False
        if not tree.body:
            return lines.lstrip().startswith("#")
        return not any(
            (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call | ast.Await))
            or (isinstance(node, ast.AnnAssign) and node.value is None)
            for node in tree.body
        ) or (isinstance(tree.body[0], ast.Expr) and lines.lstrip().startswith(('"""', "'''")))

    def looks_like_definition(self, text: str, entry: str) -> bool:
        """Return whether a line of a text starts a definition of a name."""
        return bool(_find_heads(text, entry or "_"))

    def complete_function(self, prompt: str, body: str, spec: CodeSpec, *, may_truncate: bool) -> Iterator[str]:
        """Yield the prompt with a body indented below the head of the entry point.

        With ``may_truncate``, the body is first cut at the first line that is outside the function.
        """
        plain = textwrap.dedent(body)
        if accepted_tree(plain) is not None and not self.is_code(plain):
            return
        head, outer, margins = _split_at_body(prompt, spec.entry)
        bodies = [lines for margin in margins for lines in _indent_body(body, margin)]
        if may_truncate:
            # An indentation at which the whole body is inside the function comes first.
            bodies = sorted(bodies, key=lambda lines: len(_function_lines(lines, outer)) < len(lines))
            bodies = [*filter(any, (_function_lines(lines, outer) for lines in bodies)), *bodies]
        yield from ("\n".join([head, *lines]) + "\n" for lines in bodies)

    def free_names(self, test: str) -> frozenset[str]:
        """Return the names that a test uses and does not define."""
        tree = readable_tree(test)
        return free_names(tree) if tree is not None else frozenset()

    def merge_missing_methods(self, new: str, old: str, name: str) -> str | None:
        """Return a class with its missing methods added from an earlier version; None if none are missing."""
        new_class, old_class = (_find_class(readable_tree(code), name) for code in (new, old))
        present = {item.name for item in new_class.body if isinstance(item, _Function)} if new_class else set()
        methods = [item for item in old_class.body if isinstance(item, _Function)] if old_class else []
        missing = [item for item in methods if item.name not in present]
        if new_class is None or not missing:
            return None
        lines, old_lines = new.split("\n"), old.split("\n")
        texts = ["\n".join(old_lines[first_line(item) - 1 : item.end_lineno]) for item in missing]
        added = [textwrap.indent(textwrap.dedent(text), " " * new_class.body[0].col_offset) for text in texts]
        return "\n".join([*lines[: new_class.end_lineno], *added, *lines[new_class.end_lineno or 0 :]])


# -- parts -------------------------------------------------------------------------------------------------------------


def _parts(tree: ast.Module, code: str, entry: str) -> Iterator[Part]:
    """Yield the top-level statements of a program; a main guard binds nothing."""
    data, demo_names = code.encode(), _demo_names(tree, entry)
    # Bytes end lines where Python does: at "\\n", "\\r" and "\\r\\n".
    lines = data.splitlines(keepends=True)
    starts = list(accumulate(map(len, lines), initial=0))
    for node in tree.body:
        last = (node.end_lineno or node.lineno) - 1
        start = starts[first_line(node) - 1] + node.col_offset
        end = starts[last] + (node.end_col_offset or 0)
        rest = lines[last][end - starts[last] :].strip()
        # A semicolon or comment after a statement belongs to it.
        after = len(lines[last]) - len(lines[last][end - starts[last] :].lstrip(b"; \t"))
        span_end = starts[last] + after if rest.startswith(b";") else end
        if rest.startswith(b"#"):
            span_end = starts[last] + len(lines[last].rstrip(b"\r\n"))
        is_guard, is_import = _is_main_guard(node), isinstance(node, ast.Import | ast.ImportFrom)
        is_demo = is_guard or not (is_import or isinstance(node, _Definition) or not _is_demo(node, demo_names))
        binds = names_bound_by(node) - (demo_names if is_demo else frozenset())
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            binds |= {"*"}
        yield Part(
            code=data[start:end].decode(),
            binds=frozenset() if is_guard else binds,
            uses=_used_names(node),
            span=(start, span_end),
            is_import=is_import,
            is_definition=isinstance(node, _Definition),
            is_demo=is_demo,
        )


def names_bound_by(node: ast.stmt) -> frozenset[str]:
    """Return the names that a statement binds at the top level, or changes there."""
    if isinstance(node, _Definition):
        return frozenset((node.name,))
    names: set[str] = set()
    for item in ast.walk(node):
        if isinstance(item, ast.Attribute | ast.Subscript) and not isinstance(item.ctx, ast.Load):
            names |= _base_name(item)
        elif isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute):
            names |= _base_name(item.func)
    return frozenset(names) | local_names(node)


def _base_name(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _used_names(node: ast.AST) -> frozenset[str]:
    """Return the names that code reads, except a function's own parameters and variables."""
    loaded = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load)}
    own = local_names(node) - {node.name} if isinstance(node, _Function) else frozenset()
    return frozenset(loaded) - own


# -- the entry point ---------------------------------------------------------------------------------------------------


def _top_statements(body: Sequence[ast.stmt]) -> Iterable[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.Try):
            yield from _top_statements([*node.body, *(item for one in node.handlers for item in one.body)])
        elif isinstance(node, ast.If) and not _is_main_guard(node):
            yield from _top_statements([*node.body, *node.orelse])


def _definition(node: ast.stmt, spec: CodeSpec, functions: frozenset[str]) -> EntryDefinition:
    """Return a statement's definition of the entry point; an empty one if it does not define it."""
    is_stubbed = False
    is_outside = bool(spec.owner)
    if isinstance(node, _Function) and node.name == spec.entry:
        is_stubbed = is_stub(node)
    elif isinstance(node, ast.ClassDef) and node.name == (spec.owner or spec.entry):
        methods = [item for item in node.body if isinstance(item, _Function)]
        methods = [item for item in methods if item.name == spec.entry][-1:] if spec.owner else methods
        if spec.owner and not methods:
            return NO_DEFINITION
        is_stubbed, is_outside = bool(methods) and all(map(is_stub, methods)), False
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if spec.entry not in map(ast.unparse, targets) or not _is_callable(node.value, functions):
            return NO_DEFINITION
    else:
        return NO_DEFINITION
    return EntryDefinition("stub" if is_stubbed else "whole", is_outside, _normalised_definition(node))


def _is_callable(value: ast.expr, functions: frozenset[str]) -> bool:
    """Return whether a value may be a function: a lambda, another name, or a call that involves a function."""
    if isinstance(value, ast.Call):
        return bool(_used_names(value) & functions) or any(isinstance(item, ast.Lambda) for item in ast.walk(value))
    return isinstance(value, ast.Lambda | ast.Name | ast.Attribute)


def is_stub(node: _Function) -> bool:
    """Return whether a body contains only placeholders, strings and imports, as the stubs of prompts do."""
    return all(
        _is_placeholder(item)
        or isinstance(item, ast.Import | ast.ImportFrom)
        or (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant) and isinstance(item.value.value, str))
        for item in node.body
    )


def _is_placeholder(node: ast.stmt) -> bool:
    """Return whether a statement is only a placeholder for a body: ``pass``, ``raise``, ``...`` or ``____``."""
    if isinstance(node, ast.Expr):
        text = ast.unparse(node.value)
        return text == "..." or set(text) == {"_"}
    return isinstance(node, ast.Pass | ast.Raise)


def _normalised_definition(node: ast.stmt) -> str:
    """Return a definition as normalised text, without its docstring."""
    if not isinstance(node, _Function):
        return ast.dump(node)
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return ast.dump(ast.Module([*body], [])) + ast.dump(node.args)


def _find_class(tree: ast.Module | None, name: str) -> ast.ClassDef | None:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name] if tree else []
    return classes[-1] if classes else None


# -- demonstration code ------------------------------------------------------------------------------------------------


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) and "__main__" in ast.unparse(node.test)


def _demo_names(tree: ast.Module, entry: str) -> frozenset[str]:
    """Return the functions whose calls are only demonstration: printing, input, the entry point, and their callers."""
    demo_names = _DEMO_FUNCTIONS | ({entry} if entry else set())
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name != entry and not node.args.args:
            if _is_demo(node, demo_names) and not any(isinstance(item, ast.Global) for item in ast.walk(node)):
                demo_names |= {node.name}
        elif isinstance(node, ast.ImportFrom) and node.module in _DEMO_MODULES:
            demo_names |= names_bound_by(node)
    return demo_names


def _is_demo_call(node: ast.AST, demo_names: frozenset[str]) -> bool:
    text = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return (
        text in demo_names
        or text.partition(".")[0] in _DEMO_MODULES
        or text.startswith(("sys.stdin", "sys.stdout", "sys.exit"))
        or text.rpartition(".")[2] in demo_names - _DEMO_FUNCTIONS
    )


def _is_demo(node: ast.stmt, demo_names: frozenset[str]) -> bool:
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call | ast.Await):
        return not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str))
    return any(isinstance(item, ast.Assert) or _is_demo_call(item, demo_names) for item in ast.walk(node))


# -- completing a prompt -----------------------------------------------------------------------------------------------


def _split_at_body(prompt: str, entry: str) -> tuple[str, int, list[str]]:
    """Return a prompt up to the body of its function, the function's margin, and possible indentations of the body.

    The indentations are empty for a prompt that does not end in the function.
    """
    heads = _find_heads(prompt, entry)
    if not heads:
        return "", 0, []
    start, outer = heads[-1].start(), heads[-1][1]
    tree = readable_tree(textwrap.dedent(prompt[start:]))
    function = tree.body[0] if tree is not None and tree.body else None
    lines = prompt.rstrip().split("\n")
    if tree is not None:
        if len(tree.body) != 1 or not isinstance(function, _Function) or not is_stub(function):
            return "", 0, []
        placeholders = [item for item in function.body if _is_placeholder(item)]
        lines = lines[: prompt.count("\n", 0, start) + placeholders[0].lineno - 1] if placeholders else lines
    last = lines[-1][: _margin(lines[-1])]
    margins = [last] if len(last) > len(outer) and last != outer + "    " else []
    return "\n".join(lines), len(outer), [*margins, outer + "    "]


def _find_heads(text: str, name: str) -> list[re.Match[str]]:
    """Return the matches of lines that start the definition of a name, with their indentation."""
    return list(re.finditer(rf"^([ \t]*)(?:async\s+)?(?:def|class)\s+{re.escape(name)}\b", text, re.MULTILINE))


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _indent_body(body: str, margin: str) -> Iterator[list[str]]:
    """Yield the possible indentations of a body: unchanged, the first line indented, and all lines indented."""
    lines = body.split("\n")
    if lines[0][:1].isspace():
        yield lines
    elif next((line for line in lines[1:] if line.strip()), "")[:1].isspace():
        yield [margin + lines[0], *lines[1:]]
    yield textwrap.indent(textwrap.dedent(body), margin).split("\n")


def _function_lines(lines: list[str], outer: int) -> list[str]:
    """Return the lines of a body before the first line that is not indented more than the function."""
    return lines[: next((at for at, line in enumerate(lines) if line.strip() and _margin(line) <= outer), len(lines))]
