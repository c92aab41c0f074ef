"""YAML as positioned plain values: every mapping and list knows its line.

Read as PyYAML's safe loader reads it (duplicate keys legal, the last wins), with a limit on size so that aliases
cannot blow a small document up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NoReturn

import regex as engine
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from annotator.base.messages import Message, mark_word
from annotator.criteria.document.criterion import Problem, Severity
from annotator.criteria.metrics import conditions

NODE_LIMIT = 20_000
DEPTH_LIMIT = 60
_HINTS = {
    "mapping values are not allowed": Message("put a text that has a colon into quotes"),
    r"found character '\t'": Message("indent with spaces, not tabs"),
    "cannot start any token": Message("put a text that begins with such a character into quotes"),
    "undefined alias": Message("put a text that begins with * into quotes"),
}
_SYNONYMS = {
    **dict.fromkeys(("any", "any_of", "one_of", "either"), "or"),
    **dict.fromkeys(("all", "all_of", "both", "every"), "and"),
    **dict.fromkeys(("min", "minimum", "least", "n_of", "count", "some_of"), "at_least"),
    **dict.fromkeys(("ignore_case", "case_insensitive", "lower", "lowercase", "any_case"), "to_lower"),
    **dict.fromkeys(("not", "negate", "must_not", "forbidden", "exclude"), "neg"),
    **dict.fromkeys(("ignore_whitespace", "any_spacing", "strip_space"), "ignore_space"),
    **dict.fromkeys(("in_code", "only_code", "in_code_only"), "code_only"),
    **dict.fromkeys(("points", "score"), "weight"),
    **dict.fromkeys(("reason", "comment", "note"), "why"),
    **dict.fromkeys(("text", "code", "keyword", "word"), "content"),
    "pattern": "regex",
    "language": "lang",
}
"""Words that people write for a key, and the key."""
_BOOLS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass
class Value:
    """A YAML value with its place; exactly one of the forms is set, ``kind`` tells which."""

    kind: str
    line: int
    column: int
    scalar: str | int | float | bool | None = None
    text: str = ""
    key_place: tuple[int, int] | None = None
    """Line and column of the key that it is the value of."""
    items: list[Value] = field(default_factory=list)
    entries: dict[str, Value] = field(default_factory=dict)

    def plain(self) -> object:
        """Return the value as Python has it."""
        if self.kind == "mapping":
            return {key: value.plain() for key, value in self.entries.items()}
        if self.kind == "list":
            return [item.plain() for item in self.items]
        return self.scalar


class YamlProblemError(ValueError):
    """A text that is not YAML we read, with the place."""

    def __init__(self, problem: Problem) -> None:
        """Keep the problem."""
        super().__init__(problem.message)
        self.problem = problem


def read(source: str, problems: list[Problem]) -> Value:
    """Return the root value; duplicate keys are added to ``problems`` as warnings. Raises `YamlProblemError`."""
    try:
        node = YAML(typ="safe", pure=True).compose(source)
    except YAMLError as error:
        raise YamlProblemError(_locate(error)) from error
    except (RecursionError, ValueError, OverflowError) as error:
        raise YamlProblemError(Problem(1, 1, "", Message("the document is nested too deeply or not text"))) from error
    if node is None:
        raise YamlProblemError(Problem(1, 1, "", Message("the document is empty; it needs at least grading")))
    return _Reader(source, problems).value(node, "", 0)


def _locate(error: YAMLError) -> Problem:
    """Return what YAML refuses, where a person would mend it, and how."""
    mark, begun = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    reason = str(getattr(error, "problem", None) or str(error).splitlines()[0])
    context = str(getattr(error, "context", None) or "")
    hint = next((words for part, words in _HINTS.items() if part in reason), None)
    if "quoted scalar" in context:
        mark, hint = begun or mark, Message("the quotation mark that opens here is not closed")
    elif "flow" in context and begun is not None and mark is not None and mark.line > begun.line:
        mark, hint = begun, Message("the bracket that opens here is not closed")
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    message = Message("this is not valid YAML: {reason}", reason=reason)
    if hint:
        message = Message("this is not valid YAML: {reason}; {hint}", reason=reason, hint=hint)
    return Problem(line, column, "", message)


class _Reader:
    def __init__(self, source: str, problems: list[Problem]) -> None:
        self._lines = source.splitlines()
        self._problems = problems
        self._seen = 0

    def value(self, node: Node, path: str, depth: int) -> Value:
        self._seen += 1
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        if self._seen > NODE_LIMIT or depth > DEPTH_LIMIT:
            raise YamlProblemError(
                Problem(line, column, path, Message("the document is too large or nested too deeply"))
            )
        tag = node.tag or ""
        if not tag.startswith("tag:yaml.org,2002:") or "python" in tag:
            raise YamlProblemError(Problem(line, column, path, Message("the tag {tag} is not allowed", tag=tag)))
        if isinstance(node, MappingNode):
            return self._mapping(node, path, depth, line, column)
        if isinstance(node, SequenceNode):
            items = [self.value(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(node.value)]
            return Value("list", line, column, items=items)
        if not isinstance(node, ScalarNode):
            raise YamlProblemError(
                Problem(line, column, path, Message("this is neither a value, a list nor a mapping"))
            )
        if not node.style:
            self._look_for_dashes(node, path)
        return Value("scalar", line, column, scalar=_scalar(tag, node.value), text=node.value)

    def _look_for_dashes(self, node: ScalarNode, path: str) -> None:
        """Warn of an item that is indented so deep that YAML takes it for more of the text above."""
        for number in range(node.start_mark.line + 1, min(node.end_mark.line + 1, len(self._lines))):
            text = self._lines[number]
            if text.lstrip().startswith("- "):
                message = Message("this line is part of the text above; for an item of its own, indent it as that one")
                column = len(text) - len(text.lstrip()) + 1
                self._problems.append(Problem(number + 1, column, path, message, "warning"))

    def _mapping(self, node: MappingNode, path: str, depth: int, line: int, column: int) -> Value:
        entries: dict[str, Value] = {}
        for key, item in node.value:
            place = (key.start_mark.line + 1, key.start_mark.column + 1)
            if not isinstance(key, ScalarNode):
                raise YamlProblemError(Problem(*place, path, Message("a key must be plain text")))
            if key.value in entries:
                message = Message("the key {key} stands here twice; the last one counts", key=key.value)
                self._problems.append(Problem(*place, _join(path, key.value), message, "warning"))
            entries[key.value] = self.value(item, _join(path, key.value), depth + 1)
            entries[key.value].key_place = place
        return Value("mapping", line, column, entries=entries)


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _scalar(tag: str, text: str) -> str | int | float | bool | None:
    kind = tag.rpartition(":")[2]
    try:
        if kind == "null":
            return None
        if kind == "bool":
            return _BOOLS[text.lower()]
        if kind == "int":
            return int(text.replace("_", ""), 0)
        if kind == "float":
            return float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan").replace(".NaN", "nan"))
    except (ValueError, KeyError):
        return text
    return text


LABEL = 80


class ShapeError(Exception):
    """A part that cannot be read; the problem was said already."""


class Reader:
    """Collects problems while values are taken."""

    def __init__(self, problems: list[Problem]) -> None:
        """Add to ``problems``."""
        self.problems = problems

    def say(self, value: Value, key: str, message: str, severity: Severity = "error") -> None:
        """Note a problem at a value; one that is not there has its key's place."""
        line, column = value.line, value.column
        if is_null(value) and value.key_place is not None:
            line, column = value.key_place
        self.problems.append(Problem(line, column, key, message, severity))

    def say_of_key(self, value: Value, key: str, message: str, severity: Severity = "error") -> None:
        """Note a problem at the key of a value."""
        line, column = value.key_place or (value.line, value.column)
        self.problems.append(Problem(line, column, key, message, severity))

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
            self.say(value, path or key, Message("{key} must be text", key=key))
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
            self.say(value, path, Message("{key} must be a number", key=key))
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
            self.say(value, path, Message("{key} must be true or false", key=key))
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

        try:
            engine.compile(text)
        except (engine.error, RecursionError, OverflowError) as error:
            self.say(value, path, Message("this is not a regular expression: {error}", error=error))

    def only(self, owner: Value, keys: tuple[str, ...], path: str) -> None:
        """Warn of keys that mean nothing here."""
        for key, value in owner.entries.items():
            if key not in keys:
                self.say_of_key(value, f"{path}.{key}", unknown(mark_word("key"), key, keys), "warning")


def unknown(kind: Message, name: str, names: Sequence[str]) -> str:
    """Return a sentence on a name that there is not, with the one that was probably meant, else with all."""
    plain = name.lower().replace("-", "_")
    meant = [_SYNONYMS[plain]] if _SYNONYMS.get(plain) in names else get_close_matches(plain, names, n=1)
    if meant:
        return Message("there is no {kind} {name}; did you mean {meant}?", kind=kind, name=name, meant=meant[0])
    return Message("there is no {kind} {name}; there are: {names}", kind=kind, name=name, names=", ".join(names))


def is_null(value: Value) -> bool:
    """Tell whether a value is YAML's null."""
    return value.kind == "scalar" and value.scalar is None


def is_given(value: Value | None) -> bool:
    """Tell whether there is a value that is not null."""
    return value is not None and not is_null(value)
