"""Extract the program to be tested from a response (specification, part B, 6)."""

from __future__ import annotations

import ast

from annotator.text.python_tree import tree_or_empty
from annotator.text.syntax_trees import parse_program, walk_nodes

_FENCE_MARKS = ("```", "\\begin{code}", "\\end{code}")
_END_MARKS = {
    "python": ("\nclass", "\ndef", "\n#", "\n@", "\nprint", "\nif", "\nassert"),
    "go": ("\n//", "\nfunc main(", "struct", "\nfunc"),
}
_OPEN_BRACES = {"java": 2, "javascript": 1, "go": 1, "c++": 1}
_STRIPPED_LANGUAGES = ("python", "c++", "r")
_MODULES = ("math", "re", "sys", "copy", "datetime", "itertools", "collections", "heapq", "statistics", "functools",
            "hashlib", "numpy")  # fmt: skip
_HEADERS = ("stdlib.h", "algorithm", "cmath", "math.h", "numeric", "stdio.h", "vector", "set", "map", "queue", "stack",
            "list", "deque", "boost/any.hpp", "string", "climits", "cstring", "iostream", "sstream",
            "fstream")  # fmt: skip
PREAMBLES = {
    "python": "\n".join(
        [*(f"import {name}" for name in _MODULES), "import numpy as np", "import pandas as pd",
         *(f"import {name}" for name in ("string", "requests", "openpyxl", "xlsxwriter", "yolk")),
         "from typing import *", "from collections import *"]
    ),
    "c++": "\n".join(["using namespace std;", *(f"#include<{name}>" for name in _HEADERS)]),
    "r": "rm(list=ls())\nlibrary(assert)",
}  # fmt: skip
_PYTHON_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_DEFINITIONS = ("function_declaration", "function_definition", "arrow_function", "class_declaration", "class_specifier",
                "record_declaration", "struct_specifier")  # fmt: skip
_GO_DECLARATIONS = ("package", "import", "func", "type", "var", "const")
TIMEOUTS = {
    "python": 10.0,
    "c++": 60.0,
    "javascript": 10.0,
    "typescript": 20.0,
    "java": 10.0,
    "go": 20.0,
    "c#": 20.0,
    "r": 20.0,
}
OTHER_TIMEOUT = 20.0


def extract_code(text: str, language: str, *, only_longest: bool = False) -> str:
    """Return the code of a response: its fenced blocks, or the text up to where the language's code seems to end.

    Fence lines are paired, and an unpaired last one is ignored; blocks are joined by an empty line.
    """
    if sum(text.count(mark) for mark in _FENCE_MARKS) < 2:
        return _trim_answer(text, language)
    lines = text.split("\n")
    fence_lines = [number for number, line in enumerate(lines) if any(mark in line for mark in _FENCE_MARKS)]
    blocks = [lines[start + 1 : end] for start, end in zip(fence_lines[::2], fence_lines[1::2], strict=False)]
    if only_longest and blocks:
        blocks = [max(blocks, key=len)]
    return "\n\n".join("\n".join(block) for block in blocks)


def is_bare_program(text: str, language: str) -> bool:
    """Return whether a response consists only of a program with definitions, without a fence.

    The published grader, and `extract_code`, would read it as the rest of a function and often cut all of it off.
    """
    if any(mark in text for mark in _FENCE_MARKS):
        return False
    if language == "python":
        return any(isinstance(item, _PYTHON_DEFINITIONS) for item in tree_or_empty(text).body)
    if language == "go":
        words = text.split(maxsplit=1)
        starts_with_code = text.lstrip().startswith("//") or (len(words) > 1 and words[0] in _GO_DECLARATIONS)
        return starts_with_code and any(line.startswith(("func ", "func\t")) for line in text.split("\n"))
    root = parse_program(text, language)
    return root is not None and not root.has_error and any(node.type in _DEFINITIONS for node in walk_nodes(root))


def _trim_answer(text: str, language: str) -> str:
    ends = [text.find(stop) for stop in _END_MARKS.get(language, ()) if stop in text]
    text = text[: min(ends)] if ends else text
    if language == "python":
        return _leading_body(text)
    return _cut_after_braces(text, language) if language in _OPEN_BRACES else text


def _leading_body(text: str) -> str:
    """Return the lines before the first that is neither empty nor indented."""
    body = []
    for line in text.split("\n"):
        if line.strip() and not line[0].isspace():
            break
        body.append(line)
    return "\n".join(body)


def _cut_after_braces(text: str, language: str) -> str:
    """Cut after the brace that closes the braces assumed to be open in the prompt, else after the last brace.

    In Java without such a brace, ``main`` is removed, and a closing brace is added if exactly one is missing.
    """
    depth = _OPEN_BRACES[language]
    for index, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return text[: index + 1]
    main = text.find("public static void main") if language == "java" else -1
    text = text if main < 0 else f"{text[:main]}}}"
    text = text[: text.rfind("}") + 1] or text
    is_one_missing = language == "java" and text.count("{") == text.count("}") + 1
    return f"{text}\n}}" if is_one_missing else text


def assemble_program(code: str, language: str, prefix_file: str = "") -> str:
    """Return the program without its test: preamble, prefix file, code."""
    preamble = PREAMBLES.get(language)
    program = f"{prefix_file}\n{code}" if preamble is None else f"{preamble}\n{prefix_file}\n{code}"
    if language in _STRIPPED_LANGUAGES:
        program = program.strip()
    if language == "python":
        future_lines, other_code = split_future_imports(program)
        program = "".join(line if line.endswith("\n") else f"{line}\n" for line in future_lines) + other_code
    return program


def split_future_imports(program: str) -> tuple[list[str], str]:
    """Return the lines of a Python program that import from ``__future__``, and the program without them.

    An import in brackets continues until they are closed.
    """
    futures: list[str] = []
    others: list[str] = []
    is_open = False
    *lines, last = program.split("\n")
    for line in (*(f"{line}\n" for line in lines), last):
        is_start = line.startswith("from __future__ import ")
        (futures if is_start or is_open else others).append(line)
        is_open = (is_open or (is_start and "(" in line)) and ")" not in line
    return futures, "".join(others)


def fenced_code_of(response: str) -> str:
    """Return the code in a response's fences, or the whole response if it has none."""
    return extract_code(response, "", only_longest=False) if response.count("```") >= 2 else response
