"""A study's report as tables of texts, the same in the window, in the terminal and in files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.metrics.judging import Bias, WinTieLose
from annotator.metrics.values import Measure, percent
from annotator.services.agreement import StudyReport


@dataclass(frozen=True, slots=True)
class Section:
    """One table: its title, columns, rows of texts, and the columns that hold numbers."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()


def sections(report: StudyReport) -> tuple[Section, ...]:
    """Return every table of a report, most wanted first."""
    return (
        _results(report),
        _agreement(report),
        _rater_pairs(report),
        _categories(report),
        _raters(report),
        _cost(report),
    )


def notes(report: StudyReport) -> list[str]:
    """Return the warnings and the test's sentence."""
    a, b = report.names
    worse = 1 - report.margin
    said = {
        None: "no pair is judged yet",
        True: f"yes, {a} is not worse than {b}",
        False: f"not shown that {a} is no worse than {b}",
    }[report.non_inferior]
    found = [f"Non-inferiority (the interval's low end at least {percent(worse)} %): {said}."]
    found += [f"Warning: {text}." for text in report.agreement.warnings]
    if report.names == ("A", "B"):
        found.append("What A and B are stays hidden until the study is unblinded, which is logged.")
    return found


def number(value: float | None, digits: int = 3) -> str:
    """Return a coefficient as shown, "n/a" where it is undefined."""
    return "n/a" if value is None else f"{value:.{digits}f}"


def _p(value: float | None) -> str:
    return "n/a" if value is None else (f"{value:.4f}" if value >= 0.0001 else "< 0.0001")


def _result_row(name: str, found: WinTieLose, both_bad: str) -> tuple[str, ...]:
    interval = "n/a" if found.low is None else f"{percent(found.low)} to {percent(found.high)}"
    counts = (str(found.wins), str(found.ties), str(found.losses))
    return (name, *counts, both_bad, percent(found.not_worse), interval, _p(found.p))


def _results(report: StudyReport) -> Section:
    a, b = report.names
    headers = ("verdicts", f"{a} wins", "tie", f"{b} wins", "both bad", "not worse %", "95 % interval", "sign test p")
    rows = (
        _result_row("majority of raters", report.panel, ""),
        _result_row("every judgement", report.single, str(report.both_bad)),
    )
    return Section("Win, tie, lose", headers, rows, (1, 2, 3, 4, 5, 6, 7))


def _agreement(report: StudyReport) -> Section:
    found = report.agreement
    spread = ""
    if found.raters > 2 and found.kappa_low is not None and found.kappa_high is not None:
        spread = f"{number(found.kappa_low)} to {number(found.kappa_high)}"
    rows = (
        _measure("raw agreement", found.raw),
        _measure("Cohen's kappa, mean of pairs", found.kappa, spread),
        _measure("Fleiss' kappa", found.fleiss),
        _measure("Krippendorff's alpha", found.alpha),
        _measure("Gwet's AC1", found.ac1),
    )
    return Section(f"Agreement of {found.raters} raters", ("coefficient", "value", "remark"), rows, (1,))


def _measure(name: str, found: Measure, spread: str = "") -> tuple[str, ...]:
    return name, number(found.value), "; ".join(part for part in (spread, found.reason, found.note) if part)


def _rater_pairs(report: StudyReport) -> Section:
    rows = tuple(
        (f"{item.first} and {item.second}", str(item.items), number(item.raw), number(item.kappa), number(item.ac1))
        for item in report.rater_pairs
    )
    return Section("Pairs of raters", ("raters", "pairs", "raw", "kappa", "AC1"), rows, (1, 2, 3, 4))


def _categories(report: StudyReport) -> Section:
    rows = []
    for item in report.rater_pairs:
        order = item.confusion.categories
        for row, label in enumerate(order):
            counts = tuple(str(item.confusion.counts[row][column]) for column in range(3))
            rows.append((f"{item.first} / {item.second}", str(label), *counts, number(item.confusion.agreement[label])))
    headers = ("first / second", "first says", "win", "tie", "lose", "agreement on it")
    return Section("Confusion (A's verdict)", headers, tuple(rows), (2, 3, 4, 5))


def _bias(found: Bias) -> str:
    return "n/a" if found.share is None else f"{percent(found.share, 1)} (p {_p(found.p)})"


def _raters(report: StudyReport) -> Section:
    rows = []
    for line in report.raters:
        again = f"{number(line.intra.raw.value)} of {line.intra.items}" if line.intra.items else "none twice"
        times = "n/a" if line.median_seconds is None else f"{line.median_seconds:.0f} s"
        rows.append(
            (line.name, str(line.judged), str(line.result.wins), str(line.result.ties), str(line.result.losses),
             again, _bias(line.side), _bias(line.length), times)
        )  # fmt: skip
    if len(rows) > 1:
        rows.append(("all", "", "", "", "", "", _bias(report.side), _bias(report.length), ""))
    headers = ("rater", "judged", "A wins", "tie", "B wins", "same again", "chose 1 %", "chose longer %", "median")
    return Section("Raters", headers, tuple(rows), (1, 2, 3, 4))


def _cost(report: StudyReport) -> Section:
    rows = list(_made(report))
    hours, money = report.cost.human_hours, report.cost.human_money
    paid = f"{report.cost.currency}{money:.2f}" if report.cost.rate else "no rate given"
    rows.append(("judging by people", f"{hours:.2f}", paid))
    return Section("Cost", ("what", "hours", "money"), tuple(rows), (1, 2))


def _made(report: StudyReport) -> Iterator[tuple[str, ...]]:
    for side, name in zip(("a", "b"), report.names, strict=True):
        found = report.cost.made[side]
        seconds, cost = found["seconds"], found["cost"]
        if seconds is not None or cost is not None:
            hours = "n/a" if seconds is None else f"{seconds / 3600:.2f}"
            yield f"making {name}", hours, "n/a" if cost is None else f"{report.cost.currency}{cost:.2f}"
