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
_ABSENT = {
    "python": r"No module named ['\"]{}\b",
    "javascript": r"(?:Cannot find (?:module|package)|Could not resolve) ['\"]{}['\"]",
    "java": r"package {} does not exist",
    "c": r"fatal error: {}: No such file",
    "go": r"(?:could not import {} |package {} is not in|provides package {}\b|cannot find package \"{}\")",
    "rust": r"(?:import|crate for|crate or module|module or crate|unlinked crate|extern crate) `{}\b",
    "ruby": r"cannot load such file -- {}\b",
    "r": r"no package called .{}\W",
}
"""What each says of an import that is not there; of C# see `Import.is_told_missing`."""
_DECLARED = {"rust": r"\bmod\s+(\w+)", "java": r"^\s*package\s+([\w.]+)", "c#": r"\bnamespace\s+([\w.]+)"}
_UNKNOWN_TYPE = re.compile(r"error CS0(?:246|103): The (?:type or namespace name|name) `(\w+)")


@dataclass(frozen=True, slots=True)
class Import:
    """Something that code imports by ``name``; ``program`` imports it and does nothing else."""

    name: str
    program: str
    language: str

    def is_told_missing(self, said: str) -> bool:
        """Tell whether what a failed program said may mean that this is not there: it is named."""
        full = self.name.split()[-1]
        if self.language in _ABSENT:
            # Java misses the package: of a class, or of a static member's class.
            names = {full, full.rpartition(".")[0], full.rpartition(".")[0].rpartition(".")[0]}
            pattern = "|".join(_ABSENT[self.language].replace("{}", re.escape(name)) for name in
                               (names if self.language == "java" else (full,)) if name)  # fmt: skip
            return re.search(pattern, said) is not None
        # The compiler names the part of a namespace that is not there.
        names = {full, *full.split(".")} - _PLATFORM
        return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said) for name in names)

    def is_declared(self, texts: str) -> bool:
        """Tell whether this is no library but a package, module or namespace that ``texts`` declare themselves."""
        own = re.findall(_DECLARED[self.language], texts, re.MULTILINE) if self.language in _DECLARED else []
        full = f"{self.name.split()[-1]}."
        within = self.language == "java"
        return any(full.startswith(f"{one}.") if within else f"{one}.".startswith(full) for one in own)


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
