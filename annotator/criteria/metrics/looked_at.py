"""What a keyword rule looks at: the response, or only its code, in lower case or without white space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.criteria.metrics.rule_results import Spans
from annotator.text.code_spans import only_code


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A text made from a response; ``places`` says where each of its characters stands there, None if unknown."""

    text: str
    places: Sequence[int] | None

    def in_response(self, spans: Spans) -> Spans:
        """Return where spans of the text stand in the response."""
        if self.places is None:
            return ()
        return tuple((self.places[start], self.places[end - 1] + 1) for start, end in spans if end > start)


def look_at(response: str, *, to_lower: bool = False, ignore_space: bool = False, code_only: bool = False) -> LookedAt:
    """Return what a rule with these flags looks at."""
    # Pieces of code that only prose parts must not become one.
    text = only_code(response, filler="\0" if ignore_space else " ") if code_only else response
    places: Sequence[int] | None = range(len(text))
    if ignore_space:
        places = [at for at, letter in enumerate(text) if not letter.isspace()]
        text = "".join(text.split())
    if to_lower:
        lowered = text.lower()
        # Lowering can change a text's length; what stands where is then unknown.
        places = places if len(lowered) == len(text) else None
        text = lowered
    return LookedAt(text, places)


def looked_for(text: str, *, to_lower: bool, ignore_space: bool) -> str:
    """Return the text to look for, changed as what is looked at."""
    text = "".join(text.split()) if ignore_space else text
    return text.lower() if to_lower else text
