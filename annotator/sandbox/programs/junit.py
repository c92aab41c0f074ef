"""A small JUnit for Java: its annotations and assertions, and the statements that run a class of tests.

The image has no JUnit; only what a test imports of it is written beside the program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.base.resources import resource
from annotator.sandbox.programs.junit_rows import row_files, row_tests
from annotator.sandbox.programs.source_text import DeclaredType

_USED = re.compile(r"\borg\.junit\.(?!jupiter\.params\b)(?:(jupiter)\.api\.)?")
_ANNOTATIONS = {
    True: (
        "Test",
        "BeforeEach",
        "AfterEach",
        "BeforeAll",
        "AfterAll",
        "Disabled",
        "DisplayName",
        "Order",
        "Nested",
        "RepeatedTest",
    ),
    False: ("Test", "Before", "After", "BeforeClass", "AfterClass", "Ignore"),
}
JUNIT = tuple(sorted({name for names in _ANNOTATIONS.values() for name in names}))
"""The annotations that tests may use."""
_MEMBERS = {
    "DisplayName": " String value(); ",
    "Disabled": ' String value() default ""; ',
    "Ignore": ' String value() default ""; ',
    "Order": " int value(); ",
    "RepeatedTest": " int value(); ",
}
_TEST_OF_4 = " Class<? extends Throwable> expected() default Throwable.class; long timeout() default 0; "
_METHOD = re.compile(
    r"(?P<annotations>(?:@[\w.]+(?:\s*\([^()]*\))?\s*)*)(?:(?:public|protected|private|static|final)\s+)*"
    r"void\s+(?P<name>\w+)\s*\(\s*\)\s*(?:throws[\w\s.,]+)?\{"
)
_EXPECTED = re.compile(r"expected\s*=\s*([\w.$]+)\.class")
_REPEATED = re.compile(r"RepeatedTest\s*\(\s*(\d+)\s*\)")
_BEFORE, _AFTER = ("BeforeAll", "BeforeClass", "BeforeEach", "Before"), ("AfterEach", "After", "AfterAll", "AfterClass")


def junit_files(test: str) -> dict[str, str]:
    """Return the files of JUnit that a test imports, none if it imports nothing of it."""
    files = row_files(test)
    for jupiter in {bool(found[1]) for found in _USED.finditer(test)}:
        package = "org.junit.jupiter.api" if jupiter else "org.junit"
        folder = package.replace(".", "/")
        retained = "import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME)"
        for name in _ANNOTATIONS[jupiter]:
            members = _MEMBERS.get(name, "") if jupiter or name != "Test" else _TEST_OF_4
            files[f"{folder}/{name}.java"] = f"package {package}; {retained} public @interface {name} {{{members}}}\n"
        assertions = "Assertions.java" if jupiter else "Assert.java"
        files[f"{folder}/{assertions}"] = resource("sandbox", "guards", "junit", assertions).read_text(encoding="utf-8")
        if jupiter:
            work = f"package {package}; public interface Executable {{ void execute() throws Throwable; }}\n"
            files[f"{folder}/Executable.java"] = work
            called = "org/junit/jupiter/api/function"
            files[f"{called}/Executable.java"] = (
                f"package {package}.function; public interface Executable extends {package}.Executable {{ }}\n"
            )
    return files


@dataclass(frozen=True, slots=True)
class _Method:
    name: str
    annotations: str

    def marked(self, *names: str) -> bool:
        return any(re.search(rf"@(?:[\w.]+\.)?{name}\b", self.annotations) for name in names)

    @property
    def is_test(self) -> bool:
        named = self.name.startswith("test") and not self.annotations.strip()
        return (self.marked("Test", "RepeatedTest") or named) and not self.marked("Disabled", "Ignore")


def methods_of(masked: str, start: int = 0, end: int | None = None) -> list[_Method]:
    """Return the methods without parameters or result between two places."""
    found = _METHOD.finditer(masked, start, len(masked) if end is None else end)
    return [_Method(each["name"], each["annotations"]) for each in found]


def statements_of(text: str, masked: str, item: DeclaredType, types: Sequence[DeclaredType] = ()) -> list[str]:
    """Return one statement for each test of a class and of those nested in it, with what is to run around it.

    A test with parameters is one statement however many rows it has.
    """
    inner = [each for each in types if each.outer[:1] == (item.name,)]
    statements = []
    for each in (item, *inner):
        around = [one for one in (item, *inner) if each.path[: len(one.path)] == one.path]
        made, first, last = [], [], []
        for number, one in enumerate(around):
            owner = f"new {one.name}()" if number == 0 else f"it{number - 1}.new {one.name}()"
            if number and _is_static(masked, one):
                owner = f"new {'.'.join(one.path)}()"
            made.append(f"{'.'.join(one.path)} it{number} = {owner};")
            own = _own_methods(masked, one, inner)
            first += [f"it{number}.{m.name}();" for m in own if m.marked(*_BEFORE) or m.name == "setUp"]
            last += [f"it{number}.{m.name}();" for m in own if m.marked(*_AFTER) or m.name == "tearDown"]
        for method in _own_methods(masked, each, inner):
            if method.is_test:
                call = _call(method, f"it{len(around) - 1}")
                statements.append(f"{{ {' '.join((*made, *first))} {call} {' '.join(last)} }}")
        start, end = each.start, each.end
        for test in row_tests(text[start:end], _without(masked, each, inner)[start:end], ".".join(each.path)):
            runs = (
                f"{loop} {{ {' '.join((*made, *first))} it{len(around) - 1}.{test.name}({given}); {' '.join(last)} }}"
                for loop, given in test.rows
            )
            statements.append(f"{{ {' '.join(runs)} }}")
    return statements


def _own_methods(masked: str, item: DeclaredType, inner: Sequence[DeclaredType]) -> list[_Method]:
    """Return the methods of a class that are not of one nested in it."""
    return methods_of(_without(masked, item, inner), item.start, item.end)


def _without(masked: str, item: DeclaredType, inner: Sequence[DeclaredType]) -> str:
    """Return the text with the classes nested in one blanked."""
    hidden = masked
    for each in inner:
        if item.start < each.start < item.end:
            hidden = hidden[: each.start] + " " * (each.end - each.start) + hidden[each.end :]
    return hidden


def _is_static(masked: str, item: DeclaredType) -> bool:
    return re.search(r"\bstatic\s+(?:\w+\s+)*$", masked[: item.start]) is not None


def _call(method: _Method, it: str) -> str:
    repeated = _REPEATED.search(method.annotations)
    if repeated is not None:
        return f"for (int time = 0; time < {repeated[1]}; time++) {it}.{method.name}();"
    expected = _EXPECTED.search(method.annotations)
    if expected is None:
        return f"{it}.{method.name}();"
    caught = f"try {{ {it}.{method.name}(); }} catch ({expected[1]} e) {{ thrown = true; }}"
    missing = f'throw new AssertionError("{method.name}: nothing was thrown, expected {expected[1]}");'
    return f"boolean thrown = false; {caught} if (!thrown) {missing}"
