"""The sample that a person opens leaves something to do on every page, with or without a sandbox."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from annotator.base.errors import MissingEnvironmentError
from annotator.criteria.proof.proof_checks import STRENGTH
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.rows.view_rows import SubjectView
from annotator.services.bugs import implanted_bugs
from annotator.services.consensus import disagreements
from annotator.services.judge import blind_judging
from annotator.services.program import demo
from annotator.services.select import triage


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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(implanted_bugs, "propose_bugs", _no_sandbox)
    with closing(demo.build_demo(tmp_path)) as store:
        assert not disagreements.load_disagreements(store)
    with closing(demo.open_or_build(tmp_path)) as store:
        assert (
            len(disagreements.load_disagreements(store)) == 1 and len(blind_judging.load_judging_queue(store).pairs) > 0
        )
