"""Programs in C#: the guard starts the test's own Main by its class's name, whatever the code has."""

from __future__ import annotations

import re

from annotator.sandbox.programs.program import ProgramRequest, SandboxProgram, compile_step, guard_file, run_step
from annotator.sandbox.programs.source_text import (
    DeclaredType,
    brace_depth,
    declared_types,
    fit_braces,
    innermost_type,
    mask_literals,
    rename_types,
    replace_visible,
    top_level,
)

_FLAGS = ("-nologo", "-warn:0", "-langversion:experimental", "-out:main.exe", "-r:System.Core", "-d:DEBUG", "-d:TRACE")
_USING = re.compile(r"(?:^|(?<=;))\s*using\s+(?:static\s+)?[\w.]+(?:\s*=\s*[\w.<>, ]+)?;", re.MULTILINE)
_PLAIN_USING = re.compile(r"\s*using\s+([\w.]+)\s*;")
_NAMESPACE = re.compile(r"\bnamespace\s+([\w.]+)\s*\{")
_FILE_NAMESPACE = re.compile(r"^\s*namespace\s+[\w.]+\s*;", re.MULTILINE)
_TYPE = re.compile(r"\b(?:class|struct|interface|enum|namespace|delegate)\s+\w+")
_MAIN = re.compile(r"\bstatic\s+(?:\w+\s+)*(?:void|int|(?:[\w.]+\.)?Task(?:\s*<\s*int\s*>)?)\s+Main\s*\(")
_EXIT = re.compile(r"(?<![\w.])(?:System\.)?Environment\.Exit(?=\s*\()")
_METHOD = re.compile(r"\b(?:void|bool|int|string)\s+\w+\s*\([^()]*\)\s*(?:\{|=>)")
_TEST_METHOD = re.compile(r"\bvoid\s+(Test\w*)\s*\(\s*\)\s*(?:\{|=>)")
_ACCESS = r"public|private|protected|internal"
_BARE = re.compile(
    rf"\s*(?:\[[^\]]*\]\s*)*((?:(?:{_ACCESS}|static|async|unsafe)\s+)*)"
    r"(?:\([^(){};=]*\)|[\w.]+(?:<[^(){};=]*>)?[\[\],?]*)\s+(\w+)\s*(?:<[^(){};=]*>)?\s*\([^{};]*?\)\s*(?:where[^{};]*?)?(\{|=>)"
)
"""A method outside classes, with its modifiers, its name and the beginning of its body."""
_IMPLICIT = tuple(f"using System{name};" for name in ("", ".Collections.Generic", ".IO", ".Linq", ".Threading.Tasks"))
"""Implicit usings of newer projects; names of the code itself take precedence."""
_OURS = frozenset((
    "System", "Environment", "Console", "Debug", "Trace", "Exception", "Math", "Object", "String", "Array",
    "Enumerable", "Convert", "InvalidOperationException", "ApplicationException",
))  # fmt: skip
"""Names that mean the library's types in tests, whatever the code declares."""


def build_csharp(request: ProgramRequest) -> SandboxProgram:
    """Return a program in C#: using directives go to the top, so that code and test can share one file."""
    flags = (*_FLAGS, "-r:System.Numerics") if "System.Numerics" in f"{request.code}{request.test}" else _FLAGS
    if request.test is None:
        compiled = compile_step("mcs", *flags, "main.cs")
        files = {"main.cs": "\n".join([*_usings(request.code), _strip_directives(request.code)])}
        return SandboxProgram(files=files, steps=(compiled, run_step("mono", "main.exe")))
    usings = _known_usings(request.code, request.test)
    code, test = _strip_directives(request.code), _strip_directives(request.test)
    code, using_static = _wrap_methods(code, test, request.key)
    usings += using_static
    body, entry, tests = _join(_open_namespaces(code, test, request.key), test, request.key)
    guarded = (f"{request.tools}/guard.cs", f"-main:AnnotatorGuard{request.key}")
    return SandboxProgram(
        files={"main.cs": "\n".join([*usings, body])},
        steps=(compile_step("mcs", *flags, "main.cs", *guarded), run_step("mono", "main.exe", entry)),
        guards={"guard.cs": guard_file("guard.cs", request.key)},
        secrets=("guard.cs",),
        tests=tests,
    )


def _usings(*texts: str) -> tuple[str, ...]:
    usings = dict.fromkeys(line.strip() for text in texts for line in _USING.findall(text))
    return tuple(usings | dict.fromkeys(_IMPLICIT))


def _known_usings(code: str, test: str) -> tuple[str, ...]:
    """Return the using directives, without missing namespaces that the test expects of the code.

    Without them the compiler reports which types it does not find, which tells a library from the code's own namespace.
    """
    declared = _NAMESPACE.findall(mask_literals(f"{code}\n{test}", "c#"))
    unknown = {
        line for line in _usings(test) if (match := _PLAIN_USING.match(line)) and not _is_known(match[1], declared)
    }
    return tuple(line for line in _usings(code, test) if line not in unknown)


def _is_known(namespace: str, declared: list[str]) -> bool:
    of_platform = namespace.partition(".")[0] in ("System", "Microsoft", "Mono")
    return of_platform or any(f"{name}.".startswith(f"{namespace}.") for name in declared)


def _strip_directives(text: str) -> str:
    """Return a text without using directives and file-scoped namespace, which would enclose the other text too."""
    for pattern in (_USING, _FILE_NAMESPACE):
        text = pattern.sub(lambda match: "\n" * match[0].count("\n"), text)
    return text


def _wrap_methods(code: str, test: str, key: str) -> tuple[str, tuple[str, ...]]:
    """Return code whose methods outside classes are put into one, and the using that lets the tests see them.

    It is the class that the tests close, or that they call. Statements after the methods are not executed.
    """
    masked = mask_literals(code, "c#")
    top, methods, end = top_level(masked), [], 0
    while not declared_types(masked) and (method := _BARE.match(top, end)) is not None:
        methods.append(method)
        end = top.find("}" if method[3] == "{" else ";", method.end()) + 1
        if not end:
            return code, ()
    if not methods:
        return code, ()
    names = "|".join(method[2] for method in methods)
    call = re.search(rf"(?<![\w.])(new\s+)?(\w+)\s*(?:\(\s*\)\s*)?\.\s*(?:{names})\s*[(<]", mask_literals(test, "c#"))
    closed_count = _count_closed(test)
    owner = (
        call[2] if call is not None and call[2] != "this" else "Program" if closed_count else f"AnnotatorAnswer{key}"
    )
    parts, at = [], 0
    for method in methods:
        modifiers = "" if re.search(_ACCESS, method[1]) else "public "
        modifiers += "" if "static" in method[1] or (call is not None and call[1]) else "static "
        parts += [code[at : method.start(1)], modifiers]
        at = method.start(1)
    rest = f" static void Run{key}(string[] args) {{ {code[end:]} }}" if top[end:].strip() else code[end:]
    body = f"public class {owner} {{ {''.join(parts)}{code[at:end]}{rest}\n}}"
    return body, (f"using static {owner};",) if call is None and not closed_count else ()


def _open_namespaces(code: str, test: str, key: str) -> str:
    """Return code in as many namespaces as a test closes in addition to the types that the code ends with."""
    masked = mask_literals(code, "c#")
    ends = {item.end for item in declared_types(masked)}
    missing = _count_closed(test) - max(0, brace_depth(masked))
    rest, closed = masked.rstrip(), 0
    while rest.endswith("}") and ends & {len(rest) - 1, len(rest)}:
        rest, closed = rest[:-1].rstrip(), closed + 1
    if not 0 < closed < missing:
        return code
    return f"namespace AnnotatorSpace{key} {{ " * (missing - closed) + code + "\n" + "}" * (missing - closed)


def _count_closed(test: str) -> int:
    """Return how many open braces a test closes at its end; leading ones close open code and do not count."""
    return max(0, -brace_depth(re.sub(r"\A[\s}]+", "", mask_literals(test, "c#"))))


def _wrap_statements(code: str, key: str) -> str:
    """Return code whose top-level statements, its own program, are moved into a method."""
    masked = mask_literals(code, "c#")
    first = _TYPE.search(masked)
    end = masked.rfind(";", 0, first.start() if first is not None else len(masked)) + 1
    if not masked[:end].strip():
        return code
    return f"static class AnnotatorAnswer{key} {{ static void Run(string[] args) {{ {code[:end]} }} }}{code[end:]}"


def _join(code: str, test: str, key: str) -> tuple[str, str, int]:
    """Return code and test as one text, the runtime's name of the class to start, and the number of tests."""
    parts = fit_braces(_wrap_statements(code, key), test, "c#")
    masked = mask_literals(parts.test, "c#")
    started = {item.path for item in declared_types(masked) if _MAIN.search(masked, item.start, item.end)}
    declared = {item.path for item in declared_types(mask_literals(parts.code, "c#"))}
    clashing = {path[-1] for path in declared & started} | {path[0] for path in declared if path[0] in _OURS}
    body = rename_types(parts.code, clashing, key, "c#")
    if not _MAIN.search(masked):
        return _add_main(body, parts.test, masked, key)
    body = _rename_open_main(body, key)
    text = f"{body}\n{replace_visible(_EXIT, f'AnnotatorGuard{key}.Exit', parts.test, 'c#')}"
    return text, _find_entry(text, len(body)), 1


def _rename_open_main(code: str, key: str) -> str:
    """Return code without a Main in a class that the test continues, which has its own."""
    masked = mask_literals(code, "c#")
    types = declared_types(masked)
    for match in reversed(list(_MAIN.finditer(masked))):
        inner = innermost_type(types, match.start())
        if inner is not None and inner.end >= len(masked):
            at = masked.rindex("Main", match.start(), match.end())
            code = f"{code[:at]}AnnotatorAnswer{key}{code[at + len('Main') :]}"
    return code


def _find_entry(text: str, start: int) -> str:
    """Return the runtime's name of the type with the last Main after ``start``."""
    masked = mask_literals(text, "c#")
    types = declared_types(masked)
    around = [innermost_type(types, match.start()) for match in _MAIN.finditer(masked, start)]
    inner = next((item for item in reversed(around) if item is not None), None)
    return _runtime_name(masked, types, inner) if inner is not None else "Program"


def _runtime_name(masked: str, types: list[DeclaredType], inner: DeclaredType) -> str:
    name = ""
    for item in types:
        if item.start <= inner.start and item.end >= inner.end and item.path == inner.path[: len(item.path)]:
            is_namespace = masked[: item.start].rstrip().endswith("namespace")
            name += item.name + ("." if is_namespace else "+")
    return name[:-1]


def _add_main(code: str, test: str, masked: str, key: str) -> tuple[str, str, int]:
    """Join a test that has no Main with a class of ours that runs it."""
    tests = f"AnnotatorTests{key}"
    test = replace_visible(_EXIT, f"AnnotatorGuard{key}.Exit", test, "c#")
    if declared_types(masked):
        calls = [
            f"new {'.'.join(item.path)}().{match[1]}();"
            for item in declared_types(masked)
            for match in _TEST_METHOD.finditer(masked, item.start, item.end)
            if innermost_type(declared_types(masked), match.start()) == item
        ]
        return (
            f"{code}\n{test}\nstatic class {tests} {{ static void Main() {{ {' '.join(calls)} }} }}",
            tests,
            len(calls),
        )
    if _METHOD.search(top_level(masked)):
        names = [match[1] for match in _TEST_METHOD.finditer(masked)]
        calls = [f"new {tests}().{name}();" for name in names]
        return f"{code}\nclass {tests} {{ {test}\nstatic void Main() {{ {' '.join(calls)} }} }}", tests, len(names)
    count = 1 if masked.strip() else 0
    return f"{code}\nstatic class {tests} {{ static void Main() {{\n{test}\n}} }}", tests, count
