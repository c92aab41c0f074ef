"""Programs in Java: code and test share one file, and the test's own class is started, with assertions on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.sandbox.programs.program import ProgramRequest, SandboxProgram, compile_step, guard_file, run_step
from annotator.sandbox.programs.source_text import (
    DeclaredType,
    declared_types,
    fit_braces,
    innermost_type,
    mask_literals,
    rename_types,
    replace_visible,
    top_level,
)

_JACOCO = ":".join(f"/usr/share/java/{name}.jar" for name in ("org.jacoco.core", "asm", "asm-commons", "asm-tree",
                                                             "asm-analysis"))  # fmt: skip
_IMPORT = re.compile(r"(?:^|(?<=;))[ \t]*import[ \t]+[\w.* \t]+;", re.MULTILINE)
_PACKAGE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)[ \t]*;", re.MULTILINE)
_MAIN = re.compile(r"\bvoid\s+main\s*\(\s*(?:final\s+)?String\b")
_EXIT = re.compile(r"(?<![\w.])(?:java\.lang\.)?(?:System|Runtime\.getRuntime\(\))\.(?:exit|halt)(?=\s*\()")
_METHOD = re.compile(r"\b(?:void|boolean|int|long|String)\s+\w+\s*\([^()]*\)\s*(?:throws[\w\s.,]+)?\{")
_OURS = frozenset((
    "System", "Runtime", "Objects", "Arrays", "Collections", "Math", "String", "Object", "Integer", "Long", "Double",
    "Boolean", "Character", "Throwable", "Error", "Exception", "RuntimeException", "AssertionError",
    "IllegalStateException", "Thread",
))  # fmt: skip
"""Names that mean the library's types in tests, whatever the code declares."""
_OF_JUNIT = frozenset(("Assert", "Assertions", "Test"))
_MARKED = re.compile(r"@(?:[\w.]+\.)?(?:\w*Test|TestFactory)\b")
"""A test of JUnit."""


@dataclass(frozen=True, slots=True)
class _JavaProgram:
    """Code and test as one text without imports; ``entry`` is the class to start."""

    imports: tuple[str, ...]
    body: str
    entry: str


def build_java(request: ProgramRequest) -> SandboxProgram:
    """Return a program in Java: code and test share one file, with all imports at its top."""
    joined = _join_alone(request.code) if request.test is None else _join(request.code, request.test, request.key)
    heap = f"-Xmx{max(32, request.memory_mb * 6 // 10)}m"
    virtual = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto")
    measured = request.coverage and request.test is not None
    # Java searches the libraries first for every class that follows them on the class path.
    imported = map(_imported_name, joined.imports)
    needed = _names_junit(joined.imports, joined.body) or not all(name.startswith("java.") for name in imported)
    path = f"{request.tools}/guard.jar:" + f"{request.tools}/libraries.jar:" * needed
    archive = "tests" if needed else "java"
    start: tuple[str, ...]
    cover: dict[str, str] = {}
    if measured:
        cover[f".{request.key}_cover.java"] = guard_file("guard_cover.java", request.key)
        lines = (str(len(joined.imports)), str(len(request.code.splitlines())))
        path += f"{_JACOCO}:"
        start = (f"AnnotatorCover{request.key}", joined.entry, *lines)
    else:
        start = (joined.entry,) if request.test is None else ("annotator.Guard", joined.entry)
    tested = "\n".join(line for line in _imports(request.test or "") if line in joined.imports)
    compiler = (f"-XX:SharedArchiveFile={request.tools}/javac.jsa", "-cp", f"{request.tools}/guard.jar",
                "annotator.Compile", "-nowarn", "-proc:none", "-d", ".", "-cp", f"{path}.", "Main.java",
                *(("-g", *cover) if measured else ()), tested)  # fmt: skip
    runtime = ("-ea", heap, "-Xss16m", f"-XX:SharedArchiveFile={request.tools}/{archive}.jsa", "-cp", f"{path}.")
    return SandboxProgram(
        files={"Main.java": "\n".join([*joined.imports, joined.body])} | cover,
        steps=(compile_step("java", *virtual, *compiler), run_step("java", *virtual, *runtime, *start)),
        coverage=("jacoco", len(joined.imports)),
        tests=None,
    )


def _imports(*texts: str) -> tuple[str, ...]:
    lines = (line for text in texts for line in _IMPORT.findall(mask_literals(text, "java")))
    return tuple(dict.fromkeys(" ".join(line.split()) for line in lines))


def own_imports(code: str, test: str) -> dict[str, tuple[str, ...]]:
    """Return a test's imports of the code's classes and their members, by full name, as the parts that remain of it.

    The code need not state its package: the test identifies it by the class.
    """
    tops = _top_names(_strip_headers(code))
    own = {}
    for line in _imports(test):
        parts = _imported_name(line).split(".")
        of_class = next((number for number, part in enumerate(parts) if part in tops), 0)
        if of_class and parts[-1] != "*":
            own[".".join(parts)] = tuple(parts[of_class:])
    return own


def _names_junit(imports: tuple[str, ...], body: str) -> bool:
    """Return whether a program names JUnit, in an import or by full names."""
    return any("junit." in text for text in (*imports, body))


def _imported_name(line: str) -> str:
    return re.sub(r"^import\s+(?:static\s+)?|\s|;", "", line)


def _strip_headers(text: str) -> str:
    """Return a text without package and imports; the line numbers stay the same."""
    return replace_visible(_IMPORT, "", replace_visible(_PACKAGE, "", text, "java"), "java")


def _join_alone(code: str) -> _JavaProgram:
    body = _strip_headers(code)
    return _JavaProgram(_imports(code), body, _find_entry(body, 0) or "Main")


def _find_entry(body: str, start: int) -> str:
    """Return the virtual machine's name of the class with the last main after ``start``; empty for none."""
    masked = mask_literals(body, "java")
    mains = [match.start() for match in _MAIN.finditer(masked) if match.start() >= start]
    types = declared_types(masked)
    around = [match for match in (innermost_type(types, main) for main in mains) if match is not None]
    preferred = [match for match in around if match.name == "Main"] or around
    return "$".join(preferred[-1].path) if preferred else ""


def _join(code: str, test: str, key: str) -> _JavaProgram:
    # The test's imports from the code's package are dropped, as both share one file.
    own = {f"import {match[1]}." for match in _PACKAGE.finditer(code)}
    class_imports = own_imports(code, test)
    imports = tuple(
        line
        for line in _imports(code, test)
        if not any(line.startswith(word) for word in own) and _imported_name(line) not in class_imports
    )
    for path in class_imports.values():
        if len(path) > 1:
            # A local variable may be named like a method.
            end = r"\b" if path[-1][:1].isupper() else r"(?=\s*\()"
            test = replace_visible(re.compile(rf"(?<![\w.]){path[-1]}{end}"), ".".join(path), test, "java")
    parts = fit_braces(_strip_headers(code), _strip_headers(test), "java")
    ours = _OURS | _OF_JUNIT if any("org.junit." in line for line in imports) else _OURS
    masked = mask_literals(parts.test, "java")
    started = {
        item.name for item in _types(parts.test) if not item.outer and _MAIN.search(masked, item.start, item.end)
    }
    clashing = _top_names(parts.code) & (ours | started)
    body = rename_types(parts.code, clashing, key, "java")
    return _JavaProgram(imports, f"{body}\n{_add_start(body, parts.test, imports, key)}", f"AnnotatorTests{key}")


def _types(text: str) -> list[DeclaredType]:
    return declared_types(mask_literals(text, "java"))


def _top_names(text: str) -> set[str]:
    return {item.name for item in _types(text) if not item.outer}


def _add_start(body: str, test: str, imports: tuple[str, ...], key: str) -> str:
    """Return a test with a class of ours that runs it.

    The class exits the process, as threads started by the code may never end, and replaces the test's own exits.
    """
    masked = mask_literals(test, "java")
    test = replace_visible(_EXIT, f"AnnotatorTests{key}.exit", test, "java")
    types = [item.name for item in declared_types(masked) if not item.outer]
    if _MAIN.search(masked) and not _MARKED.search(masked):
        name = _find_entry(f"{body}\n{test}", len(body))
        statements = f'return annotator.Tests.main(Class.forName("{name}"));'
    elif types or _METHOD.search(top_level(masked)):
        if not types:
            types = [f"AnnotatorMembers{key}"]
            test = f"public class {types[0]} {{ {test}\n}}"
        runner = "JUnit.run" if _names_junit(imports, masked) else "Tests.named"
        statements = f"return annotator.{runner}({', '.join(f'{name}.class' for name in types)});"
    else:
        statements, test = f"{test}\nreturn {1 if masked.strip() else 0};", ""
    return f"{test}\n{guard_file('Tests.java', key).replace('/* statements */', statements)}"
