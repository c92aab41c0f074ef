"""The words of a right answer that carry its meaning: calls, arguments and options, names, numbers, keywords."""

from __future__ import annotations

import re

import regex

from annotator.text.anchors import find_anchors
from annotator.text.code_spans import code_spans, prose_of

_STRING = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`")
_USED = regex.compile(
    r"""
    (?<=\.)[A-Za-z_]\w+ | \b[A-Za-z_]\w+(?=\()          # a member, a call
    | (?<![\w-])--?[A-Za-z][\w-]* | @[A-Za-z_][\w.]*     # an option, a decorator
    | (?<=[(,]\ ?)[A-Za-z_]\w+=(?!=)                     # an argument
    | (?<=<[A-Za-z][^<>]*\s)(?!(?:class|id|name|style|key)\b)[a-z][\w:-]*(?=\s*=\s*["'{])
    # an attribute of a tag, except those whose values authors choose freely
    """,
    regex.VERBOSE,
)
_KEYWORD = re.compile(
    r"\b(?:HAVING|WHERE|DISTINCT|DESC|UNION|EXISTS|COALESCE|LIMIT|OFFSET|PARTITION|OVER|FOR UPDATE|FOR SHARE"
    r"|SKIP LOCKED|NOWAIT|RECURSIVE|LATERAL|RETURNING|ON CONFLICT|ON DUPLICATE KEY|ROLLUP|UNIQUE|CASCADE"
    r"|(?:LEFT|RIGHT|FULL|INNER|CROSS|OUTER)(?= JOIN| OUTER)|GROUP BY|ORDER BY|JOIN)\b"
)
_NAME = re.compile(r"(?<![\w-])(?:[a-z]+(?:-[a-z]+)+(?=\s*:)|(?=\w*(?:[a-z][A-Z]|[^\W\d]_|__[^\W\d]))[A-Za-z_$]\w{3,})")
"""A name of several parts: a property of a style sheet, snake_case, camelCase; single words may be irrelevant."""
_SIMPLE = re.compile(r"[\w.-]+(?:\(\)| ?[:=] ?[\w.-]+;?)?")
"""A name, a call or a setting."""
_DEFINED = re.compile(
    r"^[ \t]*(?:(?:const|let|var|val|auto|final)\b[ \t]*)?([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)"
    r"|\b(?:def|class|function|fn|func|for|as|in)\s+([A-Za-z_]\w*)"
    r"|\b(?i:INDEX|TABLE|VIEW|TRIGGER|CONSTRAINT)(?i:\s+CONCURRENTLY)?(?i:\s+IF\s+NOT\s+EXISTS)?\s+([A-Za-z_]\w*)",
    re.MULTILINE,
)
_FUNCTION_WORDS = frozenset(("as", "at", "by", "for", "from", "in", "of", "on", "to"))
"""Arguments with these names repeat a word of the question and mostly keep their default."""
_EVERYWHERE = frozenset(
    ("print", "println", "printf", "log", "debug", "info", "warn", "warning", "error", "len", "range", "str", "int",
     "list", "main", "self", "@Override")
)  # fmt: skip
NONSENSE = "qxz"


def distinctive_words(text: str) -> tuple[str, ...]:
    """Return the distinctive words of an answer: calls and arguments in its code, numbers and names in its prose.

    Each is listed once. Names that its own code defines, and names common in any code, are excluded. Names that are
    only mentioned come last.
    """
    code = code_of(text)
    own = defined_names(code or text)
    words = [*_USED.findall(f"{code}\n{prose_of(text)}"), *_KEYWORD.findall(text)]
    for anchor in find_anchors(text):
        if anchor.kind in ("number", "version"):
            # In an answer with a block of code, a number in a sentence is mostly a version or an amount.
            words += [anchor.text] if "```" not in text or anchor.text in code else []
        elif anchor.kind == "name" or _SIMPLE.fullmatch(anchor.text):
            # A setting that a sentence quotes is essential as a whole, of a qualified name the last part.
            is_setting = anchor.text[:1].isalpha() and any(sign in anchor.text for sign in ":=")
            words.append(anchor.text if is_setting else anchor.text.removesuffix("()").rpartition(".")[2])
    used = sorted(
        {word for word in words if len(word) > 1} - own - _EVERYWHERE, key=lambda word: (text.find(word), word)
    )
    mentioned = (name for name in _NAME.findall(code) if name not in own and f"{name}=" not in used)
    return tuple(dict.fromkeys([*used, *mentioned]))


def code_of(text: str, *, strings: bool = False) -> str:
    """Return the code of an answer, its string literals emptied unless ``strings``."""
    code = "\n".join(text[start:end] for start, end in code_spans(text))
    return code if strings else _STRING.sub('""', code)


def defined_names(code: str) -> set[str]:
    """Return the names that code defines."""
    return {name for match in _DEFINED.finditer(code) for name in match.groups() if name}


def holds_word(text: str, word: str) -> bool:
    """Tell whether a text has a whole word."""
    return _pattern(word).search(text) is not None


def replace_word(text: str, word: str, other: str) -> str:
    """Return a text with a whole word replaced."""
    return _pattern(word).sub(lambda _: other, text)


def _pattern(word: str) -> re.Pattern[str]:
    """Return a pattern for a whole word, which may end in punctuation; only the case of options matters."""
    if word.startswith("-"):
        return re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    end = r"(?!\w)" if word[-1:].isalnum() or word.endswith("_") else ""
    return re.compile(rf"(?<!\w){re.escape(word)}{end}", re.IGNORECASE)


def is_in_prompt(prompt: str, word: str) -> bool:
    """Tell whether a prompt has a word or a form of it, so that an answer may omit it."""
    forms = [word, f"{word}s", *([word[:-1]] if word[:-1].lower() in _FUNCTION_WORDS else [])]
    return any(holds_word(prompt, form) for form in forms)


def nonsense_for(word: str) -> str:
    """Return a meaningless replacement of a word: another number, or a word of no language."""
    if word.isdigit():
        return str(int(word) * 7 + 3)
    return f"{word[: len(word) - len(word.lstrip('-@'))]}{NONSENSE}{'=' if word.endswith('=') else ''}"
