"""The next subject nobody has, on a file and on a server alike."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from annotator.base.addresses import Place
from annotator.base.errors import BadInputError, MissingEnvironmentError, UsageError
from annotator.model.rows.queue_rows import QueueFilter, SeenDecisions
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews
from annotator.services.project import members, projects, undo
from annotator.services.select import leases, triage
from annotator.services.select.triage import OthersWorkError
from annotator.services.sources import imports, repository_mining
from annotator.store.file.project_file import ProjectFile
from annotator.store.history.undo_log import time_after
from annotator.store.queue import stored_leases as stored
from annotator.store.work import expert_work

COUNT = 6
PEOPLE = ("Ada", "Bo", "Cy")


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.slow)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A project with a few open candidates and three people."""
    where: Place = tmp_path / "p.annotator" if request.param == "file" else request.getfixturevalue("database")
    _make(where, tmp_path, COUNT)
    return where


def _make(where: Place, folder: Path, count: int) -> None:
    rows = folder / "rows.jsonl"
    with rows.open("w") as out:
        for number in range(count):
            row = {"id": str(number), "title": f"Task {number}", "prompt": "Do it.", "reference": "x",
                   "language": ("python", "java")[number % 2], "task": "question", "licence": "MIT",
                   "provenance": {"source": "made"}}  # fmt: skip
            out.write(json.dumps(row) + "\n")
    store = projects.create_project(where, "Demo", PEOPLE[0])
    imports.import_paths(store, "jsonl", [rows])
    for name in PEOPLE[1:]:
        members.add_annotator(store, name)
    store.close()


@pytest.fixture
def stores(place: Place) -> Iterator[list[ProjectFile]]:
    found = [projects.open_project(place, annotator=name) for name in PEOPLE]
    yield found
    for store in found:
        store.close()


def _keys(rows: object) -> list[str]:
    return [row.key for row in rows]  # type: ignore[attr-defined]


def test_each_is_given_once_in_the_order_of_the_queue(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    given = [_keys(leases.take_next_subjects(store, count=2)) for store in (ada, bo, ada)]
    assert [key for keys in given for key in keys] == [f"jsonl:{number}" for number in range(COUNT)]
    assert leases.take_next_subjects(bo) == ()


def test_deciding_ends_it_and_is_an_act_like_any_other(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    (row,) = leases.take_next_subjects(ada)
    changes = leases.decide_leased(ada, row.key, Verdict.ACCEPT, "good")
    assert changes.subjects == {row.id} and changes.label == "Accept Task 0"
    assert leases.current_leases(bo) == ()
    assert triage.load_subject(bo, row.id).row.verdict == "accept"
    assert _keys(leases.take_next_subjects(bo)) == ["jsonl:1"]
    undo.undo_last_act(ada)
    assert _keys(leases.take_next_subjects(ada)) == ["jsonl:0"], "what was undone is open again"


def test_an_ordinary_decision_ends_ones_own_lease_and_no_others(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    mine, theirs = leases.take_next_subjects(ada)[0], leases.take_next_subjects(bo)[0]
    triage.decide_subjects(ada, [mine.id, theirs.id], Verdict.SKIP, anyway=True)
    assert [(row.key, row.annotator, row.mine) for row in leases.current_leases(ada)] == [(theirs.key, "Bo", False)]


def test_what_is_not_ones_own_is_not_decided(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    (row,) = leases.take_next_subjects(ada)
    with pytest.raises(BadInputError, match="Ada has it now"):
        leases.decide_leased(bo, row.id, Verdict.REJECT)
    with pytest.raises(BadInputError, match="not reserved for you"):
        leases.decide_leased(bo, "jsonl:5", Verdict.REJECT)
    assert projects.stage_counts(ada).decisions == 0
    assert len(leases.current_leases(ada)) == 1


def test_a_client_that_is_not_heard_of_loses_what_it_has(
    stores: list[ProjectFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bo, _ = stores
    later, real = [0.0], stored.project_time
    monkeypatch.setattr(stored, "project_time", lambda db: real(db) + later[0])
    (row,) = leases.take_next_subjects(ada, seconds=60)
    later[0] = 59
    assert _keys(leases.take_next_subjects(bo, seconds=600)) == ["jsonl:1"]
    assert leases.renew_leases(ada, 60) == 1
    later[0] = 118
    assert _keys(leases.take_next_subjects(bo, seconds=600)) == ["jsonl:2"]
    later[0] = 120
    assert leases.current_leases(ada)[0].seconds_left == 0
    assert _keys(leases.take_next_subjects(bo)) == [row.key]
    with pytest.raises(BadInputError, match="Bo has it now"):
        leases.decide_leased(ada, row.id, Verdict.ACCEPT)
    assert leases.renew_leases(ada) == 0
    leases.decide_leased(bo, row.id, Verdict.ACCEPT)


def test_what_lapsed_untaken_may_still_be_decided(stores: list[ProjectFile], monkeypatch: pytest.MonkeyPatch) -> None:
    ada, *_ = stores
    (row,) = leases.take_next_subjects(ada, seconds=60)
    real = stored.project_time
    monkeypatch.setattr(stored, "project_time", lambda db: real(db) + 1000)
    leases.decide_leased(ada, row.id, Verdict.ACCEPT)


def test_giving_back(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    first, second, third = leases.take_next_subjects(ada, count=3)
    assert leases.return_subjects(bo, [first.key]) == 0, "nobody gives back what others have"
    assert leases.return_subjects(ada, [second.key]) == 1
    assert _keys(leases.take_next_subjects(bo)) == [second.key]
    assert leases.return_subjects(ada) == 2
    assert _keys(leases.take_next_subjects(bo, count=2, leave_out=[first.id])) == [third.key, "jsonl:3"]


def test_filters_locks_and_decided_subjects_count(stores: list[ProjectFile]) -> None:
    ada, bo, cy = stores
    triage.decide_subjects(ada, ["jsonl:1"], Verdict.ACCEPT)
    aspect_reviews.set_locked(ada, "jsonl:3", True, "done")
    java = QueueFilter(verdicts=("open",), languages=("java",))
    assert _keys(leases.take_next_subjects(bo, java, 5)) == ["jsonl:5"]
    accepted = QueueFilter(verdicts=("accept",))
    assert _keys(leases.take_next_subjects(cy, accepted, 5)) == ["jsonl:1"]


@pytest.mark.parametrize(("count", "seconds"), [(0, 60.0), (-1, 60.0), (1, 0.0), (1, float("nan"))])
def test_impossible_wishes_are_refused(stores: list[ProjectFile], count: int, seconds: float) -> None:
    with pytest.raises(UsageError):
        leases.take_next_subjects(stores[0], count=count, seconds=seconds)


def test_a_read_only_project_gives_nothing(place: Place) -> None:
    store = projects.open_project(place, read_only=True)
    with pytest.raises(MissingEnvironmentError, match="read-only"):
        leases.take_next_subjects(store)
    store.close()


@pytest.mark.parametrize("threads", [6])
def test_many_at_once_are_never_given_the_same(place: Place, threads: int) -> None:
    """More clients than subjects, all at the same moment, again and again."""
    stores = [projects.open_project(place, annotator=PEOPLE[number % 3]) for number in range(threads)]
    for _ in range(5):
        start, given = threading.Barrier(threads), list[str]()

        def take(store: ProjectFile, start: threading.Barrier, given: list[str]) -> None:
            start.wait()
            given.extend(row.id for row in leases.take_next_subjects(store, count=random.randint(1, 2)))

        running = [threading.Thread(target=take, args=(store, start, given)) for store in stores]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        assert len(given) == len(set(given)) > 0
        for store in stores:
            leases.return_subjects(store)
    for store in stores:
        store.close()


def test_any_order_of_acts_gives_each_subject_to_one_person_at_most(tmp_path: Path) -> None:
    """A model of who has what, beside the project, over random acts and a clock of its own."""
    _make(tmp_path / "p.annotator", tmp_path, COUNT)
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        lambda: _Leasing(tmp_path / "p.annotator"),
        settings=settings(
            max_examples=15, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )


class _Leasing(RuleBasedStateMachine):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self.stores = [projects.open_project(path, annotator=name) for name in PEOPLE]
        self.now = 0.0
        self.real = stored.project_time
        stored.project_time = lambda db: self.now
        with self.stores[0].write() as db:
            db.connection().exec_driver_sql("DELETE FROM lease")
        self.model: dict[str, tuple[int, float]] = {}
        self.open = set(_keys(triage.queue_page(self.stores[0], leases.OPEN).rows))

    @rule(who=st.integers(0, 2), count=st.integers(1, 3), seconds=st.sampled_from([10.0, 100.0]))
    def take(self, who: int, count: int, seconds: float) -> None:
        free = sorted(key for key in self.open if self.model.get(key, (0, -1.0))[1] <= self.now)
        rows = _keys(leases.take_next_subjects(self.stores[who], count=count, seconds=seconds))
        assert rows == free[:count]
        self.model.update(dict.fromkeys(rows, (who, self.now + seconds)))

    @rule(who=st.integers(0, 2), seconds=st.sampled_from([10.0, 100.0]))
    def keep(self, who: int, seconds: float) -> None:
        mine = [key for key, (owner, _) in self.model.items() if owner == who]
        assert leases.renew_leases(self.stores[who], seconds) == len(mine)
        self.model.update(dict.fromkeys(mine, (who, self.now + seconds)))

    @rule(who=st.integers(0, 2), number=st.integers(0, COUNT - 1))
    def decide(self, who: int, number: int) -> None:
        key = f"jsonl:{number}"
        if self.model.get(key, (None, 0.0))[0] != who:
            with pytest.raises(BadInputError):
                leases.decide_leased(self.stores[who], key, Verdict.SKIP)
            return
        leases.decide_leased(self.stores[who], key, Verdict.SKIP)
        del self.model[key]
        self.open.discard(key)

    @rule(seconds=st.sampled_from([1.0, 50.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @invariant()
    def the_list_is_the_model(self) -> None:
        rows = leases.current_leases(self.stores[0])
        assert {row.key: PEOPLE.index(row.annotator) for row in rows} == {k: v[0] for k, v in self.model.items()}

    def teardown(self) -> None:
        stored.project_time = self.real
        for key in [f"jsonl:{number}" for number in range(COUNT)]:
            if key not in self.open:
                for store in self.stores:
                    while undo.undo_last_act(store):
                        pass
        for store in self.stores:
            store.close()


def test_what_is_somebody_elses_is_decided_only_when_asked_for(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    held, decided = leases.take_next_subjects(ada)[0], "jsonl:1"
    triage.decide_subjects(ada, [decided], Verdict.ACCEPT)
    if not ada.shared:
        triage.decide_subjects(bo, [held.id, decided], Verdict.REJECT)
        return
    with pytest.raises(OthersWorkError, match="held by Ada"):
        triage.decide_subjects(bo, [held.id], Verdict.REJECT)
    with pytest.raises(OthersWorkError, match="by Ada already") as refused:
        triage.decide_subjects(bo, [decided], Verdict.REJECT)
    first = refused.value.decided_row
    assert first is not None and (first.person, first.verdict, first.mine) == ("Ada", "accept", False)
    with pytest.raises(OthersWorkError, match="1 held by others and 1 decided by others already"):
        triage.decide_subjects(bo, [held.id, decided, "jsonl:4"], Verdict.REJECT)
    rows = [triage.queue_row_of(bo, item) for item in (held.id, decided)]
    with pytest.raises(OthersWorkError):
        triage.decide_queue_rows(bo, rows, Verdict.REJECT)
    triage.decide_subjects(ada, [held.id, decided], Verdict.SKIP)
    triage.decide_subjects(bo, [held.id, decided], Verdict.REJECT, anyway=True)
    triage.decide_subjects(bo, [held.id, decided], Verdict.ACCEPT)


def test_what_was_decided_elsewhere_since_it_was_seen_is_asked_about(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    wanted = QueueFilter()
    seen = SeenDecisions(triage.queue_rows(bo, wanted).as_of)
    keys = ["jsonl:1", "jsonl:2"]
    triage.decide_subjects(bo, keys, Verdict.FLAG, seen_decisions=seen)
    triage.decide_subjects(bo, keys, Verdict.SKIP, seen_decisions=seen)
    triage.decide_subjects(ada, keys[:1], Verdict.ACCEPT, anyway=True)
    with pytest.raises(OthersWorkError, match="decision by Ada already"):
        triage.decide_subjects(bo, keys, Verdict.REJECT, seen_decisions=seen)
    assert [row.verdict for row in triage.queue_page(bo, wanted).rows][1:3] == ["accept", "skip"]
    triage.decide_subjects(bo, keys[1:], Verdict.REJECT, seen_decisions=seen)
    if not bo.shared:
        shown = triage.load_subject(bo, keys[0]).decisions[0].id
        triage.decide_subjects(bo, keys, Verdict.REJECT, seen_decisions=replace(seen, decision_ids=frozenset({shown})))
        again = SeenDecisions(triage.queue_rows(ada, wanted).as_of)
        triage.decide_subjects(ada, keys, Verdict.ACCEPT, seen_decisions=again)
        triage.decide_subjects(bo, keys, Verdict.SKIP)


def test_another_window_of_the_same_person_is_asked_about_too(stores: list[ProjectFile]) -> None:
    first, *_ = stores
    second = projects.open_project(first.place, annotator="Ada")
    seen = SeenDecisions(triage.queue_rows(second, QueueFilter()).as_of)
    triage.decide_subjects(first, ["jsonl:0"], Verdict.ACCEPT)
    with pytest.raises(OthersWorkError) as refused:
        triage.decide_subjects(second, ["jsonl:0"], Verdict.REJECT, seen_decisions=seen)
    assert refused.value.decided_row is not None and refused.value.decided_row.mine
    undo.undo_last_act(first)
    triage.decide_subjects(second, ["jsonl:0"], Verdict.REJECT, seen_decisions=seen)
    second.close()


def _first(store: ProjectFile, rows: list[int], *, undecided: bool) -> int | None:
    found = leases.take_first_free(store, rows, undecided=undecided)
    return found[0] if found is not None else None


def test_the_first_free_row_is_given_and_what_was_held_before_is_free_again(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    rows = list(triage.queue_ids(ada, QueueFilter()))
    assert _first(ada, rows, undecided=True) == rows[0]
    assert _first(bo, rows, undecided=True) == rows[1]
    assert _first(ada, rows[1:], undecided=True) == rows[2]
    assert {row.key for row in leases.current_leases(bo)} == {"jsonl:1", "jsonl:2"}
    triage.decide_subjects(ada, ["jsonl:0"], Verdict.ACCEPT)
    assert _first(bo, rows[:1], undecided=True) is None
    assert {row.key: row.mine for row in leases.current_leases(bo)} == {"jsonl:1": True, "jsonl:2": False}
    assert _first(bo, list(reversed(rows[:3])), undecided=False) == rows[1]
    aspect_reviews.set_locked(ada, "jsonl:4", True, "done")
    assert _first(bo, rows[4:], undecided=True) == rows[5]
    assert _first(ada, [rows[0]], undecided=True) == rows[0], "what one has decided oneself is free"


def test_who_decides_last_counts_whatever_the_clocks_say(
    stores: list[ProjectFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bo, _ = stores
    with monkeypatch.context() as ahead:
        ahead.setattr(expert_work, "now_text", lambda: "2099-12-31T23:59:59.999999Z")
        triage.decide_subjects(bo, ["jsonl:0", "jsonl:1"], Verdict.ACCEPT)
    triage.decide_subjects(ada, ["jsonl:0", "jsonl:2"], Verdict.REJECT, anyway=True)
    assert [row.verdict for row in triage.queue_page(bo, QueueFilter()).rows][:3] == ["reject", "accept", "reject"]
    assert [item.verdict for item in triage.load_subject(bo, "jsonl:0").decisions] == ["reject", "accept"]
    undo.undo_last_act(ada)
    assert triage.load_subject(bo, "jsonl:0").row.verdict == "accept"
    moment = "2024-01-01T00:00:00.000000Z"
    assert time_after(moment, moment) == "2024-01-01T00:00:00.000001Z"
    triage.decide_subjects(ada, ["jsonl:3"], Verdict.SKIP)
    assert triage.load_subject(ada, "jsonl:3").decisions[0].created_at < "2099"


def test_holding_says_who_has_it_and_takes_over_from_the_same_person(
    stores: list[ProjectFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bo, _ = stores
    ids = [row.id for row in triage.queue_page(ada, QueueFilter()).rows]
    mine = leases.hold_subject(ada, ids[0])
    assert mine is not None and mine.mine
    theirs = leases.hold_subject(bo, ids[0])
    assert theirs is not None and (theirs.annotator, theirs.mine) == ("Ada", False) and theirs.seconds_left > 60
    leases.hold_subject(bo, ids[1])
    crashed = projects.open_project(ada.place, annotator="Ada")
    again = leases.hold_subject(crashed, ids[0])
    assert again is not None and again.mine and leases.renew_leases(ada) == 0
    real = stored.project_time
    monkeypatch.setattr(stored, "project_time", lambda db: real(db) + leases.LEASE_S + 1)
    taken = leases.hold_subject(bo, ids[0])
    assert taken is not None and taken.mine, "what a crash left lapses by itself"
    crashed.close()


def test_accepting_a_chosen_subset_follows_the_same_rule(stores: list[ProjectFile]) -> None:
    ada, bo, _ = stores
    leases.take_next_subjects(ada)
    chosen = repository_mining.SubsetChoice(("jsonl:0", "jsonl:1"), ())
    if ada.shared:
        with pytest.raises(OthersWorkError, match="held by Ada"):
            repository_mining.accept_subset(bo, chosen)
    repository_mining.accept_subset(bo, chosen, anyway=ada.shared)
    assert [row.verdict for row in triage.queue_page(bo, QueueFilter()).rows][:3] == ["accept", "accept", None]
