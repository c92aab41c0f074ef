"""The fixed vocabularies: the same words in code, command line, files and window."""

from __future__ import annotations

from enum import StrEnum


class TaskFamily(StrEnum):
    """What a model is asked to do with a subject."""

    GENERATION = "generation"
    COMPLETION = "completion"
    UNDERSTANDING = "understanding"
    MODIFICATION = "modification"
    REVIEW = "review"
    QUESTION = "question"


class Verdict(StrEnum):
    """An expert's decision on a candidate."""

    ACCEPT = "accept"
    REJECT = "reject"
    SKIP = "skip"
    FLAG = "flag"


class Difficulty(StrEnum):
    """How hard a subject is thought to be."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


QUESTION_TYPES = ("code completion", "code debugging", "knowledge question-answering", "non-code debugging")
"""What a question asks for; a project may use words of its own."""


class Outcome(StrEnum):
    """What came of one response; the three families never mix.

    ``pass`` and ``fail`` are the model's, ``refusal``, ``empty``, ``truncated`` and ``filtered`` are no answer,
    ``machinery`` is ours and never counts as 0.
    ``disputed`` (passes in one process only), ``flaky`` (differs from run to run) and ``tampered`` (passes any tests)
    earn 0 and are told beside every score.
    """

    PASS = "pass"  # noqa: S105 - an outcome, not a password
    PARTIAL = "partial"
    FAIL = "fail"
    REFUSAL = "refusal"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    FILTERED = "filtered"
    MACHINERY = "machinery"
    DISPUTED = "disputed"
    FLAKY = "flaky"
    TAMPERED = "tampered"


UNSETTLED = (Outcome.DISPUTED, Outcome.FLAKY, Outcome.TAMPERED)
"""Outcomes that a score alone does not tell."""


NO_ANSWER = (Outcome.EMPTY, Outcome.REFUSAL, Outcome.TRUNCATED, Outcome.FILTERED)
"""Outcomes of responses without an answer: they earn 0 and are counted apart."""


class RunState(StrEnum):
    """Where a run is in its life."""

    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"


PAIR_KINDS = ("requirement", "paraphrase", "domain", "question_type", "response")
"""What the two sides of a pair that is judged blind are."""
SIDE_ORDERS = ("left-right", "right-left")
"""Which side of a pair was shown first."""
CHOICES = ("1", "2", "tie", "both_bad")
"""What a rater may choose, by the sides as they were shown."""
ARTEFACTS = ("solution", "tests")
"""What of a subject experts edit and confirm."""


class ChangeKind(StrEnum):
    """Whether a change did something, took a change back or did it again."""

    DO = "do"
    UNDO = "undo"
    REDO = "redo"


class ChangeState(StrEnum):
    """What stands of a change now."""

    DONE = "done"
    UNDONE = "undone"
    SUPERSEDED = "superseded"
    EVENT = "event"
