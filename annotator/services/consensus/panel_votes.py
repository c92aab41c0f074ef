"""A panel votes on subjects: who kept what, hidden from those who have not voted yet (sampling specification, 4.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.metrics.agreement.coefficients import AgreementReport, agreement_report
from annotator.model.changes import Changes
from annotator.model.rows.judging import PanelRow, VoteState
from annotator.model.tables.work import Vote
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.judging import consensus
from annotator.store.queue import subjects

QUESTIONS = {
    "realistic": "Is this a realistic development scenario?",
    "uses_llm": "Would a developer use a language model for it?",
}
SHORT = {"realistic": "realistic", "uses_llm": "uses a model"}
CHOICES = ("yes", "no", "abstain")
_VOTERS, _KEEP = "panel_voters", "panel_keep"
SETTINGS = (_VOTERS, _KEEP)
_MOST_VOTERS = 1000
PANEL, PANEL_KEEP = 13, 10
_ASKED = tuple(QUESTIONS)

Cast = Mapping[str, Mapping[str, str]]
"""Voter -> question -> choice, of one subject."""


def approvals_needed(voters: int) -> int:
    """Return how many of a panel must approve: 10 of 13, and that share of any other panel, rounded up."""
    return math.ceil(PANEL_KEEP * voters / PANEL)


def approves(answers: dict[str, str], questions: Sequence[str]) -> bool:
    """Say whether one voter approves: yes to every question; an abstention counts as no."""
    return all(answers.get(question) == "yes" for question in questions)


def set_panel(store: ProjectFile, voters: int, keep: int | None = None) -> Changes:
    """Say how many vote and how many must approve (default: 10 of 13 and that share of others).

    Raises `BadInputError` for numbers that make no panel.
    """
    needed = approvals_needed(voters) if keep is None else keep
    if not 1 <= voters <= _MOST_VOTERS or not 1 <= needed <= voters:
        raise BadInputError("A panel needs at least one voter, and no more approvals than voters.")
    label = Message("Panel: {needed} of {voters} must approve", needed=needed, voters=voters)
    with store.write() as db:
        people.set_setting(db, _VOTERS, voters)
        people.set_setting(db, _KEEP, needed)
        undo_log.record_event(db, store.annotator.id, label, ["vote", "project"])
    return Changes(frozenset({"vote", "project"}), label=label)


def panel_of(store: ProjectFile) -> tuple[int, int]:
    """Return how many vote, and how many must approve."""
    with store.read() as db:
        voters, keep = people.setting(db, _VOTERS), people.setting(db, _KEEP)
    size = voters if type(voters) is int and 1 <= voters <= _MOST_VOTERS else PANEL
    return size, keep if type(keep) is int and 1 <= keep <= size else approvals_needed(size)


def vote(store: ProjectFile, subject_id: str, answers: dict[str, str]) -> Changes:
    """Cast one's vote: yes, no or abstain to every question. A later vote replaces an earlier one.

    Raises `BadInputError` for missing answers, and for one of the subject's three experts.
    """
    if set(answers) != set(QUESTIONS) or not set(answers.values()) <= set(CHOICES):
        raise BadInputError(f"A vote answers {' and '.join(QUESTIONS)} with {', '.join(CHOICES)}.")
    with store.write() as db:
        subject = subjects.find(db, subject_id)
        consensus.refuse_locked(db, [subject.id])
        if store.annotator.id in consensus.experts(db, subject.id).get(subject.id, ()):
            raise BadInputError("You have edited or confirmed this subject, so the vote is for others.")
        rows = [Vote(question=question, choice=choice) for question, choice in answers.items()]
        return consensus.add(db, store.annotator.id, subject.id, rows, Message("Vote on {title}", title=subject.title))


def approvals_in(cast: Cast) -> int:
    """Return how many voters of a subject approve of it."""
    return sum(approves(dict(answers), _ASKED) for answers in cast.values())


def _is_kept(approvals: int, cast: int, voters: int, needed: int) -> bool | None:
    """Say what a panel has decided, None while the votes to come can still change it."""
    if approvals >= needed:
        return True
    return None if approvals + max(0, voters - cast) >= needed else False


def _may_see(cast: Cast, me: str, voters: int, *, expert: bool) -> bool:
    """Say whether a person may see how others voted: after their own vote, when all have voted, or as an expert."""
    return me in cast or expert or len(cast) >= voters


def vote_state(store: ProjectFile, subject_id: str) -> VoteState:
    """Return the votes on a subject as the annotator may see them: hidden until their own is cast."""
    with store.read() as db:
        subject = subjects.find(db, subject_id)
        cast = consensus.votes(db, subject.id).get(subject.id, {})
        expert = store.annotator.id in consensus.experts(db, subject.id).get(subject.id, ())
    voters, needed = panel_of(store)
    mine = cast.get(store.annotator.id, {})
    if not _may_see(cast, store.annotator.id, voters, expert=expert):
        return VoteState(mine, len(cast), voters, needed, True, None, None, None)
    tally = {
        question: dict(Counter(answers.get(question, "abstain") for answers in cast.values())) for question in QUESTIONS
    }
    approvals = approvals_in(cast)
    kept = _is_kept(approvals, len(cast), voters, needed)
    return VoteState(mine, len(cast), voters, needed, not expert, tally, approvals, kept)


def panel_rows(store: ProjectFile) -> tuple[PanelRow, ...]:
    """Return the accepted subjects in their order, each with its votes as far as the annotator may see them."""
    voters, needed = panel_of(store)
    me = store.annotator.id
    with store.read() as db:
        votes, experts = consensus.votes(db), consensus.experts(db)
        accepted = consensus.accepted(db)
    rows = []
    for subject in accepted:
        cast = votes.get(subject.id, {})
        seen = _may_see(cast, me, voters, expert=me in experts.get(subject.id, ()))
        approvals = approvals_in(cast) if seen else None
        kept = _is_kept(approvals, len(cast), voters, needed) if approvals is not None else None
        rows.append(
            PanelRow(
                subject.id, subject.key, subject.title, subject.language, len(cast), voters, me in cast, approvals, kept
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class PanelReport:
    """How many subjects got how many approvals, how many are kept, and how far voters agree."""

    voters: int
    needed: int
    subjects: int
    kept: int
    distribution: dict[int, int]
    agreement: AgreementReport


def panel_report(store: ProjectFile) -> PanelReport:
    """Return what came of all votes; only for those who may see the votes on every subject voted on.

    Raises `BadInputError` before that: the distribution would sway the votes that are still to come.
    """
    voters, needed = panel_of(store)
    me = store.annotator.id
    with store.read() as db:
        cast, names, experts = consensus.votes(db), consensus.names(db), consensus.experts(db)
    hidden = [
        subject for subject, by in cast.items() if not _may_see(by, me, voters, expert=me in experts.get(subject, ()))
    ]
    if hidden:
        noun = "subject" if len(hidden) == 1 else "subjects"
        raise BadInputError(f"You have not voted on {len(hidden)} {noun} yet; the result is shown afterwards.")
    raters = sorted({person for answers in cast.values() for person in answers}, key=names.__getitem__)
    approvals = [approvals_in(by) for by in cast.values()]
    labels = [
        [("yes" if approves(by[rater], _ASKED) else "no") if rater in by else None for by in cast.values()]
        for rater in raters
    ]
    return PanelReport(
        voters, needed, len(cast), sum(count >= needed for count in approvals),
        dict(sorted(Counter(approvals).items())), agreement_report(labels, ("yes", "no")),
    )  # fmt: skip
