"""The release audit: evidence, statements, what stays open; frozen with a release, and told in its folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.interchange.release_folder import verify_release_folder
from annotator.model.rows.audit_rows import MET, NOT_MET, OPEN, AuditRow
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.project import undo
from annotator.services.release import audit, datasheet, exports, release_gates, versions
from annotator.services.release.audit_points import PHASES, POINTS
from annotator.services.release.power_plan import OMEGA2, PowerQuestion, Variances, detectable_difference
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows


@pytest.fixture
def accepted(store: ProjectFile) -> ProjectFile:
    """Three items of the project's candidates are in."""
    for name in ("0", "1", "2"):
        triage.decide_subjects(store, [name], Verdict.ACCEPT)
        revisions.save_criterion(store, name, "grading:\n  keywords: [merge_them]\n")
    return store


def row_of(store: ProjectFile, point: str, version: str | None = None) -> AuditRow:
    return next(row for row in audit.load_audit(store, version).rows if row.point.id == point)


def test_points_have_ids_of_their_own_and_every_phase_has_some() -> None:
    assert len({point.id for point in POINTS}) == len(POINTS)
    assert tuple(dict.fromkeys(point.phase for point in POINTS)) == PHASES


def test_nothing_is_met_that_was_not_run(accepted: ProjectFile) -> None:
    found = {row.point.id: row for row in audit.load_audit(accepted).rows}
    assert len(found) == len(POINTS)
    nothing = ("reference", "coverage", "mutants", "impostors", "flakes", "limits", "models", "raw", "purpose",
               "reproducible")  # fmt: skip
    for point in nothing:
        assert (found[point].state, found[point].by) == (OPEN, ""), point


def test_an_empty_project_has_nothing_to_audit(store: ProjectFile) -> None:
    with pytest.raises(BadInputError, match="nothing to audit"):
        audit.load_audit(store)


def test_a_statement_answers_and_is_undone(accepted: ProjectFile) -> None:
    audit.save_statement(accepted, "audience", MET, "Makers of code models")
    row = row_of(accepted, "audience")
    assert row.statement is not None and row.statement.person == accepted.annotator.name and row.statement.created_at
    assert (row.state, row.by) == (MET, "statement")
    audit.save_statement(accepted, "audience", OPEN, "")
    assert row_of(accepted, "audience").state == OPEN
    undo.undo_last_act(accepted)
    assert row_of(accepted, "audience").state == MET
    undo.undo_last_act(accepted)
    assert row_of(accepted, "audience").statement is None


def test_a_statement_does_not_overrule_evidence(accepted: ProjectFile) -> None:
    audit.save_statement(accepted, "rewriting", MET, "They read quite otherwise")
    row = row_of(accepted, "rewriting")
    assert (row.state, row.by) == (NOT_MET, "evidence") and row.statement is not None


def test_the_datasheet_speaks_to_a_point_until_somebody_states_it(accepted: ProjectFile) -> None:
    datasheet.save_datasheet_text(accepted, "purpose", "To measure merging")
    row = row_of(accepted, "purpose")
    assert row.statement is not None and row.statement.text == "To measure merging" and row.statement.person
    audit.save_statement(accepted, "purpose", NOT_MET, "No other benchmark is named")
    assert row_of(accepted, "purpose").state == NOT_MET


@pytest.mark.parametrize(("point", "answer", "text"), [("nothing", MET, "x"), ("use", "yes", "x"), ("use", MET, " ")])
def test_what_is_no_statement_changes_nothing(accepted: ProjectFile, point: str, answer: str, text: str) -> None:
    with pytest.raises(BadInputError, match="Nothing was changed"):
        audit.save_statement(accepted, point, answer, text)


def test_a_threshold_may_ask_for_more_and_not_for_less(accepted: ProjectFile) -> None:
    for point, value in (("power", 0.2), ("coverage", 0.5), ("audience", 1.0), ("power", float("nan"))):
        with pytest.raises(BadInputError, match="Nothing was changed"):
            audit.set_audit_threshold(accepted, point, value)
    audit.set_audit_threshold(accepted, "power", 0.05)
    row = row_of(accepted, "power")
    assert row.point.threshold == 0.05 and row.state == NOT_MET


def test_the_detectable_difference_is_that_of_the_sample_size() -> None:
    assumed = Variances(OMEGA2, 0.0, 0)
    assert detectable_difference(969, assumed, PowerQuestion()) == pytest.approx(0.03, abs=1e-4)


def test_a_release_keeps_its_audit_and_its_folder_tells_it(accepted: ProjectFile, tmp_path: Path) -> None:
    audit.save_statement(accepted, "audience", MET, "Makers | of models")
    versions.create_release(accepted, "0.1", override_reason="a test")
    audit.save_statement(accepted, "audience", NOT_MET, "Later words")
    exports.export_release(accepted, "0.1", "annotator", tmp_path / "out")
    kept = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert [row["state"] for row in kept if row["id"] == "audience"] == [MET]
    text = (tmp_path / "out" / "AUDIT.md").read_text()
    assert "Makers \\| of models" in text and f"{accepted.annotator.name}, " in text
    assert verify_release_folder(tmp_path / "out") == ()


def test_versions_are_compared_point_by_point(accepted: ProjectFile) -> None:
    versions.create_release(accepted, "0.1", override_reason="a test")
    triage.decide_subjects(accepted, ["2"], Verdict.REJECT, "too easy")
    old, new = audit.load_audit(accepted, "0.1"), audit.load_audit(accepted)
    assert (old.version, new.version) == ("0.1", "")
    assert "version" in {before.point.id for before, _ in audit.compare_audits(old, new)}


def test_runs_answer_what_they_know(accepted: ProjectFile, tmp_path: Path) -> None:
    versions.create_release(accepted, "0.1", override_reason="a test")
    rows = [{"subject": name, "sample": n, "model": "m", "response": "merge_them"} for name in "012" for n in (0, 1)]
    run_control.start_replay(accepted, "0.1", write_rows(tmp_path / "answers.jsonl", rows))
    assert row_of(accepted, "raw", "0.1").evidence.value == 1.0
    assert row_of(accepted, "machinery", "0.1").state == MET
    models = row_of(accepted, "models", "0.1")
    assert (models.state, models.evidence.value) == (NOT_MET, 1.0)
    assert row_of(accepted, "decoding", "0.1").state == OPEN, "recorded answers do not tell how they were decoded"


def test_the_audit_tells_which_part_of_an_origin_is_lacking(accepted: ProjectFile) -> None:
    """The gate on provenance asks for the source alone, so the audit says of how many that is known."""
    (gate,) = [gate for gate in release_gates.check_gates(accepted) if gate.id == "provenance"]
    row = row_of(accepted, "origin")
    assert f"source {3 - len(gate.items)}, version 0" in str(row.evidence.text)
