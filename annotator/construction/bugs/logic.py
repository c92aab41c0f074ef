"""Bugs of logic in Python: one node is changed, or another variable of the same inferred type is used (2.3)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from annotator.construction.edits import (
    Edit,
    OperatorMatch,
    Proposal,
    apply_edits,
    make_proposals,
    omittable_regex_parts,
)
from annotator.construction.python_facts import parse_python_code
from annotator.construction.python_program import Function, PythonProgram

_OMITTED_METHODS = ("strip", "lstrip", "rstrip", "lower", "upper", "casefold", "copy", "removeprefix", "removesuffix")
_OMITTED_FUNCTIONS = ("abs", "sorted", "reversed", "round")
"""Functions that return the same type as their argument, so that the program works without them on most inputs."""
_LOOSELY_BINDING = (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Lambda)
_ACCESSES = (ast.Attribute, ast.Subscript)
"""Expressions that need brackets beside another operator, or before an attribute or subscript."""
_REGEX_FUNCTIONS = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")


def omitted_call(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    """Yield the removal of a call that keeps the type of its value: ``name.strip()`` becomes ``name``."""
    if not isinstance(node, ast.Call) or isinstance(program.parents.get(node), ast.Expr):
        return
    if isinstance(node.func, ast.Attribute) and node.func.attr in _OMITTED_METHODS:
        name = node.func.attr
        end = program.span(node.func)[1] - len(name)
        dot = program.data.rindex(b".", program.span(node.func.value)[1], end)
        yield "missing", "removed_step", [Edit(dot, program.span(node)[1], "")], f"a step is missing: {name}"
    elif isinstance(node.func, ast.Name) and node.func.id in _OMITTED_FUNCTIONS and node.args:
        value = node.args[0]
        if not isinstance(value, ast.GeneratorExp | ast.Starred):
            is_loose = isinstance(value, _LOOSELY_BINDING) and isinstance(
                program.parents.get(node), (*_LOOSELY_BINDING, *_ACCESSES)
            )
            edit = program.replace(node, f"({program.text(value)})" if is_loose else program.text(value))
            yield "missing", "removed_step", [edit], f"a step is missing: {node.func.id}"


def omitted_regex_part(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    """Yield the removal of one part of a regular expression: ``[a-z]+`` becomes ``[a-z]``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _REGEX_FUNCTIONS):
        return
    pattern = node.args[0] if node.args else None
    if getattr(node.func.value, "id", "") != "re" or not isinstance(pattern, ast.Constant):
        return
    source = program.text(pattern)
    body = source.removeprefix("r").removeprefix("R")
    quote = body[:3] if body[:3] in ('"""', "'''") else body[:1]
    if quote[:1] not in ("'", '"'):
        return
    first = program.span(pattern)[0] + len(source) - len(body) + len(quote)
    text = body[len(quote) : -len(quote)]
    for index, sign in omittable_regex_parts(text):
        at = first + len(text[:index].encode())
        yield "operation", "pattern", [Edit(at, at + len(sign.encode()), "")], f"the pattern lacks {sign}"


_MAX_PER_USE = 2
_CALL_TYPES = {
    "len": "int", "int": "int", "sum": "int", "abs": "number", "ord": "int", "round": "number", "float": "float",
    "str": "str", "chr": "str", "list": "list", "sorted": "list", "set": "set", "dict": "dict", "tuple": "tuple",
    "bool": "bool", "Counter": "dict", "defaultdict": "dict", "deque": "deque",
}  # fmt: skip
_METHOD_TYPES = {"split": "list", "lower": "str", "upper": "str", "strip": "str", "join": "str", "replace": "str",
                 "count": "int", "find": "int", "index": "int", "copy": "same"}  # fmt: skip


def variable_bugs(code: str) -> list[Proposal]:
    """Return bugs that read another variable of the same type. Raises `ConstructionError` if it is not Python."""
    program = PythonProgram(code)
    repeated = _repetitions(program.tree)
    matches: list[OperatorMatch] = []
    for function in program.functions():
        kinds = types_of(function)
        first_lines = _first_lines(function)
        for node in program.nodes_inside(function):
            if not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in kinds):
                continue
            others = [
                name
                for name, kind in kinds.items()
                if name != node.id and kind == kinds[node.id] and first_lines.get(name, 0) < node.lineno
            ]
            for other in others[:_MAX_PER_USE]:
                edits = [program.replace(node, other)]
                # Nobody subtracts a value from itself.
                if _repetitions(parse_python_code(apply_edits(code, edits))) <= repeated:
                    matches.append(("variable", "wrong_variable", edits, f"uses {other} instead of {node.id}"))
    return make_proposals(code, "logic", matches)


def _repetitions(tree: ast.AST) -> int:
    """Count equal expressions on both sides of an operator or assignment, or among the arguments of a call."""
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            sides: list[ast.expr] = [node.left, node.right]
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Assign | ast.AugAssign):
            sides = [*(node.targets if isinstance(node, ast.Assign) else [node.target]), node.value]
        elif isinstance(node, ast.Call):
            sides = [item for item in node.args if not isinstance(item, ast.Constant)]
        else:
            continue
        count += len(sides) - len({ast.unparse(side) for side in sides})
    return count


def _first_lines(function: Function) -> dict[str, int]:
    lines = {item.arg: 0 for item in (*function.args.args, *function.args.kwonlyargs)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            lines[node.id] = min(lines.get(node.id, node.lineno), node.lineno)
    return lines


def types_of(function: Function) -> dict[str, str]:
    """Return the types of local variables that annotations, literals, known calls and loops determine."""
    types: dict[str, set[str]] = {}
    for item in (*function.args.args, *function.args.kwonlyargs):
        if item.annotation is not None:
            types.setdefault(item.arg, set()).add(ast.unparse(item.annotation))
    for node in ast.walk(function):
        for name, kind in _binding_types(node, types):
            types.setdefault(name, set()).add(kind)
    return {name: kinds.pop() for name, kinds in types.items() if len(kinds) == 1 and "" not in kinds}


def _binding_types(node: ast.AST, types: dict[str, set[str]]) -> list[tuple[str, str]]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        return _assignment_types(node.targets[0], node.value, types)
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [(node.target.id, ast.unparse(node.annotation))]
    if isinstance(node, ast.For):
        return _loop_types(node.target, node.iter)
    return []


def _assignment_types(target: ast.expr, value: ast.expr, types: dict[str, set[str]]) -> list[tuple[str, str]]:
    if isinstance(target, ast.Name):
        return [(target.id, _type(value, types))]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = zip(target.elts, value.elts, strict=True)
        return [(left.id, _type(right, types)) for left, right in pairs if isinstance(left, ast.Name)]
    return [(item.id, "") for item in ast.walk(target) if isinstance(item, ast.Name)]


def _loop_types(target: ast.expr, source: ast.expr) -> list[tuple[str, str]]:
    function_name = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
    if function_name == "range" and isinstance(target, ast.Name):
        return [(target.id, "int")]
    names = [item for item in ast.walk(target) if isinstance(item, ast.Name)]
    if function_name == "zip" and isinstance(target, ast.Tuple) and isinstance(source, ast.Call):
        pairs = zip(target.elts, source.args, strict=False)
        return [(item.id, f"item of {ast.unparse(iterable)}") for item, iterable in pairs if isinstance(item, ast.Name)]
    if function_name == "enumerate" and isinstance(target, ast.Tuple) and isinstance(source, ast.Call) and source.args:
        rest = f"item of {ast.unparse(source.args[0])}"
        return [(item.id, "int" if number == 0 else rest) for number, item in enumerate(names)]
    if isinstance(target, ast.Name):
        return [(target.id, f"item of {ast.unparse(source)}")]
    return [(item.id, f"part of {ast.unparse(source)}") for item in names]


def _type(value: ast.expr, types: dict[str, set[str]]) -> str:
    reader = _TYPE_READERS.get(type(value))
    return reader(value, types) if reader is not None else ""


def _constant_type(value: ast.expr, _types: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.Constant)
    return "" if value.value is None else type(value.value).__name__


def _name(value: ast.expr, types: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.Name)
    kinds = types.get(value.id, {""})
    return next(iter(kinds)) if len(kinds) == 1 else ""


def _call(value: ast.expr, types: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.Call)
    if isinstance(value.func, ast.Name):
        return _CALL_TYPES.get(value.func.id, "")
    if isinstance(value.func, ast.Attribute):
        kind = _METHOD_TYPES.get(value.func.attr, "")
        return _type(value.func.value, types) if kind == "same" else kind
    return ""


def _calculated(value: ast.expr, types: dict[str, set[str]]) -> str:
    assert isinstance(value, ast.BinOp)
    left, right = _type(value.left, types), _type(value.right, types)
    return left if left == right else ""


_TYPE_READERS: dict[type[ast.expr], Callable[[ast.expr, dict[str, set[str]]], str]] = {
    ast.Constant: _constant_type, ast.Name: _name, ast.Call: _call, ast.BinOp: _calculated,
    ast.List: lambda _value, _types: "list", ast.ListComp: lambda _value, _types: "list",
    ast.Dict: lambda _value, _types: "dict", ast.DictComp: lambda _value, _types: "dict",
    ast.Set: lambda _value, _types: "set", ast.SetComp: lambda _value, _types: "set",
    ast.Compare: lambda _value, _types: "bool",
}  # fmt: skip


_COMPARISON_CHANGES: dict[type[ast.cmpop], tuple[str, tuple[tuple[str, str], ...]]] = {
    ast.Lt: ("<", (("<=", "offbyone"), (">", "condition"))),
    ast.LtE: ("<=", (("<", "offbyone"), (">=", "condition"))),
    ast.Gt: (">", ((">=", "offbyone"), ("<", "condition"))),
    ast.GtE: (">=", ((">", "offbyone"), ("<=", "condition"))),
    ast.Eq: ("==", (("!=", "condition"),)),
    ast.NotEq: ("!=", (("==", "condition"),)),
    ast.In: ("in", (("not in", "condition"),)),
    ast.NotIn: ("not in", (("in", "condition"),)),
    ast.Is: ("is", (("is not", "condition"),)),
    ast.IsNot: ("is not", (("is", "condition"),)),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, tuple[str, ...]]] = {
    ast.Add: ("+", ("-",)), ast.Sub: ("-", ("+",)), ast.Mult: ("*", ("+",)), ast.Div: ("/", ("//", "*")),
    ast.FloorDiv: ("//", ("/",)), ast.Mod: ("%", ("//",)), ast.Pow: ("**", ("*",)), ast.BitAnd: ("&", ("|",)),
    ast.BitOr: ("|", ("&",)), ast.BitXor: ("^", ("|",)), ast.LShift: ("<<", (">>",)), ast.RShift: (">>", ("<<",)),
}  # fmt: skip
_NEVER_SWAPPED = (
    "min", "max", "gcd", "print", "isinstance", "issubclass", "getattr", "hasattr", "setattr", "map", "filter",
    "enumerate", "reduce", "starmap", "takewhile", "dropwhile", "filterfalse", "islice", "zip", "product", "chain",
)  # fmt: skip
"""Functions whose argument order makes no difference, or is so well known that nobody confuses it."""
_LITERALS = (ast.Constant, ast.List, ast.Dict, ast.Set, ast.Tuple)
_NO_EFFECT_WITH_ONE = (ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}
_METHODS = {
    "lower": "upper", "upper": "lower", "startswith": "endswith", "endswith": "startswith", "lstrip": "rstrip",
    "rstrip": "lstrip", "find": "rfind", "rfind": "find", "isupper": "islower", "islower": "isupper",
    "isdigit": "isalpha", "isalpha": "isalnum", "isalnum": "isalpha", "ljust": "rjust", "rjust": "ljust",
    "index": "rindex", "keys": "values", "values": "keys", "append": "extend", "extend": "append",
    "union": "intersection",
    "intersection": "union", "capitalize": "title", "title": "capitalize", "split": "rsplit", "partition": "rpartition",
}  # fmt: skip
_ERRORS = {
    "ValueError": "TypeError", "TypeError": "ValueError", "KeyError": "IndexError", "IndexError": "KeyError",
    "ZeroDivisionError": "ValueError", "AttributeError": "KeyError", "Exception": "ValueError",
}  # fmt: skip


def logic_bugs(code: str) -> list[Proposal]:
    """Return all first-order logic bugs of a program's functions. Raises `ConstructionError` if it is not Python."""
    program = PythonProgram(code)
    nodes = program.nodes_in_functions()
    return make_proposals(
        code, "logic", (change for node in nodes for make in _OPERATORS for change in make(program, node))
    )


def _comparison(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.Compare):
        return
    sides = [node.left, *node.comparators]
    for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
        old, choices = _COMPARISON_CHANGES[type(operator)]
        for new, kind in choices:
            edit = program.replace_between(left, right, old, new)
            if edit is not None:
                yield kind, "comparison", [edit], f"compares with {new} instead of {old}"


def _arithmetic(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.BinOp) or _uses_sequences(program, node):
        return
    old, choices = _ARITHMETIC.get(type(node.op), ("", ()))
    for new in choices:
        edit = program.replace_between(node.left, node.right, old, new)
        if edit is not None:
            yield "operation", "arithmetic", [edit], f"calculates with {new} instead of {old}"
    if isinstance(node.op, _ORDERED) and _is_swappable(node.left) and _is_swappable(node.right):
        yield "operation", "operand_swap", program.swap(node.left, node.right), "takes the operands in the wrong order"


def _uses_sequences(program: PythonProgram, node: ast.expr) -> bool:
    """Return whether a calculation uses strings or lists, which would fail at once with another operator."""
    if isinstance(node, ast.BinOp):
        return _uses_sequences(program, node.left) or _uses_sequences(program, node.right)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    if isinstance(node, ast.Name):
        function = program.function_of(node)
        return function is not None and types_of(function).get(node.id) in ("str", "list", "tuple")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _CALL_TYPES.get(node.func.id) in ("str", "list", "tuple")
    return isinstance(node, ast.JoinedStr | ast.List | ast.ListComp | ast.Tuple)


def _is_swappable(node: ast.expr) -> bool:
    """Return whether a node needs no brackets as an operand and could be confused with the other operand."""
    return isinstance(node, ast.Name | ast.Call | ast.Subscript | ast.Attribute)


def _assignment(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.AugAssign):
        return
    old, choices = _ARITHMETIC.get(type(node.op), ("", ()))
    for new in () if _uses_sequences(program, node.value) else choices[:1]:
        edit = program.replace_between(node.target, node.value, f"{old}=", f"{new}=")
        if edit is not None:
            yield "operation", "augmented_assignment", [edit], f"updates with {new}= instead of {old}="
    edit = program.replace_between(node.target, node.value, f"{old}=", "=")
    if edit is not None:
        yield "operation", "plain_assignment", [edit], "overwrites the value instead of updating it"


def _connective(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.BoolOp):
        return
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        edit = program.replace_between(left, right, old, new)
        # ``x or []`` gives a default, and nobody writes ``x and []`` for it.
        if edit is not None and not isinstance(right, _LITERALS):
            yield "condition", "connective", [edit], f"joins conditions with {new} instead of {old}"


def _negation(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "condition", "dropped_not", [Edit(*program.operator_span(node, "not"), "")], "the negation is missing"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield "operation", "dropped_minus", [Edit(*program.operator_span(node, "-"), "")], "the sign is missing"


def _constant(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        if isinstance(program.parents.get(node), ast.While):
            # Nobody writes a loop that never runs.
            return
        yield "condition", "bool_flip", [program.replace(node, str(not node.value))], f"uses {not node.value}"
    elif isinstance(node.value, int):
        parent = program.parents.get(node)
        around = program.parents.get(parent) if parent is not None else None
        if isinstance(around, ast.Slice) and around.step is parent:
            # A negative step is always -1, to reverse a list.
            return
        if isinstance(parent, ast.Dict) and node in parent.keys:
            # A wrong key is obvious beside its neighbours.
            return
        if _is_counter_step(parent, node) or (isinstance(parent, ast.UnaryOp) and isinstance(around, ast.Assign)):
            # Nobody starts a count with -2.
            return
        kind = "index" if _in_subscript(program, node) else "offbyone"
        if isinstance(parent, ast.Call) and getattr(parent.func, "id", "") in ("range", "round", "int"):
            kind = "offbyone"
        for value in (node.value + 1, node.value - 1):
            # Negative numbers only make sense as indices.
            if not _looks_artificial(parent, value) and (value >= 0 or kind == "index"):
                yield kind, "number", [program.replace(node, str(value))], f"uses {value} instead of {node.value}"


def _is_counter_step(parent: ast.AST | None, node: ast.Constant) -> bool:
    """Return whether the constant is a counter's step of 1; nobody writes another number there."""
    added = isinstance(parent, ast.AugAssign) and isinstance(parent.op, ast.Add | ast.Sub)
    is_counted_item = isinstance(parent, ast.GeneratorExp | ast.ListComp) and parent.elt is node
    return node.value == 1 and (added or is_counted_item)


def _looks_artificial(parent: ast.AST | None, value: int) -> bool:
    """Return whether a number in this place would look machine-made (``n - 0``, ``x[::-0]``)."""
    if isinstance(parent, ast.BinOp | ast.AugAssign) and isinstance(parent.op, _NO_EFFECT_WITH_ONE) and value == 1:
        return not isinstance(parent, ast.BinOp) or ast.unparse(parent.right).isdigit()
    if isinstance(parent, ast.BinOp | ast.UnaryOp | ast.Attribute | ast.AugAssign):
        return value <= 0
    return isinstance(parent, ast.Slice) and value == 0 and ast.unparse(parent).endswith(":1")


def _in_subscript(program: PythonProgram, node: ast.AST) -> bool:
    up: ast.AST | None = node
    while isinstance(up, ast.expr):
        parent = program.parents.get(up)
        if isinstance(parent, ast.Subscript) and parent.slice is up:
            return True
        up = parent
    return False


def _jump(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if isinstance(node, ast.Break):
        yield "control", "break_continue", [program.replace(node, "continue")], ("continues where the loop should end")
    elif isinstance(node, ast.Continue):
        yield "control", "break_continue", [program.replace(node, "break")], ("ends the loop where it should continue")
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        function = program.function_of(node)
        if function is not None and node is function.body[-1]:
            return
        if isinstance(node.value, ast.Call):
            # A common slip: the result is computed but not returned.
            edit = program.replace(node, program.text(node.value))
            yield "control", "forgotten_return", [edit], "does not give the result back"
        elif not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool)):
            yield "control", "return_none", [program.replace(node, "return None")], "returns nothing here"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _call_changes(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        new = _FUNCTIONS[node.func.id]
        yield "operation", "function_swap", [program.replace(node.func, new)], f"calls {new} instead of {node.func.id}"
    elif isinstance(node.func, ast.Attribute):
        yield from _method(program, node, node.func)
    yield from _range(program, node)
    if len(node.args) >= 2 and not any(isinstance(item, ast.Starred) for item in node.args):
        for left, right in zip(node.args, node.args[1:], strict=False):
            if type(left) is type(right) and program.text(left) != program.text(right) and not _commutes(node):
                yield "variable", "argument_swap", program.swap(left, right), "passes arguments in the wrong order"
    for keyword in node.keywords:
        if keyword.arg == "reverse" and isinstance(keyword.value, ast.Constant):
            before: list[ast.expr | ast.keyword] = [*node.args, *node.keywords[:-1]]
            gap = program.find(rb",", program.span(before[-1])[1], program.span(keyword)[0]) if before else None
            if gap is not None and keyword is node.keywords[-1]:
                edit = Edit(gap[0], program.span(keyword)[1], "")
                yield "missing", "dropped_argument", [edit], "the order is not reversed"


def _commutes(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    # A key and a default such as None are not confused with each other.
    kinds = {type(item.value) for item in node.args if isinstance(item, ast.Constant)}
    return name in _NEVER_SWAPPED or len(kinds) > 1


def _method(program: PythonProgram, node: ast.Call, func: ast.Attribute) -> Iterator[OperatorMatch]:
    swaps = _FUNCTIONS | _METHODS
    if func.attr in swaps:
        end = program.span(func)[1]
        edit = Edit(end - len(func.attr.encode()), end, swaps[func.attr])
        yield "operation", "method_swap", [edit], f"calls {swaps[func.attr]} instead of {func.attr}"
    if func.attr == "get" and len(node.args) == 2:
        value = node.args[1]
        if isinstance(value, ast.Constant) and isinstance(value.value, int):
            edit = program.replace(value, str(int(value.value) + 1))
            yield "missing", "get_default", [edit], "starts from the wrong default"
        yield (
            "missing",
            "get_default",
            [Edit(program.span(node.args[0])[1], program.span(value)[1], "")],
            "has no default",
        )


def _range(program: PythonProgram, node: ast.Call) -> Iterator[OperatorMatch]:
    if not (isinstance(node.func, ast.Name) and node.func.id == "range") or not node.args:
        return
    limits = [("stop", node.args[0])] if len(node.args) == 1 else [("start", node.args[0]), ("stop", node.args[1])]
    for name, limit in limits:
        if isinstance(limit, ast.Constant):
            continue
        for change in ("+ 1", "- 1"):
            yield from _shift_limit(
                program, limit, change, "offbyone", f"range_{name}", f"the range's {name} is off by one"
            )


def _shift_limit(
    program: PythonProgram, limit: ast.expr, change: str, kind: str, operator: str, explanation: str
) -> Iterator[OperatorMatch]:
    """Shift a limit by one; a limit that ends in the opposite shift loses that instead."""
    if isinstance(limit, ast.BinOp) and isinstance(limit.right, ast.Constant) and limit.right.value == 1:
        opposite = ast.Sub if change == "+ 1" else ast.Add
        if isinstance(limit.op, opposite):
            edit = Edit(program.span(limit.left)[1], program.span(limit)[1], "")
            if not program.data[edit.start : edit.end].strip().startswith(b")"):
                yield kind, operator, [edit], explanation
        return
    if isinstance(limit, ast.IfExp | ast.Lambda | ast.BoolOp | ast.Compare):
        return
    end = program.span(limit)[1]
    yield kind, operator, [Edit(end, end, f" {change}")], explanation


def _slice(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if not isinstance(node, ast.Slice):
        return
    for name, limit in (("lower", node.lower), ("upper", node.upper)):
        if limit is not None and not isinstance(limit, ast.Constant | ast.UnaryOp):
            for change in ("+ 1", "- 1"):
                yield from _shift_limit(program, limit, change, "index", f"slice_{name}", "the slice is off by one")


def _statement(program: PythonProgram, node: ast.AST) -> Iterator[OperatorMatch]:
    if (
        isinstance(node, ast.If)
        and not node.orelse
        and isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue)
    ):
        edit = _removal(program, node)
        if edit is not None and not _is_elif(program, node):
            yield "missing", "removed_guard", [edit], "a case is not handled"
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        edit = _removal(program, node)
        if edit is not None:
            yield "missing", "removed_statement", [edit], "a step is missing"
    elif isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name) and node.type.id in _ERRORS:
        new = _ERRORS[node.type.id]
        yield "control", "exception_type", [program.replace(node.type, new)], f"catches {new}"
    elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
        name = node.exc.func.id
        if name in _ERRORS:
            yield (
                "control",
                "exception_type",
                [program.replace(node.exc.func, _ERRORS[name])],
                f"raises {_ERRORS[name]}",
            )


def _removal(program: PythonProgram, node: ast.stmt) -> Edit | None:
    """Return the edit that removes a statement; None if ``pass`` would replace it, which would reveal the bug."""
    edit = program.remove(node)
    return edit if edit is not None and edit.text != "pass" else None


def _is_elif(program: PythonProgram, node: ast.If) -> bool:
    start, _ = program.span(node)
    return program.data[start : start + 4] == b"elif"


_OPERATORS: tuple[Callable[[PythonProgram, ast.AST], Iterator[OperatorMatch]], ...] = (
    _comparison, _arithmetic, _assignment, _connective, _negation, _constant, _jump, _call_changes, _slice, _statement,
    omitted_call, omitted_regex_part,
)  # fmt: skip
