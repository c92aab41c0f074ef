"""Two files that settled one matter differently: people see both, none wins in silence."""

from __future__ import annotations

import shutil
from pathlib import Path

from annotator.model.vocabulary import Verdict
from annotator.services.consensus import disagreements
from annotator.services.project import members
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.store.merge import row_union


def _merge(into: ProjectFile, source: ProjectFile) -> int:
    with source.read() as db:
        rows = row_union.read_all(db, run_data=True)
    with into.write() as db:
        return row_union.merge_rows(db, rows).conflicts


def _settle(store: ProjectFile, outcome: str) -> None:
    disagreements.resolve_disagreement(store, "jsonl:1", "decision", "discussion", outcome, f"we say {outcome}")


def _two(tmp_path: Path) -> tuple[ProjectFile, ProjectFile]:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "1", "title": "T", "prompt": "Do it.", "reference": "x", "language": "python"}\n')
    store = ProjectFile.create(tmp_path / "a.annotator", "Demo", "Ada")
    imports.import_paths(store, "jsonl", [rows])
    triage.decide_subjects(store, ["jsonl:1"], Verdict.ACCEPT)
    members.switch_annotator(store, "Bo")
    triage.decide_subjects(store, ["jsonl:1"], Verdict.REJECT)
    store.close()
    shutil.copy(tmp_path / "a.annotator", tmp_path / "b.annotator")
    return ProjectFile.open(tmp_path / "a.annotator"), ProjectFile.open(tmp_path / "b.annotator")


def test_both_sides_are_kept_in_both_files_and_once(tmp_path: Path) -> None:
    one, other = _two(tmp_path)
    _settle(one, "accept")
    _settle(other, "reject")
    assert _merge(one, other) == 1
    (conflict,) = disagreements.load_conflicts(one)
    assert (conflict.table, conflict.ours["outcome"], conflict.theirs["outcome"]) == ("resolution", "accept", "reject")
    assert _merge(one, other) == 0 and len(disagreements.load_conflicts(one)) == 1
    one.close()
    other.close()


def test_who_knew_of_the_other_settlement_contradicts_nobody(tmp_path: Path) -> None:
    one, other = _two(tmp_path)
    _settle(one, "accept")
    assert _merge(other, one) == 0
    triage.decide_subjects(other, ["jsonl:1"], Verdict.REJECT, "after all")
    _settle(other, "reject")
    assert _merge(one, other) == 0 and disagreements.load_conflicts(one) == ()
    one.close()
    other.close()


def test_the_same_outcome_is_no_contradiction(tmp_path: Path) -> None:
    one, other = _two(tmp_path)
    _settle(one, "accept")
    _settle(other, "accept")
    assert _merge(one, other) == 0
    one.close()
    other.close()
