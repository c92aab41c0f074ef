"""A criterion document as a form: fields to show, and edits that leave the rest of the YAML unchanged.

Comments, order and quoting survive (ruamel.yaml's round trip). Parts that a form cannot show completely, such as nested
groups or conditions, are locked and must be edited in the YAML.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString

from annotator.criteria.document.keys import Key, form_sections

_LITERAL = "text:"
ANY = "any of"
ALL = "all of"
AT_LEAST = {f"at least {least} of": least for least in range(2, 6)}


@dataclass(frozen=True, slots=True)
class FormRule:
    """One rule in a form: its section, index and values by field; ``locked`` says why it cannot be edited."""

    section: str
    index: int
    values: Mapping[str, Any] = field(default_factory=dict)
    locked: str = ""


class FormError(ValueError):
    """The document cannot be shown or edited as a form; the message says why."""


_SYNTAX_KINDS = ("calls", "imports", "defines")
_LINES_HELP = "One per line; /between slashes/ is a pattern."
_PART_KEYS: Mapping[str, tuple[Key, ...]] = {
    "keywords": (
        Key("match", "choice", "", ANY, "match", (ANY, ALL, *AT_LEAST)),
        Key("texts", "plain", _LINES_HELP, label="look for"),
    ),
    "targets": (Key("texts", "plain", _LINES_HELP, label="may hold"),),
    "ast": (Key("kind", "choice", "", "calls", "the code", _SYNTAX_KINDS), Key("name", "text", "", label="name")),
}
"""Form fields that replace a key by its parts, or by a choice between several keys."""
_SECTIONS = {"unit_test" if key.name == "tests" else key.name: (path, key) for path, key in form_sections()}
SECTIONS = tuple(_SECTIONS)
TITLES: Mapping[str, str] = {section: key.label for section, (_, key) in _SECTIONS.items()}
FIELDS: Mapping[str, tuple[Key, ...]] = {
    section: (*_PART_KEYS.get(section, ()), *(item for item in key.keys if item.label and item.kind != "mapping"))
    for section, (_, key) in _SECTIONS.items()
}
_IN_YAML = "This is edited in the YAML."


def field_at(key: str) -> tuple[str, int, str] | None:
    """Return the section, the rule's index and the field of a problem's ``key``.

    The field is empty if the problem concerns the whole rule. Returns None if the form does not show the key.
    """
    steps = re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", key)
    names = tuple(name for name, _ in steps)
    matching_sections = [(path, section) for section, (path, _) in _SECTIONS.items() if names[: len(path)] == path]
    if not matching_sections:
        return None
    path, section = max(matching_sections)
    index = steps[len(path) - 1][1]
    if not index and _SECTIONS[section][1].shape == "list":
        # A problem with the list belongs to no rule.
        return None
    name = names[len(path)] if len(names) > len(path) else ""
    if name == "content" and section in ("keywords", "targets"):
        name = "match" if names[-1] == "at_least" else "texts"
    name = "name" if name in _SYNTAX_KINDS else name
    return section, int(index or 0), name if name in {item.name for item in FIELDS[section]} else ""


# -- reading -----------------------------------------------------------------------------------------------------------


def read_criterion_form(source: str) -> tuple[FormRule, ...]:
    """Return the rules of a document in the order of `SECTIONS`. Raises `FormError` if it cannot be shown."""
    root = load_yaml_tree(source)
    rules: list[FormRule] = []
    for section in SECTIONS:
        for index, node in enumerate(section_nodes(root, section)):
            values, locked = rule_values(section, node)
            rules.append(FormRule(section, index, values, locked))
    return tuple(rules)


def load_yaml_tree(source: str) -> CommentedMap:
    """Parse a document for editing. Raises `FormError` if that is not possible."""
    try:
        root = yaml_tool(source).load(source)
    except DuplicateKeyError as error:
        raise FormError("A key appears twice in the YAML, so edit it there.") from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise FormError("The YAML has an error. Correct it there; then the form returns.") from error
    if root is None:
        return CommentedMap()
    if not isinstance(root, CommentedMap) or not isinstance(root.get("grading", {}) or {}, Mapping):
        raise FormError("The document must be a mapping with grading. Correct it in the YAML.")
    return root


def yaml_tool(source: str) -> YAML:
    """Return a YAML reader and writer that indents lists as the document does."""
    yaml = YAML(typ="rt", pure=True)
    yaml.preserve_quotes = True
    yaml.width = 100_000
    has_unindented_lists = re.search(r"^( *)[\w-]+:[ \t]*\n\1- ", source, re.MULTILINE)
    if has_unindented_lists:
        yaml.indent(mapping=2, sequence=2, offset=0)
    else:
        yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def section_nodes(root: Mapping[str, Any], section: str) -> list[Any]:
    """Return the YAML nodes of a section's rules."""
    node: Any = root
    for name in _SECTIONS[section][0]:
        node = node.get(name) if isinstance(node, Mapping) else None
    if node is None:
        return []
    return list(node) if isinstance(node, list) else [node]


def rule_values(section: str, node: Any) -> tuple[dict[str, Any], str]:
    """Return a rule's values by field, and why it cannot be edited in a form (empty if it can)."""
    if not isinstance(node, Mapping):
        if not _SECTIONS[section][1].bare:
            return {}, _IN_YAML
        node = {"content": node}
    values = default_values(section)
    values |= {item.name: _plain_value(node[item.name], item) for item in FIELDS[section] if item.name in node}
    reader = _READERS.get(section)
    parts, locked = reader(node) if reader else ({}, "")
    return values | parts, locked


def _plain_value(value: Any, item: Key) -> Any:
    if value is None:
        return item.default
    if item.kind == "number":
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else item.default
    if item.kind == "flag":
        return bool(value)
    return str(value)


_PartValues = tuple[dict[str, Any], str]
"""Values by field, and why they cannot be edited in a form (empty if they can)."""


def _keyword_parts(node: Mapping[str, Any]) -> _PartValues:
    if "post_handler" in node:
        return {}, "A handler scores this rule; edit it in the YAML."
    texts = _tree_texts(node.get("content"), regex=False)
    if texts is None:
        return {}, "Nested groups and conditions are edited in the YAML."
    return {"match": texts[0], "texts": "\n".join(texts[1])}, ""


def _tree_texts(content: Any, *, regex: bool) -> tuple[str, list[str]] | None:
    """Return how the texts are joined, and the texts; None for a tree that is more than one list of texts."""
    if content is None or isinstance(content, list):
        return None
    if not isinstance(content, Mapping):
        return ANY, [_display_text(str(content), regex)]
    if content.get("cond"):
        return None
    regex = bool(content.get("regex", regex))
    at_least_label = next((label for label, least in AT_LEAST.items() if least == content.get("at_least")), None)
    for kind, match_label in (("or", ANY), ("and", ALL), ("of", at_least_label)):
        if kind in content:
            children = content[kind] if isinstance(content[kind], list) else ()
            child_texts = [_tree_texts(child, regex=regex) for child in children]
            if match_label is None or any(texts is None or len(texts[1]) != 1 for texts in child_texts):
                return None
            return match_label, [texts[1][0] for texts in child_texts if texts is not None]
    return _tree_texts(content.get("content"), regex=regex)


def _target_parts(node: Mapping[str, Any]) -> _PartValues:
    content = node.get("content")
    if isinstance(content, Mapping):
        return {}, "There is a mapping instead of a list; edit it in the YAML."
    lines = []
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, Mapping):
            if item.get("cond"):
                return {}, "Conditions are edited in the YAML."
            lines.append(_display_text(str(item.get("content", "")), bool(item.get("regex"))))
        elif item is not None:
            lines.append(_display_text(str(item), False))
    return {"texts": "\n".join(lines)}, ""


def _test_parts(node: Mapping[str, Any]) -> _PartValues:
    if not node.get("path"):
        return {}, ""
    return {"content": f"(in the file {node['path']})"}, "The test's code is in a file of the suite."


def _similarity_parts(node: Mapping[str, Any]) -> _PartValues:
    references = node.get("references") or []
    if len(references) != 1 or isinstance(references[0], Mapping):
        return {"references": ""}, "Several references, or references in files, are edited in the YAML."
    return {"references": str(references[0])}, ""


def _syntax_parts(node: Mapping[str, Any]) -> _PartValues:
    kind = next((kind for kind in _SYNTAX_KINDS if kind in node), _SYNTAX_KINDS[0])
    return {"kind": kind, "name": str(node.get(kind, ""))}, ""


_READERS: Mapping[str, Callable[[Mapping[str, Any]], _PartValues]] = {
    "keywords": _keyword_parts,
    "targets": _target_parts,
    "unit_test": _test_parts,
    "similarity": _similarity_parts,
    "ast": _syntax_parts,
}


def default_values(section: str) -> dict[str, Any]:
    """Return the field values of an empty rule."""
    return {item.name: item.default for item in FIELDS[section]}


def _display_text(text: str, is_pattern: bool) -> str:
    """Return a text as a line of the form: patterns between slashes, line breaks as \\n."""
    if is_pattern:
        return f"/{text}/"
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n") if "\n" in text else text
    return f"{_LITERAL}{escaped}" if _is_pattern(text) or text.startswith(_LITERAL) or "\n" in text else text


def plain_text_line(text: str) -> str:
    """Return a text as a line of the form, escaped so that it is read back as plain text."""
    return _display_text(text, False)


def parse_line(line: str) -> tuple[str, bool]:
    """Parse a line of the form to its text and whether it is a pattern."""
    if line.startswith(_LITERAL):
        text = line.removeprefix(_LITERAL)
        return re.sub(r"\\(n|\\)", lambda match: "\n" if match[1] == "n" else "\\", text), False
    return (line[1:-1], True) if _is_pattern(line) else (line, False)


def _is_pattern(line: str) -> bool:
    return len(line) > 2 and line.startswith("/") and line.endswith("/")


def write_field(source: str, section: str, index: int, name: str, value: Any) -> str:
    """Return the document with one field changed. Raises `FormError` if the rule is gone or locked."""
    root = load_yaml_tree(source)
    nodes = section_nodes(root, section)
    if index >= len(nodes):
        raise FormError("The rule no longer exists.")
    values, locked = rule_values(section, nodes[index])
    if locked:
        raise FormError(locked)
    node = _rule_mapping(root, section, index)
    item = next(item for item in FIELDS[section] if item.name == name)
    _write_value(node, section, item, {**values, name: value})
    return _dump_yaml(root, source)


def _write_value(node: CommentedMap, section: str, item: Key, values: Mapping[str, Any]) -> None:
    """Write one of a rule's values; a default is not written unless the key is required or holds code."""
    value = values[item.name]
    if item.name in ("texts", "match"):
        node["content"] = _content_node(section, values)
    elif item.name == "references":
        node["references"] = CommentedSeq([_yaml_block(str(value))])
    elif item in _PART_KEYS.get(section, ()):
        for kind in _SYNTAX_KINDS:
            node.pop(kind, None)
        node.insert(0, values["kind"], values["name"])
    elif value == item.default and not item.is_required and item.kind != "code":
        node.pop(item.name, None)
    elif item.kind == "number":
        node[item.name] = int(value) if float(value).is_integer() else float(value)
    else:
        node[item.name] = _yaml_block(str(value)) if item.kind in ("code", "plain") else value


def _yaml_block(text: str) -> str:
    """Return a text of several lines as a YAML block, any other text unchanged."""
    if "\n" not in text:
        return text
    lines = [line.rstrip() for line in text.rstrip("\n").split("\n")]
    return str.__new__(LiteralScalarString, "\n".join(lines) + "\n")


def _content_node(section: str, values: Mapping[str, Any]) -> Any:
    lines = [line for line in str(values["texts"]).split("\n") if line]
    leaves: list[Any] = []
    for text, is_pattern in map(parse_line, lines):
        leaves.append(CommentedMap(content=text, regex=True) if is_pattern else text)
    if not leaves:
        return ""
    if section == "targets":
        return leaves[0] if len(leaves) == 1 and not isinstance(leaves[0], CommentedMap) else CommentedSeq(leaves)
    if len(leaves) == 1 and values["match"] == ANY:
        return leaves[0]
    if values["match"] in AT_LEAST:
        return CommentedMap(at_least=AT_LEAST[values["match"]], of=CommentedSeq(leaves))
    return CommentedMap({"or" if values["match"] == ANY else "and": CommentedSeq(leaves)})


def _rule_mapping(root: CommentedMap, section: str, index: int) -> CommentedMap:
    """Return a rule's mapping in the document; a rule that is a bare text is converted to one."""
    holder, key = _section_holder(root, section)
    rules = holder[key]
    node = rules[index] if isinstance(rules, list) else rules
    if isinstance(node, CommentedMap):
        return node
    mapping = CommentedMap(content=node)
    if not isinstance(rules, list):
        holder[key] = mapping
        return mapping
    comment = rules.ca.items.pop(index, None) if isinstance(rules, CommentedSeq) else None
    rules[index] = mapping
    if comment and comment[0] is not None and "\n" not in comment[0].value.strip():
        # Keep a comment at the end of the text's line.
        mapping.yaml_add_eol_comment(comment[0].value.strip().lstrip("# "), "content")
    return mapping


def _section_holder(root: CommentedMap, section: str) -> tuple[CommentedMap, str]:
    """Return the mapping that contains a section, created if it is missing, and the section's key."""
    *parent_keys, key = _SECTIONS[section][0]
    for name in parent_keys:
        if root.get(name) is None:
            root[name] = CommentedMap()
        root = root[name]
        if not isinstance(root, CommentedMap):
            raise FormError(_IN_YAML)
    return root, key


def add_rule(source: str, section: str, values: Mapping[str, Any] | None = None) -> str:
    """Return the document with a new rule at the end of a section; ``values`` replace its defaults."""
    root = load_yaml_tree(source)
    holder, key = _section_holder(root, section)
    all_values = {**default_values(section), **(values or {})}
    node = CommentedMap()
    for item in FIELDS[section]:
        _write_value(node, section, item, all_values)
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
    return _dump_yaml(root, source)


def remove_rule(source: str, section: str, index: int) -> str:
    """Return the document without a rule, and without its section or the whole document if that is then empty."""
    root = load_yaml_tree(source)
    holder, key = _section_holder(root, section)
    rules = holder.get(key)
    if isinstance(rules, list):
        if index < len(rules):
            del rules[index]
        if not rules:
            del holder[key]
    else:
        holder.pop(key, None)
    grading = root.get("grading")
    # The list of tests is one level further down, so its mapping would remain empty.
    is_test_section = section == "unit_test" and isinstance(grading, CommentedMap)
    if is_test_section and not (grading.get("unit_test") or {}).get("tests"):
        grading.pop("unit_test", None)
    if not grading and list(root) == ["grading"] and "#" not in source:
        return ""
    return _dump_yaml(root, source)


def _dump_yaml(root: CommentedMap, source: str) -> str:
    out = io.StringIO()
    yaml_tool(source).dump(root, out)
    return out.getvalue()
