"""YAML as positioned plain values: every mapping and list knows its line.

Read as PyYAML's safe loader reads it (duplicate keys legal, the last wins), with a limit on size so that aliases
cannot blow a small document up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from annotator.criteria.document import Problem

NODE_LIMIT = 20_000
DEPTH_LIMIT = 60
_BOOLS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass
class Value:
    """A YAML value with its place; exactly one of the forms is set, ``kind`` tells which."""

    kind: str
    line: int
    column: int
    scalar: str | int | float | bool | None = None
    text: str = ""
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
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        raise YamlProblemError(Problem(line, column, "", f"this is not valid YAML: {reason}")) from error
    except (RecursionError, ValueError, OverflowError) as error:
        raise YamlProblemError(Problem(1, 1, "", "the document is nested too deeply or not text")) from error
    if node is None:
        raise YamlProblemError(Problem(1, 1, "", "the document is empty; it needs at least grading"))
    return _Reader(problems).value(node, "", 0)


class _Reader:
    def __init__(self, problems: list[Problem]) -> None:
        self._problems = problems
        self._seen = 0

    def value(self, node: Node, path: str, depth: int) -> Value:
        self._seen += 1
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        if self._seen > NODE_LIMIT or depth > DEPTH_LIMIT:
            raise YamlProblemError(Problem(line, column, path, "the document is too large or nested too deeply"))
        tag = node.tag or ""
        if not tag.startswith("tag:yaml.org,2002:") or "python" in tag:
            raise YamlProblemError(Problem(line, column, path, f"the tag {tag} is not allowed"))
        if isinstance(node, MappingNode):
            return self._mapping(node, path, depth, line, column)
        if isinstance(node, SequenceNode):
            items = [self.value(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(node.value)]
            return Value("list", line, column, items=items)
        if not isinstance(node, ScalarNode):
            raise YamlProblemError(Problem(line, column, path, "this is neither a value, a list nor a mapping"))
        return Value("scalar", line, column, scalar=_scalar(tag, node.value), text=node.value)

    def _mapping(self, node: MappingNode, path: str, depth: int, line: int, column: int) -> Value:
        entries: dict[str, Value] = {}
        for key, item in node.value:
            place = (key.start_mark.line + 1, key.start_mark.column + 1)
            if not isinstance(key, ScalarNode):
                raise YamlProblemError(Problem(*place, path, "a key must be plain text"))
            if key.value in entries:
                message = f"the key {key.value} stands here twice; the last one counts"
                self._problems.append(Problem(*place, _join(path, key.value), message, "warning"))
            entries[key.value] = self.value(item, _join(path, key.value), depth + 1)
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
