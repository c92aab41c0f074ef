"""The benchmark beside this file as a task of Inspect.

    inspect eval task.py --model PROVIDER/MODEL
    inspect eval task.py --model PROVIDER/MODEL --epochs 5 --epochs-reducer pass_at_1,pass_at_3,pass_at_5

Items with a criterion are scored by the package annotator; their unit tests run in its sandbox. Items with tests alone
run in Inspect's sandbox: Docker, or another with ``-T sandbox=NAME``. An answer that could not be scored is an error
of its sample, never a zero.
"""

import json
import math
import re
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState, generate
from inspect_ai.util import sandbox as inspect_sandbox

HERE = Path(__file__).parent
TIMEOUT = 30
_FENCE = re.compile(r"```[A-Za-z0-9+#]*[ \t]*\n(.*?)(?:\n```|\Z)", re.DOTALL)


def samples(sandbox: str | None = None) -> list[Sample]:
    """Return the items; ``sandbox`` stands in for the one that they name."""
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
                files=row["files"] or None if place else None,
                setup=row["setup"] or None if place else None,
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
        return await _by_tests(state.metadata, response)

    return score


def _by_criterion(metadata: dict, response: str) -> Score:
    try:
        from annotator import criteria
    except ImportError as error:
        raise RuntimeError("This item is scored by a criterion: install the package annotator.") from error
    document = criteria.load(metadata["criterion"], files=metadata["files"])
    if document.needs_sandbox:
        from annotator.services.program.sandbox import sandbox

        with sandbox() as (pool, _):
            result = criteria.score(document, response, sandbox=pool)
    else:
        result = criteria.score(document, response)
    if result.score is None or math.isnan(result.score):
        raise RuntimeError(f"Not scored: {result.reason}")
    rules = [{"rule": rule.label, "matched": rule.matched, "points": rule.points} for rule in result.rules]
    return Score(value=result.score / document.full_score, answer=response, metadata={"rules": rules})


async def _by_tests(metadata: dict, response: str) -> Score:
    code = program(metadata["prompt"], response, metadata["entry_point"])
    source = f"{code}\n\n{metadata['test']}\n\ncheck({metadata['entry_point']})\n"
    try:
        done = await inspect_sandbox().exec(["python3", "-c", source], timeout=TIMEOUT)
    except TimeoutError:
        return Score(value=0.0, answer=code, explanation="The time was up.")
    return Score(value=1.0 if done.success else 0.0, answer=code, explanation=done.stderr[-2000:])


def program(prompt: str, response: str, entry_point: str) -> str:
    """Return the program a response makes: a whole solution (fenced or not), or what goes on from the prompt."""
    defined = re.compile(rf"^(?:async\s+def|def|class)\s+{re.escape(entry_point)}\b", re.MULTILINE)
    blocks = _FENCE.findall(response)
    code = next((block for block in blocks if defined.search(block)), "\n\n".join(blocks) if blocks else response)
    if defined.search(code):
        before = defined.search(prompt)
        return (prompt[: before.start()] if before else prompt) + "\n" + code
    return prompt + code
