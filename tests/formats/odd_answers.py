"""Answers as models write them, right ones and wrong ones, made of a function's body; and a few items of our own."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.evaluation.answer_scoring import ScoreJob, program_of
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.formats.write.samples import Sample
from tests.formats.releases import item_of
from tests.samples import load_samples

SAMPLES: dict[str, dict[str, str]] = load_samples(__file__)
RIGHT, WRONG = SAMPLES["right"], SAMPLES["wrong"]
ENDLESS = SAMPLES["endless"]
"""Wrong too; each takes as long as it may."""
ALL = {**RIGHT, **WRONG, **ENDLESS}


def kind_of(task: int, sample: int) -> str:
    """Return which kind of answer a sample of a task is: of task t the first t mod 6 are right."""
    if task == 0 and sample < len(ENDLESS):
        return list(ENDLESS)[sample]
    names = list(RIGHT if sample < task % 6 else WRONG)
    # Two steps more for each six tasks: otherwise some kinds are never right, whatever the number of tasks.
    return names[(task + sample + 2 * (task // 6)) % len(names)]


def written(item: Mapping[str, Any], name: str) -> str:
    """Return an answer of a kind to an item.

    What models write is kept as text with the prompt (code that ends with a docstring), the body, and the name of the
    function in it; ``<tail>`` is the body without its line ends, and ``<inner>`` that without the indentation.
    """
    body = item["reference"]
    values = {"prompt": item["prompt"], "body": body, "tail": body.rstrip(), "inner": textwrap.dedent(body).rstrip()}
    values["name"] = item["entry_point"]
    return re.sub("<(prompt|body|tail|inner|name)>", lambda mark: values[mark[1]], ALL[name])


def samples_of(items: Sequence[Mapping[str, Any]], count: int) -> list[Sample]:
    """Return so many answers to each item, with the programs that they are run as here."""
    answers = [(item, written(item, kind_of(task, n))) for task, item in enumerate(items) for n in range(count)]
    return [Sample(item["key"], text, program_of(ScoreJob(item=item, text=text)).code) for item, text in answers]


def is_right(name: str) -> bool:
    """Tell whether answers of a kind are right."""
    return name in RIGHT


def toy_items(seconds: float) -> list[dict[str, Any]]:
    """Return items of our own, with tests of several styles, each with so many seconds."""
    head = "def double_all(xs=()):\n"
    body = "    return [2 * x for x in xs]\n"
    tests = {
        "check": "def check(candidate):\n    assert candidate([1, 2]) == [2, 4]\n    assert candidate([]) == []\n",
        "snippet": "assert double_all([1, 2]) == [2, 4]\nassert double_all([3]) == [6]\n",
        "functions": "def test_two():\n    assert double_all([1, 2]) == [2, 4]\n",
        "together": "import sys\n\nassert sys.modules\nassert double_all([1, 2]) == [2, 4]\n",
    }
    return [
        item_of(
            Candidate(
                key=f"toy:{style}",
                title=f"Double all, {style}",
                language="python",
                # Told apart by what they say, as servers of tests answer by the prompt.
                prompt=f'{head}    """Return every number of a list twice as large: {style}."""\n',
                reference=body,
                entry_point="double_all",
                tests=(CandidateTest(name=style, code=code, language="python", timeout=seconds),),
            )
        )
        for style, code in tests.items()
    ]
