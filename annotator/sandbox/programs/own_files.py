"""Tests that load the answer as a file: the answer is part of the same program, so there is no such file."""

from __future__ import annotations

import posixpath
import re

_QUOTED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*\"(?P<file>[^\"\n]+)\"", re.MULTILINE)
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
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, (pattern, _) in _LOADED.items()}


def load_only_existing(test: str, language: str) -> str:
    """Return a test that loads the files it names only if they exist."""
    return _PATTERNS[language].sub(_LOADED[language][1], test)


def empty_headers(code: str, test: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return empty files for headers included by a path, and the compiler flag to search for them last.

    An existing header, of a library or of the job, is found first. That of Unity is no part of the answer, but of a
    library that tests need, unless they or the answer define what it would.
    """
    names = dict.fromkeys(match["file"] for text in (code, test) for match in _QUOTED.finditer(text))
    lacks_unity = _RUNS_UNITY.search(test) and not _DEFINES_UNITY.search(f"{code}\n{test}")
    needed = (name for name in names if not (lacks_unity and _UNITY.search(name)))
    paths = (posixpath.normpath(f"{_DEEP}/{name}") for name in needed)
    files = {path: "" for path in paths if path.startswith(".own/")}
    return files, ("-idirafter", _DEEP) if files else ()
