"""What kinds of bugs there are, and the keys they have in review items (specification, task construction, 2.2)."""

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
    """Return the family of a kind such as ``logic.index``. Raises `ValueError` for one that is not in the list."""
    family, _, subtype = kind.partition(".")
    for known in FAMILIES:
        if known == family and subtype in SUBTYPES[known]:
            return known
    raise ValueError(f"there is no kind of bug {kind}")


def key_of(kind: str) -> str:
    """Return the key that a kind of bug has in review items."""
    return KEYS[family_of(kind)]
