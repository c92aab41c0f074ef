"""How many responses a second are scored, side by side with the written rule and with rouge-score, in one run.

    python tests/benchmarks/criteria.py [--json]

Peers: for keywords, the rules read from the plain document for every response; for blanks, the specification's two
tables filled cell by cell; for similarity, rouge-score asked for all four metrics (as the published grader does)
and for the one that is wanted. Figures are ratios to the peer on one core; seconds differ between machines.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

sys.path.insert(0, str(Path(__file__).parents[2]))

from annotator import criteria
from tests.criteria.test_alignment import by_the_rule

WORDS = (
    "the",
    "value",
    "of",
    "list",
    "is",
    "read",
    "by",
    "index",
    "and",
    "then",
    "sum",
    "print",
    "return",
    "for",
    "in",
)
TEMPLATE = """import re

def read(path):
    with open(path, [blank]) as stream:
        return re.findall([blank], stream.read())

print(read("names.txt"))
"""
KEYWORDS = """
grading:
  keywords:
    - content: {or: [alpha, {content: "b\\\\w+a", regex: true}]}
      to_lower: true
    - gamma
    - content: {and: [index, {content: "sum\\\\(", regex: true}]}
"""


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


def rate(texts: Sequence[str], work: Callable[[Sequence[str]], object]) -> float:
    """Return how many texts a second, the best of three."""
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        work(texts)
        best = max(best, len(texts) / (time.perf_counter() - start))
    return best


def keywords() -> dict[str, float]:
    """Score keywords, beside an interpreter of the plain rules."""
    document = criteria.load(KEYWORDS)
    rules = YAML(typ="safe", pure=True).load(KEYWORDS)["grading"]["keywords"]
    texts = answers(5000, 120)

    def plain(items: Sequence[str]) -> None:
        for text in items:
            for rule in rules:
                lower = isinstance(rule, dict) and rule.get("to_lower", False)
                matches(rule["content"] if isinstance(rule, dict) else rule, text, lower, False)

    ours = rate(texts, lambda items: list(criteria.score_many(document, items, spans=False)))
    return {"keywords, per second": ours, "keywords, ratio to the plain interpreter": ours / rate(texts, plain)}


def matches(node: Any, text: str, lower: bool, regex: bool) -> bool:
    """Tell whether a content tree matches, as part B, section 4 says."""
    if isinstance(node, dict):
        regex = node.get("regex", regex)
        for kind, together in (("or", any), ("and", all)):
            if kind in node:
                return together([matches(child, text, lower, regex) for child in node[kind]])
        return matches(node["content"], text, lower, regex)
    wanted, held = (node.lower(), text.lower()) if lower else (node, text)
    return re.search(wanted, held) is not None if regex else wanted in held


def blanks() -> dict[str, float]:
    """Score blanks, beside the rule as it is written."""
    source = json.dumps({"template": TEMPLATE, "targets": ['"r3"', 'r"sum+"']})
    document = criteria.load(f"grading:\n  blank_filling: {source}\n")
    texts = filled(600)
    ours = rate(texts, lambda items: list(criteria.score_many(document, items)))
    one = rate(texts[:200], lambda items: [criteria.score(document, text) for text in items])
    peer = rate(texts[:20], lambda items: [by_the_rule(TEMPLATE, text) for text in items])
    return {
        "blanks, per second": ours,
        "blanks, ratio to the written rule": ours / peer,
        "blanks one by one, ratio to the written rule": one / peer,
    }


def similarity() -> dict[str, float]:
    """Score similarity, beside rouge-score."""
    from rouge_score import rouge_scorer
    from rouge_score.scoring import BootstrapAggregator

    reference = "\n".join(answers(4, 40))
    rules = json.dumps([{"metric": "rougeLsum", "references": [reference]}])
    document = criteria.load(f"grading:\n  similarity: {rules}\n")
    texts = answers(120, 120)
    names = ["rouge1", "rouge2", "rougeL", "rougeLsum"]

    def published(items: Sequence[str]) -> None:
        scorer = rouge_scorer.RougeScorer(names, use_stemmer=False, split_summaries=False)
        for text in items:
            aggregator = BootstrapAggregator()
            aggregator.add_scores(scorer.score(reference, text))
            aggregator.aggregate()

    def bare(items: Sequence[str]) -> None:
        scorer = rouge_scorer.RougeScorer(["rougeLsum"])
        for text in items:
            scorer.score(reference, text)

    ours = rate(texts, lambda items: list(criteria.score_many(document, items)))
    return {
        "similarity, per second": ours,
        "similarity, ratio to the published way": ours / rate(texts[:20], published),
        "similarity, ratio to rouge-score with one metric": ours / rate(texts, bare),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = {**keywords(), **blanks(), **similarity()}
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        print("\n".join(f"{value:12.2f}  {name}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
