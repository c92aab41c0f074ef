"""The kinds of bugs and their keys in review items (specification, task construction, 2.2)."""

from __future__ import annotations

from typing import Literal

Family = Literal["logic", "performance", "security", "syntax", "naming"]
FAMILIES: tuple[Family, ...] = ("logic", "performance", "security", "syntax", "naming")
SUBTYPES: dict[Family, tuple[str, ...]] = {
    "logic": ("condition", "operation", "offbyone", "control", "missing", "variable", "index"),
    "performance": ("complexity", "invariant", "datastructure", "memo", "io"),
    "security": ("injection", "deserialisation", "crypto", "secrets", "transport", "filesystem", "config"),
    "syntax": ("parse", "name"),
    "naming": ("case", "misleading"),
}
KEYS: dict[Family, str] = {
    "performance": "performance_issues",
    "security": "security_issues",
    "syntax": "syntax_errors",
    "logic": "logical_errors",
    "naming": "naming_violations",
}
FOUR_KEYS = ("performance_issues", "security_issues", "syntax_errors", "logical_errors")
FIVE_KEYS = (*FOUR_KEYS, "naming_violations")


def family_of(kind: str) -> Family:
    """Return the family of a kind such as ``logic.index``. Raises `ValueError` for an unknown kind."""
    family, _, subtype = kind.partition(".")
    for name in FAMILIES:
        if name == family and subtype in SUBTYPES[name]:
            return name
    raise ValueError(f"there is no kind of bug {kind}")


def review_key(kind: str) -> str:
    """Return a kind's key in review items."""
    return KEYS[family_of(kind)]
