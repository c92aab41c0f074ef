"""The criterion document as JSON Schema: what editors complete by, and what the form and its help are made from.

The schema stands in ``resources/criteria/criterion-schema.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from annotator.base.resources import resource


def json_schema() -> dict[str, Any]:
    """Return the schema of a criterion document (JSON Schema 2020-12), with a description for every key.

    Of its definitions only ``content``, which holds itself, is still referred to: the others stand where they are used.
    """
    schema = json.loads(resource("criteria", "criterion-schema.json").read_text(encoding="utf-8"))
    shared = schema["$defs"]
    schema["$defs"] = {"content": shared.pop("content")}
    expanded: dict[str, Any] = _expand(schema, shared)
    return expanded


def _expand(node: Any, shared: Mapping[str, Any]) -> Any:
    """Return a part of the schema with the shared definitions in the place of references to them."""
    if isinstance(node, list):
        return [_expand(item, shared) for item in node]
    if not isinstance(node, dict):
        return node
    found = shared.get(str(node.get("$ref", "")).removeprefix("#/$defs/"))
    return {name: _expand(item, shared) for name, item in (node if found is None else found).items()}


def keys_at(path: tuple[str, ...]) -> dict[str, str]:
    """Return the keys allowed in the mapping at a path of keys (list positions left out), each with its description."""
    schema = json_schema()
    found: Mapping[str, Any] | None = schema
    for key in path:
        found = _properties(found, schema).get(key) if found else None
    return {key: str(value.get("description", "")) for key, value in _properties(found, schema).items()}


def _properties(schema: Mapping[str, Any] | None, root: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the properties of a schema, of what it refers to, and of its list items."""
    if schema is None:
        return {}
    if "$ref" in schema:
        return _properties(root["$defs"]["content"], root)
    found = dict(schema.get("properties", {}))
    for part in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        found = {**_properties(part, root), **found}
    return found
