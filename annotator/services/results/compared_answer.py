"""What of a response is set against the reference: the answer that was found in it, both as whole programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotator.answers.outcome import spoken_text
from annotator.evaluation.items import text_of
from annotator.evaluation.scoring import ScoreJob, answer_of, grader_of
from annotator.text.fenced_code import fenced

_PROGRAMS = ("", "completion", "modification")


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """The answer and the reference as they are compared, and how the answer was found."""

    answer: str
    reference: str
    how: str = ""


def compare_with_reference(item: Mapping[str, Any], response: str, how: str = "") -> ComparedAnswer:
    """Return the answer of a response and the whole reference; ``how`` is what the score says of finding it."""
    reference = text_of(item, "reference")
    if text_of(item, "criterion") or grader_of(item) not in _PROGRAMS or not text_of(item, "entry_point"):
        return ComparedAnswer(spoken_text(response).text if how else response, reference, how)
    found = answer_of(ScoreJob(item, response))
    right = reference if "```" in reference else fenced(reference, text_of(item, "language").lower())
    whole = answer_of(ScoreJob(item, right)).text if reference.strip() else ""
    return ComparedAnswer(found.text or response, whole or reference, how or found.how)
