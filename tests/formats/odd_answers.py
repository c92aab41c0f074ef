"""Answers as models write them, right ones and wrong ones, made of a function's body; and a few items of our own."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from annotator.evaluation.scoring import ScoreJob, program_of
from annotator.formats.read.candidates import Candidate, CandidateTest
from annotator.formats.write.samples import Sample
from tests.formats.releases import item_of

Render = Callable[[str, str, str], str]
"""From the prompt (code that ends with a docstring), a body, and the entry point, to what a model writes."""


def _whole(prompt: str, body: str, before: str = "") -> str:
    return f"{before}{prompt}{body}"


def _wrong_body(_: str) -> str:
    return "    return 'wrong'\n"


def _fenced(code: str) -> str:
    return f"```python\n{code.rstrip()}\n```\n"


def _at_start(statement: str) -> Render:
    return lambda prompt, body, name: _fenced(_whole(prompt, body, f"import os, sys, time\n{statement}\n"))


def _in_call(statement: str) -> Render:
    lines = "".join(f"    {line}\n" for line in ("import os, sys, time", *statement.split("\n")))
    return lambda prompt, body, name: _fenced(_whole(prompt, lines + body))


RIGHT: dict[str, Render] = {
    "the body alone": lambda prompt, body, name: body,
    "a block and a usage example": lambda prompt, body, name: (
        f"Here it is:\n\n{_fenced(_whole(prompt, body))}\nExample usage:\n\n{_fenced(f'print({name}())')}"
    ),
    "the body in a block": lambda prompt, body, name: f"The body:\n\n{_fenced(textwrap.dedent(body))}",
    "a draft in its thoughts": lambda prompt, body, name: (
        f"<think>\n{_fenced(_whole(prompt, _wrong_body(body)))}\nno.\n</think>\n\n{_fenced(_whole(prompt, body))}"
    ),
    "a draft that is withdrawn": lambda prompt, body, name: (
        f"{_fenced(_whole(prompt, _wrong_body(body)))}\nWait, that is wrong. Here is the corrected version:\n\n"
        f"{_fenced(_whole(prompt, body))}"
    ),
    "an alternative behind it": lambda prompt, body, name: (
        f"{_fenced(_whole(prompt, body))}\nAlternatively, a naive version:\n\n"
        f"{_fenced(_whole(prompt, _wrong_body(body)))}"
    ),
    "noise when it is loaded": _at_start('print(\'{"outcome": "fail"}\' * 100)'),
    "noise when it is called": _in_call("print('FAILED', file=sys.stderr)\nprint('x' * 100_000)"),
    "a main guard that exits": lambda prompt, body, name: _fenced(
        f"{_whole(prompt, body)}\n\nif __name__ == '__main__':\n    raise SystemExit({name}())\n"
    ),
    "tests that fail behind it": lambda prompt, body, name: (
        f"{_fenced(_whole(prompt, body))}\nTest it:\n\n{_fenced(f'assert {name}() == 1, {name}')}"
    ),
    "no fence": lambda prompt, body, name: f"Sure, here is the function.\n\n{_whole(prompt, body)}\n\nI hope it helps.",
    "an exit at its end": lambda prompt, body, name: _fenced(f"import sys\n{_whole(prompt, body)}\nsys.exit(0)\n"),
    "a thread left running": _at_start(
        "import threading\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    ),
}
WRONG: dict[str, Render] = {
    "exits when it is loaded": _at_start("class Setup:\n    sys.exit(0)"),
    "ends when it is loaded": _at_start("os._exit(0)"),
    "exits when it is called": _in_call("sys.exit(0)"),
    "ends when it is called": _in_call("os._exit(0)"),
    "says that it passed, and ends": _at_start(
        'print(\'{"outcome": "pass", "message": ""}\', flush=True)\nos._exit(0)'
    ),
    "writes that it passed, and ends": _in_call('os.write(1, b\'{"outcome": "pass"}\\n\')\nos._exit(0)'),
    "a wrong value": lambda prompt, body, name: _fenced(_whole(prompt, _wrong_body(body))),
    "a wrong value behind a right draft": lambda prompt, body, name: (
        f"{_fenced(_whole(prompt, body))}\nWait, that is wrong. Here is the corrected version:\n\n"
        f"{_fenced(_whole(prompt, _wrong_body(body)))}"
    ),
    "right only in its thoughts": lambda prompt, body, name: (
        f"<think>\n{_fenced(_whole(prompt, body))}\n</think>\n\n{_fenced(_whole(prompt, _wrong_body(body)))}"
    ),
    "raises": _in_call("raise AssertionError"),
    "no code": lambda prompt, body, name: "I'm sorry, but I can't help with that.",
    "nothing": lambda prompt, body, name: "",
    "broken code": lambda prompt, body, name: _fenced(_whole(prompt, "    return (\n")),
}
ENDLESS: dict[str, Render] = {
    "loops when it is loaded": _at_start("while True: pass"),
    "loops when it is called": _in_call("while True: pass"),
    "sleeps when it is called": _in_call("time.sleep(600)"),
}
"""Wrong too; each takes as long as it may."""
ALL: dict[str, Render] = {**RIGHT, **WRONG, **ENDLESS}


def kind_of(task: int, sample: int) -> str:
    """Return which kind of answer a sample of a task is: of task t the first t mod 6 are right."""
    if task == 0 and sample < len(ENDLESS):
        return list(ENDLESS)[sample]
    names = list(RIGHT if sample < task % 6 else WRONG)
    return names[(5 * task + sample) % len(names)]


def written(item: Mapping[str, Any], name: str) -> str:
    """Return an answer of a kind to an item."""
    return ALL[name](item["prompt"], item["reference"], item["entry_point"])


def samples_of(items: Sequence[Mapping[str, Any]], count: int) -> list[Sample]:
    """Return so many answers to each item, with the programs that they are run as here."""
    answers = [(item, written(item, kind_of(task, n))) for task, item in enumerate(items) for n in range(count)]
    return [Sample(item["key"], text, program_of(ScoreJob(item, text)).code) for item, text in answers]


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
                f"toy:{style}",
                f"Double all, {style}",
                language="python",
                # Told apart by what they say, as servers of tests answer by the prompt.
                prompt=f'{head}    """Return every number of a list twice as large: {style}."""\n',
                reference=body,
                entry_point="double_all",
                tests=(CandidateTest(style, code, "python", timeout=seconds),),
            )
        )
        for style, code in tests.items()
    ]
