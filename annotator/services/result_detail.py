"""One response explained: what every rule gave, the tests' words, the reference beside it, other models, sign-offs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from annotator.base.errors import BadInputError
from annotator.model.results import ItemScoreRow, ResponseDetail
from annotator.model.rows import HistoryRow
from annotator.model.run_rows import LabelRow
from annotator.services import labelling, results, selecting
from annotator.store import runs
from annotator.store.project_file import ProjectFile
from annotator.text.diff import DiffPart, line_diff

if TYPE_CHECKING:
    from annotator.criteria import RuleResult
    from annotator.services.result_data import ResultData

_VERDICTS = MappingProxyType({"True": "passed", "False": "failed"})
_LOG_KEYS = ("reason", "log", "stdout", "stderr", "weaker")


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
    """Everything the drill-down shows of a response; ``log`` is what running it said, empty if nothing was run."""

    detail: ResponseDetail
    subject_id: str
    rules: tuple[RuleLine, ...]
    log: str
    diff: tuple[DiffPart, ...]
    others: tuple[ItemScoreRow, ...]
    history: tuple[HistoryRow, ...]
    labels: tuple[LabelRow, ...]


def explain(store: ProjectFile, response_id: str, data: ResultData | None = None) -> Explanation:
    """Return a response with what explains its score; ``data`` gives the other models' answers.

    Rules are those kept with the score; highlights and reasons come from reading the response again. Raises
    `BadInputError` if there is none.
    """
    detail = results.response_detail(store, response_id)
    with store.read() as db:
        response, score, _, _ = runs.response(db, response_id)
    told: Mapping[str, Any] = score.detail if score else {}
    others = results.of_item(store, data, response.subject_id) if data is not None else ()
    return Explanation(
        detail=detail,
        subject_id=response.subject_id,
        rules=_rules(detail, told),
        log=_log(told),
        diff=line_diff(detail.reference, detail.text) if detail.reference and detail.text else (),
        others=tuple(row for row in others if row.response_id != response_id),
        history=_history(store, response.subject_id),
        labels=labelling.labels_of(store, response_id),
    )


def _history(store: ProjectFile, subject_id: str) -> tuple[HistoryRow, ...]:
    try:
        return selecting.history(store, subject_id)
    except BadInputError:
        return ()


def _rules(detail: ResponseDetail, told: Mapping[str, Any]) -> tuple[RuleLine, ...]:
    again = _read_again(detail)
    kept = [_kept(rule) for rule in told.get("rules", ()) if isinstance(rule, Mapping)]
    if not kept:
        return tuple(_line(rule) for rule in again)
    by_label = {(rule.metric, rule.label): rule for rule in again}
    lines = []
    for line in kept:
        same = by_label.get((line.metric, line.label))
        if same is None:
            lines.append(line)
        else:
            lines.append(replace(line, why=same.why, spans=same.spans, total=same.total))
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
    from annotator.criteria import check, score

    if not detail.source or not detail.text:
        return ()
    document = check(detail.source, detail.files).document
    return score(document, detail.text).rules if document else ()


def _log(told: Mapping[str, Any]) -> str:
    """Return what running the response said: reasons, logs, and what each test said."""
    lines = [f"{name}: {told[name]}" for name in _LOG_KEYS if told.get(name)]
    for test in told.get("tests", ()) or ():
        if isinstance(test, Mapping):
            words = [str(test.get(name, "")) for name in ("name", "outcome", "message", "detail")]
            lines.append("  ".join(word for word in words if word))
    for rule in told.get("rules", ()):
        if isinstance(rule, Mapping) and rule.get("metric") == "unit_test":
            verdict = _VERDICTS.get(str(rule.get("matched")), "not judged")
            lines.append(f"{rule.get('label', 'test')}: {verdict}\n{rule.get('detail', '')}".rstrip())
    return "\n".join(lines)
