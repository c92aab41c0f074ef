"""Explain the score of a response: its rules, its log, and diffs with the reference and other answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from annotator.answers.outcome import final_text
from annotator.base.errors import BadInputError
from annotator.base.records import record_from
from annotator.criteria import RuleResult, parse_criterion, score_by_criterion
from annotator.evaluation.answer_scoring import ScoreJob, answer_of, grader_of
from annotator.evaluation.released_items import text_of
from annotator.llm.answers import ONLY_REASONING
from annotator.model.rows.result_rows import ItemScoreRow, ResponseDetail
from annotator.model.rows.run_rows import LabelRow
from annotator.model.rows.view_rows import HistoryRow
from annotator.services.results import error_labels
from annotator.services.results.responses import response_detail, responses_to_item, scoring_log
from annotator.services.results.score_data import ResultData
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.runs import stored_runs
from annotator.text.code_spans import fence_code
from annotator.text.diff import DiffPart, line_diff

_GRADERS_OF_PROGRAMS = ("", "completion", "modification")


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """An answer and the reference, prepared for comparison; ``how`` is the way the answer was extracted."""

    answer: str
    reference: str
    how: str = ""


def compare_with_reference(item: Mapping[str, Any], response: str, how: str = "") -> ComparedAnswer:
    """Extract a response's answer and the reference as whole programs; ``how`` is the extraction noted in the score."""
    reference = text_of(item, "reference")
    if text_of(item, "criterion") or grader_of(item) not in _GRADERS_OF_PROGRAMS or not text_of(item, "entry_point"):
        return ComparedAnswer(final_text(response).text if how else response, reference, how)
    extracted = answer_of(ScoreJob(item=item, text=response))
    fenced_reference = reference if "```" in reference else fence_code(reference, text_of(item, "language").lower())
    reference_program = answer_of(ScoreJob(item=item, text=fenced_reference)).text if reference.strip() else ""
    return ComparedAnswer(extracted.text or response, reference_program or reference, how or extracted.how)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLine:
    """The result of one rule; ``matched`` is None if it could not be judged, ``spans`` are ranges of the response."""

    label: str
    metric: str
    matched: bool | None
    points: float
    total: float | None
    why: str
    detail: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The details of a response's score; ``log`` is the output of running it, empty if nothing was run.

    ``diff`` is between the two sides of ``compared``.
    """

    detail: ResponseDetail
    subject_id: str
    rules: tuple[RuleLine, ...]
    log: str
    diff: tuple[DiffPart, ...]
    compared: ComparedAnswer
    others: tuple[ItemScoreRow, ...]
    history: tuple[HistoryRow, ...]
    labels: tuple[LabelRow, ...]


_OUTCOME_NOTES = MappingProxyType(
    {ONLY_REASONING: "The model sent reasoning only: the content of its answer is empty."}
)
"""Response outcome -> a note to show with its log."""


def explain_response(store: ProjectFile, response_id: str, data: ResultData | None = None) -> Explanation:
    """Return the explanation of a response's score; ``data`` is needed for the other models' answers.

    Rules are those stored with the score; highlights and reasons come from applying the criterion again. Raises
    `BadInputError` for an unknown response.
    """
    detail = response_detail(store, response_id)
    with store.read() as db:
        response, score, _, item = stored_runs.fetch_response(db, response_id)
    facts: Mapping[str, Any] = score.detail if score else {}
    compared = compare_with_reference(item, detail.text, str(facts.get("how") or ""))
    others = responses_to_item(store, data, response.subject_id) if data is not None else ()
    return Explanation(
        detail=detail,
        subject_id=response.subject_id,
        rules=_explain_rules(detail, facts),
        log="\n".join(part for part in (_OUTCOME_NOTES.get(response.outcome, ""), scoring_log(facts)) if part),
        diff=line_diff(compared.reference, compared.answer) if compared.reference and detail.text else (),
        compared=compared,
        others=tuple(row for row in others if row.response_id != response_id),
        history=_load_history(store, response.subject_id),
        labels=error_labels.labels_of_response(store, response_id),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPair:
    """Two answers to one item, each as the program extracted from it.

    ``diff`` is from the other answer to this one; ``other_diff`` and ``own_diff`` are from the reference to each.
    """

    detail: ResponseDetail
    other: str
    own: str
    diff: tuple[DiffPart, ...]
    other_diff: tuple[DiffPart, ...]
    own_diff: tuple[DiffPart, ...]


def compare_answers(store: ProjectFile, own_id: str, other_id: str) -> AnswerPair:
    """Compare two answers to the same item with each other and with the reference.

    Raises `BadInputError` for an unknown response, and for answers to different items.
    """
    sides = []
    for response_id in (own_id, other_id):
        with store.read() as db:
            response, score, _, item = stored_runs.fetch_response(db, response_id)
            studies.refuse_blind(db, store.annotator.id, [response.subject_id])
        how = str(score.detail.get("how") or "") if score else ""
        sides.append((response.subject_id, compare_with_reference(item, response.text, how)))
    (own_subject, own_answer), (other_subject, other_answer) = sides
    if own_subject != other_subject:
        raise BadInputError("These are answers to different items, so they cannot be compared.")
    reference = own_answer.reference
    return AnswerPair(
        detail=response_detail(store, other_id),
        other=other_answer.answer,
        own=own_answer.answer,
        diff=line_diff(other_answer.answer, own_answer.answer),
        other_diff=line_diff(reference, other_answer.answer) if reference else (),
        own_diff=line_diff(reference, own_answer.answer) if reference else (),
    )


def _load_history(store: ProjectFile, subject_id: str) -> tuple[HistoryRow, ...]:
    try:
        return triage.load_subject_history(store, subject_id)
    except BadInputError:
        return ()


def _explain_rules(detail: ResponseDetail, facts: Mapping[str, Any]) -> tuple[RuleLine, ...]:
    rules_now = _score_again(detail)
    stored = [_parse_stored_rule(rule) for rule in facts.get("rules", ()) if isinstance(rule, Mapping)]
    if not stored:
        return tuple(record_from(RuleLine, rule) for rule in rules_now)
    by_label = {(rule.metric, rule.label): rule for rule in rules_now}
    lines = []
    for line in stored:
        rule_now = by_label.get((line.metric, line.label))
        if rule_now is None:
            lines.append(line)
        else:
            line_detail = rule_now.detail if line.matched is False and rule_now.matched is False else line.detail
            lines.append(
                replace(line, why=rule_now.why, spans=rule_now.spans, total=rule_now.total, detail=line_detail)
            )
    return tuple(lines)


def _parse_stored_rule(rule: Mapping[str, Any]) -> RuleLine:
    total = rule.get("total")
    return RuleLine(
        label=str(rule.get("label", "")),
        metric=str(rule.get("metric", "")),
        matched=rule.get("matched"),
        points=float(rule.get("points") or 0.0),
        total=float(total) if isinstance(total, (int, float)) else None,
        why="",
        detail=str(rule.get("detail", "")),
    )


def _score_again(detail: ResponseDetail) -> Sequence[RuleResult]:
    """Apply the released criterion to the response again for its highlights, without running any code."""
    if not detail.source or not detail.text:
        return ()
    document = parse_criterion(detail.source, detail.files).document
    return score_by_criterion(document, detail.text).rules if document else ()
