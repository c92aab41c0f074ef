"""Differences of texts and scoring, beside the standard library and rouge-score."""

from __future__ import annotations

import difflib
import random
import time
from functools import partial
from pathlib import Path

from annotator.bench import making
from annotator.bench.figures import Figure, at_most, reaching, repeated

LINES = 2_000
_ANSWERS = 60
_PUBLISHED = 5


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure what needs no project."""
    return [_diff(), _similarity()]


def _diff() -> Figure:
    from annotator.text.diff import line_diff

    chance = random.Random(3)
    pool = making.words(5, 400)
    old = [" ".join(chance.choices(pool, k=8)) for _ in range(LINES)]
    new = [line if chance.random() > 0.05 else " ".join(chance.choices(pool, k=8)) for line in old]
    ours = min(repeated(partial(line_diff, "\n".join(old), "\n".join(new)), 5, time.perf_counter))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    peer = repeated(matcher.get_opcodes, 1, time.perf_counter)[0]
    return at_most("diff", f"{LINES:,} lines", ours, "ms", 10, (peer, "difflib"))


def _similarity() -> Figure:
    import json

    from rouge_score import rouge_scorer
    from rouge_score.scoring import BootstrapAggregator

    from annotator import criteria

    chance = random.Random(7)
    pool = making.words(7, 300)
    reference, *texts = (" ".join(chance.choices(pool, k=130)) for _ in range(_ANSWERS + 1))
    rules = json.dumps([{"metric": "rougeLsum", "references": [reference]}])
    document = criteria.load(f"grading:\n  similarity: {rules}\n")
    ours = min(repeated(lambda: list(criteria.score_many(document, texts)), 3, time.perf_counter))
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]

    def published() -> None:
        scorer = rouge_scorer.RougeScorer(names, use_stemmer=False, split_summaries=False)
        for text in texts[:_PUBLISHED]:
            aggregator = BootstrapAggregator()
            aggregator.add_scores(scorer.score(reference, text))
            aggregator.aggregate()

    peer = min(repeated(published, 2, time.perf_counter))
    rate, beside = _ANSWERS / ours * 1000, (_PUBLISHED / peer * 1000, "the published grader")
    return reaching("scoring", "similarity, responses", rate, "1/s", 10, beside)
