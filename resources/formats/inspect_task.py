"""The benchmark beside this file as a task of Inspect.

    inspect eval task.py --model PROVIDER/MODEL
    inspect eval task.py --model PROVIDER/MODEL --epochs 5 --epochs-reducer pass_at_1,pass_at_3,pass_at_5

Items with a criterion are scored by the package annotator; their unit tests run in its sandbox. Items with tests alone
need nothing of it: their answers are found and judged as Annotator does, by the package annotator_scoring beside this
file, whose processes run in Inspect's sandbox: Docker, or another with ``-T sandbox=NAME``. An answer that could not be
scored is an error of its sample, never a zero.
"""

import json
import math
import sys
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate
from inspect_ai.util import sandbox as inspect_sandbox

sys.path.append(str(Path(__file__).resolve().parent))

import annotator_scoring

HERE = Path(__file__).resolve().parent
RUNNER = "annotator_scoring/runner.py"
MORE_SECONDS = 90
_CUT_SHORT = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}


def samples(sandbox: str | None = None) -> list[Sample]:
    """Return the items; ``sandbox`` stands in for the one that they name."""
    runner = {f"annotator_scoring/{path.name}": path.read_text("utf-8") for path in HERE.glob("annotator_scoring/*.py")}
    found = []
    for line in (HERE / "dataset.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        place = (sandbox or row["sandbox"]) if row["sandbox"] else None
        found.append(
            Sample(
                id=row["id"],
                input=row["input"],
                target=row["target"],
                metadata=row["metadata"],
                sandbox=place,
                files=runner if place else None,
            )
        )
    return found


@task
def benchmark(sandbox: str | None = None) -> Task:
    """Ask every item once and score the answers."""
    return Task(dataset=MemoryDataset(samples(sandbox), name=HERE.name), solver=[generate()], scorer=by_criterion())


@scorer(metrics=[accuracy(), stderr()])
def by_criterion():
    """Score by the item's criterion, or by its tests where it has none."""

    async def score(state: TaskState, target: Target) -> Score:
        response = state.output.completion
        if state.metadata["criterion"]:
            return _by_criterion(state.metadata, response)
        return await _by_tests(state.metadata["scoring"], response, _CUT_SHORT.get(state.output.stop_reason, "stop"))

    return score


def _by_criterion(metadata: dict, response: str) -> Score:
    try:
        from annotator import criteria
    except ImportError as error:
        raise RuntimeError(f"This item is scored by a criterion: install the package annotator. ({error})") from error
    document = criteria.load_criterion(metadata["criterion"], files=metadata["files"])
    if document.needs_sandbox:
        from annotator.services.program.sandbox import open_sandbox

        with open_sandbox() as (pool, _):
            result = criteria.score_by_criterion(document, response, sandbox=pool)
    else:
        result = criteria.score_by_criterion(document, response)
    if result.score is None or math.isnan(result.score):
        raise RuntimeError(f"Not scored: {result.reason}")
    rules = [{"rule": rule.label, "matched": rule.matched, "points": rule.points} for rule in result.rules]
    return Score(value=result.score / document.full_score, answer=response, metadata={"rules": rules})


async def _by_tests(task: dict, response: str, finish_reason: str) -> Score:
    program = annotator_scoring.program_of(task, response, finish_reason=finish_reason)
    if not program.code:
        return Score(value=0.0, explanation=program.how)
    job = annotator_scoring.job_of(task, program)
    try:
        done = await inspect_sandbox().exec(
            ["python3", RUNNER],
            input=json.dumps(job),
            timeout=math.ceil(sum(test["seconds"] for test in job["tests"])) + MORE_SECONDS,
        )
    except TimeoutError:
        return Score(value=0.0, answer=program.code, explanation="The time was up.")
    if not done.success:
        raise RuntimeError(f"Not scored: {done.stderr[-2000:]}")
    verdict = json.loads(done.stdout)
    if verdict["outcome"] == "machinery":
        raise RuntimeError(f"Not scored: {verdict['message']}")
    value = 1.0 if verdict["outcome"] == "pass" else 0.0
    said = "; ".join(text for text in (program.how, verdict["message"]) if text)
    return Score(value=value, answer=program.code, explanation=said)
