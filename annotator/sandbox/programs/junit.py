"""A small JUnit for Java: its annotations and assertions, and the statements that run a class of tests.

The image has no JUnit; only what a test imports of it is written beside the program.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.base.resources import resource
from annotator.sandbox.programs.source_text import DeclaredType

_USED = re.compile(r"\borg\.junit\.(?:(jupiter)\.api\.)?")
_ANNOTATIONS = {
    True: ("Test", "BeforeEach", "AfterEach", "BeforeAll", "AfterAll", "Disabled", "DisplayName", "Order", "Nested"),
    False: ("Test", "Before", "After", "BeforeClass", "AfterClass", "Ignore"),
}
_MEMBERS = {
    "DisplayName": " String value(); ",
    "Disabled": ' String value() default ""; ',
    "Ignore": ' String value() default ""; ',
    "Order": " int value(); ",
}
_TEST_OF_4 = " Class<? extends Throwable> expected() default Throwable.class; long timeout() default 0; "
_METHOD = re.compile(
    r"(?P<annotations>(?:@[\w.]+(?:\s*\([^()]*\))?\s*)*)(?:(?:public|protected|private|static|final)\s+)*"
    r"void\s+(?P<name>\w+)\s*\(\s*\)\s*(?:throws[\w\s.,]+)?\{"
)
_EXPECTED = re.compile(r"expected\s*=\s*([\w.$]+)\.class")
_BEFORE, _AFTER = ("BeforeAll", "BeforeClass", "BeforeEach", "Before"), ("AfterEach", "After", "AfterAll", "AfterClass")


def junit_files(test: str) -> dict[str, str]:
    """Return the files of JUnit that a test imports, none if it imports nothing of it."""
    files: dict[str, str] = {}
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
        return (self.marked("Test") or named) and not self.marked("Disabled", "Ignore")


def methods_of(masked: str, start: int = 0, end: int | None = None) -> list[_Method]:
    """Return the methods without parameters or result between two places."""
    found = _METHOD.finditer(masked, start, len(masked) if end is None else end)
    return [_Method(each["name"], each["annotations"]) for each in found]


def statements_of(masked: str, item: DeclaredType) -> list[str]:
    """Return one statement for each test of a class, with what is to run before and after it."""
    methods = methods_of(masked, item.start, item.end)
    first = [each for each in methods if each.marked(*_BEFORE) or each.name == "setUp"]
    last = [each for each in methods if each.marked(*_AFTER) or each.name == "tearDown"]
    before, after = (" ".join(f"it.{each.name}();" for each in group) for group in (first, last))
    made = f"{item.name} it = new {item.name}();"
    return [f"{{ {made} {before} {_call(each)} {after} }}" for each in methods if each.is_test]


def _call(method: _Method) -> str:
    expected = _EXPECTED.search(method.annotations)
    if expected is None:
        return f"it.{method.name}();"
    caught = f"try {{ it.{method.name}(); }} catch ({expected[1]} e) {{ thrown = true; }}"
    missing = f'throw new AssertionError("{method.name}: nothing was thrown, expected {expected[1]}");'
    return f"boolean thrown = false; {caught} if (!thrown) {missing}"
