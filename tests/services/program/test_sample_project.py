"""The sample's own quality: sound criteria, references that pass, impostors that do not."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from annotator.base.resources import resource_path
from annotator.criteria import parse_criterion, score_by_criterion
from annotator.model.vocabulary import Difficulty, TaskFamily, Verdict

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
