"""From a project to every format and back: exports, releases read again, answers and verdicts made elsewhere."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from annotator.base.errors import BadInputError, UsageError
from annotator.formats.format_registry import EXPORTS
from annotator.formats.interchange import release_folder
from annotator.formats.interchange.inspect_log import read_log
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.criterion import revisions
from annotator.services.project import members, projects, undo
from annotator.services.prompt import paraphrases
from annotator.services.release import exports, versions
from annotator.services.results import result_tables
from annotator.services.runs import recorded_answers, run_control, run_list
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_releases
from tests.formats import public_rows
from tests.formats.releases import write_rows

KEYWORDS = "grading:\n  keywords:\n    - merge_them\n"


def _accept_all(store: ProjectFile) -> None:
    ids = [row.id for row in triage.queue_page(store, QueueFilter(), limit=1000).rows]
    triage.decide_subjects(store, ids, Verdict.ACCEPT)


def _items(store: ProjectFile, version: str | None = None) -> list[dict[str, Any]]:
    with store.read() as db:
        return stored_releases.items_of(db, stored_releases.fetch_release(db, version).id)


def _task(folder: Path) -> Path:
    """Return a folder of tasks with one in Python."""
    place = folder / "t1" / "python"
    place.mkdir(parents=True)
    (place / "signature.py").write_text("def double(x):\n")
    (place / "answer.py").write_text("def double(x):\n    return 2 * x\n")
    (place / "test.py").write_text("from answer import double\nassert double(2) == 4\n")
    return folder


@pytest.fixture
def released(store: ProjectFile, tmp_path: Path) -> Iterator[ProjectFile]:
    """A project of several sources with a release and a run."""
    for name in ("domaineval", "evocodebench", "coco", "evalplus"):
        imports.import_paths(store, name, [write_rows(tmp_path / f"{name}.jsonl", getattr(public_rows, name.upper()))])
    imports.import_paths(store, "realisticcodebench", [_task(tmp_path / "tasks")])
    _accept_all(store)
    first = triage.queue_page(store, QueueFilter()).rows[0].id
    revisions.save_criterion(store, first, KEYWORDS)
    paraphrases.save_prompt(store, first, "Merge the dictionaries a and b.")
    versions.create_release(store, "0.1", "First.", override_reason="a test")
    answers = tmp_path / "answers.jsonl"
    rows = [
        {"subject": "0", "model": model, "sample": n, "response": f"use merge_them {n}" if n else "no"}
        for model in "ab"
        for n in range(3)
    ]
    write_rows(answers, rows)
    run_control.start_replay(store, "0.1", answers)
    yield store


def test_every_format_is_exported_twice_alike(released: ProjectFile, tmp_path: Path, subtests: pytest.Subtests) -> None:
    has_pyarrow = importlib.util.find_spec("pyarrow") is not None
    names = [item.name for item in EXPORTS if item.name != "huggingface-parquet" or has_pyarrow]
    first = {name: exports.export_release(released, None, name, tmp_path / "one" / name) for name in names}
    # What happens to the project later does not change what a release says.
    members.switch_annotator(released, "Ben")
    imports.import_paths(released, "mbpp", [write_rows(tmp_path / "m.jsonl", public_rows.MBPP)])
    for name, done in first.items():
        with subtests.test(name):
            again = exports.export_release(released, "0.1", name, tmp_path / "two" / name)
            assert [path.read_bytes() for path in done.files] == [path.read_bytes() for path in again.files]
            assert release_folder.verify_release_folder(tmp_path / "one" / name) == () and done.items


def test_an_unknown_format_lists_those_there_are(released: ProjectFile, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="leaderboard"):
        exports.export_release(released, None, "csvx", tmp_path / "out")


def test_a_release_folder_makes_the_same_release_elsewhere(released: ProjectFile, tmp_path: Path) -> None:
    exports.export_release(released, None, "annotator", tmp_path / "out")
    with closing(projects.create_project(tmp_path / "other.annotator", "Other", "Eve")) as other:
        report = imports.import_paths(other, "annotator", [tmp_path / "out"])
        assert report.added == len(_items(released)) and report.bad == 0
        _accept_all(other)
        versions.create_release(other, "0.1", override_reason="a test")
        new = {item["key"]: item for item in _items(other)}
        for item in _items(released):
            # The criterion was written after the import there and came with it here, so the subject's id differs.
            unlike = {"id", "content_hash"} if item["criterion"] else set()
            assert {name: value for name, value in new[item["key"]].items() if name not in unlike} == {
                name: value for name, value in item.items() if name not in unlike
            }
        assert imports.import_paths(other, "annotator", [tmp_path / "out"]).added == 0
        assert projects.check_integrity(other) == ()


def test_a_release_adds_nothing_to_its_own_project(released: ProjectFile, tmp_path: Path) -> None:
    exports.export_release(released, None, "annotator", tmp_path / "out")
    report = imports.import_paths(released, "annotator", [tmp_path / "out"])
    assert report.added == 0 and report.known + report.changed == len(_items(released)) and report.changed <= 1


def test_undoing_the_import_of_a_release_takes_its_paraphrases_too(released: ProjectFile, tmp_path: Path) -> None:
    exports.export_release(released, None, "annotator", tmp_path / "out")
    with closing(projects.create_project(tmp_path / "other.annotator", "Other", "Eve")) as other:
        imports.import_paths(other, "annotator", [tmp_path / "out"])
        view = triage.load_subject(other, "jsonl:0")
        assert view.paraphrase is not None and view.paraphrase.text == "Merge the dictionaries a and b."
        assert view.prompt == "How do I merge two dictionaries?" and view.criterion is not None
        undo.undo_last_act(other)
        assert triage.queue_page(other, QueueFilter()).rows == ()
        imports.import_paths(other, "annotator", [tmp_path / "out"])
        view = triage.load_subject(other, "jsonl:0")
        assert view.paraphrase is not None and view.criterion is not None


def test_the_facts_of_a_release_are_frozen_with_it(released: ProjectFile) -> None:
    members.add_annotator(released, "Bo")
    facts = exports.gather_facts(released)
    # Bo has joined and done nothing.
    assert [person.name for person in facts.contributors] == ["Ada"] and facts.contributors[0].decisions > 0
    kinds = {"jsonl", "domaineval", "evocodebench", "coco", "evalplus", "realisticcodebench"}
    assert {source.kind for source in facts.sources} == kinds
    assert [version.version for version in facts.versions] == ["0.1"]
    with released.read() as db:
        kept = stored_releases.fetch_release(db, "0.1").manifest["facts"]
    assert kept["versions"] == [] and len(kept["sources"]) == 6 and kept["tools"][0].startswith("Annotator")


def test_logs_of_runs_go_out_and_come_back(released: ProjectFile, tmp_path: Path) -> None:
    done = exports.export_release(released, None, "inspect-log", tmp_path / "logs")
    logs = [path for path in done.files if path.suffix == ".eval"]
    assert len(logs) == 2 and len(list(read_log(logs[0]))) == 3
    report = recorded_answers.import_answers(released, "inspect-log", logs)
    assert (report.added, report.already_present, report.left_out) == (6, 0, 0)
    assert recorded_answers.import_answers(released, "inspect-log", logs).added == 0
    before = len(run_list.list_runs(released))
    run_control.start_replay(released, None, logs[0])
    assert len(run_list.list_runs(released)) == before + 1
    scores = {row.model: row.score for row in result_tables.load_leaderboard(released).rows}
    assert scores == {"a": pytest.approx(2 / 3), "b": pytest.approx(2 / 3)}


def test_samples_are_kept_once_and_strangers_counted(released: ProjectFile, tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "s.jsonl", [{"task_id": "0", "completion": "a"}, {"task_id": "nobody", "completion": "b"}]
    )
    report = recorded_answers.import_answers(released, "samples", [path])
    assert (report.added, report.left_out) == (1, 1)
    assert recorded_answers.import_answers(released, "samples", [path]).already_present == 1
    write_rows(path, [{"task_id": "0", "completion": 3}, {"task_id": "0", "completion": "new"}])
    with pytest.raises(BadInputError, match="nothing was imported") as caught:
        recorded_answers.import_answers(released, "samples", [path])
    assert caught.value.details[0].startswith("s.jsonl:1: column completion holds a number")
    assert recorded_answers.import_answers(released, "samples", [path], skip_bad=True).bad == 1


def test_verdicts_become_runs_once(released: ProjectFile, tmp_path: Path) -> None:
    masks = [item["key"].split(":") for item in _items(released) if item["key"].startswith("domaineval:")]
    rows = [
        {"model": model, "protocol": "pass@1", "domain": "Network", "repository": "netkit",
         "path": f"Network/{place}", "function": function, "mask": mask,
         "outcomes": ["pass" if model == "good" else word]}
        for model in ("good", "bad")
        for (_, place, function, mask), word in zip(masks, ("fail", "timeout", "no_code"), strict=True)
    ]  # fmt: skip
    stranger = {**rows[0], "function": "other"}
    path = write_rows(tmp_path / "o.jsonl", [*rows, stranger])
    report = recorded_answers.import_answers(released, "outcomes", [path])
    assert (report.added, report.runs, report.left_out, report.bad) == (6, 2, 1, 0)
    board = {row.model: row for row in result_tables.load_leaderboard(released).rows}
    assert (board["good"].score, board["good"].passed) == (1.0, 3)
    assert (board["bad"].score, board["bad"].failed, board["bad"].no_answer) == (0.0, 2, 1)
    again = recorded_answers.import_answers(released, "outcomes", [path])
    assert (again.added, again.already_present, again.runs) == (0, 6, 0)
    done = exports.export_release(released, None, "leaderboard", tmp_path / "board")
    assert done.items == 4 and "good" in (tmp_path / "board" / "leaderboard.csv").read_text("utf-8")
    exports.export_release(released, None, "site", tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text("utf-8")
    passed = sum(row.passed for row in board.values())
    cells = re.findall(r'<td[^>]* class="number">(\d) of \d</td>', page.partition('id="items"')[2])
    assert sum(map(int, cells)) == passed > 0
    pages = [path.read_text("utf-8") for path in (tmp_path / "site" / "items").iterdir()]
    assert sum(text.count(": pass, 100 %</h3>") for text in pages) == passed


def test_a_release_is_looked_through_for_secrets(released: ProjectFile) -> None:
    assert exports.scan_release(released, "0.1").findings == ()
    paraphrases.save_prompt(released, "0", "Ask jane.doe@uni-kassel.de about it.")
    found = exports.scan_release(released).findings
    assert [(item.field, item.finding.rule) for item in found] == [("prompt", "e-mail address")]


def test_the_manifest_names_what_was_left_out(released: ProjectFile, tmp_path: Path) -> None:
    done = exports.export_release(released, None, "humaneval", tmp_path / "out")
    told = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert len(told["left_out"]) == len(done.left_out) > 0
