"""Everything that a project can hold travels: whole projects as a packet, releases as a folder."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.bugs import implanted_bugs
from annotator.services.consensus import three_experts
from annotator.services.criterion import revisions
from annotator.services.project import packets, projects
from annotator.services.prompt import paraphrases
from annotator.services.release import exports, suggested_version, versions
from annotator.services.select import quotas, triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.merge import row_union
from annotator.store.runs import stored_releases

GOLDEN = Path(__file__).parents[2] / "store" / "sound"
# What stays in a file: the project's own row with its settings, contents that a merge did not take, kept columns.
STAYS = {
    "project", "lease", "conflict", "run_scores", "run_counts", "subject_count", "search_gap", "arrival",
    "block_digest",
}  # fmt: skip


@pytest.fixture
def full(tmp_path: Path) -> Iterator[ProjectFile]:
    """A project of today's schema with rows in every table of the newest kept version."""
    newest = max(GOLDEN.glob("*.gz"), key=lambda path: int(path.name.split("-")[1].split(".")[0]))
    path = tmp_path / "full.annotator"
    path.write_bytes(gzip.decompress(newest.read_bytes()))
    store = ProjectFile.open(path)
    with store.write() as db:
        # The kept rows are sealed in the same moment as they were judged, which no program does.
        undo_log.make_sealed_final(db.connection())
    yield store
    store.close()


def test_every_table_travels_or_stays_on_purpose(full: ProjectFile) -> None:
    with full.reader() as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    own = {name for name in names if not name.startswith(("sqlite_", "subject_search"))}
    assert own == {*row_union.TABLES, *STAYS}


@pytest.mark.parametrize("phrase", ["", "a long passphrase"])
def test_a_whole_project_comes_back_as_it_was(full: ProjectFile, tmp_path: Path, phrase: str) -> None:
    packet = packets.export_packet(full, tmp_path / "all.packet", passphrase=phrase, run_data=True)
    with closing(projects.create_project(tmp_path / "other.annotator", "Other", "Zed")) as other:
        report = packets.import_packet(other, tmp_path / "all.packet", passphrase=phrase, unrelated=True)
        assert (report.total, report.conflicts) == (packet.rows, 0)
        with full.read() as ours, other.read() as theirs:
            for name in row_union.TABLES:
                rows = row_union.read_table(ours, name)
                found = [row for row in row_union.read_table(theirs, name) if row.get("name") != "Zed"]
                assert found == rows, name
        again = packets.import_packet(other, tmp_path / "all.packet", passphrase=phrase, unrelated=True)
        assert (again.total, again.conflicts) == (0, 0)
        assert projects.check_integrity(other) == ()


def test_what_experts_changed_comes_back_with_a_release(store: ProjectFile, tmp_path: Path) -> None:
    for name in ("0", "1"):
        triage.decide_subjects(store, [name], Verdict.ACCEPT)
    revisions.save_criterion(store, "0", "grading:\n  keywords: [merge_them]\n")
    paraphrases.save_prompt(store, "0", "How are they put together?")
    three_experts.save_artefact_edit(store, "1", "solution", "Use another(x).")
    tests = [{"name": "t", "language": "python", "code": "assert 1", "expected": "x", "timeout": 2.5, "weight": 2.0}]
    three_experts.save_artefact_edit(store, "1", "tests", json.dumps(tests))
    row = triage.queue_row_of(store, "1")
    for label, value in (("difficulty", "hard"), ("domain", "network"), ("question_type", "code debugging")):
        triage.label_rows(store, [row], label, value)
    versions.create_release(store, "0.1", override_reason="a test")
    exports.export_release(store, "0.1", "annotator", tmp_path / "out")
    with closing(projects.create_project(tmp_path / "other.annotator", "Other", "Eve")) as other:
        imports.import_paths(other, "annotator", [tmp_path / "out"])
        ids = [found.id for found in triage.queue_page(other, QueueFilter()).rows]
        triage.decide_subjects(other, ids, Verdict.ACCEPT)
        with other.read() as theirs:
            diff = suggested_version.compare_with_version(store, "0.1", stored_releases.current_items(theirs))
        assert (diff.added, diff.removed, diff.changed, diff.same) == ((), (), (), 2)


def test_bugs_and_quotas_are_read_where_they_came_from_another_file(full: ProjectFile, tmp_path: Path) -> None:
    packets.export_packet(full, tmp_path / "all.packet", run_data=True)
    with closing(projects.create_project(tmp_path / "other.annotator", "Other", "Zed")) as other:
        packets.import_packet(other, tmp_path / "all.packet", unrelated=True)
        assert [row.id for row in implanted_bugs.find_bugs(other)] == [row.id for row in implanted_bugs.find_bugs(full)]
        assert quotas.quota_progress(other) == quotas.quota_progress(full) and quotas.quota_progress(full)
