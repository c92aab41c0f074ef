"""Read promptfoo exports: results of an evaluation in which people rate answers with thumbs and comments."""

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

TOOL = "promptfoo"
_HUMAN = "human"
RATING = "rating"
COMMENT = "comment"


def is_result(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a result; before version 2, results without assertions had no grade."""
    return "vars" in row and ("gradingResult" in row or {"response", "success"} <= row.keys())


def promptfoo_results(document: Mapping[str, Any]) -> tuple[list[Any], str] | None:
    """Return the results of an evaluation and its author, who rated them; None for any other document."""
    results = document.get("results")
    if isinstance(results, dict):
        # Version 3 and later, and the version before, have the list inside another object.
        results = results.get("results")
    if not isinstance(results, list) or not all(isinstance(row, dict) and "vars" in row for row in results):
        return None
    metadata = document.get("metadata")
    author = label_name(metadata.get("author")) if isinstance(metadata, dict) else ""
    return results, author or label_name(document.get("author"))


def read_result(row: Mapping[str, Any], place: LabelPlace) -> Iterator[ImportedLabel | OmittedPart]:
    """Yield a person's rating of an answer and comment on it; a comment names the model."""
    grading = row.get("gradingResult")
    grading = grading if isinstance(grading, dict) else {}
    parts = [part for part in grading.get("componentResults") or () if isinstance(part, dict)]
    ratings = [part for part in parts if _assertion_type(part) == _HUMAN]
    comment = json_value_text(grading.get("comment")) or next(
        (json_value_text(part.get("comment")) for part in ratings), ""
    )
    if not ratings and not comment:
        yield place.omit("an automatic grade: nobody rated the answer")
        return
    if len(parts) > len(ratings):
        yield place.omit(f"{len(parts) - len(ratings)} automatic grades beside the rating of a person")
    for part in ratings[-1:]:
        yield _make_label(row, place, RATING, "pass" if part.get("pass") else "fail")
    if comment:
        model = _model_name(row)
        yield _make_label(row, place, COMMENT, f"{model}: {comment}" if model else comment)


def _make_label(row: Mapping[str, Any], place: LabelPlace, question: str, value: str) -> ImportedLabel:
    case = row.get("testCase")
    case = case if isinstance(case, dict) else {}
    texts = {**field_texts(case.get("metadata")), **field_texts(row.get("vars"))}
    return ImportedLabel(
        file=place.file,
        row=place.row,
        task=label_name(row.get("testIdx")),
        texts=texts,
        person=place.person,
        moment=None,
        question=f"{question} of {_model_name(row)}" if question == RATING and _model_name(row) else question,
        values=(value,),
        is_text=question == COMMENT,
    )


def _assertion_type(part: Mapping[str, Any]) -> str:
    assertion = part.get("assertion")
    return json_value_text(assertion.get("type")) if isinstance(assertion, dict) else ""


def _model_name(row: Mapping[str, Any]) -> str:
    provider = row.get("provider")
    if isinstance(provider, dict):
        return label_name(provider.get("label")) or label_name(provider.get("id"))
    return label_name(provider)
