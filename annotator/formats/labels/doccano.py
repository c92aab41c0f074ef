"""Read doccano exports: JSON lines with a text, and its labels as names, numbers or spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotator.formats.labels.imported_labels import (
    ImportedLabel,
    LabelPlace,
    OmittedPart,
    field_texts,
    json_value_text,
    label_name,
)

TOOL = "doccano"
_QUESTIONS = ("label", "labels", "cats", "entities", "relations", "annotations")
_TEXTS = ("text", "data")
_REMARKS = ("Comments", "comments")


def is_example(row: Mapping[str, Any]) -> bool:
    """Return whether a row is an example with labels; a row with a prompt is not."""
    return (
        any(isinstance(row.get(name), str) for name in _TEXTS)
        and any(isinstance(row.get(name), list) for name in _QUESTIONS)
        and "prompt" not in row
    )


def read_example(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield the labels and comments of an example; only versions before 1.0 say who gave them."""
    approver = label_name(row.get("annotation_approver"))
    if approver:
        yield place.omit(f"the approval by {approver}: it concerns the labels, not the task")
    texts = field_texts({name: value for name, value in row.items() if name not in (*_QUESTIONS, *_REMARKS, "id")})
    for question in (name for name in (*_QUESTIONS, *_REMARKS) if isinstance(row.get(name), list)):
        items_by_person: dict[str, list[Any]] = {}
        for item in row[question]:
            person = label_name(item.get("user")) if isinstance(item, dict) else ""
            items_by_person.setdefault(person or place.person, []).append(item)
        for person, items in items_by_person.items():
            yield ImportedLabel(
                file=place.file,
                row=place.row,
                task=label_name(row.get("id")),
                texts=texts,
                person=person,
                moment=next((item["created_at"] for item in items if _has_time(item)), None),
                question=question,
                values=tuple(map(_value_text, items)),
                is_text=question in _REMARKS,
            )


def _has_time(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("created_at"), str)


def _value_text(item: Any) -> str:
    """Return a label as text: a span with its offsets, and in old exports the label's number."""
    if isinstance(item, dict):
        label = json_value_text(item.get("label", item.get("text", item.get("type"))))
        start = item.get("start_offset")
        return label if start is None else f"{label} {start}-{item.get('end_offset')}"
    if isinstance(item, list) and len(item) == 3:
        return f"{json_value_text(item[2])} {item[0]}-{item[1]}"
    return json_value_text(item)
