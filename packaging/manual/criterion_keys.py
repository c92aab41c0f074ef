"""The page of the manual that lists every key of a criterion document, made from its schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from annotator.criteria.document.document_schema import json_schema

_INTRODUCTION = """# Keys of a criterion

Every key a criterion may hold. This page is made from the table by which criteria are checked
(`annotator criterion schema` writes it for your editor). [Criterion language](criterion-language.md) explains how they
work together.
"""
_WORDS = {"string": "text", "number": "number", "integer": "whole number", "boolean": "yes or no",
          "null": "nothing", "array": "list", "object": "mapping"}  # fmt: skip


def reference() -> str:
    """Return the page as Markdown."""
    schema = json_schema()
    parts = [_INTRODUCTION, "## The document\n", _table(schema, schema)]
    metrics = schema["properties"]["grading"]["properties"]
    parts += ["## grading\n", _table(schema["properties"]["grading"], schema)]
    for name, metric in metrics.items():
        if name in ("max_score", "min_score"):
            continue
        parts += [f"## grading: {name}\n", f"{metric['description']}\n", _table(metric, schema)]
        for key, inner in _keys(metric, schema).items():
            if name in ("blank_filling", "unit_test") and key in ("targets", "tests"):
                parts += [f"### grading: {name}: {key}\n", _table(inner, schema)]
    parts += ["## Text to look for\n", "What `content` may hold below `keywords`, as deep as you like.\n"]
    parts += [_table(schema["$defs"]["content"], schema), "## examples\n"]
    parts.append(_table(schema["properties"]["examples"], schema))
    return "\n".join(parts)


def _table(schema: Mapping[str, Any], root: Mapping[str, Any]) -> str:
    lines = ["| key | type | default | what it does |", "|---|---|---|---|"]
    required = _required(schema, root)
    for key, value in _keys(schema, root).items():
        default = f"`{json.dumps(value['default'])}`" if "default" in value else "required" if key in required else ""
        lines.append(f"| `{key}` | {_kind(value)} | {default} | {value.get('description', '')} |")
    return "\n".join([*lines, ""])


def _parts(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]


def _keys(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the keys of a mapping, or of the mappings in a list or among alternatives."""
    found = dict(schema.get("properties", {}))
    for part in _parts(schema):
        if "$ref" not in part:
            found = {**_keys(part, root), **found}
    return found


def _required(schema: Mapping[str, Any], root: Mapping[str, Any]) -> set[str]:
    return set(schema.get("required", ())).union(*(_required(part, root) for part in _parts(schema)))


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        return "text or mapping"
    kinds = schema.get("type", ())
    words = [_WORDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    for part in schema.get("anyOf", ()):
        words += [word for word in _kind(part).split(" or ") if word not in words]
    return " or ".join(words)


if __name__ == "__main__":
    print(reference(), end="")
