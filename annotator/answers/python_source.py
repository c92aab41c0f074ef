"""Python in responses: what it defines and uses, what of it is only shown, and how a body goes on from a prompt."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterable, Sequence

from annotator.answers.repairs import readings
from annotator.answers.source import LEFT_OUT, Kind, Part, Reader, Source, Wanted
from annotator.text.python_tree import first_line, readable_tree

_STARTS = re.compile(
    r"^(?:@|def |class |async |import |from [\w.]+ import|if |for |while |with |try:|\"\"\"|'''|#|"
    r"[A-Za-z_][\w.\[\]'\", ]*(?::[^=\n]+)?\s*(?:[-+*/|&]|//|\*\*)?=(?!=)|[A-Za-z_][\w.]*\(.*\)\s*(?:#.*)?$)"
)
_GOES_ON = re.compile(r"^(?:elif\b|else\b|except\b|finally\b|[)\]}])")
_SHOWING = frozenset(("print", "pprint", "input", "display", "help", "exit", "quit"))
_SHOWING_MODULES = frozenset(("doctest", "unittest", "pytest", "timeit"))
_BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "self"}
_MOST_TRIES = 1500


def read_python(code: str, wanted: Wanted) -> Source | None:
    """Return code as Python; None where it is none, however it is read."""
    for text, how in readings(code):
        tree = readable_tree(text)
        if tree is not None and tree.body:
            return _source(text, tree, wanted, how)
    return None


def find_python(text: str, wanted: Wanted) -> list[Source]:
    """Return the runs of Python statements in a text of prose and code."""
    runs: list[list[str]] = [[]]
    lines = text.split("\n")
    at = tries = 0
    while at < len(lines) and tries < _MOST_TRIES:
        if not lines[at].strip():
            runs[-1].append("")
            at += 1
            continue
        end, used = _statement(lines, at)
        tries += used
        if end:
            runs[-1] += lines[at:end]
            at = end
        else:
            if any(line.strip() for line in runs[-1]):
                runs.append([])
            at += 1
    found = []
    for run in runs:
        code = "\n".join(run).strip("\n")
        tree = readable_tree(code) if code else None
        if tree is not None and tree.body:
            found.append(_source(code, tree, wanted, "found between lines of prose"))
    return found


def _statement(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Return the line behind the statement that begins in a line (0 if none does), and how often was read."""
    if not _STARTS.match(lines[at]):
        return 0, 0
    tries = 0
    end = _block_end(lines, at)
    for _ in range(30):
        tries += 1
        if _is_statement("\n".join(lines[at:end])):
            return end, tries
        if end >= len(lines):
            break
        end = _block_end(lines, end)
    first = _block_end(lines, at)
    for shorter in range(first - 1, at, -1):
        tries += 1
        code = "\n".join(lines[at:shorter])
        if lines[shorter - 1].strip() and _is_statement(code):
            return shorter, tries
    return 0, tries


def _block_end(lines: Sequence[str], at: int) -> int:
    """Return the line before which a statement may end: the next that stands at the margin."""
    end = at + 1
    decorated = lines[at].startswith("@")
    while end < len(lines):
        line = lines[end]
        if line.strip() and not line[0].isspace() and not _GOES_ON.match(line) and not decorated:
            break
        decorated = decorated and line.startswith("@")
        end += 1
    while end > at + 1 and not lines[end - 1].strip():
        end -= 1
    return end


def _is_statement(code: str) -> bool:
    tree = readable_tree(code)
    if tree is None:
        return False
    if not tree.body:
        return code.lstrip().startswith("#")
    node = tree.body[0]
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return False
    return not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call | ast.Constant | ast.Await)


# -- parts -------------------------------------------------------------------------------------------------------------


def _source(code: str, tree: ast.Module, wanted: Wanted, how: str) -> Source:
    lines = code.split("\n")
    parts = tuple(_part(node, lines) for node in tree.body)
    kind, body = _definition(tree, wanted)
    functions = tuple(
        (node.name, tuple(item.arg for item in (*node.args.posonlyargs, *node.args.args)))
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    classes = frozenset(node.name for node in tree.body if isinstance(node, ast.ClassDef))
    return Source(code=code, parts=parts, kind=kind, functions=functions, body=body, repaired=how, classes=classes)


def _part(node: ast.stmt, lines: Sequence[str]) -> Part:
    first, last = first_line(node), node.end_lineno or node.lineno
    text = "\n".join(lines[first - 1 : last])
    if node.col_offset or (last < len(lines) and lines[last - 1][node.end_col_offset or 0 :].lstrip().startswith(";")):
        text = ast.unparse(node)
    return Part(
        code=text,
        binds=frozenset(_bound(node)),
        uses=frozenset(_used(node)),
        is_import=isinstance(node, ast.Import | ast.ImportFrom),
        is_definition=isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef),
    )


def _bound(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds at the top level, or changes there."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    found: set[str] = set()
    for item in ast.walk(node):
        if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
            found.add(item.id)
        elif isinstance(item, ast.alias):
            found.add(item.asname or item.name.partition(".")[0])
        elif isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(item.name)
        elif isinstance(item, ast.Attribute | ast.Subscript) and not isinstance(item.ctx, ast.Load):
            found |= _base(item)
        elif isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute):
            found |= _base(item.func)
    return found


def _base(node: ast.expr) -> set[str]:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _used(node: ast.AST) -> set[str]:
    """Return the names that a statement reads and does not make itself, words in annotations that are text included."""
    loaded: set[str] = set()
    stored: set[str] = set()
    for item in ast.walk(node):
        if isinstance(item, ast.Name):
            (loaded if isinstance(item.ctx, ast.Load) else stored).add(item.id)
        elif isinstance(item, ast.arg):
            stored.add(item.arg)
    return loaded - (stored if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else set())


def names_in(code: str) -> frozenset[str]:
    """Return the names that code reads; empty for text that is no Python."""
    tree = readable_tree(code)
    return frozenset(_used(tree)) if tree is not None else frozenset()


def missing_names(source: Source, also: Iterable[str] = ()) -> frozenset[str]:
    """Return the names that code uses and nothing in it binds."""
    inner: set[str] = set()
    tree = readable_tree(source.code)
    if tree is not None:
        for item in ast.walk(tree):
            if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load):
                inner.add(item.id)
            elif isinstance(item, ast.arg):
                inner.add(item.arg)
            elif isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner.add(item.name)
            elif isinstance(item, ast.alias):
                inner.add(item.asname or item.name.partition(".")[0])
            elif isinstance(item, ast.ExceptHandler) and item.name:
                inner.add(item.name)
    return (source.used | frozenset(also)) - source.bound - inner - _BUILTINS


# -- the entry point ---------------------------------------------------------------------------------------------------


def _definition(tree: ast.Module, wanted: Wanted) -> tuple[Kind, str]:
    """Return how a program defines the entry point, and its definition in one writing."""
    best: tuple[Kind, str] = ("", "")
    for node in _top_statements(tree.body):
        found = _defines(node, wanted)
        if found == "rebinding" and best[0] in ("whole", "method"):
            continue
        if found:
            best = (found, _plain(node))
    return best


def _top_statements(body: Sequence[ast.stmt]) -> Iterable[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.Try):
            yield from _top_statements([*node.body, *(item for one in node.handlers for item in one.body)])
        elif isinstance(node, ast.If) and not _is_main_guard(node):
            yield from _top_statements([*node.body, *node.orelse])


def _defines(node: ast.stmt, wanted: Wanted) -> Kind:
    name = wanted.entry
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
        return "stub" if _is_stub(node) else "whole"
    if isinstance(node, ast.ClassDef):
        if node.name == name or (wanted.owner and node.name == wanted.owner):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
            named = [item for item in methods if item.name == name]
            full = not methods or any(not _is_stub(item) for item in named or methods)
            return "whole" if full else "stub"
        method = next((item for item in node.body if isinstance(item, ast.FunctionDef) and item.name == name), None)
        if method is not None:
            return "stub" if _is_stub(method) else "method"
    value = getattr(node, "value", None)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    if value is None or not any(isinstance(item, ast.Name) and item.id == name for item in targets):
        return ""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == name:
        return ""
    if isinstance(value, ast.Constant | ast.List | ast.Dict | ast.Set | ast.Tuple | ast.JoinedStr):
        return ""
    return "rebinding" if name in {item.id for item in ast.walk(value) if isinstance(item, ast.Name)} else "whole"


def _is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    return all(isinstance(item, ast.Pass | ast.Raise) or _is_open(item) for item in body)


def _is_open(node: ast.stmt) -> bool:
    """Tell whether a statement only holds a place: ``...`` or ``____``."""
    if not isinstance(node, ast.Expr):
        return False
    if isinstance(node.value, ast.Constant):
        return node.value.value is ...
    return isinstance(node.value, ast.Name) and set(node.value.id) == {"_"}


def _plain(node: ast.stmt) -> str:
    """Return a definition in one writing, its docstring left out."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node, clean=False) is not None:
        return ast.dump(ast.Module([*node.body[1:]], [])) + ast.dump(node.args)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ast.dump(ast.Module([*node.body], [])) + ast.dump(node.args)
    return ast.dump(node)


def merged_class(late: str, early: str, name: str) -> str | None:
    """Return a class with the methods of an earlier version of it that it lacks; None where it lacks none."""
    new, old = (_class(readable_tree(code), name) for code in (late, early))
    if new is None or old is None:
        return None
    has = {item.name for item in new.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}
    lacking = [item for item in old.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
               and item.name not in has]  # fmt: skip
    if not lacking:
        return None
    margin = " " * new.body[0].col_offset
    lines, from_lines = late.split("\n"), early.split("\n")
    added: list[str] = []
    for item in lacking:
        text = "\n".join(from_lines[first_line(item) - 1 : item.end_lineno])
        added += ["", textwrap.indent(textwrap.dedent(text), margin)]
    end = new.end_lineno or len(lines)
    return "\n".join([*lines[:end], *added, *lines[end:]])


def _class(tree: ast.Module | None, name: str) -> ast.ClassDef | None:
    found = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name] if tree else []
    return found[-1] if found else None


def class_of_method(code: str, entry: str) -> str:
    """Return the last class that has a method of a name; empty for none."""
    tree = readable_tree(code)
    found = [
        node.name
        for node in (tree.body if tree else [])
        if isinstance(node, ast.ClassDef)
        and any(isinstance(item, ast.FunctionDef) and item.name == entry for item in node.body)
    ]
    return found[-1] if found else ""


# -- what is only shown ------------------------------------------------------------------------------------------------


def without_shows(code: str, wanted: Wanted) -> tuple[str, int]:
    """Return a program without its main guard and top-level statements that only print, assert, read input or call
    the entry point; and how many were left out."""
    tree = readable_tree(code)
    if tree is None:
        return code, 0
    kept_names = set(wanted.names) | {wanted.entry}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            kept_names |= _used(node)
    showing = _showing_functions(tree, wanted.entry)
    dropped: list[ast.stmt] = []
    for node in reversed(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
            continue
        if _is_main_guard(node) or (_shows(node, showing) and not (_bound(node) - showing) & kept_names):
            dropped.append(node)
        else:
            kept_names |= _used(node)
    if not dropped:
        return code, 0
    lines = code.split("\n")
    busy = {number for node in tree.body if node not in dropped
            for number in range(first_line(node), (node.end_lineno or node.lineno) + 1)}  # fmt: skip
    for node in dropped:
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            if number not in busy:
                lines[number - 1] = ""
    return "\n".join(lines).strip("\n") + "\n", len(dropped)


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
    return showing


def _is_show_call(node: ast.AST, showing: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in showing
    text = ast.unparse(node.func)
    return (
        text.startswith(("sys.stdin", "sys.stdout", "sys.exit", "logging."))
        or text.partition(".")[0] in _SHOWING_MODULES
        or text.rpartition(".")[2] in showing - _SHOWING
    )


def _shows(node: ast.stmt, showing: set[str]) -> bool:
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant | ast.Name | ast.Compare | ast.List):
        return not isinstance(node.value, ast.Constant) or not isinstance(node.value.value, str)
    return any(isinstance(item, ast.Assert) or _is_show_call(item, showing) for item in ast.walk(node))


# -- going on from a prompt --------------------------------------------------------------------------------------------


def continue_python(prompt: str, text: str, wanted: Wanted) -> str | None:
    """Return the prompt with a body that goes on from it, up to the last line that still is Python; None for none."""
    entry = wanted.entry
    head = prompt.rstrip() + "\n"
    if not _opens(prompt, entry) or re.match(rf"\s*(?:async\s+)?def\s+{re.escape(entry)}\b", text):
        return None
    margin = _margin(prompt, entry)
    for body in _bodies(text, margin):
        lines = body.rstrip().split("\n")
        for end in range(len(lines), max(0, len(lines) - 200), -1):
            if not lines[end - 1].strip():
                continue
            code = head + "\n".join(lines[:end]) + "\n"
            if _belongs(code, head.count("\n") + 1, entry):
                return code
    return None


def _bodies(text: str, margin: str) -> Iterable[str]:
    text = text.strip("\n").rstrip()
    lines = text.split("\n")
    rest = [line for line in lines[1:] if line.strip()]
    first_only = bool(rest) and not lines[0][:1].isspace() and all(line[:1].isspace() for line in rest)
    if lines[0][:1].isspace():
        yield text
        yield textwrap.indent(textwrap.dedent(text), margin)
    if first_only:
        yield "\n".join([margin + lines[0], *lines[1:]])
    yield textwrap.indent(textwrap.dedent(text), margin)
    if not lines[0][:1].isspace():
        yield "\n".join([margin + lines[0], *lines[1:]])


def _opens(prompt: str, entry: str) -> bool:
    return bool(re.search(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(entry)}\b", prompt, re.MULTILINE))


def _margin(prompt: str, entry: str) -> str:
    lines = prompt.rstrip().split("\n")
    opens = re.compile(rf"[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(entry)}\b")
    starts = [number for number, line in enumerate(lines) if opens.match(line)]
    head = lines[starts[-1]]
    own = head[: len(head) - len(head.lstrip())]
    for line in lines[starts[-1] + 1 :]:
        margin = line[: len(line) - len(line.lstrip())]
        if line.strip() and len(margin) > len(own) and '"""' in line + "'''":
            return margin
    return own + "    "


def _belongs(code: str, first: int, entry: str) -> bool:
    """Tell whether the line where the body begins is inside the entry point."""
    tree = readable_tree(code)
    if tree is None:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == entry:
            inside = [item for item in node.body if item.lineno >= first]
            said = [item for item in inside if not isinstance(item, ast.Import | ast.ImportFrom) and not _is_open(item)]
            return bool(said) and not _returns_outside(tree)
    return False


def _returns_outside(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Return) for node in tree.body)


# -- what the choice asks for ------------------------------------------------------------------------------------------


def _free_names(test: str) -> frozenset[str]:
    source = read_python(test, Wanted(language="python", reader=PYTHON))
    return missing_names(source) if source is not None else frozenset()


def _missing(source: Source, wanted: Wanted) -> set[str]:
    return set(missing_names(source, wanted.names)) - {wanted.entry}


def _fitted(code: str, source: Source, wanted: Wanted) -> tuple[str, list[str]]:
    """Return a program without what only shows it; a method of a class is called as a function."""
    code, count = without_shows(code, wanted)
    notes = []
    if source.kind == "method" and (not wanted.owner or wanted.owner not in source.classes):
        name = class_of_method(code, wanted.entry)
        if name and name not in wanted.names:
            code = f"{code.rstrip()}\n\n\n{wanted.entry} = {name}().{wanted.entry}\n"
            notes.append(f"called as a method of {name}")
    return code, [*notes, *([LEFT_OUT] if count else [])]


PYTHON = Reader(
    parses=True,
    read=read_python,
    find=find_python,
    free_names=_free_names,
    missing=_missing,
    merge=merged_class,
    fit=_fitted,
    go_on=continue_python,
)
