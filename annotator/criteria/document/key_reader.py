"""Read and check values by the table of keys. Problems are collected with their places, and reading continues."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import isfinite
from typing import Any, NoReturn

import regex as engine

from annotator.base.messages import Message, mark_word
from annotator.criteria.document.criterion_document import Problem, Severity
from annotator.criteria.document.keys import Key, describe_unknown
from annotator.criteria.document.positioned_yaml import YamlValue, is_null, join_path
from annotator.criteria.metrics import conditions


class ShapeError(Exception):
    """A part cannot be read; its problem has been reported."""


class KeyReader(ABC):
    """Reads values by their keys and collects problems."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems

    @abstractmethod
    def build(self, key: Key, values: dict[str, Any], value: YamlValue, path: str) -> Any:
        """Return the object that a mapping describes, from the values of its keys. Raises `ShapeError`."""

    @abstractmethod
    def read_content(self, value: YamlValue, path: str) -> Any:
        """Return a tree of texts to look for. Raises `ShapeError`."""

    @abstractmethod
    def read_file(self, value: YamlValue, path: str) -> str:
        """Return the text of the file that a value names. Raises `ShapeError`."""

    @abstractmethod
    def describe_misplaced(self, key: Key) -> Mapping[str, Message]:
        """Return the keys that have no effect in this mapping, each with a sentence for the author."""

    # -- values -----------------------------------------------------------------------------------------------------

    def read(self, key: Key, value: YamlValue | None, path: str) -> Any:
        """Return the value of a key, or its default. Raises `ShapeError` after reporting the problem."""
        if value is None or (is_null(value) and key.kind not in ("flag", "content")):
            if not key.is_required:
                return key.default
            # The default of a required key is only for the form.
            return () if key.shape == "list" else ""
        if key.shape == "one":
            return self._read_one(key, value, path)
        if value.kind == "list":
            return self.read_items(value, path, partial(self._read_one, key))
        if key.shape == "list":
            self.reject(value, path, Message("{key} must be a list", key=key.name))
        return (self._read_one(key, value, path),)

    def read_items(self, value: YamlValue, path: str, read_item: Callable[[YamlValue, str], Any]) -> tuple[Any, ...]:
        """Return the readable items of a list."""
        items = []
        for index, item in enumerate(value.items):
            with suppress(ShapeError):
                items.append(read_item(item, f"{path}[{index}]"))
        return tuple(items)

    def _read_one(self, key: Key, value: YamlValue, path: str) -> Any:
        if key.keys and (key.kind == "mapping" or value.kind == "mapping" or is_null(value)):
            return self._read_mapping(key, value, path)
        match key.kind:
            case "number":
                return self._read_number(key, value, path)
            case "flag":
                return self._read_flag(key, value, path)
            case "content":
                return self.read_content(value, path)
            case "file":
                return self.read_file(value, path)
            case "any":
                return value.plain()
            case "ignored":
                return key.default
        if value.kind != "scalar":
            self.report_at(value, path, Message("{key} must be text", key=key.name))
            return key.default
        return self._read_condition(value, path) if key.kind == "condition" else value.text

    def _read_mapping(self, key: Key, value: YamlValue, path: str) -> Any:
        if value.kind == "scalar" and key.bare and not is_null(value):
            value = YamlValue(kind="mapping", line=value.line, column=value.column, entries={"content": value})
        if value.kind == "mapping":
            self.check_names(key, value, path)
        required = [inner.name for inner in key.keys if inner.is_required]
        if value.kind != "mapping" or not value.entries.keys() >= set(required):
            self.reject(value, path, _describe_shape(key, required, path))
        return self.build(key, self.read_keys(key.keys, value, path), value, path)

    def read_keys(self, keys: Sequence[Key], owner: YamlValue, path: str) -> dict[str, Any]:
        """Return the values of some keys of a mapping. Raises `ShapeError` if one of them is invalid."""
        values: dict[str, Any] = {}
        for key in keys:
            with suppress(ShapeError):
                values[key.name] = self.read(key, owner.entries.get(key.name), join_path(path, key.name))
        if len(values) < len(keys):
            raise ShapeError
        return values

    def _read_number(self, key: Key, value: YamlValue, path: str) -> float | None:
        """Return a finite number, also from text, as in the reference implementation."""
        with suppress(ValueError):
            if value.kind == "scalar" and value.scalar is not None and not isinstance(value.scalar, bool):
                number = float(value.scalar)
                if isfinite(number):
                    return number
        self.report_at(value, path, Message("{key} must be a number", key=key.name))
        default: float | None = key.default
        return default

    def _read_flag(self, key: Key, value: YamlValue, path: str) -> bool:
        if isinstance(value.scalar, bool):
            return value.scalar
        self.report_at(value, path, Message("{key} must be true or false", key=key.name))
        return bool(key.default)

    def _read_condition(self, value: YamlValue, path: str) -> str:
        """Return a valid condition, or an empty string."""
        try:
            if value.text:
                conditions.parse_condition(value.text)
        except conditions.ConditionError as error:
            self.report_at(value, path, str(error))
            return ""
        return value.text

    def check_pattern(self, value: YamlValue, text: str, path: str) -> None:
        """Report a text that is not a regular expression."""
        try:
            engine.compile(text)
        except (engine.error, RecursionError, OverflowError) as error:
            self.report_at(value, path, Message("this is not a regular expression: {error}", error=error))

    def check_names(self, key: Key, owner: YamlValue, path: str) -> None:
        """Warn of unknown keys; an unknown metric is an error."""
        names = [inner.name for inner in key.inner_keys]
        for name in (name for name in owner.entries if name not in names):
            misplaced = self.describe_misplaced(key)
            is_metric = key.name == "grading"
            kind = mark_word("metric") if is_metric else mark_word("key")
            message = misplaced.get(name) or describe_unknown(kind, name, names, tuple(misplaced))
            place = join_path(path, name)
            self.report_at_key(owner.entries[name], place, message, "error" if is_metric else "warning")

    # -- problems ---------------------------------------------------------------------------------------------------

    def report_at(self, value: YamlValue, key: str, message: str, severity: Severity = "error") -> None:
        """Report a problem at a value, or at its key if the value is null."""
        if is_null(value):
            self.report_at_key(value, key, message, severity)
        else:
            self.problems.append(Problem(value.line, value.column, key, message, severity))

    def report_at_key(self, value: YamlValue, key: str, message: str, severity: Severity = "error") -> None:
        """Report a problem at the key of a value."""
        line, column = value.key_place or (value.line, value.column)
        self.problems.append(Problem(line, column, key, message, severity))

    def reject(self, value: YamlValue, key: str, message: str) -> NoReturn:
        """Report an error and raise `ShapeError`."""
        self.report_at(value, key, message)
        raise ShapeError


def _describe_shape(key: Key, required: Sequence[str], path: str) -> Message:
    """Return the message for a value that is not a mapping or lacks a required key."""
    owner = Message("an entry of {key}", key=key.name) if path.endswith("]") else key.name
    names = " and ".join(required) or ("content" if key.bare else "")
    if not names:
        return Message("{key} must be a mapping", key=owner)
    if key.bare:
        return Message("{key} must be text or a mapping with {names}", key=owner, names=names)
    return Message("{key} must be a mapping with {names}", key=owner, names=names)
