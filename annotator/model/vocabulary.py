"""The fixed vocabularies: the same words in code, command line, files and window."""

from __future__ import annotations

from enum import StrEnum


class TaskFamily(StrEnum):
    """The kind of work a model is asked to do on a subject."""

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
    """The estimated difficulty of a subject."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


QUESTION_TYPES = ("code completion", "code debugging", "knowledge question-answering", "non-code debugging")
"""The usual types of questions; a project may use its own words."""


class Outcome(StrEnum):
    """The outcome of one response, in families that are counted separately.

    ``pass``, ``partial`` and ``fail`` are the model's; ``refusal``, ``empty``, ``truncated`` and ``filtered`` mean that
    there is no answer; ``machinery`` is a failure on our side and never counts as 0.
    ``disputed`` (passes under one way of running the tests only), ``flaky`` (differs from run to run) and
    ``tampered`` (passes any tests) earn 0 and are shown next to every score.
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


NOT_SCORED = "not scored"
"""The display text for ``machinery``."""


UNSETTLED = (Outcome.DISPUTED, Outcome.FLAKY, Outcome.TAMPERED)
"""Doubtful outcomes, which people may settle."""


NO_ANSWER = (Outcome.EMPTY, Outcome.REFUSAL, Outcome.TRUNCATED, Outcome.FILTERED)
"""Outcomes of responses without an answer: they earn 0 and are counted separately."""


class RunState(StrEnum):
    """The state of a run."""

    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"


PAIR_KINDS = ("requirement", "paraphrase", "domain", "question_type", "response")
"""Kinds of the two sides of a blind pair."""
SIDE_ORDERS = ("left-right", "right-left")
"""Which side of a pair was shown first."""
CHOICES = ("1", "2", "tie", "both_bad")
"""A rater's possible choices, by position on screen."""
SETUP_KINDS = ("endpoint", "price", "template", "protocol")
"""The kinds of `Setup` rows."""
ARTEFACTS = ("solution", "tests")
"""The parts of a subject that experts edit and confirm."""


class ChangeKind(StrEnum):
    """Whether a change is an act, an undo or a redo."""

    DO = "do"
    UNDO = "undo"
    REDO = "redo"


class ChangeState(StrEnum):
    """The current state of a change; undo skips those in state ``event``."""

    DONE = "done"
    UNDONE = "undone"
    SUPERSEDED = "superseded"
    EVENT = "event"


ASPECTS = ("correctness", "difficulty", "applicability", "readability")
"""The aspects of a review, each marked from 1 to 5."""
MARKS_APART = 2
"""The smallest difference of review marks that counts as a disagreement."""


SKIP, RATER = "skip:", "rater:"
"""Prefixes of a resolution's ``about``, before an assignment's id: its pair is skipped, or has a new rater."""
