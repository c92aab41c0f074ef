"""Read the texts of a released item, whichever importer or pipeline it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from annotator.criteria import parse_criterion
from annotator.model.rows.view_rows import SubjectView
from annotator.text.completions import compose_prompt

Item = Mapping[str, Any]


def text_of(item: Item, *names: str) -> str:
    """Return the first text that is not empty under any of the names, in the item or its ``extra``; else ""."""
    extra = item.get("extra")
    for name in names:
        for source in (item, extra):
            value = source.get(name) if isinstance(source, Mapping) else None
            if isinstance(value, str) and value.strip():
                return value
    return ""


def value_text(value: Any) -> str:
    """Return a captured value as text: strings as they are, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def requirement_of(item: Item) -> str:
    """Return the task text: the item's prompt, else the joined parts of its requirement ({"Functionality": …, …})."""
    text = text_of(item, "prompt", "requirement", "instruction")
    if text:
        return text
    extra = item.get("extra")
    parts = extra.get("requirement") if isinstance(extra, Mapping) else None
    if not isinstance(parts, Mapping):
        return ""
    return "\n\n".join(str(part) for part in parts.values() if str(part).strip())


def instance_of(item: Item) -> tuple[str, str]:
    """Return (input, output) of an understanding task, as texts; "" for a missing one."""
    input_text, output_text = text_of(item, "input"), text_of(item, "output", "expected_output")
    for test in item.get("tests") or ():
        inputs = test.get("inputs") or {}
        if not input_text and "arguments" in inputs:
            input_text = value_text(inputs["arguments"])
        if not output_text and ("expected" in inputs or test.get("expected")):
            output_text = value_text(inputs["expected"]) if "expected" in inputs else str(test["expected"])
        if input_text and output_text:
            break
    return input_text, output_text


def has_similarity(item: Item) -> bool:
    """Return whether an item's criterion scores the similarity of a dialogue, so that short answers are fair."""
    source = item.get("criterion") or ""
    if "similarity" not in source:
        return False
    extra = item.get("extra")
    files = extra.get("files") if isinstance(extra, Mapping) else None
    document = parse_criterion(source, files or {}).document
    return bool(document.similarity) if document is not None else False


def asked_prompt(view: SubjectView) -> str:
    """Return the prompt for models: the paraphrase, below the fixed code if the original is a completion task."""
    if view.paraphrase is None:
        return view.prompt
    return compose_prompt(view.prompt, view.paraphrase.text, view.entry_point, view.row.language).text


def item_of(view: SubjectView) -> dict[str, Any]:
    """Return a subject as a release item, with the fields that scoring reads."""
    tests = [
        {
            "name": test.name,
            "language": test.language,
            "code": test.code,
            "timeout": test.timeout,
            "inputs": test.inputs,
            "expected": test.expected,
        }
        for test in view.tests
    ]
    return {
        "id": view.row.id,
        "key": view.row.key,
        "language": view.row.language,
        "prompt": asked_prompt(view),
        "original_prompt": view.prompt,
        "context": view.context,
        "entry_point": view.entry_point,
        "reference": view.reference,
        "difficulty": view.row.difficulty,
        "tests": tests,
        "extra": view.extra,
        "criterion": "",
    }
