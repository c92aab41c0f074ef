"""Source text of C-like languages: where literals are, how braces balance, what is declared, which files are loaded."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

_SLASHES = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_QUOTED = r'"(?:\\.|[^"\\\n])*"'
_CHARACTER = r"'(?:\\[^\n][^'\n]*|[^'\\\n])'"
_HIDDEN = {
    "c": rf'{_SLASHES}|R"(?P<d>[^()\\\s]{{0,16}})\(.*?\)(?P=d)"|{_QUOTED}|{_CHARACTER}',
    "java": rf'{_SLASHES}|"""(?:\\.|.)*?"""|{_QUOTED}|{_CHARACTER}',
    "c#": rf'{_SLASHES}|(?:@\$?|\$@)"(?:""|[^"])*"|{_QUOTED}|{_CHARACTER}',
    "javascript": rf"{_SLASHES}|`(?:\\.|[^`\\])*`|{_QUOTED}|'(?:\\.|[^'\\\n])*'",
    "go": rf"{_SLASHES}|`[^`]*`|{_QUOTED}|{_CHARACTER}",
    "rust": rf'{_SLASHES}|\bb?r(?P<h>#+)".*?"(?P=h)|\bb?r"[^"]*"|"(?:\\.|[^"\\])*"|{_CHARACTER}',
    "php": rf"{_SLASHES}|\#(?!\[)[^\n]*|<<<[ \t]*(?P<q>['\"]?)(?P<n>\w+)(?P=q)\n.*?\n[ \t]*(?P=n)\b"
    r"|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'",
}
_PATTERNS = {name: re.compile(pattern, re.DOTALL) for name, pattern in _HIDDEN.items()}
_VISIBLE = re.compile(r"[^\n]")


def mask_literals(text: str, language: str) -> str:
    """Return the text with strings and comments blanked: same length, same lines."""
    return _PATTERNS[language].sub(lambda match: _VISIBLE.sub(" ", match[0]), text)


def brace_depth(masked: str) -> int:
    """Return how many braces are open at the end."""
    return masked.count("{") - masked.count("}")


@dataclass(frozen=True, slots=True)
class FittedParts:
    """Code and its test, fitted together: the test continues where the code ends."""

    code: str
    test: str


_LEADING = re.compile(r"\s*\}")


def closing_place(masked: str, at: int) -> int | None:
    """Return the position of the bracket that closes the one at ``at``; None if there is none."""
    opening, closing = masked[at : at + 1], {"(": ")", "[": "]", "{": "}"}.get(masked[at : at + 1], "")
    depth = 0
    for place in range(at, len(masked) if closing else at):
        depth += (masked[place] == opening) - (masked[place] == closing)
        if depth == 0:
            return place
    return None


def fit_braces(code: str, test: str, language: str) -> FittedParts:
    """Fit a test to code that is complete, or incomplete as tests of MultiPL-E expect.

    Braces at the start of a test close the code if it is open, and are dropped otherwise. If a test closes more than it
    opens and the code is closed, the code's last brace is removed.
    """
    opened = brace_depth(mask_literals(code, language))
    while (match := _LEADING.match(test)) is not None:
        missing = max(0, -brace_depth(mask_literals(test, language)[match.end() :]))
        if opened > missing:
            code += match[0]
            opened -= 1
        test = test[match.end() :]
    missing = max(0, -brace_depth(mask_literals(test, language)))
    while opened < missing and (last := mask_literals(code, language).rfind("}")) >= 0:
        code = code[:last] + code[last + 1 :]
        opened += 1
    return FittedParts(code, test)


def replace_visible(pattern: re.Pattern[str], replacement: str, text: str, language: str) -> str:
    """Replace the matches of a pattern outside strings and comments. The replacement is plain text."""
    matches = list(pattern.finditer(mask_literals(text, language)))
    for match in reversed(matches):
        text = text[: match.start()] + replacement + text[match.end() :]
    return text


def top_level(masked: str) -> str:
    """Return the text with everything inside braces blanked: same length, same lines."""
    out, open_braces = [], 0
    for character in masked:
        if character == "}":
            open_braces = max(0, open_braces - 1)
        out.append(character if open_braces == 0 or character == "\n" else " ")
        if character == "{":
            open_braces += 1
    return "".join(out)


_TYPE = re.compile(
    r"\b(?:class|enum|record|interface|struct|namespace)\s+([\w.]+)(?=[^;{}()=]*(?:\([^;{}]*\)[^;{}]*)?\{)"
)


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """A type or namespace: its name, the span from its name to its end, and the names of the enclosing ones."""

    name: str
    start: int
    outer: tuple[str, ...]
    end: int

    @property
    def path(self) -> tuple[str, ...]:
        """Return the names from the outermost to this one."""
        return (*self.outer, self.name)


def declared_types(masked: str) -> list[DeclaredType]:
    """Return types and namespaces, outer before inner. An unclosed one ends with the text."""
    names = {types.end(): types for types in _TYPE.finditer(masked)}
    pending: re.Match[str] | None = None
    around: list[tuple[re.Match[str] | None, tuple[str, ...]]] = []
    types: list[DeclaredType] = []

    def close(end: int) -> None:
        match, outer = around.pop()
        if match is not None:
            types.append(DeclaredType(match[1], match.start(1), outer, end))

    for at, character in enumerate(masked):
        pending = names.get(at, pending)
        if character == "{":
            outer = tuple(item[1] for item, _ in around if item is not None)
            around.append((pending, outer))
            pending = None
        elif character == "}" and around:
            close(at)
    while around:
        close(len(masked))
    return sorted(types, key=lambda item: item.start)


def innermost_type(types: list[DeclaredType], position: int) -> DeclaredType | None:
    """Return the innermost type around a position."""
    around = [item for item in types if item.start < position <= item.end]
    return max(around, key=lambda item: item.start, default=None)


def rename_types(code: str, names: set[str], key: str, language: str) -> str:
    """Return code with these types renamed, so that a test may use the names for its own."""
    for name in sorted(names):
        code = replace_visible(re.compile(rf"(?<![\w.]){re.escape(name)}\b"), f"{name}_{key}", code, language)
    return code


# -- files of the answer, which tests load and which are part of the same program --------------------------------------

_OWN_HEADER = re.compile(r"^[ \t]*#[ \t]*include[ \t]*\"(?P<file>[^\"\n]+)\"", re.MULTILINE)
_DEEP = ".own/1/2/3"
"""Last folder in the search for headers: deep enough for names that go some folders up."""
_UNITY = re.compile(r"(?:^|/)unity(?:_fixture)?\.h$")
_RUNS_UNITY = re.compile(r"\bUNITY_(?:BEGIN|MAIN\w*)\s*\(")
_DEFINES_UNITY = re.compile(r"\b(?:define|int|void)[ \t]+UNITY_(?:BEGIN|MAIN\w*)\b")
_LOADED = {
    "bash": (
        r"^(?P<space>[ \t]*)(?P<call>(?:source|\.)[ \t]+"
        r"(?P<file>\"(?:\$\([^\n]*?\)|[^\"\n])*\"[^\s;|&]*|[^\s;|&#\"']+))"
        r"(?=[ \t]*(?:$|;|\|\||&&|#))",
        r"\g<space>[ ! -e \g<file> ] || \g<call>",
    ),
    "php": (
        r"^(?P<space>[ \t]*)(?P<call>(?:require|include)(?:_once)?\b[ \t]*(?P<file>[^;\n]*\.php['\"][ \t]*\)?)[ \t]*;)",
        r"\g<space>if (file_exists(\g<file>)) \g<call>",
    ),
    "r": (
        r"^(?P<space>[ \t]*)(?P<call>source[ \t]*\([ \t]*(?P<file>['\"][^'\"\n]+['\"])[^()\n]*\))",
        r"\g<space>if (file.exists(\g<file>)) \g<call>",
    ),
    "ruby": (
        r"^(?P<space>[ \t]*)(?P<call>(?:require_relative[ \t(]+|require[ \t(]+(?=['\"](?:\.{1,2}/|\w+_helper['\"])))"
        r"(?P<file>['\"][^'\"\n]+['\"])\)?)[ \t]*$",
        r"\g<space>\g<call> if File.exist?(\g<file>) || File.exist?(\g<file> + '.rb')",
    ),
}
_LOADS = {name: re.compile(pattern, re.MULTILINE) for name, (pattern, _) in _LOADED.items()}


def load_only_existing(test: str, language: str) -> str:
    """Return a test that loads the files it names only if they exist."""
    return _LOADS[language].sub(_LOADED[language][1], test)


def empty_headers(code: str, test: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return empty files for headers included by a path, and the compiler flag to search for them last.

    An existing header, of a library or of the job, is found first. That of Unity is not part of the answer, but of a
    library that tests need, unless they or the answer define what it would.
    """
    names = dict.fromkeys(match["file"] for text in (code, test) for match in _OWN_HEADER.finditer(text))
    lacks_unity = _RUNS_UNITY.search(test) and not _DEFINES_UNITY.search(f"{code}\n{test}")
    needed = (name for name in names if not (lacks_unity and _UNITY.search(name)))
    paths = (posixpath.normpath(f"{_DEEP}/{name}") for name in needed)
    files = {path: "" for path in paths if path.startswith(".own/")}
    return files, ("-idirafter", _DEEP) if files else ()
