"""Read an answer as the arguments of a call (specification, task construction, 3.3): literals only, bound to the
function's signature, nothing run."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.construction import canonical
from annotator.construction.canonical import Form
from annotator.construction.literals import LONGEST, AnswerError, bare, value_of
from annotator.text.python_tree import UNREADABLE, read_tree


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments as canonical forms: by position, then by name."""

    positional: tuple[Form, ...] = ()
    named: tuple[tuple[str, Form], ...] = ()


def signature_of(code: str, entry_point: str) -> inspect.Signature:
    """Return the signature of a function as it stands in the code (of defaults it is only known that they are there).

    Raises `AnswerError` if there is no such function at the top level.
    """
    try:
        tree = read_tree(code)
    except UNREADABLE as error:
        raise AnswerError("The code does not parse.") from error
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == entry_point]
    if not found:
        raise AnswerError(f"There is no function {entry_point} in the code.")
    given = found[-1].args
    places = [*given.posonlyargs, *given.args]
    without = len(places) - len(given.defaults)
    kinds = inspect.Parameter
    parameters = [
        kinds(
            item.arg,
            kinds.POSITIONAL_ONLY if number < len(given.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD,
            default=kinds.empty if number < without else None,
        )
        for number, item in enumerate(places)
    ]
    if given.vararg is not None:
        parameters.append(kinds(given.vararg.arg, kinds.VAR_POSITIONAL))
    for item, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parameters.append(kinds(item.arg, kinds.KEYWORD_ONLY, default=kinds.empty if default is None else None))
    if given.kwarg is not None:
        parameters.append(kinds(given.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def parse_arguments(text: str, entry_point: str, signature: inspect.Signature) -> tuple[Call, ...]:
    """Return the readings of an answer that fit the signature, the likeliest first.

    Read are ``f(1, 2)``, ``1, 2``, ``a=1, b=2``, ``[1, 2]`` (a list of arguments) and ``{"a": 1, "b": 2}``. Of several
    lines that are no single expression the first counts. Raises `AnswerError`.
    """
    answer = bare(text)
    if len(answer) > LONGEST:
        raise AnswerError(f"The answer has more than {LONGEST} characters.")
    try:
        calls = _readings(answer, entry_point)
    except AnswerError:
        first = next((line for line in answer.splitlines() if line.strip()), "")
        if not first or first == answer:
            raise
        calls = _readings(bare(first), entry_point)
    fitting = [call for call in calls if _fits(call, signature)]
    if not fitting:
        raise AnswerError("The answer does not fit the function's arguments.")
    return tuple(fitting)


def _readings(answer: str, entry_point: str) -> list[Call]:
    direct = _parsed(answer)
    if direct is not None and isinstance(direct, ast.Call) and _called(direct) == entry_point:
        return [_call_of(direct)]
    wrapped = _parsed(f"_({answer.rstrip().rstrip(',')}\n)")
    if not isinstance(wrapped, ast.Call) or not isinstance(wrapped.func, ast.Name) or wrapped.func.id != "_":
        raise AnswerError("The answer is not a list of arguments.")
    call = _call_of(wrapped)
    found = [call]
    if len(call.positional) == 1 and not call.named:
        only = call.positional[0]
        tag, body = canonical.tag_of(only), canonical.body_of(only)
        if tag in ("list", "$t"):
            found.append(Call(tuple(body)))
        elif tag == "$d" and all(isinstance(name, str) for name, _ in body):
            named = Call((), tuple((name, value) for name, value in body))
            found.append(named)
    return found


def _parsed(text: str) -> ast.expr | None:
    try:
        return read_tree(text, "eval").body
    except UNREADABLE:
        return None


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _call_of(node: ast.Call) -> Call:
    named = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise AnswerError("The answer may not unpack arguments.")
        named.append((keyword.arg, value_of(keyword.value)))
    return Call(tuple(value_of(item) for item in node.args), tuple(named))


def _fits(call: Call, signature: inspect.Signature) -> bool:
    try:
        signature.bind(*call.positional, **dict(call.named))
    except TypeError:
        return False
    return True


def bound(call: Call, signature: inspect.Signature) -> tuple[tuple[str, Form], ...]:
    """Return the arguments by the names of the parameters, in their order."""
    return tuple(signature.bind(*call.positional, **dict(call.named)).arguments.items())


def show_arguments(values: Sequence[Form]) -> str:
    """Return arguments as prompts show them: a list of them."""
    return canonical.show(list(values))
