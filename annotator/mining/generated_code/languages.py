"""Which files are read as what, and the one door to the parsers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from annotator.mining.generated_code.python_source import parse_python
from annotator.mining.generated_code.syntax import Parsed

if TYPE_CHECKING:
    from tree_sitter import Parser

LANGUAGES = ("python", "java", "javascript", "typescript", "c++")
_SUFFIXES = {
    ".py": "python", ".java": "java", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript",
    ".cjs": "javascript", ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescript",
    ".c": "c++", ".h": "c++", ".cc": "c++", ".cpp": "c++", ".cxx": "c++", ".hh": "c++", ".hpp": "c++", ".hxx": "c++",
}  # fmt: skip


def language_of(name: str) -> str:
    """Return the language of a file by its name, "" for one that is not read."""
    return _SUFFIXES.get(PurePosixPath(name).suffix.lower(), "")


def parse(text: str, language: str, name: str = "") -> Parsed:
    """Read source code of one of `LANGUAGES`; ``name`` tells TypeScript with elements (.tsx) from without."""
    if language == "python":
        return parse_python(text)
    from annotator.mining.generated_code.tree_source import parse_tree

    grammar = "tsx" if language == "typescript" and name.lower().endswith("x") else language
    return parse_tree(text, language, parser(grammar))


def parse_piece(code: str, language: str, name: str = "") -> Parsed:
    """Read the code of one definition: a method is read within a class, since by itself it says something else."""
    alone = parse(code, language, name)
    if language not in ("java", "javascript", "typescript") or (alone.sound and language != "java"):
        return alone
    wrapped = parse(f"class Piece {{\n{code}\n}}", language, name)
    if not wrapped.sound:
        return alone
    # The wrapping is "class", "Piece", "{" … "}", and a line of its own.
    return replace(wrapped, tokens=wrapped.tokens[3:-1], logical_lines=wrapped.logical_lines - 1)


@cache
def parser(grammar: str) -> Parser:
    """Return the parser of a grammar (a language, or "tsx"); the grammars are loaded when they are first needed."""
    import tree_sitter

    if grammar == "java":
        import tree_sitter_java

        pointer = tree_sitter_java.language()
    elif grammar == "javascript":
        import tree_sitter_javascript

        pointer = tree_sitter_javascript.language()
    elif grammar in ("typescript", "tsx"):
        import tree_sitter_typescript

        typed = tree_sitter_typescript
        pointer = typed.language_tsx() if grammar == "tsx" else typed.language_typescript()
    else:
        import tree_sitter_cpp

        pointer = tree_sitter_cpp.language()
    return tree_sitter.Parser(tree_sitter.Language(pointer))
