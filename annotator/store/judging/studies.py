"""Studies of blind pairs: assignments, judgements, and the hidden key."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from sqlalchemy import Table, and_, exists, func, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from annotator.answers.normalising import without_reasoning
from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import (
    HandoverRow,
    JudgementRow,
    PairView,
    RaterBatch,
    SkippedPair,
    UnblindingRow,
)
from annotator.model.rows.release_rows import PromptOverride
from annotator.model.tables.judging_tables import Assignment, BlindKey, Resolution, Seal, Study, Unblinding
from annotator.model.tables.project_tables import Annotator
from annotator.model.tables.run_tables import ModelUnderTest, Response
from annotator.model.tables.subject_tables import Subject, SubjectText
from annotator.model.tables.work_tables import Judgement, Pair, Prompt
from annotator.model.vocabulary import RATER, SKIP
from annotator.store.core_tables import ASSIGNMENT, JUDGEMENT, PAIR, STUDY, UNBLINDING, chunks
from annotator.store.file.writer import driver_connection
from annotator.store.history import undo_log
from annotator.store.judging import rulings
from annotator.store.judging.rulings import IDENTICAL, METHODS, OVERRIDE_METHOD, SKIPPED, Rulings, taken_over_id
from annotator.store.work import artefacts

IMPORTED = "imported"
"""The plan of a study imported from another tool, which chose the sides and the order; no pair of it is open."""
OVERRIDE, ORIGINAL_PROMPT = "paraphrase:", "original"
"""The prefix of ``about`` in an override, and the text that follows it if the paraphrase is the original prompt."""
KEEP = "keep"
_NOUNS = frozenset({"judgement", "resolution", "study"})


def _open_assignments(db: Session, study_id: str, annotator_id: str) -> list[str]:
    """Return a rater's assignments without a verdict or skip, in order; none once the study is unblinded."""
    all_rulings = rulings.fetch_rulings(driver_connection(db))
    return [
        assignment_id
        for assignment_id in list_unjudged(db, study_id, annotator_id, all_rulings)
        if assignment_id not in all_rulings.skipped
    ]


def list_unjudged(db: Session, study_id: str, annotator_id: str, all_rulings: Rulings | None = None) -> list[str]:
    """Return a rater's assignments without a verdict, skipped ones included."""
    is_judged = exists().where(
        JUDGEMENT.c.pair_id == ASSIGNMENT.c.pair_id,
        JUDGEMENT.c.annotator_id == ASSIGNMENT.c.annotator_id,
        JUDGEMENT.c.serving == ASSIGNMENT.c.serving,
        JUDGEMENT.c.active,
    )
    is_unblinded = exists().where(UNBLINDING.c.study_id == ASSIGNMENT.c.study_id)
    query = (
        select(ASSIGNMENT.c.id)
        .join(STUDY, and_(STUDY.c.id == ASSIGNMENT.c.study_id, STUDY.c.active))
        .where(ASSIGNMENT.c.annotator_id == annotator_id, ASSIGNMENT.c.study_id == study_id)
        .where(~is_judged, ~is_unblinded)
        .order_by(ASSIGNMENT.c.position)
    )
    closed = (all_rulings or rulings.fetch_rulings(driver_connection(db))).closed
    return [assignment_id for assignment_id in db.connection().scalars(query) if assignment_id not in closed]


def refuse_blind(db: Session, annotator_id: str, subject_ids: Collection[str], *, unless_maker: bool = False) -> None:
    """Raise `BadInputError` if a person is a rater of a blind study of answers to one of these subjects.

    All answers to a study's subjects are hidden from its raters until it is unblinded, because they are shown with the
    names of models, and verdicts can be changed until then. With ``unless_maker``, studies that the person created are
    ignored.
    """
    connection = driver_connection(db)
    if name := rulings.find_blind_study(connection, annotator_id, subject_ids, unless_maker=unless_maker):
        raise BadInputError(
            f"You are a rater of the blind study {name}. Answers to its items are shown when it is unblinded."
        )


def add_study(
    db: Session,
    annotator_id: str,
    study: Study,
    pairs: Sequence[Pair],
    key: BlindKey,
    servings: Sequence[Assignment],
) -> Changes:
    """Write a study with its pairs, key and assignments, as one act."""
    label = Message("Study {name}", name=study.name)
    change = undo_log.record_change(db, annotator_id, label, ["study", "pair"])
    undo_log.write_work(db, change, study)
    db.add_all(pairs)
    db.flush()
    db.add(key)
    db.add_all(servings)
    db.flush()
    return Changes(frozenset({"study", "pair"}), frozenset(pair.subject_id for pair in pairs), label, change.id)


def find_study(db: Session, id_or_name: str | None) -> Study:
    """Return a study by id or name, or the newest for None. Raises `BadInputError` if there is none."""
    query = select_rows(Study).where(Study.active).order_by(col(Study.created_at).desc(), col(Study.id).desc())
    if id_or_name:
        query = query.where((Study.id == id_or_name) | (Study.name == id_or_name))
    study = db.exec(query).first()
    if study is None:
        subject = f"no study {id_or_name}" if id_or_name else "no study of pairs yet"
        raise BadInputError(f"There is {subject} in this project. Make one with annotator judge new.")
    return study


def key_of(db: Session, study: Study) -> BlindKey:
    """Return a study's key; raises `BadInputError` if this project or login has no access to it."""
    key = db.exec(select_rows(BlindKey).where(BlindKey.study_id == study.id).order_by(col(BlindKey.id))).first()
    if key is None:
        raise BadInputError(
            f"The key of the study {study.name} is kept from raters: it is not in a file that was made for one, and "
            "their roles on a server cannot read it. The owner of the study has the key."
        )
    return key


def has_key(db: Session, study_id: str) -> bool:
    """Return whether this project contains a study's key."""
    return db.exec(select_rows(BlindKey.id).where(BlindKey.study_id == study_id)).first() is not None


def identical_pairs(study: Study) -> tuple[str, ...]:
    """Return the ids of a study's pairs with identical sides, which need no judgement."""
    return tuple(study.plan.get(IDENTICAL, ()))


def fetch_pairs(db: Session, study_id: str) -> list[Pair]:
    """Return a study's pairs in the order of their ids."""
    return list(db.exec(select_rows(Pair).where(Pair.study_id == study_id).order_by(Pair.id)))


def find_pair(db: Session, pair_id: str) -> Pair:
    """Return a pair by its id. Raises `BadInputError` if there is none."""
    row = db.get(Pair, pair_id)
    if row is None:
        raise BadInputError(f"There is no pair {pair_id} in this project.")
    return row


def open_count(db: Session, study_id: str, annotator_id: str) -> int:
    """Return the number of pairs that a rater still has to judge, without skipped ones."""
    return len(_open_assignments(db, study_id, annotator_id))


def list_unsealed_batches(db: Session, study: Study) -> tuple[RaterBatch, ...]:
    """Return the batches that unblinding would close, none if the study is unblinded already."""
    if fetch_unblindings(db, study.id):
        return ()
    return tuple(row for row in fetch_rater_batches(db, study.id) if not row.sealed)


def may_read_results(db: Session, study: Study, annotator_id: str) -> bool:
    """Return whether a person may see others' judgements of a study; such a person is never given pairs of it.

    These are raters who have sealed their batch, the study's maker unless they are one of its raters, everybody but the
    raters if the study was judged elsewhere, and everybody once no batch is open.
    """
    is_rater = annotator_id in study.plan.get("raters", ()) or bool(fetch_assignments(db, study.id, annotator_id))
    if not is_rater and (study.annotator_id == annotator_id or study.plan.get("plan") == IMPORTED):
        return True
    return is_sealed(db, study.id, annotator_id) or not list_unsealed_batches(db, study)


def find_hidden_studies(db: Session, annotator_id: str) -> frozenset[str]:
    """Return the ids of the studies whose results a person may not read."""
    rows = db.exec(select_rows(Study).where(Study.active)).all()
    return frozenset(row.id for row in rows if not may_read_results(db, row, annotator_id))


def fetch_next_pairs(db: Session, study_id: str, annotator_id: str, limit: int) -> tuple[PairView, ...]:
    """Return the next pairs that a rater has to judge; none if all are judged or skipped."""
    waiting = _open_assignments(db, study_id, annotator_id)
    total = len(fetch_assignments(db, study_id, annotator_id)) if waiting else 0
    return tuple(
        build_pair_view(db, find_assignment(db, assignment_id), total, total - len(waiting) + number)
        for number, assignment_id in enumerate(waiting[:limit])
    )


def build_pair_view(db: Session, assigned: Assignment, total: int, done: int) -> PairView:
    """Return a pair with its sides in the order of a rater's assignment."""
    pair = db.exec(select_rows(Pair).where(Pair.id == assigned.pair_id)).one()
    subject = db.exec(select_rows(Subject).where(Subject.id == pair.subject_id)).one()
    left_text, right_text = str(pair.left["text"]), str(pair.right["text"])
    first, second = (left_text, right_text) if assigned.order == "left-right" else (right_text, left_text)
    return record_from(
        PairView,
        assigned,
        assignment_id=assigned.id,
        subject_id=pair.subject_id,
        kind=pair.kind,
        language=subject.language,
        question=str(pair.left.get("question", "")),
        first=first,
        second=second,
        total=total,
        done=done,
    )


def fetch_servings(db: Session, study_id: str, annotator_id: str, *, only_open: bool) -> list[PairView]:
    """Return a rater's pairs in order, all or only those still to judge."""
    waiting = set(_open_assignments(db, study_id, annotator_id))
    rows = fetch_assignments(db, study_id, annotator_id)
    done = len(rows) - len(waiting)
    return [
        build_pair_view(db, assignment, len(rows), done)
        for assignment in rows
        if not only_open or assignment.id in waiting
    ]


def find_assignment(db: Session, assignment_id: str) -> Assignment:
    """Return an assignment by its id. Raises `BadInputError` if there is none."""
    row = db.get(Assignment, assignment_id)
    if row is None:
        raise BadInputError(f"There is no assignment {assignment_id} in this project. Nothing was changed.")
    return row


def add_judgement(
    db: Session, annotator_id: str, assigned: Assignment, choice: str, rationale: str, seconds: float | None
) -> Changes:
    """Record one verdict.

    Raises `BadInputError` for another rater's pair, a judged pair, a sealed batch or an unblinded study.
    """
    refuse_closed(db, annotator_id, assigned)
    if find_choice(db, assigned) is not None:
        raise BadInputError("You have judged this pair already. Undo that judgement first to change it.")
    row = Judgement(
        pair_id=assigned.pair_id, verdict=choice, order=assigned.order, serving=assigned.serving,
        rationale=rationale, seconds=seconds,
    )  # fmt: skip
    label = Message("Judge pair {number}", number=assigned.position + 1)
    return undo_log.write_act(db, annotator_id, label, ["judgement"], [row])


def refuse_closed(db: Session, annotator_id: str, assigned: Assignment) -> None:
    """Raise `BadInputError` if a person can neither judge nor skip a pair: it is not theirs, or the batch is closed."""
    if assigned.annotator_id != annotator_id:
        raise BadInputError("This pair is assigned to somebody else. Nothing was changed.")
    if is_sealed(db, assigned.study_id, annotator_id):
        raise BadInputError("You have sealed this batch, so its judgements cannot change any more.")
    if unblindings := fetch_unblindings(db, assigned.study_id):
        raise BadInputError(
            f"{unblindings[0].annotator} unblinded this study on {unblindings[0].created_at[:10]}, so it takes no more "
            "judgements."
        )
    if assigned.id in rulings.fetch_rulings(driver_connection(db)).closed:
        raise BadInputError("This pair was given to another rater. Nothing was changed.")


def find_choice(db: Session, assigned: Assignment) -> str | None:
    """Return the verdict on an assignment, None while it is open."""
    query = select_rows(Judgement.verdict).where(
        Judgement.pair_id == assigned.pair_id,
        Judgement.annotator_id == assigned.annotator_id,
        Judgement.serving == assigned.serving,
        col(Judgement.active),
    )
    # If a pair was judged in two copies of the project, the first judgement counts.
    return db.exec(query.order_by(col(Judgement.created_at), col(Judgement.id))).first()


def is_sealed(db: Session, study_id: str, annotator_id: str) -> bool:
    """Return whether a rater has sealed a batch."""
    query = select_rows(Seal.id).where(Seal.study_id == study_id, Seal.annotator_id == annotator_id, col(Seal.active))
    return db.exec(query).first() is not None


def add_seal(db: Session, annotator_id: str, study: Study) -> Changes:
    """Seal a rater's batch: its judgements become events, which cannot be undone."""
    change = undo_log.record_event(db, annotator_id, Message("Seal {name}", name=study.name), ["judgement", "study"])
    undo_log.write_work(db, change, Seal(study_id=study.id))
    undo_log.make_sealed_final(db.connection())
    return Changes(frozenset({"judgement", "study"}), frozenset(), change.label, change.id)


def add_unblinding(db: Session, annotator_id: str, study: Study, reason: str) -> Changes:
    """Record the unblinding of a study: its judgements become events, which cannot be undone."""
    change = undo_log.record_event(db, annotator_id, Message("Unblind {name}", name=study.name), ["study"])
    undo_log.write_work(db, change, Unblinding(study_id=study.id, reason=reason))
    undo_log.make_sealed_final(db.connection())
    return Changes(frozenset({"study"}), frozenset(), change.label, change.id)


def fetch_unblindings(db: Session, study_id: str) -> tuple[UnblindingRow, ...]:
    """Return the unblindings of a study, oldest first."""
    query = (
        select_rows(Unblinding, Annotator.name)
        .join(Annotator, col(Annotator.id) == Unblinding.annotator_id)
        .where(Unblinding.study_id == study_id)
        .order_by(col(Unblinding.created_at), col(Unblinding.id))
    )
    return tuple(
        UnblindingRow(annotator=name, created_at=row.created_at, reason=row.reason) for row, name in db.exec(query)
    )


def fetch_rater_batches(db: Session, study_id: str) -> tuple[RaterBatch, ...]:
    """Return the progress of each rater of a study, sorted by name."""
    names = {person.id: person.name for person in db.exec(select_rows(Annotator))}
    progress = rulings.fetch_progress(driver_connection(db)).get(study_id, {})
    rows = [
        RaterBatch(rater=names[rater], sealed=is_sealed(db, study_id, rater), **row._asdict())
        for rater, row in progress.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.rater))


def fetch_judgements(db: Session, study: Study, sides: Mapping[str, str]) -> list[JudgementRow]:
    """Return a study's judgements in the order they were made; if a serving was judged twice, the first counts.

    Judgements made in another copy after the unblinding are included and marked as late.
    ``sides`` is pair id -> side of candidate A, from the key.
    """
    names = {person.id: person.name for person in db.exec(select_rows(Annotator))}
    pairs = {pair.id: pair for pair in fetch_pairs(db, study.id)}
    query = select_rows(Judgement).join(Pair, col(Pair.id) == Judgement.pair_id)
    query = query.where(Pair.study_id == study.id, col(Judgement.active))
    study_unblindings = fetch_unblindings(db, study.id)
    counted_slots: set[tuple[str, str, int]] = set()
    rows = []
    for judgement in db.exec(query.order_by(col(Judgement.created_at), col(Judgement.id))):
        slot = (judgement.pair_id, judgement.annotator_id, judgement.serving)
        if slot in counted_slots:
            continue
        counted_slots.add(slot)
        pair, side = pairs[judgement.pair_id], sides[judgement.pair_id]
        side_a, side_b = (pair.left, pair.right) if side == "left" else (pair.right, pair.left)
        is_a_first = (judgement.order == "left-right") == (side == "left")
        rows.append(
            record_from(
                JudgementRow,
                judgement,
                subject_id=pair.subject_id,
                rater=names[judgement.annotator_id],
                choice=judgement.verdict,
                a_first=is_a_first,
                length_a=_length(side_a),
                length_b=_length(side_b),
                late=bool(study_unblindings) and judgement.created_at > study_unblindings[0].created_at,
            )
        )
    return rows


def _length(side: Mapping[str, Any]) -> int:
    return len(str(side["text"]))


def fetch_assignments(db: Session, study_id: str, annotator_id: str) -> list[Assignment]:
    """Return a rater's assignments in order, without those given to another rater before they were judged."""
    query = select_rows(Assignment).where(Assignment.study_id == study_id, Assignment.annotator_id == annotator_id)
    rows = db.exec(query.order_by(col(Assignment.position))).all()
    closed = rulings.fetch_rulings(driver_connection(db)).closed
    return [assignment for assignment in rows if assignment.id not in closed or find_choice(db, assignment) is not None]


def fetch_drawn_assignments(db: Session, study_id: str) -> list[Assignment]:
    """Return the assignments that were drawn when the study was created, regardless of handovers."""
    drawn = rulings.fetch_rulings(driver_connection(db)).drawn
    query = select_rows(Assignment).where(Assignment.study_id == study_id)
    return [assignment for assignment in db.exec(query.order_by(col(Assignment.id))) if assignment.id not in drawn]


def fetch_drawn_slots(db: Session, study_id: str) -> dict[tuple[str, str, int], str]:
    """Return the rater for whom each taken-over pair was drawn, by its new (rater, pair, serving)."""
    drawn = rulings.fetch_rulings(driver_connection(db)).drawn
    rows = {row.id: row for row in db.exec(select_rows(Assignment).where(Assignment.study_id == study_id))}
    slots: dict[tuple[str, str, int], str] = {}
    for assignment_id, drawn_id in drawn.items():
        if assignment_id in rows and drawn_id in rows:
            row = rows[assignment_id]
            slots[row.annotator_id, row.pair_id, row.serving] = rows[drawn_id].annotator_id
    return slots


def judged_slots(db: Session, study_id: str) -> frozenset[tuple[str, str, int]]:
    """Return (pair, rater, serving) of every judgement of a study."""
    query = select(JUDGEMENT.c.pair_id, JUDGEMENT.c.annotator_id, JUDGEMENT.c.serving)
    query = query.join(PAIR, PAIR.c.id == JUDGEMENT.c.pair_id).where(PAIR.c.study_id == study_id, JUDGEMENT.c.active)
    return frozenset((row[0], row[1], row[2]) for row in db.connection().execute(query))


def fetch_own_judgements(db: Session, study_id: str, annotator_id: str) -> list[tuple[PairView, Judgement]]:
    """Return a rater's judgements of a study, each with its pair as shown, in the order of judging."""
    assignments = {(row.pair_id, row.serving): row for row in fetch_assignments(db, study_id, annotator_id)}
    query = select_rows(Judgement).join(Pair, col(Pair.id) == Judgement.pair_id).where(Pair.study_id == study_id)
    query = query.where(Judgement.annotator_id == annotator_id, col(Judgement.active))
    judged: dict[tuple[str, int], Judgement] = {}
    for judgement in db.exec(query.order_by(col(Judgement.created_at), col(Judgement.id))):
        if (judgement.pair_id, judgement.serving) in assignments:
            judged.setdefault((judgement.pair_id, judgement.serving), judgement)
    return [
        (build_pair_view(db, assignments[slot], len(assignments), len(judged)), judgement)
        for slot, judgement in judged.items()
    ]


def fetch_side_orders(db: Session, study_id: str) -> list[tuple[str, str, int, str]]:
    """Return (rater, pair, serving, order) of every judgement of a study."""
    query = select_rows(Judgement).join(Pair, col(Pair.id) == Judgement.pair_id).where(Pair.study_id == study_id)
    return [
        (judgement.annotator_id, judgement.pair_id, judgement.serving, judgement.order) for judgement in db.exec(query)
    ]


SIDES = ("original", "paraphrase", "human", "llm", "reference", "label")
SideText = tuple[str, dict[str, Any]]


def find_side_text(db: Session, subject: Subject, side: str, kind: str) -> SideText | None:
    """Return the text of a side with its facts, None if the subject has none.

    ``side`` is one of `SIDES`, or ``model:NAME`` for that model's newest first sample, without its reasoning. ``label``
    is the subject's own domain or question type.
    """
    if side.startswith("model:"):
        return _find_response(db, subject.id, side.partition(":")[2])
    if side in ("paraphrase", "human", "llm"):
        return _find_paraphrase(db, subject.id, side)
    if side == "label":
        value = subject.question_type if kind == "question_type" else subject.domain
        return (value, {}) if value else None
    texts = db.get(SubjectText, subject.id)
    if texts is None:
        return None
    value = artefacts.current_solution(db, subject.id, texts.reference) if side == "reference" else texts.prompt
    return (value, {}) if value.strip() else None


def _find_paraphrase(db: Session, subject_id: str, side: str) -> SideText | None:
    query = select_rows(Prompt).where(Prompt.subject_id == subject_id, col(Prompt.active))
    if side == "human":
        query = query.where(Prompt.origin == "human")
    elif side == "llm":
        query = query.where(Prompt.origin != "human")
    prompt = db.exec(query.order_by(col(Prompt.created_at).desc(), col(Prompt.id).desc())).first()
    return (prompt.text, {"prompt": prompt.id, "origin": prompt.origin}) if prompt else None


def _find_response(db: Session, subject_id: str, model: str) -> SideText | None:
    query = (
        select_rows(Response)
        .join(ModelUnderTest, col(ModelUnderTest.id) == Response.model_id)
        .where(Response.subject_id == subject_id, ModelUnderTest.name == model, Response.sample == 0)
        .order_by(col(Response.created_at).desc(), col(Response.id).desc())
    )
    response = db.exec(query).first()
    text = without_reasoning(response.text).text if response is not None else ""
    if response is None or not text.strip():
        return None
    facts: dict[str, Any] = {"response": response.id, "model": model}
    if response.seconds is not None:
        facts["seconds"] = response.seconds
    if isinstance(response.usage.get("cost"), (int, float)):
        facts["cost"] = response.usage["cost"]
    return text, facts


def list_models_with_responses(db: Session) -> list[str]:
    """Return the names of the models with at least one response."""
    answered = select_rows(Response.model_id).distinct()
    return list(db.exec(select_rows(ModelUnderTest.name).where(col(ModelUnderTest.id).in_(answered))))


def list_identifying_names(db: Session) -> tuple[list[str], list[str]]:
    """Return the names of models and of people, which blind raters must not see."""
    return list(db.exec(select_rows(ModelUnderTest.name))), list(db.exec(select_rows(Annotator.name)))


# Rulings --------------------------------------------------------------------------------------------------------------


def _fetch_rulings(db: Session) -> Sequence[Resolution]:
    """Return all active rulings, oldest first."""
    is_ruling = col(Resolution.about).startswith(SKIP) | col(Resolution.about).startswith(RATER)
    query = select_rows(Resolution).where(is_ruling, col(Resolution.active))
    return db.exec(query.order_by(col(Resolution.created_at), col(Resolution.id))).all()


def _ruled_assignment_id(row: Resolution) -> str:
    return row.about.partition(":")[2]


def _look_up(db: Session, table: Table, column: str, ids: Iterable[str]) -> dict[str, str]:
    """Return id -> value of a column, for some rows of a table."""
    query = select(table.c.id, table.c[column])
    return {
        row_id: value
        for part in chunks(sorted(set(ids)))
        for row_id, value in db.connection().execute(query.where(table.c.id.in_(part)))
    }


def _add_rulings(
    db: Session, annotator_id: str, method: str, rulings_by_about: Mapping[str, tuple[Assignment, str]], reason: str,
    label: Message,
) -> Changes:  # fmt: skip
    """Write rulings on served pairs as one act; ``rulings_by_about`` is about -> (the assignment, the outcome)."""
    subjects = _look_up(db, PAIR, "subject_id", [assignment.pair_id for assignment, _ in rulings_by_about.values()])
    rows = [
        Resolution(
            subject_id=subjects[assignment.pair_id], about=about, method=method, outcome=outcome, rationale=reason
        )
        for about, (assignment, outcome) in rulings_by_about.items()
    ]
    return undo_log.write_act(db, annotator_id, label, _NOUNS, rows, subjects.values())


def add_skips(
    db: Session, annotator_id: str, assignments: Sequence[Assignment], outcome: str, reason: str, label: Message
) -> Changes:
    """Skip pairs, or take them up again, as one act."""
    skips = {f"{SKIP}{assignment.id}": (assignment, outcome) for assignment in assignments}
    return _add_rulings(db, annotator_id, METHODS[0], skips, reason, label)


def hand_over(
    db: Session, annotator_id: str, study: Study, assignments: Mapping[str, tuple[Assignment, str]], reason: str,
    label: Message,
) -> Changes:  # fmt: skip
    """Give assignments to other raters as one act; ``assignments`` is drawn id -> (the assignment, its new rater).

    A pair keeps the order of sides that was drawn for it. `NOBODY` as the rater closes an assignment.
    """
    next_positions = {rater: count(_next_position(db, study.id, rater)) for _, rater in assignments.values() if rater}
    drawn_raters = _look_up(db, ASSIGNMENT, "annotator_id", assignments)
    for drawn_id, (assignment, rater) in assignments.items():
        assignment_id = taken_over_id(drawn_id, rater)
        if rater and rater != drawn_raters.get(drawn_id) and db.get(Assignment, assignment_id) is None:
            db.add(
                Assignment(
                    id=assignment_id,
                    study_id=assignment.study_id,
                    pair_id=assignment.pair_id,
                    annotator_id=rater,
                    position=next(next_positions[rater]),
                    order=assignment.order,
                    serving=assignment.serving,
                )
            )
    handovers = {f"{RATER}{drawn_id}": ruling for drawn_id, ruling in assignments.items()}
    return _add_rulings(db, annotator_id, METHODS[1], handovers, reason, label)


def _next_position(db: Session, study_id: str, rater_id: str) -> int:
    highest = select(func.max(ASSIGNMENT.c.position)).where(
        ASSIGNMENT.c.study_id == study_id, ASSIGNMENT.c.annotator_id == rater_id
    )
    position = db.connection().scalar(highest)
    return 0 if position is None else int(position) + 1


def fetch_skipped_pairs(db: Session, study_id: str, judged: frozenset[tuple[str, str, int]]) -> tuple[SkippedPair, ...]:
    """Return a study's skipped pairs with their reasons, by rater and place; ``judged`` are (pair, rater, serving)."""
    names = {person.id: person.name for person in db.exec(select_rows(Annotator))}
    all_rulings = rulings.fetch_rulings(driver_connection(db))
    reasons = {_ruled_assignment_id(row): row.rationale for row in _fetch_rulings(db) if row.outcome == SKIPPED}
    rows = [
        SkippedPair(assignment_id=assignment.id, rater=names[assignment.annotator_id], position=assignment.position,
                    reason=reasons.get(assignment.id, ""))
        for assignment in db.exec(select_rows(Assignment).where(Assignment.study_id == study_id))
        if assignment.id in all_rulings.skipped - all_rulings.closed
        and (assignment.pair_id, assignment.annotator_id, assignment.serving) not in judged
    ]  # fmt: skip
    return tuple(sorted(rows, key=lambda row: (row.rater, row.position)))


def fetch_handovers(db: Session, study_id: str) -> tuple[HandoverRow, ...]:
    """Return the handovers of a study's pairs, oldest first, one for each rater for whom the pairs were drawn."""
    names = {person.id: person.name for person in db.exec(select_rows(Annotator))}
    assignments = {row.id: row for row in db.exec(select_rows(Assignment).where(Assignment.study_id == study_id))}
    rulings_by_act: dict[tuple[str, str, str], list[Resolution]] = {}
    for row in _fetch_rulings(db):
        if row.about.startswith(RATER) and _ruled_assignment_id(row) in assignments:
            drawn_for = assignments[_ruled_assignment_id(row)].annotator_id
            rulings_by_act.setdefault((row.change_id, row.outcome, drawn_for), []).append(row)
    return tuple(
        HandoverRow(
            annotator=names[rows[0].annotator_id],
            drawn_for=names[drawn_for],
            rater=names.get(rater, ""),
            pairs=len(rows),
            created_at=rows[0].created_at,
            reason=rows[0].rationale,
        )
        for (_, rater, drawn_for), rows in rulings_by_act.items()
    )


def build_override(prompt_id: str | None, reason: str) -> Resolution:
    """Return a resolution that lets one revision of a paraphrase pass."""
    return Resolution(
        about=f"{OVERRIDE}{prompt_id or ORIGINAL_PROMPT}", method=OVERRIDE_METHOD, outcome=KEEP, rationale=reason
    )


def prompt_overrides(db: Session, subject_ids: Sequence[str] = ()) -> dict[str, PromptOverride]:
    """Return the newest override of each subject's current paraphrase, for some subjects or all."""
    query = (
        select_rows(Resolution, Subject.prompt_id, Annotator.name)
        .join(Subject, col(Subject.id) == Resolution.subject_id)
        .join(Annotator, col(Annotator.id) == Resolution.annotator_id)
        .where(col(Resolution.active), col(Resolution.about).startswith(OVERRIDE))
        .order_by(col(Resolution.created_at), col(Resolution.id))
    )
    if subject_ids:
        query = query.where(col(Resolution.subject_id).in_(subject_ids))
    return {
        row.subject_id: PromptOverride(row.rationale, name, row.created_at)
        for row, prompt_id, name in db.exec(query)
        if row.about == f"{OVERRIDE}{prompt_id or ORIGINAL_PROMPT}"
    }
