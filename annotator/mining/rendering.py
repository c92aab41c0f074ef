"""Render the table of tests in each language: typed literals, calls and comparisons.

A test is code that ends without an error if the row holds. Java tests call a static method of the class Solution, C++
tests a free function.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.resources import resource_path
from annotator.mining.parity import (
    TOLERANCE,
    ParityRow,
    ParityTable,
    ValueShape,
    column_shapes,
    infer_result_shape,
    infer_shape,
)
from annotator.sandbox import TestCode, find_language

LANGUAGES = ("python", "javascript", "typescript", "java", "c++")
JAVA_CLASS = "Solution"


@cache
def comparison_source(file: str) -> str:
    """Return the source of a language's comparison functions, or a program template that contains them."""
    return resource_path("mining", "comparisons", file).read_text(encoding="utf-8").replace("TOLERANCE", str(TOLERANCE))


@dataclass(frozen=True, slots=True, kw_only=True)
class _RowToRender:
    """One row to render: the function's name, the types of parameters and result, and errors that do not count."""

    name: str
    row: ParityRow
    shapes: tuple[ValueShape, ...]
    result: ValueShape
    ignored_errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Renderer:
    """A language's functions to render the statements of a row, and a whole test with them."""

    body: Callable[[_RowToRender], str]
    program: Callable[[_RowToRender], str]


def render_tests(
    table: ParityTable, language_name: str, name: str, ignored_errors: tuple[str, ...] = ()
) -> tuple[TestCode, ...]:
    """Return the tests of a language for a function called ``name``.

    ``ignored_errors`` are classes that do not satisfy a row that expects an error (Python, JavaScript, TypeScript).
    Raises `BadInputError` for a language without a renderer, an invalid name, or values in a column that a typed
    language cannot represent.
    """
    renderer = _renderer(language_name)
    return tuple(TestCode(call.row.name, renderer.program(call)) for call in _calls(table, name, ignored_errors))


def render_bodies(table: ParityTable, language_name: str, name: str) -> tuple[tuple[str, str], ...]:
    """Return the name and the statements of every row, without the comparisons they use; see `render_tests`."""
    renderer = _renderer(language_name)
    return tuple((call.row.name, renderer.body(call)) for call in _calls(table, name))


def _renderer(language_name: str) -> _Renderer:
    canonical_name = find_language(language_name).name
    if canonical_name not in _RENDERERS:
        raise BadInputError(f"Tests cannot be rendered for {language_name}, only for {', '.join(LANGUAGES)}.")
    return _RENDERERS[canonical_name]


def _calls(table: ParityTable, name: str, ignored_errors: tuple[str, ...] = ()) -> tuple[_RowToRender, ...]:
    if not name.replace("$", "_").isidentifier():
        raise BadInputError(f"{name or 'Nothing'} is not the name of a function.")
    shapes, result_shape = column_shapes(table), infer_result_shape(table)
    return tuple(
        _RowToRender(name=name, row=row, shapes=shapes, result=result_shape, ignored_errors=ignored_errors)
        for row in table.rows
    )


def render_types(table: ParityTable, language_name: str) -> tuple[tuple[str, ...], str]:
    """Return the types of parameters and result in a language's notation, which references must accept and return."""
    canonical_name = find_language(language_name).name
    type_of = {"java": java_type, "c++": cpp_type, "typescript": _ts_type}.get(canonical_name, _plain_type)
    return tuple(type_of(shape) for shape in column_shapes(table)), type_of(infer_result_shape(table))


# -- Python -------------------------------------------------------------------------------------------------------


def _python(call: _RowToRender) -> str:
    helpers = {"raises": "", "unordered": PYTHON + PYTHON_UNORDERED}.get(call.row.comparator, PYTHON)
    return helpers + _python_body(call)


def _python_body(call: _RowToRender) -> str:
    row = call.row
    arguments = ", ".join(map(repr, row.inputs))
    if row.comparator == "raises":
        reraise = f"except ({', '.join(call.ignored_errors)},):\n    raise\n" if call.ignored_errors else ""
        return (
            f"_failed = False\ntry:\n    {call.name}({arguments})\n{reraise}except Exception:\n    _failed = True\n"
            "assert _failed, 'no error was raised'\n"
        )
    call_line = f"_got = {call.name}({arguments})\n"
    if row.comparator == "unordered":
        return f"{call_line}assert _unordered(_got, {row.expected!r}), repr(_got)\n"
    return f"{call_line}assert _same(_got, {row.expected!r}, {row.comparator == 'close'}), repr(_got)\n"


# -- JavaScript and TypeScript ------------------------------------------------------------------------------------


def to_javascript(text: str) -> str:
    """Convert the template shared by JavaScript and TypeScript to JavaScript."""
    return text.replace("__T__", "").replace("__B__", "")


def to_typescript(text: str) -> str:
    """Convert the template shared by JavaScript and TypeScript to TypeScript."""
    return text.replace("__T__", ": any").replace("__B__", ": boolean")


def _script_renderer(dialect: Callable[[str], str]) -> _Renderer:
    return _Renderer(lambda call: dialect(_script_statements(call)), lambda call: dialect(_script_program(call)))


def _script_program(call: _RowToRender) -> str:
    helpers = "" if call.row.comparator == "raises" else f"\n{comparison_source('same.js')}"
    return helpers + _script_statements(call)


def _script_statements(call: _RowToRender) -> str:
    row = call.row
    arguments = ", ".join(map(_script_literal, row.inputs))
    if row.comparator == "raises":
        kinds = " || ".join(f"__error instanceof {name}" for name in call.ignored_errors)
        reraise = f"if ({kinds}) throw __error; " if kinds else ""
        return (
            "let __failed = false;\n"
            f"try {{ {call.name}({arguments}); }} catch (__error) {{ {reraise}__failed = true; }}\n"
            "if (!__failed) throw new Error('no error was raised');\n"
        )
    close = "true" if row.comparator == "close" else "false"
    condition = "__unordered(__got, __expected)"
    if row.comparator != "unordered":
        condition = f"__same(__got, __expected, {close})"
    return (
        f"const __got__T__ = {call.name}({arguments});\n"
        f"const __expected__T__ = {_script_literal(row.expected)};\n"
        f"if (!({condition})) throw new Error('got ' + JSON.stringify(__got));\n"
    )


def _script_literal(value: Any) -> str:
    # A property called __proto__ would set the prototype if it were written without JSON.parse.
    if isinstance(value, (dict, list)):
        return f"JSON.parse({json.dumps(json.dumps(value))})"
    return json.dumps(value)


def _ts_type(shape: ValueShape) -> str:
    inner = _ts_type(shape.inner) if shape.inner else "any"
    names = {"bool": "boolean", "int": "number", "long": "number", "float": "number", "str": "string"}
    text = {"list": f"Array<{inner}>", "map": f"Record<string, {inner}>"}.get(shape.kind, names.get(shape.kind, "any"))
    return f"{text} | null" if shape.optional else text


def _plain_type(shape: ValueShape) -> str:
    inner = _plain_type(shape.inner) if shape.inner else "any"
    text = {"list": f"list of {inner}", "map": f"map of {inner}", "long": "int"}.get(shape.kind, shape.kind)
    return f"{text} or none" if shape.optional and shape.kind != "none" else text


def _contains_literal(value: Any) -> bool:
    """Return whether a value's code contains a literal; a passing test is checked by changing its literals.

    An empty list, an empty map and null have none, so Java and C++ tests also compare the number of values.
    """
    if isinstance(value, (list, dict)):
        return (isinstance(value, dict) and bool(value)) or any(map(_contains_literal, value))
    return value is not None


def _size_of(value: Any) -> int:
    return 0 if value is None else len(value)


# -- Java ---------------------------------------------------------------------------------------------------------

_BOXES = {"bool": "Boolean", "int": "Integer", "long": "Long", "float": "Double", "str": "String"}
_PRIMITIVES = {"bool": "boolean", "int": "int", "long": "long", "float": "double", "str": "String"}


def java_type(shape: ValueShape, *, boxed: bool = False) -> str:
    """Return a type in Java's notation; null and elements of collections need the boxed type."""
    if shape.kind == "list":
        return f"List<{java_type(shape.inner or ValueShape('mixed'), boxed=True)}>"
    if shape.kind == "map":
        return f"Map<String, {java_type(shape.inner or ValueShape('mixed'), boxed=True)}>"
    names = _BOXES if boxed or shape.optional else _PRIMITIVES
    return names.get(shape.kind, "Object")


def java_literal(value: Any, shape: ValueShape) -> str:
    """Return a value as a Java expression of exactly its column's type."""
    if value is None:
        return f"({java_type(shape, boxed=True)}) null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        kind = (
            shape.kind if shape.kind in ("int", "long", "float") else ("float" if isinstance(value, float) else "int")
        )
        if kind == "float":
            return repr(float(value))
        return f"{value}L" if kind == "long" or abs(value) >= 2**31 else str(value)
    if isinstance(value, str):
        return json.dumps(value)
    inner = shape.inner or ValueShape("mixed")
    element = java_type(inner, boxed=True)
    if isinstance(value, list):
        items = ", ".join(java_literal(item, _shape_for(inner, item)) for item in value)
        return (
            f"new ArrayList<{element}>(Arrays.<{element}>asList({items}))" if value else f"new ArrayList<{element}>()"
        )
    parts = ", ".join(
        f"{json.dumps(name)}, {java_literal(item, _shape_for(inner, item))}" for name, item in value.items()
    )
    return f"(Map<String, {element}>) (Map<?, ?>) map({parts})"


def _shape_for(shape: ValueShape, value: Any) -> ValueShape:
    """Return the value's own type in a mixed column, else the column's type."""
    return infer_shape([value]) if shape.kind in ("mixed", "none") and value is not None else shape


def _java_size(value: Any) -> str:
    if value is None:
        return "got == null ? 0 : 1"
    return "((Collection<?>) plain(got)).size()" if isinstance(value, list) else "((Map<?, ?>) got).size()"


def _java(call: _RowToRender) -> str:
    return comparison_source("Main.java").replace("// BODY", _java_body(call))


def _java_body(call: _RowToRender) -> str:
    row = call.row
    arguments = ", ".join(java_literal(value, shape) for value, shape in zip(row.inputs, call.shapes, strict=True))
    call_text = f"{JAVA_CLASS}.{call.name}({arguments})"
    if row.comparator == "raises":
        return (
            f"boolean failed = false;\n    try {{ {call_text}; }} catch (Exception error) {{ failed = true; }}\n"
            '    if (!failed) throw new AssertionError("no error was raised");'
        )
    close = "true" if row.comparator == "close" else "false"
    expected = java_literal(row.expected, _shape_for(call.result, row.expected))
    condition = "unordered(got, expected)" if row.comparator == "unordered" else f"same(got, expected, {close})"
    if not _contains_literal(row.expected):
        condition = f"({condition} && same({_java_size(row.expected)}, {_size_of(row.expected)}, false))"
    return (
        f"Object got = {call_text};\n    Object expected = {expected};\n"
        f'    if (!{condition}) throw new AssertionError("got " + plain(got));'
    )


# -- C++ ----------------------------------------------------------------------------------------------------------

_CPP_NAMES = {"bool": "bool", "int": "int", "long": "long long", "float": "double", "str": "std::string"}


def cpp_type(shape: ValueShape) -> str:
    """Return a type in C++'s notation. Raises `BadInputError` for values without a common type."""
    if shape.kind in ("mixed", "none"):
        if shape.kind == "none" and not shape.optional:
            return "int"
        raise BadInputError("C++ has no type for a column of the table: its values have no common type.")
    inner = cpp_type(shape.inner) if shape.inner else ""
    text = {"list": f"std::vector<{inner}>", "map": f"std::map<std::string, {inner}>"}.get(
        shape.kind, _CPP_NAMES.get(shape.kind, "")
    )
    return f"std::optional<{text}>" if shape.optional else text


def cpp_literal(value: Any, shape: ValueShape) -> str:
    """Return a value as a C++ expression of exactly its column's type."""
    name = cpp_type(shape)
    if value is None:
        return f"{name}{{}}"
    plain_shape = ValueShape(shape.kind, shape.inner)
    if isinstance(value, list):
        items = ", ".join(cpp_literal(item, shape.inner or ValueShape("none")) for item in value)
        text = f"{cpp_type(plain_shape)}({{{items}}})" if value else f"{cpp_type(plain_shape)}()"
    elif isinstance(value, dict):
        inner = shape.inner or ValueShape("none")
        items = ", ".join(f"{{{_cpp_text(key)}, {cpp_literal(item, inner)}}}" for key, item in value.items())
        text = f"{cpp_type(plain_shape)}({{{items}}})" if value else f"{cpp_type(plain_shape)}()"
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = _cpp_text(value)
    elif shape.kind == "float":
        text = repr(float(value))
    else:
        # The smallest int has no literal: -2147483648 is a minus and a long.
        text = f"{value}LL" if shape.kind == "long" else f"int({value}LL)"
    return f"{name}({text})" if shape.optional else text


def _cpp_text(text: str) -> str:
    """Return a ``std::string`` with its length, so that null bytes survive; non-ASCII bytes are escaped."""
    data = text.encode("utf-8")
    parts = "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in data)
    return f'std::string("{parts}", {len(data)})'


def _cpp(call: _RowToRender) -> str:
    return "\n" + comparison_source("main.cpp").replace("// BODY", _cpp_body(call))


def _cpp_body(call: _RowToRender) -> str:
    row = call.row
    names, lines = [], []
    for number, (value, shape) in enumerate(zip(row.inputs, call.shapes, strict=True)):
        names.append(f"input{number}")
        lines.append(f"{cpp_type(shape)} input{number} = {cpp_literal(value, shape)};")
    call_text = f"{call.name}({', '.join(names)})"
    if row.comparator == "raises":
        lines += [
            "bool failed = false;",
            f"try {{ {call_text}; }} catch (...) {{ failed = true; }}",
            'if (!failed) { std::fprintf(stderr, "no error was raised\\n"); return 1; }',
        ]
    else:
        expected = cpp_literal(row.expected, call.result)
        close = "true" if row.comparator == "close" else "false"
        condition = "annotator_test::unordered(got, expected)"
        if row.comparator != "unordered":
            condition = f"annotator_test::same(got, expected, {close})"
        if not _contains_literal(row.expected):
            value = f"{cpp_type(call.result)}(got)" if call.result.optional else "got"
            size = (
                f"{value}.has_value()"
                if row.expected is None
                else f"{value}{'->' if call.result.optional else '.'}size()"
            )
            condition = f"({condition} && annotator_test::same(int({size}), {_size_of(row.expected)}, false))"
        lines += [
            f"auto got = {call_text};",
            f"{cpp_type(call.result)} expected = {expected};",
            f'if (!{condition}) {{ std::fprintf(stderr, "another result\\n"); return 1; }}',
        ]
    return "\n  ".join(lines)


_RENDERERS: dict[str, _Renderer] = {
    "python": _Renderer(_python_body, _python),
    "javascript": _script_renderer(to_javascript),
    "typescript": _script_renderer(to_typescript),
    "java": _Renderer(_java_body, _java),
    "c++": _Renderer(_cpp_body, _cpp),
}


PYTHON = f"""
def _same(a, b, close):
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= {TOLERANCE} * max(1.0, abs(b)) if close else a == b
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_same(x, y, close) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k], close) for k in b)
    return type(a) is type(b) and a == b
"""
PYTHON_UNORDERED = """
def _unordered(a, b):
    rest = list(b)
    for x in a:
        place = next((n for n, y in enumerate(rest) if _same(x, y, False)), None)
        if place is None:
            return False
        del rest[place]
    return not rest
"""
