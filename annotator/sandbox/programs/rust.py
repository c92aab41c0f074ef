"""Programs in Rust: the answer's main is replaced by the test's, or by the harness that runs test functions."""

from __future__ import annotations

import re

from annotator.sandbox.programs.c import COMPILED_GUARD, WRAPPED, compile_with_guard, compiled_guard
from annotator.sandbox.programs.program import ProgramRequest, SandboxProgram, compile_step, run_step
from annotator.sandbox.programs.source_text import fit_braces, mask_literals, replace_visible, top_level

_FLAGS = ("-Cprefer-dynamic", "-Clink-arg=-fuse-ld=mold", "--cap-lints=allow", "-o", "main",
          "main.rs")  # fmt: skip
_MAIN = re.compile(r"\bfn\s+main\s*(?=\()")
_TEST = re.compile(r"#\s*\[\s*test\s*\]((?:\s*#\s*\[[^\]]*\])*)")
_IGNORED = re.compile(
    r"#\s*\[\s*ignore\s*(?:=[^\]]*)?\]\s*(?:#\s*\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?(?P<fn>fn)\s+(?P<name>\w+)"
)
_TESTS_MODULE = re.compile(r"\bmod\s+(\w+)\s*\{")
_FUNCTION = re.compile(r"\bfn\s+(test\w*)\s*\(\s*\)\s*\{")
_ITEM = re.compile(r"\b(?:fn|mod|struct|impl)\s")
_EXIT = re.compile(r"(?<![\w:])(?:std\s*::\s*)?process\s*::\s*exit(?=\s*\()")
_IMPORTED_EXIT = re.compile(r"\buse\s+std::process::(?:exit\b|\{[^}]*\bexit\b)")
_BARE_EXIT = re.compile(r"(?<![\w.:])exit(?=\s*\()")
_FILE_MODULE = re.compile(r"^[ \t]*(?:pub\s+)?(?:mod|extern\s+crate)\s+(\w+)\s*;", re.MULTILINE)
_CRATE = re.compile(r"\buse\s+(?:::)?(\w+)\s*(?:::|;|as\b)")
_PATH = re.compile(r"(?<![\w:.'!])([a-z_]\w*)\s*::\s*(?=\w)")
_USE = re.compile(r"^[ \t]*use\s+([^;]+);", re.MULTILINE)
_NO_METHOD = "E0599"
_NAME = re.compile(r"\w+")
_CRATES = frozenset(("std", "core", "alloc", "test", "proc_macro", "crate", "self", "super", "rustfmt", "clippy"))
_PRIMITIVES = frozenset(("bool", "char", "f32", "f64", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
                         "u32", "u64", "u128", "usize"))  # fmt: skip
_CHAIN = re.compile(r"&&\s*let\b|\b(?:if|while)\s+let\b[^;{]*&&")
"""Marks of edition 2024; answers are mostly written in the one before, which forbids less."""
_MACROS = "assert|assert_eq|assert_ne|debug_assert|debug_assert_eq|panic|unreachable|matches|todo|vec|format|println"
_DECLARED_MACRO = re.compile(rf"(?:\bmacro_rules\s*!\s*|\bas\s+)({_MACROS})\b")


def build_rust(request: ProgramRequest) -> SandboxProgram:
    """Return a program in Rust."""
    find = 'LD_LIBRARY_PATH="$(rustc --print sysroot)/lib" exec ./main'
    started = run_step("sh", "-c", find, needs=("rustc",))
    if request.test is None:
        return SandboxProgram(
            files={"main.rs": request.code}, steps=(compile_step(*_compiler(_edition(request.code))), started)
        )
    parts = fit_braces(request.code, request.test, "rust")
    own = _own_crates(parts.test, parts.code)
    test = parts.test
    for name in own:
        declared = re.compile(rf"^[ \t]*(?:#\[macro_use\]\s*)?(?:pub\s+)?(?:mod|extern\s+crate)\s+{name}\s*;", re.M)
        test = _replace_at_top(declared, "", test)
    apart = bool(own and _TEST.search(mask_literals(test, "rust")))
    beside = test if apart else _without_known_imports(test, parts.code, own)
    test, flags, tests = _add_main(beside, request.key)
    if apart:
        # Like an integration test, in a module of its own: its names must not clash with those of the code.
        test = f"mod annotator_tests_{request.key} {{ {test}\nuse super::*;\n}}"
    test += "".join(f"\nextern crate self as {name};" for name in own)
    linked = tuple(f"-Clink-arg={word}" for word in (f"{request.tools}/guard.o", *WRAPPED))
    code = _make_room(parts.code, parts.test, request.key)
    edition = _edition(parts.code, parts.test)
    gated_code = _set_idle_imports_apart(code, parts.test, f"annotator_{request.key}")
    all_imports = f"--cfg annotator_{request.key}" if gated_code != code else ""
    command = (*_compiler(edition), *linked, *flags)
    return SandboxProgram(
        files={"main.rs": f"{gated_code}\n{test}\n{_exit(request.key, edition)}"},
        steps=(compile_with_guard(request, command, all_imports, error=_NO_METHOD), started),
        guards=compiled_guard(request),
        secrets=COMPILED_GUARD,
        tests=tests,
        compiled_nonce=True,
    )


def ignored_tests(test: str) -> list[tuple[int, str]]:
    """Return the offset and name of each function that the harness does not run; none where no harness runs."""
    masked = mask_literals(test, "rust")
    ignored = [(match.start("fn"), match["name"]) for match in _IGNORED.finditer(masked)]
    return ignored if len(_TEST.findall(masked)) > len(ignored) else []


def expected_panics(test: str) -> list[tuple[int, int]]:
    """Return where in a test the attributes that expect a panic begin and end, without their brackets."""
    masked, places = mask_literals(test, "rust"), list[tuple[int, int]]()
    while (at := masked.find("#[should_panic", places[-1][0] if places else 0)) >= 0:
        places.append((at + len("#["), masked.find("]", at)))
    return places


def _edition(*texts: str) -> str:
    return "2024" if any(_CHAIN.search(mask_literals(text, "rust")) for text in texts) else "2021"


def _compiler(edition: str) -> tuple[str, ...]:
    return ("rustc", f"--edition={edition}", *_FLAGS)


def _make_room(code: str, test: str, key: str) -> str:
    """Return code with its main, tests and macros renamed if they clash with those of the test or of Rust."""
    code = _replace_at_top(_MAIN, f"fn annotator_answer_{key}", code)
    code = replace_visible(re.compile(r"#\s*\[\s*test\s*\]"), "", code, "rust")
    modules = set(_TESTS_MODULE.findall(top_level(mask_literals(test, "rust"))))
    names = [name for name in _TESTS_MODULE.findall(top_level(mask_literals(code, "rust"))) if name in modules]
    names += _DECLARED_MACRO.findall(mask_literals(code, "rust"))
    for name in dict.fromkeys(names):
        code = replace_visible(re.compile(rf"\b{name}\b"), f"{name}_{key}", code, "rust")
    return code


def _set_idle_imports_apart(code: str, test: str, flag: str) -> str:
    """Return code whose imports from other crates that nothing names are compiled only with a flag.

    Published prompts import crates that few of their answers use. ``*`` may import any name, and stays. What lacks a
    method without them is compiled with them, so that the compiler names the crate that would have it.
    """
    masked = mask_literals(code, "rust")
    words = set(_NAME.findall(_USE.sub("", f"{masked}\n{mask_literals(test, 'rust')}"))) | _CRATES
    for match in reversed(list(_USE.finditer(masked))):
        ends = [_NAME.findall(path) for path in _import_paths(match[1])]
        if "*" not in match[1] and not any({names[0], names[-1]} & words for names in ends if names):
            code = f"{code[: match.start()]}#[cfg({flag})] {code[match.start() :]}"
    return code


def _own_crates(test: str, code: str) -> list[str]:
    """Return the names of crates or modules with which a test means the code: those that nothing else defines."""
    masked, answer = mask_literals(test, "rust"), mask_literals(code, "rust")
    imported = {
        leaf.rpartition(" as ")[2].rpartition("::")[2] for text in (masked, answer) for match in _USE.finditer(text)
        for leaf in _import_paths(match[1])
    }  # fmt: skip
    candidates = dict.fromkeys((*_FILE_MODULE.findall(top_level(masked)), *_CRATE.findall(masked)))
    candidates |= dict.fromkeys(name for name in _PATH.findall(masked) if name not in imported)
    reserved = _CRATES | _PRIMITIVES
    return [
        name
        for name in candidates
        if name not in reserved
        and not re.search(rf"(?<![\w:.'!]){name}\s*::|\buse\s+(?:::)?{name}\b", answer)
        and not re.search(rf"\b(?:mod|struct|enum|union|trait|type)\s+{name}\b(?!\s*;)", f"{masked}\n{answer}")
    ]


def _without_known_imports(test: str, code: str, own: list[str]) -> str:
    """Return a test without imports of names that the code has in the same scope already."""
    outside = top_level(mask_literals(code, "rust"))
    imported = {leaf for match in _USE.finditer(mask_literals(code, "rust")) if outside[match.start(1)] != " "
             for leaf in _import_paths(match[1])}  # fmt: skip
    masked = mask_literals(test, "rust")
    outside = top_level(masked)
    for match in reversed(list(_USE.finditer(masked))):
        leaves = [leaf for leaf in _import_paths(match[1]) if leaf not in imported and not _is_own_item(leaf, own)]
        if outside[match.start(1)] != " " and leaves != _import_paths(match[1]):
            imports = " ".join(f"use {leaf};" for leaf in leaves)
            test = test[: match.start()] + imports + "\n" * match[0].count("\n") + test[match.end() :]
    return test


def _is_own_item(leaf: str, own: list[str]) -> bool:
    """Return whether a path leads to an item at the top of the code's own crate, by its own name."""
    first, _, rest = leaf.removeprefix("::").partition("::")
    return first in own and "::" not in rest and " as " not in rest


def _import_paths(tree: str) -> list[str]:
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
    paths = [prefix + leaf for part in parts if part.strip() for leaf in _import_paths(part)]
    return [re.sub(r"::self\b", "", leaf) for leaf in paths]


def _replace_at_top(pattern: re.Pattern[str], replacement: str, text: str) -> str:
    """Replace the matches of a pattern outside braces, strings and comments."""
    for match in reversed(list(pattern.finditer(top_level(mask_literals(text, "rust"))))):
        text = text[: match.start()] + replacement + text[match.end() :]
    return text


def _add_main(test: str, key: str) -> tuple[str, tuple[str, ...], int]:
    """Return the test, its compiler flags and the number of tests."""
    if _IMPORTED_EXIT.search(test):
        test = replace_visible(_BARE_EXIT, f"crate::annotator_exit_{key}", test, "rust")
    test = replace_visible(_EXIT, f"crate::annotator_exit_{key}", test, "rust")
    masked = mask_literals(test, "rust")
    functions = [match for match in _TEST.finditer(masked) if "ignore" not in match[1]]
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
    return f"{test}\nfn main() {{}}", (), 0


def _exit(key: str, edition: str) -> str:
    """Return the function that replaces ``std::process::exit`` in tests."""
    unsafe = "unsafe " if edition == "2024" else ""
    name = f"annotator_exit_{key}"
    return (
        f"#[allow(dead_code)]\nfn {name}(status: i32) -> ! {{\n"
        f'    {unsafe}extern "C" {{ #[link_name = "{name}"] fn leave(status: i32) -> !; }}\n'
        "    let _ = std::io::Write::flush(&mut std::io::stdout());\n"
        "    unsafe { leave(status) }\n}\n"
    )
