"""Python in responses: what it defines and uses, what of it is only shown, and how a body goes on from a prompt."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from annotator.answers.source import LEFT_OUT, Kind, Part, Source, Wanted
from annotator.text.python_tree import accepted_tree, first_line, readable_tree

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_FUTURE = re.compile(r"^from __future__ import .*$\n?", re.MULTILINE)
_SHOWING = frozenset(("print", "pprint", "input", "display", "help", "exit", "quit"))
_SHOWING_MODULES = frozenset(("doctest", "unittest", "pytest", "timeit", "logging"))
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "self"}


class PythonReader:
    """Reads Python by the standard library: a program is what `compile` takes."""

    reads = True

    def read(self, code: str, wanted: Wanted) -> Source | None:
        """Return code as Python; None for what cannot be compiled."""
        tree = accepted_tree(code)
        if tree is None or not tree.body:
            return None
        lines = code.split("\n")
        kind, rebinds, body = _definition(tree, wanted)
        return Source(
            code=code,
            parts=tuple(_part(node, lines) for node in tree.body),
            kind=kind,
            rebinds=rebinds,
            body=body,
            classes=frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
        )

    def is_code(self, lines: str) -> bool:
        """Tell whether lines are statements: not a name, a number or a text alone, as a word of prose is."""
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

    def attempts(self, text: str, entry: str) -> bool:
        """Tell whether a line of a text begins to define a name."""
        return (
            re.search(rf"^\s*(?:async\s+)?(?:def|class)\s+{re.escape(entry or '_')}\b", text, re.MULTILINE) is not None
        )

    def fill(self, prompt: str, body: str, wanted: Wanted, *, runs_on: bool) -> Iterator[str]:
        """Yield the prompt with a body, moved in below the entry point's head; up to where it moves out again."""
        opened = _opened(prompt, wanted.entry)
        plain = textwrap.dedent(body)
        if opened is None or not body.strip() or (accepted_tree(plain) is not None and not self.is_code(plain)):
            return
        head, outer, margins = opened
        bodies = [lines for margin in margins for lines in _indented(body, margin)]
        if runs_on:
            bodies = [*(_inside(lines, len(outer)) for lines in bodies), *bodies]
        for lines in bodies:
            code = "\n".join([head, *lines]) + "\n"
            if lines and _holds(code, head.count("\n") + 2, wanted.entry):
                yield code

    def free_names(self, test: str) -> frozenset[str]:
        """Return the names that a test uses and does not define."""
        tree = readable_tree(test)
        return _used(tree) - _bound_anywhere(tree) - _BUILTINS if tree is not None else frozenset()

    def missing(self, source: Source, wanted: Wanted) -> set[str]:
        """Return the names that a program or its tests use and nothing in it binds."""
        tree = readable_tree(source.code)
        inner = _bound_anywhere(tree) if tree is not None else frozenset()
        return set((source.used | wanted.names) - source.bound - inner - _BUILTINS - {wanted.entry})

    def needs(self, part: Part, needed: set[str]) -> bool:
        """Tell whether an import binds a name that a program lacks; one of the future and one of everything may."""
        return "__future__" in part.code or bool(part.binds & needed) or (bool(needed) and "*" in part.binds)

    def join(self, added: Sequence[Part], code: str) -> str:
        """Return a program behind parts from elsewhere; what comes from the future stands first."""
        texts = list(dict.fromkeys(part.code for part in sorted(added, key=lambda part: not part.is_import)))
        futures = [text for text in (*texts, *(line.strip() for line in _FUTURE.findall(code))) if _FUTURE.match(text)]
        rest = [text for text in texts if not _FUTURE.match(text)]
        return "\n".join([*dict.fromkeys(futures), *rest]) + "\n\n" + _FUTURE.sub("", code)

    def merge(self, late: str, early: str, name: str) -> str | None:
        """Return a class with the methods of an earlier version of it that it lacks; None where it lacks none."""
        new, old = (_class(readable_tree(code), name) for code in (late, early))
        if new is None or old is None:
            return None
        has = {item.name for item in new.body if isinstance(item, _Function)}
        lacking = [item for item in old.body if isinstance(item, _Function) and item.name not in has]
        if not lacking:
            return None
        lines, from_lines = late.split("\n"), early.split("\n")
        added: list[str] = []
        for item in lacking:
            text = "\n".join(from_lines[first_line(item) - 1 : item.end_lineno])
            added += ["", textwrap.indent(textwrap.dedent(text), " " * new.body[0].col_offset)]
        end = new.end_lineno or len(lines)
        return "\n".join([*lines[:end], *added, *lines[end:]])

    def fit(self, code: str, _source: Source, wanted: Wanted) -> tuple[str, list[str]]:
        """Return a program without its main guard and what only prints, asserts, reads input or tries it out."""
        tree = readable_tree(code)
        dropped = _shown_only(tree, wanted) if tree is not None else []
        if tree is None or not dropped:
            return code, []
        lines = code.split("\n")
        busy = {number for node in tree.body if node not in dropped for number in _lines_of(node)}
        for node in dropped:
            for number in _lines_of(node):
                if number not in busy:
                    lines[number - 1] = ""
        return "\n".join(lines).strip("\n") + "\n", [LEFT_OUT]


# -- parts -------------------------------------------------------------------------------------------------------------


def _part(node: ast.stmt, lines: Sequence[str]) -> Part:
    first, last = first_line(node), node.end_lineno or node.lineno
    text = "\n".join(lines[first - 1 : last])
    if node.col_offset or (last < len(lines) and lines[last - 1][node.end_col_offset or 0 :].lstrip().startswith(";")):
        text = ast.unparse(node)
    return Part(
        code=text,
        binds=_bound(node),
        uses=_used(node),
        is_import=isinstance(node, ast.Import | ast.ImportFrom),
        is_definition=isinstance(node, _Definition),
    )


def _bound(node: ast.stmt) -> frozenset[str]:
    """Return the names that a statement binds at the top level, or changes there."""
    if isinstance(node, _Definition):
        return frozenset((node.name,))
    found: set[str] = set()
    for item in ast.walk(node):
        if isinstance(item, ast.Attribute | ast.Subscript) and not isinstance(item.ctx, ast.Load):
            found |= _base(item)
        elif isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute):
            found |= _base(item.func)
    return frozenset(found) | _bound_anywhere(node)


def _bound_anywhere(tree: ast.AST) -> frozenset[str]:
    """Return the names that code binds at any depth."""
    found: set[str] = set()
    for item in ast.walk(tree):
        if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
            found.add(item.id)
        elif isinstance(item, ast.arg):
            found.add(item.arg)
        elif isinstance(item, _Definition):
            found.add(item.name)
        elif isinstance(item, ast.alias):
            found.add(item.asname or item.name.partition(".")[0])
        elif isinstance(item, ast.ExceptHandler) and item.name:
            found.add(item.name)
    return frozenset(found)


def _base(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _used(node: ast.AST) -> frozenset[str]:
    """Return the names that code reads; a function's own parameters and variables are none of them."""
    loaded = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load)}
    own = _bound_anywhere(node) - {node.name} if isinstance(node, _Function) else frozenset()
    return frozenset(loaded) - own


# -- the entry point ---------------------------------------------------------------------------------------------------


def _definition(tree: ast.Module, wanted: Wanted) -> tuple[Kind, bool, str]:
    """Return how a program last defines the entry point, whether of what it was, and its definition in one writing."""
    last: tuple[Kind, bool, str] = ("", False, "")
    functions = frozenset(node.name for node in ast.walk(tree) if isinstance(node, _Definition)) | {wanted.entry}
    for node in _top_statements(tree.body):
        kind, rebinds = _defines(node, wanted, functions)
        # What it rebinds in the same program is there.
        if kind and not (rebinds and last[0] == "whole") and not (kind == "stub" and last[0] == "whole"):
            last = (kind, rebinds, _plain(node))
    return last


def _top_statements(body: Sequence[ast.stmt]) -> Iterable[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.Try):
            yield from _top_statements([*node.body, *(item for one in node.handlers for item in one.body)])
        elif isinstance(node, ast.If) and not _is_main_guard(node):
            yield from _top_statements([*node.body, *node.orelse])


def _defines(node: ast.stmt, wanted: Wanted, functions: frozenset[str]) -> tuple[Kind, bool]:
    name = wanted.entry
    if isinstance(node, _Function) and node.name == name:
        return ("stub" if _is_stub(node) else "whole"), False
    if isinstance(node, ast.ClassDef) and node.name == (wanted.owner or name):
        methods = [item for item in node.body if isinstance(item, _Function)]
        if wanted.owner:
            methods = [item for item in methods if item.name == name]
            return ("" if not methods else "stub" if _is_stub(methods[-1]) else "whole"), False
        return ("stub" if methods and all(map(_is_stub, methods)) else "whole"), False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if not any(isinstance(item, ast.Name) and item.id == name for item in targets):
        return "", False
    if value is None or not _is_callable(value, functions):
        return "", False
    return "whole", name in _used(value)


def _is_callable(value: ast.expr, functions: frozenset[str]) -> bool:
    """Tell whether a value is a function: a lambda, a name, or a call of or with a function of the program."""
    if isinstance(value, ast.Call):
        return bool(_used(value) & functions) or any(isinstance(item, ast.Lambda) for item in ast.walk(value))
    return isinstance(value, ast.Lambda | ast.Name | ast.Attribute)


def _is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return all(_holds_place(item) or _only_says(item) for item in node.body)


def _only_says(node: ast.stmt) -> bool:
    """Tell whether a statement is a text or an import, as prompts have them before the body that is to be written."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom)


def _holds_place(node: ast.stmt) -> bool:
    """Tell whether a statement only holds the place of a body: ``pass``, ``raise``, ``...`` or ``____``."""
    if not isinstance(node, ast.Expr):
        return isinstance(node, ast.Pass | ast.Raise)
    if isinstance(node.value, ast.Constant):
        return node.value.value is ...
    return isinstance(node.value, ast.Name) and set(node.value.id) == {"_"}


def _plain(node: ast.stmt) -> str:
    """Return a definition in one writing, its docstring left out."""
    if not isinstance(node, _Function):
        return ast.dump(node)
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return ast.dump(ast.Module([*body], [])) + ast.dump(node.args)


def _class(tree: ast.Module | None, name: str) -> ast.ClassDef | None:
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name] if tree else []
    return found[-1] if found else None


# -- what is only shown ------------------------------------------------------------------------------------------------


def _lines_of(node: ast.stmt) -> range:
    return range(first_line(node), (node.end_lineno or node.lineno) + 1)


def _shown_only(tree: ast.Module, wanted: Wanted) -> list[ast.stmt]:
    """Return the statements of the top level that only show a program, the last one first."""
    kept = {*wanted.names, wanted.entry}
    for node in tree.body:
        kept |= _used(node) if isinstance(node, _Definition) else set()
    showing = _showing_functions(tree, wanted.entry)
    imports = [_bound(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    unchanged = showing.union(*imports)
    dropped: list[ast.stmt] = []
    for node in reversed(tree.body):
        if isinstance(node, _Definition | ast.Import | ast.ImportFrom):
            continue
        if _is_main_guard(node) or (_shows(node, showing) and not (_bound(node) - unchanged) & kept):
            dropped.append(node)
        else:
            kept |= _used(node)
    return dropped


def _is_main_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) and "__main__" in ast.unparse(node.test)


def _showing_functions(tree: ast.Module, entry: str) -> set[str]:
    """Return the names whose calls only show something: printing, reading, the entry point, and what calls these."""
    showing = {*_SHOWING, *({entry} if entry else ())}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name != entry and not node.args.args:
            inside = list(ast.walk(node))
            shows = any(isinstance(item, ast.Assert) or _is_show_call(item, showing) for item in inside)
            if shows and not any(isinstance(item, ast.Global) for item in inside):
                showing.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module in _SHOWING_MODULES:
            showing |= _bound(node)
    return showing


def _is_show_call(node: ast.AST, showing: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    text = ast.unparse(node.func)
    return (
        text in showing
        or text.partition(".")[0] in _SHOWING_MODULES
        or text.startswith(("sys.stdin", "sys.stdout", "sys.exit"))
        or text.rpartition(".")[2] in showing - _SHOWING
    )


def _shows(node: ast.stmt, showing: set[str]) -> bool:
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call | ast.Await):
        return not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str))
    return any(isinstance(item, ast.Assert) or _is_show_call(item, showing) for item in ast.walk(node))


# -- going on from a prompt --------------------------------------------------------------------------------------------


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _opened(prompt: str, entry: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Return a prompt up to the body of its function, how far in that stands, and how far its body may.

    None for a prompt that does not end in the function.
    """
    lines = prompt.rstrip().split("\n")
    starts = [at for at, line in enumerate(lines) if re.match(rf"\s*(?:async\s+)?def\s+{re.escape(entry)}\b", line)]
    if not starts:
        return None
    tree = readable_tree(textwrap.dedent("\n".join(lines[starts[-1] :])))
    if tree is not None:
        function = tree.body[0] if tree.body else None
        if len(tree.body) != 1 or not isinstance(function, _Function) or not _is_stub(function):
            return None
        held = [item for item in function.body if _holds_place(item)]
        lines = lines[: starts[-1] + held[0].lineno - 1] if held else lines
    outer = lines[starts[-1]][: _margin(lines[starts[-1]])]
    last = lines[-1][: _margin(lines[-1])]
    margins = [outer + "    ", *([last] if len(last) > len(outer) else [])]
    return "\n".join(lines), outer, tuple(dict.fromkeys(margins[::-1]))


def _indented(body: str, margin: str) -> Iterator[list[str]]:
    """Yield the lines of a body as they are, with the first one moved in, and all moved in."""
    lines = body.split("\n")
    if lines[0][:1].isspace():
        yield lines
    elif next((line for line in lines[1:] if line.strip()), "")[:1].isspace():
        yield [margin + lines[0], *lines[1:]]
    yield textwrap.indent(textwrap.dedent(body), margin).split("\n")


def _inside(lines: list[str], outer: int) -> list[str]:
    """Return the lines of a body up to the first that stands as far out as the function."""
    return lines[: next((at for at, line in enumerate(lines) if line.strip() and _margin(line) <= outer), len(lines))]


def _holds(code: str, first: int, entry: str) -> bool:
    """Tell whether a program can be compiled and has, from a line on, a statement in the entry point."""
    tree = accepted_tree(code)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, _Function) and node.name == entry and any(item.lineno >= first for item in node.body):
            return True
    return False
