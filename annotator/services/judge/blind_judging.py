"""Blind judging: make a study, serve its pairs, keep the verdicts, and reveal what was compared when asked to."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import new_id
from annotator.base.messages import message_for_count
from annotator.evaluation.items import asked_prompt
from annotator.metrics.agreement.blind_comparisons import CHOICES
from annotator.model.changes import Changes
from annotator.model.rows.judging import CandidatePair, OwnVerdict, PairView, RaterBatch, StudyRow
from annotator.model.tables.judging import Assignment, BlindKey, Study
from annotator.model.tables.work import Pair
from annotator.services.judge import identical_answers
from annotator.services.judge.side_order import (
    BALANCED,
    IMPORTED,
    ServingPlan,
    commitment,
    draw_a_first,
    first_side,
    pair_commitment,
    served_order,
    share_out,
)
from annotator.services.judge.study_files import GivenJudgement
from annotator.services.select.triage import accepted_subjects
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.judging import consensus
from annotator.store.judging import studies as judging
from annotator.store.queue import subjects
from annotator.text.blinding.scrub import scrub

KINDS = ("requirement", "paraphrase", "domain", "question_type", "response")
WORDINGS = ("requirement", "paraphrase")
"""Kinds whose candidates ask the question themselves, so that the reference stands above them."""

GUIDELINES = {
    "requirement": "Choose the requirement that says better what the code does: complete, correct and clear.",
    "paraphrase": "Choose the text that asks the same question more clearly without giving the answer away.",
    "domain": "Choose the domain that fits the task better.",
    "question_type": "Choose the type that fits the question better.",
    "response": "Choose the answer that solves the task better. Judge correctness first, then clarity.",
}
TIE = "A tie means that both are good enough to keep; both bad means that neither is."


def default_guidelines(kind: str) -> str:
    """Return what raters of a kind of study are told where nobody wrote anything else."""
    return f"{GUIDELINES[kind]} {TIE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStudy:
    """What a study is to be: ``name_a`` and ``name_b`` say what A and B are, and stay hidden.

    ``hide`` are further words that are taken out of the texts.
    """

    name: str
    kind: str
    name_a: str
    name_b: str
    raters: tuple[str, ...]
    plan: ServingPlan = field(default_factory=ServingPlan)
    guidelines: str = ""
    secret: str = ""
    hide: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenNames:
    """A pair as raters will read it below a question, and the names that were taken out of its texts."""

    pair: CandidatePair
    question: str
    hidden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a rater may do next: all studies, the one that is shown, and its next pairs."""

    studies: tuple[StudyRow, ...]
    study: StudyRow | None
    pairs: tuple[PairView, ...]


def candidates(
    store: ProjectFile, kind: str, side_a: str, side_b: str, subject_ids: Sequence[str]
) -> tuple[CandidatePair, ...]:
    """Pair two sides of every subject that has both; raises `BadInputError` for a side that is none.

    Sides are those of `annotator.store.judging.studies.SIDES` or ``model:NAME``.
    """
    _check_kind(kind)
    for side in (side_a, side_b):
        if side not in judging.SIDES and not side.startswith("model:"):
            raise BadInputError(f"A side is {', '.join(judging.SIDES)} or model:NAME, not {side}.")
    found = []
    with store.read() as db:
        for subject_id in subject_ids:
            subject = subjects.find(db, subject_id)
            a, b = (judging.side_text(db, subject, side, kind) for side in (side_a, side_b))
            if a is not None and b is not None:
                found.append(CandidatePair(subject_id=subject.id, text_a=a[0], text_b=b[0], facts_a=a[1], facts_b=b[1]))
    return tuple(found)


def candidates_of_accepted(store: ProjectFile, kind: str, side_a: str, side_b: str) -> tuple[CandidatePair, ...]:
    """Pair two sides of every accepted subject (see `candidates`)."""
    return candidates(store, kind, side_a, side_b, [row.id for row in accepted_subjects(store)])


def create_study(
    store: ProjectFile, wanted: NewStudy, pairs: Sequence[CandidatePair], *, add_raters: bool = False
) -> tuple[str, Changes]:
    """Make a study of pairs: draw sides, scrub names, commit to the map, and share the pairs out. Returns its id.

    With ``add_raters``, raters the project does not know join it.

    Raises `BadInputError` for an unknown kind, rater or plan, a name that is taken, or no pairs.
    """
    _check_kind(wanted.kind)
    if not wanted.name.strip():
        raise BadInputError("A study needs a name.")
    if not pairs:
        raise BadInputError("No accepted subject has both sides, so there is nothing to compare. Choose other sides.")
    secret = wanted.secret or secrets.token_hex(16)
    with store.write() as db:
        if any(row.name == wanted.name for row in judging.listing(db, store.annotator.id)):
            raise BadInputError(f"There is a study {wanted.name} already. Choose another name.")
        for name in wanted.raters if add_raters else ():
            people.add(db, name, "rater")
        raters = [people.named(db, name).id for name in wanted.raters]
        wanted.plan.checked(len(pairs), len(raters))
        study = Study(
            annotator_id=store.annotator.id,
            name=wanted.name,
            kind=wanted.kind,
            guidelines=wanted.guidelines or default_guidelines(wanted.kind),
            commitment="",
            plan={**asdict(wanted.plan), "raters": raters, "sides": BALANCED},
        )
        made, key = _draw(study, wanted, _hide_names(db, wanted, pairs), secret)
        study.commitment = commitment(secret, (wanted.name_a, wanted.name_b), {row.id: row.commitment for row in made})
        same = [row.id for row in made if _is_identical(db, row, key)]
        study.plan |= {judging.IDENTICAL: same} if same else {}
        served = [row.id for row in made if row.id not in same]
        if not served:
            raise BadInputError("Both sides of every pair are the same, so there is nothing to judge.")
        servings = share_out(study.id, served, raters, wanted.plan, secret, key.sides)
        changes = judging.add_study(db, store.annotator.id, study, made, key, servings)
    return study.id, changes


def preview_hidden(store: ProjectFile, wanted: NewStudy, pairs: Sequence[CandidatePair]) -> tuple[HiddenNames, ...]:
    """Return what a study would hide from its raters in the texts of each pair; nothing is made."""
    with store.read() as db:
        return tuple(_hide_names(db, wanted, pairs))


def _hide_names(db: Session, wanted: NewStudy, pairs: Sequence[CandidatePair]) -> Iterator[HiddenNames]:
    """Yield each pair with the names hidden in the prose of its texts; those of the prompt tell nothing and stay."""
    models, persons = judging.identifying_names(db)
    names = [*models, *_names(wanted), *wanted.hide]
    for item in pairs:
        view = subjects.view(db, item.subject_id)
        prompt, language = asked_prompt(view), view.row.language
        a, b = (scrub(text, names, persons, keep=prompt, language=language) for text in (item.text_a, item.text_b))
        yield HiddenNames(
            pair=replace(item, text_a=a.text, text_b=b.text),
            # Paraphrases are prompts themselves, so the answer stands above them.
            question=view.reference if wanted.kind in WORDINGS else prompt,
            hidden=tuple(dict.fromkeys((*a.hidden, *b.hidden))),
        )


def _draw(
    study: Study,
    wanted: NewStudy,
    pairs: Iterable[HiddenNames],
    secret: str,
) -> tuple[list[Pair], BlindKey]:
    """Put A on a side drawn by chance, pair by pair, and write down in the key which it was."""
    made, where, facts = list[Pair](), dict[str, str](), dict[str, Any]()
    for shown in pairs:
        item, pair_id = shown.pair, new_id()
        side = "left" if first_side(secret, "map", pair_id, 1) == "left-right" else "right"
        a, b = item.text_a, item.text_b
        left, right = (a, b) if side == "left" else (b, a)
        made.append(
            Pair(
                id=pair_id,
                study_id=study.id,
                subject_id=item.subject_id,
                kind=wanted.kind,
                left={"text": left, "question": shown.question},
                right={"text": right},
                commitment=pair_commitment(secret, pair_id, side, left, right),
            )
        )
        where[pair_id] = side
        if item.facts_a or item.facts_b:
            facts[pair_id] = {"a": item.facts_a, "b": item.facts_b}
    return made, BlindKey(
        study_id=study.id, secret=secret, name_a=wanted.name_a, name_b=wanted.name_b, sides=where, facts=facts
    )


def _is_identical(db: Session, pair: Pair, key: BlindKey) -> bool:
    facts = key.facts.get(pair.id, {})
    a, b = ("left", "right") if key.sides.get(pair.id) == "left" else ("right", "left")
    one, other = ((str(getattr(pair, side)["text"]), facts.get(name, {})) for side, name in ((a, "a"), (b, "b")))
    return identical_answers.are_identical(db, pair.kind, one, other)


def _names(wanted: NewStudy) -> list[str]:
    """Return the sides' names that could stand in a text; plain words such as "human" are left alone."""
    return [name for name in (wanted.name_a, wanted.name_b) if any(letter.isdigit() for letter in name)]


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise BadInputError(f"A study compares {', '.join(KINDS)}, not {kind}.")


def studies(store: ProjectFile) -> tuple[StudyRow, ...]:
    """Return all studies as the annotator sees them, newest first."""
    with store.read() as db:
        return judging.listing(db, store.annotator.id)


def next_pairs(store: ProjectFile, study: str | None = None, limit: int = 2) -> tuple[PairView, ...]:
    """Return the annotator's next pairs of a study, so that one is at hand before it is asked for."""
    with store.read() as db:
        return judging.next_pairs(db, judging.find(db, study).id, store.annotator.id, limit)


def waiting(store: ProjectFile, wanted: str | None = None, first: str | None = None) -> Waiting:
    """Return all studies and the next pairs of the wanted one (else the newest), read at one moment.

    With ``first``, a pair of the annotator that is still to judge, its study is meant and it comes first.
    """
    with store.read() as db:
        rows = judging.listing(db, store.annotator.id)
        study = next((row for row in rows if row.id == wanted), rows[0] if rows else None)
        pairs = _with_first(db, store.annotator.id, first) if first else ()
        if pairs:
            study = next(row for row in rows if row.id == pairs[0].study_id)
        elif study is not None:
            pairs = judging.next_pairs(db, study.id, store.annotator.id, 2)
    return Waiting(rows, study, pairs)


def _with_first(db: Session, annotator_id: str, assignment_id: str) -> tuple[PairView, ...]:
    study_id = judging.assignment(db, assignment_id).study_id
    pairs = judging.servings(db, study_id, annotator_id, only_open=True)
    found = [pair for pair in pairs if pair.assignment_id == assignment_id]
    others = [pair for pair in pairs if pair.assignment_id != assignment_id]
    return (*found, *others[:1]) if found else ()


def models(store: ProjectFile) -> tuple[str, ...]:
    """Return the models whose answers can stand on a side: those that have any."""
    with store.read() as db:
        return tuple(sorted(judging.names_with_responses(db)))


def my_pairs(store: ProjectFile, study: str | None = None, *, only_open: bool = False) -> tuple[PairView, ...]:
    """Return the annotator's pairs of a study in their order, as they are shown."""
    with store.read() as db:
        found = judging.find(db, study)
        pairs = judging.servings(db, found.id, store.annotator.id, only_open=only_open)
    if not pairs and not only_open:
        raise BadInputError(f"The study {found.name} has no pairs for {store.annotator.name}.")
    return tuple(pairs)


def my_verdicts(store: ProjectFile, study: str | None = None) -> tuple[OwnVerdict, ...]:
    """Return the annotator's own verdicts on a study, in the order they were given, each pair as it was shown."""
    with store.read() as db:
        found = judging.own_judgements(db, judging.find(db, study).id, store.annotator.id)
        titles = consensus.keys(db, {pair.subject_id for pair, _ in found})
    return tuple(
        OwnVerdict(
            pair=pair,
            title=titles.get(pair.subject_id, ("", ""))[1],
            choice=row.verdict,
            rationale=row.rationale,
            seconds=row.seconds,
            created_at=row.created_at,
            again=row.serving > 1,
        )
        for pair, row in found
    )


def judge(
    store: ProjectFile, assignment_id: str, choice: str, rationale: str = "", seconds: float | None = None
) -> Changes:
    """Record a verdict: "1", "2", "tie" or "both_bad" as on screen. Raises `BadInputError` for anything else."""
    if choice not in CHOICES:
        raise BadInputError(f"A verdict is {', '.join(CHOICES)}, not {choice}.")
    with store.write() as db:
        served = judging.assignment(db, assignment_id)
        return judging.add_judgement(db, store.annotator.id, served, choice, rationale.strip(), seconds)


def import_judgements(store: ProjectFile, given: Sequence[GivenJudgement]) -> tuple[int, int]:
    """Add the annotator's verdicts from a file: all or none. Returns how many were new and how many were known.

    Raises `BadInputError` for a pair of somebody else, or one judged differently already.
    """
    added = known = 0
    with store.write() as db:
        for item in given:
            served = judging.assignment(db, item.assignment_id)
            before = judging.choice_on(db, served)
            if before == item.choice:
                known += 1
            elif before is not None:
                raise BadInputError(
                    f"Pair {served.position + 1} was judged {before} already and the file says {item.choice}. "
                    "Nothing was imported."
                )
            else:
                judging.add_judgement(db, store.annotator.id, served, item.choice, item.rationale, item.seconds)
                added += 1
    return added, known


def seal(store: ProjectFile, study: str | None = None) -> Changes:
    """Finish a batch; its judgements cannot be undone afterwards. Raises `BadInputError` while pairs are open."""
    with store.write() as db:
        found = judging.find(db, study)
        left = judging.open_count(db, found.id, store.annotator.id)
        if left:
            raise BadInputError(
                message_for_count(
                    "{count} pair is still to be judged; a batch is sealed when all are.",
                    "{count} pairs are still to be judged; a batch is sealed when all are.",
                    left,
                )
            )
        if judging.is_sealed(db, found.id, store.annotator.id):
            raise BadInputError(f"You have sealed the study {found.name} already.")
        return judging.add_seal(db, store.annotator.id, found)


def unsealed_by_others(db: Session, study: Study, me: str) -> tuple[RaterBatch, ...]:
    """Return the batches that unblinding a study would close: those others have not sealed; none once it is unblinded.

    Who unblinds has judged all of their own pairs, and ends their batch by it.
    """
    if judging.unblindings(db, study.id):
        return ()
    return tuple(row for row in judging.batches(db, study.id) if not row.sealed and row.rater != me)


def describe_batches(batches: Sequence[RaterBatch]) -> str:
    """Return who has judged how many of their pairs, as part of a sentence."""
    return ", ".join(f"{row.rater} ({row.judged} of {row.served} judged)" for row in batches)


def unblind(
    store: ProjectFile, study: str | None, reason: str, *, close_unsealed: bool = False
) -> tuple[tuple[str, str], Changes]:
    """Reveal what A and B are, and log who asked and why. The study takes no judgements afterwards.

    Raises `BadInputError` without a reason, while the annotator has pairs to judge, and while batches are not sealed
    unless ``close_unsealed`` closes them, which is logged too.
    """
    if not reason.strip():
        raise BadInputError("Unblinding is logged, so it needs a reason.")
    with store.write() as db:
        found = judging.find(db, study)
        key = judging.key_of(db, found)
        refuse_open(judging.open_count(db, found.id, store.annotator.id))
        logged, waiting = reason.strip(), unsealed_by_others(db, found, store.annotator.name)
        if waiting and not close_unsealed:
            raise BadInputError(
                f"Not every batch is sealed: {describe_batches(waiting)}. Unblinding ends the study, so wait for the "
                "seals, or close these batches with --close-unsealed."
            )
        if waiting:
            logged = f"{logged} (closed unsealed: {describe_batches(waiting)})"
        return (key.name_a, key.name_b), judging.add_unblinding(db, store.annotator.id, found, logged)


def refuse_open(left: int) -> None:
    """Raise `BadInputError` if the person who asks has still pairs to judge."""
    if left:
        raise BadInputError(
            message_for_count(
                "You have {count} pair still to judge; results would sway you and are shown afterwards.",
                "You have {count} pairs still to judge; results would sway you and are shown afterwards.",
                left,
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Whether a study's map is the one committed to: the hash, every pair's, and every order served.

    ``ties_ok``: the pairs that nobody was asked to judge are those whose two sides are the same.
    """

    commitment: str
    map_ok: bool
    pairs_ok: bool
    orders_ok: bool
    ties_ok: bool = True

    @property
    def ok(self) -> bool:
        """All of it holds."""
        return self.map_ok and self.pairs_ok and self.orders_ok and self.ties_ok


def _drawn_order(study: Study, key: BlindKey, served: Iterable[Assignment]) -> Callable[[str, str, int], str]:
    """Return the function that gives the order drawn for (rater, pair, serving)."""
    if study.plan.get("sides") != BALANCED:
        return partial(first_side, key.secret)
    first = draw_a_first({(item.annotator_id, item.pair_id) for item in served}, key.secret)

    def order(rater: str, pair: str, serving: int) -> str:
        return served_order(key.sides.get(pair, ""), (rater, pair) in first, serving)

    return order


def verify(store: ProjectFile, study: str | None = None) -> Verified:
    """Compute a study's hashes and orders again from its key. Raises `BadInputError` in a file without the key."""
    with store.read() as db:
        found = judging.find(db, study)
        key, pairs = judging.key_of(db, found), judging.pairs_of(db, found.id)
        # Of a study from another tool no order follows from the secret.
        raters = found.plan["raters"] if found.plan.get("plan") != IMPORTED else ()
        served = [item for rater in raters for item in judging.assignments(db, found.id, rater)]
        made = judging.orders(db, found.id) if raters else []
        same = all(_is_identical(db, row, key) for row in pairs if row.id in judging.identical_pairs(found))
    hashes = {
        row.id: pair_commitment(
            key.secret, row.id, key.sides.get(row.id, ""), str(row.left["text"]), str(row.right["text"])
        )
        for row in pairs
    }
    made += [(item.annotator_id, item.pair_id, item.serving, item.order) for item in served]
    drawn = _drawn_order(found, key, served)
    orders = [drawn(rater, pair, serving) == order for rater, pair, serving, order in made]
    return Verified(
        commitment=found.commitment,
        map_ok=commitment(key.secret, (key.name_a, key.name_b), hashes) == found.commitment,
        pairs_ok=all(hashes[row.id] == row.commitment for row in pairs),
        orders_ok=all(orders),
        ties_ok=same,
    )
