"""Programs whose functions end the process at their second call: tests that still pass call each only once."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from annotator.construction.edits import Edit, apply_edits
from annotator.sandbox.programs.source_text import closing_place
from annotator.text.python_tree import tree_or_empty

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
_AT_THE_END = {"go": "\nvar called{n} bool\n"}
_TYPED_HEAD = (
    r"^[ \t]*(?!return\b|new\b|else\b|throw\b|delete\b)[\w:<>,\[\]&*?. \t]*?[\w>\]&*?][\s&*]+(?P<name>\w+)\s*(?=\()"
)
_FUNCTION_HEAD = r"\bfunction\s*\*?\s*(?P<name>[\w$]+)\s*(?:<[^()]*>)?\s*(?=\()"
_ARROW_HEAD = r"|\b(?:const|let|var)\s+(?P<arrow>[\w$]+)\s*=\s*(?:async\s*)?(?:function\s*)?(?=\()"
_HEADS = {
    "bash": re.compile(r"^[ \t]*(?:function[ \t]+)?(?P<name>[\w-]+)[ \t]*(?=\(\))", re.MULTILINE),
    **dict.fromkeys(("c", "c++", "c#", "java"), re.compile(_TYPED_HEAD, re.MULTILINE)),
    **dict.fromkeys(("javascript", "typescript"), re.compile(_FUNCTION_HEAD + _ARROW_HEAD)),
    "go": re.compile(r"\bfunc\s+(?:\([^)]*\)\s*)?(?P<name>\w+)\s*(?:\[[^\]]*\])?\s*(?=\()"),
    "php": re.compile(r"\bfunction\s+&?(?P<name>\w+)\s*(?=\()"),
    "r": re.compile(r"(?P<name>[\w.]+)\s*(?:<-|=)\s*function\s*(?=\()"),
    "ruby": re.compile(r"\bdef\s+(?:self\.)?(?P<name>\w+[?!]?)\s*(?=\()"),
    "rust": re.compile(r"\bfn\s+(?P<name>\w+)\s*(?:<[^()]*>)?\s*(?=\()"),
}
_OPENING = {
    "bash": re.compile(r"\s*\{\s"),
    **dict.fromkeys(("c", "c++", "c#", "java"), re.compile(r"[^;{=]*\{")),
    **dict.fromkeys(("javascript", "typescript"), re.compile(r"\s*(?::[^;{=]*)?(?:=>\s*)?\{")),
    "go": re.compile(r"(?:interface\{\}|struct\{\}|(?!interface\{\}|struct\{\})[^\n{])*\{"),
    "php": re.compile(r"\s*(?::\s*[?\w\\|]+\s*)?\{"),
    "r": re.compile(r"\s*\{"),
    "rust": re.compile(r"[^;{]*\{"),
}
"""The text between a function's parameters and its body, up to the opening brace."""
_SHELL_PARAMETER = re.compile(r"\$\{?[1-9@*#]")
"""A shell function's use of a parameter, since its parentheses are always empty."""
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
    head = _HEADS.get(language)
    if head is None:
        return None
    edits: list[Edit] = []
    ends = ""
    for match in head.finditer(code):
        name = next(filter(None, match.groups()))
        place = _body(code, match.end(), language) if name in tested_names else None
        if place is not None:
            at, number = len(code[:place].encode()), len(edits)
            edits.append(Edit(at, at, f" {_GUARDS[language].format(n=number)} "))
            ends += _AT_THE_END.get(language, "").format(n=number)
    return f"{apply_edits(code, edits)}{ends}" if edits else None


def _body(code: str, start: int, language: str) -> int | None:
    """Return the start of a function's body, given the start of its parameters; None if it lacks either."""
    end = closing_place(code, start)
    if end is None:
        return None
    parameters = _SHELL_PARAMETER.search(code, end) if language == "bash" else code[start + 1 : end].strip()
    if not parameters:
        return None
    if language == "ruby":
        line = code.find("\n", end)
        return line + 1 if line >= 0 else None
    body = _OPENING[language].match(code, end + 1)
    return body.end() if body else None
