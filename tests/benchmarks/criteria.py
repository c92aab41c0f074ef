"""How many responses a second are scored, beside the rules as they are written and beside the published grader.

For keywords the peer reads the plain document for every response; for blanks it fills the specification's two tables
cell by cell; for similarity it asks rouge-score for all four metrics and their intervals, as the published grader does.
Rates in one process are by processor time; before they are compared, both sides must give the same answers.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from annotator import criteria
from annotator.criteria.metrics.blank_filling import align_with_template
from tests.benchmarks.figures import Figure, reaching
from tests.benchmarks.written_rules import aligned, matches
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

WORDS = SAMPLES["words"]
TEMPLATE = SAMPLES["template"]
KEYWORDS = SAMPLES["keywords"]
KEYWORD_TEXTS, BLANK_TEXTS, SIMILARITY_TEXTS, PROCESS_TEXTS = 4_000, 400, 80, 240
_PEER_TEXTS = 8
_ROUNDS = 3
_RULE = "the written rule"


def measure(_folder: Path, _subjects: int) -> list[Figure]:
    """Measure the three kinds of rules that need no sandbox, in other uses too, and the last over two processes."""
    return [keywords(), blanks(), similarity(), one_by_one(), one_metric(), over_processes()]


def answers(count: int, words: int) -> list[str]:
    """Return made answers in prose and code, the same on every machine."""
    chance = random.Random(7)
    return [" ".join(chance.choice(WORDS) for _ in range(words)) + f"\nprint({number})\n" for number in range(count)]


def filled(count: int) -> list[str]:
    """Return answers to the template with other words in its blanks and remarks around it."""
    chance = random.Random(11)
    found = []
    for number in range(count):
        first, second = f'"r{number}"', 'r"' + chance.choice(WORDS) + '+"'
        code = TEMPLATE.replace("[blank]", first, 1).replace("[blank]", second, 1)
        found.append(f"Here it is:\n{code}{' '.join(chance.choice(WORDS) for _ in range(12))}\n")
    return found


def keywords() -> Figure:
    """Score keywords, beside an interpreter of the plain rules."""
    from ruamel.yaml import YAML

    document = criteria.load_criterion(KEYWORDS)
    rules = YAML(typ="safe", pure=True).load(KEYWORDS)["grading"]["keywords"]
    texts = answers(KEYWORD_TEXTS, 120)

    def plain(items: Sequence[str]) -> list[list[bool]]:
        return [[_matches(rule, text) for rule in rules] for text in items]

    def ours(items: Sequence[str]) -> object:
        return list(criteria.score_all_by_criterion(document, items, spans=False))

    found = rates((ours, texts), (plain, texts))
    return reaching("scoring", "keywords, responses", found[0], "1/s", 1, (found[1], _RULE))


def _matches(rule: Any, text: str) -> bool:
    if isinstance(rule, dict):
        return matches(rule["content"], text, rule.get("to_lower", False), False)
    return matches(rule, text, False, False)


def blanks() -> Figure:
    """Score blanks, beside the rule as it is written."""
    source = json.dumps({"template": TEMPLATE, "targets": ['"r3"', 'r"sum+"']})
    document = criteria.load_criterion(f"grading:\n  blank_filling: {source}\n")
    texts = filled(BLANK_TEXTS)
    few = texts[:_PEER_TEXTS]
    if list(align_with_template(TEMPLATE, few)) != [aligned(TEMPLATE, text) for text in few]:
        raise AssertionError("the alignment is not that of the written rule")

    def ours(items: Sequence[str]) -> object:
        return list(criteria.score_all_by_criterion(document, items))

    def written(items: Sequence[str]) -> object:
        return [aligned(TEMPLATE, text) for text in items]

    found = rates((ours, texts), (written, few))
    return reaching("scoring", "blanks, responses", found[0], "1/s", 20, (found[1], _RULE))


def similarity() -> Figure:
    """Score similarity, beside rouge-score asked as the published grader asks it."""
    from rouge_score import rouge_scorer
    from rouge_score.scoring import BootstrapAggregator

    reference = "\n".join(answers(4, 40))
    rules = json.dumps([{"metric": "rougeLsum", "references": [reference]}])
    document = criteria.load_criterion(f"grading:\n  similarity: {rules}\n")
    texts = answers(SIMILARITY_TEXTS, 120)
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]

    def published(items: Sequence[str]) -> None:
        scorer = rouge_scorer.RougeScorer(names, use_stemmer=False, split_summaries=False)
        for text in items:
            aggregator = BootstrapAggregator()
            aggregator.add_scores(scorer.score(reference, text))
            aggregator.aggregate()

    def ours(items: Sequence[str]) -> object:
        return list(criteria.score_all_by_criterion(document, items))

    found = rates((ours, texts), (published, texts[:_PEER_TEXTS]))
    return reaching("scoring", "similarity, responses", found[0], "1/s", 10, (found[1], "the published grader"))


def one_by_one() -> Figure:
    """Score blanks one response at a time, beside the rule as it is written."""
    source = json.dumps({"template": TEMPLATE, "targets": ['"r3"', 'r"sum+"']})
    document = criteria.load_criterion(f"grading:\n  blank_filling: {source}\n")
    texts = filled(BLANK_TEXTS // 2)

    def ours(items: Sequence[str]) -> object:
        return [criteria.score_by_criterion(document, text) for text in items]

    def written(items: Sequence[str]) -> object:
        return [aligned(TEMPLATE, text) for text in items]

    found = rates((ours, texts), (written, texts[:_PEER_TEXTS]))
    return Figure("scoring", "blanks one by one, responses", found[0], "1/s", floor=found[1], floor_name=_RULE)


def one_metric() -> Figure:
    """Score similarity, beside rouge-score with one metric and no intervals."""
    from rouge_score import rouge_scorer

    reference = "\n".join(answers(4, 40))
    rules = json.dumps([{"metric": "rougeLsum", "references": [reference]}])
    document = criteria.load_criterion(f"grading:\n  similarity: {rules}\n")
    texts = answers(SIMILARITY_TEXTS, 120)

    def ours(items: Sequence[str]) -> object:
        return list(criteria.score_all_by_criterion(document, items))

    def bare(items: Sequence[str]) -> None:
        scorer = rouge_scorer.RougeScorer(["rougeLsum"])
        for text in items:
            scorer.score(reference, text)

    found = rates((ours, texts), (bare, texts))
    what, peer = "similarity beside one metric, responses", "rouge-score with one metric"
    return Figure("scoring", what, found[0], "1/s", floor=found[1], floor_name=peer)


def over_processes() -> Figure:
    """Score similarity in two processes, beside one; this is a rate by the clock, as the processes are two."""
    from annotator.evaluation.answer_scoring import ScoreJob, score_job
    from annotator.evaluation.executors import LocalExecutor

    rule = json.dumps([{"metric": "rougeLsum", "references": ["\n".join(answers(4, 40))]}])
    item = {"id": "made", "criterion": f"grading:\n  similarity: {rule}\n"}
    jobs = [ScoreJob(item=item, text=text) for text in answers(PROCESS_TEXTS, 120)]
    pools = [LocalExecutor(score_job, count, processes=True) for count in (1, 2)]
    best = [0.0, 0.0]
    try:
        for number in range(_ROUNDS + 1):
            for at, pool in enumerate(pools):
                start = time.perf_counter()
                for future in [pool.submit(job) for job in jobs]:
                    future.result()
                # In the first round the processes start and load what they need.
                best[at] = max(best[at], len(jobs) / (time.perf_counter() - start)) if number else 0.0
    finally:
        for pool in pools:
            pool.close()
    return reaching("scoring", "similarity over two processes", best[1], "1/s", 1.7, (best[0], "one process"))


Work = tuple[Callable[[Sequence[str]], object], Sequence[str]]


def rates(*works: Work) -> list[float]:
    """Do each in turn, several times; returns how many texts a second of processor each did at its best."""
    best = [0.0] * len(works)
    for _ in range(_ROUNDS):
        for at, (work, texts) in enumerate(works):
            start = time.process_time()
            work(texts)
            best[at] = max(best[at], len(texts) / (time.process_time() - start))
    return best
