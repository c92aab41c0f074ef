"""Programs in Java: code and test share one file, and the test's own class is started, with assertions on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.sandbox.programs.junit import junit_files, methods_of, statements_of
from annotator.sandbox.programs.program import Program, Request, compile_step, guard_file, run
from annotator.sandbox.programs.source_text import (
    DeclaredType,
    declared_types,
    fit_braces,
    innermost_type,
    mask,
    rename_types,
    replace_visible,
    top_level,
)

_JACOCO = ":".join(f"/usr/share/java/{name}.jar" for name in ("org.jacoco.core", "asm", "asm-commons", "asm-tree",
                                                             "asm-analysis"))  # fmt: skip
_ASSERTJ = "/usr/share/java/assertj-core.jar:/usr/share/java/byte-buddy.jar"
_IMPORT = re.compile(r"^\s*import\s+[\w.*\s]+;[ \t]*$", re.MULTILINE)
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+);[ \t]*$", re.MULTILINE)
_PUBLIC = re.compile(
    r"^(?P<indent>[ \t]*)public\s+(?=(?:abstract\s+|final\s+|sealed\s+|non-sealed\s+|strictfp\s+)*"
    r"(?:class|interface|enum|record)\b)",
    re.MULTILINE,
)
_MAIN = re.compile(r"\bvoid\s+main\s*\(\s*(?:final\s+)?String\b")
_EXIT = re.compile(r"(?<![\w.])(?:java\.lang\.)?(?:System|Runtime\.getRuntime\(\))\.(?:exit|halt)(?=\s*\()")
_METHOD = re.compile(r"\b(?:void|boolean|int|long|String)\s+\w+\s*\([^()]*\)\s*(?:throws[\w\s.,]+)?\{")
_OURS = frozenset((
    "System", "Runtime", "Objects", "Arrays", "Collections", "Math", "String", "Object", "Integer", "Long", "Double",
    "Boolean", "Character", "Throwable", "Error", "Exception", "RuntimeException", "AssertionError",
    "IllegalStateException", "Thread",
))  # fmt: skip
"""What tests mean when they use these names, whatever the code declares."""
_OF_JUNIT = frozenset(("Assert", "Assertions", "Test"))


@dataclass(frozen=True, slots=True)
class _Joined:
    """Code and test as one text without imports; ``entry`` is the class to start, of ``tests`` tests."""

    imports: tuple[str, ...]
    body: str
    entry: str
    tests: int


def build_java(request: Request) -> Program:
    """Return a program in Java: imports go to the top and no class stays public, so that all can share one file."""
    joined = _alone(request.code) if request.test is None else _join(request.code, request.test, request.key)
    heap = f"-Xmx{max(32, request.memory_mb * 6 // 10)}m"
    runtime = ("-ea", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", heap, "-Xss16m", "-XX:-UsePerfData")
    measured = request.coverage and request.test is not None
    cover = f"AnnotatorCover{request.key}"
    checks = f":{_ASSERTJ}" if any("org.assertj." in line for line in joined.imports) else ""
    start: tuple[str, ...]
    if measured:
        lines = (str(len(joined.imports)), str(len(request.code.splitlines())))
        start = ("-cp", f".:{_JACOCO}{checks}", cover, joined.entry, *lines)
    else:
        start = ("-cp", f"{request.tools}/guard.jar:{request.tools}/warm.jar:.{checks}")
        start += (joined.entry,) if request.test is None else ("Guard", joined.entry)
    compiler = ("-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-J-XX:-UsePerfData", "-J-Xshare:auto",
                f"-J-XX:SharedArchiveFile={request.tools}/javac.jsa", "-nowarn", "-proc:none", "-d", ".",
                "-cp", f".:{_JACOCO}{checks}" if measured else f".{checks}",
                *(("-g", f"{request.tools}/guard_cover.java") if measured else ()))  # fmt: skip
    shared = ("-Xshare:auto", f"-XX:SharedArchiveFile={request.tools}/java.jsa")
    return Program(
        files={"Main.java": "\n".join([*joined.imports, joined.body])} | junit_files("\n".join(joined.imports)),
        steps=(compile_step("javac", *compiler, "Main.java"), run("java", *shared, *runtime, *start)),
        coverage=("jacoco", len(joined.imports)),
        guards={"guard_cover.java": guard_file("guard_cover.java", request.key)} if measured else {},
        tests=joined.tests,
    )


def _imports(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for text in texts for line in _IMPORT.findall(text)))


def own_imports(code: str, test: str) -> dict[str, tuple[str, ...]]:
    """Return what a test imports of the code's classes, by their package, as the names it has beside them.

    Code that names no package is as good: the test knows it by the class.
    """
    tops = _tops(_strip(code))
    own = {}
    for line in _imports(test):
        parts = _imported(line).split(".")
        of_class = 2 if re.match(r"import\s+static\b", line) else 1
        if len(parts) > of_class and parts[-of_class] in tops and parts[-1] != "*":
            own[".".join(parts)] = tuple(parts[-of_class:])
    return own


def _imported(line: str) -> str:
    return re.sub(r"^import\s+(?:static\s+)?|\s|;", "", line)


def _strip(text: str) -> str:
    """Return a text without package and imports, none of its types public; its lines stay where they are."""
    return _PUBLIC.sub(lambda found: found["indent"], _blank(_IMPORT, _blank(_PACKAGE, text)))


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: "\n" * found[0].count("\n"), text)


def _alone(code: str) -> _Joined:
    body = _strip(code)
    return _Joined(_imports(code), body, _entry(body, 0) or "Main", 1)


def _entry(body: str, start: int) -> str:
    """Return the class with the last main from a place on, in the words of the virtual machine; empty for none."""
    masked = mask(body, "java")
    mains = [found.start() for found in _MAIN.finditer(masked) if found.start() >= start]
    types = declared_types(masked)
    around = [found for found in (innermost_type(types, main) for main in mains) if found is not None]
    preferred = [found for found in around if found.name == "Main"] or around
    return "$".join(preferred[-1].path) if preferred else ""


def _join(code: str, test: str, key: str) -> _Joined:
    # What the test imports of the code's package stands beside it.
    own = {f"import {found[1]}." for found in _PACKAGE.finditer(code)}
    beside = own_imports(code, test)
    imports = tuple(
        line
        for line in _imports(code, test)
        if not any(line.startswith(word) for word in own) and _imported(line) not in beside
    )
    for path in beside.values():
        if len(path) > 1:
            test = replace_visible(re.compile(rf"(?<![\w.]){path[1]}(?=\s*\()"), ".".join(path), test, "java")
    parts = fit_braces(_strip(code), _strip(test), "java")
    ours = _OURS | _OF_JUNIT if any("org.junit." in line for line in imports) else _OURS
    taken = _tops(parts.code) & (ours | {item.name for item in _types(parts.test) if _has_main(parts.test, item)})
    body = rename_types(parts.code, taken, key, "java")
    added, entry, tests = parts.test, "", 0
    masked = mask(parts.test, "java")
    if _MAIN.search(masked):
        entry, tests = _entry(f"{body}\n{added}", len(body)), 1
        # A class of ours ends the process: threads that the code leaves running may never end.
        if entry and (_EXIT.search(masked) or "$" not in entry):
            added = replace_visible(_EXIT, f"AnnotatorTests{key}.exit", added, "java")
            added += _class_of_ours(key, f"{entry.replace('$', '.')}.main(new String[0]);")
            entry = f"AnnotatorTests{key}"
    else:
        added, tests = _add_main(parts.test, masked, key)
        entry = f"AnnotatorTests{key}"
    return _Joined(imports, f"{body}\n{added}", entry or "Main", tests)


def _types(text: str) -> list[DeclaredType]:
    return declared_types(mask(text, "java"))


def _tops(text: str) -> set[str]:
    return {item.name for item in _types(text) if not item.outer}


def _has_main(text: str, found: DeclaredType) -> bool:
    return not found.outer and _MAIN.search(mask(text, "java"), found.start, found.end) is not None


def _add_main(test: str, masked: str, key: str) -> tuple[str, int]:
    """Return a test that has no main with a class of ours that runs it, and how many tests that is."""
    declared = declared_types(masked)
    types = [item for item in declared if not item.outer]
    if types:
        calls = [call for item in types for call in statements_of(test, masked, item, declared)]
        left = replace_visible(_EXIT, f"AnnotatorTests{key}.exit", test, "java")
        return f"{left}\n{_class_of_ours(key, ' '.join(calls))}", len(calls)
    if not masked.strip():
        return test, 0
    if _METHOD.search(top_level(masked)):
        members = replace_visible(_EXIT, "exit", test, "java")
        names = [method.name for method in methods_of(masked) if method.is_test]
        calls = [f"new AnnotatorTests{key}().{name}();" for name in names]
        return _class_of_ours(key, " ".join(calls), members), len(names)
    return _class_of_ours(key, f"\n{replace_visible(_EXIT, 'exit', test, 'java')}\n"), 1


def _class_of_ours(key: str, statements: str, members: str = "") -> str:
    return guard_file("Tests.java", key).replace("/* members */", members).replace("/* statements */", statements)
