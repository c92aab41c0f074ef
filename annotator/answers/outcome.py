"""Tell refusals, cut, empty and filtered responses apart: a response without an answer is no wrong answer."""

from __future__ import annotations

import re

from annotator.answers.found import Found, NoAnswer
from annotator.answers.normalising import normalise, without_template_marks
from annotator.answers.reasoning import Spoken, without_reasoning
from annotator.answers.refusals import declines

_FILTERED = ("content_filter", "safety", "SAFETY", "blocked", "prohibited_content")
_MARKS = re.compile(r"</?\w+(?:\s[^<>\n]*)?>|[`~]{3,}[\w+#-]*|[\s*_`#>|{}\[\].:!\u2026\uff1a-]+")
_ANNOUNCES = re.compile(
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|yes|great)\b[ ,]*)*"
    r"(?:(?:here(?:'s| is| are)?|below is|this is|the following is)(?: \w+){0,6}|(?:(?:my|the|final) )*"
    r"(?:answers?|solution|response|result|output|code|explanation|review)(?: is)?)?",
    re.IGNORECASE,
)


def spoken_text(response: str) -> Spoken:
    """Return what a response says: without reasoning and without marks of chat templates, normalised."""
    said = without_reasoning(normalise(response))
    return Spoken(without_template_marks(said.text), said.reasoned, said.unfinished)


def says_nothing(text: str) -> bool:
    """Tell whether a text without reasoning is marks alone, or only announces an answer."""
    words = _MARKS.sub(" ", without_template_marks(text).replace("\u2019", "'")).strip(" ,")
    return _ANNOUNCES.fullmatch(words) is not None


def no_answer(said: Spoken, finish_reason: str, *, broken_off: bool = False, missing: str = "answer") -> Found:
    """Return which kind of no answer a response is that holds no answer.

    ``broken_off`` says that its last block was cut; ``missing`` names what was looked for.
    """
    text = said.text.strip()
    outcome: NoAnswer
    if finish_reason in _FILTERED:
        outcome, how = "filtered", "the provider's filter withheld the answer"
    elif finish_reason == "refusal" or (text and not broken_off and finish_reason != "length" and declines(text)):
        outcome, how = "refusal", "declines in words, or asks back"
    elif finish_reason == "length" or broken_off:
        where = "while it was reasoning" if said.unfinished else "before the answer was complete"
        outcome, how = "truncated", f"broke off {where}"
    elif said.unfinished:
        outcome, how = "empty", "everything is reasoning that never ends"
    else:
        outcome, how = "empty", f"there is no {missing} in the response" if text else "the response is empty"
    return Found("", how, outcome)
