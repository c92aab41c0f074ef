"""What a release must meet, gate by gate, and the datasheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.model.rows.release_rows import Gate
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import proofs, revisions
from annotator.services.project import projects
from annotator.services.release import datasheet, exports, release_gates, versions
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows

ROW = {
    "id": "sort", "prompt": "How do I sort a list?", "reference": "Use sorted(x).", "licence": "MIT",
    "provenance": {"source": "ours"}, "language": "python",
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> ProjectFile:
    return projects.create_project(tmp_path / "p.annotator", "p", "ada")


def add(store: ProjectFile, tmp_path: Path, **fields: Any) -> None:
    row = {**ROW, **fields}
    imports.import_paths(store, "jsonl", [write_rows(tmp_path / "rows.jsonl", [row])])
    triage.decide_subjects(store, [row["id"]], Verdict.ACCEPT)
    revisions.save_criterion(store, row["id"], "grading:\n  keywords: ['sorted(']\n")
    proofs.prove_subjects(store)


def gate(store: ProjectFile, name: str) -> Gate:
    return next(gate for gate in release_gates.check_gates(store) if name in gate.name)


def test_a_sound_item_meets_all_required_gates(store: ProjectFile, tmp_path: Path) -> None:
    add(store, tmp_path)
    assert [gate.name for gate in release_gates.check_gates(store) if gate.required and not gate.ok] == []
    assert versions.create_release(store, "0.1")[0].item_count == 1


def test_without_an_item_no_gate_says_that_all_meet_it(store: ProjectFile) -> None:
    assert gate(store, "proven").reason == "no items yet"


@pytest.mark.parametrize(
    ("fields", "name", "required"),
    [
        ({"licence": "LicenseRef-Proprietary"}, "licence is known", False),
        ({"licence": ""}, "licence is known", False),
        ({"provenance": {}}, "provenance", False),
        ({"prompt": "Mail jane.doe@gmail.com: how do I sort?"}, "secret", True),
        ({"reference": "sorted(x)  # ghp_" + "a1B2" * 9}, "secret", True),
    ],
)
def test_each_gate_names_the_items(
    store: ProjectFile, tmp_path: Path, fields: dict[str, Any], name: str, required: bool
) -> None:
    add(store, tmp_path, **fields)
    found = gate(store, name)
    assert not found.ok and found.required is required and len(found.subject_ids) == 1
    assert "ghp_a1B2a1B2a1B2" not in found.reason and "jane.doe@gmail.com" not in found.reason


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("def copy(self) -> Table", False),
        ("def copy(self) -> Table\n\nSee above.", False),
        ("@check(one, two)\ndef copy(self) -> Table", False),
        ("def copy(self) -> Table\n\nhttps://example.org/tables/how-to-copy-them.html", False),
        ("def copy(self) -> Table\n\nReturn a table that is equal.", True),
        ("def copy(self) -> Table\n\n返回表格的副本。", True),
    ],
)
def test_a_function_must_be_described_by_more_than_its_signature(
    store: ProjectFile, tmp_path: Path, prompt: str, told: bool
) -> None:
    add(
        store,
        tmp_path,
        prompt=prompt,
        extra={"signature": "def copy(self) -> Table", "decorators": "@check(one, two)\n"},
    )
    found = gate(store, "says what to write")
    assert found.required and found.ok is told
    assert release_gates.undescribed_subjects(store) == frozenset(found.subject_ids)


def test_items_that_say_the_same_are_found_also_in_earlier_releases(store: ProjectFile, tmp_path: Path) -> None:
    add(store, tmp_path)
    versions.create_release(store, "0.1")
    assert gate(store, "duplicate").ok
    add(store, tmp_path, id="again", prompt="how do I   SORT a list?")
    assert len(gate(store, "duplicate").subject_ids) == 2
    triage.decide_subjects(store, ["sort"], Verdict.REJECT)
    assert len(gate(store, "duplicate").subject_ids) == 1


def test_mined_functions_may_have_a_signature_in_common(store: ProjectFile, tmp_path: Path) -> None:
    row = {"row": {"signature": "def clear(self)"}}
    asked = {"prompt": "def clear(self):", "extra": row}
    add(store, tmp_path, **asked, reference="def clear(self):\n    self.rows = []")
    versions.create_release(store, "0.1", override_reason="tried out")
    add(store, tmp_path, id="other", **asked, reference="def clear(self):\n    self.names.clear()")
    assert gate(store, "duplicate").ok
    add(store, tmp_path, id="copied", **asked, reference="def clear(self):\n    self.names.clear()")
    assert len(gate(store, "duplicate").subject_ids) == 2


def test_the_datasheet_is_filled_by_people_and_facts(store: ProjectFile, tmp_path: Path) -> None:
    add(store, tmp_path)
    missing = {question.id for question in datasheet.open_questions(store)}
    assert "purpose" in missing and not gate(store, "datasheet").required
    for name in missing:
        datasheet.save_datasheet_text(store, name, "An answer.")
    assert gate(store, "datasheet").ok
    datasheet.save_datasheet_text(store, "description", "A benchmark of sorting.")
    versions.create_release(store, "0.1")
    exports.export_release(store, "0.1", "annotator", tmp_path / "out")
    text = (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "An answer." in text
    datasheet.save_datasheet_text(store, "sensitive", "")
    assert "sensitive" in {question.id for question in datasheet.open_questions(store)}
    with pytest.raises(BadInputError, match="no question"):
        datasheet.save_datasheet_text(store, "weather", "fine")
    with pytest.raises(BadInputError, match="characters"):
        datasheet.save_datasheet_text(store, "purpose", "x" * 30_000)


def test_an_item_that_a_wrong_answer_passes_is_weak(
    store: ProjectFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(store, tmp_path, reference="Use `sorted(x, key=len, reverse=True)`.")
    weak = gate(store, "wrong")
    assert not weak.ok and not weak.required and len(weak.subject_ids) == 1
    assert "reverse=" in weak.items[0].why
    assert triage.load_subject(store, "sort").row.proven

    revisions.save_criterion(store, "sort", "grading:\n  keywords: ['sorted(', 'reverse=True', 'key=']\n")
    store.close()
    assert main(["criterion", "prove", str(tmp_path / "p.annotator")]) == 0
    assert "proven" in capsys.readouterr().out
    again = projects.open_project(tmp_path / "p.annotator")
    assert gate(again, "wrong").ok
    revisions.save_criterion(again, "sort", "grading:\n  keywords: ['sorted(', 'key=']\n")
    again.close()
    assert main(["criterion", "prove", str(tmp_path / "p.annotator")]) == 0
    said = capsys.readouterr().out
    assert "weak" in said and "reverse=" in said
