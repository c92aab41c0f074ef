"""Skip pairs, put skipped pairs back, and move an absent rater's open pairs to another rater."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, message_for_count
from annotator.model.changes import Changes
from annotator.model.tables.judging_tables import Assignment, Study
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session, driver_connection
from annotator.store.judging import rulings, studies


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """The result of giving pairs to another rater.

    ``moved`` is the number of pairs given, ``shared`` that of open pairs that the new rater already had. ``dropped``
    counts repetitions of pairs that the old rater has judged once. Nobody judges these, since they only measure that
    rater's consistency.
    """

    moved: int
    shared: int
    dropped: int
    changes: Changes


def skip_pair(store: ProjectFile, assignment_id: str, reason: str) -> Changes:
    """Skip one of the annotator's pairs. It gets no verdict, and can be put back until the batch is sealed.

    Raises `BadInputError` without a reason, and for a pair that the annotator cannot judge or has judged.
    """
    with store.write() as db:
        return skip_served(db, store.annotator.id, studies.find_assignment(db, assignment_id), reason)


def skip_served(db: Session, annotator_id: str, assignment: Assignment, reason: str) -> Changes:
    """Skip a served pair inside a transaction, as `skip_pair` does."""
    if not reason.strip():
        raise BadInputError("Skipping a pair needs a reason, which the report shows.")
    studies.refuse_closed(db, annotator_id, assignment)
    if studies.find_choice(db, assignment) is not None:
        raise BadInputError("You have judged this pair already. Undo that judgement first to skip it.")
    if is_skipped(db, assignment):
        raise BadInputError("You have skipped this pair already.")
    label = Message("Skip pair {number}", number=assignment.position + 1)
    return studies.add_skips(db, annotator_id, [assignment], rulings.SKIPPED, reason.strip(), label)


def is_skipped(db: Session, assignment: Assignment) -> bool:
    """Return whether a pair is currently skipped: skipped, not put back, and not judged."""
    skipped = rulings.fetch_rulings(driver_connection(db)).skipped
    return assignment.id in skipped and studies.find_choice(db, assignment) is None


def take_up_skipped(store: ProjectFile, study: str | None = None) -> Changes:
    """Return the annotator's skipped pairs of a study to the pairs to judge.

    Raises `BadInputError` if there are none, for a sealed batch, and for an unblinded study.
    """
    with store.write() as db:
        study_row = studies.find_study(db, study)
        skipped = studies.fetch_skipped_pairs(db, study_row.id, studies.judged_slots(db, study_row.id))
        own_skips = [row for row in skipped if row.rater == store.annotator.name]
        if not own_skips:
            raise BadInputError(f"You have not skipped any pair of the study {study_row.name}.")
        rows = [studies.find_assignment(db, row.assignment_id) for row in own_skips]
        for assignment in rows:
            studies.refuse_closed(db, store.annotator.id, assignment)
        label = message_for_count("Take up {count} skipped pair", "Take up {count} skipped pairs", len(rows))
        return studies.add_skips(db, store.annotator.id, rows, rulings.TAKEN_UP, "", label)


def hand_over_pairs(
    store: ProjectFile, study: str | None, giver: str, taker: str, reason: str, *, add_taker: bool = False
) -> Handover:
    """Give all pairs that a rater has not judged to another person, who may be new to the study.

    Each pair keeps its order of sides, so the sides of every pair and of the study stay balanced. The plan is not
    changed: the handover is recorded separately, with its author and reason.

    Raises `BadInputError` without a reason, for the same person twice, for a taker who may read the study's results,
    in an unblinded study, and if there is nothing to give.
    """
    if not reason.strip():
        raise BadInputError("Giving pairs to another rater is logged, so it needs a reason.")
    with store.write() as db:
        study_row = studies.find_study(db, study)
        if add_taker:
            people.ensure_annotator(db, taker, "rater")
        old_rater = people.find_annotator(db, giver)
        new_rater = people.find_annotator(db, taker)
        _refuse_handover(db, study_row, old_rater.id, new_rater.id, new_rater.name)
        open_pairs = [studies.find_assignment(db, key) for key in studies.list_unjudged(db, study_row.id, old_rater.id)]
        moved, shared, dropped = _group_open_pairs(db, study_row, open_pairs, new_rater.id)
        if not moved and not dropped:
            if not shared:
                raise BadInputError(f"{old_rater.name} has no open pairs in the study {study_row.name}.")
            raise BadInputError(
                f"{new_rater.name} already has every open pair of {old_rater.name}. Choose somebody who does not judge "
                "them."
            )
        label = message_for_count(
            "Give {count} pair of {giver} to {taker}", "Give {count} pairs of {giver} to {taker}", len(moved),
            giver=old_rater.name, taker=new_rater.name,
        )  # fmt: skip
        rows = {**{key: (item, new_rater.id) for key, item in moved.items()},
                **{key: (item, rulings.NOBODY) for key, item in dropped.items()}}  # fmt: skip
        changes = studies.hand_over(db, store.annotator.id, study_row, rows, reason.strip(), label)
    return Handover(moved=len(moved), shared=shared, dropped=len(dropped), changes=changes)


def _refuse_handover(db: Session, study: Study, giver_id: str, taker_id: str, taker: str) -> None:
    if giver_id == taker_id:
        raise BadInputError("A rater cannot give pairs to themselves. Name two people.")
    if studies.fetch_unblindings(db, study.id):
        raise BadInputError(f"The study {study.name} was unblinded, so it takes no more judgements.")
    if studies.may_read_results(db, study, taker_id):
        raise BadInputError(
            f"{taker} can already see the results of the study {study.name}, so more pairs cannot be given to {taker}."
        )


def _group_open_pairs(
    db: Session, study: Study, open_pairs: list[Assignment], taker_id: str
) -> tuple[dict[str, Assignment], int, dict[str, Assignment]]:
    """Return the pairs to move, the number of pairs that stay, and the pairs to drop.

    Pairs are keyed by the id of the assignment as originally drawn. A repetition moves together with its pair.
    """
    drawn_ids = rulings.fetch_rulings(driver_connection(db)).drawn
    slots_of_taker = {(item.pair_id, item.serving) for item in studies.fetch_assignments(db, study.id, taker_id)}
    judged_slots = studies.judged_slots(db, study.id)
    moved_pair_ids = {
        item.pair_id for item in open_pairs if item.serving == 1 and (item.pair_id, 1) not in slots_of_taker
    }
    moved: dict[str, Assignment] = {}
    dropped: dict[str, Assignment] = {}
    shared = 0
    for item in open_pairs:
        drawn_id = drawn_ids.get(item.id, item.id)
        if item.pair_id in moved_pair_ids:
            moved[drawn_id] = item
        elif item.serving == 2 and (item.pair_id, item.annotator_id, 1) in judged_slots:
            dropped[drawn_id] = item
        else:
            shared += 1
    return moved, shared, dropped
