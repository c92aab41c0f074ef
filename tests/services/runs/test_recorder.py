"""What a run writes and looks up, many at a time: as if it had been one by one."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base import ids
from annotator.evaluation.answer_scoring import ScoredResponse
from annotator.evaluation.planning import AnsweredRequest, PlannedRequest
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey
from annotator.llm.answers import Answer
from annotator.llm.requests import ChatMessage, Endpoint, Request
from annotator.model.vocabulary import Outcome
from annotator.services.runs import execution, run_list, run_plan
from annotator.services.runs.recorder import StoreCache, StoreSink
from annotator.services.runs.run_plan import RunSpec
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import run_data
from tests.services.runs.conftest import sampled

SAMPLES = 13
HASH = "c" * 64


@pytest.fixture
def run_id(store: ProjectFile) -> str:
    """A run of 130 requests that nobody has asked yet: more than go into one statement."""
    found, _ = run_plan.plan_run(
        store,
        RunSpec(
            model="m", protocol=sampled(SAMPLES), endpoint=Endpoint(base_url="http://nowhere.invalid/v1", name="e")
        ),
    )
    return found


def planned(store: ProjectFile, run_id: str) -> list[PlannedRequest]:
    with store.read() as db:
        run = run_data.fetch_run(db, run_id)
    return list(run_plan.planned_requests(run, "m", run_plan.items_of_run(store, run)))


def answer(item: PlannedRequest, text: str = "an answer", **fields: object) -> Answer:
    made = Answer(
        request_hash=item.hash,
        text=text,
        finish_reason="stop",
        outcome="answer",
        model="m",
        usage={"prompt_tokens": 3},
        request=item.request.body(),
    )
    return replace(made, **fields)  # type: ignore[arg-type]  # fields of an answer


def open_sink(store: ProjectFile, run_id: str, cache: StoreCache | None = None) -> StoreSink:
    with store.read() as db:
        model = run_data.fetch_run(db, run_id).model_id
    return StoreSink(store, run_id, model, {item.item_id: HASH for item in planned(store, run_id)}, cache)


def good(score: float = 1.0) -> ScoredResponse:
    return ScoredResponse(outcome=Outcome.PASS, points=score, total=1.0, score=score, detail={"rules": []})


def test_many_answers_and_scores_at_once_are_each_as_they_were_given(store: ProjectFile, run_id: str) -> None:
    sink, wanted = open_sink(store, run_id), planned(store, run_id)
    # Not item by item, and every third with a setting of its own.
    order = sorted(wanted, key=lambda item: item.hash)
    given = [
        AnsweredRequest(
            item, answer(item, f"text {at}", seconds=at / 8, request=item.request.body() | {"seed": at % 3}), at
        )
        for at, item in enumerate(order)
    ]
    sink.answers(given)
    with store.read() as db:
        rows = run_data.answers_at(db, run_id, [item.planned.id for item in given])
    assert len(rows) == len(given) == 10 * SAMPLES
    for row, item in zip(rows, given, strict=True):
        assert (row.text, row.seconds, row.cost) == (item.answer.text, item.answer.seconds, item.cost)
        assert row.request == item.answer.request and row.request_hash == item.planned.hash
    sink.answers([AnsweredRequest(item.planned, answer(item.planned, "another")) for item in given])
    with store.read() as db:
        assert run_data.answers_at(db, run_id, [given[0].planned.id])[0].text == "text 0", "what is there stays"
    sink.scores([ScoredAnswer(item, None, problem="lost") for item in given])
    sink.scores([ScoredAnswer(item, good()) for item in given[:100]])
    sink.scores([ScoredAnswer(item, good(0.0)) for item in given])
    row = run_list.find_run(store, run_id)
    assert sink.outcomes == {"machinery": 130, "pass": 230} and row.answered == 130
    with store.reader() as connection:
        scores = connection.execute("SELECT score, count(*) FROM score GROUP BY score ORDER BY score").fetchall()
    assert [tuple(pair) for pair in scores] == [(0.0, 30), (1.0, 100)], "only machinery is scored again"


def test_stored_scores_are_found_by_all_that_decides_them(store: ProjectFile, run_id: str) -> None:
    sink, wanted = open_sink(store, run_id), planned(store, run_id)
    given = [AnsweredRequest(item, answer(item, f"text {item.sample % 5}")) for item in wanted]
    sink.answers(given)
    sink.scores([ScoredAnswer(item, good(), problem="") for item in given if item.planned.sample != 4])
    sink.scores([ScoredAnswer(item, None, problem="lost") for item in given if item.planned.sample == 4])
    items = list(dict.fromkeys(item.item_id for item in wanted))
    texts = [ids.content_hash(f"text {number}") for number in range(6)]
    keys = [ScoreKey(item, text, "stop") for item in items for text in texts]
    found = sink.stored_scores(keys)
    # Sample 4's text is that of sample 9, which has a score.
    assert set(found) == {key for key in keys if key.text_hash != texts[5]}
    assert set(found[keys[0]].detail) == {"rules"}
    assert sink.stored_scores([ScoreKey(items[0], texts[0], "length"), ScoreKey("nobody", texts[0], "stop")]) == {}
    other = StoreSink(store, run_id, "", dict.fromkeys(items, "d" * 64))
    assert other.stored_scores(keys) == {} and sink.stored_scores([]) == {}


def test_what_has_an_answer_is_found_however_it_was_foreseen(store: ProjectFile, run_id: str) -> None:
    cache = StoreCache(store)
    sink, wanted = open_sink(store, run_id, cache), planned(store, run_id)
    sink.answers([AnsweredRequest(item, answer(item)) for item in wanted[::2]])
    seen = {item.hash: cache.get(item.hash) for item in cache.prefetch(wanted)}
    assert [item.hash for item in wanted if seen[item.hash] is not None] == [item.hash for item in wanted[::2]]


def test_an_answer_that_came_after_the_look_is_not_asked_for_again(store: ProjectFile, run_id: str) -> None:
    cache = StoreCache(store)
    sink, wanted = open_sink(store, run_id, cache), planned(store, run_id)
    ahead = cache.prefetch(wanted)
    first, second = next(ahead), next(ahead)
    for item in (first, second):
        cache.store_answer(answer(item))
        assert cache.get(item.hash) is not None, "held until it is on disk"
        sink.answers([AnsweredRequest(item, answer(item))])
        assert cache.get(item.hash) is not None, "on disk, though it was not there when somebody looked"


def test_an_answer_written_during_the_look_is_not_asked_for_again(
    store: ProjectFile, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = StoreCache(store)
    sink, wanted = open_sink(store, run_id, cache), planned(store, run_id)
    cache.store_answer(answer(wanted[0]))
    look = run_data.answered_hashes

    def late(connection: object, hashes: list[str]) -> set[str]:
        found = look(connection, hashes)  # type: ignore[arg-type]  # a connection of either kind
        if len(hashes) > 1:
            cache.store_answer(answer(wanted[1]))
            sink.answers([AnsweredRequest(item, answer(item)) for item in wanted[:2]])
        return found

    monkeypatch.setattr(run_data, "answered_hashes", late)
    ahead: Iterator[PlannedRequest] = cache.prefetch(wanted)
    next(ahead)
    assert cache.get(wanted[0].hash) is not None and cache.get(wanted[1].hash) is not None
    assert cache.get(wanted[2].hash) is None


def test_equal_requests_of_two_items_look_twice(store: ProjectFile, run_id: str) -> None:
    cache = StoreCache(store)
    request = Request(endpoint="e", model="m", messages=(ChatMessage("user", "the same"),))
    twice = [
        PlannedRequest(item_id=name, item_key=name, sample=0, label="", template="", request=request, hash=request.hash)
        for name in ("a", "b")
    ]
    ahead = cache.prefetch(twice)
    next(ahead)
    assert cache.get(request.hash) is None
    cache.store_answer(answer(twice[0]))
    next(ahead)
    assert cache.get(request.hash) is not None


def test_turns_are_longer_only_while_a_run_goes_on() -> None:
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(0.0005)
        with pytest.raises(ValueError, match="over"), execution.longer_switch_interval(64):
            assert sys.getswitchinterval() > 0.001
            raise ValueError("over")
        assert sys.getswitchinterval() == pytest.approx(0.0005)
        sys.setswitchinterval(0.02)
        with execution.longer_switch_interval(64):
            assert sys.getswitchinterval() == pytest.approx(0.02)
        sys.setswitchinterval(0.0005)
        with execution.longer_switch_interval(2):
            assert sys.getswitchinterval() == pytest.approx(0.0005)
    finally:
        sys.setswitchinterval(before)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=4))
def test_stable_ids_are_version_5_uuids(parts: list[str]) -> None:
    assert ids.stable_id(*parts) == str(uuid.uuid5(uuid.UUID(bytes=ids.NAMESPACE), "\0".join(parts)))
