"""Edits of a criterion document by its form: one field, one rule more, one rule less; all else stays as written."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import LiteralScalarString

from annotator.criteria.forms import (
    ANY,
    FIELDS,
    FormError,
    defaults,
    load_tree,
    meant,
    nodes_of,
    values_of,
    yaml_tool,
)


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
    """Return the document without a rule; a section that is empty then goes as well."""
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
    return _dump(root, source)


def _dump(root: CommentedMap, source: str) -> str:
    out = io.StringIO()
    yaml_tool(source).dump(root, out)
    return out.getvalue()
