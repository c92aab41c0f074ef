"""Try a draft of a criterion on stored answers and recorded runs to show the effect of saving it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from annotator.criteria import (
    CheckedDocument,
    CriterionDocument,
    CriterionScore,
    parse_criterion,
    score_all_by_criterion,
)
from annotator.criteria.metrics.rule_results import NotScoredError
from annotator.criteria.metrics.whole_answer import raw_score
from annotator.criteria.proof.proof_checks import right_answers
from annotator.evaluation.answer_scoring import ModelResponse, score_answers
from annotator.model.rows.view_rows import SubjectView
from annotator.sandbox import Runner
from annotator.services.criterion.proofs import question_of, runner_for_subject
from annotator.services.sandbox_sessions import Workbench
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import driver_connection
from annotator.store.judging import rulings
from annotator.store.runs import stored_runs

RunnerFor = Callable[[CriterionDocument], "Runner | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftTrial:
    """The results of a draft on answers; ``before`` has their scores under the saved criterion, if there is one.

    ``similarities`` are the raw scores by the first similarity rule, before its interval maps them to points.
    """

    source: str
    checked: CheckedDocument
    names: tuple[str, ...]
    texts: tuple[str, ...]
    scores: tuple[CriterionScore, ...]
    before: tuple[CriterionScore, ...]
    similarities: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RankMove:
    """A model whose rank would change."""

    model: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BlastRadius:
    """The effect of saving a draft on the runs of the newest release with runs.

    Of ``responses``, ``changed`` get a different score, ``flips`` change between passing and failing, and ``unscored``
    could not be scored with the draft.
    """

    version: str
    responses: int
    changed: int
    flips: int
    unscored: int
    ranks: tuple[RankMove, ...]


def try_draft(
    view: SubjectView, source: str, runner_for: RunnerFor, more_answers: Sequence[tuple[str, str]] = ()
) -> DraftTrial:
    """Check a draft and score the reference, the stored responses and ``more_answers`` with it and with the saved one.

    ``more_answers`` are pairs of a name and a text; those with the text of another answer are left out.
    """
    checked = parse_criterion(source, view.files)
    question = question_of(view)
    if checked.document is not None:
        answers = right_answers(checked.document, question)
    else:
        answers = [("the reference", view.reference)] if view.reference else []
    answers += [(f"{item.model} {item.sample + 1}", item.text) for item in view.responses]
    known_texts = {text for _, text in answers}
    answers += [(name, text) for name, text in more_answers if text not in known_texts]
    names = tuple(name for name, _ in answers)
    texts = tuple(text for _, text in answers)
    scores = _score_texts(checked.document, texts, runner_for)
    saved = view.criterion.source if view.criterion else ""
    before: tuple[CriterionScore, ...] = ()
    if saved and saved != source:
        before = _score_texts(parse_criterion(saved, view.files).document, texts, runner_for)
    return DraftTrial(
        source=source,
        checked=checked,
        names=names,
        texts=texts,
        scores=scores,
        before=before,
        similarities=_compute_similarities(checked.document, texts),
    )


@dataclass(frozen=True, slots=True)
class CriterionPreview:
    """The effect of saving a draft: the right answers that would lose their full score, the reason if answers could not
    be scored, and the effect on runs."""

    failing: tuple[str, ...]
    unscored: str
    radius: BlastRadius | None


def preview_criterion(store: ProjectFile, view: SubjectView, source: str, bench: Workbench) -> CriterionPreview:
    """Return the effect of saving a draft."""
    document = parse_criterion(source, view.files).document
    if document is None:
        return CriterionPreview((), "", None)
    answers = right_answers(document, question_of(view))
    scores = _score_texts(document, tuple(text for _, text in answers), partial(runner_for_subject, bench, view))
    scores_by_name = list(zip((name for name, _ in answers), scores, strict=True))
    failing = tuple(
        name for name, item in scores_by_name if item.score is not None and item.score < document.full_score
    )
    unscored = next((item.reason for _, item in scores_by_name if item.score is None), "")
    return CriterionPreview(failing, unscored, blast_radius(store, view, source, bench.runner_for))


def _compute_similarities(document: CriterionDocument | None, texts: tuple[str, ...]) -> tuple[float, ...]:
    if document is None or not document.similarity:
        return ()
    rule = document.similarity[0]
    try:
        return tuple(raw_score(rule.metric, rule.references, text) for text in texts)
    except NotScoredError:
        return ()


def _score_texts(
    document: CriterionDocument | None, texts: tuple[str, ...], runner_for: RunnerFor
) -> tuple[CriterionScore, ...]:
    if document is None:
        return ()
    return tuple(score_all_by_criterion(document, texts, sandbox=runner_for(document)))


def blast_radius(store: ProjectFile, view: SubjectView, source: str, runner_for: RunnerFor) -> BlastRadius | None:
    """Score a subject's recorded responses with a draft and compare.

    Return None if no run has answered the subject, to a rater of a blind study of answers to it, and if the annotator's
    role on a server may not read answers.

    Ranks follow the models' mean item scores, with the scores of all other items unchanged.
    """
    document = parse_criterion(source, view.files).document
    if document is None or store.is_bound_to_annotator:
        return None
    with store.read() as db:
        if rulings.find_blind_study(driver_connection(db), store.annotator.id, [view.row.id]):
            return None
        recorded = stored_runs.recorded_responses(db, view.row.id)
    if recorded is None:
        return None
    answers = [ModelResponse(item.text, item.finish_reason) for item in recorded.responses]
    results = score_answers(document, answers, runner_for(document))
    changed = flips = unscored = 0
    new_scores: dict[str, list[float]] = {}
    for item, result in zip(recorded.responses, results, strict=True):
        if result.score is None:
            unscored += 1
            continue
        new_scores.setdefault(item.run_id, []).append(result.score)
        if item.score != result.score:
            changed += 1
            passed_before = item.score is not None and item.score >= document.full_score
            passes_now = result.score >= document.full_score
            flips += passed_before != passes_now
    moves = _rank_moves(recorded, new_scores)
    return BlastRadius(
        version=recorded.version, responses=len(answers), changed=changed, flips=flips, unscored=unscored, ranks=moves
    )


def _rank_moves(recorded: stored_runs.RecordedResponses, new_scores: dict[str, list[float]]) -> tuple[RankMove, ...]:
    before: list[float] = []
    after: list[float] = []
    for model in recorded.models:
        mean = model.total / model.items if model.items else 0.0
        scores = new_scores.get(model.run_id)
        change = 0.0
        if scores and model.items:
            change = (sum(scores) / len(scores) - model.item_mean) / model.items
        before.append(mean)
        after.append(mean + change)
    moves = zip(recorded.models, _rank_scores(before), _rank_scores(after), strict=True)
    return tuple(RankMove(model.name, old, new) for model, old, new in moves if old != new)


def _rank_scores(scores: list[float]) -> list[int]:
    """Return ranks from 1 for the best; equal scores share the better rank."""
    # The tolerance keeps means equal that differ only in how their terms were added up.
    return [1 + sum(other > score + 1e-12 for other in scores) for score in scores]
