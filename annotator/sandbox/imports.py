"""What code imports, by language: the names, and a program each that fails where the sandbox does not have it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from annotator.sandbox.languages import language

_FOREIGN = r"['\"]([^'\"./][^'\"\n]*)['\"]"
_IMPORTS: dict[str, tuple[str, str]] = {
    "python": (
        r"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+(\w[\w., \t]*))",
        "import importlib.util, sys\nsys.exit(importlib.util.find_spec('{name}') is None)\n",
    ),
    "javascript": (
        rf"\brequire\s*\(\s*{_FOREIGN}\s*\)|^\s*(?:import|export)\b[^'\"\n]*\bfrom\s*{_FOREIGN}|^\s*import\s*{_FOREIGN}",
        "require('{name}');\n",
    ),
    "java": (
        r"^[ \t]*import[ \t]+((?:static[ \t]+)?(?:\w+\.)+[\w*]+)[ \t]*;",
        "import {name};\nclass Main {{ public static void main(String[] args) {{ }} }}\n",
    ),
    "c": (r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", "#include <{name}>\nint main() {{ return 0; }}\n"),
    "go": (
        r"^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?\"(\w[\w.]*(?:/[^\"\s]*)?)\"[ \t]*$",
        'package main\n\nimport _ "{name}"\n\nfunc main() {{}}\n',
    ),
    "c#": (
        r"^[ \t]*using[ \t]+((?:static[ \t]+)?\w+(?:\.\w+)*)[ \t]*;",
        "using {name};\nclass Program {{ static void Main() {{ }} }}\n",
    ),
    "rust": (
        r"^[ \t]*(?:pub[ \t]+)?(?:use[ \t]+(?:::)?(\w+)[ \t]*(?:::|;)|extern[ \t]+crate[ \t]+(\w+))",
        "extern crate {name};\nfn main() {{}}\n",
    ),
    "ruby": (rf"^[ \t]*require[ \t(]+{_FOREIGN}", "require '{name}'\n"),
    "r": (r"\b(?:library|require|requireNamespace)\s*\(\s*['\"]?([A-Za-z][\w.]*)", "library({name})\n"),
}
"""How an import is written, and the program that asks for what it names."""
_SAME = {"typescript": "javascript", "c++": "c"}
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, (pattern, _) in _IMPORTS.items()}
_WITHIN = frozenset(("crate", "self", "super"))
_PLATFORM = frozenset(("System", "Microsoft"))
_ABSENT = {"python": r"No module named ['\"]{}\b", "c": r"fatal error: {}: No such file"}
_UNKNOWN_TYPE = re.compile(r"error CS0(?:246|103): The (?:type or namespace name|name) `(\w+)")


@dataclass(frozen=True, slots=True)
class Import:
    """Something that code imports by ``name``; ``program`` imports it and does nothing else."""

    name: str
    program: str
    language: str

    def is_told_missing(self, said: str) -> bool:
        """Tell whether what a failed program said may mean that this is not there: it is named."""
        if self.language in _ABSENT:
            return re.search(_ABSENT[self.language].format(re.escape(self.name)), said) is not None
        full = self.name.split()[-1]
        names = {full}
        if self.language == "java":
            names.add(full.rpartition(".")[0])
        elif self.language == "c#":
            # The compiler names the part of a namespace that is not there.
            names.update(set(full.split(".")) - _PLATFORM)
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in names)


def imports_of(name: str, text: str) -> tuple[Import, ...]:
    """Return what lines of a text import, each once; the rest of the text need not be code."""
    spelled = language(name).name
    key = _SAME.get(spelled, spelled)
    if key not in _PATTERNS:
        return ()
    found: dict[str, None] = {}
    for match in _PATTERNS[key].finditer(text):
        for group in filter(None, match.groups()):
            listed = group.split(",") if key == "python" else [group]
            found.update((part.split()[0].partition(".")[0] if key == "python" else part, None)
                         for part in listed if part.split())  # fmt: skip
    program = _IMPORTS[key][1]
    return tuple(Import(item, program.format(name=item), key) for item in found if item not in _WITHIN)


def unknown_types(said: str) -> frozenset[str]:
    """Return the types that a compiler of C# did not find: ``using`` a namespace hides where they are from."""
    return frozenset(_UNKNOWN_TYPE.findall(said))
