"""Read Argilla exports: records of 2.x (as list, by column or id, flat or nested), feedback data sets of 1.x, and older
text tasks."""

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

TOOL = "Argilla"
_RESPONSES = ".responses"
_USERS = ".responses.users"
_STATUS = ".responses.status"
_SUGGESTION = ".suggestion"
_LEGACY_COLUMNS = ("annotation", "annotation_agent")


def is_record(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a record with fields and responses."""
    return isinstance(row.get("fields"), dict) and "responses" in row


def is_flat(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a record whose fields and responses are columns."""
    return any(name.endswith(_RESPONSES) for name in row)


def is_text_task(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a record of text classification, as versions before 1.8 write it."""
    return all(name in row for name in _LEGACY_COLUMNS)


def read_record(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield the answers in a record, which are grouped by question in 2.x and by person in 1.x."""
    yield from _omitted_suggestions(row.get("suggestions"), place)
    texts = {**field_texts(row.get("metadata")), **field_texts(row["fields"])}
    task = _task_name(row)
    answers = row["responses"]
    if isinstance(answers, dict):
        for question, responses in answers.items():
            for response in responses or ():
                yield from _read_answer(response, str(question), response.get("value"), texts, task, place)
    for response in answers if isinstance(answers, list) else ():
        for question, value in (response.get("values") or {}).items():
            answer_value = value.get("value") if isinstance(value, dict) else value
            yield from _read_answer(response, str(question), answer_value, texts, task, place)


def read_flat(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield the answers of a flat record."""
    questions = [name.removesuffix(_RESPONSES) for name in row if name.endswith(_RESPONSES)]
    suggestion_columns = [name for name in row if name.endswith(_SUGGESTION) and row[name] is not None]
    yield from _omitted_suggestions(suggestion_columns, place)
    task_columns = [name for name in row if not any(f"{name}.".startswith(f"{question}.") for question in questions)]
    texts = field_texts({name: row[name] for name in task_columns if name not in ("id", "_server_id", "status")})
    for question in questions:
        values = row[question + _RESPONSES] or []
        users = row.get(question + _USERS) or [None] * len(values)
        states = row.get(question + _STATUS) or [None] * len(values)
        for value, user, status in zip(values, users, states, strict=False):
            yield from _read_answer({"user_id": user, "status": status}, question, value, texts, _task_name(row), place)


def read_text_task(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield the annotation of a text task, which has a single annotator."""
    if row.get("prediction"):
        yield from _omitted_suggestions([row["prediction"]], place)
    annotation = row["annotation"]
    if not annotation:
        return
    fields = row.get("inputs") if isinstance(row.get("inputs"), dict) else {"text": row.get("text")}
    yield ImportedLabel(
        file=place.file,
        row=place.row,
        task=_task_name(row),
        texts={**field_texts(row.get("metadata")), **field_texts(fields)},
        person=label_name(row["annotation_agent"]),
        moment=json_value_text(row.get("event_timestamp")) or None,
        question="annotation",
        values=tuple(map(json_value_text, annotation if isinstance(annotation, list) else [annotation])),
    )


def _read_answer(
    response: Mapping[str, Any], question: str, value: Any, texts: Mapping[str, str], task: str, place: LabelPlace
) -> Iterator[ImportedLabel | OmittedPart]:
    person = label_name(response.get("user_id"))
    status = response.get("status")
    if value is None:
        return
    if status in ("draft", "discarded"):
        yield place.omit(f"a {status} answer to {question} by {person or 'nobody named'}")
        return
    values = value if isinstance(value, list) else [value]
    yield ImportedLabel(
        file=place.file,
        row=place.row,
        task=task,
        texts=texts,
        person=person or place.person,
        moment=json_value_text(response.get("updated_at") or response.get("inserted_at")) or None,
        question=question,
        values=tuple(map(_value_text, values)),
        is_text=isinstance(value, str) and "\n" in value,
    )


def _value_text(value: Any) -> str:
    """Return a value as text, with its rank in a ranking."""
    if isinstance(value, dict) and {"value", "rank"} <= value.keys():
        return f"{json_value_text(value['value'])} {json_value_text(value['rank'])}"
    return json_value_text(value)


def _task_name(row: Mapping[str, Any]) -> str:
    return next(filter(None, (label_name(row.get(name)) for name in ("external_id", "id"))), "")


def _omitted_suggestions(suggestions: Any, place: LabelPlace) -> Iterator[OmittedPart]:
    if suggestions:
        count = len(suggestions)
        yield place.omit("1 suggestion of a model" if count == 1 else f"{count} suggestions of models")
