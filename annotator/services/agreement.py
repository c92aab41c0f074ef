"""What came of a study: win, tie, lose with its test, every coefficient of agreement, biases, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Any

from annotator.metrics import agreement as coefficients
from annotator.metrics import judging as verdicts
from annotator.metrics.agreement import AgreementReport, Confusion
from annotator.metrics.judging import Bias, IntraRater, Judged, WinTieLose
from annotator.model.judging_rows import JudgementRow
from annotator.services.judging import refuse_open
from annotator.store import judging
from annotator.store.project_file import ProjectFile

DEFAULT_MARGIN = 0.1


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters against each other: kappa (None: undefined), raw agreement, AC1, and where they differ."""

    first: str
    second: str
    items: int
    kappa: float | None
    raw: float | None
    ac1: float | None
    confusion: Confusion


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater: verdicts on A, agreement with themselves, leaning to a side or to length, time spent."""

    name: str
    judged: int
    result: WinTieLose
    both_bad: int
    intra: IntraRater
    side: Bias
    length: Bias
    seconds: float | None
    median_seconds: float | None


@dataclass(frozen=True, slots=True)
class Cost:
    """Time and money: of the judging people at an hourly rate, and of what made A and B, where it is known."""

    human_hours: float
    human_money: float
    rate: float
    currency: str
    made: dict[str, dict[str, float | None]]


@dataclass(frozen=True, slots=True)
class StudyReport:
    """All tables of a study; ``names`` stay "A" and "B" until the study is unblinded."""

    study: str
    kind: str
    commitment: str
    names: tuple[str, str]
    pairs: int
    judged_pairs: int
    panel: WinTieLose
    single: WinTieLose
    both_bad: int
    margin: float
    non_inferior: bool | None
    agreement: AgreementReport
    rater_pairs: tuple[RaterPair, ...]
    raters: tuple[RaterLine, ...]
    side: Bias
    length: Bias
    cost: Cost


def study_report(
    store: ProjectFile,
    study: str | None = None,
    *,
    margin: float = DEFAULT_MARGIN,
    rate: float = 0.0,
    currency: str = "$",
) -> StudyReport:
    """Return everything about a study; ``rate`` is what an hour of a rater costs.

    Raises `BadInputError` if the annotator has still pairs to judge (results would sway them), or without the key.
    """
    with store.read() as db:
        found = judging.find(db, study)
        refuse_open(judging.open_count(db, found.id, store.annotator.id))
        key = judging.key_of(db, found)
        rows = judging.judgements(db, found, key.sides)
        seen = judging.unblinded_by(db, found.id, store.annotator.id)
        pairs = len(key.sides)
    first = [as_judged(row) for row in rows if row.serving == 1]
    every = [as_judged(row) for row in rows]
    by_rater = verdicts.by_rater(first)
    panel = verdicts.panel(first)
    return StudyReport(
        study=found.name,
        kind=found.kind,
        commitment=found.commitment,
        names=(key.name_a, key.name_b) if seen else ("A", "B"),
        pairs=pairs,
        judged_pairs=len({row.pair_id for row in rows}),
        panel=panel,
        single=_result(first),
        both_bad=sum(item.choice == "both_bad" for item in first),
        margin=margin,
        non_inferior=panel.non_inferior(margin),
        agreement=coefficients.agreement_report(list(by_rater.values()), verdicts.VERDICTS),
        rater_pairs=tuple(_rater_pairs(by_rater)),
        raters=tuple(_raters(rows, first, every)),
        side=verdicts.side_bias(first),
        length=verdicts.length_bias(first),
        cost=_cost(rows, key.facts, rate, currency),
    )


def as_judged(row: JudgementRow) -> Judged:
    """Return a stored judgement as the metrics take it."""
    return Judged(row.pair_id, row.rater, row.choice, row.a_first, row.length_a, row.length_b)


def _result(judged: Iterable[Judged]) -> WinTieLose:
    return verdicts.win_tie_lose([verdicts.verdict(item.choice, item.a_first) for item in judged])


def _rater_pairs(by_rater: dict[str, list[str | None]]) -> Iterable[RaterPair]:
    for (one, a), (other, b) in combinations(sorted(by_rater.items()), 2):
        table = coefficients.confusion(a, b, verdicts.VERDICTS)
        yield RaterPair(
            one,
            other,
            table.n,
            coefficients.cohen_kappa(a, b),
            coefficients.raw_agreement(a, b),
            coefficients.gwet_ac1(a, b, verdicts.VERDICTS),
            table,
        )


def _raters(rows: Sequence[JudgementRow], first: Sequence[Judged], every: Sequence[Judged]) -> Iterable[RaterLine]:
    intra = verdicts.intra_rater(every)
    for name in sorted({row.rater for row in rows}):
        mine = [item for item in first if item.rater == name]
        times = [row.seconds for row in rows if row.rater == name and row.seconds is not None]
        yield RaterLine(
            name=name,
            judged=sum(row.rater == name for row in rows),
            result=_result(mine),
            both_bad=sum(item.choice == "both_bad" for item in mine),
            intra=intra[name],
            side=verdicts.side_bias(mine),
            length=verdicts.length_bias(mine),
            seconds=sum(times) if times else None,
            median_seconds=median(times) if times else None,
        )


def _cost(rows: Sequence[JudgementRow], facts: dict[str, Any], rate: float, currency: str) -> Cost:
    hours = sum(row.seconds or 0.0 for row in rows) / 3600
    made: dict[str, dict[str, float | None]] = {}
    for side in ("a", "b"):
        sums: dict[str, float | None] = {}
        for name in ("seconds", "cost"):
            known = [pair[side][name] for pair in facts.values() if name in pair.get(side, {})]
            sums[name] = float(sum(known)) if known else None
        made[side] = sums
    return Cost(hours, hours * rate, rate, currency, made)
