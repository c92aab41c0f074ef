"""What was found in a response, and how it was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NoAnswer = Literal["", "refusal", "truncated", "empty", "filtered"]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer of a response.

    ``how`` says in words why this part was taken. ``outcome`` is empty where there is an answer, else it says which
    kind of no answer the response is; ``text`` is empty then.
    """

    text: str
    how: str
    outcome: NoAnswer = ""
