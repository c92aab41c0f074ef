"""Tell refusals, cut, empty and filtered responses apart: a response without an answer is no wrong answer."""

from __future__ import annotations

import re

from annotator.answers.found import Found, NoAnswer
from annotator.answers.normalising import normalise, without_template_marks
from annotator.answers.reasoning import Spoken, without_reasoning

_APOSTROPHE = "['\u2019]"
_DECLINES = re.compile(
    rf"^\W*(?:i{_APOSTROPHE}?m\s+(?:very\s+|really\s+|so\s+|afraid\s+)?sorry|i\s+am\s+(?:very\s+)?sorry|sorry|apologies|"
    rf"i\s+apologi[sz]e|(?:unfortunately,?\s+)?i(?:\s+am|{_APOSTROPHE}m)?\s+(?:can(?:no|{_APOSTROPHE})t|can\s+not|"
    rf"unable|not\s+able|won{_APOSTROPHE}t|will\s+not|must\s+decline|have\s+to\s+decline|do\s+not\s+(?:feel|know)|"
    rf"don{_APOSTROPHE}t\s+(?:know|feel|have|think\s+i\s+(?:can|should)))|as\s+an?\s+(?:ai|language|large)\b|"
    rf"i\s+(?:would\s+prefer|{_APOSTROPHE}d\s+prefer|prefer)\s+not\b|i{_APOSTROPHE}d\s+rather\s+not\b|"
    r"(?:this|that|your)\s+(?:request|question)\s+(?:violates|goes\s+against|is\s+against|cannot)|"
    r"no\s+puedo|lo\s+siento|d\u00e9sol\u00e9|je\s+(?:suis\s+d\u00e9sol\u00e9|ne\s+peux\s+pas)|"
    r"es\s+tut\s+mir\s+leid|leider\s+kann|ich\s+kann\s+(?:dabei|das|dir|ihnen)[^.]*nicht|"
    r"(?:\u5f88)?\u62b1\u6b49|\u5bf9\u4e0d\u8d77|\u6211\u65e0\u6cd5|\u6211\u4e0d\u80fd|\u7533\u3057\u8a33)",
    re.IGNORECASE,
)
_DECLINES_SOMEWHERE = re.compile(
    rf"\bi\s*(?:can(?:no|{_APOSTROPHE})t|can\s+not|am\s+unable\s+to|{_APOSTROPHE}m\s+unable\s+to|"
    rf"am\s+not\s+able\s+to|{_APOSTROPHE}m\s+not\s+able\s+to|won{_APOSTROPHE}t|must\s+decline\s+to)\s*"
    r"(?:to\s+)?(?:help|assist|comply|provide|answer|fulfil|do\s+(?:this|that)|complete|write|create|generate)",
    re.IGNORECASE,
)
_ASKS_BACK = re.compile(
    r"^\W*(?:(?:hi|hello|sure|certainly|of\s+course|thanks|thank\s+you)\b[^.?\n]{0,40}[,.!]\s*)?"
    r"(?:(?:could|can|would|will)\s+you\b|please\s+(?:provide|clarify|share|tell|specify|give|send)|"
    r"i\s+(?:need|would\s+need|require)\s+(?:more|further|some\s+more|additional|the\s+(?:code|full))|"
    r"(?:what|which|how)\b[^.\n]*\?|before\s+i\s+(?:begin|start|answer)|it\s+(?:seems|looks\s+like)\s+(?:that\s+)?"
    r"(?:you|the\s+(?:code|prompt|question))[^.\n]*(?:missing|incomplete|forgot|cut\s+off|did\s+not|didn.t))",
    re.IGNORECASE,
)
_FILTERED = ("content_filter", "safety", "SAFETY", "blocked", "prohibited_content")


def spoken_text(response: str) -> Spoken:
    """Return what a response says: without reasoning and without marks of chat templates, normalised."""
    said = without_reasoning(normalise(response))
    return Spoken(without_template_marks(said.text), said.reasoned, said.unfinished)


def declines(text: str) -> bool:
    """Tell whether a text without an answer declines in words, or asks back instead of answering."""
    return bool(_DECLINES.match(text) or _DECLINES_SOMEWHERE.search(text) or _ASKS_BACK.match(text))


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
