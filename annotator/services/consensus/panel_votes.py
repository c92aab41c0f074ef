"""Votes of a panel on subjects, hidden until all seats have voted or the chair closes (sampling specification, 4.4).

A rewrite and the items made from it share one vote, which is stored on the subject that was rewritten.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.base.records import record_from
from annotator.metrics.agreement.coefficients import AgreementReport, agreement_report
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import PanelRow, VoteState
from annotator.model.rows.queue_rows import AnnotatorRow
from annotator.model.tables.work_tables import Vote
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.judging import stored_consensus
from annotator.store.judging.stored_consensus import OpenedVote
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_rewrites

QUESTIONS = {
    "realistic": "Is this a realistic development scenario?",
    "uses_llm": "Would a developer use a language model for it?",
}
QUESTION_LABELS = {"realistic": "realistic", "uses_llm": "uses a model"}
CHOICES = ("yes", "no", "abstain")
_VOTERS_SETTING = stored_consensus.SEATS_SETTING
_NEEDED_SETTING = "panel_keep"
_NAMES_SETTING = "panel_names"
SETTINGS = (_VOTERS_SETTING, _NEEDED_SETTING, _NAMES_SETTING)
"""What a packet carries. It names no chair, because nobody closes a vote in a packet."""
SHOWN = NAMES, PSEUDONYMS = ("names", "pseudonyms")
_MAX_VOTERS = 1000
PANEL, PANEL_KEEP = stored_consensus.DEFAULT_SEATS, 10

Cast = Mapping[str, Mapping[str, str]]
"""Voter -> question -> choice, of one subject."""


def approvals_needed(voters: int) -> int:
    """Return the default number of approvals for a panel of this size: 10/13 of the voters, rounded up."""
    return math.ceil(PANEL_KEEP * voters / PANEL)


def _approves(answers: Mapping[str, str]) -> bool:
    """Return whether a voter approves: yes to every question; an abstention counts as no."""
    return all(answers.get(question) == "yes" for question in QUESTIONS)


def set_panel(store: ProjectFile, voters: int, keep: int | None = None) -> Changes:
    """Set the panel's size and the number of approvals needed (default: `approvals_needed`), as the chair.

    Ballots that are complete under the new size are opened. Ballots that are already open keep the panel size with
    which they were opened. Raises `BadInputError` for impossible numbers, and for anybody but the chair.
    """
    needed = approvals_needed(voters) if keep is None else keep
    if not 1 <= voters <= _MAX_VOTERS or not 1 <= needed <= voters:
        raise BadInputError("A panel needs at least one voter, and no more approvals than voters.")
    label = Message("Panel: {needed} of {voters} must approve", needed=needed, voters=voters)
    with store.write() as db:
        _refuse_others_than_chair(store, db, "change it")
        people.set_setting(db, _VOTERS_SETTING, voters)
        people.set_setting(db, _NEEDED_SETTING, needed)
        undo_log.record_event(db, store.annotator.id, label, ["vote", "project"])
        full_ballots = [
            subject for subject, ballot in load_ballots_in(db).items() if ballot.is_full and not ballot.opened
        ]
        for subject in full_ballots:
            stored_consensus.open_votes(db, store.annotator.id, subject, OpenedVote(ALL_IN, needed, voters), "", label)
    return Changes(frozenset({"vote", "project"}), label=label)


def set_voter_names(store: ProjectFile, style: str) -> Changes:
    """Set how releases name voters and confirming experts: by ``names`` or by ``pseudonyms``."""
    if style not in SHOWN:
        raise BadInputError(f"Voters can be shown by {NAMES} or {PSEUDONYMS}, not {style}. Nothing was changed.")
    label = Message("Releases show voters by {shown}", shown=mark_word(style))
    with store.write() as db:
        people.set_setting(db, _NAMES_SETTING, style)
        undo_log.record_event(db, store.annotator.id, label, ["project"])
    return Changes(frozenset({"project"}), label=label)


def voter_names(store: ProjectFile) -> str:
    """Return how releases name voters and confirming experts."""
    with store.read() as db:
        return PSEUDONYMS if people.read_setting(db, _NAMES_SETTING) == PSEUDONYMS else NAMES


def set_chair(store: ProjectFile, name: str) -> Changes:
    """Give the chair of the panel to another person. Raises `BadInputError` for an unknown name, and for others."""
    label = Message("Chair of the panel: {name}", name=name)
    with store.write() as db:
        _refuse_others_than_chair(store, db, "name another")
        people.set_setting(db, stored_consensus.CHAIR_SETTING, people.find_annotator(db, name).id)
        undo_log.record_event(db, store.annotator.id, label, ["vote", "project"])
    return Changes(frozenset({"vote", "project"}), label=label)


def chair_name(store: ProjectFile) -> str:
    """Return the name of the panel's chair, who alone changes the panel and closes votes."""
    with store.read() as db:
        return _find_chair(db).name


def _find_chair(db: Session) -> AnnotatorRow:
    """Return the person whom the chair before named, or else the one who made the project."""
    annotators = people.fetch_annotators(db)
    chair_id = people.read_setting(db, stored_consensus.CHAIR_SETTING)
    return next((person for person in annotators if person.id == chair_id), annotators[0])


def _refuse_others_than_chair(store: ProjectFile, db: Session, act: str) -> None:
    chair = _find_chair(db)
    if chair.id != store.annotator.id:
        raise BadInputError(f"Only the chair of the panel, {chair.name}, can {act}. Nothing was changed.")


def panel_size(store: ProjectFile) -> tuple[int, int]:
    """Return the panel's size and the number of approvals needed."""
    with store.read() as db:
        return panel_in(db)


def panel_in(db: Session) -> tuple[int, int]:
    """Return the panel's size and the number of approvals needed."""
    voters = people.read_setting(db, _VOTERS_SETTING)
    keep = people.read_setting(db, _NEEDED_SETTING)
    size = voters if type(voters) is int and 1 <= voters <= _MAX_VOTERS else PANEL
    return size, keep if type(keep) is int and 1 <= keep <= size else approvals_needed(size)


ALL_IN = "all in"
"""A ballot is open because every seat has voted."""
CLOSED = "closed"
"""A ballot is open because the chair has closed the vote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """The votes on a subject. ``cast`` holds the seated voters in the order of voting; ``experts`` may not vote.

    ``opened`` is `ALL_IN` or `CLOSED` once the votes are visible to everybody and final, and empty before.
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
        """Whether votes may still be cast and changed, and are hidden.

        A server hides a choice from an annotator's role until the votes are opened, even if all seats have voted.
        """
        are_choices_visible = all(choice in CHOICES for answers in self.cast.values() for choice in answers.values())
        return not self.opened and not (self.is_full and are_choices_visible)

    @property
    def approvals(self) -> int | None:
        """The number of approvals; None while the votes are sealed."""
        return None if self.sealed else sum(map(_approves, self.cast.values()))

    @property
    def is_kept(self) -> bool | None:
        """Whether the panel keeps the subject; None while the votes are sealed."""
        approvals = self.approvals
        return None if approvals is None else approvals >= self.needed


def why_not_kept(ballot: Ballot | None, voters: int) -> str:
    """Return why the panel does not keep a subject (yet), or an empty string; sealed votes are only counted."""
    if ballot is None or ballot.sealed:
        return Message("{count} of {voters} votes", count=len(ballot.cast) if ballot else 0, voters=voters)
    return "" if ballot.is_kept else Message("the panel does not keep it")


def load_ballots(store: ProjectFile) -> dict[str, Ballot]:
    """Return the ballots by subject id; a rewrite and its items share one."""
    with store.read() as db:
        return load_ballots_in(db)


def load_ballots_in(db: Session, subject_id: str | None = None) -> dict[str, Ballot]:
    """Return the ballots of all subjects with votes, or of one subject even if it has none."""
    voters, needed = panel_in(db)
    votes = stored_consensus.fetch_newest_votes(db, subject_id)
    openings = stored_consensus.fetch_opened_votes(db)
    experts = stored_rewrites.find_panel_experts(db, subject_id)
    by_subject = {}
    for subject in votes if subject_id is None else (subject_id,):
        excluded = experts.get(subject, set())
        opening = openings.get(subject)
        seats = opening.voters if opening and opening.voters else voters
        seated = [person for person in votes.get(subject, {}) if person not in excluded][:seats]
        by_subject[subject] = Ballot(
            cast={person: votes[subject][person] for person in seated},
            experts=excluded,
            voters=seats,
            needed=opening.needed if opening and opening.needed else needed,
            opened=opening.why if opening else "",
        )
    return by_subject


def cast_vote(store: ProjectFile, subject_id: str, answers: dict[str, str]) -> Changes:
    """Cast the annotator's vote: yes, no or abstain to every question. While sealed, voting again replaces the vote.

    Raises `BadInputError` for missing answers, for one of the subject's three experts, and once votes are open.
    """
    if set(answers) != set(QUESTIONS) or not set(answers.values()) <= set(CHOICES):
        raise BadInputError(f"A vote must answer {' and '.join(QUESTIONS)} with one of {', '.join(CHOICES)}.")
    me = store.annotator.id
    with store.write() as db:
        subject = stored_rewrites.find_parent(db, stored_subjects.find_subject(db, subject_id))
        stored_consensus.refuse_locked(db, [subject.id])
        ballot = load_ballots_in(db, subject.id)[subject.id]
        if me in ballot.experts:
            raise BadInputError("You have edited or confirmed this subject, so you cannot vote on it.")
        if not ballot.sealed:
            raise BadInputError(
                f"{_describe_opening(ballot)}, so no vote on {subject.title} is added or changed any more."
            )
        rows = [Vote(question=question, choice=choice) for question, choice in answers.items()]
        changes = stored_consensus.add_subject_work(
            db, me, subject.id, rows, Message("Vote on {title}", title=subject.title)
        )
        if load_ballots_in(db, subject.id)[subject.id].is_full:
            label = Message("All votes on {title} are in", title=subject.title)
            panel = OpenedVote(ALL_IN, ballot.needed, ballot.voters)
            stored_consensus.open_votes(db, me, subject.id, panel, "", label)
        return changes


def _describe_opening(ballot: Ballot) -> str:
    if ballot.opened == CLOSED:
        return "The vote is closed"
    if not ballot.is_full:
        return "The votes have been opened"
    return f"All {ballot.voters} seats have voted" if ballot.voters > 1 else "The only seat has voted"


def close_panel_vote(store: ProjectFile, subject_id: str, reason: str) -> Changes:
    """Open a subject's votes before all are in, as the chair; votes are final afterwards.

    This cannot be undone, since people have seen the votes by then. Raises `BadInputError` for anybody else, without a
    reason, if there are no votes, or if they are open already.
    """
    if not reason.strip():
        raise BadInputError("Closing a vote needs a reason. Nothing was changed.")
    with store.write() as db:
        _refuse_others_than_chair(store, db, "close a vote")
        subject = stored_rewrites.find_parent(db, stored_subjects.find_subject(db, subject_id))
        ballot = load_ballots_in(db, subject.id)[subject.id]
        if not ballot.cast:
            raise BadInputError(f"Nobody has voted on {subject.title} yet. Nothing was changed.")
        if not ballot.sealed:
            raise BadInputError(f"The votes on {subject.title} are open already. Nothing was changed.")
        label = Message("Close the vote on {title}", title=subject.title)
        panel = OpenedVote(CLOSED, ballot.needed, ballot.voters)
        return stored_consensus.open_votes(db, store.annotator.id, subject.id, panel, reason.strip(), label)


def vote_state(store: ProjectFile, subject_id: str) -> VoteState:
    """Return the public state of a subject's vote: while sealed, only the number of votes."""
    with store.read() as db:
        subject = stored_rewrites.find_parent(db, stored_subjects.find_subject(db, subject_id))
        ballot = load_ballots_in(db, subject.id)[subject.id]
        people_count = len(people.fetch_annotators(db))
        is_chair = _find_chair(db).id == store.annotator.id
    me = store.annotator.id
    tally = None
    if not ballot.sealed:
        tally = {
            question: dict(Counter(answers.get(question, "abstain") for answers in ballot.cast.values()))
            for question in QUESTIONS
        }
    may_vote = ballot.sealed and me not in ballot.experts
    return record_from(
        VoteState,
        ballot,
        mine=dict(ballot.cast.get(me, {})),
        cast=len(ballot.cast),
        may_vote=may_vote,
        may_close=ballot.sealed and bool(ballot.cast) and is_chair,
        tally=tally,
        kept=ballot.is_kept,
        people=people_count,
    )


def panel_rows(store: ProjectFile) -> tuple[PanelRow, ...]:
    """Return the subjects that the panel votes on, each with the public state of its vote.

    These are the accepted subjects in their order; a rewrite's items appear as one row, the rewritten subject.
    """
    me = store.annotator.id
    with store.read() as db:
        by_subject = load_ballots_in(db)
        voters, needed = panel_in(db)
        candidates = {
            subject.id: subject
            for subject in stored_rewrites.find_parents(db, stored_consensus.fetch_accepted_subjects(db))
        }
    rows = []
    for subject in candidates.values():
        ballot = by_subject.get(subject.id) or Ballot(cast={}, experts=(), voters=voters, needed=needed, opened="")
        rows.append(
            record_from(
                PanelRow,
                subject,
                cast=len(ballot.cast),
                voters=ballot.voters,
                mine=me in ballot.cast,
                approvals=ballot.approvals,
                kept=ballot.is_kept,
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelReport:
    """The panel's result over open votes: approvals (number -> subjects), kept subjects, and the voters' agreement.

    ``sealed`` is the number of subjects whose votes are not open yet.
    """

    voters: int
    needed: int
    subjects: int
    kept: int
    distribution: dict[int, int]
    agreement: AgreementReport
    sealed: int = 0


def panel_report(store: ProjectFile) -> PanelReport:
    """Return the panel's result over all open votes.

    Raises `BadInputError` while all are sealed: a distribution would sway the remaining votes.
    """
    with store.read() as db:
        by_subject = load_ballots_in(db)
        voters, needed = panel_in(db)
        names = stored_consensus.fetch_annotator_names(db)
    kept_count = sum(bool(ballot.is_kept) for ballot in by_subject.values())
    opened = [ballot for ballot in by_subject.values() if not ballot.sealed]
    sealed = len(by_subject) - len(opened)
    if sealed and not opened:
        noun = "subject" if sealed == 1 else "subjects"
        raise BadInputError(f"The votes on {sealed} {noun} are sealed until all are in or the chair closes the vote.")
    raters = sorted({person for ballot in opened for person in ballot.cast}, key=names.__getitem__)
    approvals = Counter(ballot.approvals or 0 for ballot in opened)
    labels = [
        [("yes" if _approves(ballot.cast[rater]) else "no") if rater in ballot.cast else None for ballot in opened]
        for rater in raters
    ]
    return PanelReport(
        voters=voters,
        needed=needed,
        subjects=len(opened),
        kept=kept_count,
        distribution=dict(sorted(approvals.items())),
        agreement=agreement_report(labels, ("yes", "no")),
        sealed=sealed,
    )
