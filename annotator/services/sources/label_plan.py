"""What every label of another tool becomes in a project, decided before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from annotator.base.ids import content_hash, stable_id
from annotator.formats.labels import argilla, potato
from annotator.formats.labels.given import GivenLabel
from annotator.formats.read.candidates import Candidate, first_line
from annotator.formats.read.field_names import usual_columns
from annotator.services.consensus import panel_votes
from annotator.services.sources.label_targets import (
    COMMENT,
    JUDGEMENT,
    NOTHING,
    VOTES,
    LabelChoices,
    guess_target,
    meaning_of,
    moment_of,
    sides_of,
)
from annotator.store.file import people
from annotator.store.file.writer import Session
from annotator.store.judging import consensus
from annotator.store.queue import subjects
from annotator.store.work import given_labels, rewrites
from annotator.store.work.given_labels import TaskMatches, plain_text

_NAMES = ("subject_id", "subject", "key", "id", "task_id", "question_id", "instance_id", "external_id")
_OWN_IDS = (argilla.TOOL, potato.TOOL)
"""Tools whose task identifiers are those of the data that was brought in, not numbers of the tool."""
_NEW_PERSON = "new:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One label and what it becomes: a target, its value, whose it is, on which subject, since when."""

    label: GivenLabel
    target: str
    value: str
    person: str
    person_id: str
    subject_id: str
    moment: str | None


@dataclass(slots=True, kw_only=True)
class LabelPlan:
    """What an import of labels would do. ``left_out`` names every answer that becomes nothing, with the reason."""

    targets: dict[str, str]
    rows: list[Planned] = field(default_factory=list)
    known: int = 0
    left_out: list[str] = field(default_factory=list)
    people: dict[str, str] = field(default_factory=dict)
    """Name -> id of everybody who answered; the id of a new person begins with `_NEW_PERSON`."""
    candidates: dict[str, Candidate] = field(default_factory=dict)
    """The tasks that become candidates, by the id that they will have."""
    tasks: int = 0
    matched: int = 0

    @property
    def new_people(self) -> tuple[str, ...]:
        """The names of those who are not in the project yet."""
        answering = {row.person for row in self.rows}
        return tuple(
            name for name, person in self.people.items() if person.startswith(_NEW_PERSON) and name in answering
        )

    def counts(self) -> dict[str, int]:
        """Return target -> how many rows it gets."""
        return dict(Counter(row.target for row in self.rows))


def make_plan(db: Session, tool: str, labels: Sequence[GivenLabel], choices: LabelChoices) -> LabelPlan:
    """Decide what every label becomes; nothing is written."""
    by_question: dict[str, list[GivenLabel]] = {}
    for label in labels:
        by_question.setdefault(label.question, []).append(label)
    targets = {
        question: choices.targets.get(question) or guess_target(question, answers)
        for question, answers in by_question.items()
    }
    plan = LabelPlan(targets=targets)
    subject_of = _match_tasks(db, tool, labels, choices, plan)
    person_of = _People(db, tool, choices, plan)
    rows: list[Planned] = []
    for label in labels:
        target = targets[label.question]
        subject, name = subject_of[_task_key(label)], person_of.name(label)
        value = None if target == NOTHING else meaning_of(target, label, choices.words)
        if target == NOTHING:
            plan.left_out.append(f"{_at(label)}: nothing was chosen for the question {label.question}")
        elif not subject:
            plan.left_out.append(f"{_at(label)}: the task {_task_name(label)} is not in the project")
        elif subject.startswith("?"):
            plan.left_out.append(f"{_at(label)}: the task {_task_name(label)} fits several subjects")
        elif not name:
            plan.left_out.append(f"{_at(label)}: the file does not say who answered; name the person")
        elif not value:
            said = ", ".join(label.values)
            plan.left_out.append(f"{_at(label)}: {label.question} = {said[:60]} has no meaning as {target}")
        else:
            if target in VOTES and subject not in plan.candidates:
                subject = rewrites.parent_of(db, subjects.find(db, subject)).id
            rows.append(
                Planned(
                    label=label, target=target, value=value, person=name, person_id=person_of.id(name),
                    subject_id=subject, moment=moment_of(label.moment),
                )
            )  # fmt: skip
    plan.rows = _without_refused(db, _without_known(db, rows, plan, choices, tool), plan)
    return plan


def study_name(tool: str, question: str, choices: LabelChoices) -> str:
    """Return the name of the study that the judgements of a question become."""
    return choices.study or f"{tool}: {question}"


def _at(label: GivenLabel) -> str:
    return f"{label.file}:{label.row}"


def _task_name(label: GivenLabel) -> str:
    return label.task or first_line(next(iter(label.texts.values()), ""), 40) or "without a name"


def _task_key(label: GivenLabel) -> tuple[str, str]:
    return label.task, content_hash(dict(label.texts))


def _candidate_key(tool: str, label: GivenLabel) -> str:
    slug = "-".join(tool.casefold().split())
    return f"{slug}:{label.task or content_hash(dict(label.texts))[:12]}"


def _match_tasks(
    db: Session, tool: str, labels: Sequence[GivenLabel], choices: LabelChoices, plan: LabelPlan
) -> dict[tuple[str, str], str]:
    """Return the subject of every task: empty for none, "?" before one of several; with ``add`` those to come."""
    tasks = {_task_key(label): label for label in labels}
    names = {key: _names(tool, label) for key, label in tasks.items()}
    texts = {key: [plain_text(text) for text in label.texts.values()] for key, label in tasks.items()}
    found = given_labels.find_tasks(
        db, {name for some in names.values() for name in some}, {text for some in texts.values() for text in some}
    )
    matched = {key: _subject_of(found, names[key], texts[key]) for key in tasks}
    plan.tasks, plan.matched = len(tasks), sum(bool(subject) and subject[0] != "?" for subject in matched.values())
    if choices.add:
        for key, label in tasks.items():
            candidate = None if matched[key] else _candidate(tool, label)
            if candidate is not None:
                matched[key] = stable_id(candidate.key, candidate.content_hash())
                plan.candidates[matched[key]] = candidate
    return matched


def _names(tool: str, label: GivenLabel) -> list[str]:
    names = [label.texts[name] for name in _NAMES if name in label.texts]
    names += [label.task] if label.task and tool in _OWN_IDS else []
    return [*names, _candidate_key(tool, label)]


def _subject_of(found: TaskMatches, names: Iterable[str], texts: Iterable[str]) -> str:
    """Return the subject that the first telling name or text belongs to."""
    fits = [found.by_name.get(name, ()) for name in names] + [found.by_text.get(text, ()) for text in texts]
    first = next((some for some in fits if some), ())
    return next(iter(first), "") if len(first) <= 1 else f"?{sorted(first)[0]}"


def _candidate(tool: str, label: GivenLabel) -> Candidate | None:
    """Return a task as a candidate: its prompt is the column of a usual name, else its longest text."""
    if not label.texts:
        return None
    column = "prompt" if "prompt" in label.texts else usual_columns(list(label.texts)).get("prompt", "")
    column = column or max(label.texts, key=lambda name: len(label.texts[name]))
    rest = {name: text for name, text in label.texts.items() if name != column}
    prompt = label.texts[column]
    return Candidate(
        key=_candidate_key(tool, label),
        title=rest.get("title") or first_line(prompt) or label.task,
        task="question",
        language=rest.get("language", ""),
        prompt=prompt,
        provenance={"source": tool, "task": label.task},
        extra={"fields": rest} if rest else {},
    )


class _People:
    """Who answered, under the names that they have here."""

    def __init__(self, db: Session, tool: str, choices: LabelChoices, plan: LabelPlan) -> None:
        self._here = {person.name: person.id for person in people.listing(db)}
        self._folded = {name.casefold(): name for name in self._here}
        self._tool, self._choices, self._plan = tool, choices, plan

    def name(self, label: GivenLabel) -> str:
        """Return the name of whoever gave a label; numbers and identifiers get the name of the tool before them."""
        given = label.person
        name = self._choices.people.get(given, given) if given else self._choices.person
        if name in self._here or not name:
            return name
        if name == given and (name.isdigit() or _is_uuid(name)):
            name = f"{self._tool} {name.partition('-')[0]}"
        return self._folded.get(name.casefold(), name)

    def id(self, name: str) -> str:
        """Return the id of a person by name, a placeholder for one who is new."""
        return self._plan.people.setdefault(name, self._here.get(name, f"{_NEW_PERSON}{name}"))


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _without_known(
    db: Session, rows: Sequence[Planned], plan: LabelPlan, choices: LabelChoices, tool: str
) -> list[Planned]:
    """Leave out what the same person has answered here already, and what would replace an answer without a time.

    A label is known if the same person gave the same answer at that time, or at any time where the file has none.
    """
    standing = given_labels.standing_answers(db, {row.subject_id for row in rows})
    judged: dict[str, Mapping[tuple[str, str], str] | None] = {}
    kept: list[Planned] = []
    for row in rows:
        if row.target == JUDGEMENT:
            name = study_name(tool, row.label.question, choices)
            if name not in judged:
                study = given_labels.study_named(db, name)
                judged[name] = given_labels.judgements_of(db, study.id) if study is not None else None
            there = judged[name]
            if there is not None:
                is_known = there.get((row.subject_id, row.person_id)) == row.value
                plan.known += is_known
                if not is_known:
                    plan.left_out.append(
                        f"{_at(row.label)}: the study {name} is there already; name another for new judgements"
                    )
                continue
            kept.append(row)
            continue
        before = standing.get((row.subject_id, row.person_id, row.target), [])
        if any(value == row.value and row.moment in (None, moment) for value, moment in before):
            plan.known += 1
        elif before and row.moment is None and row.target != COMMENT:
            plan.left_out.append(
                f"{_at(row.label)}: {row.person} has answered {before[-1][0]} here, and the file has no time"
            )
        else:
            standing.setdefault((row.subject_id, row.person_id, row.target), []).append((row.value, row.moment or ""))
            kept.append(row)
    return kept


def _without_refused(db: Session, rows: Sequence[Planned], plan: LabelPlan) -> list[Planned]:
    """Leave out what the project takes from nobody: work on locked subjects, late, half and experts' votes."""
    locked = consensus.locked_keys(db, {row.subject_id for row in rows})
    open_rows: list[Planned] = []
    votes: dict[tuple[str, str], list[Planned]] = {}
    for row in rows:
        if row.subject_id in locked:
            plan.left_out.append(f"{_at(row.label)}: {locked[row.subject_id]} is locked")
        elif row.target == JUDGEMENT and sides_of(row.label.texts) is None:
            plan.left_out.append(f"{_at(row.label)}: the task does not have the two texts that were compared")
        elif row.target in VOTES:
            votes.setdefault((row.subject_id, row.person_id), []).append(row)
        else:
            open_rows.append(row)
    cast: dict[str, set[str]] = {}
    for (subject, person), ballot in votes.items():
        reason = _refuse_vote(db, subject, ballot, person, cast)
        if reason:
            plan.left_out += [f"{_at(row.label)}: {reason}" for row in ballot]
        else:
            open_rows += ballot
    return open_rows


def _refuse_vote(db: Session, subject_id: str, rows: Sequence[Planned], person: str, cast: dict[str, set[str]]) -> str:
    """Return why a person's votes on a subject are not taken, empty if they are."""
    if {row.target for row in rows} != set(VOTES):
        return f"{rows[0].person} does not answer both questions of the panel"
    if subject_id not in cast:
        cast[subject_id] = set()
    ballot = panel_votes.ballots_of(db, subject_id)[subject_id]
    if person in ballot.experts:
        return f"{rows[0].person} has edited or confirmed the subject, so the vote is for others"
    if not ballot.sealed:
        return "the votes on the subject are open"
    if person not in ballot.cast and len(ballot.cast) + len(cast[subject_id]) >= ballot.voters:
        return f"all {ballot.voters} seats have voted"
    cast[subject_id] |= {person} - set(ballot.cast)
    return ""


def title_of(db: Session, subject_id: str, plan: LabelPlan) -> str:
    """Return the title of a subject that is there or will be."""
    candidate = plan.candidates.get(subject_id)
    return candidate.title if candidate is not None else subjects.find(db, subject_id).title
