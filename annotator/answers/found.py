"""The answer extracted from a response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NoAnswer = Literal["", "refusal", "truncated", "empty", "filtered"]


@dataclass(frozen=True, slots=True)
class ExtractedAnswer:
    """The answer in a response.

    ``how`` explains why this part of the response was chosen. If there is no answer, ``text`` is empty and ``outcome``
    says why; otherwise ``outcome`` is empty.
    """

    text: str
    how: str
    outcome: NoAnswer = ""
