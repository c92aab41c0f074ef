"""Samples: a program as it stands behind a prompt, and alone."""

from __future__ import annotations

import json

import pytest

from annotator.formats.read.import_records import Candidate
from annotator.formats.write.samples import Sample, make_completion, samples_text
from tests.formats.odd_answers import toy_items
from tests.formats.releases import item_of

HEAD = "def double_all(xs=()):\n"
DOCUMENTED = HEAD + '    """Double."""\n'
PROGRAM = "def double_all(xs=()):\n    return [2 * x for x in xs]\n"


@pytest.mark.parametrize(
    "prompt",
    [HEAD, DOCUMENTED, DOCUMENTED.rstrip(), DOCUMENTED + "    ", "import math\n\n" + DOCUMENTED, "# Double.\n\n"],
)
@pytest.mark.parametrize("program", [PROGRAM, "from __future__ import annotations\n" + PROGRAM])
def test_a_program_runs_behind_its_prompt(prompt: str, program: str) -> None:
    names: dict[str, object] = {}
    exec(prompt + make_completion(prompt, program) + "\nassert double_all([1, 2]) == [2, 4]\n", names)  # our own text


@pytest.mark.parametrize("prompt", [DOCUMENTED, DOCUMENTED.rstrip(), DOCUMENTED + "    "])
def test_what_goes_on_from_the_prompt_stays_a_body(prompt: str) -> None:
    completion = make_completion(prompt, DOCUMENTED + "    return [2 * x for x in xs]\n")
    assert completion.lstrip("\n") == "    return [2 * x for x in xs]\n"
    exec(prompt + completion + "\nassert double_all([1, 2]) == [2, 4]\n", {})  # our own text


def test_no_answer_fails_and_other_items_keep_their_text() -> None:
    item = toy_items(10.0)[0]
    java = item_of(Candidate(key="j:1", title="J", language="java", prompt="p", reference="r"))
    rows = [
        json.loads(line)
        for line in samples_text([Sample(item["key"], "I cannot.", ""), Sample("j:1", "class A {}", "x")], [item, java])
        .splitlines()
    ]  # fmt: skip
    for text in (rows[0]["solution"], item["prompt"] + rows[0]["completion"]):
        with pytest.raises(SystemExit):
            exec(text, {})  # our own text
    assert rows[0]["response"] == "I cannot." and rows[1] == {"task_id": "1", "completion": "class A {}"}
