"""Read promptfoo exports: results of an evaluation in which people rate answers with thumbs and comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from annotator.formats.labels.given import GivenLabel, LeftOut, Place, name_of, text_of, texts_of

TOOL = "promptfoo"
_HUMAN = "human"
RATING, COMMENT = "rating", "comment"


def is_result(row: Mapping[str, Any]) -> bool:
    """Tell whether a row is a result."""
    return "gradingResult" in row and "vars" in row


def results_of(document: Mapping[str, Any]) -> tuple[list[Any], str] | None:
    """Return the results of an evaluation and its author, who rated them; None for any other document."""
    results = document.get("results")
    if isinstance(results, dict):
        # Version 3 and later, and the version before, have the list inside another object.
        results = results.get("results")
    if not isinstance(results, list) or not all(isinstance(row, dict) and "vars" in row for row in results):
        return None
    about = document.get("metadata")
    author = name_of(about.get("author")) if isinstance(about, dict) else ""
    return results, author or name_of(document.get("author"))


def read_result(row: Mapping[str, Any], place: Place) -> Iterator[GivenLabel | LeftOut]:
    """Yield a person's rating of an answer and comment on it; a comment names the model."""
    grading = row.get("gradingResult")
    grading = grading if isinstance(grading, dict) else {}
    parts = [part for part in grading.get("componentResults") or () if isinstance(part, dict)]
    ratings = [part for part in parts if _type(part) == _HUMAN]
    comment = text_of(grading.get("comment")) or next((text_of(part.get("comment")) for part in ratings), "")
    if not ratings and not comment:
        yield place.left_out("an automatic grade: nobody rated the answer")
        return
    if len(parts) > len(ratings):
        yield place.left_out(f"{len(parts) - len(ratings)} automatic grades beside the rating of a person")
    for part in ratings[-1:]:
        yield _label(row, place, RATING, "pass" if part.get("pass") else "fail")
    if comment:
        model = _model(row)
        yield _label(row, place, COMMENT, f"{model}: {comment}" if model else comment)


def _label(row: Mapping[str, Any], place: Place, question: str, value: str) -> GivenLabel:
    case = row.get("testCase")
    case = case if isinstance(case, dict) else {}
    texts = {**texts_of(case.get("metadata")), **texts_of(row.get("vars"))}
    return GivenLabel(
        file=place.file,
        row=place.row,
        task=name_of(row.get("testIdx")),
        texts=texts,
        person=place.person,
        moment=None,
        question=f"{question} of {_model(row)}" if question == RATING and _model(row) else question,
        values=(value,),
        is_text=question == COMMENT,
    )


def _type(part: Mapping[str, Any]) -> str:
    assertion = part.get("assertion")
    return text_of(assertion.get("type")) if isinstance(assertion, dict) else ""


def _model(row: Mapping[str, Any]) -> str:
    provider = row.get("provider")
    if isinstance(provider, dict):
        return name_of(provider.get("label")) or name_of(provider.get("id"))
    return name_of(provider)
