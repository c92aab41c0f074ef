"""Find the phrases in a comment that say a model wrote something (specification, 4.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

VERBS = ("generated", "written", "created", "implemented", "authored", "coded")
LINKS = ("by", "through", "using", "via", "with")
MODELS = ("ChatGPT", "Copilot", "GPT-3", "GPT-4")

# Every phrase contains one of these: a quick check of a file's bytes before it is parsed.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One phrase in a comment: its position, its three parts, and whether it is negated."""

    start: int
    end: int
    verb: str
    link: str
    model: str
    negated: bool


def find_mentions(text: str, *, strict: bool = False) -> tuple[Mention, ...]:
    """Return the phrases in a comment's text (leaders stripped, white space collapsed), in order.

    ``strict`` finds only the 120 literal phrases, in any case; otherwise articles, makers and spellings of models may
    vary. A phrase is negated if "not", "never" and the like, or "to be", "can be" and the like, are among the two words
    before it.
    """
    return tuple(
        Mention(
            start=match.start(),
            end=match.end(),
            verb=match[1].lower(),
            link=match[2].lower(),
            model=match[3],
            negated=_is_negated(text[: match.start()]),
        )
        for match in _TOLERANT.finditer(text)
        if not strict or _is_literal(match, text)
    )


def _is_literal(match: re.Match[str], text: str) -> bool:
    """Return whether one of the 120 literal phrases is at the position of a match."""
    rest = text[match.start() :].lower()
    phrases = [f"{match[1]} {match[2]} {model}".lower() for model in MODELS]
    behind = [rest[len(phrase) :][:1] for phrase in phrases if rest.startswith(phrase)]
    return any(not letter.isalnum() and letter != "_" for letter in behind)


def _is_negated(text: str) -> bool:
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(text[-200:])]
    sentence_ends = [index for index, word in enumerate(words) if word in ".!?;:"]
    if sentence_ends:
        words = words[sentence_ends[-1] + 1 :]
    for index in range(max(0, len(words) - 2), len(words)):
        word = words[index]
        if word in _NEGATORS or word.endswith("n't"):
            return True
        if word == "be" and index and words[index - 1] in _MODALS:
            return True
    return False
