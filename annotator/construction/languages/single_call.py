"""Make programs whose functions end the process at their second call, to find tests that call each only once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from annotator.construction.completion.blanks import functions_in
from annotator.construction.edits import Edit, apply_edits
from annotator.sandbox.programs.source_text import closing_place
from annotator.text.python_tree import tree_or_empty
from annotator.text.syntax_trees import parse_code

# The guards end the process because a test that expects an error would catch an exception.
_GUARDS = {
    # A shell may call functions in subprocesses, so the mark is a folder and not a variable.
    "bash": 'mkdir "${{TMPDIR:-/tmp}}/called{n}.$$" 2>/dev/null || kill -KILL $$;',
    "c": "static int called{n}; if (called{n}++) __builtin_trap();",
    "c#": (
        'if (System.AppDomain.CurrentDomain.GetData("called{n}") != null) System.Environment.Exit(1);'
        ' System.AppDomain.CurrentDomain.SetData("called{n}", 1);'
    ),
    "go": 'if called{n} {{ go func() {{ panic("called again") }}(); select {{}} }}; called{n} = true;',
    "java": 'if (System.setProperty("called{n}", "1") != null) Runtime.getRuntime().halt(1);',
    "javascript": "if (globalThis.called{n}) process.exit(1); globalThis.called{n} = true;",
    "php": "static $called{n} = false; if ($called{n}) {{ exit(1); }} $called{n} = true;",
    "r": 'if (isTRUE(getOption("called{n}"))) quit(save = "no", status = 1); options(called{n} = TRUE);',
    "ruby": "exit!(1) if $called{n}; $called{n} = true;",
    "rust": (
        "static CALLED{n}: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);"
        " if CALLED{n}.swap(true, std::sync::atomic::Ordering::SeqCst) {{ std::process::abort(); }}"
    ),
    "typescript": (
        "if ((globalThis as any).called{n}) (globalThis as any).process.exit(1); (globalThis as any).called{n} = true;"
    ),
}
_GUARDS["c++"] = _GUARDS["c"]
_DECLARATIONS_AT_END = {"go": "\nvar called{n} bool\n"}
_FUNCTION_HEADS = {
    "bash": re.compile(r"^[ \t]*(?:function[ \t]+)?(?P<name>[\w-]+)[ \t]*(?=\(\))", re.MULTILINE),
    "r": re.compile(r"(?P<name>[\w.]+)\s*(?:<-|=)\s*function\s*(?=\()"),
}
"""Function heads up to the parameters, in the languages without a tree."""
_STATEMENT_BODIES = ("block", "body_statement", "compound_statement", "statement_block")
"""The bodies that a guard can begin; others are expressions, or members of a class."""
_CONSTRUCTORS = ("constructor", "__construct")
_RUN_BY_COMPILERS = (b"constexpr", b"consteval", b"const fn", b"const unsafe fn")
_SHELL_PARAMETERS = tuple(f"${brace}{sign}" for brace in ("", "{") for sign in "123456789@*#")
"""A shell function's uses of its parameters, since its parentheses are always empty."""
_PYTHON_GUARD = """

def _end_at_second_call(function):
    depth = [0, 0]
    def call(*args, **kwargs):
        if not depth[0]:
            depth[1] += 1
        if depth[1] > 1:
            __import__("os")._exit(1)
        depth[0] += 1
        try:
            return function(*args, **kwargs)
        finally:
            depth[0] -= 1
    return call

"""


def end_at_second_call(code: str, language: str, tests: Sequence[str]) -> str | None:
    """Return a program in which each function that the tests name ends the process at its second call.

    None if they name no function with parameters, or the language is unknown. Only in Python does recursion not count
    as a second call.
    """
    tested_names = {word for text in tests for word in re.findall(r"[A-Za-z_$][\w$]*[?!]?", text)}
    if language == "python":
        functions = [item for item in tree_or_empty(code).body if isinstance(item, ast.FunctionDef)]
        names = [item.name for item in functions if item.name in tested_names and (item.args.args or item.args.vararg)]
        lines = "".join(f"{name} = _end_at_second_call({name})\n" for name in names)
        return f"{code.rstrip()}{_PYTHON_GUARD}{lines}" if names else None
    if language not in _GUARDS:
        return None
    edits: list[Edit] = []
    declarations = ""
    for name, start in _body_starts(code, language):
        if name in tested_names:
            number = len(edits)
            edits.append(Edit(start, start, f" {_GUARDS[language].format(n=number)} "))
            declarations += _DECLARATIONS_AT_END.get(language, "").format(n=number)
    return f"{apply_edits(code, edits)}{declarations}" if edits else None


def _body_starts(code: str, language: str) -> Iterator[tuple[str, int]]:
    """Yield the name of each function with parameters, and the byte at which its body of statements begins.

    Constructors are left out, since their first statement may have to call another one, and functions that the compiler
    may run, since it cannot run a guard.
    """
    root = parse_code(code, language)
    if root is None:
        for name, index in _untreed_body_starts(code, language):
            yield name, len(code[:index].encode())
        return
    data = code.encode("utf-8", "surrogatepass")
    for function_name, node in functions_in(root, data):
        head: Node | None = node
        while head is not None and head.child_by_field_name("parameters") is None:
            head = head.child_by_field_name("declarator")
        parameters = head.child_by_field_name("parameters") if head is not None else None
        body = node.child_by_field_name("body")
        if body is None or body.type not in _STATEMENT_BODIES or parameters is None or not parameters.named_children:
            continue
        head_text = data[node.start_byte : body.start_byte]
        if not _is_constructor(node, language) and not any(mark in head_text for mark in _RUN_BY_COMPILERS):
            yield function_name.decode(), body.start_byte + (body.type != "body_statement")


def _is_constructor(node: Node, language: str) -> bool:
    """Return whether a function is a constructor; in C++, only constructors and conversions lack a type."""
    if language == "c++":
        return node.child_by_field_name("type") is None
    name = node.child_by_field_name("name")
    has_constructor_name = name is not None and name.text is not None and name.text.decode() in _CONSTRUCTORS
    return node.type == "constructor_declaration" or has_constructor_name


def _untreed_body_starts(code: str, language: str) -> Iterator[tuple[str, int]]:
    for match in _FUNCTION_HEADS[language].finditer(code):
        end = closing_place(code, match.end())
        if end is None:
            continue
        following_text = code[end + 1 :]
        if language == "bash":
            has_parameters = any(use in following_text for use in _SHELL_PARAMETERS)
        else:
            has_parameters = bool(code[match.end() + 1 : end].strip())
        if has_parameters and following_text.lstrip().startswith("{"):
            yield match["name"], code.index("{", end) + 1
