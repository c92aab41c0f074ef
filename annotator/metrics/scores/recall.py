"""Recall of reference dependencies (metrics specification, section 1.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotator.metrics.comparison.score_intervals import mean_estimate
from annotator.metrics.metric_values import BadNumbersError, Estimate
from annotator.metrics.scores.score_board import best_of_k

Names = Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkRecall:
    """Recall@k over the problems that use their repository; ``standalone`` counts the others."""

    k: int
    published: Estimate | None
    expected: Estimate | None
    precision: float | None
    standalone: int
    left_out: int


def program_recall(reference: Names, program: Names | None) -> float | None:
    """Return the share of reference names a program uses; None without any, 0 for a program that does not parse.

    ``program`` is None for a program that does not parse. Names count once.
    """
    reference_names = set(reference)
    if not reference_names:
        return None
    return len(reference_names & set(program)) / len(reference_names) if program is not None else 0.0


def program_precision(reference: Names, program: Names | None) -> float | None:
    """Return the share of a program's names that the reference uses too; None if the program has none."""
    used = set(program or ())
    return len(used & set(reference)) / len(used) if used else None


def recall_at_k(reference: Names, programs: Sequence[Names | None], k: int) -> float | None:
    """Return Recall@k of one problem as published (paper mode): the best of the first k programs.

    None for a standalone problem (no reference names) and for k > number of programs.
    Raises `BadNumbersError` for k < 1.
    """
    recalls = _program_recalls(reference, programs, k)
    return max(recalls[:k]) if recalls else None


def expected_recall_at_k(reference: Names, programs: Sequence[Names | None], k: int) -> float | None:
    """Return Recall@k of one problem over all k-subsets of the programs (app mode: the same mean, less noise)."""
    recalls = _program_recalls(reference, programs, k)
    return best_of_k(recalls, k) if recalls else None


def _program_recalls(reference: Names, programs: Sequence[Names | None], k: int) -> list[float]:
    if k < 1:
        raise BadNumbersError(f"Recall@{k} is undefined; k must be at least 1.")
    if not reference or k > len(programs):
        return []
    return [program_recall(reference, program) or 0.0 for program in programs]


def benchmark_recall(problems: Sequence[tuple[Names, Sequence[Names | None]]], k: int) -> BenchmarkRecall:
    """Return Recall@k of a benchmark in both modes, with the precision of all programs beside it.

    ``problems`` are (reference names, each program's names). Standalone problems are skipped and counted, so are
    problems with fewer than k programs.
    """
    used = [(reference, programs) for reference, programs in problems if reference]
    published = [recall_at_k(reference, programs, k) for reference, programs in used]
    expected = [expected_recall_at_k(reference, programs, k) for reference, programs in used]
    precisions = [
        value
        for reference, programs in used
        for value in (program_precision(reference, program) for program in programs)
        if value is not None
    ]
    defined = [value for value in published if value is not None]
    return BenchmarkRecall(
        k=k,
        published=mean_estimate(defined),
        expected=mean_estimate([value for value in expected if value is not None]),
        precision=sum(precisions) / len(precisions) if precisions else None,
        standalone=len(problems) - len(used),
        left_out=len(used) - len(defined),
    )
