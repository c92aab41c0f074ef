"""Read values from answers without running anything, from a syntax tree with only allowed nodes
(specification, task construction, 3.2)."""

from __future__ import annotations

import ast
import base64
import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from annotator.base.errors import BadInputError
from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.text.python_tree import UNREADABLE, read_tree

MAX_ANSWER_LENGTH = 20_000
_MAX_ITEMS = 20_000
"""A short answer such as ``[0] * 10**9`` must not fill the memory."""
_NAMED_VALUES: dict[str, Form] = {
    "true": True, "false": False, "null": None, "none": None, "nan": {"$f": "nan"}, "inf": {"$f": "inf"},
    "NaN": {"$f": "nan"}, "Infinity": {"$f": "inf"},
}  # fmt: skip


class AnswerError(BadInputError):
    """The answer is not a value: it does not parse, or contains something that is not allowed."""


def parse_value(text: str) -> Form:
    """Return the canonical form of a written value. Raises `AnswerError` if it is not one."""
    return read_literal(parse_expression(text))


def is_value(text: str) -> bool:
    """Return whether a text is a written value."""
    try:
        parse_value(text)
    except AnswerError:
        return False
    return True


def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of one expression. Raises `AnswerError` if it does not parse."""
    if len(text) > MAX_ANSWER_LENGTH:
        raise AnswerError(f"The answer has more than {MAX_ANSWER_LENGTH} characters.")
    try:
        return read_tree(text.strip(), "eval").body
    except UNREADABLE as error:
        raise AnswerError("The answer is not a value.") from error


def read_literal(node: ast.expr) -> Form:
    """Return the canonical form of a tree of literals. Raises `AnswerError` for anything else."""
    try:
        return _LiteralReader().value(node)
    except RecursionError as error:
        raise AnswerError("The answer is nested too deeply.") from error


class _LiteralReader:
    def __init__(self) -> None:
        self._remaining = _MAX_ITEMS

    def value(self, node: ast.expr) -> Form:
        self._spend(1)
        if isinstance(node, ast.Constant):
            return self._constant(node.value)
        if isinstance(node, ast.Name):
            return self._named_value(node.id)
        if isinstance(node, ast.List):
            return self._items(node.elts)
        if isinstance(node, ast.Tuple):
            return {"$t": self._items(node.elts)}
        if isinstance(node, ast.Set):
            return canonical.set_form("$s", self._items(node.elts))
        if isinstance(node, ast.Dict):
            return self._dict(node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute) and node.attr in ("nan", "inf"):
            return _NAMED_VALUES[node.attr]
        raise AnswerError(f"A value may not contain {type(node).__name__}.")

    def _spend(self, count: int) -> None:
        self._remaining -= count
        if self._remaining < 0:
            raise AnswerError(f"The answer has more than {_MAX_ITEMS} values.")

    def _constant(self, value: Any) -> Form:
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int):
            return canonical.integer_form(value)
        if isinstance(value, float):
            return canonical.float_form(value)
        if isinstance(value, complex):
            return {"$c": [repr(value.real), repr(value.imag)]}
        if isinstance(value, bytes):
            return {"$b": base64.b64encode(value).decode("ascii")}
        raise AnswerError("The answer contains something that is not a value.")

    def _named_value(self, name: str) -> Form:
        if name not in _NAMED_VALUES:
            raise AnswerError(f"The answer uses the name {name[:40]}.")
        return _NAMED_VALUES[name]

    def _items(self, nodes: Sequence[ast.expr]) -> list[Form]:
        return [self.value(node) for node in nodes]

    def _dict(self, node: ast.Dict) -> Form:
        pairs = []
        for key_node, value_node in zip(node.keys, node.values, strict=True):
            if key_node is None:
                raise AnswerError("A value may not unpack another one.")
            pairs.append((self.value(key_node), self.value(value_node)))
        return canonical.mapping_form(pairs)

    def _unary(self, node: ast.UnaryOp) -> Form:
        form = self.value(node.operand)
        tag = canonical.tag_of(form)
        body = canonical.body_of(form)
        if isinstance(node.op, ast.UAdd) and tag in ("int", "$i", "$f", "$c"):
            return form
        if not isinstance(node.op, ast.USub) or tag not in ("int", "$i", "$f", "$c"):
            raise AnswerError("Only a number can have a sign.")
        if tag == "$f":
            return canonical.float_form(-float(body))
        if tag == "$c":
            return {"$c": [repr(-float(part)) for part in body]}
        if tag == "int":
            return canonical.integer_form(-body)
        return {"$i": body[1:] if body[0] == "-" else f"-{body}"}

    def _binary(self, node: ast.BinOp) -> Form:
        left = self.value(node.left)
        right = self.value(node.right)
        if isinstance(node.op, ast.Mult):
            if isinstance(right, list):
                left, right = right, left
            if isinstance(left, list) and type(right) is int and right >= 0:
                self._spend(len(left) * right)
                return left * right
        if isinstance(node.op, ast.Add | ast.Sub) and canonical.tag_of(right) == "$c":
            sign = 1 if isinstance(node.op, ast.Add) else -1
            if canonical.tag_of(left) in ("int", "$f"):
                real, imaginary = (float(part) for part in right["$c"])
                return {"$c": [repr(float(canonical.body_of(left)) + sign * real), repr(sign * imaginary)]}
        raise AnswerError("The answer contains a calculation.")

    def _call(self, node: ast.Call) -> Form:
        name = _called_name(node)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        is_known_owner = owner is None or (isinstance(owner, ast.Name) and owner.id in _KNOWN_OWNERS)
        constructor = _CONSTRUCTORS.get(name)
        if constructor is None or not is_known_owner:
            raise AnswerError(f"The answer calls {ast.unparse(node.func)[:40]}.")
        if any(keyword.arg not in ("dtype", "device", "maxlen") for keyword in node.keywords):
            if name not in ("dict", "Counter", "OrderedDict") or any(item.arg is None for item in node.keywords):
                raise AnswerError("The answer has an unknown argument.")
            return canonical.mapping_form([(item.arg, self.value(item.value)) for item in node.keywords])
        arguments = list(node.args)
        if name == "defaultdict":
            arguments = arguments[1:]
        elif name in ("array", "asarray", "tensor", "deque"):
            arguments = arguments[:1]
        if any(isinstance(item, ast.Starred) for item in arguments) or len(arguments) > (2 if name == "complex" else 1):
            raise AnswerError("The answer has more arguments than a value needs.")
        try:
            return constructor([self.value(item) for item in arguments])
        except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
            raise AnswerError("The answer is not a value.") from error


_KNOWN_OWNERS = ("np", "numpy", "torch", "collections", "math", "builtins")


def _sequence(form: Form) -> list[Form]:
    tag = canonical.tag_of(form)
    body = canonical.body_of(form)
    if tag == "$d":
        return [entry_key for entry_key, _ in body]
    if tag in ("str", "list", "$t", "$s", "$fs", "$q"):
        return list(body)
    raise ValueError(tag)


def _make_list(arguments: list[Form]) -> Form:
    return _sequence(arguments[0]) if arguments else []


def _make_dict(arguments: list[Form]) -> Form:
    if not arguments:
        return {"$d": []}
    if canonical.tag_of(arguments[0]) == "$d":
        return arguments[0]
    pairs = [canonical.body_of(item) for item in _sequence(arguments[0])]
    return canonical.mapping_form([(entry_key, value) for entry_key, value in pairs])


def _make_counter(arguments: list[Form]) -> Form:
    if not arguments or canonical.tag_of(arguments[0]) == "$d":
        return _make_dict(arguments)
    items = {canonical.form_key(item): item for item in _sequence(arguments[0])}
    counts = Counter(canonical.form_key(item) for item in _sequence(arguments[0]))
    return canonical.mapping_form([(items[name], count) for name, count in counts.items()])


def _make_array(arguments: list[Form]) -> Form:
    """Return the form of a rectangular array of numbers, or of a single number."""
    if canonical.tag_of(arguments[0]) not in ("list", "$t"):
        return _make_number(arguments)
    flat: list[Form] = [arguments[0]]
    shape = []
    while flat and all(canonical.tag_of(item) in ("list", "$t") for item in flat):
        sizes = {len(canonical.body_of(item)) for item in flat}
        if len(sizes) != 1:
            raise ValueError("not rectangular")
        shape.append(sizes.pop())
        flat = [inner for item in flat for inner in canonical.body_of(item)]
    kinds = {canonical.tag_of(item) for item in flat}
    if kinds == {"bool"}:
        dtype = "bool"
    elif kinds - {"int", "$f"}:
        raise ValueError("not numbers")
    else:
        dtype = "int64" if kinds == {"int"} else "float64"
    return {"$nd": [dtype, shape, flat]}


def _make_number(arguments: list[Form]) -> Form:
    form = arguments[0]
    if canonical.tag_of(form) in ("int", "$i", "$f", "bool"):
        return form
    raise ValueError("not a number")


def _make_float(arguments: list[Form]) -> Form:
    if not arguments:
        return canonical.float_form(0.0)
    return canonical.float_form(float(canonical.body_of(_number_or_text(arguments[0]))))


def _number_or_text(form: Form) -> Form:
    if canonical.tag_of(form) not in ("int", "$i", "$f", "str"):
        raise ValueError("not a number")
    return form


def _make_complex(arguments: list[Form]) -> Form:
    parts = [float(canonical.body_of(_make_number([item]))) for item in arguments]
    return {"$c": [repr(part) for part in [*parts, 0.0, 0.0][:2]]}


_CONSTRUCTORS: dict[str, Callable[[list[Form]], Form]] = {
    "set": lambda arguments: canonical.set_form("$s", _make_list(arguments)),
    "frozenset": lambda arguments: canonical.set_form("$fs", _make_list(arguments)),
    "tuple": lambda arguments: {"$t": _make_list(arguments)}, "deque": lambda arguments: {"$q": _make_list(arguments)},
    "list": _make_list, "dict": _make_dict, "Counter": _make_counter, "OrderedDict": _make_dict,
    "defaultdict": _make_dict,
    "array": _make_array, "asarray": _make_array, "tensor": _make_array, "int64": _make_number, "int32": _make_number,
    "float64": _make_float, "float32": _make_float, "float": _make_float, "complex": _make_complex,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CallArguments:
    """Arguments as canonical forms: by position, then by name."""

    positional: tuple[Form, ...] = ()
    keywords: tuple[tuple[str, Form], ...] = ()


def read_python_signature(code: str, entry_point: str) -> inspect.Signature:
    """Return the signature of a function, read from the code without running it; the defaults are only marked.

    Raises `AnswerError` if there is no such function at the top level.
    """
    try:
        tree = read_tree(code)
    except UNREADABLE as error:
        raise AnswerError("The code does not parse.") from error
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry_point]
    if not functions:
        raise AnswerError(f"There is no function {entry_point} in the code.")
    arguments = functions[-1].args
    positional = [*arguments.posonlyargs, *arguments.args]
    required_count = len(positional) - len(arguments.defaults)
    parameter_class = inspect.Parameter
    parameters = [
        parameter_class(
            item.arg,
            parameter_class.POSITIONAL_ONLY
            if number < len(arguments.posonlyargs)
            else parameter_class.POSITIONAL_OR_KEYWORD,
            default=parameter_class.empty if number < required_count else None,
        )
        for number, item in enumerate(positional)
    ]
    if arguments.vararg is not None:
        parameters.append(parameter_class(arguments.vararg.arg, parameter_class.VAR_POSITIONAL))
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters.append(
            parameter_class(
                item.arg, parameter_class.KEYWORD_ONLY, default=parameter_class.empty if default is None else None
            )
        )
    if arguments.kwarg is not None:
        parameters.append(parameter_class(arguments.kwarg.arg, parameter_class.VAR_KEYWORD))
    return inspect.Signature(parameters)


def parse_arguments(text: str, entry_point: str, signature: inspect.Signature) -> tuple[CallArguments, ...]:
    """Return the interpretations of an answer that fit the signature, the most likely first.

    Accepted are ``f(1, 2)``, ``1, 2``, ``a=1, b=2``, ``[1, 2]`` (a list of arguments) and ``{"a": 1, "b": 2}``. Raises
    `AnswerError` if nothing fits.
    """
    answer = text.strip()
    if len(answer) > MAX_ANSWER_LENGTH:
        raise AnswerError(f"The answer has more than {MAX_ANSWER_LENGTH} characters.")
    fitting_calls = [call for call in _possible_calls(answer, entry_point) if _fits_signature(call, signature)]
    if not fitting_calls:
        raise AnswerError("The answer does not fit the function's arguments.")
    return tuple(fitting_calls)


def _possible_calls(answer: str, entry_point: str) -> list[CallArguments]:
    expression = _parse_or_none(answer)
    if expression is not None and isinstance(expression, ast.Call) and _called_name(expression) == entry_point:
        return [_read_call(expression)]
    wrapped_call = _parse_or_none(f"_({answer.rstrip().rstrip(',')}\n)")
    if (
        not isinstance(wrapped_call, ast.Call)
        or not isinstance(wrapped_call.func, ast.Name)
        or wrapped_call.func.id != "_"
    ):
        raise AnswerError("The answer is not a list of arguments.")
    call = _read_call(wrapped_call)
    calls = [call]
    if len(call.positional) == 1 and not call.keywords:
        only_argument = call.positional[0]
        tag = canonical.tag_of(only_argument)
        body = canonical.body_of(only_argument)
        if tag in ("list", "$t"):
            calls.append(CallArguments(tuple(body)))
        elif tag == "$d" and all(isinstance(name, str) for name, _ in body):
            by_name = CallArguments((), tuple((name, value) for name, value in body))
            calls.append(by_name)
    return calls


def _parse_or_none(text: str) -> ast.expr | None:
    try:
        return read_tree(text, "eval").body
    except UNREADABLE:
        return None


def _called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _read_call(node: ast.Call) -> CallArguments:
    keywords = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise AnswerError("The answer may not unpack arguments.")
        keywords.append((keyword.arg, read_literal(keyword.value)))
    return CallArguments(tuple(read_literal(item) for item in node.args), tuple(keywords))


def _fits_signature(call: CallArguments, signature: inspect.Signature) -> bool:
    try:
        signature.bind(*call.positional, **dict(call.keywords))
    except TypeError:
        return False
    return True
