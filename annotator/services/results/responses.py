"""Responses of runs: list them by item and sample, explain one's score, and send their items back to the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from annotator.base.errors import BadInputError
from annotator.criteria import RuleResult, check, score
from annotator.formats.documents.facts import mode_of
from annotator.model.rows.results import ItemRow, ItemScoreRow, ResponseDetail, Target
from annotator.model.rows.runs import LabelRow
from annotator.model.rows.views import HistoryRow
from annotator.model.vocabulary import UNSETTLED
from annotator.services.results import error_labels
from annotator.services.results.compared_answer import ComparedAnswer, compare_with_reference
from annotator.services.results.score_data import ResultData, load
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import runs, settlements
from annotator.store.runs import score_columns as stored
from annotator.text.diff import DiffPart, line_diff


def items(store: ProjectFile, run_id: str, by: str = "", value: str = "") -> tuple[ItemScoreRow, ...]:
    """Return a run's responses with their outcomes, by item and sample; of one group if ``by`` names a grouping.

    Raises `BadInputError` for an unknown run.
    """
    return of_run(store, data_of(store, run_id), run_id, by, value)


def data_of(store: ProjectFile, run_id: str) -> ResultData:
    """Return the results of one run. Raises `BadInputError` for an unknown or unfinished one."""
    return load(store, _version_of(store, run_id), runs=(run_id,))


def find(store: ProjectFile, start: str) -> str:
    """Return the id of the one response whose id begins with ``start``. Raises `BadInputError` for none or several."""
    with store.read() as db:
        found = stored.responses_named(db, start)
    if len(found) != 1:
        told = "no response" if not found else "more than one response"
        raise BadInputError(f"There is {told} whose id begins with {start}.")
    return found[0]


def of_run(
    store: ProjectFile, data: ResultData, run_id: str, by: str = "", value: str = ""
) -> tuple[ItemScoreRow, ...]:
    """Return a run's responses as `items` does, from results that are loaded already."""
    wanted = data.items
    if by:
        wanted = tuple(item for item, group in zip(data.items, data.groups(by), strict=True) if group == value)
    facts = {item.subject_id: item for item in wanted}
    return _responses(store, (run_id,), facts, all_items=not by)


def of_item(store: ProjectFile, data: ResultData, subject_id: str) -> tuple[ItemScoreRow, ...]:
    """Return the responses of every run to one item, by model and sample."""
    chosen = {item.subject_id: item for item in data.items if item.subject_id == subject_id}
    rows = _responses(store, [entry.run.id for entry in data.entries], chosen)
    labels = {entry.run.id: entry.label for entry in data.entries}
    return tuple(
        sorted((replace(row, model=labels[row.run_id]) for row in rows), key=lambda row: (row.model, row.sample))
    )


def _responses(
    store: ProjectFile, run_ids: Sequence[str], facts: Mapping[str, ItemRow], *, all_items: bool = False
) -> tuple[ItemScoreRow, ...]:
    with store.read() as db:
        found = stored.responses_at(db, run_ids, () if all_items else tuple(facts)) if facts else []
    rows = [
        ItemScoreRow(
            subject_id=subject,
            key=facts[subject].key,
            title=facts[subject].title,
            language=facts[subject].language,
            domain=facts[subject].domain,
            sample=sample,
            outcome=outcome,
            score=score,
            response_id=response,
            run_id=run,
            mode=facts[subject].mode,
        )
        for run, subject, sample, outcome, score, response in found
        if subject in facts
    ]
    return tuple(sorted(rows, key=lambda row: (row.key, row.sample)))


def _version_of(store: ProjectFile, run_id: str) -> str:
    with store.read() as db:
        version = stored.version_of(db, run_id)
    if version is None:
        raise BadInputError("There is no such run in this project.")
    return version


_VERDICTS = MappingProxyType({"True": "passed", "False": "failed"})
_LOG_KEYS = ("reason", "message", "log", "stdout", "stderr", "weaker")


@dataclass(frozen=True, slots=True)
class RuleLine:
    """What one rule gave; ``matched`` is None where it could not be judged, ``spans`` are places in the response."""

    label: str
    metric: str
    matched: bool | None
    points: float
    total: float | None
    why: str
    detail: str
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything the drill-down shows of a response; ``log`` is what running it said, empty if nothing was run.

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


def explain(store: ProjectFile, response_id: str, data: ResultData | None = None) -> Explanation:
    """Return a response with what explains its score; ``data`` gives the other models' answers.

    Rules are those kept with the score; highlights and reasons come from reading the response again. Raises
    `BadInputError` if there is none.
    """
    detail = response_detail(store, response_id)
    with store.read() as db:
        response, score, _, item = runs.response(db, response_id)
    facts: Mapping[str, Any] = score.detail if score else {}
    compared = compare_with_reference(item, detail.text, str(facts.get("how") or ""))
    others = of_item(store, data, response.subject_id) if data is not None else ()
    return Explanation(
        detail=detail,
        subject_id=response.subject_id,
        rules=_rules(detail, facts),
        log=log_of(facts),
        diff=line_diff(compared.reference, compared.answer) if compared.reference and detail.text else (),
        compared=compared,
        others=tuple(row for row in others if row.response_id != response_id),
        history=_history(store, response.subject_id),
        labels=error_labels.labels_of(store, response_id),
    )


def item_of(store: ProjectFile, response_id: str) -> str:
    """Return the subject that a response answers. Raises `BadInputError` for an unknown one."""
    with store.read() as db:
        return runs.response(db, response_id)[0].subject_id


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to one item beside each other, each as the program that was found in it.

    ``diff`` leads from the other answer to this one; ``other_diff`` and ``own_diff`` lead from the reference to each.
    """

    detail: ResponseDetail
    other: str
    own: str
    diff: tuple[DiffPart, ...]
    other_diff: tuple[DiffPart, ...]
    own_diff: tuple[DiffPart, ...]


def compare_answers(store: ProjectFile, own_id: str, other_id: str) -> AnswerPair:
    """Return an answer beside another one to the same item, compared with each other and with the reference.

    Raises `BadInputError` for an unknown response, and for two that are about different items.
    """
    found = []
    for response_id in (own_id, other_id):
        with store.read() as db:
            response, score, _, item = runs.response(db, response_id)
        how = str(score.detail.get("how") or "") if score else ""
        found.append((response.subject_id, compare_with_reference(item, response.text, how)))
    (own_subject, own), (other_subject, other) = found
    if own_subject != other_subject:
        raise BadInputError("These are answers to different items, so there is nothing to set beside each other.")
    reference = own.reference
    return AnswerPair(
        detail=response_detail(store, other_id),
        other=other.answer,
        own=own.answer,
        diff=line_diff(other.answer, own.answer),
        other_diff=line_diff(reference, other.answer) if reference else (),
        own_diff=line_diff(reference, own.answer) if reference else (),
    )


def _history(store: ProjectFile, subject_id: str) -> tuple[HistoryRow, ...]:
    try:
        return triage.history(store, subject_id)
    except BadInputError:
        return ()


def _rules(detail: ResponseDetail, facts: Mapping[str, Any]) -> tuple[RuleLine, ...]:
    again = _read_again(detail)
    kept = [_kept(rule) for rule in facts.get("rules", ()) if isinstance(rule, Mapping)]
    if not kept:
        return tuple(_line(rule) for rule in again)
    by_label = {(rule.metric, rule.label): rule for rule in again}
    lines = []
    for line in kept:
        same = by_label.get((line.metric, line.label))
        if same is None:
            lines.append(line)
        else:
            said = same.detail if line.matched is False and same.matched is False else line.detail
            lines.append(replace(line, why=same.why, spans=same.spans, total=same.total, detail=said))
    return tuple(lines)


def _kept(rule: Mapping[str, Any]) -> RuleLine:
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


def _line(rule: RuleResult) -> RuleLine:
    return RuleLine(rule.label, rule.metric, rule.matched, rule.points, rule.total, rule.why, rule.detail, rule.spans)


def _read_again(detail: ResponseDetail) -> Sequence[RuleResult]:
    """Read the response by the released criterion once more, for highlights; nothing is run."""
    if not detail.source or not detail.text:
        return ()
    document = check(detail.source, detail.files).document
    return score(document, detail.text).rules if document else ()


def log_of(facts: Mapping[str, Any]) -> str:
    """Return what running the response said: reasons, logs, and what each test said."""
    lines = [f"{name}: {facts[name]}" for name in _LOG_KEYS if facts.get(name)]
    for test in facts.get("tests", ()) or ():
        if isinstance(test, Mapping):
            words = [str(test.get(name, "")) for name in ("name", "outcome", "message", "detail")]
            lines.append("  ".join(word for word in words if word))
    for rule in facts.get("rules", ()):
        if isinstance(rule, Mapping) and rule.get("metric") == "unit_test":
            verdict = _VERDICTS.get(str(rule.get("matched")), "not judged")
            lines.append(f"{rule.get('label', 'test')}: {verdict}\n{rule.get('detail', '')}".rstrip())
    return "\n".join(lines)


def response_detail(store: ProjectFile, response_id: str) -> ResponseDetail:
    """Return one response with the released prompt, reference and criterion that explain its score."""
    with store.read() as db:
        response, score, model, item = runs.response(db, response_id)
        settled = settlements.of_response(db, response_id)
    told, value = (score.outcome, score.score) if score else ("machinery", None)
    outcome = told
    if settled and told in UNSETTLED:
        outcome = settled[-1].verdict
        value = float(outcome == "pass")
    return ResponseDetail(
        key=item["key"],
        title=item["title"],
        model=model.name,
        sample=response.sample,
        outcome=outcome,
        score=value,
        prompt=item["prompt"],
        text=response.text,
        reference=item["reference"],
        source=item["criterion"],
        files=item.get("files", {}),
        response_id=response.id,
        mode=mode_of(item),
        told=told,
        settled=settled,
    )


def failed_rows(store: ProjectFile, data: ResultData, target: Target) -> tuple[ItemScoreRow, ...]:
    """Return a run's failed responses that a cell of the table counts, by item and sample."""
    wanted = {item.response_id: item for item in error_labels.failed(store, target.run_id)}
    if target.by:
        wanted = {
            key: item
            for key, item in wanted.items()
            if (any(row.label == target.value for row in item.labels) if target.value else not item.labels)
        }
    return tuple(row for row in of_run(store, data, target.run_id) if row.response_id in wanted)
