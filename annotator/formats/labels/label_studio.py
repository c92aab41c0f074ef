"""Label Studio: JSON with all annotations of a task, and JSON-MIN or CSV with one annotation a row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotator.formats.labels.given import GivenLabel, LeftOut, Place, name_of, text_of, texts_of

TOOL = "Label Studio"
_AFTER = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement")
_WRITTEN = ("text", "textarea")
_VALUE_OF = {"pairwise": "selected", "textarea": "text"}
"""Where a region's value is, if not under the name of its type."""


def is_task(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is a task of the full JSON export; versions before 1.0 call annotations completions."""
    return isinstance(row.get("data"), dict) and any(
        isinstance(row.get(name), list) for name in ("annotations", "completions")
    )


def is_minimal(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is of JSON-MIN or CSV."""
    return "annotation_id" in row and "lead_time" in row


def read_task(row: Mapping[str, Any], place: Place) -> Iterator[GivenLabel | LeftOut]:
    """Yield the answers of a task's annotations."""
    for name in ("predictions", "drafts"):
        found = row.get(name)
        if isinstance(found, list) and found:
            yield place.left_out(f"{name} ({len(found)}): no finished work of a person")
    for annotation in row.get("annotations") or row.get("completions") or ():
        # An export may hold the identifiers of annotations alone.
        if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
            yield place.left_out("an annotation without its result; export the full JSON")
        elif annotation.get("was_cancelled"):
            yield place.left_out(f"a cancelled annotation by {_person(annotation) or 'nobody named'}")
        else:
            yield from _answers(row, annotation, place)


def _answers(row: Mapping[str, Any], annotation: Mapping[str, Any], place: Place) -> Iterator[GivenLabel | LeftOut]:
    seconds = annotation.get("lead_time")
    regions = [item for item in annotation["result"] if isinstance(item, dict)]
    if not regions:
        yield place.left_out(f"an empty annotation by {_person(annotation) or 'nobody named'}")
    for region in regions:
        value = region.get("value")
        kind = str(region.get("type", ""))
        if not isinstance(value, dict) or "from_name" not in region:
            yield place.left_out(f"a region of type {kind or 'relation'}, which answers no question")
            continue
        yield GivenLabel(
            file=place.file,
            row=place.row,
            task=name_of(row.get("id")),
            texts=texts_of(row["data"]),
            person=_person(annotation) or place.person,
            moment=annotation.get("updated_at") or annotation.get("created_at"),
            question=str(region["from_name"]),
            values=_values(value, kind),
            is_text=kind in _WRITTEN,
            seconds=float(seconds) if isinstance(seconds, int | float) else None,
        )


def _values(value: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    """Return what was chosen or written; a region of a text or picture keeps its place beside the label."""
    chosen = value.get(_VALUE_OF.get(kind, kind))
    if chosen is None:
        return (text_of(dict(value)),)
    found = tuple(map(_path_text, chosen)) if isinstance(chosen, list) else (text_of(chosen),)
    rest = {name: part for name, part in value.items() if name in ("start", "end", "text") and kind not in _WRITTEN}
    return tuple(f"{label} {text_of(rest)}" for label in found) if rest else found


def _path_text(chosen: Any) -> str:
    """Return a choice; one of a taxonomy is the path that leads to it."""
    return " / ".join(map(text_of, chosen)) if isinstance(chosen, list) else text_of(chosen)


def _person(annotation: Mapping[str, Any]) -> str:
    """Return who annotated: a name, an address, or the number that the export holds."""
    found = annotation.get("completed_by")
    if isinstance(found, dict):
        full = " ".join(filter(None, (name_of(found.get(part)) for part in ("first_name", "last_name"))))
        return full or next(filter(None, (name_of(found.get(part)) for part in ("email", "username", "id"))), "")
    return name_of(found) or name_of(annotation.get("created_username"))


def read_minimal(row: Mapping[str, Any], place: Place) -> Iterator[GivenLabel | LeftOut]:
    """Yield the answers of one annotation; the order of the columns tells answers from the task."""
    names = [name for name in row if name not in _AFTER]
    answers = names[names.index("id") + 1 :] if "id" in names else names
    task = {name: row[name] for name in names if name not in answers and name != "id"}
    seconds = text_of(row.get("lead_time"))
    if not answers:
        yield place.left_out("an annotation without an answer")
    for name in answers:
        values, is_text = _minimal_values(row[name])
        if values:
            yield GivenLabel(
                file=place.file,
                row=place.row,
                task=text_of(row.get("id")),
                texts=texts_of(task),
                person=name_of(row.get("annotator")) or place.person,
                moment=row.get("updated_at") or row.get("created_at"),
                question=name,
                values=values,
                is_text=is_text,
                seconds=float(seconds) if seconds.replace(".", "", 1).isdigit() else None,
            )


def _minimal_values(value: Any) -> tuple[tuple[str, ...], bool]:
    """Return the values of a cell, and whether they can only have been written: a text of several lines."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            value = json.loads(value)
        except ValueError:
            return (value,), True
    if isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), list):
        value = next(iter(value.values()))
    if isinstance(value, list):
        found = [item.get("rating", item) if isinstance(item, dict) and len(item) == 1 else item for item in value]
        return tuple(map(text_of, found)), False
    text = text_of(value)
    return ((text,) if text else ()), "\n" in text
