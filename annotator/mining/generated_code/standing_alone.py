"""What mined code shows of itself: without credits to a model, in its own language, and which names it lacks."""

from __future__ import annotations

import builtins
import re
import symtable
from pathlib import PurePosixPath

from annotator.mining.generated_code.languages import parse_piece
from annotator.mining.generated_code.mentions import find_mentions
from annotator.text.python_tree import UNREADABLE

_ONLY_COMMENT = re.compile(r"\s*(?:#|//|/?\*)")
_OPENING = re.compile(r"^(\s*(?:[rRuU]?(?:\"\"\"|'''|\"|')|/\*+|\*|#+|//+)?\s*)(.*?)(\s*(?:\"\"\"|'''|\"|'|\*/)?\s*)$")
_TRAILING = re.compile(r"\s*(?:#|//|/\*).*$")
_CPP_WORDS = re.compile(
    r"\b(?:class|namespace|template|typename|public|private|using|constexpr|nullptr|auto|virtual|new|delete)\b|::|&\s*\w+\s*[,)]"
)
_NEVER_MISSING = frozenset(dir(builtins)) | {"__file__", "__class__"}


def without_credits(code: str, language: str, path: str = "") -> str:
    """Return code without comments, or their lines, that say a model wrote it."""
    lines = code.split("\n")
    dropped: set[int] = set()
    for comment in parse_piece(code, language, path).comments:
        if not find_mentions(comment.text):
            continue
        for number in range(comment.start - 1, min(comment.end, len(lines))):
            if comment.start < comment.end and not find_mentions(lines[number]):
                continue
            line = lines[number]
            if comment.place == "behind":
                lines[number] = _TRAILING.sub("", line)
            elif comment.place == "docstring" or (comment.start < comment.end and not _ONLY_COMMENT.match(line)):
                lines[number] = _without_sentence(line)
            elif "/*" in line and "*/" not in line:
                lines[number] = line[: line.index("/*") + 2]
            else:
                dropped.add(number)
    return "\n".join(line for number, line in enumerate(lines) if number not in dropped)


def _without_sentence(line: str) -> str:
    match = _OPENING.match(line)
    assert match is not None
    sentences = re.split(r"(?<=[.!?)])\s+", match[2])
    return match[1] + " ".join(item for item in sentences if not find_mentions(item)) + match[3].rstrip()


def shown_language(language: str, path: str, code: str) -> str:
    """Return the language of code: what the grammar of C++ reads is C by the file's ending, a header's by its words."""
    ending = PurePosixPath(path).suffix.lower()
    is_c = ending == ".c" or (ending == ".h" and _CPP_WORDS.search(code) is None)
    return "c" if language == "c++" and is_c else language


def missing_names(code: str, language: str) -> tuple[str, ...]:
    """Return the names that Python code uses and neither it, its imports nor Python define; () where that is not known.

    Only names that are looked up in the module count. A star import may bring any name, so then none is missing.
    """
    if language != "python" or re.search(r"^\s*from\s+\S+\s+import\s+\*", code, re.MULTILINE):
        return ()
    try:
        top = symtable.symtable(code, "<code>", "exec")
    except UNREADABLE:
        return ()
    bound = {item.get_name() for item in top.get_symbols() if item.is_assigned() or item.is_imported()}
    used: dict[str, None] = {}
    pending = [top]
    while pending:
        table = pending.pop()
        used |= {
            item.get_name(): None
            for item in table.get_symbols()
            if item.is_referenced() and (item.is_global() or table is top)
        }
        bound |= {item.get_name() for item in table.get_symbols() if item.is_declared_global() and item.is_assigned()}
        pending += table.get_children()
    return tuple(sorted(name for name in used if name not in bound and name not in _NEVER_MISSING))
