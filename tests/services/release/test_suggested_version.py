"""Versions side by side: one comparison for service, commands, exports and leaderboards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.formats.interchange import release_folder
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.prompt import paraphrases
from annotator.services.release import exports, release_list, suggested_version, versions
from annotator.services.runs import recorded_answers, run_control
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_releases as stored
from tests.formats.releases import write_rows


@pytest.fixture
def released(store: ProjectFile, tmp_path: Path) -> ProjectFile:
    """Release 0.1 with items 0, 1 and 2, and a run on it with two responses an item."""
    for name in ("0", "1", "2"):
        triage.decide_subjects(store, [name], Verdict.ACCEPT)
        revisions.save_criterion(store, name, "grading:\n  keywords: [merge_them]\n")
    versions.create_release(store, "0.1", override_reason="a test")
    rows = [{"subject": name, "sample": n, "model": "m", "response": "merge_them"} for name in "012" for n in (0, 1)]
    run_control.start_replay(store, "0.1", write_rows(tmp_path / "answers.jsonl", rows))
    return store


def change_everything(store: ProjectFile) -> None:
    """0: asked another way. 1: another rule. 2: gone. 3: new."""
    paraphrases.save_prompt(store, "0", "How are two dictionaries put together?")
    revisions.save_criterion(store, "1", "grading:\n  keywords: [other]\n")
    triage.decide_subjects(store, ["2"], Verdict.REJECT)
    triage.decide_subjects(store, ["3"], Verdict.ACCEPT)


def test_where_nothing_changed_no_version_is_suggested(released: ProjectFile) -> None:
    diff = suggested_version.diff_versions(released, "0.1")
    assert (diff.added, diff.removed, diff.changed, diff.same, diff.errata) == ((), (), (), 3, ())
    assert diff.suggested == "" and len(diff.comparable) == 3
    with pytest.raises(BadInputError, match=r"Nothing has changed since 0\.1"):
        suggested_version.suggest_version(released)
    assert [(run.model, run.responses, run.void, run.dropped) for run in diff.runs] == [("m", 6, 0, 0)]


def test_a_used_version_is_refused_before_a_gate_asks_for_a_reason(released: ProjectFile) -> None:
    with pytest.raises(BadInputError, match=r"a release 0\.1 already"):
        versions.create_release(released, "0.1")


def test_labels_alone_keep_every_score(released: ProjectFile) -> None:
    triage.label_rows(released, [triage.queue_row_of(released, "0")], "difficulty", "hard")
    diff = suggested_version.diff_versions(released, "0.1")
    assert [(item.key, item.fields, item.void) for item in diff.changed] == [("jsonl:0", ("labels",), False)]
    assert len(diff.comparable) == 3 and diff.suggested == "0.1.1"


def test_what_becomes_of_stored_results(released: ProjectFile) -> None:
    change_everything(released)
    diff = suggested_version.diff_versions(released, "0.1")
    assert [(item.key, item.fields, item.void) for item in diff.changed] == [
        ("jsonl:0", ("prompt",), True),
        ("jsonl:1", ("criterion",), True),
    ]
    assert [item.key for item in diff.added] == ["jsonl:3"] and [item.key for item in diff.removed] == ["jsonl:2"]
    assert (diff.same, diff.comparable, diff.suggested) == (0, (), "0.2")
    [run] = diff.runs
    assert (run.responses, run.void, run.ask_again, run.dropped) == (6, 4, 2, 2)
    assert diff.errata == (
        "jsonl:0: prompt changed; earlier scores are no longer valid",
        "jsonl:1: criterion changed; earlier scores are no longer valid",
        "jsonl:2: taken out",
    )
    with pytest.raises(BadInputError, match=r"no release 9\.9"):
        suggested_version.diff_versions(released, "9.9")


def test_the_release_and_its_exports_carry_the_difference(released: ProjectFile, tmp_path: Path) -> None:
    exports.export_release(released, "0.1", "annotator", tmp_path / "one")
    assert not (tmp_path / "one" / "CHANGES.md").exists()
    change_everything(released)
    told = suggested_version.diff_versions(released, "0.1")
    versions.create_release(released, "0.2", override_reason="a test", errata=["Item 1 asked for too much."])
    exports.export_release(released, "0.2", "annotator", tmp_path / "two")
    text = (tmp_path / "two" / "CHANGES.md").read_text("utf-8")
    assert "since 0.1" in text and "- Item 1 asked for too much." in text and "`jsonl:3`" in text
    assert "Item 1 asked for too much." in (tmp_path / "two" / "DATASHEET.md").read_text("utf-8")
    manifest = json.loads((tmp_path / "two" / "manifest.json").read_text("utf-8"))
    assert manifest["about"]["since"]["void"] == ["jsonl:0", "jsonl:1"]
    assert {gate["id"] for gate in manifest["about"]["gates"]} >= {"proofs", "consensus", "quotas"}
    assert release_folder.verify_release_folder(tmp_path / "two") == ()
    folders = suggested_version.compare_release_folders(tmp_path / "one", tmp_path / "two")
    stored_ones = suggested_version.diff_versions(released, "0.1", "0.2")
    for found in (folders, stored_ones):
        assert [(item.key, item.fields) for item in found.changed] == [(item.key, item.fields) for item in told.changed]
        assert (found.errata, found.comparable, found.same) == (told.errata, told.comparable, told.same)
        assert (found.old, found.new) == ("0.1", "0.2")


def test_the_draft_of_the_errata_is_taken_unless_somebody_wrote_them(released: ProjectFile) -> None:
    paraphrases.save_prompt(released, "0", "Another question?")
    versions.create_release(released, "0.2", override_reason="a test")
    assert _manifest(released, "0.2")["facts"]["errata"] == [
        "jsonl:0: prompt changed; earlier scores are no longer valid"
    ]
    versions.create_release(released, "0.3", override_reason="a test", errata=[])
    carried = ["0.2: jsonl:0: prompt changed; earlier scores are no longer valid"]
    assert _manifest(released, "0.3")["facts"]["errata"] == carried
    versions.create_release(released, "0.4", override_reason="a test", errata=["Item 1 was unclear."])
    assert _manifest(released, "0.4")["facts"]["errata"] == ["Item 1 was unclear.", *carried]


def _manifest(store: ProjectFile, version: str) -> dict[str, Any]:
    with store.read() as db:
        return dict(stored.fetch_release(db, version).manifest)


def test_a_manifest_that_names_other_parts_is_found(released: ProjectFile, tmp_path: Path) -> None:
    exports.export_release(released, "0.1", "annotator", tmp_path / "one")
    path = tmp_path / "one" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["semantic"]["jsonl:0"]["prompt"] = "0" * 16
    from annotator.formats.write.export_folder import manifest_text

    path.write_text(manifest_text(manifest), "utf-8")
    assert release_folder.verify_release_folder(tmp_path / "one") == (
        "manifest.json and items.jsonl describe different items: jsonl:0 (prompt)",
    )
    manifest["semantic"] = ["x"]
    path.write_text(manifest_text(manifest), "utf-8")
    with pytest.raises(BadInputError, match="Compare release folders"):
        suggested_version.compare_release_folders(tmp_path / "one", tmp_path / "one")
    with pytest.raises(BadInputError):
        suggested_version.compare_release_folders(tmp_path / "nowhere", tmp_path / "one")


def test_a_release_of_verdicts_alone_is_no_version_to_follow(store: ProjectFile, tmp_path: Path) -> None:
    path = tmp_path / "o.jsonl"
    row = {"model": "m", "protocol": "pass@1", "domain": "d", "repository": "r", "path": "General/r/a.py",
           "function": "f", "mask": "63de241b2b54", "outcomes": ["pass"]}  # fmt: skip
    path.write_text(json.dumps(row) + "\n")
    recorded_answers.import_answers(store, "outcomes", [path])
    assert len(release_list.list_releases(store)) == 1
    assert suggested_version.previous_version(store) is None and suggested_version.suggest_version(store) == "0.1"
    assert imports.list_sources(store)
