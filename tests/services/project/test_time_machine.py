"""The project as of any moment, and bringing it back."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.__main__ import main
from annotator.base.errors import BadInputError, MissingEnvironmentError, UsageError
from annotator.mining.quota_plan import parse_quotas
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import three_experts
from annotator.services.criterion import revisions
from annotator.services.project import projects, time_machine, undo
from annotator.services.prompt import paraphrases
from annotator.services.select import quotas, triage
from annotator.store.file.project_file import ProjectFile
from annotator.store.history.past import PastFile

CRITERION = "grading:\n  keywords:\n    - content: {}\n"
_COLUMNS = "id, active, verdict, prompt_id, criterion_id, difficulty, question_type, domain, area, licence, proven"


def _state(store: ProjectFile) -> list[tuple[Any, ...]]:
    with store.reader() as connection:
        return connection.execute(f"SELECT {_COLUMNS} FROM subject WHERE active = 1 ORDER BY id").fetchall()


def _content(store: ProjectFile) -> list[tuple[Any, ...]]:
    """The work as people see it: texts instead of the rows they stand in."""
    found = []
    for row in triage.queue_page(store, QueueFilter(), limit=100).rows:
        view = triage.load_subject(store, row.id)
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
        triage.decide_subjects(store, [subject, ids[(which + 1) % len(ids)]], list(Verdict)[value % 4])
    elif kind == 1:
        paraphrases.save_prompt(store, subject, f"Text {value}")
    elif kind == 2:
        revisions.save_criterion(store, subject, CRITERION.format(f"w{value}"))
    elif kind == 3:
        with store.reader() as connection:
            row = connection.execute("SELECT row FROM subject WHERE id = ?", (subject,)).fetchone()[0]
        triage.label_rows(store, [row], "difficulty", ("easy", "medium", "hard")[value % 3])
    elif kind == 4:
        undo.undo_last_act(store)
    else:
        undo.redo_last_act(store)


ACTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 11), st.integers(0, 50)), min_size=1, max_size=25)


@contextmanager
def _fresh(tmp_path: Path) -> Iterator[ProjectFile]:
    """A project of four subjects for one example."""
    from tests.services.project.conftest import make_project

    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    store = make_project(folder / "p.annotator", 4)
    try:
        yield store
    finally:
        store.close()
        shutil.rmtree(folder)


@settings(
    max_examples=max(8, settings().max_examples // 20), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=ACTS)
def test_every_moment_is_seen_as_it_was(acts: list[tuple[int, int, int]], tmp_path: Path) -> None:
    with _fresh(tmp_path) as store:
        ids = [row.id for row in triage.queue_page(store, QueueFilter(), limit=100).rows]
        seen = [(_last(store), _state(store))]
        for act in acts:
            _do(store, ids, act)
            seen.append((_last(store), _state(store)))
        for moment, state in seen:
            with time_machine.visit_moment(store, moment) as past:
                assert _state(past) == state


@settings(
    max_examples=max(6, settings().max_examples // 20), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(acts=ACTS, where=st.integers(0, 30))
def test_restoring_brings_the_work_of_then_and_undo_takes_it_back(
    acts: list[tuple[int, int, int]], where: int, tmp_path: Path
) -> None:
    with _fresh(tmp_path) as store:
        ids = [row.id for row in triage.queue_page(store, QueueFilter(), limit=100).rows]
        seen = [(_last(store), _content(store))]
        for act in acts:
            if act[0] == 4 and (undo.undo_label(store) or "").startswith("Import"):
                continue  # an undone import is not what restoring is for
            _do(store, ids, act)
            seen.append((_last(store), _content(store)))
        moment, content = seen[where % len(seen)]
        before = _content(store)
        if before == content:
            with pytest.raises(BadInputError, match="Nothing would change"):
                time_machine.restore_as_of(store, moment)
            return
        plan, changes = time_machine.restore_as_of(store, moment)
        assert _content(store) == content
        assert set(plan.subjects) == changes.subjects
        assert projects.check_integrity(store) == ()
        assert time_machine.preview_restore(store, moment).effects == ()
        undo.undo_last_act(store)
        assert _content(store) == before


def test_the_past_can_be_read_by_everything_and_written_by_nothing(
    small_project: ProjectFile, ids: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    triage.decide_subjects(small_project, ids[:3], Verdict.ACCEPT)
    paraphrases.save_prompt(small_project, ids[0], "First")
    moment = _last(small_project)
    triage.decide_subjects(small_project, ids[:3], Verdict.REJECT)
    paraphrases.save_prompt(small_project, ids[0], "Second")
    before = small_project.path.read_bytes()
    with time_machine.visit_moment(small_project, moment) as past:
        assert projects.stage_counts(past).accepted == 3
        assert triage.load_subject(past, ids[0]).paraphrase.text == "First"  # type: ignore[union-attr]  # it has one
        assert [row.id for row in triage.queue_page(past, QueueFilter(text="Prompt 1")).rows]
        assert triage.queue_page(past, QueueFilter(verdicts=("reject",))).total == 0
        with pytest.raises(MissingEnvironmentError, match="at an earlier time"):
            triage.decide_subjects(past, ids[:1], Verdict.SKIP)
        [folder] = tmp_path.glob("annotator-past-*")
    assert not folder.exists()
    assert small_project.path.read_bytes() == before
    assert projects.stage_counts(small_project).rejected == 3


def test_an_undone_import_is_there_before_it_was_undone(small_project: ProjectFile, ids: list[str]) -> None:
    moment = _last(small_project)
    undo.undo_last_act(small_project)
    assert projects.stage_counts(small_project).subjects == 0
    with time_machine.visit_moment(small_project, moment) as past:
        assert projects.stage_counts(past).subjects == len(ids)
    plan = time_machine.preview_restore(small_project, moment)
    assert plan.effects == ()
    assert "Imports stay" in plan.notes[0]


def test_one_item_comes_back_and_the_rest_stays(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    three_experts.save_artefact_edit(small_project, ids[0], "solution", "y = 1")
    moment = _last(small_project)
    triage.decide_subjects(small_project, ids[:2], Verdict.REJECT)
    three_experts.save_artefact_edit(small_project, ids[0], "solution", "y = 2")
    found = {
        item.field: (item.before, item.after)
        for item in time_machine.compare_with_moment(small_project, moment, ids[0])
    }
    assert found == {"verdict": ("reject", "accept"), "solution": ("y = 2", "y = 1")}
    time_machine.restore_as_of(small_project, moment, [ids[0]])
    assert triage.load_subject(small_project, ids[0]).row.verdict == "accept"
    assert triage.load_subject(small_project, ids[0]).reference == "y = 1"
    assert triage.load_subject(small_project, ids[1]).row.verdict == "reject"


def test_restoring_to_undecided_opens_a_subject_again(small_project: ProjectFile, ids: list[str]) -> None:
    moment = _last(small_project)
    triage.decide_subjects(small_project, ids[:1], Verdict.ACCEPT)
    paraphrases.save_prompt(small_project, ids[0], "Text")
    revisions.save_criterion(small_project, ids[0], CRITERION.format("word"))
    time_machine.restore_as_of(small_project, moment)
    view = triage.load_subject(small_project, ids[0])
    assert (view.row.verdict, view.paraphrase, view.criterion) == (None, None, None)
    assert triage.queue_page(small_project, QueueFilter(verdicts=("open",))).total == len(ids)
    assert projects.stage_counts(small_project).without_prompt == 0


def test_quotas_come_back_with_everything(small_project: ProjectFile) -> None:
    quotas.save_quotas(small_project, parse_quotas([{"language": "python", "wanted": 5}]))
    moment = _last(small_project)
    quotas.save_quotas(small_project, parse_quotas([{"language": "go", "wanted": 7}]))
    time_machine.restore_as_of(small_project, moment)
    with small_project.reader() as connection:
        plan = connection.execute("SELECT quotas FROM quotaplan WHERE active = 1 ORDER BY created_at DESC").fetchone()
    assert json.loads(plan[0]) == [{"language": "python", "wanted": 5}]


def test_a_locked_subject_stays(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    moment = _last(small_project)
    triage.decide_subjects(small_project, ids[:2], Verdict.REJECT)
    from annotator.services.consensus import aspect_reviews

    aspect_reviews.set_locked(small_project, ids[0], True, "done")
    plan, _ = time_machine.restore_as_of(small_project, moment)
    assert plan.subjects == (ids[1],)
    assert "locked" in plan.notes[-1]
    assert triage.load_subject(small_project, ids[0]).row.verdict == "reject"


def test_a_merged_restoring_means_the_same_elsewhere(
    small_project: ProjectFile, ids: list[str], tmp_path: Path
) -> None:
    from annotator.services.project import packets

    moment = _last(small_project)
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    time_machine.restore_as_of(small_project, moment)
    copy = tmp_path / "other.annotator"
    projects.back_up_and_check(small_project, copy)
    with closing(projects.open_project(copy)) as other:
        triage.decide_subjects(small_project, ids[2:3], Verdict.ACCEPT)
        packets.import_packet(other, small_project.path)
        assert [row[2] for row in _state(other)] == [row[2] for row in _state(small_project)]


@pytest.mark.parametrize("text", ["", "yesterday-ish", "2026-13-01", "5 fortnights", "99999999999-01-01"])
def test_what_is_no_moment_is_refused(small_project: ProjectFile, text: str) -> None:
    with pytest.raises(UsageError, match="not a moment"):
        time_machine.parse_moment(small_project, text)


def test_moments_are_understood(small_project: ProjectFile, ids: list[str]) -> None:
    act = triage.decide_subjects(small_project, ids[:1], Verdict.ACCEPT).change_id or ""
    at = time_machine.parse_moment(small_project, act)
    assert time_machine.parse_moment(small_project, act[:-3].upper()) == at
    with time_machine.visit_moment(small_project, time_machine.parse_moment(small_project, act, before=True)) as past:
        assert projects.stage_counts(past).accepted == 0
    assert time_machine.parse_moment(small_project, "2 h ago") < time_machine.parse_moment(small_project, "1 min") < at
    assert time_machine.parse_moment(small_project, "2024-02-29T10:00:00+02:00") == "2024-02-29T08:00:00.000000Z"
    with pytest.raises(BadInputError, match="is in the future"):
        time_machine.parse_moment(small_project, "2999-01-01")


def test_the_commands_do_the_same(
    small_project: ProjectFile, ids: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    triage.decide_subjects(small_project, ids[:2], Verdict.ACCEPT)
    moment = _last(small_project)
    triage.decide_subjects(small_project, ids[:2], Verdict.REJECT)
    path = str(small_project.path)
    assert main(["history", "at", path, "--when", moment, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["counts"]["accepted"] == 2
    assert main(["history", "at", path, "--when", moment, "--subject", ids[0]]) == 0
    assert "reject" in capfd.readouterr().out
    assert main(["history", "restore", path, "--when", moment, "--all", "--dry-run", "--json"]) == 0
    assert len(json.loads(capfd.readouterr().out)["effects"]) == 2
    assert projects.stage_counts(small_project).accepted == 0
    assert main(["history", "restore", path, "--when", moment, "--subject", ids[0]]) == 0
    assert projects.stage_counts(small_project).accepted == 1
    capfd.readouterr()
    assert main(["history", "restore", path, "--when", "soon", "--all"]) == 2
    assert main(["history", "restore", path, "--when", moment, "--subject", "nothing"]) == 3
    assert main(["history", "restore", path, "--when", moment]) == 2
    assert "Traceback" not in capfd.readouterr().err


def test_a_past_file_needs_a_place_for_its_tables(small_project: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(prefix: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("annotator.store.history.past.tempfile.mkdtemp", full)
    with pytest.raises(MissingEnvironmentError, match="no space"):
        PastFile(small_project, _last(small_project))


def test_a_long_history_is_seen_in_a_moment(small_project: ProjectFile, ids: list[str]) -> None:
    triage.decide_subjects(small_project, ids[:1], Verdict.ACCEPT)
    moment, before = _last(small_project), _state(small_project)
    # As many acts as a year of work leaves; each would be compared with all others without a list of undos.
    with closing(sqlite3.connect(small_project.path)) as connection, connection:
        connection.execute(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 40000) "
            "INSERT INTO change (id, kind, label, state, annotator_id, created_at, nouns) "
            "SELECT 'made-' || x, 'do', 'Accept', 'done', c.annotator_id, c.created_at, c.nouns "
            "FROM n, (SELECT * FROM change ORDER BY seq DESC LIMIT 1) c"
        )
    triage.decide_subjects(small_project, ids[:2], Verdict.REJECT)
    began = time.process_time()
    with time_machine.visit_moment(small_project, moment) as past:
        assert _state(past) == before
    assert time.process_time() - began < 5
