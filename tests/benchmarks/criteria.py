"""How many responses a second are scored, side by side with the written rule and with rouge-score, in one run.

    python tests/benchmarks/criteria.py [--json]

The first three are what `annotator bench criteria` measures (`annotator/bench/criteria.py`); added here are blanks one
response at a time, and rouge-score asked for the one metric that is wanted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from annotator import criteria
from annotator.bench import criteria as shared
from annotator.bench.written_rules import aligned


def one_by_one() -> dict[str, float]:
    """Score blanks one response at a time, beside the rule as it is written."""
    source = json.dumps({"template": shared.TEMPLATE, "targets": ['"r3"', 'r"sum+"']})
    document = criteria.load(f"grading:\n  blank_filling: {source}\n")
    texts = shared.filled(200)

    def ours(items: Sequence[str]) -> object:
        return [criteria.score(document, text) for text in items]

    def written(items: Sequence[str]) -> object:
        return [aligned(shared.TEMPLATE, text) for text in items]

    mine, peer = shared.rates((ours, texts), (written, texts[:8]))
    return {"blanks one by one, ratio to the written rule": mine / peer}


def one_metric() -> dict[str, float]:
    """Score similarity, beside rouge-score with one metric and no intervals."""
    from rouge_score import rouge_scorer

    reference = "\n".join(shared.answers(4, 40))
    rules = json.dumps([{"metric": "rougeLsum", "references": [reference]}])
    document = criteria.load(f"grading:\n  similarity: {rules}\n")
    texts = shared.answers(shared.SIMILARITY_TEXTS, 120)

    def ours(items: Sequence[str]) -> object:
        return list(criteria.score_many(document, items))

    def bare(items: Sequence[str]) -> None:
        scorer = rouge_scorer.RougeScorer(["rougeLsum"])
        for text in items:
            scorer.score(reference, text)

    mine, peer = shared.rates((ours, texts), (bare, texts))
    return {"similarity, ratio to rouge-score with one metric": mine / peer}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, float] = {}
    for figure in shared.measure(Path(), 0):
        figures |= {f"{figure.what}, per second": figure.value, f"{figure.what}, ratio": figure.ratio or 0.0}
    figures |= {**one_by_one(), **one_metric()}
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        print("\n".join(f"{value:12.2f}  {name}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
