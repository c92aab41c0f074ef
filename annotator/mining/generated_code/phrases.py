"""The 120 phrases that say that a model wrote some code, and a tolerant form of them (specification, 4.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import product

VERBS = ("generated", "written", "created", "implemented", "authored", "coded")
LINKS = ("by", "through", "using", "via", "with")
MODELS = ("ChatGPT", "Copilot", "GPT-3", "GPT-4")
PHRASES: tuple[str, ...] = tuple(" ".join(words) for words in product(VERBS, LINKS, MODELS))

# What any phrase contains, for a quick look at the bytes of a file before it is parsed.
TRACE = re.compile(rb"gpt|pilot", re.IGNORECASE)
_START, _END = r"(?<![\w-])", r"(?!\w)"
_TOLERANT = re.compile(
    rf"{_START}({'|'.join(VERBS)})\s+({'|'.join(LINKS)})\s+"
    r"(?:(?:the|an?|openai(?:'s)?|github|microsoft)\s+)*"
    r"(chat[\s-]?gpt|(?:github\s+)?co-?pilot|gpt[\s-]?(?:3(?:\.5)?|4)(?:o|[\s-]?turbo)?)" + _END,
    re.IGNORECASE,
)
_NEGATORS = frozenset(("not", "never", "cannot", "without", "neither", "nor", "no", "non"))
_MODALS = frozenset(("to", "can", "could", "may", "might", "must", "shall", "should", "will", "would", "cannot"))
_WORD = re.compile(r"[\w'\u2019]+|[.!?;:]")


@dataclass(frozen=True, slots=True)
class Mention:
    """One phrase in a comment: where in its text, its three parts, and whether it says the opposite."""

    start: int
    end: int
    verb: str
    link: str
    model: str
    negated: bool


def mentions(text: str, *, strict: bool = False) -> tuple[Mention, ...]:
    """Return the phrases in a comment's text (leaders stripped, white space collapsed), in order.

    ``strict`` finds the 120 literal phrases alone, in any case; otherwise articles, makers and spellings of the models
    may differ. A phrase is negated if "not", "never" and the like, or "to be", "can be" and the like, stand within the
    two words before it.
    """
    pattern = _strict() if strict else _TOLERANT
    return tuple(
        Mention(
            found.start(), found.end(), found[1].lower(), found[2].lower(), found[3], _negated(text[: found.start()])
        )
        for found in pattern.finditer(text)
    )


@cache
def _strict() -> re.Pattern[str]:
    models = "|".join(re.escape(model) for model in MODELS)
    return re.compile(rf"{_START}({'|'.join(VERBS)}) ({'|'.join(LINKS)}) ({models}){_END}", re.IGNORECASE)


def _negated(before: str) -> bool:
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(before[-200:])]
    ends = [place for place, word in enumerate(words) if word in ".!?;:"]
    if ends:
        words = words[ends[-1] + 1 :]
    for place in range(max(0, len(words) - 2), len(words)):
        word = words[place]
        if word in _NEGATORS or word.endswith("n't"):
            return True
        if word == "be" and place and words[place - 1] in _MODALS:
            return True
    return False
