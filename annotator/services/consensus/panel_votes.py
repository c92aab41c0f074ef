"""A panel votes on subjects: n seats, sealed until all are in or the chair closes (sampling specification, 4.4).

Of a rewrite and the items made from it there is one vote: it is kept on the subject that was rewritten.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.metrics.agreement.coefficients import AgreementReport, agreement_report
from annotator.model.changes import Changes
from annotator.model.rows.judging import PanelRow, VoteState
from annotator.model.tables.work import Vote
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.judging import consensus
from annotator.store.judging.consensus import OpenedVote
from annotator.store.queue import subjects
from annotator.store.work import rewrites

QUESTIONS = {
    "realistic": "Is this a realistic development scenario?",
    "uses_llm": "Would a developer use a language model for it?",
}
SHORT = {"realistic": "realistic", "uses_llm": "uses a model"}
CHOICES = ("yes", "no", "abstain")
_VOTERS, _KEEP, _NAMES = "panel_voters", "panel_keep", "panel_names"
SETTINGS = (_VOTERS, _KEEP, _NAMES)
SHOWN = NAMES, PSEUDONYMS = ("names", "pseudonyms")
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

    Votes that are all in by the new number are open from then on; those that are open count by the panel they were
    opened under. Raises `BadInputError` for numbers that make no
    panel.
    """
    needed = approvals_needed(voters) if keep is None else keep
    if not 1 <= voters <= _MOST_VOTERS or not 1 <= needed <= voters:
        raise BadInputError("A panel needs at least one voter, and no more approvals than voters.")
    label = Message("Panel: {needed} of {voters} must approve", needed=needed, voters=voters)
    with store.write() as db:
        people.set_setting(db, _VOTERS, voters)
        people.set_setting(db, _KEEP, needed)
        undo_log.record_event(db, store.annotator.id, label, ["vote", "project"])
        full = [subject for subject, ballot in ballots_of(db).items() if ballot.is_full and not ballot.opened]
        for subject in full:
            consensus.open_votes(db, store.annotator.id, subject, OpenedVote(ALL_IN, needed, voters), "", label)
    return Changes(frozenset({"vote", "project"}), label=label)


def set_voter_names(store: ProjectFile, shown: str) -> Changes:
    """Say how releases name who voted and confirmed: by ``names`` or by ``pseudonyms``."""
    if shown not in SHOWN:
        raise BadInputError(f"Voters are shown by {NAMES} or {PSEUDONYMS}, not {shown}. Nothing was changed.")
    label = Message("Releases show voters by {shown}", shown=mark_word(shown))
    with store.write() as db:
        people.set_setting(db, _NAMES, shown)
        undo_log.record_event(db, store.annotator.id, label, ["project"])
    return Changes(frozenset({"project"}), label=label)


def voter_names(store: ProjectFile) -> str:
    """Return how releases name who voted and confirmed."""
    with store.read() as db:
        return PSEUDONYMS if people.setting(db, _NAMES) == PSEUDONYMS else NAMES


def panel_of(store: ProjectFile) -> tuple[int, int]:
    """Return how many vote, and how many must approve."""
    with store.read() as db:
        return _panel(db)


def _panel(db: Session) -> tuple[int, int]:
    voters, keep = people.setting(db, _VOTERS), people.setting(db, _KEEP)
    size = voters if type(voters) is int and 1 <= voters <= _MOST_VOTERS else PANEL
    return size, keep if type(keep) is int and 1 <= keep <= size else approvals_needed(size)


ALL_IN, CLOSED = "all in", "closed"
"""Why votes are open: every seat has voted, or the chair has closed the vote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """The votes on a subject. ``cast`` are those with a seat, in the order of voting; ``experts`` have none.

    ``opened`` says since when votes are open for everybody and final: because all were in, or because the chair closed
    the vote; empty while neither has happened.
    """

    cast: Cast
    experts: Collection[str]
    voters: int
    needed: int
    opened: str

    @property
    def is_full(self) -> bool:
        """Whether every seat has voted."""
        return len(self.cast) >= self.voters

    @property
    def sealed(self) -> bool:
        """Whether votes may still be cast and changed, and nobody sees them."""
        return not self.opened and not self.is_full

    @property
    def approvals(self) -> int | None:
        """How many approve; None while the votes are sealed."""
        return None if self.sealed else approvals_in(self.cast)

    @property
    def kept(self) -> bool | None:
        """Whether the panel keeps the subject; None while the votes are sealed."""
        approvals = self.approvals
        return None if approvals is None else approvals >= self.needed


def ballots(store: ProjectFile) -> dict[str, Ballot]:
    """Return the votes on every subject that was voted on, by its id; one vote for a rewrite with all its items."""
    with store.read() as db:
        return ballots_of(db)


def ballots_of(db: Session, subject_id: str | None = None) -> dict[str, Ballot]:
    """Return the ballots of all subjects that were voted on, or of one that may have no votes."""
    voters, needed = _panel(db)
    votes, opened = consensus.votes(db, subject_id), consensus.opened_votes(db)
    experts = rewrites.panel_experts(db, subject_id)
    found = {}
    for subject in votes if subject_id is None else (subject_id,):
        barred, known = experts.get(subject, set()), opened.get(subject)
        seats = known.voters if known and known.voters else voters
        seated = [person for person in votes.get(subject, {}) if person not in barred][:seats]
        found[subject] = Ballot(
            cast={person: votes[subject][person] for person in seated},
            experts=barred,
            voters=seats,
            needed=known.needed if known and known.needed else needed,
            opened=known.why if known else "",
        )
    return found


def vote(store: ProjectFile, subject_id: str, answers: dict[str, str]) -> Changes:
    """Cast one's vote: yes, no or abstain to every question. While votes are sealed, a later one replaces an earlier.

    Raises `BadInputError` for missing answers, for one of the subject's three experts, and once votes are open.
    """
    if set(answers) != set(QUESTIONS) or not set(answers.values()) <= set(CHOICES):
        raise BadInputError(f"A vote answers {' and '.join(QUESTIONS)} with {', '.join(CHOICES)}.")
    me = store.annotator.id
    with store.write() as db:
        subject = rewrites.parent_of(db, subjects.find(db, subject_id))
        consensus.refuse_locked(db, [subject.id])
        ballot = ballots_of(db, subject.id)[subject.id]
        if me in ballot.experts:
            raise BadInputError("You have edited or confirmed this subject, so the vote is for others.")
        if not ballot.sealed:
            raise BadInputError(f"{_why_open(ballot)}, so no vote on {subject.title} is added or changed any more.")
        rows = [Vote(question=question, choice=choice) for question, choice in answers.items()]
        changes = consensus.add(db, me, subject.id, rows, Message("Vote on {title}", title=subject.title))
        if ballots_of(db, subject.id)[subject.id].is_full:
            label = Message("All votes on {title} are in", title=subject.title)
            panel = OpenedVote(ALL_IN, ballot.needed, ballot.voters)
            consensus.open_votes(db, me, subject.id, panel, "", label)
        return changes


def _why_open(ballot: Ballot) -> str:
    if ballot.opened == CLOSED:
        return "The vote is closed"
    if not ballot.is_full:
        return "The votes have been opened"
    return f"All {ballot.voters} seats have voted" if ballot.voters > 1 else "The only seat has voted"


def close_vote(store: ProjectFile, subject_id: str, reason: str) -> Changes:
    """Open the votes on a subject before all are in, as the chair; no vote is added or changed afterwards.

    It cannot be undone, since nobody can forget what they have seen. Raises `BadInputError` without a reason, without
    votes, and where they are open already.
    """
    if not reason.strip():
        raise BadInputError("Closing a vote needs a reason. Nothing was changed.")
    with store.write() as db:
        subject = rewrites.parent_of(db, subjects.find(db, subject_id))
        ballot = ballots_of(db, subject.id)[subject.id]
        if not ballot.cast:
            raise BadInputError(f"Nobody has voted on {subject.title} yet. Nothing was changed.")
        if not ballot.sealed:
            raise BadInputError(f"The votes on {subject.title} are open already. Nothing was changed.")
        label = Message("Close the vote on {title}", title=subject.title)
        panel = OpenedVote(CLOSED, ballot.needed, ballot.voters)
        return consensus.open_votes(db, store.annotator.id, subject.id, panel, reason.strip(), label)


def vote_state(store: ProjectFile, subject_id: str) -> VoteState:
    """Return the votes on a subject as anybody may see them: nothing but how many while they are sealed."""
    with store.read() as db:
        subject = rewrites.parent_of(db, subjects.find(db, subject_id))
        ballot = ballots_of(db, subject.id)[subject.id]
        count = len(people.listing(db))
    me = store.annotator.id
    tally = None
    if not ballot.sealed:
        tally = {
            question: dict(Counter(answers.get(question, "abstain") for answers in ballot.cast.values()))
            for question in QUESTIONS
        }
    may_vote = ballot.sealed and me not in ballot.experts
    return VoteState(
        mine=dict(ballot.cast.get(me, {})),
        cast=len(ballot.cast),
        voters=ballot.voters,
        needed=ballot.needed,
        may_vote=may_vote,
        tally=tally,
        approvals=ballot.approvals,
        kept=ballot.kept,
        sealed=ballot.sealed,
        people=count,
    )


def panel_rows(store: ProjectFile) -> tuple[PanelRow, ...]:
    """Return what the panel votes on, each with its votes as far as anybody may see them.

    These are the accepted subjects in their order; the items of one rewrite are one row, the subject rewritten.
    """
    me = store.annotator.id
    with store.read() as db:
        found, (voters, needed) = ballots_of(db), _panel(db)
        chosen = {subject.id: subject for subject in rewrites.parents_of(db, consensus.accepted(db))}
    rows = []
    for subject in chosen.values():
        ballot = found.get(subject.id) or Ballot(cast={}, experts=(), voters=voters, needed=needed, opened="")
        rows.append(
            PanelRow(
                id=subject.id,
                key=subject.key,
                title=subject.title,
                language=subject.language,
                cast=len(ballot.cast),
                voters=ballot.voters,
                mine=me in ballot.cast,
                approvals=ballot.approvals,
                kept=ballot.kept,
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """How many subjects got how many approvals, how many are kept, and how far voters agree; of open votes alone.

    ``sealed`` is the number of subjects with votes that are not open yet.
    """

    voters: int
    needed: int
    subjects: int
    kept: int
    distribution: dict[int, int]
    agreement: AgreementReport
    sealed: int = 0


def panel_report(store: ProjectFile) -> PanelReport:
    """Return what came of all votes that are open.

    Raises `BadInputError` while all are sealed: a distribution would sway the votes that are still to come.
    """
    with store.read() as db:
        found, (voters, needed), names = ballots_of(db), _panel(db), consensus.names(db)
    kept = sum(bool(ballot.kept) for ballot in found.values())
    opened = [ballot.cast for ballot in found.values() if not ballot.sealed]
    sealed = len(found) - len(opened)
    if sealed and not opened:
        noun = "subject" if sealed == 1 else "subjects"
        raise BadInputError(f"The votes on {sealed} {noun} are sealed until all are in or the chair closes the vote.")
    raters = sorted({person for answers in opened for person in answers}, key=names.__getitem__)
    approvals = [approvals_in(by) for by in opened]
    labels = [
        [("yes" if approves(dict(by[rater]), _ASKED) else "no") if rater in by else None for by in opened]
        for rater in raters
    ]
    return PanelReport(
        voters=voters,
        needed=needed,
        subjects=len(opened),
        kept=kept,
        distribution=dict(sorted(Counter(approvals).items())),
        agreement=agreement_report(labels, ("yes", "no")),
        sealed=sealed,
    )


def approvals_in(cast: Cast) -> int:
    """Return how many voters of a subject approve of it."""
    return sum(approves(dict(answers), _ASKED) for answers in cast.values())
