"""The targets that answers from another tool can become, and a guess of the target for every question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from annotator.base.clock import now, time_text
from annotator.base.errors import UsageError
from annotator.formats.labels.given import ImportedLabel
from annotator.model.rows.judging_rows import ASPECTS
from annotator.model.vocabulary import Difficulty
from annotator.store.history.undo_log import LABELS

NOTHING, DECISION, COMMENT, JUDGEMENT = "nothing", "decision", "comment", "judgement"
_VOTE, _LABEL, _REVIEW = "vote:", "label:", "review:"
VOTES = tuple(f"{_VOTE}{name}" for name in ("realistic", "uses_llm"))
TARGETS = (
    DECISION,
    *VOTES,
    *(f"{_LABEL}{name}" for name in LABELS),
    *(f"{_REVIEW}{name}" for name in ASPECTS),
    JUDGEMENT,
    COMMENT,
    NOTHING,
)

_YES = "yes y true 1 good ok okay pass passed correct valid positive thumbs_up"
_NO = "no n false 0 bad fail failed incorrect wrong invalid negative thumbs_down"
_UNSURE = "unsure unclear unknown maybe neutral"


def _words(**meanings: str) -> dict[str, str]:
    return {word: meaning for meaning, words in meanings.items() for word in (meaning, *words.split())}


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DECISIONS = _words(
    accept=f"accepted approve approved keep kept include included select selected {_YES}",
    reject=f"rejected decline declined discard discarded exclude excluded drop remove removed delete {_NO}",
    skip=f"skipped later postpone {_UNSURE}",
    flag="flagged report problem needs_work needs_review fix",
)
_VOTE_WORDS = _words(yes=f"{_YES} agree", no=f"{_NO} disagree", abstain=f"abstained n/a na {_UNSURE}")
_SIDE_WORDS = {
    **_words(tie="tied both equal same equally_good no_preference", both_bad="neither none equally_bad"),
    **dict.fromkeys(("1", "left", "a", "first", "text1", "answer1", "response1", "model_a", "response_a"), "1"),
    **dict.fromkeys(("2", "right", "b", "second", "text2", "answer2", "response2", "model_b", "response_b"), "2"),
}
_CERTAIN = _names("accept accepted approve approved keep kept reject rejected discard discarded exclude excluded")
_DECISION_NAMES = _names("decision verdict accept keep include selection accept_reject status")
_COMMENT_NAMES = _names("comment comments note notes remark remarks feedback rationale explanation reason")
_SIDE_NAMES = _names("preference pref preferred better winner pairwise pairwise_preference comparison")
_VOTE_NAMES = {"realistic": VOTES[0], "is_realistic": VOTES[0], "uses_llm": VOTES[1], "uses_model": VOTES[1]}
_SUFFIXES = (("1", "2"), ("a", "b"), ("A", "B"), ("left", "right"), ("first", "second"), ("chosen", "rejected"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChoices:
    """The choices of the person who imports.

    ``targets`` maps questions to one of `TARGETS` (the target of a missing question is guessed), ``words`` maps values
    to their meaning, ``people`` maps names in the file to names in the project. ``person`` is the author of answers
    without a name. With ``add``, unknown tasks become candidates. ``study`` names the study of the judgements.
    """

    targets: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)
    person: str = ""
    add: bool = False
    study: str = ""


def split_people(names: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the renamed people of names such as ``3=Ada``, by their names in the file, and the other names."""
    pairs = [name.rpartition("=") for name in map(str.strip, names) if name]
    return {old.strip(): new.strip() for old, _, new in pairs if old}, tuple(new for old, _, new in pairs if not old)


def check_targets(targets: Mapping[str, str], questions: Iterable[str]) -> None:
    """Raise `UsageError` for a question that is not in the file, or an unknown target."""
    file_questions = list(questions)
    for question, target in targets.items():
        if target not in TARGETS:
            raise UsageError(f"Answers become {', '.join(TARGETS)}, not {target}.")
        if question not in file_questions:
            raise UsageError(f"The file has no question {question}. It has: {', '.join(file_questions)}.")


def guess_target(question: str, answers: Sequence[ImportedLabel]) -> str:
    """Return the most likely target of a question's answers; `NOTHING` if a person has to choose."""
    name = _plain(question)
    values = {_plain(value) for answer in answers for value in answer.values}
    if any(answer.is_text for answer in answers) or name in _COMMENT_NAMES:
        return COMMENT
    # A mark of 1 or 2 is not necessarily a comparison, even if the task has two texts.
    is_comparison = values <= _SIDE_WORDS.keys() and (name in _SIDE_NAMES or not values <= {"1", "2"})
    if is_comparison and any(compared_fields(answer.texts) for answer in answers):
        return JUDGEMENT
    if name in _VOTE_NAMES and values <= _VOTE_WORDS.keys():
        return _VOTE_NAMES[name]
    if name in ASPECTS and all(value.isdigit() and 1 <= int(value) <= 5 for value in values):
        return f"{_REVIEW}{name}"
    as_label = "licence" if name == "license" else name
    if as_label in LABELS and (as_label != "difficulty" or values & set(Difficulty)):
        return f"{_LABEL}{as_label}"
    is_decision = name in _DECISION_NAMES or bool(values & _CERTAIN)
    return DECISION if is_decision and values <= _DECISIONS.keys() else NOTHING


def _plain(text: str) -> str:
    """Return a name or value in lower case with underscores, the form used in the word tables."""
    return "_".join(text.casefold().replace("-", " ").split())


def answer_meaning(target: str, answer: ImportedLabel, words: Mapping[str, str]) -> str | None:
    """Return an answer's value for a target; None if it has no meaning there."""
    values = [words.get(value, value) for value in answer.values]
    if target == COMMENT:
        text = ", ".join(values).strip()
        return text if not text or answer.is_text or _plain(answer.question) in _COMMENT_NAMES else (
            f"{answer.question}: {text}"
        )  # fmt: skip
    if len(values) != 1 or not values[0].strip():
        return None
    value = values[0].strip()
    if target == DECISION:
        return _DECISIONS.get(_plain(value))
    if target in VOTES:
        return _VOTE_WORDS.get(_plain(value))
    if target == JUDGEMENT:
        return _SIDE_WORDS.get(_plain(value))
    if target.startswith(_REVIEW):
        return value if value in ("1", "2", "3", "4", "5") else None
    if target == f"{_LABEL}difficulty":
        return _plain(value) if _plain(value) in tuple(Difficulty) else None
    return value


def compared_fields(texts: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the two compared fields of a task: those whose names end in a pair such as 1 and 2 or a and b."""
    for first, second in _SUFFIXES:
        for name in texts:
            if name.endswith(first) and (other := name.removesuffix(first) + second) in texts:
                return name, other
    return None


def stored_moment(text: str | None) -> str | None:
    """Convert another tool's time to the project's format; None if it is missing, unreadable or in the future.

    Times without a zone are taken as UTC; whole numbers are seconds or milliseconds since 1970.
    """
    if not text or not isinstance(text, str):
        return None
    try:
        if text.isdigit():
            number = int(text)
            moment = datetime.fromtimestamp(number / 1000 if number > 10**11 else number, UTC)
        else:
            moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None if moment > now() + timedelta(minutes=5) else time_text(moment)
