"""Helpers of the task beside this file: find the program in what a model wrote, run its tests, count what passes.

Programs are found and judged as Annotator does, by the package annotator_scoring beside this file. The code of models
runs on this machine, in processes of its own with a time limit and nothing else between it and you: use a machine or
container you can spare.
"""

import json
import math
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))

import annotator_scoring

SECONDS = float(os.environ["ANNOTATOR_TIMEOUT"]) if "ANNOTATOR_TIMEOUT" in os.environ else None
KS = (1, 3, 5)


@lru_cache(maxsize=100_000)
def passes(scoring, program):
    """Tell whether a program passes the tests of a task; raises what keeps them from being run here."""
    verdict = annotator_scoring.verdict_on(json.loads(scoring), program, SECONDS)
    if verdict.outcome == "machinery":
        raise RuntimeError(f"The tests could not be run here: {verdict.message}")
    return verdict.outcome == "pass"


def pass_at_k(n, c, k):
    """Return the unbiased estimate for n samples of which c pass."""
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


def build_programs(resps, docs):
    """Turn every response to every task into a program."""
    return [
        [annotator_scoring.program_of(json.loads(doc["scoring"]), response) for response in responses]
        for responses, doc in zip(resps, docs, strict=True)
    ]


def process_results(doc, results):
    """Return pass@k of one task for every k that the samples allow."""
    programs = results[0]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = sum(pool.map(lambda program: passes(doc["scoring"], program), programs))
    return {f"pass@{k}": pass_at_k(len(programs), passed, k) for k in KS if k <= len(programs)}
