"""The counts of subjects are those of the subjects, whatever was done to them, one by one or many at once."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.project import members, undo
from annotator.services.select import triage, turns
from annotator.store import core_tables
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import bulk_acts, first_page
from tests.benchmarks import making

ACTS = st.lists(
    st.sampled_from(["accept", "reject", "all", "label", "allot", "undo", "redo", "out", "other"]),
    min_size=1,
    max_size=8,
)


@pytest.fixture
def store(tmp_path: Path) -> ProjectFile:
    store = ProjectFile.open(making.project(tmp_path / "p.annotator", 40))
    members.add_annotator(store, "Lin")
    return store


def counted(store: ProjectFile) -> tuple[object, object]:
    """Return the counts that are kept and those that are right."""
    with store.reader() as connection:
        kept = connection.execute("SELECT * FROM subject_count WHERE subjects > 0 ORDER BY 1,2,3,4,5,6,7,8,9,10")
        subject = core_tables.raw_table("subject")
        counting = core_tables.statement_text(bulk_acts.subject_count_query(subject, subject.c.active == 1))
        right = connection.execute(f"{counting} ORDER BY 1,2,3,4,5,6,7,8,9,10")
        return kept.fetchall(), right.fetchall()


def act(store: ProjectFile, name: str, number: int) -> None:
    rows = list(range(1 + number, 6 + number))
    if name == "undo":
        undo.undo_last_act(store)
    elif name == "redo":
        undo.redo_last_act(store)
    elif name == "all":
        triage.decide_queue_rows(store, range(1, 41), Verdict.FLAG)
    elif name == "label":
        triage.label_rows(store, rows, "difficulty", ("easy", "hard")[number % 2])
    elif name == "allot":
        with suppress(BadInputError):  # nothing is left to deal out
            turns.allot_candidates(store, ["Mei", "Lin"], QueueFilter(), count=3)
    elif name == "out":
        with store.write() as db:
            db.connection().exec_driver_sql("DELETE FROM subjecttext WHERE subject_id = 'nothing'")
            db.connection().exec_driver_sql("UPDATE subject SET active = 0 WHERE row = ?", (number + 1,))
    elif name == "other":
        with store.write() as db:
            db.connection().exec_driver_sql(
                "UPDATE subject SET domain = 'other', proven = 1 WHERE row = ?", (number + 2,)
            )
    else:
        triage.decide_queue_rows(store, rows, Verdict(name))


@pytest.mark.parametrize("some", [0, 500])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS)
def test_counts_follow_every_act(store: ProjectFile, some: int, acts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk_acts, "MAX_TRIGGER_COUNTED", some)
        for number, name in enumerate(acts):
            act(store, name, number)
            kept, right = counted(store)
            assert kept == right, name


def test_the_triggers_are_there_again_after_a_bulk_act(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_acts, "MAX_TRIGGER_COUNTED", 0)
    with store.reader() as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
        before = connection.execute(query).fetchall()
        triage.decide_queue_rows(store, range(1, 30), Verdict.SKIP)
        assert connection.execute(query).fetchall() == before
    assert len([name for name, _ in before if name.startswith("subject_count")]) == 3


def test_a_bulk_act_that_fails_leaves_everything(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_acts, "MAX_TRIGGER_COUNTED", 0)
    before = counted(store)
    with pytest.raises(RuntimeError), store.write() as db:
        many = bulk_acts.choose_rows(db.connection(), range(1, 30))
        with bulk_acts.recount_chosen(db.connection(), many):
            raise RuntimeError
    assert counted(store) == before
    act(store, "accept", 1)
    assert counted(store)[0] == counted(store)[1]


@pytest.mark.parametrize("time", ["00:00:00.000000Z", "00:00:00Z"])
def test_an_act_does_not_lose_to_a_clock_that_is_ahead(store: ProjectFile, time: str) -> None:
    triage.decide_queue_rows(store, [1, 2], Verdict.REJECT)
    with store.write() as db:
        first = "(SELECT id FROM subject WHERE row = 1)"
        later = f"UPDATE decision SET created_at = '2999-01-01T{time}' WHERE subject_id = {first}"
        db.connection().exec_driver_sql(later)
    triage.decide_queue_rows(store, [1, 2], Verdict.ACCEPT)
    assert [row.verdict for row in triage.subjects_at_rows(store, [1, 2])] == ["accept", "accept"]


def test_identifiers_of_a_bulk_act_are_all_different(store: ProjectFile) -> None:
    for verdict in Verdict:
        triage.decide_queue_rows(store, range(1, 41), verdict)
    with store.reader() as connection:
        found = connection.execute(
            "SELECT count(*), count(DISTINCT id), min(length(id)), max(length(id)) FROM decision"
        )
        assert found.fetchone() == (160, 160, 36, 36)


def test_all_there_is_is_a_range_until_something_is_taken_back(store: ProjectFile) -> None:
    assert triage.queue_ids(store, QueueFilter()) == range(1, 41)
    act(store, "out", 4)
    assert triage.queue_ids(store, QueueFilter()) == tuple(row for row in range(1, 41) if row != 5)
    undo.undo_last_act(store)
    assert tuple(triage.queue_ids(store, QueueFilter())) == ()


def test_facets_of_a_search_count_its_hits_alone(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = QueueFilter(text="made", languages=("python",))
    found = triage.queue_facets(store, wanted)
    assert not found.capped and found.counts == triage.queue_facets(store, QueueFilter(languages=("python",))).counts
    assert triage.queue_facets(store, QueueFilter(text="nothinghasthis")).counts["language"] == ()
    assert triage.queue_facets(store, QueueFilter(text="!?")).counts["language"] == ()
    monkeypatch.setattr(first_page, "COUNT_CAP", 7)
    found = triage.queue_facets(store, QueueFilter(text="made"))
    assert found.capped and sum(count for _, count in found.counts["language"]) == 7


def test_a_search_shows_its_first_hits_and_says_that_there_are_more(
    store: ProjectFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = QueueFilter(text="made", sort="title")
    assert not triage.queue_rows(store, wanted).capped
    assert triage.queue_rows(store, wanted).rows == triage.queue_ids(store, wanted)
    monkeypatch.setattr(first_page, "COUNT_CAP", 10)
    found = triage.queue_rows(store, wanted)
    assert found.capped and sorted(found.rows) == list(range(1, 11))
    titles = [row.title.lower() for row in triage.subjects_at_rows(store, found.rows)]
    assert titles == sorted(titles)


def test_a_search_that_takes_too_long_is_stopped(store: ProjectFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_page, "SEARCH_SECONDS", -1.0)
    monkeypatch.setattr(first_page, "_STEPS", 1)
    assert triage.queue_rows(store, QueueFilter(text="made")).capped
    assert triage.queue_rows(store, QueueFilter(text="made", sort="title")).capped
    assert triage.queue_ids(store, QueueFilter(text="made"))


def test_counts_are_right_after_more_are_labelled_than_triggers_count(tmp_path: Path) -> None:
    count = bulk_acts.MAX_TRIGGER_COUNTED + 1
    store = ProjectFile.open(making.project(tmp_path / "p.annotator", count))
    triage.label_rows(store, range(1, count + 1), "difficulty", "hard")
    stored, right = counted(store)
    assert stored == right
    with store.reader() as connection:
        query = "SELECT sum(subjects) FROM subject_count WHERE difficulty = 'hard'"
        assert connection.execute(query).fetchone()[0] == count
    undo.undo_last_act(store)
    stored, right = counted(store)
    assert stored == right
    store.close()


def test_the_same_verdict_again_overwrites_nothing(store: ProjectFile) -> None:
    triage.decide_queue_rows(store, [1, 2], Verdict.REJECT)
    triage.decide_queue_rows(store, [3], Verdict.ACCEPT)
    assert dict(triage.count_overwritten(store, range(1, 6), Verdict.REJECT).overwritten) == {"accept": 1}
    result, _ = triage.decide_queue_rows(store, range(1, 6), Verdict.REJECT)
    assert (result.count, dict(result.overwritten)) == (5, {"accept": 1})
    # Now all five are rejected, which another verdict does overwrite.
    assert dict(triage.count_overwritten(store, range(1, 6), Verdict.SKIP).overwritten) == {"reject": 5}


def test_subjects_named_in_several_ways_are_decided_in_one_act(store: ProjectFile) -> None:
    first, second, third = triage.subjects_at_rows(store, [1, 2, 3])
    short = third.key.partition(":")[2] or third.key
    triage.decide_subjects(store, [second.key, first.id, short, first.key], Verdict.ACCEPT)
    assert [row.verdict for row in triage.subjects_at_rows(store, [1, 2, 3, 4])] == ["accept"] * 3 + [None]
    with pytest.raises(BadInputError, match="no subject nowhere"):
        triage.decide_subjects(store, [second.key, "nowhere"], Verdict.REJECT)
    assert triage.subjects_at_rows(store, [2])[0].verdict == "accept"
