"""Parameterized tests of JUnit 5: what stands around the call of such a test, once for each row of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from annotator.base.resources import resource
from annotator.sandbox.programs.source_text import closing_place

_PACKAGE = "org.junit.jupiter.params"
_VALUES = {
    "ints": "int", "longs": "long", "shorts": "short", "bytes": "byte", "doubles": "double", "floats": "float",
    "booleans": "boolean", "chars": "char", "strings": "String", "classes": "Class<?>",
}  # fmt: skip
_ANNOTATIONS = {
    "ParameterizedTest": 'String name() default "";',
    "provider.ValueSource": " ".join(f"{kind}[] {name}() default {{}};" for name, kind in _VALUES.items()),
    "provider.CsvSource": "String[] value() default {}; String textBlock() default \"\"; char delimiter() default ',';"
    ' String[] nullValues() default {}; boolean useHeadersInDisplayName() default false;',
    "provider.MethodSource": "String[] value() default {};",
    "provider.EnumSource": "enum Mode { INCLUDE, EXCLUDE } Class<?> value() default Enum.class;"
    " String[] names() default {}; Mode mode() default Mode.INCLUDE;",
    "provider.NullSource": "",
    "provider.EmptySource": "",
    "provider.NullAndEmptySource": "",
}  # fmt: skip
PARAMETERIZED = tuple(_ANNOTATIONS)
"""What tests may take from the package of parameterized tests, with ``provider.Arguments``."""
_METHOD = re.compile(
    r"(?P<annotations>(?:@[\w.]+(?:\s*\([^()]*\))?\s*)+)(?:(?:public|protected|private|final)\s+)*"
    r"void\s+(?P<name>\w+)\s*\((?P<parameters>[^()]+)\)\s*(?:throws[\w\s.,]+)?\{"
)
_TEST = re.compile(r"@(?:[\w.]+\.)?ParameterizedTest\b")
_ANNOTATION = re.compile(r"@(?:[\w.]+\.)?(\w+)\s*(?=(\()?)")
_STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
_CELL = re.compile(r"\s*(?:'((?:''|[^'])*)'|([^\n]*?))\s*$")


def row_files(test: str) -> dict[str, str]:
    """Return the files of parameterized tests, none if a test imports nothing of them."""
    if _PACKAGE not in test:
        return {}
    folder = _PACKAGE.replace(".", "/")
    arguments = resource("sandbox", "guards", "junit", "Arguments.java").read_text(encoding="utf-8")
    files = {f"{folder}/provider/Arguments.java": arguments}
    for path, members in _ANNOTATIONS.items():
        inside, _, name = path.rpartition(".")
        package = f"{_PACKAGE}.{inside}" if inside else _PACKAGE
        text = f"package {package}; public @interface {name} {{ {members} }}\n"
        files[f"{folder}/{path.replace('.', '/')}.java"] = text
    return files


@dataclass(frozen=True, slots=True)
class RowTest:
    """A test with parameters: for each source what loops over it, may be nothing, and what the test is given."""

    name: str
    rows: tuple[tuple[str, str], ...]


def row_tests(text: str, masked: str, owner: str) -> list[RowTest]:
    """Return the parameterized tests of a class, whose text is masked with its strings blanked."""
    tests = []
    for found in _METHOD.finditer(masked):
        if _TEST.search(found["annotations"]) and "@Disabled" not in found["annotations"]:
            kinds = [_kind_of(part) for part in _split(found["parameters"], "<>")]
            start, end = found.span("annotations")
            rows = _rows(text[start:end], masked[start:end], kinds, f"{owner}.{found['name']}")
            tests.append(RowTest(found["name"], tuple(rows)))
    return tests


def _kind_of(parameter: str) -> str:
    return re.sub(r"@\w+\s*|\bfinal\s+", "", parameter.strip()).rpartition(" ")[0].strip()


def _split(text: str, brackets: str = "") -> list[str]:
    """Split a list at its commas, but not those in brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in brackets[:1]) - (letter in brackets[1:])
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _rows(text: str, masked: str, kinds: list[str], method: str) -> Iterator[tuple[str, str]]:
    for found in _ANNOTATION.finditer(masked):
        end = closing_place(masked, found.end()) if found[2] else None
        inside = text[found.end() + 1 : end] if end is not None else ""
        name = found[1]
        if name in ("NullSource", "NullAndEmptySource"):
            yield "", "null"
        if name in ("EmptySource", "NullAndEmptySource"):
            yield "", _empty(kinds[0])
        if name == "ValueSource" and (value := re.match(r"\s*(\w+)\s*=\s*(.*)", inside, re.DOTALL)):
            given = value[2].strip() if value[2].lstrip().startswith("{") else f"{{ {value[2]} }}"
            yield f"for ({_VALUES.get(value[1], 'Object')} value : new {_VALUES[value[1]]}[] {given})", "value"
        if name == "EnumSource":
            yield _enum_row(inside, kinds[0])
        if name == "MethodSource":
            owner, _, own = method.rpartition(".")
            for source in _STRING.findall(inside) or [own]:
                place = source.removesuffix("()").rpartition("#")
                called = f'{place[0] or owner}.class, "{place[2]}"'
                given = ", ".join(f"({kind}) row[{at}]" for at, kind in enumerate(kinds))
                yield f"for (Object[] row : {_PACKAGE}.provider.Arguments.rowsOf({called}))", given
        if name == "CsvSource":
            yield from (("", given) for given in _csv_rows(inside, kinds))


def _empty(kind: str) -> str:
    if kind == "String":
        return '""'
    return f"new {kind.replace('[]', '[0]')}" if "[]" in kind else f"java.util.{kind.partition('<')[0]}.of()"


def _enum_row(inside: str, kind: str) -> tuple[str, str]:
    named = re.search(r"([\w.]+)\.class", inside)
    kind = named[1] if named is not None else kind
    names = ", ".join(f'"{name}"' for name in _STRING.findall(inside))
    loop = f"for ({kind} value : {kind}.values())"
    if names:
        loop += f" if ({'!' if 'EXCLUDE' in inside else ''}java.util.List.of({names}).contains(value.name()))"
    return loop, "value"


def _csv_rows(inside: str, kinds: list[str]) -> Iterator[str]:
    delimiter = re.search(r"delimiter\s*=\s*'(\\?.)'", inside)
    block = re.search(r'"""[ \t]*\n(.*?)"""', inside, re.DOTALL)
    if block is not None:
        lines = [line.strip() for line in block[1].splitlines()]
        rows = [line for line in lines if line and not line.startswith("#")]
    else:
        rows = _STRING.findall(re.sub(r"nullValues\s*=\s*(?:\{[^}]*\}|\"[^\"]*\")", "", inside))
    nulls = re.search(r"nullValues\s*=\s*(?:\{([^}]*)\}|(\"[^\"]*\"))", inside)
    none = set(_STRING.findall(nulls[1] or nulls[2])) if nulls is not None else set[str]()
    for row in rows:
        cells = _cells(row, delimiter[1][-1] if delimiter is not None else ",")
        yield ", ".join(_literal(cell, kind, none) for cell, kind in zip(cells, kinds, strict=False))


def _cells(row: str, delimiter: str) -> list[str]:
    cells, quoted = [""], False
    for letter in row:
        quoted ^= letter == "'"
        if letter == delimiter and not quoted:
            cells.append("")
        else:
            cells[-1] += letter
    return cells


def _literal(cell: str, kind: str, none: set[str]) -> str:
    """Return a cell as Java writes a value of a kind."""
    found = _CELL.match(cell)
    quoted = found[1] if found is not None else None
    text = quoted.replace("''", "'") if quoted is not None else cell.strip()
    if quoted is None and (not text or text in none):
        return "null"
    if kind in ("String", "Object", "CharSequence"):
        return f'"{text}"'
    if kind in ("char", "Character"):
        return "'\\''" if text == "'" else f"'{text}'"
    boxed = {"int": "Integer", "long": "Long", "double": "Double", "float": "Float", "short": "Short", "byte": "Byte",
             "boolean": "Boolean"}.get(kind, kind)  # fmt: skip
    if boxed in ("Integer", "Long", "Double", "Float", "Short", "Byte", "Boolean"):
        return f'{boxed}.valueOf("{text}")'
    if kind in ("BigInteger", "BigDecimal", "java.math.BigInteger", "java.math.BigDecimal"):
        return f'new {kind}("{text}")'
    if kind in ("LocalDate", "LocalDateTime", "LocalTime", "Duration", "Instant"):
        return f'java.time.{kind}.parse("{text}")'
    return f"{kind}.{text}"
