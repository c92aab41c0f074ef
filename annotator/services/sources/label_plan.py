"""Plan the import of labels from another tool: the target of every question and label. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

from annotator.base.clock import now, time_text
from annotator.base.errors import UsageError
from annotator.base.ids import content_hash, stable_id
from annotator.formats.labels import argilla, potato
from annotator.formats.labels.imported_labels import ImportedLabel
from annotator.formats.read.field_names import usual_columns
from annotator.formats.read.import_records import Candidate, first_line
from annotator.model.vocabulary import ASPECTS, Difficulty
from annotator.services.consensus import panel_votes
from annotator.store.file import people
from annotator.store.file.writer import Session
from annotator.store.history.undo_log import LABELS
from annotator.store.judging import stored_consensus
from annotator.store.queue import stored_subjects
from annotator.store.work import given_labels, stored_rewrites
from annotator.store.work.given_labels import TaskMatches, plain_text

NOTHING = "nothing"
DECISION = "decision"
COMMENT = "comment"
JUDGEMENT = "judgement"
_VOTE_PREFIX = "vote:"
_LABEL_PREFIX = "label:"
_REVIEW_PREFIX = "review:"
VOTES = tuple(f"{_VOTE_PREFIX}{name}" for name in ("realistic", "uses_llm"))
TARGETS = (
    DECISION,
    *VOTES,
    *(f"{_LABEL_PREFIX}{name}" for name in LABELS),
    *(f"{_REVIEW_PREFIX}{name}" for name in ASPECTS),
    JUDGEMENT,
    COMMENT,
    NOTHING,
)

_YES_WORDS = "yes y true 1 good ok okay pass passed correct valid positive thumbs_up"
_NO_WORDS = "no n false 0 bad fail failed incorrect wrong invalid negative thumbs_down"
_UNSURE_WORDS = "unsure unclear unknown maybe neutral"


def _map_words(**meanings: str) -> dict[str, str]:
    return {word: meaning for meaning, words in meanings.items() for word in (meaning, *words.split())}


def _split_names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DECISION_WORDS = _map_words(
    accept=f"accepted approve approved keep kept include included select selected {_YES_WORDS}",
    reject=f"rejected decline declined discard discarded exclude excluded drop remove removed delete {_NO_WORDS}",
    skip=f"skipped later postpone {_UNSURE_WORDS}",
    flag="flagged report problem needs_work needs_review fix",
)
_VOTE_WORDS = _map_words(
    yes=f"{_YES_WORDS} agree", no=f"{_NO_WORDS} disagree", abstain=f"abstained n/a na {_UNSURE_WORDS}"
)
_SIDE_WORDS = {
    **_map_words(tie="tied both equal same equally_good no_preference", both_bad="neither none equally_bad"),
    **dict.fromkeys(("1", "left", "a", "first", "text1", "answer1", "response1", "model_a", "response_a"), "1"),
    **dict.fromkeys(("2", "right", "b", "second", "text2", "answer2", "response2", "model_b", "response_b"), "2"),
}
_CERTAIN_DECISION_WORDS = _split_names(
    "accept accepted approve approved keep kept reject rejected discard discarded exclude excluded"
)
_DECISION_NAMES = _split_names("decision verdict accept keep include selection accept_reject status")
_COMMENT_NAMES = _split_names("comment comments note notes remark remarks feedback rationale explanation reason")
_SIDE_NAMES = _split_names("preference pref preferred better winner pairwise pairwise_preference comparison")
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
            raise UsageError(f"There is no target {target}. Choose from: {', '.join(TARGETS)}.")
        if question not in file_questions:
            raise UsageError(f"The file has no question {question}. It has: {', '.join(file_questions)}.")


def guess_target(question: str, answers: Sequence[ImportedLabel]) -> str:
    """Return the most likely target of a question's answers; `NOTHING` if a person has to choose."""
    name = _normalise_word(question)
    values = {_normalise_word(value) for answer in answers for value in answer.values}
    if any(answer.is_text for answer in answers) or name in _COMMENT_NAMES:
        return COMMENT
    # A rating of 1 or 2 is not necessarily a comparison, even if the task has two texts.
    is_comparison = values <= _SIDE_WORDS.keys() and (name in _SIDE_NAMES or not values <= {"1", "2"})
    if is_comparison and any(compared_fields(answer.texts) for answer in answers):
        return JUDGEMENT
    if name in _VOTE_NAMES and values <= _VOTE_WORDS.keys():
        return _VOTE_NAMES[name]
    if name in ASPECTS and all(value.isdigit() and 1 <= int(value) <= 5 for value in values):
        return f"{_REVIEW_PREFIX}{name}"
    as_label = "licence" if name == "license" else name
    if as_label in LABELS and (as_label != "difficulty" or values & set(Difficulty)):
        return f"{_LABEL_PREFIX}{as_label}"
    is_decision = name in _DECISION_NAMES or bool(values & _CERTAIN_DECISION_WORDS)
    return DECISION if is_decision and values <= _DECISION_WORDS.keys() else NOTHING


def _normalise_word(text: str) -> str:
    """Return a name or value in lower case with underscores, the form used in the word tables."""
    return "_".join(text.casefold().replace("-", " ").split())


def answer_meaning(target: str, answer: ImportedLabel, words: Mapping[str, str]) -> str | None:
    """Convert an answer to a value of its target; None if the target has no such value."""
    values = [words.get(value, value) for value in answer.values]
    if target == COMMENT:
        text = ", ".join(values).strip()
        if not text or answer.is_text or _normalise_word(answer.question) in _COMMENT_NAMES:
            return text
        return f"{answer.question}: {text}"
    if len(values) != 1 or not values[0].strip():
        return None
    value = values[0].strip()
    if target == DECISION:
        return _DECISION_WORDS.get(_normalise_word(value))
    if target in VOTES:
        return _VOTE_WORDS.get(_normalise_word(value))
    if target == JUDGEMENT:
        return _SIDE_WORDS.get(_normalise_word(value))
    if target.startswith(_REVIEW_PREFIX):
        return value if value in ("1", "2", "3", "4", "5") else None
    if target == f"{_LABEL_PREFIX}difficulty":
        return _normalise_word(value) if _normalise_word(value) in tuple(Difficulty) else None
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


_SUBJECT_NAME_FIELDS = ("subject_id", "subject", "key", "id", "task_id", "question_id", "instance_id", "external_id")
_TOOLS_KEEPING_IDS = (argilla.TOOL, potato.TOOL)
"""Tools that keep the task identifiers of the imported data instead of assigning numbers of their own."""
_NEW_PERSON = "new:"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLabel:
    """One label to import, with its target, value, person, subject and time."""

    label: ImportedLabel
    target: str
    value: str
    person: str
    person_id: str
    subject_id: str
    moment: str | None


@dataclass(slots=True, kw_only=True)
class LabelPlan:
    """The effect of an import of labels. ``left_out`` lists every answer that is not imported, with the reason."""

    targets: dict[str, str]
    rows: list[PlannedLabel] = field(default_factory=list)
    known_count: int = 0
    left_out: list[str] = field(default_factory=list)
    people: dict[str, str] = field(default_factory=dict)
    """Name -> id of everyone who answered; the id of a new person begins with `_NEW_PERSON`."""
    candidates: dict[str, Candidate] = field(default_factory=dict)
    """The tasks that become candidates, by their future id."""
    tasks: int = 0
    matched: int = 0

    @property
    def new_people(self) -> tuple[str, ...]:
        """The names of people who are not in the project yet."""
        answering = {row.person for row in self.rows}
        return tuple(
            name for name, person in self.people.items() if person.startswith(_NEW_PERSON) and name in answering
        )

    def counts(self) -> dict[str, int]:
        """Count the rows by target."""
        return dict(Counter(row.target for row in self.rows))


def plan_labels(db: Session, tool: str, labels: Sequence[ImportedLabel], choices: LabelChoices) -> LabelPlan:
    """Return the plan for all labels, without writing anything."""
    by_question: dict[str, list[ImportedLabel]] = {}
    for label in labels:
        by_question.setdefault(label.question, []).append(label)
    targets = {
        question: choices.targets.get(question) or guess_target(question, answers)
        for question, answers in by_question.items()
    }
    plan = LabelPlan(targets=targets)
    subject_of = _match_tasks(db, tool, labels, choices, plan)
    person_of = _People(db, tool, choices, plan)
    rows: list[PlannedLabel] = []
    for label in labels:
        target = targets[label.question]
        subject = subject_of[_build_task_key(label)]
        name = person_of.name(label)
        person_id = person_of.id(name) if name else ""
        value = None if target == NOTHING else answer_meaning(target, label, choices.words)
        if target == NOTHING:
            plan.left_out.append(f"{_describe_location(label)}: nothing was chosen for the question {label.question}")
        elif not subject:
            no_text_note = ", and the file has no text of it to add" if choices.add else ""
            plan.left_out.append(
                f"{_describe_location(label)}: the task {_describe_task(label)} is not in the project{no_text_note}"
            )
        elif subject.startswith("?"):
            plan.left_out.append(f"{_describe_location(label)}: the task {_describe_task(label)} fits several subjects")
        elif not name:
            plan.left_out.append(f"{_describe_location(label)}: the file does not say who answered; name the person")
        elif not value:
            answer_text = ", ".join(label.values)
            plan.left_out.append(
                f"{_describe_location(label)}: {label.question} = {answer_text[:60]} has no meaning as {target}"
            )
        else:
            if target in VOTES and subject not in plan.candidates:
                subject = stored_rewrites.find_parent(db, stored_subjects.find_subject(db, subject)).id
            rows.append(
                PlannedLabel(
                    label=label, target=target, value=value, person=name, person_id=person_id,
                    subject_id=subject, moment=stored_moment(label.moment),
                )
            )  # fmt: skip
    plan.rows = _drop_refused(db, _drop_known(db, rows, plan, choices, tool), plan)
    return plan


def study_name(tool: str, question: str, choices: LabelChoices) -> str:
    """Return the name of the study for a question's judgements."""
    return choices.study or f"{tool}: {question}"


def _describe_location(label: ImportedLabel) -> str:
    return f"{label.file}:{label.row}"


def _describe_task(label: ImportedLabel) -> str:
    return label.task or first_line(next(iter(label.texts.values()), ""), 40) or "without a name"


def _build_task_key(label: ImportedLabel) -> tuple[str, str]:
    return label.task, content_hash(dict(label.texts))


def _build_candidate_key(tool: str, label: ImportedLabel) -> str:
    slug = "-".join(tool.casefold().split())
    return f"{slug}:{label.task or content_hash(dict(label.texts))[:12]}"


def _match_tasks(
    db: Session, tool: str, labels: Sequence[ImportedLabel], choices: LabelChoices, plan: LabelPlan
) -> dict[tuple[str, str], str]:
    """Return the subject id of every task: empty if none matches, prefixed with "?" if several match.

    With ``choices.add``, unmatched tasks become candidates of the plan.
    """
    tasks = {_build_task_key(label): label for label in labels}
    names = {key: _list_task_names(tool, label) for key, label in tasks.items()}
    texts = {key: [plain_text(text) for text in label.texts.values()] for key, label in tasks.items()}
    matches = given_labels.find_tasks(
        db, {name for group in names.values() for name in group}, {text for group in texts.values() for text in group}
    )
    matched = {key: _find_subject(matches, names[key], texts[key]) for key in tasks}
    plan.tasks = len(tasks)
    plan.matched = sum(bool(subject) and subject[0] != "?" for subject in matched.values())
    if choices.add:
        for key, label in tasks.items():
            candidate = None if matched[key] else _build_candidate(tool, label)
            if candidate is not None:
                matched[key] = stable_id(candidate.key, candidate.content_hash())
                plan.candidates[matched[key]] = candidate
    return matched


def _list_task_names(tool: str, label: ImportedLabel) -> list[str]:
    names = [label.texts[name] for name in _SUBJECT_NAME_FIELDS if name in label.texts]
    names += [label.task] if label.task and tool in _TOOLS_KEEPING_IDS else []
    return [*names, _build_candidate_key(tool, label)]


def _find_subject(matches: TaskMatches, names: Iterable[str], texts: Iterable[str]) -> str:
    """Return the subject of the first name or text that matches any."""
    groups = [matches.by_name.get(name, ()) for name in names] + [matches.by_text.get(text, ()) for text in texts]
    first = next((ids for ids in groups if ids), ())
    return next(iter(first), "") if len(first) <= 1 else f"?{sorted(first)[0]}"


def _build_candidate(tool: str, label: ImportedLabel) -> Candidate | None:
    """Return a task as a candidate; its prompt is the column with a usual name, else the longest text."""
    if not label.texts:
        return None
    column = "prompt" if "prompt" in label.texts else usual_columns(list(label.texts)).get("prompt", "")
    column = column or max(label.texts, key=lambda name: len(label.texts[name]))
    other_texts = {name: text for name, text in label.texts.items() if name != column}
    prompt = label.texts[column]
    return Candidate(
        key=_build_candidate_key(tool, label),
        title=other_texts.get("title") or first_line(prompt) or label.task,
        task="question",
        language=other_texts.get("language", ""),
        prompt=prompt,
        provenance={"source": tool, "task": label.task},
        extra={"fields": other_texts} if other_texts else {},
    )


class _People:
    """Maps the people who answered to their names and ids in the project."""

    def __init__(self, db: Session, tool: str, choices: LabelChoices, plan: LabelPlan) -> None:
        self._ids_by_name = {person.name: person.id for person in people.fetch_annotators(db)}
        self._names_by_lower_case = {name.casefold(): name for name in self._ids_by_name}
        self._tool = tool
        self._choices = choices
        self._plan = plan

    def name(self, label: ImportedLabel) -> str:
        """Return the name of the person who gave a label; numbers and UUIDs are prefixed with the tool's name."""
        # The person whom the user names takes precedence over one that only the file's name suggests.
        is_guess = bool(self._choices.person) and label.is_named_by_file and label.person not in self._choices.people
        given_name = "" if is_guess else label.person
        name = self._choices.people.get(given_name, given_name) if given_name else self._choices.person
        if name in self._ids_by_name or not name:
            return name
        if name == given_name and (name.isdigit() or _is_uuid(name)):
            name = f"{self._tool} {name.partition('-')[0]}"
        return self._names_by_lower_case.get(name.casefold(), name)

    def id(self, name: str) -> str:
        """Return the id of a person by name; a placeholder for a new person."""
        return self._plan.people.setdefault(name, self._ids_by_name.get(name, f"{_NEW_PERSON}{name}"))


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _drop_known(
    db: Session, rows: Sequence[PlannedLabel], plan: LabelPlan, choices: LabelChoices, tool: str
) -> list[PlannedLabel]:
    """Drop labels that the project has already, and labels without a time that would replace an existing answer.

    A label is known if the same person gave the same answer at that time, or at any time if the file has no time.
    """
    current_answers = given_labels.active_answers(db, {row.subject_id for row in rows})
    judgements_by_study: dict[str, Mapping[tuple[str, str], str] | None] = {}
    new_rows: list[PlannedLabel] = []
    for row in rows:
        if row.target == JUDGEMENT:
            name = study_name(tool, row.label.question, choices)
            if name not in judgements_by_study:
                study = given_labels.find_study_by_name(db, name)
                judgements_by_study[name] = given_labels.judgements_of(db, study.id) if study is not None else None
            judgements = judgements_by_study[name]
            if judgements is not None:
                is_known = judgements.get((row.subject_id, row.person_id)) == row.value
                plan.known_count += is_known
                if not is_known:
                    plan.left_out.append(
                        f"{_describe_location(row.label)}: the study {name} exists already; name another for new "
                        "judgements"
                    )
                continue
            new_rows.append(row)
            continue
        earlier_answers = current_answers.get((row.subject_id, row.person_id, row.target), [])
        if any(value == row.value and row.moment in (None, moment) for value, moment in earlier_answers):
            plan.known_count += 1
        elif earlier_answers and row.moment is None and row.target != COMMENT:
            plan.left_out.append(
                f"{_describe_location(row.label)}: {row.person} has answered {earlier_answers[-1][0]} here, and the "
                "file has no time"
            )
        else:
            current_answers.setdefault((row.subject_id, row.person_id, row.target), []).append(
                (row.value, row.moment or "")
            )
            new_rows.append(row)
    return new_rows


def _drop_refused(db: Session, rows: Sequence[PlannedLabel], plan: LabelPlan) -> list[PlannedLabel]:
    """Drop labels that the project does not accept: on locked subjects, and late, incomplete or experts' votes."""
    locked = stored_consensus.find_locked_keys(db, {row.subject_id for row in rows})
    open_rows: list[PlannedLabel] = []
    votes: dict[tuple[str, str], list[PlannedLabel]] = {}
    for row in rows:
        if row.subject_id in locked:
            plan.left_out.append(f"{_describe_location(row.label)}: {locked[row.subject_id]} is locked")
        elif row.target == JUDGEMENT and compared_fields(row.label.texts) is None:
            plan.left_out.append(f"{_describe_location(row.label)}: the task lacks the two texts that were compared")
        elif row.target in VOTES:
            votes.setdefault((row.subject_id, row.person_id), []).append(row)
        else:
            open_rows.append(row)
    new_voters: dict[str, set[str]] = {}
    for (subject, person), ballot in votes.items():
        reason = _find_vote_refusal(db, subject, ballot, person, new_voters)
        if reason:
            plan.left_out += [f"{_describe_location(row.label)}: {reason}" for row in ballot]
        else:
            open_rows += ballot
    return open_rows


def _find_vote_refusal(
    db: Session, subject_id: str, rows: Sequence[PlannedLabel], person: str, new_voters: dict[str, set[str]]
) -> str:
    """Return why a person's votes on a subject are refused; empty if they are accepted."""
    if {row.target for row in rows} != set(VOTES):
        return f"{rows[0].person} does not answer both questions of the panel"
    if subject_id not in new_voters:
        new_voters[subject_id] = set()
    ballot = panel_votes.load_ballots_in(db, subject_id)[subject_id]
    if person in ballot.experts:
        return f"{rows[0].person} has edited or confirmed the subject, so somebody else must vote"
    if not ballot.sealed:
        return "the votes on the subject are open"
    if person not in ballot.cast and len(ballot.cast) + len(new_voters[subject_id]) >= ballot.voters:
        return f"all {ballot.voters} seats have voted"
    new_voters[subject_id] |= {person} - set(ballot.cast)
    return ""


def planned_title(db: Session, subject_id: str, plan: LabelPlan) -> str:
    """Return the title of an existing or planned subject."""
    candidate = plan.candidates.get(subject_id)
    return candidate.title if candidate is not None else stored_subjects.find_subject(db, subject_id).title
