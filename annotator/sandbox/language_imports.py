"""The imports of code by language, and for each a program that fails if the sandbox lacks it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType

from annotator.sandbox.languages import find_language

_QUOTED_LIBRARY = r"['\"]([^'\"./][^'\"\n]*)['\"]"
_IMPORTS: dict[str, tuple[str, str]] = {
    "python": (
        r"^[ \t]*(?:from[ \t]+(\w+)[\w.]*[ \t]+import\b|import[ \t]+(\w[\w., \t]*))",
        "import importlib.util, sys\nsys.exit(importlib.util.find_spec('{name}') is None)\n",
    ),
    "javascript": (
        rf"\brequire\s*\(\s*{_QUOTED_LIBRARY}\s*\)|^\s*(?:import|export)\b[^'\"\n]*\bfrom\s*{_QUOTED_LIBRARY}|^\s*import\s*{_QUOTED_LIBRARY}",
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
    "ruby": (rf"^[ \t]*require[ \t(]+{_QUOTED_LIBRARY}", "require '{name}'\n"),
    "r": (r"\b(?:library|require|requireNamespace)\s*\(\s*['\"]?([A-Za-z][\w.]*)", "library({name})\n"),
}
"""The pattern of an import, and a program that imports the name and does nothing else."""
SYNTAX_OF = MappingProxyType({"typescript": "javascript", "c++": "c"})
"""Languages with the import syntax of another."""
_PATTERNS = {name: re.compile(pattern, re.MULTILINE) for name, (pattern, _) in _IMPORTS.items()}
_RUST_OWN_PATHS = frozenset(("crate", "self", "super"))
_PLATFORM = frozenset(("System", "Microsoft"))
_ABSENT = {
    "python": r"No module named '{}\b",
    "javascript": r"(?:Cannot find (?:module|package)|Could not resolve) ['\"]{}['\"]",
    "java": r"package {} does not exist",
    "c": r"fatal error: {}: No such file",
    "go": r"(?:could not import {} |package {} is not in|provides package {}\b|cannot find package \"{}\")",
    "rust": r"(?:import|crate for|crate or module|module or crate|unlinked crate|extern crate) `{}\b",
    "ruby": r"cannot load such file -- {}\b",
    "r": r"no package called .{}\W",
    "c#": r"(?<!\w){}(?!\w)",
}
"""The message of each language about a missing import; in C# naming it is enough."""
_DECLARED = {"rust": r"\bmod\s+(\w+)", "java": r"^\s*package\s+([\w.]+)", "c#": r"\bnamespace\s+([\w.]+)"}
_UNDEFINED = re.compile(r"\b(?:NameError: name '(\w+)'|ReferenceError: ([\w$]+)) is not defined")
_UNKNOWN_TYPE = re.compile(r"error CS0(?:246|103): The (?:type or namespace name|name) `(\w+)")


@dataclass(frozen=True, slots=True)
class CodeImport:
    """An import of code; ``program`` imports ``name`` and does nothing else."""

    name: str
    program: str
    language: str

    def may_be_missing(self, output: str) -> bool:
        """Return whether the output of a failed program may mean that this import is missing."""
        return any(reports_missing(self.language, name, output) for name in self._names())

    def _names(self) -> set[str]:
        """Return the names by which an error message may mention the import."""
        full = self.name.split()[-1]
        if self.language == "java":
            # The message names the package: that of a class, or of a static member's class.
            package = full.rpartition(".")[0]
            return {full, package, package.rpartition(".")[0]} - {""}
        if self.language == "c#":
            # The message names only the part of the namespace that does not exist.
            return {full, *full.split(".")} - _PLATFORM
        return {full}

    def is_declared(self, texts: str) -> bool:
        """Return whether this is not a library but a package, module or namespace that ``texts`` declare."""
        own = re.findall(_DECLARED[self.language], texts, re.MULTILINE) if self.language in _DECLARED else []
        full = f"{self.name.split()[-1]}."
        within = self.language == "java"
        return any(full.startswith(f"{one}.") if within else f"{one}.".startswith(full) for one in own)


def reports_missing(language: str, name: str, output: str) -> bool:
    """Return whether a failed program's output contains the language's message that ``name`` is missing."""
    return re.search(_ABSENT[language].replace("{}", re.escape(name)), output) is not None


def imports_of(name: str, text: str) -> tuple[CodeImport, ...]:
    """Return the distinct imports in the lines of a text; the rest of the text need not be code."""
    language = find_language(name).name
    key = SYNTAX_OF.get(language, language)
    if key not in _PATTERNS:
        return ()
    names: dict[str, None] = {}
    for match in _PATTERNS[key].finditer(text):
        for group in filter(None, match.groups()):
            listed = group.split(",") if key == "python" else [group]
            names.update((part.split()[0].partition(".")[0] if key == "python" else part, None)
                         for part in listed if part.split())  # fmt: skip
    program = _IMPORTS[key][1]
    return tuple(CodeImport(item, program.format(name=item), key) for item in names if item not in _RUST_OWN_PATHS)


def unknown_types(output: str) -> frozenset[str]:
    """Return the types that a C# compiler did not find: with ``using``, it cannot name the namespace they come from."""
    return frozenset(_UNKNOWN_TYPE.findall(output))


def undefined_name(message: str) -> str:
    """Return the name that a failure message reports as not defined; empty if it reports none."""
    match = _UNDEFINED.search(message)
    return (match[1] or match[2]) if match is not None else ""
