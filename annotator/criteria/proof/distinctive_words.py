"""The words of a right answer that carry its meaning: calls, arguments and options, names, numbers, keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from annotator.text.anchors import find_anchors
from annotator.text.code_spans import code_spans, prose_of

_TOKEN = re.compile(
    r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`"  # a string
    r"|(?<![\w-])--?[A-Za-z][\w-]*|@[A-Za-z_][\w.]*"  # an option, a decorator
    r"|(?<![\w)\]])[-+]?\d[\w.]*\b|[A-Za-z_]\w*(?:-[a-z]+)*"  # a number, a name
    r"|[-+*/%<>=!&|^~?:]+?(?=[-+]\d)|[-+*/%<>=!&|^~?:]+|\S"  # an operator, other punctuation
)
_KEYWORD = re.compile(
    r"\b(?:HAVING|WHERE|DISTINCT|DESC|UNION|EXISTS|COALESCE|LIMIT|OFFSET|PARTITION|OVER|FOR UPDATE|FOR SHARE"
    r"|SKIP LOCKED|NOWAIT|RECURSIVE|LATERAL|RETURNING|ON CONFLICT|ON DUPLICATE KEY|ROLLUP|UNIQUE|CASCADE"
    r"|(?:LEFT|RIGHT|FULL|INNER|CROSS|OUTER)(?= JOIN| OUTER)|GROUP BY|ORDER BY|JOIN)\b"
)
_DEFINING_WORDS = frozenset(
    ("def", "class", "function", "fn", "func", "for", "as", "in", "let", "const", "var", "val", "auto", "final",
     "INDEX", "TABLE", "VIEW", "TRIGGER", "CONSTRAINT", "CONCURRENTLY")
)  # fmt: skip
"""Words before a name that the code defines."""
_FREE_ATTRIBUTES = frozenset(("class", "id", "name", "style", "key"))
"""Attributes of a tag whose values authors choose freely."""
_FUNCTION_WORDS = frozenset(("as", "at", "by", "for", "from", "in", "of", "on", "to"))
"""Arguments with these names repeat a word of the question and mostly keep their default."""
_COMMON_NAMES = frozenset(
    ("print", "println", "printf", "log", "debug", "info", "warn", "warning", "error", "len", "range", "str", "int",
     "list", "main", "self", "@Override")
)  # fmt: skip
NONSENSE = "qxz"
_MIN_NAME_LENGTH = 4


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """A name, number, string, option or sign of code, with its place in the text."""

    text: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """Whether it is a name or a keyword."""
        return self.text[0].isalpha() or self.text[0] == "_"


def read_tokens(text: str, start: int = 0, end: int | None = None) -> list[AnswerToken]:
    """Return the tokens of a piece of a text; the rules are coarse, but hold for any language."""
    matches = _TOKEN.finditer(text, start, len(text) if end is None else end)
    return [AnswerToken(match[0], *match.span()) for match in matches]


def without_quotes(text: str) -> str:
    """Return a text of the same length with spaces for quotes, so that what they enclose is read as code."""
    return text.translate({ord(sign): " " for sign in "'\"`"})


def is_quoted(text: str) -> bool:
    """Return whether a token is a string."""
    return len(text) > 1 and text[0] in "'\"`"


def distinctive_words(text: str) -> tuple[str, ...]:
    """Return the distinctive words of an answer: calls and arguments in its code, numbers and names in its prose.

    Each is listed once. Names that its own code defines, and names common in any code, are excluded. Names that are
    only mentioned come last.
    """
    code = code_of(text)
    defined = defined_names(code or text)
    words = [*_used_words(code), *_used_words(without_quotes(prose_of(text))), *_KEYWORD.findall(text)]
    for anchor in find_anchors(text):
        if anchor.kind in ("number", "version"):
            # In an answer with a block of code, a number in a sentence is mostly a version or an amount.
            words += [anchor.text] if "```" not in text or anchor.text in code else []
        elif anchor.kind == "name" or _is_setting(anchor.text):
            # A setting that a sentence quotes is essential as a whole, of a qualified name the last part.
            is_setting = anchor.text[:1].isalpha() and any(sign in anchor.text for sign in ":=")
            words.append(anchor.text if is_setting else anchor.text.removesuffix("()").rpartition(".")[2])
    used_words = sorted(
        {word for word in words if len(word) > 1} - defined - _COMMON_NAMES, key=lambda word: (text.find(word), word)
    )
    names = [word for word in _long_names(code) if word not in defined and f"{word}=" not in used_words]
    return tuple(dict.fromkeys([*used_words, *names]))


def _used_words(code: str) -> Iterator[str]:
    """Yield members, calls, options, decorators, arguments, and attributes of tags."""
    tokens = read_tokens(code)
    is_in_tag = False
    for number, token in enumerate(tokens):
        preceding = tokens[number - 1].text if number else ""
        following = tokens[number + 1].text if number + 1 < len(tokens) else ""
        is_followed_directly = number + 1 < len(tokens) and tokens[number + 1].start == token.end
        if preceding == "<" and token.is_name:
            is_in_tag = True
        elif token.text in (">", "/>", "<"):
            is_in_tag = False
        if token.text[0] == "@" or (token.text[0] == "-" and token.text.lstrip("-")[:1].isalpha()):
            yield token.text
        if not token.is_name:
            continue
        is_attribute = is_in_tag and following == "=" and token.text not in _FREE_ATTRIBUTES
        is_member = preceding == "." and code[token.start - 1] == "."
        if is_followed_directly and following == "=" and preceding in ("(", ","):
            yield f"{token.text}="
        elif is_attribute or is_member or (is_followed_directly and following == "("):
            yield token.text


def _long_names(code: str) -> Iterator[str]:
    """Yield names of several parts: snake_case, camelCase, a property of a style sheet; single words may be free."""
    tokens = read_tokens(code)
    for token, following in zip_longest(tokens, tokens[1:]):
        parts = token.text.strip("_")
        if "-" in token.text:
            is_long = token.is_name and following is not None and following.text[0] == ":"
        else:
            is_camel = any(letter.islower() and next_letter.isupper() for letter, next_letter in pairwise(parts))
            is_long = is_camel or "_" in parts or token.text.startswith("__")
        if token.is_name and is_long and len(token.text) >= _MIN_NAME_LENGTH:
            yield token.text


def _is_setting(text: str) -> bool:
    """Return whether a text is a name, a call or a setting."""
    parts = [part.strip() for part in text.removesuffix(";").removesuffix("()").replace("=", ":").split(":")]
    return len(parts) <= 2 and all(part and all(sign.isalnum() or sign in "_.-" for sign in part) for part in parts)


def code_of(text: str, *, strings: bool = False) -> str:
    """Return the code of an answer, its string literals emptied unless ``strings``."""
    code = "\n".join(text[start:end] for start, end in code_spans(text))
    for token in reversed(() if strings else read_tokens(code)):
        if is_quoted(token.text):
            code = f'{code[: token.start]}""{code[token.end :]}'
    return code


def defined_names(code: str) -> set[str]:
    """Return the names that code defines."""
    names = set()
    for line in code.split("\n"):
        tokens = read_tokens(line)
        words = [token.text for token in tokens]
        if len(words) > 1 and tokens[0].is_name and (words[1] == "=" or (words[1] == ":" and "=" in words[2:])):
            names.add(words[0])
        for preceding, token in zip(words, tokens[1:], strict=False):
            if token.is_name and (preceding in _DEFINING_WORDS or preceding.upper() in ("INDEX", "TABLE", "VIEW")):
                names.add(token.text)
    return names


def holds_word(text: str, word: str) -> bool:
    """Return whether a text has a whole word."""
    return _word_pattern(word).search(text) is not None


def replace_word(text: str, word: str, other: str) -> str:
    """Return a text with a whole word replaced."""
    return _word_pattern(word).sub(lambda _: other, text)


def _word_pattern(word: str) -> re.Pattern[str]:
    """Return a pattern for a whole word, which may end in punctuation; only the case of options matters."""
    if word.startswith("-"):
        return re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    end = r"(?!\w)" if word[-1:].isalnum() or word.endswith("_") else ""
    return re.compile(rf"(?<!\w){re.escape(word)}{end}", re.IGNORECASE)


def is_in_prompt(prompt: str, word: str) -> bool:
    """Return whether a prompt has a word or a form of it, so that an answer may omit it."""
    forms = [word, f"{word}s", *([word[:-1]] if word[:-1].lower() in _FUNCTION_WORDS else [])]
    return any(holds_word(prompt, form) for form in forms)


def nonsense_for(word: str) -> str:
    """Return a meaningless replacement of a word: another number, or a word of no language."""
    if word.isdigit():
        return str(int(word) * 7 + 3)
    return f"{word[: len(word) - len(word.lstrip('-@'))]}{NONSENSE}{'=' if word.endswith('=') else ''}"
