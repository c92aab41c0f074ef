"""Take values out of positioned YAML, and say at which line one does not fit."""

from __future__ import annotations

from typing import NoReturn

from annotator.criteria import conditions
from annotator.criteria.document import Problem, Severity
from annotator.criteria.nodes import Value

LABEL = 80


class ShapeError(Exception):
    """A part that cannot be read; the problem was said already."""


class Reader:
    """Collects problems while values are taken."""

    def __init__(self, problems: list[Problem]) -> None:
        """Add to ``problems``."""
        self.problems = problems

    def say(self, value: Value, key: str, message: str, severity: Severity = "error") -> None:
        """Note a problem at a value."""
        self.problems.append(Problem(value.line, value.column, key, message, severity))

    def refuse(self, value: Value, key: str, message: str) -> NoReturn:
        """Note an error and give up the part it is in."""
        self.say(value, key, message)
        raise ShapeError

    def text(self, owner: Value, key: str, path: str = "", default: str = "") -> str:
        """Return a text (numbers and booleans as written); a missing or null one is the default."""
        value = owner.entries.get(key)
        if value is None or is_null(value):
            return default
        if value.kind != "scalar":
            self.say(value, path or key, f"{key} must be text")
            return default
        return value.text

    def number(self, owner: Value, key: str, path: str, default: float | None) -> float | None:
        """Return a finite number; text that is one counts, as for the reference."""
        value = owner.entries.get(key)
        if value is None or is_null(value):
            return default
        try:
            number = float(value.scalar) if value.kind == "scalar" and not isinstance(value.scalar, bool) else None  # type: ignore[arg-type]  # None raises TypeError, caught below
        except (TypeError, ValueError):
            number = None
        if number is None or number != number or number in (float("inf"), float("-inf")):
            self.say(value, path, f"{key} must be a number")
            return default
        return number

    def weight(self, owner: Value, path: str) -> float:
        """Return the weight, 1 if none is given."""
        found = self.number(owner, "weight", f"{path}.weight", 1.0)
        return 1.0 if found is None else found

    def flag(self, owner: Value, key: str, path: str) -> bool:
        """Return a truth value, false if none is given."""
        value = owner.entries.get(key)
        if value is None:
            return False
        if not isinstance(value.scalar, bool):
            self.say(value, path, f"{key} must be true or false")
            return False
        return value.scalar

    def condition(self, owner: Value, path: str) -> str:
        """Return a condition that can be parsed, or nothing."""
        text = self.text(owner, "cond", f"{path}.cond")
        if not text:
            return ""
        try:
            conditions.parse(text)
        except conditions.ConditionError as error:
            self.say(owner.entries["cond"], f"{path}.cond", str(error))
            return ""
        return text

    def pattern(self, value: Value, text: str, path: str) -> None:
        """Say so if a text is no regular expression."""
        import regex as engine

        try:
            engine.compile(text)
        except (engine.error, RecursionError, OverflowError) as error:
            self.say(value, path, f"this is not a regular expression: {error}")

    def only(self, owner: Value, keys: tuple[str, ...], path: str) -> None:
        """Warn of keys that mean nothing here."""
        for key, value in owner.entries.items():
            if key not in keys:
                self.say(value, f"{path}.{key}", f"there is no key {key}; there are: {', '.join(keys)}", "warning")


def is_null(value: Value) -> bool:
    """Tell whether a value is YAML's null."""
    return value.kind == "scalar" and value.scalar is None


def given(value: Value | None) -> bool:
    """Tell whether there is a value that is not null."""
    return value is not None and not is_null(value)
