"""The kinds of bugs, their keys in review items, and the notes that describe a bug (task construction, 2.2).

The notes of rules and their names are closed sets, so that the window can translate them. The project stores a note as
its English text.
"""

from __future__ import annotations

from typing import Literal

from annotator.base.messages import match_template

Family = Literal["logic", "performance", "security", "syntax", "naming"]
FAMILIES: tuple[Family, ...] = ("logic", "performance", "security", "syntax", "naming")
SUBTYPES: dict[Family, tuple[str, ...]] = {
    "logic": ("condition", "operation", "offbyone", "control", "missing", "variable", "index"),
    "performance": ("complexity", "invariant", "datastructure", "memo", "io"),
    "security": ("injection", "deserialisation", "crypto", "secrets", "transport", "filesystem", "config"),
    "syntax": ("parse", "name"),
    "naming": ("case", "misleading"),
}
KEY_BY_FAMILY: dict[Family, str] = {
    "performance": "performance_issues",
    "security": "security_issues",
    "syntax": "syntax_errors",
    "logic": "logical_errors",
    "naming": "naming_violations",
}
FOUR_REVIEW_KEYS = ("performance_issues", "security_issues", "syntax_errors", "logical_errors")
FIVE_REVIEW_KEYS = (*FOUR_REVIEW_KEYS, "naming_violations")


def family_of(kind: str) -> Family:
    """Return the family of a kind such as ``logic.index``. Raises `ValueError` for an unknown kind."""
    family, _, subtype = kind.partition(".")
    for name in FAMILIES:
        if name == family and subtype in SUBTYPES[name]:
            return name
    raise ValueError(f"there is no kind of bug {kind}")


def review_key(kind: str) -> str:
    """Return a kind's key in review items."""
    return KEY_BY_FAMILY[family_of(kind)]


NOTES = (
    "uses a broken hash", "uses {new} instead of {old}", "uses {new}", "compares with {new} instead of {old}",
    "calculates with {new} instead of {old}", "updates with {new}= instead of {old}=",
    "joins conditions with {new} instead of {old}", "calls {new} instead of {old}", "says {new} instead of {old}",
    "takes the operands in the wrong order", "overwrites the value instead of updating it", "the negation is missing",
    "the sign is missing", "continues where the loop should end", "ends the loop where it should continue",
    "does not give the result back", "returns nothing here", "passes arguments in the wrong order",
    "the order is not reversed", "starts from the wrong default", "the slice is off by one",
    "the range's {name} is off by one",
    "a case is not handled", "a step is missing: {name}", "a step is missing", "catches {new}", "raises {new}",
    "has no default", "expands external entities",
    "{one} and {other} are exchanged", "cuts the fraction off instead of rounding down", "ties are not broken",
    "takes what is empty for what is missing", "asks what is missing for a part", "counts the wrong way",
    "only the first match is taken", "the semicolon is missing", "{name} takes spaces only",
    "an argument is missing: {name}",
    "the number returned is too large", "the last part of the result is missing",
    "a part of the condition is missing", "the pattern lacks {sign}", "{name} is no good name here",
    "looks things up in a list", "takes from the front of a list", "works out the same value in every round",
    "works everything out again", "makes a whole list before it looks", "looks at every item",
    "copies the list for each item", "looks at more candidates than it needs", "runs text as code",
    "reads objects that can run code", "draws from a generator that can be predicted", "does not check certificates",
    "unpacks members outside the folder", "shows a debugger to everybody",
    "does not escape what it puts into pages", "leaves a race condition", "passes the text to a shell",
    "puts values into the query's text", "may wait forever", "contains a password", "listens on all interfaces",
    "lets everybody write", "leaks information through its timing", "the colon is missing",
    "the closing quote is missing", "the closing {sign} is missing",
    "the line is indented too far", "assigns where it should compare", "writes {sign}", "{name} is misspelt",
    "an import is missing",
)  # fmt: skip
"""The first template that matches a note is used, so narrower templates come first."""

RULES = (
    "all interfaces", "argument swap", "arithmetic", "assignment in condition", "augmented assignment",
    "autoescape changed", "bool flip", "break continue", "comparison", "connective", "copy to append", "counting",
    "debug changed", "deque to list", "dropped argument", "dropped bracket", "dropped cache", "dropped colon",
    "dropped memo", "dropped minus", "dropped not", "dropped quote", "dropped semicolon", "exception type", "falsy",
    "filter changed", "first match", "foreign constant", "foreign keyword", "foreign operator", "forgotten return",
    "function swap", "get default", "getattr to eval", "linear search", "list in any", "literal password", "lookalike",
    "method swap", "missing import", "missing value", "misspelt name", "mktemp", "no root", "no timeout", "number",
    "open mode", "operand swap", "os system", "other result", "parameter swap", "parse to eval", "pattern",
    "plain assignment", "plain comparison", "plain xml", "range start", "range stop", "removed guard",
    "removed statement", "removed step", "rename case", "rename misleading", "return none", "set to list", "shell",
    "slice lower", "slice upper", "sql text", "tie", "unsafe call", "unsafe load", "verify off", "work in loop",
    "wrong indentation", "wrong variable",
)  # fmt: skip
"""Names of rules as they are shown, with spaces in them."""


def note_message(note: str) -> str:
    """Return a rule's note as a translatable message; a note by a model or a person stays as it is."""
    return match_template(note, NOTES)
