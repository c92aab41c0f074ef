"""The project as of any moment, and bringing it back."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.__main__ import main
from annotator.base.errors import BadInputError, MissingEnvironmentError, UsageError
from annotator.mining.quotas import parse_quotas
from annotator.model.rows import QueueFilter
from annotator.model.words import Verdict
from annotator.services import (
    authoring,
    confirming,
    history,
    projects,
    prompting,
    quotas,
    selecting,
    timemachine,
)
from annotator.store.past import PastFile
from annotator.store.project_file import ProjectFile

CRITERION = "grading:\n  keywords:\n    - content: {}\n"
_COLUMNS = "id, active, verdict, prompt_id, criterion_id, difficulty, question_type, domain, area, proven"


def _state(store: ProjectFile) -> list[tuple[Any, ...]]:
    with store.reader() as connection:
        return connection.execute(f"SELECT {_COLUMNS} FROM subject WHERE active = 1 ORDER BY id").fetchall()


def _content(store: ProjectFile) -> list[tuple[Any, ...]]:
    """The work as people see it: texts instead of the rows they stand in."""
    found = []
    for row in selecting.queue_page(store, QueueFilter(), limit=100).rows:
        view = selecting.subject(store, row.id)
        found.append(
            (
                row.id, row.verdict, row.difficulty, row.domain, view.question_type, view.reference,
                view.paraphrase.text if view.paraphrase else None, view.criterion.source if view.criterion else None,
            )
        )  # fmt: skip
    return sorted(found)


def _last(store: ProjectFile) -> str:
    with store.reader() as connection:
        return str(connection.execute("SELECT max(created_at) FROM change").fetchone()[0])


def _do(store: ProjectFile, ids: list[str], act: tuple[int, int, int]) -> None:
    kind, which, value = act
    subject = ids[which % len(ids)]
    if kind == 0:
        selecting.decide(store, [subject, ids[(which + 1) % len(ids)]], list(Verdict)[value % 4])
    elif kind == 1:
        prompting.save_prompt(store, subject, f"Text {value}")
    elif kind == 2:
        authoring.save_criterion(store, subject, CRITERION.format(f"w{value}"))
    elif kind == 3:
        with store.reader() as connection:
            row = connection.execute("SELECT row FROM subject WHERE id = ?", (subject,)).fetchone()[0]
        selecting.label_rows(store, [row], "difficulty", ("easy", "medium", "hard")[value % 3])
    elif kind == 4:
        history.undo(store)
    else:
        history.redo(store)


ACTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 11), st.integers(0, 50)), min_size=1, max_size=25)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS)
def test_every_moment_is_seen_as_it_was(acts: list[tuple[int, int, int]], tmp_path: Path) -> None:
    from tests.care.conftest import make_project

    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    store = make_project(folder / "p.annotator", 4)
    try:
        ids = [row.id for row in selecting.queue_page(store, QueueFilter(), limit=100).rows]
        seen = [(_last(store), _state(store))]
        for act in acts:
            _do(store, ids, act)
            seen.append((_last(store), _state(store)))
        for moment, state in seen:
            with timemachine.visit(store, moment) as past:
                assert _state(past) == state
    finally:
        store.close()
        shutil.rmtree(folder)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS, where=st.integers(0, 30))
def test_restoring_brings_the_work_of_then_and_undo_takes_it_back(
    acts: list[tuple[int, int, int]], where: int, tmp_path: Path
) -> None:
    from tests.care.conftest import make_project

    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    store = make_project(folder / "p.annotator", 4)
    try:
        ids = [row.id for row in selecting.queue_page(store, QueueFilter(), limit=100).rows]
        seen = [(_last(store), _content(store))]
        for act in acts:
            if act[0] == 4 and (history.undo_label(store) or "").startswith("Import"):
                continue  # an undone import is not what restoring is for
            _do(store, ids, act)
            seen.append((_last(store), _content(store)))
        moment, content = seen[where % len(seen)]
        before = _content(store)
        if before == content:
            with pytest.raises(BadInputError, match="Nothing would change"):
                timemachine.restore(store, moment)
            return
        plan, changes = timemachine.restore(store, moment)
        assert _content(store) == content
        assert set(plan.subjects) == changes.subjects
        assert projects.check(store) == ()
        assert timemachine.preview(store, moment).effects == ()
        history.undo(store)
        assert _content(store) == before
    finally:
        store.close()
        shutil.rmtree(folder)


def test_the_past_can_be_read_by_everything_and_written_by_nothing(store: ProjectFile, ids: list[str]) -> None:
    selecting.decide(store, ids[:3], Verdict.ACCEPT)
    prompting.save_prompt(store, ids[0], "First")
    moment = _last(store)
    selecting.decide(store, ids[:3], Verdict.REJECT)
    prompting.save_prompt(store, ids[0], "Second")
    before = store.path.read_bytes()
    with timemachine.visit(store, moment) as past:
        assert projects.stage_counts(past).accepted == 3
        assert selecting.subject(past, ids[0]).paraphrase.text == "First"  # type: ignore[union-attr]  # it has one
        assert [row.id for row in selecting.queue_page(past, QueueFilter(text="Prompt 1")).rows]
        assert selecting.queue_page(past, QueueFilter(verdicts=("reject",))).total == 0
        with pytest.raises(MissingEnvironmentError, match="as it was"):
            selecting.decide(past, ids[:1], Verdict.SKIP)
        folder = past._folder
    assert not folder.exists()
    assert store.path.read_bytes() == before
    assert projects.stage_counts(store).rejected == 3


def test_an_undone_import_is_there_before_it_was_undone(store: ProjectFile, ids: list[str]) -> None:
    moment = _last(store)
    history.undo(store)
    assert projects.stage_counts(store).subjects == 0
    with timemachine.visit(store, moment) as past:
        assert projects.stage_counts(past).subjects == len(ids)
    plan = timemachine.preview(store, moment)
    assert plan.effects == ()
    assert "Imports stay" in plan.left[0]


def test_one_item_comes_back_and_the_rest_stays(store: ProjectFile, ids: list[str]) -> None:
    selecting.decide(store, ids[:2], Verdict.ACCEPT)
    confirming.edit(store, ids[0], "solution", "y = 1")
    moment = _last(store)
    selecting.decide(store, ids[:2], Verdict.REJECT)
    confirming.edit(store, ids[0], "solution", "y = 2")
    found = {item.field: (item.before, item.after) for item in timemachine.compare(store, moment, ids[0])}
    assert found == {"verdict": ("reject", "accept"), "solution": ("y = 2", "y = 1")}
    timemachine.restore(store, moment, [ids[0]])
    assert selecting.subject(store, ids[0]).row.verdict == "accept"
    assert selecting.subject(store, ids[0]).reference == "y = 1"
    assert selecting.subject(store, ids[1]).row.verdict == "reject"


def test_restoring_to_undecided_opens_a_subject_again(store: ProjectFile, ids: list[str]) -> None:
    moment = _last(store)
    selecting.decide(store, ids[:1], Verdict.ACCEPT)
    prompting.save_prompt(store, ids[0], "Text")
    authoring.save_criterion(store, ids[0], CRITERION.format("word"))
    timemachine.restore(store, moment)
    view = selecting.subject(store, ids[0])
    assert (view.row.verdict, view.paraphrase, view.criterion) == (None, None, None)
    assert selecting.queue_page(store, QueueFilter(verdicts=("open",))).total == len(ids)
    assert projects.stage_counts(store).without_prompt == 0


def test_quotas_come_back_with_everything(store: ProjectFile) -> None:
    quotas.keep(store, parse_quotas([{"language": "python", "wanted": 5}]))
    moment = _last(store)
    quotas.keep(store, parse_quotas([{"language": "go", "wanted": 7}]))
    timemachine.restore(store, moment)
    with store.reader() as connection:
        plan = connection.execute("SELECT quotas FROM quotaplan WHERE active = 1 ORDER BY created_at DESC").fetchone()
    assert json.loads(plan[0]) == [{"language": "python", "wanted": 5}]


def test_a_locked_subject_stays(store: ProjectFile, ids: list[str]) -> None:
    selecting.decide(store, ids[:2], Verdict.ACCEPT)
    moment = _last(store)
    selecting.decide(store, ids[:2], Verdict.REJECT)
    from annotator.services import reviewing

    reviewing.lock(store, ids[0], True, "done")
    plan, _ = timemachine.restore(store, moment)
    assert plan.subjects == (ids[1],)
    assert "locked" in plan.left[-1]
    assert selecting.subject(store, ids[0]).row.verdict == "reject"


def test_a_merged_restoring_means_the_same_elsewhere(store: ProjectFile, ids: list[str], tmp_path: Path) -> None:
    from annotator.services import packets

    moment = _last(store)
    selecting.decide(store, ids[:2], Verdict.ACCEPT)
    timemachine.restore(store, moment)
    copy = tmp_path / "other.annotator"
    projects.backup(store, copy)
    other = projects.open_project(copy)
    try:
        selecting.decide(store, ids[2:3], Verdict.ACCEPT)
        packets.import_packet(other, store.path)
        assert [row[2] for row in _state(other)] == [row[2] for row in _state(store)]
    finally:
        other.close()


@pytest.mark.parametrize("text", ["", "yesterday-ish", "2026-13-01", "5 fortnights", "99999999999-01-01"])
def test_what_is_no_moment_is_refused(store: ProjectFile, text: str) -> None:
    with pytest.raises(UsageError, match="no moment"):
        timemachine.moment(store, text)


def test_moments_are_understood(store: ProjectFile, ids: list[str]) -> None:
    act = selecting.decide(store, ids[:1], Verdict.ACCEPT).change_id or ""
    at = timemachine.moment(store, act)
    assert timemachine.moment(store, act[:-3].upper()) == at
    with timemachine.visit(store, timemachine.moment(store, act, before=True)) as past:
        assert projects.stage_counts(past).accepted == 0
    assert timemachine.moment(store, "2 h ago") < timemachine.moment(store, "1 min") < at
    assert timemachine.moment(store, "2024-02-29T10:00:00+02:00") == "2024-02-29T08:00:00.000000Z"
    with pytest.raises(BadInputError, match="still to come"):
        timemachine.moment(store, "2999-01-01")


def test_the_commands_do_the_same(store: ProjectFile, ids: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    selecting.decide(store, ids[:2], Verdict.ACCEPT)
    moment = _last(store)
    selecting.decide(store, ids[:2], Verdict.REJECT)
    path = str(store.path)
    assert main(["history", "at", path, "--when", moment, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["counts"]["accepted"] == 2
    assert main(["history", "at", path, "--when", moment, "--subject", ids[0]]) == 0
    assert "reject" in capfd.readouterr().out
    assert main(["history", "restore", path, "--when", moment, "--all", "--dry-run", "--json"]) == 0
    assert len(json.loads(capfd.readouterr().out)["effects"]) == 2
    assert projects.stage_counts(store).accepted == 0
    assert main(["history", "restore", path, "--when", moment, "--subject", ids[0]]) == 0
    assert projects.stage_counts(store).accepted == 1
    capfd.readouterr()
    assert main(["history", "restore", path, "--when", "soon", "--all"]) == 2
    assert main(["history", "restore", path, "--when", moment, "--subject", "nothing"]) == 3
    assert main(["history", "restore", path, "--when", moment]) == 2
    assert "Traceback" not in capfd.readouterr().err


def test_a_past_file_needs_a_place_for_its_tables(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(prefix: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotator.store.past.tempfile.mkdtemp", full)
    with pytest.raises(MissingEnvironmentError, match="no room"):
        PastFile(store, _last(store))


def test_a_long_history_is_seen_in_a_moment(store: ProjectFile, ids: list[str]) -> None:
    selecting.decide(store, ids[:1], Verdict.ACCEPT)
    moment, before = _last(store), _state(store)
    # As many acts as a year of work leaves; each would be compared with all others without a list of undos.
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 40000) "
            "INSERT INTO change (id, kind, label, state, annotator_id, created_at, nouns) "
            "SELECT 'made-' || x, 'do', 'Accept', 'done', c.annotator_id, c.created_at, c.nouns "
            "FROM n, (SELECT * FROM change ORDER BY seq DESC LIMIT 1) c"
        )
    selecting.decide(store, ids[:2], Verdict.REJECT)
    began = time.process_time()
    with timemachine.visit(store, moment) as past:
        assert _state(past) == before
    assert time.process_time() - began < 5
