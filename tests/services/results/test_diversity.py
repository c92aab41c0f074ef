"""How different the samples of items never solved are, by hand."""

from __future__ import annotations

import json
from pathlib import Path

from annotator.model.vocabulary import Verdict
from annotator.services.project import projects
from annotator.services.release import versions
from annotator.services.results import named_tables, score_data
from annotator.services.results.diversity import item_diversity
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports

ITEM = {"language": "python", "task": "completion", "entry_point": "twice",
        "prompt": "def twice(number):\n    \"\"\"Return twice the number.\"\"\"\n",
        "reference": "def twice(number):\n    return 2 * number\n"}  # fmt: skip


def test_names_and_talk_do_not_make_samples_distinct() -> None:
    code = "def twice({0}):\n    total = {0} + 1\n    return total\n"
    samples = [
        f"```python\n{code.format('number')}```",
        f"Here is the function:\n\n```python\n{code.format('number')}```\nHope this helps.",
        f"```python\n{code.format('value')}```",
        "```python\ndef twice(number):\n    return number * number\n```",
    ]
    found = item_diversity(ITEM, samples)
    assert (found.samples, found.distinct, found.duplicates) == (4, 2, 0.25)
    assert found.distance is not None and 0 < found.distance < 1


def test_the_table_counts_what_no_sample_solves(tmp_path: Path) -> None:
    rows = [
        {"id": f"i{n}", "title": f"Item {n}", "prompt": "Say it.", "reference": "alpha", "language": "python",
         "task": "question", "criterion": "grading:\n  keywords:\n    - alpha\n"}
        for n in range(3)
    ]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = projects.create_project(tmp_path / "p.annotator", "P", "Ada")
    imports.import_paths(store, "jsonl", [tmp_path / "rows.jsonl"])
    triage.decide_subjects(store, [f"jsonl:i{n}" for n in range(3)], Verdict.ACCEPT)
    versions.create_release(store, "1.0", override_reason="a test")
    said = {"i0": ["beta gamma"] * 5, "i1": ["beta gamma", "delta", "beta gamma", "delta", "omega"],
            "i2": ["beta", "alpha", "beta", "beta", "beta"]}  # fmt: skip
    lines = [{"subject": key, "model": "m", "response": text} for key, texts in said.items() for text in texts]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run_control.start_replay(store, None, tmp_path / "answers.jsonl")
    [row] = named_tables.make_table(store, score_data.load_results(store), "diversity").rows
    _, never, samples, distance, distinct, copies, gain = (cell.number for cell in row)
    assert (never, samples) == (2, 5)
    # The first item's samples are one; of the second's ten pairs two are equal and eight share no word.
    assert distance == (0 + 0.8) / 2
    # Names do not count apart, but how many there are.
    assert distinct == (1 + 2) / 2
    assert copies == 100 * (0.8 + 0.4) / 2
    # One of five samples of one item in three is right.
    assert gain == 100 * (1 - 0.2) / 3
    store.close()
