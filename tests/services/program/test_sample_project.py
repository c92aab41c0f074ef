"""The sample's own quality: sound criteria, references that pass, impostors that do not."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.base.resources import resource_path
from annotator.criteria import parse_criterion, score_by_criterion
from annotator.criteria.proof.proof_checks import STRENGTH
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.rows.result_rows import Target
from annotator.model.rows.view_rows import SubjectView
from annotator.model.vocabulary import Difficulty, TaskFamily, Verdict
from annotator.services.bugs import implanted_bugs
from annotator.services.consensus import disagreements
from annotator.services.judge import blind_judging
from annotator.services.program import demo
from annotator.services.project import projects
from annotator.services.results import answer_list, score_data
from annotator.services.select import triage

FOLDER = resource_path("samples", "starter")


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


SUBJECTS = {row["id"]: row for row in _rows("subjects.jsonl")}
CRITERIA = sorted((FOLDER / "criteria").glob("*.yaml"))


def test_the_parts_fit_together() -> None:
    decisions = _rows("decisions.jsonl")
    accepted = {row["subject"] for row in decisions if row["verdict"] == "accept"}
    assert len(SUBJECTS) == 24
    assert {path.stem for path in CRITERIA} == accepted
    assert {row["annotator"] for row in decisions} == {"Mei", "Jonas"}
    assert {row["verdict"] for row in decisions} <= set(Verdict)
    assert {
        row["subject"] for row in (*decisions, *_rows("prompts.jsonl"), *_rows("responses.jsonl"))
    } <= SUBJECTS.keys()
    assert {row["task"] for row in SUBJECTS.values()} == set(TaskFamily)
    assert {row["difficulty"] for row in SUBJECTS.values()} == set(Difficulty)
    assert len({row["language"] for row in SUBJECTS.values()}) >= 10
    assert len({row["domain"] for row in SUBJECTS.values()}) >= 6


@pytest.mark.parametrize("path", CRITERIA, ids=lambda path: path.stem)
def test_references_pass_and_impostors_fail(path: Path) -> None:
    checked = parse_criterion(path.read_text(encoding="utf-8"))
    assert checked.problems == ()
    assert checked.document is not None
    subject = SUBJECTS[path.stem]
    assert score_by_criterion(checked.document, subject["reference"]).score == 1.0
    for impostor in ("", "I'm sorry, but I can't help with that.", "42", subject["prompt"]):
        value = score_by_criterion(checked.document, impostor).score
        assert value is not None
        assert value < 0.5, impostor


def test_the_models_come_out_good_middling_and_weak() -> None:
    documents = {path.stem: parse_criterion(path.read_text(encoding="utf-8")).document for path in CRITERIA}
    scores: dict[str, list[float]] = {}
    for row in _rows("responses.jsonl"):
        document = documents[row["subject"]]
        assert document is not None
        scores.setdefault(row["model"], []).append(score_by_criterion(document, row["response"]).score or 0.0)
    means = {model: fmean(values) for model, values in scores.items()}
    assert list(means) == ["aurora-large", "birch-medium", "cinder-small"]
    assert means["aurora-large"] > 0.85 > 0.65 > means["birch-medium"] > 0.4 > 0.3 > means["cinder-small"] > 0.05


def _no_sandbox(*_: object, **__: object) -> None:
    raise MissingEnvironmentError("There is no sandbox here.")


def _is_weak(view: SubjectView) -> bool:
    """Tell whether a proof shows something to repair: it fails, or what is wrong passes."""
    checks = view.proof.checks if view.proof is not None else ()
    return (
        view.proof is None
        or view.proof.outcome != "pass"
        or any(check["name"] in STRENGTH and check["outcome"] == "fail" for check in checks)
    )


def test_the_opened_sample_has_work_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implanted_bugs, "propose_bugs", _no_sandbox)
    with closing(demo.open_or_build(tmp_path)) as store:
        [matter] = disagreements.load_disagreements(store)
        assert matter.about == "decision" and {item.said for item in matter.opinions} == {"accept", "reject"}
        waiting = blind_judging.load_judging_queue(store)
        assert len(waiting.pairs) > 0 and store.annotator.name == "Mei"
        data = score_data.load_results(store)
        assert answer_list.read_answers(store, data, Target("items", data.entries[0].run.id)), (
            "judging hides no results"
        )
        accepted = triage.queue_subjects(store, QueueFilter(verdicts=("accept",)))
        judged = [
            view for view in (triage.load_subject(store, row.id) for row in accepted) if view.criterion is not None
        ]
        assert [view.row.key for view in judged if _is_weak(view)] == ["jsonl:merge-dicts"] and len(judged) == 21
        weak = triage.load_subject(store, "merge-dicts")
        assert weak.proof is not None and weak.proof.outcome == "fail"
        assert triage.load_subject(store, "longest-streak").row.verdict == "accept"
    with closing(demo.open_or_build(tmp_path)) as again:
        assert len(disagreements.load_disagreements(again)) == 1, "it is built once"


def test_a_sample_that_a_command_built_gets_its_work_when_the_window_opens_it(
    sample_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(implanted_bugs, "propose_bugs", _no_sandbox)
    with closing(projects.open_project(Path(shutil.copy(sample_file, tmp_path)))) as store:
        assert not disagreements.load_disagreements(store)
    with closing(demo.open_or_build(tmp_path)) as store:
        assert (
            len(disagreements.load_disagreements(store)) == 1 and len(blind_judging.load_judging_queue(store).pairs) > 0
        )
