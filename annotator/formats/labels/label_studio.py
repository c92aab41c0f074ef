"""Read Label Studio exports: JSON with all annotations of a task, and JSON-MIN or CSV with one annotation per row."""

from __future__ import annotations

import json
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

TOOL = "Label Studio"
_BOOKKEEPING_COLUMNS = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
_TEXT_TYPES = ("text", "textarea")
_VALUE_KEYS = {"pairwise": "selected", "textarea": "text"}
"""The key of a region's value, for types whose value is not under the name of the type."""


def is_task(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a task of the full JSON export; versions before 1.0 call annotations completions."""
    return isinstance(row.get("data"), dict) and any(
        isinstance(row.get(name), list) for name in ("annotations", "completions")
    )


def is_minimal(row: Mapping[str, Any]) -> bool:
    """Return whether a row comes from JSON-MIN or CSV."""
    return "annotation_id" in row and "lead_time" in row


def read_task(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield the answers of a task's annotations."""
    for name in ("predictions", "drafts"):
        entries = row.get(name)
        if isinstance(entries, list) and entries:
            yield place.omit(f"{name} ({len(entries)}): not the finished work of a person")
    for annotation in row.get("annotations") or row.get("completions") or ():
        # An export may contain only the ids of annotations.
        if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
            yield place.omit("an annotation without its result; export the full JSON")
        elif annotation.get("was_cancelled"):
            yield place.omit(f"a cancelled annotation by {_annotator_name(annotation) or 'nobody named'}")
        else:
            yield from _read_answers(row, annotation, place)


def _read_answers(
    row: Mapping[str, Any], annotation: Mapping[str, Any], place: LabelPlace
) -> Iterator[ImportedLabel | OmittedPart]:
    seconds = annotation.get("lead_time")
    regions = [item for item in annotation["result"] if isinstance(item, dict)]
    if not regions:
        yield place.omit(f"an empty annotation by {_annotator_name(annotation) or 'nobody named'}")
    for region in regions:
        value = region.get("value")
        kind = str(region.get("type", ""))
        if not isinstance(value, dict) or "from_name" not in region:
            yield place.omit(f"a region of type {kind or 'relation'}, which answers no question")
            continue
        yield ImportedLabel(
            file=place.file,
            row=place.row,
            task=label_name(row.get("id")),
            texts=field_texts(row["data"]),
            person=_annotator_name(annotation) or place.person,
            moment=annotation.get("updated_at") or annotation.get("created_at"),
            question=str(region["from_name"]),
            values=_read_values(value, kind),
            is_text=kind in _TEXT_TYPES,
            seconds=float(seconds) if isinstance(seconds, int | float) else None,
        )


def _read_values(value: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    """Return the chosen labels or written texts; a region of a text or picture keeps its position beside the label."""
    choices = value.get(_VALUE_KEYS.get(kind, kind))
    if choices is None:
        return (json_value_text(dict(value)),)
    labels = tuple(map(_path_text, choices)) if isinstance(choices, list) else (json_value_text(choices),)
    position = {
        name: part for name, part in value.items() if name in ("start", "end", "text") and kind not in _TEXT_TYPES
    }
    return tuple(f"{label} {json_value_text(position)}" for label in labels) if position else labels


def _path_text(choice: Any) -> str:
    """Return a choice as text; a choice from a taxonomy becomes its path."""
    return " / ".join(map(json_value_text, choice)) if isinstance(choice, list) else json_value_text(choice)


def _annotator_name(annotation: Mapping[str, Any]) -> str:
    """Return the annotator's name, e-mail address, or number in the export."""
    annotator = annotation.get("completed_by")
    if isinstance(annotator, dict):
        full_name = " ".join(filter(None, (label_name(annotator.get(part)) for part in ("first_name", "last_name"))))
        return full_name or next(
            filter(None, (label_name(annotator.get(part)) for part in ("email", "username", "id"))), ""
        )
    return label_name(annotator) or label_name(annotation.get("created_username"))


def read_minimal(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield the answers of one annotation; columns before ``id`` belong to the task, later ones are answers."""
    names = [name for name in row if name not in _BOOKKEEPING_COLUMNS]
    answers = names[names.index("id") + 1 :] if "id" in names else names
    task = {name: row[name] for name in names if name not in answers and name != "id"}
    seconds = json_value_text(row.get("lead_time"))
    if not answers:
        yield place.omit("an annotation without an answer")
    for name in answers:
        values, is_text = _minimal_values(row[name])
        if values:
            yield ImportedLabel(
                file=place.file,
                row=place.row,
                task=json_value_text(row.get("id")),
                texts=field_texts(task),
                person=label_name(row.get("annotator")) or place.person,
                moment=row.get("updated_at") or row.get("created_at"),
                question=name,
                values=values,
                is_text=is_text,
                seconds=float(seconds) if seconds.replace(".", "", 1).isdigit() else None,
            )


def _minimal_values(value: Any) -> tuple[tuple[str, ...], bool]:
    """Return the values of a cell, and whether they must be free text because they have several lines."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            value = json.loads(value)
        except ValueError:
            return (value,), True
    if isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), list):
        value = next(iter(value.values()))
    if isinstance(value, list):
        ratings = [item.get("rating", item) if isinstance(item, dict) and len(item) == 1 else item for item in value]
        return tuple(map(json_value_text, ratings)), False
    text = json_value_text(value)
    return ((text,) if text else ()), "\n" in text
