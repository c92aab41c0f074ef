"""The answer extracted from a response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NoAnswer = Literal["", "refusal", "truncated", "empty", "filtered"]


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """The answer of a response.

    ``how`` says in words why this part was taken. ``outcome`` is empty if there is an answer; otherwise it says why
    there is none, and ``text`` is empty.
    """

    text: str
    how: str
    outcome: NoAnswer = ""
