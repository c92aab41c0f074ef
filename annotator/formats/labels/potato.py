"""Read Potato exports: a folder per person, with the instances as JSON lines or the whole state as one object."""

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

TOOL = "Potato"
_STATE = "instance_id_to_label_to_value"
_SPANS = "instance_id_to_span_to_value"
_VALUE_FIELDS = ("text_box", "textbox", "text", "slider", "number", "free_response", "value")
"""Names of fields whose value is the answer; any other name is itself the chosen label."""
PotatoChoice = tuple[str, str, Any]
"""Question, label, and the value that the form sent for the label."""


def is_instance(row: Mapping[str, Any]) -> bool:
    """Return whether a row is an annotated instance; the first versions call its labels the annotation."""
    annotation = row.get("annotation")
    is_first_version = isinstance(annotation, dict) and all(
        isinstance(answers, list) for answers in annotation.values()
    )
    return "id" in row and (isinstance(row.get("label_annotations"), dict) or is_first_version)


def is_state(row: Mapping[str, Any]) -> bool:
    """Return whether a row is the whole state of one person."""
    return isinstance(row.get(_STATE), dict)


def read_instance(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield the answers of an annotated instance."""
    labels = row.get("label_annotations", row.get("annotation"))
    texts = {"text": text} if (text := json_value_text(row.get("displayed_text"))) else {}
    person = label_name(row.get("user_id")) or place.person
    yield from _omitted_spans(row.get("span_annotations"), place)
    yield from _read_answers(_read_choices(labels), texts, label_name(row["id"]), person, place)


def read_state(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield a person's answers for every instance."""
    person = label_name(row.get("user_id")) or place.person
    for task, labels in row[_STATE].items():
        yield from _read_answers(_read_choices(labels), {}, str(task), person, place)
    for spans in (row.get(_SPANS) or {}).values():
        yield from _omitted_spans(spans, place)


def _read_choices(labels: Any) -> list[PotatoChoice]:
    """Return the choices from an object by question, or from pairs of label and value."""
    if isinstance(labels, dict):
        return [
            (str(question), label, value)
            for question, answers in labels.items()
            for label, value in (answers.items() if isinstance(answers, dict) else _checked_answers(answers))
        ]
    pairs = [pair for pair in labels or () if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict)]
    return [(json_value_text(label.get("schema")), json_value_text(label.get("name")), value) for label, value in pairs]


def _checked_answers(answers: Any) -> list[tuple[str, Any]]:
    return [(json_value_text(answer), True) for answer in (answers if isinstance(answers, list) else [answers])]


def _read_answers(
    choices: list[PotatoChoice], texts: Mapping[str, str], task: str, person: str, place: LabelPlace
) -> Iterator[ImportedLabel | OmittedPart]:
    answers_by_question: dict[str, list[str]] = {}
    written_questions: set[str] = set()
    for question, label, value in choices:
        if value in (False, None, "false", ""):
            continue
        is_value = label.casefold() in _VALUE_FIELDS or label == question
        if is_value and label.casefold().startswith(("text", "free")):
            written_questions.add(question)
        answers = answers_by_question.setdefault(question, [])
        answer = json_value_text(value) if is_value else label
        if answer not in answers:
            answers.append(answer)
    if not answers_by_question:
        yield place.omit(f"the instance {task}, which has no answer")
    for question, values in answers_by_question.items():
        yield ImportedLabel(
            file=place.file,
            row=place.row,
            task=task,
            texts=field_texts(texts),
            person=person,
            moment=None,
            question=question,
            values=tuple(values),
            is_text=question in written_questions,
        )


def _omitted_spans(spans: Any, place: LabelPlace) -> Iterator[OmittedPart]:
    if spans:
        yield place.omit("highlighted spans, which have no place in a project")
