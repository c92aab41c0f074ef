"""Read YAML to plain values with their line and column.

As in PyYAML's safe loader, duplicate keys are allowed and the last one wins. A limit on the size protects against
aliases that expand a small document enormously.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from annotator.base.messages import Message
from annotator.criteria.document.criterion_document import Problem

NODE_LIMIT = 20_000
DEPTH_LIMIT = 60
_HINTS = {
    "mapping values are not allowed": Message("put text that contains a colon in quotes"),
    r"found character '\t'": Message("indent with spaces, not tabs"),
    "cannot start any token": Message("put text that begins with such a character in quotes"),
    "undefined alias": Message("put text that begins with * in quotes"),
}
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(kw_only=True)
class YamlValue:
    """A YAML value with its place; ``kind`` ("scalar", "list" or "mapping") says which of the fields is set."""

    kind: str
    line: int
    column: int
    scalar: str | int | float | bool | None = None
    text: str = ""
    key_place: tuple[int, int] | None = None
    """Line and column of the value's key."""
    items: list[YamlValue] = field(default_factory=list)
    entries: dict[str, YamlValue] = field(default_factory=dict)

    def plain(self) -> object:
        """Return the value as plain Python objects."""
        if self.kind == "mapping":
            return {key: value.plain() for key, value in self.entries.items()}
        if self.kind == "list":
            return [item.plain() for item in self.items]
        return self.scalar


class YamlProblemError(ValueError):
    """The text is not YAML that this module accepts; ``problem`` has the place."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_positioned_yaml(source: str, problems: list[Problem]) -> YamlValue:
    """Parse YAML to its root value; duplicate keys are added to ``problems`` as warnings. Raises `YamlProblemError`."""
    try:
        node = YAML(typ="safe", pure=True).compose(source)
    except YAMLError as error:
        raise YamlProblemError(_locate_error(error)) from error
    except (RecursionError, ValueError, OverflowError) as error:
        raise YamlProblemError(
            Problem(1, 1, "", Message("the document is nested too deeply or is not text"))
        ) from error
    if node is None:
        raise YamlProblemError(Problem(1, 1, "", Message("the document is empty; it must have at least grading")))
    return _YamlReader(source, problems).value(node, "", 0)


def _locate_error(error: YAMLError) -> Problem:
    """Return a YAML error as a problem at the place to correct, with a hint if there is one."""
    mark = getattr(error, "problem_mark", None)
    opening_mark = getattr(error, "context_mark", None)
    reason = str(getattr(error, "problem", None) or str(error).splitlines()[0])
    context = str(getattr(error, "context", None) or "")
    hint = next((words for part, words in _HINTS.items() if part in reason), None)
    if "quoted scalar" in context:
        mark = opening_mark or mark
        hint = Message("the quotation mark that opens here is not closed")
    elif "flow" in context and opening_mark is not None and mark is not None and mark.line > opening_mark.line:
        mark = opening_mark
        hint = Message("the bracket that opens here is not closed")
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    message = Message("this is not valid YAML: {reason}", reason=reason)
    if hint:
        message = Message("this is not valid YAML: {reason}; {hint}", reason=reason, hint=hint)
    return Problem(line, column, "", message)


class _YamlReader:
    def __init__(self, source: str, problems: list[Problem]) -> None:
        self._lines = source.splitlines()
        self._problems = problems
        self._node_count = 0

    def value(self, node: Node, path: str, depth: int) -> YamlValue:
        self._node_count += 1
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        if self._node_count > NODE_LIMIT or depth > DEPTH_LIMIT:
            raise YamlProblemError(
                Problem(line, column, path, Message("the document is too large or nested too deeply"))
            )
        tag = node.tag or ""
        if not tag.startswith("tag:yaml.org,2002:") or "python" in tag:
            raise YamlProblemError(Problem(line, column, path, Message("the tag {tag} is not allowed", tag=tag)))
        if isinstance(node, MappingNode):
            return self._read_mapping(node, path, depth, line, column)
        if isinstance(node, SequenceNode):
            items = [self.value(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(node.value)]
            return YamlValue(kind="list", line=line, column=column, items=items)
        if not isinstance(node, ScalarNode):
            raise YamlProblemError(Problem(line, column, path, Message("this is not a value, a list or a mapping")))
        if not node.style:
            self._warn_of_continued_items(node, path)
        return YamlValue(
            kind="scalar", line=line, column=column, scalar=_scalar_value(tag, node.value), text=node.value
        )

    def _warn_of_continued_items(self, node: ScalarNode, path: str) -> None:
        """Warn of a list item that is indented so far that YAML reads it as a part of the text above."""
        for number in range(node.start_mark.line + 1, min(node.end_mark.line + 1, len(self._lines))):
            text = self._lines[number]
            if text.lstrip().startswith("- "):
                message = Message(
                    "this line continues the text above; for a separate item, indent it like the item above"
                )
                column = len(text) - len(text.lstrip()) + 1
                self._problems.append(Problem(number + 1, column, path, message, "warning"))

    def _read_mapping(self, node: MappingNode, path: str, depth: int, line: int, column: int) -> YamlValue:
        entries: dict[str, YamlValue] = {}
        for key, item in node.value:
            place = (key.start_mark.line + 1, key.start_mark.column + 1)
            if not isinstance(key, ScalarNode):
                raise YamlProblemError(Problem(*place, path, Message("a key must be plain text")))
            if key.value in entries:
                message = Message("the key {key} appears twice; the last one is used", key=key.value)
                self._problems.append(Problem(*place, join_path(path, key.value), message, "warning"))
            entries[key.value] = self.value(item, join_path(path, key.value), depth + 1)
            entries[key.value].key_place = place
        return YamlValue(kind="mapping", line=line, column=column, entries=entries)


def join_path(path: str, key: str) -> str:
    """Return the dotted path of a key below a path."""
    return f"{path}.{key}" if path else key


def _scalar_value(tag: str, text: str) -> str | int | float | bool | None:
    kind = tag.rpartition(":")[2]
    try:
        if kind == "null":
            return None
        if kind == "bool":
            return _BOOLEANS[text.lower()]
        if kind == "int":
            return int(text.replace("_", ""), 0)
        if kind == "float":
            return float(text.replace("_", "").replace(".inf", "inf").replace(".nan", "nan").replace(".NaN", "nan"))
    except (ValueError, KeyError):
        return text
    return text


def is_null(value: YamlValue) -> bool:
    """Return whether a value is YAML's null."""
    return value.kind == "scalar" and value.scalar is None


def is_present(value: YamlValue | None) -> bool:
    """Return whether a value is present and not null."""
    return value is not None and not is_null(value)


_KEY_LINE = re.compile(r"^(?P<space> *)(?P<dashes>(?:- +)*)(?:(?P<key>[\w-]+)(?P<colon> *:(?: |$))?)?")


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """The keys that enclose the cursor's line, the (partial) key on it, and whether the cursor is on the key."""

    path: tuple[str, ...]
    key: str
    is_key: bool


def cursor_place_at(source: str, line: int, column: int) -> CursorPlace:
    """Return the place of a line and column, both counted from 0."""
    lines = source.split("\n")
    if line >= len(lines):
        return CursorPlace((), "", False)
    text = lines[line]
    match = _KEY_LINE.match(text)
    assert match is not None
    start = match.start("key") if match["key"] else match.end("dashes")
    key = match["key"] or ""
    end = start + len(key)
    is_on_key = start <= column <= end and (bool(match["colon"]) or end == len(text.rstrip()) or column == end)
    return CursorPlace(_enclosing_keys(lines[:line], start), key, is_on_key)


def _enclosing_keys(lines_above: list[str], indent: int) -> tuple[str, ...]:
    """Return the keys that enclose a column, found by searching upwards."""
    keys: list[str] = []
    for text in reversed(lines_above):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        match = _KEY_LINE.match(text)
        if match is None or not match["key"] or not match["colon"]:
            continue
        start = match.start("key")
        if start < indent:
            # A list may be indented like its key; then its dash counts as one more column.
            keys.append(match["key"])
            indent = len(match["space"]) + (1 if match["dashes"] else 0)
        if indent == 0:
            break
    return tuple(reversed(keys))
