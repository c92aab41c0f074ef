"""Programs in Rust: the answer's main makes room for the test's, or for the harness that runs test functions."""

from __future__ import annotations

import re

from annotator.sandbox.programs.c import COMPILED_GUARD, WRAPPED, compile_with_guard, compiled_guard
from annotator.sandbox.programs.program import Program, Request, compile_step, run
from annotator.sandbox.programs.source_text import fit_braces, mask, replace_visible, top_level

_FLAGS = ("rustc", "--edition=2021", "-Cprefer-dynamic", "-Clink-arg=-fuse-ld=gold", "-Awarnings", "-o", "main",
          "main.rs")  # fmt: skip
_MAIN = re.compile(r"\bfn\s+main\s*(?=\()")
_TEST = re.compile(r"#\s*\[\s*test\s*\]((?:\s*#\s*\[[^\]]*\])*)")
_TESTS_MODULE = re.compile(r"\bmod\s+(\w+)\s*\{")
_FUNCTION = re.compile(r"\bfn\s+(test\w*)\s*\(\s*\)\s*\{")
_ITEM = re.compile(r"\b(?:fn|mod|struct|impl)\s")
_EXIT = re.compile(r"(?<![\w:])(?:std\s*::\s*)?process\s*::\s*exit(?=\s*\()")
_IMPORTED_EXIT = re.compile(r"\buse\s+std::process::(?:exit\b|\{[^}]*\bexit\b)")
_BARE_EXIT = re.compile(r"(?<![\w.:])exit(?=\s*\()")
_FILE_MODULE = re.compile(r"^[ \t]*(?:pub\s+)?(?:mod|extern\s+crate)\s+(\w+)\s*;", re.MULTILINE)
_CRATE = re.compile(r"\buse\s+(?:::)?(\w+)\s*::")
_USE = re.compile(r"^[ \t]*use\s+([^;]+);", re.MULTILINE)
_CRATES = frozenset(("std", "core", "alloc", "test", "proc_macro", "crate", "self", "super"))
_MACROS = "assert|assert_eq|assert_ne|debug_assert|debug_assert_eq|panic|unreachable|matches|todo|vec|format|println"
_DECLARED_MACRO = re.compile(rf"(?:\bmacro_rules\s*!\s*|\bas\s+)({_MACROS})\b")


def build_rust(request: Request) -> Program:
    """Return a program in Rust."""
    find = 'LD_LIBRARY_PATH="$(rustc --print sysroot)/lib" exec ./main'
    started = run("sh", "-c", find, needs=("rustc",))
    if request.test is None:
        return Program({"main.rs": request.code}, (compile_step(*_FLAGS), started))
    parts = fit_braces(request.code, request.test, "rust")
    test, flags, tests = _add_main(_use_the_code(parts.test, parts.code), request.key)
    linked = tuple(f"-Clink-arg={word}" for word in (f"{request.tools}/guard.o", *WRAPPED))
    code = _make_room(parts.code, parts.test, request.key) if tests else parts.code
    return Program(
        {"main.rs": f"{code}\n{test}\n{_exit(request.key)}"},
        (compile_with_guard(request, (*_FLAGS, *linked, *flags)), started),
        guards=compiled_guard(request),
        secrets=COMPILED_GUARD,
        tests=tests,
        compiled_nonce=True,
    )


def _make_room(code: str, test: str, key: str) -> str:
    """Return code without a main, tests and macros of its own where the test has such, or means Rust's own."""
    code = _replace_at_top(_MAIN, f"fn annotator_answer_{key}", code)
    code = replace_visible(re.compile(r"#\s*\[\s*test\s*\]"), "", code, "rust")
    modules = set(_TESTS_MODULE.findall(top_level(mask(test, "rust"))))
    names = [name for name in _TESTS_MODULE.findall(top_level(mask(code, "rust"))) if name in modules]
    names += _DECLARED_MACRO.findall(mask(code, "rust"))
    for name in dict.fromkeys(names):
        code = replace_visible(re.compile(rf"\b{name}\b"), f"{name}_{key}", code, "rust")
    return code


def _use_the_code(test: str, code: str) -> str:
    """Return a test that may name the code as a crate or a file beside it: the code stands before it, in its crate."""
    masked = mask(test, "rust")
    named = dict.fromkeys((*_FILE_MODULE.findall(top_level(masked)), *_CRATE.findall(masked)))
    own = [
        name
        for name in named
        if name not in _CRATES
        and not re.search(rf"\b{name}\b", mask(code, "rust"))
        and not re.search(rf"(?<!\buse )(?<!mod )(?<!crate )(?<!::)\b{name}\b(?!\s*::)", masked)
        and not re.search(rf"\bmod\s+{name}\s*\{{", masked)
    ]
    for name in own:
        test = _replace_at_top(re.compile(rf"^[ \t]*(?:pub\s+)?(?:mod|extern\s+crate)\s+{name}\s*;", re.M), "", test)
        test += f"\nextern crate self as {name};\n"
    return _without_known_imports(test, code, own)


def _without_known_imports(test: str, code: str, own: list[str]) -> str:
    """Return a test that does not bring into the crate's scope what the code has there, imported or its own."""
    outside = top_level(mask(code, "rust"))
    known = {leaf for found in _USE.finditer(mask(code, "rust")) if outside[found.start(1)] != " "
             for leaf in _leaves(found[1])}  # fmt: skip
    masked = mask(test, "rust")
    outside = top_level(masked)
    for found in reversed(list(_USE.finditer(masked))):
        leaves = [leaf for leaf in _leaves(found[1]) if leaf not in known and not _is_there(leaf, own)]
        if outside[found.start(1)] != " " and leaves != _leaves(found[1]):
            kept = " ".join(f"use {leaf};" for leaf in leaves)
            test = test[: found.start()] + kept + "\n" * found[0].count("\n") + test[found.end() :]
    return test


def _is_there(leaf: str, own: list[str]) -> bool:
    """Tell whether a path leads to an item at the top of the code's own crate, by its own name."""
    first, _, rest = leaf.removeprefix("::").partition("::")
    return first in own and "::" not in rest and " as " not in rest


def _leaves(tree: str) -> list[str]:
    """Return the single paths of an import: ``a::{b, c::d as e}`` is ``a::b`` and ``a::c::d as e``."""
    head, brace, inside = " ".join(tree.split()).partition("{")
    if not brace:
        return [re.sub(r" ?:: ?", "::", head.strip())]
    parts, depth = [""], 0
    for letter in inside[: inside.rfind("}")]:
        depth += (letter == "{") - (letter == "}")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    prefix = head.replace(" ", "")
    found = [prefix + leaf for part in parts if part.strip() for leaf in _leaves(part)]
    return [re.sub(r"::self\b", "", leaf) for leaf in found]


def _replace_at_top(pattern: re.Pattern[str], replacement: str, text: str) -> str:
    """Replace what a pattern finds outside braces, strings and comments."""
    for found in reversed(list(pattern.finditer(top_level(mask(text, "rust"))))):
        text = text[: found.start()] + replacement + text[found.end() :]
    return text


def _add_main(test: str, key: str) -> tuple[str, tuple[str, ...], int]:
    """Return the test, the flags it is compiled with and how many tests it is."""
    if _IMPORTED_EXIT.search(test):
        test = replace_visible(_BARE_EXIT, f"crate::annotator_exit_{key}", test, "rust")
    test = replace_visible(_EXIT, f"crate::annotator_exit_{key}", test, "rust")
    masked = mask(test, "rust")
    functions = [found for found in _TEST.finditer(masked) if "ignore" not in found[1]]
    if functions:
        return test, ("--test",), len(functions)
    outside = top_level(masked)
    if _MAIN.search(outside):
        return test, (), 1
    names = _FUNCTION.findall(outside)
    if names:
        return f"{test}\nfn main() {{ {' '.join(f'{name}();' for name in names)} }}", (), len(names)
    if masked.strip() and not _ITEM.search(outside):
        return f"fn main() {{\n{test}\n}}", (), 1
    return test, (), 0


def _exit(key: str) -> str:
    """Return what std::process::exit is to the tests."""
    name = f"annotator_exit_{key}"
    return (
        f"#[allow(dead_code)]\nfn {name}(status: i32) -> ! {{\n"
        f'    extern "C" {{ #[link_name = "{name}"] fn leave(status: i32) -> !; }}\n'
        "    let _ = std::io::Write::flush(&mut std::io::stdout());\n"
        "    unsafe { leave(status) }\n}\n"
    )
