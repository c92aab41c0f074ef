"""Evidence for the release audit from the finished runs on a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from annotator.base.messages import Message, join_messages, mark_word
from annotator.model.rows.audit_rows import MET, NOT_MET, AuditEvidence, AuditPoint
from annotator.services.release.audit_items import Item, judge_part, judge_value, unknown_evidence
from annotator.services.results.error_labels import LabelCounts
from annotator.services.results.score_data import ResultData, ResultEntry

_NO_RUN = Message("No run of this release is finished.")
_OUTCOMES_WITHOUT_CODE = ("empty", "refusal", "truncated", "filtered")
_DOUBTFUL_OUTCOMES = ("disputed", "flaky", "tampered")
_VERSION_FIELDS = ("version", "revision", "released", "date")
_MIN_GROUP_SIZE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """The facts from which evidence about runs is computed; ``data`` is None if no run is finished.

    ``peaks`` are leak ratios by model, None where the runs are not enough to compute one; ``failures`` counts the
    requests without an answer in all runs; ``published`` names the project's tables of other benchmarks.
    """

    data: ResultData | None
    items: Sequence[Item]
    labels: Mapping[str, LabelCounts] = field(default_factory=dict)
    peaks: Mapping[str, float | None] = field(default_factory=dict)
    failures: int = 0
    published: Sequence[str] = ()


def _count_outcomes(data: ResultData) -> Counter[str]:
    total: Counter[str] = Counter()
    for index in range(len(data.entries)):
        total += data.outcomes(index)
    return total


def isolation_evidence(point: AuditPoint, facts: RunFacts) -> AuditEvidence:
    """Return evidence on isolation: the items' test modes, and the share of doubtful verdicts in the runs."""
    modes = Counter(str((item.get("mode") or {}).get("name", "")) for item in facts.items)
    modes_text = join_messages(
        Message("{name} {count}", name=mark_word(name or "-"), count=modes[name]) for name in ("judged", "shared", "")
    )
    if facts.data is None:
        return unknown_evidence(
            Message("Where tests run: {list}. No finished run shows how many verdicts are doubtful.", list=modes_text)
        )
    counts = _count_outcomes(facts.data)
    doubtful = sum(counts[name] for name in _DOUBTFUL_OUTCOMES)
    total = counts.total()
    text = Message(
        "Where tests run: {list}. {count} of {total} verdicts are doubtful.",
        list=modes_text,
        count=doubtful,
        total=total,
    )
    return judge_value(point, doubtful / total, text, "Results") if total else unknown_evidence(text, "Results")


def _judge_cutoffs(_: AuditPoint, facts: RunFacts, data: ResultData) -> AuditEvidence:
    cutoffs = [str(entry.run.about.get("cutoff") or "") for entry in data.entries]
    dates = [str(item["provenance"].get("date") or item["provenance"].get("created_at") or "") for item in facts.items]
    if not all(cutoffs) or not all(dates):
        return unknown_evidence(
            Message("{count} of {total} items have a date, {known} of {models} models have a cutoff date",
                    count=sum(map(bool, dates)), total=len(dates), known=sum(map(bool, cutoffs)), models=len(cutoffs)),
            "Runs",
        )  # fmt: skip
    newest = max(cutoffs)
    older = sum(date <= newest for date in dates)
    text = Message("{count} of {total} items are not newer than {date}", count=older, total=len(dates), date=newest)
    return AuditEvidence(NOT_MET if older else MET, text, "Runs", older / len(dates))


def _judge_leak_check(point: AuditPoint, facts: RunFacts, _: ResultData) -> AuditEvidence:
    ratios = {name: value for name, value in facts.peaks.items() if value is not None}
    text: str = Message("{count} of {total} models have both greedy and sampled answers (CDD)", count=len(ratios),
                        total=len(facts.peaks))  # fmt: skip
    if not ratios:
        return unknown_evidence(text, "Results")
    ratios_text = ", ".join(f"{name} {100 * value:.1f} %" for name, value in ratios.items())
    text = Message("{text}; leak ratio: {list}", text=text, list=ratios_text)
    return judge_value(point, max(ratios.values()), text, "Results")


def _judge_models(point: AuditPoint, _: RunFacts, data: ResultData) -> AuditEvidence:
    descriptions = {entry.run.model: entry.run.about for entry in data.entries}
    dated = sum(any(facts.get(name) for name in _VERSION_FIELDS) for facts in descriptions.values())
    text = Message("{count} models ({list}), {dated} of them with a version or date", count=len(descriptions),
                   list=", ".join(descriptions), dated=dated)  # fmt: skip
    return judge_part(judge_value(point, len(descriptions), text, "Runs"), dated, len(descriptions))


def _find_protocol(entry: ResultEntry) -> Mapping[str, Any]:
    """Return a run's protocol; empty for recorded answers, whose stored protocol is a guess and proves nothing."""
    protocol = entry.run.settings.get("protocol")
    return protocol if isinstance(protocol, Mapping) and entry.run.settings.get("endpoint") else {}


def _judge_request_forms(point: AuditPoint, _: RunFacts, data: ResultData) -> AuditEvidence:
    recorded = [entry for entry in data.entries if _find_protocol(entry)]
    protocols = [_find_protocol(entry) for entry in recorded]
    forms = {(str(protocol.get("builder")), str(protocol.get("form"))) for protocol in protocols}
    text = Message("{count} of {total} runs were made here, with {forms} forms of request", count=len(recorded),
                   total=len(data.entries), forms=len(forms))  # fmt: skip
    if len(recorded) < len(data.entries):
        return unknown_evidence(text, "Runs")
    return judge_value(point, len(forms), text, "Runs")


def _judge_decoding(_: AuditPoint, _facts: RunFacts, data: ResultData) -> AuditEvidence:
    recorded = sum(bool(_find_protocol(entry).get("passes")) for entry in data.entries)
    repeated = sum(entry.run.samples > 1 for entry in data.entries)
    text = Message("{count} of {total} runs record their decoding, {repeated} have more than one answer per item",
                   count=recorded, total=len(data.entries), repeated=repeated)  # fmt: skip
    if recorded < len(data.entries):
        return unknown_evidence(text, "Runs")
    return AuditEvidence(MET if repeated else NOT_MET, text, "Runs")


def _judge_environment(_: AuditPoint, _facts: RunFacts, data: ResultData) -> AuditEvidence:
    text = Message("{total} runs name their endpoint; images and machines are not recorded",
                   total=len(data.entries))  # fmt: skip
    return unknown_evidence(text, "Runs")


def _judge_extraction(point: AuditPoint, _: RunFacts, data: ResultData) -> AuditEvidence:
    counts = _count_outcomes(data)
    total = counts.total()
    without_code = sum(counts[name] for name in _OUTCOMES_WITHOUT_CODE)
    text = Message("{count} of {total} answers contain no code", count=without_code, total=total)
    return judge_value(point, without_code / total, text, "Results") if total else unknown_evidence(text)


def _judge_failures(point: AuditPoint, facts: RunFacts, data: ResultData) -> AuditEvidence:
    missing = _count_outcomes(data)["machinery"]
    text = Message("{count} verdicts are missing, {failures} requests have no answer", count=missing,
                   failures=facts.failures)  # fmt: skip
    return judge_value(point, missing + facts.failures, text, "Runs")


def _judge_intervals(_: AuditPoint, _facts: RunFacts, data: ResultData) -> AuditEvidence:
    models = len({entry.run.model for entry in data.one_protocol().entries})
    if models < 2:
        return unknown_evidence(Message("There is only one model, so nothing is compared."), "Results")
    text = Message("{count} models: intervals in the leaderboard, pairs with Holm's correction in Compare",
                   count=models)  # fmt: skip
    return AuditEvidence(MET, text, "Results")


def _judge_stability(_: AuditPoint, _facts: RunFacts, data: ResultData) -> AuditEvidence:
    repeated = sum(entry.run.samples > 1 for entry in data.entries)
    text = Message("{count} of {total} runs repeat their answers", count=repeated, total=len(data.entries))
    return AuditEvidence(MET, text, "Results") if repeated else unknown_evidence(text, "Results")


def _judge_discrimination(point: AuditPoint, _: RunFacts, data: ResultData) -> AuditEvidence:
    values = data.one_protocol().scores.values
    if len(values) < 2:
        return unknown_evidence(Message("One model is not enough to tell items apart."), "Results")
    complete = values[:, ~np.isnan(values).any(axis=0)]
    passed = int((complete >= 1).all(axis=0).sum())
    failed = int((complete <= 0).all(axis=0).sum())
    total = complete.shape[1]
    text = Message("{passed} of {total} items are passed by all models, {failed} by none", passed=passed, total=total,
                   failed=failed)  # fmt: skip
    return judge_value(point, (passed + failed) / total, text, "Results") if total else unknown_evidence(text)


def _judge_correlation(_: AuditPoint, facts: RunFacts, _data: ResultData) -> AuditEvidence:
    if not facts.published:
        return unknown_evidence(Message("The project contains no table of another benchmark."), "Results")
    names = ", ".join(facts.published)
    return unknown_evidence(Message("Tables to compare with: {list}. Compare ranks on Results.", list=names), "Results")


def _judge_errors(point: AuditPoint, facts: RunFacts, _: ResultData) -> AuditEvidence:
    failed = sum(counts.failed for counts in facts.labels.values())
    labelled = sum(counts.labelled for counts in facts.labels.values())
    text = Message("{count} of {total} failed answers have a label", count=labelled, total=failed)
    if not failed or not labelled:
        return unknown_evidence(text, "Results")
    return judge_value(point, labelled / failed, text, "Results")


def _judge_sub_scores(_: AuditPoint, facts: RunFacts, _data: ResultData) -> AuditEvidence:
    groups = []
    small_count = 0
    for name in ("domain", "language", "difficulty"):
        counts = Counter(item[name] for item in facts.items if item[name])
        if len(counts) > 1:
            groups.append(f"{name}: {', '.join(f'{value} {count}' for value, count in counts.most_common(8))}")
            small_count += sum(count < _MIN_GROUP_SIZE for count in counts.values())
    if not groups:
        return unknown_evidence(Message("No label divides the items into groups."), "Results")
    text = Message("{list}. {count} groups have fewer than {fewest} items", list="; ".join(groups), count=small_count,
                   fewest=_MIN_GROUP_SIZE)  # fmt: skip
    return AuditEvidence(NOT_MET if small_count else MET, text, "Results")


def _judge_stored_answers(_: AuditPoint, _facts: RunFacts, data: ResultData) -> AuditEvidence:
    scored = _count_outcomes(data).total()
    expected = sum(entry.run.samples * len(data.items) for entry in data.entries)
    text = Message("{count} of {total} answers are kept with their verdicts", count=scored, total=expected)
    return AuditEvidence(
        MET if scored == expected else NOT_MET, text, "Results", scored / expected if expected else None
    )


_EVIDENCE_BY_POINT: Mapping[str, Callable[[AuditPoint, RunFacts, ResultData], AuditEvidence]] = {
    "cutoffs": _judge_cutoffs,
    "leak-check": _judge_leak_check,
    "models": _judge_models,
    "asked": _judge_request_forms,
    "decoding": _judge_decoding,
    "environment": _judge_environment,
    "extraction": _judge_extraction,
    "machinery": _judge_failures,
    "intervals": _judge_intervals,
    "stability": _judge_stability,
    "discrimination": _judge_discrimination,
    "correlation": _judge_correlation,
    "errors": _judge_errors,
    "sub-scores": _judge_sub_scores,
    "raw": _judge_stored_answers,
}
RUN_POINT_IDS = frozenset(_EVIDENCE_BY_POINT)


def evidence_of_runs(point: AuditPoint, facts: RunFacts) -> AuditEvidence:
    """Return the evidence that runs give on a point; unknown without a finished run."""
    return _EVIDENCE_BY_POINT[point.id](point, facts, facts.data) if facts.data else unknown_evidence(_NO_RUN, "Runs")
