"""Blind judging: create a study, serve its pairs, store the verdicts, and unblind it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from annotator.answers.choice import code_runs
from annotator.answers.code import reader_of
from annotator.answers.normalising import normalise_response
from annotator.answers.outcome import final_text
from annotator.base.errors import BadInputError
from annotator.base.ids import new_id
from annotator.base.messages import Message, message_for_count
from annotator.base.records import record_from
from annotator.evaluation.released_items import asked_prompt
from annotator.metrics.agreement.blind_comparisons import CHOICES, RaterJudgement
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import CandidatePair, OwnVerdict, PairView, RaterBatch
from annotator.model.rows.queue_rows import StudyRow
from annotator.model.tables.judging_tables import Assignment, BlindKey, Study
from annotator.model.tables.work_tables import Pair
from annotator.services.judge import rater_changes
from annotator.services.judge.side_order import (
    BALANCED,
    LEFT_FIRST,
    ServingPlan,
    assign_servings,
    draw_a_first,
    first_side,
    pair_commitment,
    served_order,
    study_commitment,
)
from annotator.services.judge.study_files import FileJudgement
from annotator.services.results.response_explanation import compare_with_reference
from annotator.services.select.triage import accepted_subjects
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session, driver_connection
from annotator.store.judging import rulings, stored_consensus, studies
from annotator.store.judging import studies as judging
from annotator.store.queue import stored_subjects
from annotator.store.runs import stored_runs
from annotator.text.blinding.scrub import scrub_names

KINDS = ("requirement", "paraphrase", "domain", "question_type", "response")
PROMPT_KINDS = ("requirement", "paraphrase")
"""Kinds that compare prompts, for which raters see the reference above the candidates."""

GUIDELINES = {
    "requirement": "Choose the requirement that says better what the code does: complete, correct and clear.",
    "paraphrase": "Choose the text that asks the same question more clearly without giving the answer away.",
    "domain": "Choose the domain that fits the task better.",
    "question_type": "Choose the type that fits the question better.",
    "response": "Choose the answer that solves the task better. Judge correctness first, then clarity.",
}
TIE_GUIDELINE = "A tie means that both are good enough to keep; both bad means that neither is."


def default_guidelines(kind: str) -> str:
    """Return the guidelines that raters of a kind of study see unless the study has its own."""
    return f"{GUIDELINES[kind]} {TIE_GUIDELINE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStudy:
    """The settings of a new study. ``name_a`` and ``name_b`` are the identities of A and B, hidden from raters.

    ``hide`` lists further words to remove from the texts.
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
    """A pair with its names hidden, the question above it, and the names that were removed."""

    pair: CandidatePair
    question: str
    hidden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgingQueue:
    """All studies, the one to show, and its next pairs for the rater."""

    studies: tuple[StudyRow, ...]
    study: StudyRow | None
    pairs: tuple[PairView, ...]


def candidate_pairs(
    store: ProjectFile, kind: str, side_a: str, side_b: str, subject_ids: Sequence[str]
) -> tuple[CandidatePair, ...]:
    """Return a pair for every subject that has both sides. Raises `BadInputError` for an unknown side.

    Sides are those of `annotator.store.judging.studies.SIDES` or ``model:NAME``.
    """
    _check_kind(kind)
    sides = (*judging.SIDES, *(f"model:{name}" for name in models_with_responses(store)))
    for side in (side_a, side_b):
        if side not in sides:
            raise BadInputError(f"There is no side {side}. Choose from: {', '.join(sides)}.")
    pairs = []
    with store.read() as db:
        for subject_id in subject_ids:
            subject = stored_subjects.find_subject(db, subject_id)
            a, b = (judging.find_side_text(db, subject, side, kind) for side in (side_a, side_b))
            if a is not None and b is not None:
                pairs.append(CandidatePair(subject_id=subject.id, text_a=a[0], text_b=b[0], facts_a=a[1], facts_b=b[1]))
    return tuple(pairs)


def candidate_pairs_of_accepted(store: ProjectFile, kind: str, side_a: str, side_b: str) -> tuple[CandidatePair, ...]:
    """Return a pair for every accepted subject that has both sides."""
    return candidate_pairs(store, kind, side_a, side_b, [row.id for row in accepted_subjects(store)])


def create_blind_study(
    store: ProjectFile, new_study: NewStudy, pairs: Sequence[CandidatePair], *, add_raters: bool = False
) -> tuple[str, Changes]:
    """Create a study: draw sides, hide names, hash the sides and assign the pairs to raters. Returns its id.

    With ``add_raters``, unknown raters are added to the project.

    Raises `BadInputError` for an unknown kind, rater or plan, a duplicate name, or no pairs.
    """
    _check_kind(new_study.kind)
    if not new_study.name.strip():
        raise BadInputError("A study needs a name.")
    if not pairs:
        raise BadInputError("No accepted subject has both sides, so there is nothing to compare. Choose other sides.")
    secret = new_study.secret or secrets.token_hex(16)
    with store.write() as db:
        if any(row.name == new_study.name for row in rulings.fetch_studies(driver_connection(db), store.annotator.id)):
            raise BadInputError(f"There is a study {new_study.name} already. Choose another name.")
        if new_study.kind == "response":
            # A rater who knows a text would recognize its model. The author of a study knows what is compared.
            subject_ids = {item.subject_id for item in pairs}
            judging.refuse_blind(db, store.annotator.id, subject_ids, unless_maker=True)
        for name in new_study.raters if add_raters else ():
            people.ensure_annotator(db, name, "rater")
        raters = [people.find_annotator(db, name).id for name in new_study.raters]
        new_study.plan.checked(len(pairs), len(raters))
        study = Study(
            annotator_id=store.annotator.id,
            name=new_study.name,
            kind=new_study.kind,
            guidelines=new_study.guidelines or default_guidelines(new_study.kind),
            commitment="",
            plan={**asdict(new_study.plan), "raters": raters, "sides": BALANCED},
        )
        drawn_pairs, key = _draw_sides(study, new_study, _hide_names(db, new_study, pairs), secret)
        study.commitment = study_commitment(
            secret, (new_study.name_a, new_study.name_b), {row.id: row.commitment for row in drawn_pairs}
        )
        identical_ids = [row.id for row in drawn_pairs if _is_identical(db, row, key)]
        study.plan |= {rulings.IDENTICAL: identical_ids} if identical_ids else {}
        served_ids = [row.id for row in drawn_pairs if row.id not in identical_ids]
        if not served_ids:
            raise BadInputError("Both sides of every pair are the same, so there is nothing to judge.")
        servings = assign_servings(study.id, served_ids, raters, new_study.plan, secret, key.sides)
        changes = judging.add_study(db, store.annotator.id, study, drawn_pairs, key, servings)
    return study.id, changes


def preview_hidden(store: ProjectFile, new_study: NewStudy, pairs: Sequence[CandidatePair]) -> tuple[HiddenNames, ...]:
    """Return each pair as raters would see it, without creating the study.

    Raises `BadInputError` for a rater of a blind study of these answers, whom the preview would unblind.
    """
    with store.read() as db:
        if new_study.kind == "response":
            judging.refuse_blind(db, store.annotator.id, {item.subject_id for item in pairs})
        return tuple(_hide_names(db, new_study, pairs))


def _hide_names(db: Session, new_study: NewStudy, pairs: Sequence[CandidatePair]) -> Iterator[HiddenNames]:
    """Yield each pair with names hidden in its texts; names that the prompt contains reveal nothing and stay."""
    models, persons = judging.list_identifying_names(db)
    # A side's name without a digit, such as "human", occurs in any text.
    side_names = [name for name in (new_study.name_a, new_study.name_b) if any(letter.isdigit() for letter in name)]
    names = [*models, *side_names, *new_study.hide]
    for item in pairs:
        view = stored_subjects.load_subject_view(db, item.subject_id)
        prompt = asked_prompt(view)
        language = view.row.language
        a, b = (
            scrub_names(
                text, names, persons, keep=prompt, language=language, code_lines=_find_code_lines(text, language)
            )
            for text in (item.text_a, item.text_b)
        )
        yield HiddenNames(
            pair=replace(item, text_a=a.text, text_b=b.text),
            # Paraphrases are prompts themselves, so the answer is shown above them.
            question=view.reference if new_study.kind in PROMPT_KINDS else prompt,
            hidden=tuple(dict.fromkeys((*a.hidden, *b.hidden))),
        )


def _find_code_lines(text: str, language: str) -> frozenset[str]:
    """Return the lines of a text that the item's language accepts as statements, without their margins.

    A line that starts with ``# `` is left out: it is a heading of Markdown as often as a comment.
    """
    lines = (line for run in code_runs(text, reader_of(language)) for line in run.split("\n"))
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("# "))


def _draw_sides(
    study: Study,
    new_study: NewStudy,
    pairs: Iterable[HiddenNames],
    secret: str,
) -> tuple[list[Pair], BlindKey]:
    """Put A on a random side of each pair and record the side in the key."""
    drawn: list[Pair] = []
    sides: dict[str, str] = {}
    facts: dict[str, Any] = {}
    for hidden in pairs:
        item = hidden.pair
        pair_id = new_id()
        side = "left" if first_side(secret, "map", pair_id, 1) == LEFT_FIRST else "right"
        left_text, right_text = (item.text_a, item.text_b) if side == "left" else (item.text_b, item.text_a)
        drawn.append(
            Pair(
                id=pair_id,
                study_id=study.id,
                subject_id=item.subject_id,
                kind=new_study.kind,
                left={"text": left_text, "question": hidden.question},
                right={"text": right_text},
                commitment=pair_commitment(secret, pair_id, side, left_text, right_text),
            )
        )
        sides[pair_id] = side
        if item.facts_a or item.facts_b:
            facts[pair_id] = {"a": item.facts_a, "b": item.facts_b}
    return drawn, BlindKey(
        study_id=study.id, secret=secret, name_a=new_study.name_a, name_b=new_study.name_b, sides=sides, facts=facts
    )


def _is_identical(db: Session, pair: Pair, key: BlindKey) -> bool:
    facts = key.facts.get(pair.id, {})
    left_text = str(pair.left["text"])
    right_text = str(pair.right["text"])
    text_a, text_b = (left_text, right_text) if key.sides.get(pair.id) == "left" else (right_text, left_text)
    return are_identical(db, pair.kind, (text_a, facts.get("a", {})), (text_b, facts.get("b", {})))


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise BadInputError(f"A study can compare {', '.join(KINDS)}, not {kind}.")


def load_judging_queue(store: ProjectFile, study_id: str | None = None, first: str | None = None) -> JudgingQueue:
    """Return all studies and the next pairs of one (default: the newest), read in one transaction.

    ``first`` is the assignment id of an open pair: then its study is chosen and that pair comes first.
    """
    with store.read() as db:
        rows = rulings.fetch_studies(driver_connection(db), store.annotator.id)
        study = next((row for row in rows if row.id == study_id), rows[0] if rows else None)
        pairs = _load_pairs_from(db, store.annotator.id, first) if first else ()
        if pairs:
            study = next(row for row in rows if row.id == pairs[0].study_id)
        elif study is not None:
            pairs = judging.fetch_next_pairs(db, study.id, store.annotator.id, 2)
    return JudgingQueue(rows, study, pairs)


def _load_pairs_from(db: Session, annotator_id: str, assignment_id: str) -> tuple[PairView, ...]:
    study_id = judging.find_assignment(db, assignment_id).study_id
    pairs = judging.fetch_servings(db, study_id, annotator_id, only_open=True)
    chosen_pairs = [pair for pair in pairs if pair.assignment_id == assignment_id]
    others = [pair for pair in pairs if pair.assignment_id != assignment_id]
    return (*chosen_pairs, *others[:1]) if chosen_pairs else ()


def models_with_responses(store: ProjectFile) -> tuple[str, ...]:
    """Return the models with stored responses, which can be a side of a study."""
    with store.read() as db:
        return tuple(sorted(judging.list_models_with_responses(db)))


def my_pairs(store: ProjectFile, study: str | None = None, *, only_open: bool = False) -> tuple[PairView, ...]:
    """Return the annotator's pairs of a study in their serving order, with the sides as shown."""
    with store.read() as db:
        study_row = judging.find_study(db, study)
        pairs = judging.fetch_servings(db, study_row.id, store.annotator.id, only_open=only_open)
    if not pairs and not only_open:
        raise BadInputError(f"The study {study_row.name} has no pairs for {store.annotator.name}.")
    return tuple(pairs)


def my_verdicts(store: ProjectFile, study: str | None = None) -> tuple[OwnVerdict, ...]:
    """Return the annotator's own verdicts on a study in chronological order, each with its pair as shown."""
    with store.read() as db:
        judged = judging.fetch_own_judgements(db, judging.find_study(db, study).id, store.annotator.id)
        titles = stored_consensus.subject_keys(db, {pair.subject_id for pair, _ in judged})
    return tuple(
        record_from(
            OwnVerdict,
            row,
            pair=pair,
            title=titles.get(pair.subject_id, ("", ""))[1],
            choice=row.verdict,
            again=row.serving > 1,
        )
        for pair, row in judged
    )


def judge_pair(
    store: ProjectFile, assignment_id: str, choice: str, rationale: str = "", seconds: float | None = None
) -> Changes:
    """Record a verdict: "1", "2" (the sides as shown), "tie" or "both_bad". Raises `BadInputError` for others."""
    if choice not in CHOICES:
        raise BadInputError(f"A verdict must be one of {', '.join(CHOICES)}, not {choice}.")
    with store.write() as db:
        served = judging.find_assignment(db, assignment_id)
        return judging.add_judgement(db, store.annotator.id, served, choice, rationale.strip(), seconds)


def import_judgements(store: ProjectFile, judgements: Sequence[FileJudgement]) -> tuple[int, int]:
    """Import the annotator's verdicts and skipped pairs from a file, all or none; returns the numbers new and repeated.

    Raises `BadInputError` for another person's pair, or a pair that was judged differently before.
    """
    added = repeated = 0
    with store.write() as db:
        for item in judgements:
            served = judging.find_assignment(db, item.assignment_id)
            earlier_choice = judging.find_choice(db, served)
            if item.skip and rater_changes.is_skipped(db, served):
                repeated += 1
            elif item.skip:
                rater_changes.skip_served(db, store.annotator.id, served, item.skip)
                added += 1
            elif earlier_choice == item.choice:
                repeated += 1
            elif earlier_choice is not None:
                raise BadInputError(
                    f"Pair {served.position + 1} was judged {earlier_choice} already and the file says {item.choice}. "
                    "Nothing was imported."
                )
            else:
                judging.add_judgement(db, store.annotator.id, served, item.choice, item.rationale, item.seconds)
                added += 1
    return added, repeated


def seal_own_batch(store: ProjectFile, study: str | None = None) -> Changes:
    """Seal the annotator's batch; its judgements are final afterwards. Raises `BadInputError` while pairs are open."""
    with store.write() as db:
        study_row = judging.find_study(db, study)
        open_count = judging.open_count(db, study_row.id, store.annotator.id)
        if open_count:
            raise BadInputError(
                message_for_count(
                    "{count} pair is still to be judged; you can seal the batch when all are judged or skipped.",
                    "{count} pairs are still to be judged; you can seal the batch when all are judged or skipped.",
                    open_count,
                )
            )
        if judging.is_sealed(db, study_row.id, store.annotator.id):
            raise BadInputError(f"You have sealed the study {study_row.name} already.")
        return judging.add_seal(db, store.annotator.id, study_row)


def describe_batches(batches: Sequence[RaterBatch]) -> str:
    """Return each rater's progress as part of a sentence."""
    return ", ".join(f"{row.rater} ({row.judged} of {row.served} judged)" for row in batches)


def unblind_sides(
    store: ProjectFile, study: str | None, reason: str, *, close_unsealed: bool = False
) -> tuple[tuple[str, str], Changes]:
    """Return the names of A and B, and log who asked and why. Later judgements do not count.

    Raises `BadInputError` without a reason, and while batches are unsealed; ``close_unsealed`` closes those of others,
    which is logged too.
    """
    if not reason.strip():
        raise BadInputError("Unblinding is logged, so it needs a reason.")
    with store.write() as db:
        study_row = judging.find_study(db, study)
        key = judging.key_of(db, study_row)
        logged_reason = reason.strip()
        unsealed = judging.list_unsealed_batches(db, study_row)
        if store.annotator.name in {row.rater for row in unsealed}:
            refuse_results(db, study_row, store.annotator.id)
        if unsealed and not close_unsealed:
            raise BadInputError(
                f"Not every batch is sealed: {describe_batches(unsealed)}. Unblinding ends the study, so wait for the "
                "seals, or close these batches with --close-unsealed."
            )
        if unsealed:
            logged_reason = f"{logged_reason} (closed unsealed: {describe_batches(unsealed)})"
        return (key.name_a, key.name_b), judging.add_unblinding(db, store.annotator.id, study_row, logged_reason)


def refuse_results(db: Session, study: Study, annotator_id: str) -> None:
    """Raise `BadInputError` if the annotator judges pairs of a study, or could still be given some."""
    if judging.may_read_results(db, study, annotator_id):
        return
    if judging.fetch_assignments(db, study.id, annotator_id):
        text = Message(
            "Results of the study {name} are shown to you when your batch is sealed, so that they do not influence "
            "your judgements. Judge or skip all your pairs, then seal the batch.",
            name=study.name,
        )
    else:
        text = Message(
            "Results of the study {name} are shown to you when every batch is sealed, because until then you can be "
            "given pairs of a rater who is away.",
            name=study.name,
        )
    raise BadInputError(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCheck:
    """The result of checking that a study's sides and orders are unchanged since its creation.

    ``map_ok`` compares the hash of all sides and names with ``commitment``, ``pairs_ok`` the hash of every pair,
    ``orders_ok`` the order of every serving. ``ties_ok``: all pairs marked as identical have equal texts.
    """

    commitment: str
    map_ok: bool
    pairs_ok: bool
    orders_ok: bool
    ties_ok: bool = True

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return self.map_ok and self.pairs_ok and self.orders_ok and self.ties_ok


def _recompute_order(study: Study, key: BlindKey, served: Iterable[Assignment]) -> Callable[[str, str, int], str]:
    """Return a function from (rater, pair, serving) to the order that was drawn for it."""
    if study.plan.get("sides") != BALANCED:
        return partial(first_side, key.secret)
    shown_a_first = draw_a_first({(item.annotator_id, item.pair_id) for item in served}, key.secret)

    def draw_order(rater: str, pair: str, serving: int) -> str:
        return served_order(key.sides.get(pair, ""), (rater, pair) in shown_a_first, serving)

    return draw_order


def verify_study(store: ProjectFile, study: str | None = None) -> MapCheck:
    """Recompute a study's hashes and orders from its key. Raises `BadInputError` in a file without the key."""
    with store.read() as db:
        study_row = judging.find_study(db, study)
        key = judging.key_of(db, study_row)
        pairs = judging.fetch_pairs(db, study_row.id)
        # Studies imported from other tools have their own orders, which do not follow from the secret.
        raters = study_row.plan["raters"] if study_row.plan.get("plan") != judging.IMPORTED else ()
        served = judging.fetch_drawn_assignments(db, study_row.id) if raters else []
        recorded = judging.fetch_side_orders(db, study_row.id) if raters else []
        # A pair that was handed over keeps the order drawn for its first rater.
        drawn_for = judging.fetch_drawn_slots(db, study_row.id)
        are_ties_identical = all(
            _is_identical(db, row, key) for row in pairs if row.id in judging.identical_pairs(study_row)
        )
    hashes = {
        row.id: pair_commitment(
            key.secret, row.id, key.sides.get(row.id, ""), str(row.left["text"]), str(row.right["text"])
        )
        for row in pairs
    }
    recorded += [(item.annotator_id, item.pair_id, item.serving, item.order) for item in served]
    draw_order = _recompute_order(study_row, key, served)
    order_checks = [
        draw_order(drawn_for.get((rater, pair, serving), rater), pair, serving) == order
        for rater, pair, serving, order in recorded
    ]
    return MapCheck(
        commitment=study_row.commitment,
        map_ok=study_commitment(key.secret, (key.name_a, key.name_b), hashes) == study_row.commitment,
        pairs_ok=all(hashes[row.id] == row.commitment for row in pairs),
        orders_ok=all(order_checks),
        ties_ok=are_ties_identical,
    )


Side = tuple[str, Mapping[str, Any]]
"""A text as raters see it, and its facts."""


def are_identical(db: Session, kind: str, first_side_text: Side, second_side_text: Side) -> bool:
    """Return whether two sides are the same answer.

    Responses are compared by the code that a run's scorer extracts, anything else by its normalised text.
    """
    return _normalise_side(db, kind, *first_side_text) == _normalise_side(db, kind, *second_side_text)


def _normalise_side(db: Session, kind: str, text: str, facts: Mapping[str, Any]) -> str:
    if kind != "response":
        return normalise_response(text).strip()
    answer_text = final_text(text).text
    item = stored_runs.answered_item(db, str(facts.get("response", "")))
    return (compare_with_reference(item, answer_text).answer if item else answer_text).strip()


def identical_ties(study: Study) -> list[RaterJudgement]:
    """Return the identical pairs of a study as ties without a rater."""
    return [
        RaterJudgement(item=pair_id, rater="", choice="tie", a_first=True) for pair_id in studies.identical_pairs(study)
    ]
