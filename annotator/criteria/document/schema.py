"""The criterion document as JSON Schema: what editors complete by, and what the form and its help are made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"
_WEIGHT = {"type": "number", "default": 1.0, "description": "Points that this is worth."}
_WHY = {"type": "string", "description": "What this shows; people who review the criterion read it."}
_LOWER = {"type": "boolean", "default": False, "description": "Lower the answer and the text or pattern first."}
_REGEX = {"type": "boolean", "default": False, "description": "The text is a regular expression."}
_COND = {
    "type": "string",
    "description": "A condition beside the match, such as context[-1].startswith('match').",
}
_HANDLER = {
    "type": "object",
    "description": "A Python function beside the document that decides; it runs in the sandbox.",
    "required": ["module", "func"],
    "properties": {
        "module": {"type": "string", "description": "The module's name; its file lies beside the document."},
        "func": {"type": "string", "description": "The function's name."},
        "real_metric_type": {"type": "string", "description": "The metric under which its points are counted."},
    },
}
_PLAIN = {"type": ["string", "number", "boolean"]}


def _content(depth_of: str) -> dict[str, Any]:
    return {
        "description": "Text to look for, or a mapping with or, and, or content.",
        "anyOf": [
            _PLAIN,
            {
                "type": "object",
                "properties": {
                    "content": {"$ref": depth_of, "description": "The text or pattern."},
                    "regex": _REGEX,
                    "cond": _COND,
                    "or": {"type": "array", "description": "Any of these.", "items": {"$ref": depth_of}},
                    "and": {"type": "array", "description": "All of these.", "items": {"$ref": depth_of}},
                },
            },
        ],
    }


def _rules(item: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {"description": description, "anyOf": [{"type": "array", "items": item}, item]}


_KEYWORD = {
    "anyOf": [
        _PLAIN,
        {
            "type": "object",
            "properties": {
                "content": {"$ref": "#/$defs/content", "description": "What to look for."},
                "weight": _WEIGHT,
                "to_lower": _LOWER,
                "neg": {"type": "boolean", "default": False, "description": "Take the points away when it is found."},
                "why": _WHY,
                "post_handler": _HANDLER,
            },
        },
    ]
}
_ALTERNATIVE = {
    "anyOf": [
        _PLAIN,
        {
            "type": "object",
            "required": ["content"],
            "properties": {
                "content": {**_PLAIN, "description": "An accepted answer."},
                "regex": _REGEX,
                "cond": _COND,
            },
        },
    ]
}
_TARGET = {
    "anyOf": [
        _PLAIN,
        {
            "type": "object",
            "required": ["content"],
            "properties": {
                "content": {
                    "description": "What the blank must hold, or a list of what it may hold.",
                    "anyOf": [_PLAIN, {"type": "array", "items": _ALTERNATIVE}, {"type": "object"}],
                },
                "weight": _WEIGHT,
                "to_lower": _LOWER,
                "substr_match": {"type": "boolean", "default": False, "description": "It is enough to contain it."},
                "why": _WHY,
            },
        },
    ]
}
_BLANKS = {
    "type": "object",
    "description": "A text with blanks is aligned with the answer; what stands in each blank is compared.",
    "required": ["template", "targets"],
    "properties": {
        "template": {"type": "string", "description": "The text with its blanks; something must follow the last one."},
        "targets": {"type": "array", "description": "One entry for each blank, in order.", "items": _TARGET},
        "blank_str": {"type": "string", "default": "[blank]", "description": "How a blank is written."},
        "escape": {"type": "string", "default": " '\"`", "description": "Characters stripped from what was captured."},
        "prefix": {"type": "string", "description": "Text put before the answer."},
        "post_handler": _HANDLER,
    },
}
_TEST = {
    "anyOf": [
        {"type": "string"},
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "How the test is called in results."},
                "content": {
                    "type": "string",
                    "description": "The test's code; it fails by raising or a status above 0.",
                },
                "path": {"type": "string", "description": "A file with the test's code, beside the document."},
                "prefix": {
                    "type": "string",
                    "description": "Code before the answer, lost where the answer has fences.",
                },
                "prefix_path": {"type": "string", "description": "A file with code that is put before the answer's."},
                "cleanup_path": {"type": "string", "description": "Read for older suites; the sandbox needs none."},
                "timeout": {"type": "number", "description": "Seconds; the default depends on the language."},
                "weight": _WEIGHT,
                "only_longest": {
                    "type": "boolean",
                    "default": False,
                    "description": "Use only the longest block of code in the answer.",
                },
                "why": _WHY,
            },
        },
    ]
}
_TESTS = {
    "type": "object",
    "description": "Tests that run with the answer's code in the sandbox.",
    "required": ["tests"],
    "properties": {
        "lang": {"type": "string", "description": "The language of the tests, if it is not the document's."},
        "tests": {"type": "array", "description": "Code, or mappings with content or path.", "items": _TEST},
    },
}
_SIMILARITY = {
    "type": "array",
    "description": "How much the answer's words are those of reference answers (ROUGE).",
    "items": {
        "type": "object",
        "required": ["metric", "references"],
        "properties": {
            "metric": {"enum": ["rouge1", "rouge2", "rougeL", "rougeLsum"], "description": "Which ROUGE metric."},
            "references": {
                "type": "array",
                "description": "Reference answers: texts, or files with path.",
                "items": {
                    "anyOf": [
                        {"type": "string"},
                        {"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}},
                    ]
                },
            },
            "min_score": {"type": "number", "default": 0.3, "description": "Similarity that earns nothing."},
            "max_score": {
                "type": "number",
                "default": 0.51,
                "description": "Similarity that earns all (rouge1: 0.53).",
            },
            "weight": _WEIGHT,
            "why": _WHY,
        },
    },
}
_SYNTAX = _rules(
    {
        "type": "object",
        "properties": {
            "calls": {
                "type": "string",
                "description": "A function the code must call, such as sorted or os.path.join.",
            },
            "imports": {"type": "string", "description": "A module the code must import."},
            "defines": {"type": "string", "description": "A function or class the code must define."},
            "absent": {"type": "boolean", "default": False, "description": "It must not."},
            "weight": _WEIGHT,
            "why": _WHY,
        },
    },
    "What the syntax tree of Python code must hold.",
)


def _value(description: str, value: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    properties = {"value": value, **more, "weight": _WEIGHT, "why": _WHY}
    return _rules({"type": "object", "required": ["value"], "properties": properties}, description)


_STRIP = {"type": "boolean", "default": True, "description": "White space at both ends does not count."}
_TOLERANCE = {"type": "number", "default": 0, "description": "How far off a number may be."}
METRIC_SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "keywords": {"type": "array", "description": "Texts and patterns that the answer must hold.", "items": _KEYWORD},
    "blank_filling": _BLANKS,
    "unit_test": _TESTS,
    "similarity": _SIMILARITY,
    "customized": _HANDLER,
    "equals": _value(
        "The whole answer must be this text.",
        {**_PLAIN, "description": "The text."},
        to_lower=_LOWER,
        strip=_STRIP,
        tolerance=_TOLERANCE,
    ),
    "number": _value(
        "The last number of the answer must be this one.",
        {"type": "number", "description": "The number."},
        to_lower=_LOWER,
        strip=_STRIP,
        tolerance=_TOLERANCE,
    ),
    "json": _value(
        "The answer is read as JSON and compared by structure.",
        {"description": "Any value."},
        to_lower=_LOWER,
        strip=_STRIP,
        tolerance=_TOLERANCE,
    ),
    "ast": _SYNTAX,
}
EXAMPLE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["answer", "expect"],
    "properties": {
        "answer": {"type": "string", "description": "An answer."},
        "expect": {"enum": ["pass", "fail"], "description": "Whether it must earn the full score."},
        "why": _WHY,
    },
}


def json_schema() -> dict[str, Any]:
    """Return the schema of a criterion document (JSON Schema 2020-12), with a description for every key."""
    limits = {
        "max_score": {"type": ["number", "null"], "description": "The points that count as all; more are cut off."},
        "min_score": {"type": ["number", "null"], "description": "The points never go below this."},
    }
    return {
        "$schema": _SCHEMA_ID,
        "title": "Criterion document",
        "description": "How one response is scored.",
        "type": "object",
        "required": ["grading"],
        "properties": {
            "id": {"type": ["string", "number"], "description": "The case's name in its suite."},
            "prompt_path": {"type": "string", "description": "The file with the prompt, in a suite."},
            "type": {"type": "string", "description": "The type of question."},
            "lang": {"type": "string", "description": "The language of the answer's code."},
            "full_score": {"type": "number", "default": 1.0, "description": "The score of an answer with all points."},
            "null_score": {"type": "number", "default": 0.0, "description": "The score where there is no answer."},
            "grading": {
                "type": "object",
                "description": "The metrics; their points are added up.",
                "properties": {**limits, **METRIC_SCHEMAS},
                "additionalProperties": False,
            },
            "examples": {
                "type": "array",
                "description": "Answers that must pass, or must fail; the proof tries them.",
                "items": EXAMPLE_SCHEMA,
            },
        },
        "$defs": {"content": _content("#/$defs/content")},
    }


def at_path(path: tuple[str, ...]) -> Mapping[str, Any] | None:
    """Return the schema of the value at a path of keys (list positions left out), None where there is no such key."""
    schema = json_schema()
    found: Mapping[str, Any] | None = schema
    for key in path:
        found = _properties(found, schema).get(key) if found else None
    return found


def keys_at(path: tuple[str, ...]) -> dict[str, str]:
    """Return the keys allowed in the mapping at a path of keys, each with its description."""
    found = at_path(path)
    return {key: str(value.get("description", "")) for key, value in _properties(found, json_schema()).items()}


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
