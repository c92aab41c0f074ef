"""Sum a run up: item scores, interval, outcomes by kind, and means by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from annotator.metrics.intervals import mean_interval
from annotator.model.words import Outcome

GROUPS = ("language", "domain", "task", "difficulty")
NO_ANSWER = (Outcome.EMPTY, Outcome.REFUSAL, Outcome.TRUNCATED)


@dataclass(frozen=True, slots=True)
class Sample:
    """One response's outcome on one item; ``score`` is None when the machinery failed."""

    subject_id: str
    outcome: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers; ``score`` is the mean over the ``evaluated`` items, each the mean of its samples."""

    score: float | None
    low: float | None
    high: float | None
    evaluated: int
    samples: int
    passed: int
    partial: int
    failed: int
    no_answer: int
    machinery: int
    groups: dict[str, dict[str, float | None]]


def summarise(samples: Sequence[Sample], labels: Mapping[str, Mapping[str, str]]) -> Summary:
    """Sum up a run.

    ``labels`` maps each item's subject id to its language, domain, task and difficulty. Items all of whose samples
    failed in machinery leave the mean, and the caller shows "n of N evaluated" (metrics specification, section 0).
    """
    outcomes = Counter(sample.outcome for sample in samples)
    scores: dict[str, list[float]] = {}
    for sample in samples:
        if sample.score is not None:
            scores.setdefault(sample.subject_id, []).append(sample.score)
    means = {subject: fmean(values) for subject, values in scores.items()}
    interval = mean_interval(list(means.values()))
    return Summary(
        score=fmean(means.values()) if means else None,
        low=interval[0] if interval else None,
        high=interval[1] if interval else None,
        evaluated=len(means),
        samples=len(samples),
        passed=outcomes[Outcome.PASS],
        partial=outcomes[Outcome.PARTIAL],
        failed=outcomes[Outcome.FAIL],
        no_answer=sum(outcomes[kind] for kind in NO_ANSWER),
        machinery=outcomes[Outcome.MACHINERY],
        groups={group: _group_means(group, means, labels) for group in GROUPS},
    )


def _group_means(
    group: str, means: Mapping[str, float], labels: Mapping[str, Mapping[str, str]]
) -> dict[str, float | None]:
    found: dict[str, list[float]] = {label[group]: [] for label in labels.values() if label[group]}
    for subject, mean in means.items():
        name = labels.get(subject, {}).get(group, "")
        if name:
            found[name].append(mean)
    return {name: fmean(values) if values else None for name, values in sorted(found.items())}
