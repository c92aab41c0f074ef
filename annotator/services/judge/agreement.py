"""The report on a study: win, tie and loss counts, sign test, rater agreement, biases and cost, also as text tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import median
from types import MappingProxyType
from typing import Any

from annotator.base.messages import Message, message_for_count
from annotator.base.records import record_from
from annotator.metrics.agreement import blind_comparisons, coefficients
from annotator.metrics.agreement.blind_comparisons import Bias, Choice, IntraRater, RaterJudgement, WinTieLose
from annotator.metrics.agreement.coefficients import AgreementReport, Confusion, Interval
from annotator.metrics.metric_values import Estimate, Measure, format_percent
from annotator.model.rows.judging_rows import HandoverRow, JudgementRow, RaterBatch, SkippedPair, UnblindingRow
from annotator.model.tables.judging_tables import PAIR, Study
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import refuse_results
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.judging import stored_consensus, studies

# Settlements refer to left and right, so that the person who settles does not need the key.
OUTCOME_NAMES: Mapping[str, str] = MappingProxyType(
    {"win": "left is better", "lose": "right is better", "tie": "tie", "both bad": "both bad"}
)
# The settlement and the side of candidate A -> the choice, as if A had been shown first.
_CHOICE_OF_SETTLEMENT: Mapping[tuple[str, str], Choice] = MappingProxyType(
    {
        ("left is better", "left"): "1", ("left is better", "right"): "2",
        ("right is better", "left"): "2", ("right is better", "right"): "1",
        ("both bad", "left"): "both_bad", ("both bad", "right"): "both_bad",
    }
)  # fmt: skip


def settled_verdicts(db: Session, rows: Iterable[JudgementRow], sides: Mapping[str, str]) -> dict[str, RaterJudgement]:
    """Return pair id -> the settled verdict on candidate A, unless a newer judgement reopened the disagreement.

    ``sides`` is pair id -> side of candidate A, from the key.
    """
    judged_at: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.serving == 1:
            judged_at.setdefault((row.subject_id, row.pair_id), []).append(row.created_at)
    resolutions = stored_consensus.fetch_newest_resolutions(db)
    verdicts = {}
    for (subject, pair), times in judged_at.items():
        settlement = stored_consensus.in_force(resolutions.get((subject, PAIR + pair)), times)
        if settlement is not None:
            choice = _CHOICE_OF_SETTLEMENT.get((settlement.outcome, sides[pair]), "tie")
            verdicts[pair] = RaterJudgement(item=pair, rater="", choice=choice, a_first=True)
    return verdicts


DEFAULT_MARGIN = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPair:
    """Agreement of two raters: kappa, weighted kappa, raw agreement, AC1 (None: undefined) and confusion matrix."""

    first: str
    second: str
    items: int
    kappa: float | None
    weighted: float | None
    raw: float | None
    ac1: float | None
    confusion: Confusion


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterLine:
    """One rater's verdicts on A, agreement with themselves, side and length bias, and time spent."""

    name: str
    judged: int
    result: WinTieLose
    both_bad: int
    intra: IntraRater
    side: Bias
    length: Bias
    seconds: float | None
    median_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCost:
    """Time and money spent: by the raters at an hourly ``rate``, and on producing A and B, where it is known.

    ``made`` is side ("a", "b") -> "seconds" and "cost". ``untimed`` judgements are not in the sum.
    """

    human_hours: float | None
    human_money: float | None
    rate: float
    currency: str
    made: dict[str, dict[str, float | None]]
    untimed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReport:
    """All figures of a study; ``names`` are "A" and "B" until the study is unblinded.

    ``win_rate`` is A's rate over pairs, a tie counting half; ``side_adjusted`` is the mean of the rate where A was
    shown first and the rate where it was shown second. ``identical`` pairs are ties that nobody judged; they count in
    ``panel``, ``adjudicated`` and ``win_rate``, and not in agreement. ``adjudicated`` replaces the raters' majority by
    the settled outcome for each of the ``settled`` pairs; it is None if there are none. ``late`` judgements were made
    after the unblinding and are excluded everywhere. ``unsealed`` are the batches that unblinding would close.
    ``skipped`` pairs have no verdict by the rater who skipped them, and count nowhere else. ``handovers`` moved pairs
    to another rater than planned.
    """

    study: str
    kind: str
    commitment: str
    names: tuple[str, str]
    pairs: int
    judged_pairs: int
    panel: WinTieLose
    single: WinTieLose
    win_rate: Estimate | None
    side_adjusted: Estimate | None
    both_bad: int
    margin: float
    non_inferior: bool | None
    agreement: AgreementReport
    rater_pairs: tuple[RaterPair, ...]
    raters: tuple[RaterLine, ...]
    side: Bias
    length: Bias
    cost: StudyCost
    identical: int = 0
    settled: int = 0
    adjudicated: WinTieLose | None = None
    late: int = 0
    unblindings: tuple[UnblindingRow, ...] = ()
    batches: tuple[RaterBatch, ...] = ()
    unsealed: tuple[RaterBatch, ...] = ()
    skipped: tuple[SkippedPair, ...] = ()
    handovers: tuple[HandoverRow, ...] = ()

    @property
    def raters_done(self) -> int:
        """The number of raters who have judged or skipped all of their pairs."""
        return sum(batch.is_done for batch in self.batches)


def study_report(
    store: ProjectFile,
    study: str | None = None,
    *,
    margin: float = DEFAULT_MARGIN,
    rate: float = 0.0,
    currency: str = "$",
    bad_apart: bool = False,
) -> StudyReport:
    """Return the report on a study (None: the newest); ``rate`` is the cost of a rater's hour.

    With ``bad_apart``, agreement counts "both bad" as a separate verdict instead of a tie.
    Raises `BadInputError` while the annotator can change verdicts (results would sway them), or without the key.
    """
    with store.read() as db:
        study_row = studies.find_study(db, study)
        refuse_results(db, study_row, store.annotator.id)
        key = studies.key_of(db, study_row)
        all_rows = studies.fetch_judgements(db, study_row, key.sides)
        rows = [row for row in all_rows if not row.late]
        unblindings = studies.fetch_unblindings(db, study_row.id)
        is_unblinded = store.annotator.name in {unblinding.annotator for unblinding in unblindings}
        settled = settled_verdicts(db, rows, key.sides)
        identical_ties = blind_judging.identical_ties(study_row)
        state_fields = _load_study_state(db, study_row)
    first_servings = [as_rater_judgement(row) for row in rows if row.serving == 1]
    all_servings = [as_rater_judgement(row) for row in rows]
    by_rater = blind_comparisons.verdicts_by_rater(first_servings, separate_both_bad=bad_apart)
    categories = blind_comparisons.verdict_categories(separate_both_bad=bad_apart)
    panel = blind_comparisons.panel_result([*first_servings, *identical_ties])
    unsettled = [item for item in first_servings if item.item not in settled]
    final_verdicts = [*unsettled, *settled.values(), *identical_ties]
    return StudyReport(
        study=study_row.name,
        kind=study_row.kind,
        commitment=study_row.commitment,
        names=(key.name_a, key.name_b) if is_unblinded else ("A", "B"),
        pairs=len(key.sides),
        judged_pairs=len({row.pair_id for row in rows}),
        panel=panel,
        single=_count_each(first_servings),
        win_rate=blind_comparisons.win_rate([*first_servings, *identical_ties]),
        side_adjusted=blind_comparisons.side_adjusted_rate([*first_servings, *identical_ties]),
        both_bad=sum(item.choice == "both_bad" for item in first_servings),
        margin=margin,
        non_inferior=panel.non_inferior(margin),
        agreement=coefficients.agreement_report(list(by_rater.values()), categories),
        rater_pairs=tuple(_compare_raters(by_rater, categories)),
        raters=tuple(_describe_raters(rows, first_servings, all_servings)),
        side=blind_comparisons.side_bias(first_servings),
        length=blind_comparisons.length_bias(first_servings),
        cost=_sum_cost(rows, key.facts, rate, currency),
        identical=len(identical_ties),
        settled=len(settled),
        adjudicated=blind_comparisons.panel_result(final_verdicts) if settled else None,
        late=len(all_rows) - len(rows),
        unblindings=unblindings,
        **state_fields,
    )


def _load_study_state(db: Session, study: Study) -> dict[str, Any]:
    """Return the fields of a report on the raters' batches, skipped pairs and handovers."""
    return {
        "batches": studies.fetch_rater_batches(db, study.id),
        "unsealed": studies.list_unsealed_batches(db, study),
        "skipped": studies.fetch_skipped_pairs(db, study.id, studies.judged_slots(db, study.id)),
        "handovers": studies.fetch_handovers(db, study.id),
    }


def judgement_rows(store: ProjectFile, study: str | None = None) -> list[tuple[object, ...]]:
    """Return a study's judgements: pair, subject, rater, A's verdict, both bad, serving, seconds, time, is late.

    Raises the errors of `study_report`.
    """
    with store.read() as db:
        study_row = studies.find_study(db, study)
        refuse_results(db, study_row, store.annotator.id)
        rows = studies.fetch_judgements(db, study_row, studies.key_of(db, study_row).sides)
    return [
        (row.pair_id, row.subject_id, row.rater, str(blind_comparisons.verdict_on_a(row.choice, row.a_first)),
         row.choice == "both_bad", row.serving, row.seconds, row.created_at, row.late)
        for row in rows
    ]  # fmt: skip


def as_rater_judgement(row: JudgementRow) -> RaterJudgement:
    """Convert a stored judgement to the metrics' record."""
    return record_from(RaterJudgement, row, item=row.pair_id)


def _count_verdicts(judged: Iterable[RaterJudgement]) -> WinTieLose:
    verdicts = [blind_comparisons.verdict_on_a(item.choice, item.a_first) for item in judged]
    return blind_comparisons.win_tie_lose(verdicts)


def _count_each(judged: Sequence[RaterJudgement]) -> WinTieLose:
    """Count every judgement. Judgements of one pair are not independent: the interval is over pairs, without a test."""
    rate = blind_comparisons.not_worse_rate(judged)
    return replace(_count_verdicts(judged), low=rate.low if rate else None, high=rate.high if rate else None, p=None)


def _compare_raters(by_rater: dict[str, list[str | None]], categories: Sequence[str]) -> Iterable[RaterPair]:
    for (first_name, first_verdicts), (second_name, second_verdicts) in combinations(sorted(by_rater.items()), 2):
        table = coefficients.confusion_table(first_verdicts, second_verdicts, categories)
        yield RaterPair(
            first=first_name,
            second=second_name,
            items=table.n,
            kappa=coefficients.cohen_kappa(first_verdicts, second_verdicts),
            weighted=coefficients.weighted_kappa(first_verdicts, second_verdicts, categories),
            raw=coefficients.raw_agreement(first_verdicts, second_verdicts),
            ac1=coefficients.gwet_ac1(first_verdicts, second_verdicts, categories),
            confusion=table,
        )


def _describe_raters(
    rows: Sequence[JudgementRow], first_servings: Sequence[RaterJudgement], all_servings: Sequence[RaterJudgement]
) -> Iterable[RaterLine]:
    intra = blind_comparisons.intra_rater(all_servings)
    for name in sorted({row.rater for row in rows}):
        own_judgements = [item for item in first_servings if item.rater == name]
        times = [row.seconds for row in rows if row.rater == name and row.seconds is not None]
        yield RaterLine(
            name=name,
            judged=sum(row.rater == name for row in rows),
            result=_count_verdicts(own_judgements),
            both_bad=sum(item.choice == "both_bad" for item in own_judgements),
            intra=intra[name],
            side=blind_comparisons.side_bias(own_judgements),
            length=blind_comparisons.length_bias(own_judgements),
            seconds=sum(times) if times else None,
            median_seconds=median(times) if times else None,
        )


def _sum_cost(rows: Sequence[JudgementRow], facts: dict[str, Any], rate: float, currency: str) -> StudyCost:
    times = [row.seconds for row in rows if row.seconds is not None]
    hours = sum(times) / 3600 if times else None
    by_side: dict[str, dict[str, float | None]] = {}
    for side in ("a", "b"):
        sums: dict[str, float | None] = {}
        for name in ("seconds", "cost"):
            amounts = [pair[side][name] for pair in facts.values() if name in pair.get(side, {})]
            sums[name] = float(sum(amounts)) if amounts else None
        by_side[side] = sums
    return StudyCost(
        human_hours=hours,
        human_money=None if hours is None else hours * rate,
        rate=rate,
        currency=currency,
        made=by_side,
        untimed=len(rows) - len(times),
    )


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts; ``right`` are the indices of right-aligned columns."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()


def study_tables(report: StudyReport) -> tuple[TextTable, ...]:
    """Return every table of a report, the most important first."""
    tables = (
        _make_result_table,
        _make_win_rate_table,
        _make_agreement_table,
        _make_rater_pair_table,
        _make_confusion_table,
        _make_rater_table,
        _make_cost_table,
    )
    return tuple(table(report) for table in tables)


def study_notes(report: StudyReport) -> list[str]:
    """Return the conclusion on non-inferiority, the warnings and the log of unblindings, one per line."""
    a, b = report.names
    worse = 1 - report.margin
    conclusion = {
        None: "no pair is judged yet",
        True: f"yes, {a} is not worse than {b}",
        False: f"not shown that {a} is no worse than {b}",
    }[report.non_inferior]
    lines = [f"Non-inferiority (the interval's low end at least {format_percent(worse)} %): {conclusion}."]
    lines += [f"Warning: {text}." for text in report.agreement.warnings]
    if 0 < report.judged_pairs < blind_comparisons.FEW_PAIRS:
        lines.append(
            message_for_count(
                "Warning: only {count} pair is judged, too few for firm conclusions; mind the wide intervals.",
                "Warning: only {count} pairs are judged, too few for firm conclusions; mind the wide intervals.",
                report.judged_pairs,
            )
        )
    if report.cost.untimed:
        lines.append(
            message_for_count(
                "{count} judgement has no recorded time and is left out of the hours.",
                "{count} judgements have no recorded time and are left out of the hours.",
                report.cost.untimed,
            )
        )
    if report.identical:
        lines.append(
            message_for_count(
                "{count} pair has the same answer on both sides: a tie without judging. It is included in wins, ties "
                "and losses, but not in agreement.",
                "{count} pairs have the same answer on both sides: ties without judging. They are included in wins, "
                "ties and losses, but not in agreement.",
                report.identical,
            )
        )
    if report.late:
        lines.append(
            message_for_count(
                "{count} judgement was made after the study was unblinded and is left out.",
                "{count} judgements were made after the study was unblinded and are left out.",
                report.late,
            )
        )
    lines += [*_skip_notes(report), *map(_describe_handover, report.handovers)]
    lines += [
        Message("Unblinded by {name} on {day}: {reason}", name=unblinding.annotator, day=unblinding.created_at[:10],
                reason=unblinding.reason)
        for unblinding in report.unblindings
    ]  # fmt: skip
    if report.names == ("A", "B"):
        lines.append(Message("The identities of A and B stay hidden until the study is unblinded, which is logged."))
    return lines


def _skip_notes(report: StudyReport) -> Iterator[str]:
    if report.skipped:
        yield message_for_count(
            "{count} pair was skipped, which is no verdict and counts nowhere else.",
            "{count} pairs were skipped, which is no verdict and counts nowhere else.",
            len(report.skipped),
        )
    for row in report.skipped:
        yield Message("Skipped by {name}, pair {number}: {reason}", name=row.rater, number=row.position + 1,
                      reason=row.reason)  # fmt: skip


def _describe_handover(row: HandoverRow) -> str:
    if not row.rater:
        return message_for_count(
            "{name} cancelled {count} repeated pair of {giver} on {day}: {reason}",
            "{name} cancelled {count} repeated pairs of {giver} on {day}: {reason}",
            row.pairs, name=row.annotator, giver=row.drawn_for, day=row.created_at[:10], reason=row.reason,
        )  # fmt: skip
    return message_for_count(
        "{name} gave {count} pair of {giver} to {taker} on {day}: {reason}",
        "{name} gave {count} pairs of {giver} to {taker} on {day}: {reason}",
        row.pairs, name=row.annotator, giver=row.drawn_for, taker=row.rater, day=row.created_at[:10],
        reason=row.reason,
    )  # fmt: skip


def coefficient_text(value: float | None, digits: int = 3) -> str:
    """Format a coefficient, "n/a" if it is undefined."""
    return "n/a" if value is None else f"{value:.{digits}f}"


def format_p_value(value: float | None) -> str:
    """Format a p-value, "n/a" if there is no test."""
    if value is None:
        return "n/a"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def interval_text(low: float | None, high: float | None) -> str:
    """Format an interval of shares in percent, "n/a" if there is none."""
    return "n/a" if low is None else f"{format_percent(low)} to {format_percent(high)}"


def _make_result_row(name: str, tally: WinTieLose, both_bad: str) -> tuple[str, ...]:
    interval = interval_text(tally.low, tally.high)
    counts = (str(tally.wins), str(tally.ties), str(tally.losses))
    return (name, *counts, both_bad, format_percent(tally.not_worse), interval, format_p_value(tally.p))


def _make_result_table(report: StudyReport) -> TextTable:
    a, b = report.names
    headers = ("verdicts", f"{a} wins", "tie", f"{b} wins", "both bad", "not worse %", "95 % interval", "sign test p")
    rows = [_make_result_row("majority of raters", report.panel, "")]
    if report.adjudicated is not None:
        rows.append(_make_result_row(f"adjudicated ({report.settled} settled)", report.adjudicated, ""))
    rows.append(_make_result_row("every judgement", report.single, str(report.both_bad)))
    return TextTable(Message("Win, tie, lose"), headers, tuple(rows), (1, 2, 3, 4, 5, 6, 7))


def _make_win_rate_table(report: StudyReport) -> TextTable:
    rows: list[tuple[str, ...]] = []
    if report.win_rate is not None:
        for position, name in enumerate(report.names):
            rates = [_rate_texts(rate, is_side_b=position == 1) for rate in (report.win_rate, report.side_adjusted)]
            rows.append((name, *rates[0], *rates[1], str(report.win_rate.n)))
    headers = ("side", "win rate %", "95 % interval", "side-adjusted %", "95 % interval", "pairs")
    return TextTable(Message("Win rate (a tie is half a win)"), headers, tuple(rows), (1, 2, 3, 4, 5))


def _rate_texts(rate: Estimate | None, *, is_side_b: bool) -> tuple[str, str]:
    """Return a rate of A with its interval in percent, or with ``is_side_b`` that of B."""
    if rate is None:
        return "n/a", "n/a"
    if not is_side_b:
        return format_percent(rate.value), interval_text(rate.low, rate.high)
    low = None if rate.high is None else 1 - rate.high
    high = None if rate.low is None else 1 - rate.low
    return format_percent(1 - rate.value), interval_text(low, high)


def _make_agreement_table(report: StudyReport) -> TextTable:
    agreement = report.agreement
    pair_range = ""
    if agreement.raters > 2 and agreement.kappa_low is not None and agreement.kappa_high is not None:
        pair_range = f"{coefficient_text(agreement.kappa_low)} to {coefficient_text(agreement.kappa_high)}"
    coefficient_rows = (
        ("raw agreement", "raw", agreement.raw, ""),
        ("Cohen's kappa, mean of pairs", "kappa", agreement.kappa, pair_range),
        ("Weighted kappa, mean of pairs", "weighted", agreement.weighted, ""),
        ("Fleiss' kappa", "fleiss", agreement.fleiss, ""),
        ("Krippendorff's alpha", "alpha", agreement.alpha, ""),
        ("Gwet's AC1", "ac1", agreement.ac1, ""),
    )
    rows = tuple(
        _measure_row(name, value, agreement.intervals.get(key), remark) for name, key, value, remark in coefficient_rows
    )
    title = message_for_count("Agreement of {raters} rater", "Agreement of {raters} raters", agreement.raters,
                              raters=agreement.raters)  # fmt: skip
    return TextTable(title, ("coefficient", "value", "95 % interval", "remark"), rows, (1, 2))


def _measure_row(name: str, measure: Measure, interval: Interval | None, remark: str) -> tuple[str, ...]:
    interval_cell = "n/a" if interval is None else f"{coefficient_text(interval[0])} to {coefficient_text(interval[1])}"
    return (
        name,
        coefficient_text(measure.value),
        interval_cell,
        "; ".join(part for part in (remark, measure.reason, measure.note) if part),
    )


def _make_rater_pair_table(report: StudyReport) -> TextTable:
    rows = tuple(
        (f"{item.first} and {item.second}", str(item.items), coefficient_text(item.raw), coefficient_text(item.kappa),
         coefficient_text(item.weighted), coefficient_text(item.ac1))
        for item in report.rater_pairs
    )  # fmt: skip
    headers = ("raters", "pairs", "raw", "kappa", "weighted kappa", "AC1")
    return TextTable(Message("Pairs of raters"), headers, rows, (1, 2, 3, 4, 5))


def _make_confusion_table(report: StudyReport) -> TextTable:
    rows = []
    for item in report.rater_pairs:
        categories_in_order = item.confusion.categories
        for row, label in enumerate(categories_in_order):
            counts = tuple(str(count) for count in item.confusion.counts[row])
            agreement = coefficient_text(item.confusion.agreement[label])
            rows.append((f"{item.first} / {item.second}", str(label), *counts, agreement))
    categories: Sequence[str] = blind_comparisons.VERDICTS
    if rows:
        categories = [str(word) for word in report.rater_pairs[0].confusion.categories]
    headers = ("first / second", "first says", *categories, "agreement on it")
    return TextTable(Message("Confusion matrix (verdict on A)"), headers, tuple(rows), tuple(range(2, len(headers))))


def _format_bias(bias: Bias) -> str:
    return "n/a" if bias.share is None else f"{format_percent(bias.share, 1)} (p {format_p_value(bias.p)})"


def _make_rater_table(report: StudyReport) -> TextTable:
    rows = []
    skipped = {batch.rater: batch.skipped for batch in report.batches}
    for line in report.raters:
        repeated = (
            f"{coefficient_text(line.intra.raw.value)} of {line.intra.items}" if line.intra.items else "none twice"
        )
        median_time = "n/a" if line.median_seconds is None else f"{line.median_seconds:.0f} s"
        rows.append(
            (line.name, str(line.judged), str(skipped.get(line.name, 0)), str(line.result.wins),
             str(line.result.ties), str(line.result.losses), repeated, _format_bias(line.side),
             _format_bias(line.length), median_time)
        )  # fmt: skip
    if len(rows) > 1:
        biases = (_format_bias(report.side), _format_bias(report.length))
        rows.append(("all", "", str(len(report.skipped)), "", "", "", "", *biases, ""))
    headers = ("rater", "judged", "skipped", "A wins", "tie", "B wins", "same again", "chose 1 %", "chose longer %",
               "median")  # fmt: skip
    return TextTable(Message("Raters"), headers, tuple(rows), (1, 2, 3, 4, 5))


def _make_cost_table(report: StudyReport) -> TextTable:
    rows = list(_list_production_rows(report))
    hours = report.cost.human_hours
    money = report.cost.human_money
    if not report.cost.rate:
        cost_text = "no rate given"
    else:
        cost_text = "n/a" if money is None else f"{report.cost.currency}{money:.2f}"
    rows.append(("judging by people", coefficient_text(hours, 2), cost_text))
    return TextTable(Message("Cost"), ("what", "hours", "money"), tuple(rows), (1, 2))


def _list_production_rows(report: StudyReport) -> Iterator[tuple[str, ...]]:
    for side, name in zip(("a", "b"), report.names, strict=True):
        costs = report.cost.made[side]
        seconds, cost = costs["seconds"], costs["cost"]
        if seconds is not None or cost is not None:
            hours = "n/a" if seconds is None else f"{seconds / 3600:.2f}"
            yield f"making {name}", hours, "n/a" if cost is None else f"{report.cost.currency}{cost:.2f}"
