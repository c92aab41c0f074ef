"""Bugs of performance in Python: the same results, more slowly as inputs grow (specification, construction, 2.3)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from annotator.construction.edits import Edit, OperatorMatch, Proposal, make_proposals
from annotator.construction.python_program import Function, PythonProgram, names_in

_PURE_FUNCTIONS = {
    "len", "max", "min", "sum", "sorted", "set", "list", "tuple", "dict", "frozenset", "str", "abs", "Counter",
    "re.compile", "math.sqrt", "copy.deepcopy", "deepcopy",
}  # fmt: skip
_CACHES = ("lru_cache", "cache", "functools.lru_cache", "functools.cache")


def performance_bugs(code: str) -> list[Proposal]:
    """Return performance bugs. Only timing shows which of them are slower.

    Raises `ConstructionError` if the code is not Python.
    """
    program = PythonProgram(code)
    changes = (change for item in program.functions() for make in _MAKERS for change in make(program, item))
    return make_proposals(code, "performance", changes)


def _find_uses(function: Function, name: str) -> list[ast.Name]:
    return [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == name]


def _single_assignments(function: Function) -> list[ast.Assign]:
    """Return the assignments to a single name that is bound nowhere else in the function."""
    binding_counts: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            binding_counts[node.id] = binding_counts.get(node.id, 0) + 1
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and binding_counts[node.targets[0].id] == 1
    ]


def _set_to_list(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    for node in _single_assignments(function):
        edits = _as_list(program, node.value)
        if edits is None:
            continue
        target = node.targets[0]
        assert isinstance(target, ast.Name)
        for use in _find_uses(function, target.id):
            parent = program.parents[use]
            if isinstance(use.ctx, ast.Store) or _is_membership_test(parent, use):
                continue
            grandparent = program.parents.get(parent)
            if isinstance(parent, ast.Attribute) and parent.attr == "add" and isinstance(grandparent, ast.Call):
                end = program.span(parent)[1]
                edits.append(Edit(end - 3, end, "append"))
                continue
            break
        else:
            yield "datastructure", "set_to_list", edits, "looks things up in a list"


def _is_membership_test(parent: ast.AST, use: ast.AST) -> bool:
    return (
        isinstance(parent, ast.Compare) and use in parent.comparators and isinstance(parent.ops[0], ast.In | ast.NotIn)
    )


def _as_list(program: PythonProgram, value: ast.expr) -> list[Edit] | None:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("set", "frozenset"):
        return [program.replace(value, "[]")] if not value.args else [program.replace(value.func, "list")]
    if isinstance(value, ast.SetComp | ast.Set):
        start, end = program.span(value)
        return [Edit(start, start + 1, "["), Edit(end - 1, end, "]")]
    return None


def _deque_to_list(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    for node in _single_assignments(function):
        value = node.value
        target = node.targets[0]
        if not (isinstance(value, ast.Call) and ast.unparse(value.func).endswith("deque")):
            continue
        assert isinstance(target, ast.Name)
        edits = [program.replace(value.func, "list")]
        for use in _find_uses(function, target.id):
            parent = program.parents[use]
            if isinstance(parent, ast.Attribute) and parent.attr == "popleft":
                edits.append(Edit(program.span(use)[1], program.span(program.parents[parent])[1], ".pop(0)"))  # type: ignore[arg-type]  # the call around it
            elif isinstance(parent, ast.Attribute) and parent.attr not in ("append", "extend", "pop"):
                break
        else:
            if len(edits) > 1:
                yield "datastructure", "deque_to_list", edits, "takes from the front of a list"


def _unhoisted_value(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    """Move a loop-invariant value into the loop."""
    for node in _single_assignments(function):
        value = node.value
        target = node.targets[0]
        assert isinstance(target, ast.Name)
        if not (isinstance(value, ast.Call) and ast.unparse(value.func) in _PURE_FUNCTIONS and value.args):
            continue
        uses = [use for use in _find_uses(function, target.id) if isinstance(use.ctx, ast.Load)]
        used_names = {name for argument in value.args for name in names_in(argument)}
        if not uses or _changed_after(function, used_names | {target.id}, node.lineno):
            continue
        uses_in_loop = [use for use in uses if _is_in_loop_after(program, use, function, node)]
        removal = program.remove(node)
        if removal is None or len(uses_in_loop) < len(uses) or len(uses_in_loop) > 3:
            continue
        text = program.text(value)
        edits = [removal, *(program.replace(use, text) for use in uses)]
        yield "invariant", "work_in_loop", edits, "works out the same value in every round"


def _changed_after(function: Function, names: set[str], line: int) -> bool:
    """Return whether one of the names is bound again, or may be mutated, after a line."""
    for node in ast.walk(function):
        if getattr(node, "lineno", 0) <= line:
            continue
        if isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load):
            return True
        if (
            isinstance(node, ast.Attribute | ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id in names
        ):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                continue
            return True
    return False


def _is_in_loop_after(program: PythonProgram, use: ast.AST, function: Function, after: ast.stmt) -> bool:
    node: ast.AST = use
    while node is not function:
        parent = program.parents[node]
        if isinstance(parent, ast.For | ast.While) and parent.lineno > after.lineno:
            if isinstance(parent, ast.While) or node is not parent.iter:
                return True
        elif isinstance(parent, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp) and (
            parent.generators[0] is not node
        ):
            return True
        node = parent
    return False


def _dropped_cache(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    for decorator in function.decorator_list:
        name = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
        if name in _CACHES:
            start, end = program.line_span(decorator.lineno)
            yield "memo", "dropped_cache", [Edit(start, end + 1, "")], "works everything out again"


def _dropped_memo(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    for node in ast.walk(function):
        if not (isinstance(node, ast.If) and not node.orelse and isinstance(node.test, ast.Compare)):
            continue
        first_statement = node.body[0]
        if (
            isinstance(node.test.ops[0], ast.In)
            and isinstance(first_statement, ast.Return)
            and isinstance(first_statement.value, ast.Subscript)
        ):
            is_same_container = ast.unparse(first_statement.value.value) == ast.unparse(node.test.comparators[0])
            edit = program.remove(node)
            if is_same_container and edit is not None:
                yield "memo", "dropped_memo", [edit], "works everything out again"


def _list_for_generator(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) in ("any", "all")):
            continue
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            inner = program.text(node.args[0])
            inner = inner[1:-1] if inner.startswith("(") and inner.endswith(")") else inner
            edit = Edit(program.span(node.func)[1], program.span(node)[1], f"([{inner}])")
            yield "io", "list_in_any", [edit], "makes a whole list before it looks"


def _linear_search(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or len(node.args) != 2:
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in ("bisect_left", "bisect_right", "bisect"):
            items, target = (program.text(item) for item in node.args)
            sign = "<" if name == "bisect_left" else "<="
            text = f"sum(1 for item in {items} if item {sign} {target})"
            yield "complexity", "linear_search", [program.replace(node, text)], "looks at every item"


def _copying_append(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    """Copy the whole list for each new item."""
    lists = {
        node.targets[0].id
        for node in _single_assignments(function)
        if isinstance(node.value, ast.List) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(function):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and len(node.value.args) == 1):
            continue
        func = node.value.func
        if isinstance(func, ast.Attribute) and func.attr == "append" and isinstance(func.value, ast.Name):
            name = func.value.id
            if name in lists and _is_in_loop(program, node, function):
                text = f"{name} = {name} + [{program.text(node.value.args[0])}]"
                yield "datastructure", "copy_to_append", [program.replace(node, text)], "copies the list for each item"


def _is_in_loop(program: PythonProgram, node: ast.AST, function: Function) -> bool:
    ancestor = program.parents[node]
    while ancestor is not function:
        if isinstance(ancestor, ast.For | ast.While):
            return True
        if isinstance(ancestor, ast.FunctionDef):
            return False
        ancestor = program.parents[ancestor]
    return False


def _search_beyond_root(program: PythonProgram, function: Function) -> Iterator[OperatorMatch]:
    """Search for divisors up to the number itself instead of its root."""
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "range" and len(node.args) >= 2):
            continue
        stop = node.args[1]
        inner = stop.left if isinstance(stop, ast.BinOp) and isinstance(stop.op, ast.Add) else stop
        if not (isinstance(inner, ast.Call) and ast.unparse(inner.func) == "int" and len(inner.args) == 1):
            continue
        text = _radicand(inner.args[0])
        if text:
            yield "complexity", "no_root", [program.replace(stop, text)], "looks at more candidates than it needs"


def _radicand(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and ast.unparse(node.right) == "0.5":
        return ast.unparse(node.left)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("math.sqrt", "sqrt", "math.isqrt") and node.args:
        return ast.unparse(node.args[0])
    return ""


_MAKERS: tuple[Callable[[PythonProgram, Function], Iterator[OperatorMatch]], ...] = (
    _set_to_list, _deque_to_list, _unhoisted_value, _dropped_cache, _dropped_memo, _list_for_generator, _linear_search,
    _copying_append, _search_beyond_root,
)  # fmt: skip
