"""Distinguish refusals and truncated, empty or filtered responses, which are not wrong answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from annotator.answers.normalising import FinalText, normalise_response, without_reasoning, without_template_marks
from annotator.answers.refusals import is_refusal

NoAnswer = Literal["", "refusal", "truncated", "empty", "filtered"]
_FILTERED = ("content_filter", "safety", "SAFETY", "blocked", "prohibited_content")
_MARKUP = re.compile(r"</?\w+(?:\s[^<>\n]*)?>|[`~]{3,}[\w+#-]*|[\s*_`#>|{}\[\].:!\u2026\uff1a-]+")
_ANNOUNCEMENT = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|yes|great)\b[ ,]*)*"
    r"(?:(?:here(?:'s| is| are)?|below is|this is|the following is)(?: \w+){0,6}|(?:(?:my|the|final) )*"
    r"(?:answers?|solution|response|result|output|code|explanation|review)(?: is)?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """The answer in a response.

    ``how`` explains why this part of the response was chosen. If there is no answer, ``text`` is empty and ``outcome``
    says why; otherwise ``outcome`` is empty.
    """

    text: str
    how: str
    outcome: NoAnswer = ""


def final_text(response: str) -> FinalText:
    """Return a normalised response without its reasoning and the special tokens of chat templates."""
    final = without_reasoning(normalise_response(response))
    return FinalText(without_template_marks(final.text), final.reasoned, final.unfinished)


def has_no_content(text: str) -> bool:
    """Return whether a text without reasoning is only markup, or only announces an answer."""
    words = _MARKUP.sub(" ", without_template_marks(text).replace("\u2019", "'")).strip(" ,")
    return _ANNOUNCEMENT.fullmatch(words) is not None


def classify_missing_answer(
    final: FinalText, finish_reason: str, *, is_cut_off: bool = False, missing: str = "answer"
) -> ExtractedAnswer:
    """Return the outcome of a response without an answer: filtered, refusal, truncated or empty.

    ``is_cut_off`` is True if its last block is unclosed; ``missing`` names the kind of answer in the reason.
    """
    text = final.text.strip()
    outcome: NoAnswer
    if finish_reason in _FILTERED:
        outcome, reason = "filtered", "the provider's filter withheld the answer"
    elif finish_reason == "refusal" or (text and not is_cut_off and finish_reason != "length" and is_refusal(text)):
        outcome, reason = "refusal", "refuses, or asks a question instead"
    elif finish_reason == "length" or is_cut_off:
        where = "while it was reasoning" if final.unfinished else "before the answer was complete"
        outcome, reason = "truncated", f"was cut off {where}"
    elif final.unfinished:
        outcome, reason = "empty", "contains only unfinished reasoning"
    else:
        outcome, reason = "empty", f"there is no {missing} in the response" if text else "the response is empty"
    return ExtractedAnswer("", reason, outcome)
