"""The JSON Schema (2020-12) of criterion documents, for validation in editors, and document templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotator.base.resources import resource_path
from annotator.criteria.document.keys import CONTENT, DOCUMENT, Key

Schema = dict[str, Any]
_TYPES: dict[str, Schema] = {
    "plain": {"type": ["string", "number", "boolean"]},
    "number": {"type": "number"},
    "whole": {"type": "integer", "minimum": 1},
    "flag": {"type": "boolean"},
    "content": {"$ref": "#/$defs/content"},
    "any": {},
}
_TEXT: Schema = {"type": "string"}


def json_schema() -> Schema:
    """Return the schema of a criterion document, with a description for every key.

    Its only definition is ``content``, which is recursive.
    """
    content = {"description": "Text to look for, or a mapping with or, and, at_least, or content."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Criterion document",
        "description": DOCUMENT.help,
        **_mapping_schema(DOCUMENT.keys),
        "$defs": {"content": {**content, "anyOf": [_TYPES["plain"], _mapping_schema(CONTENT)]}},
    }


def _mapping_schema(keys: Sequence[Key]) -> Schema:
    required = [key.name for key in keys if key.is_required]
    properties = {key.name: _key_schema(key) for key in keys}
    return {"type": "object", **({"required": required} if required else {}), "properties": properties}


def _key_schema(key: Key) -> Schema:
    annotations: Schema = {"description": key.help}
    if key.default not in ("", None, ()) and not key.is_required:
        annotations["default"] = key.default
    alternatives = _value_schema(key)
    if key.shape != "one":
        array_schema = {"type": "array", "items": _any_of(alternatives)}
        if key.shape == "list":
            alternatives = [array_schema]
        elif key.bare:
            # The loader accepts a single mapping in place of the list and reads its keys.
            alternatives = [*alternatives[:-1], array_schema, {"type": "object"}]
        else:
            alternatives = [array_schema, *alternatives]
    return {**annotations, **_any_of(alternatives)}


def _any_of(alternatives: list[Schema]) -> Schema:
    return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def _value_schema(key: Key) -> list[Schema]:
    """Return the alternatives for one value of a key."""
    bare_schemas = [_TYPES.get(key.bare, _TEXT)] if key.bare else []
    if key.keys:
        # A misspelt metric would score nothing, so unknown keys are errors.
        restriction = {"additionalProperties": False} if key.name == "grading" else {}
        return [*bare_schemas, {**_mapping_schema(key.keys), **restriction}]
    if key.choices:
        return [{"enum": list(key.choices)}]
    value = _TYPES.get(key.kind, _TEXT)
    return [{"type": [value["type"], "null"]} if key.default is None and "type" in value else value]


def criterion_template(metric: str = "keywords") -> str:
    """Return a template document for a metric, with a comment on every part."""
    return resource_path("criteria", "templates", f"{metric}.yaml").read_text(encoding="utf-8")
