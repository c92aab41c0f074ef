"""Find impossible numbers in a published table (metrics specification, section 0).

Four checks: a share over N problems is j/N; pass@k does not fall with k; a printed mean is the mean of its row; parts
sum to their total. They cannot find swapped columns or a contradicting text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, stdev
from typing import Literal

from annotator.metrics.metric_values import BadNumbersError

Check = Literal["share", "order", "mean", "std", "total"]
Row = Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTable:
    """A table as printed, with the meaning of its columns.

    ``rows`` maps a row's name to one value (or None) per column. ``sizes``: problems behind a column of shares.
    ``mean_of``: column -> columns it averages; ``std_of``: column -> columns whose sample deviation it is.
    ``rising``: groups of columns that must not fall from left to right (pass@1, pass@3, pass@5).
    ``total_of``: column -> columns that sum to it. ``full`` is the value of a share of 1 (100 for percent),
    ``decimals`` how many are printed.
    """

    columns: tuple[str, ...]
    rows: Mapping[str, Sequence[float | None]]
    sizes: Mapping[str, int] = field(default_factory=dict)
    mean_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    std_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rising: Sequence[Sequence[str]] = ()
    total_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    decimals: int = 2
    full: float = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """One inconsistent number: row, column, check, printed and expected value, and a sentence."""

    row: str
    column: str
    check: Check
    printed: float
    expected: float
    sentence: str


@dataclass(frozen=True, slots=True)
class TableAudit:
    """All findings, and the number of values that each check examined."""

    findings: tuple[AuditFinding, ...]
    checked: Mapping[Check, int]

    def of(self, check: Check) -> tuple[AuditFinding, ...]:
        """Return the findings of one check."""
        return tuple(finding for finding in self.findings if finding.check == check)


def share_count(value: float, n: int, decimals: int = 2, full: float = 100.0) -> int | None:
    """Return the count whose share of ``n``, rounded to so many decimals, is the printed one; None if there is none."""
    if n < 1:
        raise BadNumbersError(f"A share needs at least one problem, not {n}.")
    count = round(value * n / full)
    is_possible = 0 <= count <= n and abs(full * count / n - value) <= _half_unit(decimals)
    return count if is_possible else None


def _half_unit(decimals: int) -> float:
    return 0.5 * 10.0**-decimals + 1e-9


def table_audit(table: AuditTable) -> TableAudit:
    """Run every check the table's description allows. Raises `BadNumbersError` for unknown columns or ragged rows."""
    _check_description(table)
    findings: list[AuditFinding] = []
    checked: dict[Check, int] = {"share": 0, "order": 0, "mean": 0, "std": 0, "total": 0}
    for name, values in table.rows.items():
        row = dict(zip(table.columns, values, strict=True))
        for check in checked:
            row_findings, count = _run_check(table, name, row, check)
            findings += row_findings
            checked[check] += count
    return TableAudit(tuple(findings), checked)


def _run_check(table: AuditTable, name: str, row: Row, check: Check) -> tuple[list[AuditFinding], int]:
    """Return one check's findings in a row, and the number of values it examined."""
    if check == "share":
        return _check_shares(table, name, row)
    if check == "order":
        return _check_order(table, name, row)
    return _check_derived(table, name, row, check)


def _check_description(table: AuditTable) -> None:
    if len(set(table.columns)) != len(table.columns):
        raise BadNumbersError("Two columns of the table have the same name.")
    for name, values in table.rows.items():
        if len(values) != len(table.columns):
            raise BadNumbersError(f"Row {name} has {len(values)} values for {len(table.columns)} columns.")
    mentioned = set(table.sizes)
    for derived in (table.mean_of, table.std_of, table.total_of):
        for column, parts in derived.items():
            mentioned |= {column, *parts}
    for group in table.rising:
        mentioned |= set(group)
    unknown = sorted(mentioned - set(table.columns))
    if unknown:
        raise BadNumbersError(f"The table has no column {', '.join(unknown)}.")


def _check_shares(table: AuditTable, name: str, row: Row) -> tuple[list[AuditFinding], int]:
    findings = []
    count = 0
    for column, n in table.sizes.items():
        value = row[column]
        if value is None:
            continue
        count += 1
        if share_count(value, n, table.decimals, table.full) is None:
            nearest = table.full * min(n, max(0, round(value * n / table.full))) / n
            sentence = f"{value} is not a whole number of {n} problems; the nearest is {nearest:.{table.decimals}f}"
            findings.append(
                AuditFinding(row=name, column=column, check="share", printed=value, expected=nearest, sentence=sentence)
            )
    return findings, count


def _check_order(table: AuditTable, name: str, row: Row) -> tuple[list[AuditFinding], int]:
    findings = []
    count = 0
    for group in table.rising:
        present = [(column, value) for column in group if (value := row[column]) is not None]
        for (previous_column, minimum), (column, value) in pairwise(present):
            count += 1
            if value < minimum:
                sentence = (
                    f"{value} in {column} is less than {minimum} in {previous_column}; more samples cannot pass less"
                )
                findings.append(
                    AuditFinding(
                        row=name, column=column, check="order", printed=value, expected=minimum, sentence=sentence
                    )
                )
    return findings, count


def _check_derived(
    table: AuditTable, name: str, row: Row, check: Literal["mean", "std", "total"]
) -> tuple[list[AuditFinding], int]:
    """Check columns that follow from others, allowing for the rounding of every number that went in."""
    columns = {"mean": table.mean_of, "std": table.std_of, "total": table.total_of}[check]
    findings = []
    count = 0
    for column, names in columns.items():
        printed = row[column]
        parts = [value for part in names if (value := row[part]) is not None]
        if printed is None or len(parts) < len(names) or len(parts) < (2 if check == "std" else 1):
            continue
        count += 1
        half = _half_unit(table.decimals)
        if check == "mean":
            expected = fmean(parts)
            allowed = 2 * half
        elif check == "std":
            # Each part may be off by half a unit; the deviation then by at most that times sqrt(n / (n - 1)).
            expected = stdev(parts)
            allowed = half * (1 + math.sqrt(len(parts) / (len(parts) - 1)))
        else:
            expected = math.fsum(parts)
            allowed = half * (1 + len(parts))
        if abs(expected - printed) > allowed:
            sentence = f"{printed} is printed, but {', '.join(names)} give {expected:.{table.decimals}f}"
            findings.append(
                AuditFinding(
                    row=name, column=column, check=check, printed=printed, expected=expected, sentence=sentence
                )
            )
    return findings, count
