"""Quotas of a project: set, counted, undone; bulk decisions; sorting. Through services and commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.addresses import Place
from annotator.base.errors import BadInputError, KnownError
from annotator.mining.quota_plan import Quota
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import undo
from annotator.services.select import quotas, triage
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile

EVERYTHING = QueueFilter()


def _wanted(store: ProjectFile) -> list[tuple[str, int, int, int]]:
    return [(row.label, row.filled, row.target, row.open) for row in quotas.quota_progress(store)]


def test_quotas_count_what_is_accepted_and_what_still_can_be(store: ProjectFile) -> None:
    assert quotas.quota_progress(store) == ()
    quotas.save_quotas(store, [Quota((("language", "JavaScript"), ("task", "question")), 3), Quota((), 4)])
    assert _wanted(store) == [("JavaScript · question", 0, 3, 2), ("all", 0, 4, 4)]
    rows = triage.queue_ids(store, quotas.quota_progress(store)[0].queue_filter)
    assert len(rows) == 2, "the filter has the spelling of the subjects"
    triage.decide_queue_rows(store, rows[:1], Verdict.ACCEPT)
    triage.decide_queue_rows(store, rows[1:], Verdict.REJECT)
    assert _wanted(store) == [("JavaScript · question", 1, 3, 0), ("all", 1, 4, 2)]
    first = triage.subjects_at_rows(store, rows)[0]
    assert [row.holds(first) for row in quotas.quota_progress(store)] == [True, True]


def test_setting_quotas_can_be_undone(store: ProjectFile) -> None:
    quotas.save_quotas(store, [Quota((("language", "java"),), 1)])
    quotas.save_quotas(store, [Quota((("language", "java"),), 5)])
    undo.undo_last_act(store)
    assert _wanted(store) == [("java", 0, 1, 1)]
    undo.undo_last_act(store)
    assert quotas.quota_progress(store) == ()
    undo.redo_last_act(store)
    assert _wanted(store) == [("java", 0, 1, 1)]


def test_many_are_decided_in_one_act(store: ProjectFile) -> None:
    rows = triage.queue_ids(store, EVERYTHING)
    triage.decide_queue_rows(store, rows[:1], Verdict.FLAG)
    _, changes = triage.decide_queue_rows(store, [*rows, *rows, 999], Verdict.REJECT, "too easy")
    assert len(changes.subjects) == 4 and changes.label == "Reject 4 subjects"
    assert {row.verdict for row in triage.subjects_at_rows(store, rows)} == {"reject"}
    assert triage.load_subject(store, triage.subjects_at_rows(store, rows)[0].id).decisions[0].reason == "too easy"
    undo.undo_last_act(store)
    assert [row.verdict for row in triage.subjects_at_rows(store, rows)] == ["flag", None, None, None]
    with pytest.raises(BadInputError, match="nothing was decided"):
        triage.decide_queue_rows(store, [999], Verdict.ACCEPT)


def test_a_queue_can_be_sorted(store: ProjectFile) -> None:
    def titles(sort: str) -> list[str]:
        found = triage.queue_ids(store, QueueFilter(sort=sort))
        return [row.title for row in triage.subjects_at_rows(store, found)]

    assert titles("title") == sorted(titles(""), key=str.casefold) != titles("")
    page = triage.queue_page(store, QueueFilter(sort="title"), limit=3)
    rest = triage.queue_page(store, QueueFilter(sort="title"), after=page.rows[-1].row)
    assert [row.title for row in (*page.rows, *rest.rows)] == titles("title") and page.total == 4
    languages = [
        row.language for row in triage.subjects_at_rows(store, triage.queue_ids(store, QueueFilter(sort="language")))
    ]
    assert languages == sorted(languages)


@pytest.fixture
def project(store: ProjectFile) -> Place:
    store.close()
    return store.place


def _json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_quotas_by_command(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "quotas", "show", project) == []
    found = _json(capsys, "quotas", "set", project, "--quota", "language=java:2", "--quota", "language=go,task=x:1")
    assert found == [
        {"language": "java", "wanted": 2, "filled": 0, "open": 1},
        {"language": "go", "task": "x", "wanted": 1, "filled": 0, "open": 0},
    ]
    assert main(["quotas", "show", str(project)]) == 0
    assert "java" in capsys.readouterr().out
    rows = tmp_path / "q.json"
    rows.write_text(json.dumps([{"difficulty": "hard", "wanted": 7}]))
    assert _json(capsys, "quotas", "set", project, "--file", rows)[0]["wanted"] == 7
    assert main(["undo", str(project)]) == 0
    assert len(_json(capsys, "quotas", "show", project)) == 2
    assert _json(capsys, "quotas", "set", project, "--none") == []
    assert main(["list", str(project), "--sort", "views", "--area", "x"]) == 3
    assert "area x" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["set", "--quota", "language=java"], 2),
        (["set", "--quota", "java:2"], 2),
        (["set", "--quota", "language=a,language=b:2"], 2),
        (["set", "--quota", "colour=red:2"], 3),
        (["set", "--quota", "language=:2"], 3),
        (["set", "--quota", "language=java:9999999"], 3),
        (["set", "--file", "gone.json"], 3),
        (["set"], 2),
        (["set", "--none", "--quota", "language=java:2"], 2),
    ],
)
def test_bad_quotas_change_nothing(
    project: Path, arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["quotas", arguments[0], str(project), *arguments[1:]]) == status
    assert capsys.readouterr().err.strip()
    assert _json(capsys, "quotas", "show", project) == []


def test_a_file_that_is_no_list_is_refused(project: Path, tmp_path: Path) -> None:
    for number, text in enumerate(("{", "{}", "[1]", "[" * 100_000, '[{"wanted": true}]')):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        assert main(["quotas", "set", str(project), "--file", str(path)]) == 3


def test_labels_change_and_come_back(store: ProjectFile) -> None:
    rows = triage.queue_ids(store, EVERYTHING)
    triage.label_rows(store, rows[:2], "difficulty", "hard")
    triage.label_rows(store, rows[:1], "difficulty", "easy")
    triage.label_rows(store, rows[:1], "domain", "parsing")
    quotas.save_quotas(store, [Quota((("difficulty", "hard"),), 1)])
    assert _wanted(store) == [("hard", 0, 1, 1)]
    triage.decide_queue_rows(store, rows, Verdict.ACCEPT)
    assert [row.difficulty for row in triage.subjects_at_rows(store, rows)] == ["easy", "hard", "", ""]
    assert "difficulty: hard → easy" in [row.detail for row in triage.load_subject_history(store, "0")]
    for _ in range(5):
        undo.undo_last_act(store)
    first = triage.subjects_at_rows(store, rows)[0]
    assert (first.difficulty, first.domain) == ("", "text"), "what the source said is there again"
    for name, value in (("title", "x"), ("difficulty", "murderous")):
        with pytest.raises(KnownError):
            triage.label_rows(store, rows, name, value)
    with pytest.raises(BadInputError):
        triage.label_rows(store, [], "domain", "x")


def test_filters_are_kept_by_name(store: ProjectFile) -> None:
    wanted = QueueFilter(text="iso", languages=("java", "go"), sort="views")
    triage.save_filter(store, " mine ", wanted)
    triage.save_filter(store, "other", EVERYTHING)
    assert triage.load_saved_filters(store) == {"mine": wanted, "other": EVERYTHING}
    triage.save_filter(store, "other", None)
    assert list(triage.load_saved_filters(store)) == ["mine"]
    with pytest.raises(BadInputError):
        triage.save_filter(store, " ", wanted)
    with store.write() as db:
        people.set_setting(db, "saved_filters", '{"a": {"colour": 1}}')
    assert triage.load_saved_filters(store) == {}


def test_labels_by_command(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subjects = ("--subject", "0", "--subject", "1")
    assert _json(capsys, "label", project, *subjects, "--question-type", "knowledge")["subjects"]
    assert _json(capsys, "show", project, "--subject", "1")["question_type"] == "knowledge"
    assert _json(capsys, "label", project, *subjects, "--licence", "CC0-1.0")["subjects"]
    assert _json(capsys, "show", project, "--subject", "1")["licence"] == "CC0-1.0"
    assert main(["undo", str(project)]) == 0
    capsys.readouterr()
    assert _json(capsys, "show", project, "--subject", "1")["licence"] != "CC0-1.0"
    assert main(["label", str(project), "--subject", "0", "--difficulty", "odd"]) == 3
    assert main(["label", str(project), "--subject", "gone", "--difficulty", "easy"]) == 3
    assert main(["label", str(project), "--subject", "0"]) == 2
