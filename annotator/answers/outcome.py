"""Tell refusals, truncated, empty and filtered responses apart: a response without an answer is not a wrong answer."""

from __future__ import annotations

import re

from annotator.answers.found import ExtractedAnswer, NoAnswer
from annotator.answers.normalising import normalise_response, without_template_marks
from annotator.answers.reasoning import SpokenText, without_reasoning
from annotator.answers.refusals import is_refusal

_FILTERED = ("content_filter", "safety", "SAFETY", "blocked", "prohibited_content")
_MARKS = re.compile(r"</?\w+(?:\s[^<>\n]*)?>|[`~]{3,}[\w+#-]*|[\s*_`#>|{}\[\].:!\u2026\uff1a-]+")
_ANNOUNCES = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|yes|great)\b[ ,]*)*"
    r"(?:(?:here(?:'s| is| are)?|below is|this is|the following is)(?: \w+){0,6}|(?:(?:my|the|final) )*"
    r"(?:answers?|solution|response|result|output|code|explanation|review)(?: is)?)?",
    re.IGNORECASE,
)


def spoken_text(response: str) -> SpokenText:
    """Return a normalised response without its reasoning and the marks of chat templates."""
    spoken = without_reasoning(normalise_response(response))
    return SpokenText(without_template_marks(spoken.text), spoken.reasoned, spoken.unfinished)


def says_nothing(text: str) -> bool:
    """Tell whether a text without reasoning is only markup, or only announces an answer."""
    words = _MARKS.sub(" ", without_template_marks(text).replace("\u2019", "'")).strip(" ,")
    return _ANNOUNCES.fullmatch(words) is not None


def no_answer(
    spoken: SpokenText, finish_reason: str, *, broken_off: bool = False, missing: str = "answer"
) -> ExtractedAnswer:
    """Return the outcome of a response without an answer: filtered, refusal, truncated or empty.

    ``broken_off`` says that its last block was cut; ``missing`` names the kind of answer in the reason.
    """
    text = spoken.text.strip()
    outcome: NoAnswer
    if finish_reason in _FILTERED:
        outcome, how = "filtered", "the provider's filter withheld the answer"
    elif finish_reason == "refusal" or (text and not broken_off and finish_reason != "length" and is_refusal(text)):
        outcome, how = "refusal", "declines in words, or asks back"
    elif finish_reason == "length" or broken_off:
        where = "while it was reasoning" if spoken.unfinished else "before the answer was complete"
        outcome, how = "truncated", f"broke off {where}"
    elif spoken.unfinished:
        outcome, how = "empty", "everything is reasoning that never ends"
    else:
        outcome, how = "empty", f"there is no {missing} in the response" if text else "the response is empty"
    return ExtractedAnswer("", how, outcome)
