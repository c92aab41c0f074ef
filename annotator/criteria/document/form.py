"""A criterion document as a form: fields to show, and edits that leave the rest of the YAML as it was written.

Comments, order and quoting survive (ruamel.yaml's round trip). What a form cannot show whole, such as nested groups or
conditions, is shown as it is and edited in the YAML.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString

Kind = Literal["text", "lines", "code", "number", "flag", "choice"]
_PATTERN = re.compile(r"/(.+)/", re.DOTALL)
_LITERAL = "text:"
ANY, ALL = "any of", "all of"
SOME = {f"at least {least} of": least for least in range(2, 6)}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a rule; ``default`` is what stands for a key that is not written."""

    name: str
    kind: Kind
    label: str
    default: Any = ""
    choices: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as a form shows it: where it stands, and its values by field; ``locked`` says why it is not editable."""

    section: str
    index: int
    values: Mapping[str, Any] = field(default_factory=dict)
    locked: str = ""


class FormError(ValueError):
    """The document cannot be shown or edited as a form; the text says why."""


_WEIGHT = Field("weight", "number", "points", 1.0)
_WHY = Field("why", "text", "why", help="What this shows; reviewers read it.")
_LINES = "One a line; /between slashes/ is a pattern."
FIELDS: Mapping[str, tuple[Field, ...]] = {
    "keywords": (
        Field("match", "choice", "match", ANY, (ANY, ALL, *SOME)),
        Field("texts", "lines", "look for", help=_LINES),
        Field("to_lower", "flag", "any case", False),
        Field("ignore_space", "flag", "any spacing", False, help="White space does not count."),
        Field("code_only", "flag", "in code only", False, help="Prose around the answer's code does not count."),
        Field("neg", "flag", "must not appear", False, help="Finding it takes the points away."),
        _WEIGHT,
        _WHY,
    ),
    "blank_filling": (
        Field("template", "code", "template", help="The text with its blanks; something must follow the last one."),
        Field("blank_str", "text", "a blank is", "[blank]"),
    ),
    "targets": (
        Field("texts", "lines", "may hold", help=_LINES),
        Field("to_lower", "flag", "any case", False),
        Field("substr_match", "flag", "contains is enough", False),
        _WEIGHT,
        _WHY,
    ),
    "unit_test": (
        Field("name", "text", "name"),
        Field("content", "code", "code", help="It fails by raising an error, or by an exit status above 0."),
        Field("timeout", "number", "seconds", 0.0, help="0: the default of the language."),
        _WEIGHT,
        _WHY,
    ),
    "similarity": (
        Field("metric", "choice", "metric", "rougeLsum", ("rougeLsum", "rougeL", "rouge1", "rouge2")),
        Field("references", "code", "reference"),
        Field("min_score", "number", "nothing below", 0.3),
        Field("max_score", "number", "all above", 0.51),
        _WEIGHT,
        _WHY,
    ),
    "ast": (
        Field("kind", "choice", "the code", "calls", ("calls", "imports", "defines")),
        Field("name", "text", "name"),
        Field("absent", "flag", "must not", False),
        _WEIGHT,
        _WHY,
    ),
    "equals": (Field("value", "lines", "the answer is"), Field("to_lower", "flag", "any case", False), _WEIGHT, _WHY),
    "number": (
        Field("value", "number", "the number is", 0.0),
        Field("tolerance", "number", "give or take", 0.0),
        _WEIGHT,
        _WHY,
    ),
    "examples": (
        Field("expect", "choice", "it must", "pass", ("pass", "fail")),
        Field("answer", "code", "answer"),
        _WHY,
    ),
}
TITLES: Mapping[str, str] = {
    "keywords": "Keywords",
    "blank_filling": "Blank filling",
    "targets": "What the blanks hold",
    "unit_test": "Unit tests",
    "similarity": "Similarity to references",
    "ast": "Syntax of the code",
    "equals": "The whole answer",
    "number": "A number",
    "examples": "Examples for the proof",
}
SECTIONS = tuple(FIELDS)
_SEVERAL = ("keywords", "targets", "unit_test", "similarity", "examples")
"""Sections that are lists: what is wrong with the list is no rule's."""


_PLACE = re.compile(r"(?:grading\.)?(?P<section>\w+(?:\.(?:targets|tests))?)(?:\[(?P<index>\d+)\])?(?:\.(?P<rest>.*))?")
_PARTS = {"blank_filling.targets": "targets", "unit_test.tests": "unit_test"}
_NAMES = {"calls": "name", "imports": "name", "defines": "name"}


def field_at(key: str) -> tuple[str, int, str] | None:
    """Return the section, the rule's index and the field that a problem's ``key`` leads to.

    The field is empty where the whole rule is meant; None where the form shows nothing of it.
    """
    found = _PLACE.fullmatch(key)
    section = _PARTS.get(found["section"], found["section"]) if found else ""
    if found is None or section not in FIELDS or (section in _SEVERAL and found["index"] is None):
        return None
    rest = found["rest"] or ""
    name = re.split(r"[.\[]", rest)[0]
    if name == "content" and section in ("keywords", "targets"):
        name = "match" if rest.endswith(".at_least") else "texts"
    name = _NAMES.get(name, name)
    return section, int(found["index"] or 0), name if name in {item.name for item in FIELDS[section]} else ""


# -- reading -----------------------------------------------------------------------------------------------------------


def read_form(source: str) -> tuple[Rule, ...]:
    """Return the rules of a document in the order of `SECTIONS`. Raises `FormError` where it cannot be shown."""
    root = load_tree(source)
    rules: list[Rule] = []
    for section in SECTIONS:
        for index, node in enumerate(nodes_of(root, section)):
            values, locked = values_of(section, node)
            rules.append(Rule(section, index, values, locked))
    return tuple(rules)


def load_tree(source: str) -> CommentedMap:
    """Read a document for editing. Raises `FormError` where that cannot be done."""
    try:
        root = yaml_tool(source).load(source)
    except DuplicateKeyError as error:
        raise FormError("A key stands twice in the YAML, so it is edited there.") from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise FormError("The YAML has an error. Mend it there; the form comes back.") from error
    if root is None:
        return CommentedMap()
    if not isinstance(root, CommentedMap) or not isinstance(root.get("grading", {}) or {}, Mapping):
        raise FormError("The document must be a mapping with grading. Mend it in the YAML.")
    return root


def yaml_tool(source: str) -> YAML:
    """Return a reader and writer that indents lists as the document does."""
    tool = YAML(typ="rt", pure=True)
    tool.preserve_quotes = True
    tool.width = 100_000
    flat = re.search(r"^( *)[\w-]+:[ \t]*\n\1- ", source, re.MULTILINE)
    if flat:
        tool.indent(mapping=2, sequence=2, offset=0)
    else:
        tool.indent(mapping=2, sequence=4, offset=2)
    return tool


def nodes_of(root: Mapping[str, Any], section: str) -> list[Any]:
    """Return the rules of a section as they stand in the document."""
    grading = root.get("grading") or {}
    if section == "examples":
        found = root.get("examples")
    elif section == "targets":
        found = (grading.get("blank_filling") or {}).get("targets")
    elif section == "unit_test":
        found = (grading.get("unit_test") or {}).get("tests")
    else:
        found = grading.get(section)
    if found is None:
        return []
    return list(found) if isinstance(found, list) else [found]


def values_of(section: str, node: Any) -> tuple[dict[str, Any], str]:
    """Return a rule's values by field, and why it cannot be edited in a form, if so."""
    reader = _READERS.get(section)
    if reader is not None:
        return reader(node)
    if not isinstance(node, Mapping):
        return {}, "This is edited in the YAML."
    return {item.name: _plain(node.get(item.name, item.default), item) for item in FIELDS[section]}, ""


def _plain(value: Any, item: Field) -> Any:
    if value is None:
        return item.default
    if item.kind == "number":
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else item.default
    if item.kind == "flag":
        return bool(value)
    return str(value)


def _keyword(node: Any) -> tuple[dict[str, Any], str]:
    if not isinstance(node, Mapping):
        return {**defaults("keywords"), "texts": _display_text(str(node), False)}, ""
    if "post_handler" in node:
        return {}, "A handler decides here; it is edited in the YAML."
    values = {**defaults("keywords"), **_given("keywords", node)}
    texts = _tree_texts(node.get("content"), regex=False)
    if texts is None:
        return values, "Nested groups and conditions are edited in the YAML."
    values["match"], values["texts"] = texts[0], "\n".join(texts[1])
    return values, ""


def _tree_texts(content: Any, *, regex: bool) -> tuple[str, list[str]] | None:
    """Return how the texts are joined and the texts, None for a tree that is more than a list of texts."""
    if content is None or isinstance(content, list):
        return None
    if not isinstance(content, Mapping):
        return ANY, [_display_text(str(content), regex)]
    if content.get("cond"):
        return None
    regex = bool(content.get("regex", regex))
    some = next((words for words, least in SOME.items() if least == content.get("at_least")), None)
    for kind, joined in (("or", ANY), ("and", ALL), ("of", some)):
        if kind in content:
            listed = content[kind] if isinstance(content[kind], list) else ()
            found = [_tree_texts(child, regex=regex) for child in listed]
            if joined is None or any(item is None or len(item[1]) != 1 for item in found):
                return None
            return joined, [item[1][0] for item in found if item is not None]
    return _tree_texts(content.get("content"), regex=regex)


def _target(node: Any) -> tuple[dict[str, Any], str]:
    if not isinstance(node, Mapping):
        return {**defaults("targets"), "texts": _display_text(str(node), False)}, ""
    values = {**defaults("targets"), **_given("targets", node)}
    content = node.get("content")
    if isinstance(content, Mapping):
        return values, "A mapping stands where a list should; it is edited in the YAML."
    lines = []
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, Mapping):
            if item.get("cond"):
                return values, "Conditions are edited in the YAML."
            lines.append(_display_text(str(item.get("content", "")), bool(item.get("regex"))))
        elif item is not None:
            lines.append(_display_text(str(item), False))
    values["texts"] = "\n".join(lines)
    return values, ""


def _test(node: Any) -> tuple[dict[str, Any], str]:
    if not isinstance(node, Mapping):
        return {**defaults("unit_test"), "content": str(node)}, ""
    values = {**defaults("unit_test"), **_given("unit_test", node)}
    if node.get("path"):
        return {**values, "content": f"(in the file {node['path']})"}, "The test's code is in a file of the suite."
    return values, ""


def _similar(node: Any) -> tuple[dict[str, Any], str]:
    if not isinstance(node, Mapping):
        return {}, "This is edited in the YAML."
    values = {**defaults("similarity"), **_given("similarity", node)}
    references = node.get("references") or []
    if len(references) != 1 or isinstance(references[0], Mapping):
        return {**values, "references": ""}, "Several references, or references in files, are edited in the YAML."
    values["references"] = str(references[0])
    return values, ""


def _syntax(node: Any) -> tuple[dict[str, Any], str]:
    if not isinstance(node, Mapping):
        return {}, "This is edited in the YAML."
    values = {**defaults("ast"), **_given("ast", node)}
    kind = next((name for name in ("calls", "imports", "defines") if name in node), "calls")
    return {**values, "kind": kind, "name": str(node.get(kind, ""))}, ""


_READERS: Mapping[str, Callable[[Any], tuple[dict[str, Any], str]]] = {
    "keywords": _keyword,
    "targets": _target,
    "unit_test": _test,
    "similarity": _similar,
    "ast": _syntax,
}


def defaults(section: str) -> dict[str, Any]:
    """Return what an empty rule of a section has in its fields."""
    return {item.name: item.default for item in FIELDS[section]}


def _given(section: str, node: Mapping[str, Any]) -> dict[str, Any]:
    return {item.name: _plain(node[item.name], item) for item in FIELDS[section] if item.name in node}


def _display_text(text: str, is_pattern: bool) -> str:
    """Return a text as a line of the form: patterns between slashes, line ends as \\n."""
    if is_pattern:
        return f"/{text}/"
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n") if "\n" in text else text
    return f"{_LITERAL}{escaped}" if _PATTERN.fullmatch(text) or text.startswith(_LITERAL) or "\n" in text else text


def as_line(text: str) -> str:
    """Return a text as a line of the form, such that it means itself."""
    return _display_text(text, False)


def meant(line: str) -> tuple[str, bool]:
    """Return what a line of the form stands for: its text, and whether it is a pattern."""
    if line.startswith(_LITERAL):
        text = line.removeprefix(_LITERAL)
        return re.sub(r"\\(n|\\)", lambda match: "\n" if match[1] == "n" else "\\", text), False
    found = _PATTERN.fullmatch(line)
    return (found[1], True) if found else (line, False)


def write_field(source: str, section: str, index: int, name: str, value: Any) -> str:
    """Return the document with one field changed. Raises `FormError` where that cannot be done here."""
    root = load_tree(source)
    nodes = nodes_of(root, section)
    if index >= len(nodes):
        raise FormError("The rule is no longer there.")
    values, locked = values_of(section, nodes[index])
    if locked:
        raise FormError(locked)
    node = _mapping(root, section, index)
    if name in ("texts", "match") and section in ("keywords", "targets"):
        values[name] = value
        node["content"] = _content(section, values)
    elif section == "similarity" and name == "references":
        node["references"] = CommentedSeq([_block(str(value))])
    elif section == "ast" and name in ("kind", "name"):
        values[name] = value
        for kind in ("calls", "imports", "defines"):
            node.pop(kind, None)
        node.insert(0, values["kind"], values["name"])
    else:
        _set(node, section, name, value)
    return _dump(root, source)


def _set(node: CommentedMap, section: str, name: str, value: Any) -> None:
    item = next(item for item in FIELDS[section] if item.name == name)
    if value == item.default and item.name not in ("value", "answer", "template", "content", "expect", "metric"):
        node.pop(name, None)
    elif item.kind == "number":
        node[name] = int(value) if float(value).is_integer() else float(value)
    elif item.kind in ("code", "lines"):
        node[name] = _block(str(value))
    else:
        node[name] = value


def _block(text: str) -> str:
    """Return a text as a YAML block where it has several lines."""
    if "\n" not in text:
        return text
    lines = [line.rstrip() for line in text.rstrip("\n").split("\n")]
    return str.__new__(LiteralScalarString, "\n".join(lines) + "\n")


def _content(section: str, values: Mapping[str, Any]) -> Any:
    lines = [line for line in str(values["texts"]).split("\n") if line]
    leaves: list[Any] = []
    for text, is_pattern in map(meant, lines):
        leaves.append(CommentedMap(content=text, regex=True) if is_pattern else text)
    if not leaves:
        return ""
    if section == "targets":
        return leaves[0] if len(leaves) == 1 and not isinstance(leaves[0], CommentedMap) else CommentedSeq(leaves)
    if len(leaves) == 1 and values["match"] == ANY:
        return leaves[0]
    if values["match"] in SOME:
        return CommentedMap(at_least=SOME[values["match"]], of=CommentedSeq(leaves))
    return CommentedMap({"or" if values["match"] == ANY else "and": CommentedSeq(leaves)})


def _mapping(root: CommentedMap, section: str, index: int) -> CommentedMap:
    """Return a rule as a mapping in the document; a rule that is a bare text becomes one."""
    holder, key = _holder(root, section)
    found = holder[key]
    node = found[index] if isinstance(found, list) else found
    if isinstance(node, CommentedMap):
        return node
    made = CommentedMap(content=node)
    if not isinstance(found, list):
        holder[key] = made
        return made
    remark = found.ca.items.pop(index, None) if isinstance(found, CommentedSeq) else None
    found[index] = made
    if remark and remark[0] is not None and "\n" not in remark[0].value.strip():
        # A remark behind the text stays behind it.
        made.yaml_add_eol_comment(remark[0].value.strip().lstrip("# "), "content")
    return made


def _holder(root: CommentedMap, section: str) -> tuple[CommentedMap, str]:
    if section == "examples":
        return root, "examples"
    grading = root.get("grading")
    if grading is None:
        grading = root["grading"] = CommentedMap()
    if section in ("targets", "unit_test"):
        outer, key = ("blank_filling", "targets") if section == "targets" else ("unit_test", "tests")
        if grading.get(outer) is None:
            grading[outer] = CommentedMap()
        return grading[outer], key
    return grading, section


def add_rule(source: str, section: str, values: Mapping[str, Any] | None = None) -> str:
    """Return the document with a rule more at the end of a section, filled with some values."""
    root = load_tree(source)
    holder, key = _holder(root, section)
    wanted = {**defaults(section), **(values or {})}
    node: Any
    if section in ("keywords", "targets"):
        node = CommentedMap(content=_content(section, wanted))
    elif section == "similarity":
        node = CommentedMap(metric=wanted["metric"], references=CommentedSeq([_block(str(wanted["references"]))]))
    elif section == "ast":
        node = CommentedMap({wanted["kind"]: wanted["name"]})
    else:
        node = CommentedMap()
    for item in FIELDS[section]:
        if item.name not in node and item.name not in ("texts", "match", "references", "kind", "metric"):
            if section == "ast" and item.name == "name":
                continue
            _set(node, section, item.name, wanted[item.name])
    if section == "blank_filling":
        holder[key] = node if holder.get(key) is None else holder[key]
        if "targets" not in holder[key]:
            holder[key]["targets"] = CommentedSeq()
    elif isinstance(holder.get(key), list):
        holder[key].append(node)
    elif holder.get(key) is None:
        holder[key] = CommentedSeq([node])
    else:
        holder[key] = CommentedSeq([holder[key], node])
    return _dump(root, source)


def remove_rule(source: str, section: str, index: int) -> str:
    """Return the document without a rule; a section that is empty then goes as well, and so does an empty document."""
    root = load_tree(source)
    holder, key = _holder(root, section)
    found = holder.get(key)
    if isinstance(found, list) and section != "blank_filling":
        if index < len(found):
            del found[index]
        if not found:
            del holder[key]
    else:
        holder.pop(key, None)
    grading = root.get("grading")
    if (
        section == "unit_test"
        and isinstance(grading, CommentedMap)
        and not (grading.get("unit_test") or {}).get("tests")
    ):
        grading.pop("unit_test", None)
    if not grading and list(root) == ["grading"] and "#" not in source:
        return ""
    return _dump(root, source)


def _dump(root: CommentedMap, source: str) -> str:
    out = io.StringIO()
    yaml_tool(source).dump(root, out)
    return out.getvalue()
