"""The engine: every response exactly once, whatever fails; what is paid for is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.evaluation.engine import ITEMS_ALIKE, RunEnd
from annotator.evaluation.executors import LocalExecutor
from annotator.evaluation.planning import AnsweredRequest, FailedRequest, PlannedRequest, plan_requests, replay_answers
from annotator.evaluation.presets import Pass, find_protocol_preset
from annotator.evaluation.request_queue import REPEATS_AT_LEAST, Budget, threads_for
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey, Scoring
from annotator.jobs.progress import Progress
from annotator.llm.answers import Answer
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.endpoint_errors import AttemptFailedError, EndpointStopError, RequestFailedError
from annotator.llm.prices import Price
from annotator.llm.requests import Decoding, Endpoint
from annotator.model.vocabulary import RunState
from tests.evaluation.evaluations import run_evaluation
from tests.llm.server import Server, in_turn, running

ENDPOINT = Endpoint(base_url="http://localhost:8000/v1")


def requests(items: int, samples: int = 1, **decoding: Any) -> list[PlannedRequest]:
    protocol = replace(find_protocol_preset("plain"), passes=(Pass(Decoding(temperature=0.2, **decoding), samples),))
    asked = [{"id": f"i{number}", "key": f"k:{number}", "prompt": f"question {number}"} for number in range(items)]
    return list(plan_requests(asked, protocol, "m", ENDPOINT))


def answered(planned: PlannedRequest, text: str = "yes", **fields: Any) -> Answer:
    return Answer(request_hash=planned.hash, text=text, finish_reason="stop", outcome="answer", model="m", **fields)


class Kept:
    """A sink in memory that refuses anything twice, and any thread but one."""

    def __init__(self, known: dict[ScoreKey, Any] | None = None) -> None:
        self.answered: dict[tuple[str, int], AnsweredRequest] = {}
        self.failed: list[FailedRequest] = []
        self.scored: dict[tuple[str, int], ScoredAnswer] = {}
        self.stored = known or {}
        self.threads: set[int] = set()
        self.batches = 0

    def answers(self, batch: Sequence[AnsweredRequest]) -> None:
        self.threads.add(threading.get_ident())
        self.batches += 1
        for item in batch:
            assert item.planned.id not in self.answered
            self.answered[item.planned.id] = item

    def failures(self, batch: Sequence[FailedRequest]) -> None:
        self.threads.add(threading.get_ident())
        self.failed += batch

    def scores(self, batch: Sequence[ScoredAnswer]) -> None:
        self.threads.add(threading.get_ident())
        for item in batch:
            assert item.finished.planned.id in self.answered, "an answer is kept before its score"
            assert item.finished.planned.id not in self.scored
            self.scored[item.finished.planned.id] = item

    def stored_scores(self, keys: Collection[ScoreKey]) -> dict[ScoreKey, Any]:
        return {key: self.stored[key] for key in keys if key in self.stored}


def scoring(score: Callable[[Any], Any], workers: int = 2) -> Scoring:
    return Scoring(LocalExecutor(score, workers), lambda finished: finished.answer.text)


def test_everything_is_asked_and_scored_once_from_one_thread() -> None:
    sink, planned = Kept(), requests(50, 4)
    end = run_evaluation(
        planned, lambda item: answered(item, item.request.messages[0].content), sink, scoring=scoring(len), workers=8
    )
    assert (end.state, end.reason) == (RunState.DONE, "")
    assert sink.answered.keys() == sink.scored.keys() == {item.id for item in planned}
    assert sink.threads == {threading.get_ident()}
    assert (end.tally.answered, end.tally.scored, end.tally.executed) == (200, 200, 50)
    assert all(judged.result == len(judged.finished.answer.text) for judged in sink.scored.values())


def test_identical_completions_are_executed_once_and_each_counts() -> None:
    runs: list[str] = []
    texts = ["a", "b", "a", "a", "c", "b"]

    def score(text: str) -> int:
        time.sleep(0.02)
        runs.append(text)
        return ord(text)

    sink = Kept()
    end = run_evaluation(
        requests(3, 6), lambda item: answered(item, texts[item.sample]), sink, scoring=scoring(score), workers=3
    )
    assert sorted(runs) == sorted(["a", "b", "c"] * 3), "once for each item"
    assert end.tally.scored == 18
    assert sum(not judged.shared for judged in sink.scored.values()) == 9
    assert all(judged.result == ord(texts[sample]) for (_, sample), judged in sink.scored.items())


def test_a_stored_score_of_an_identical_response_is_used() -> None:
    first = Kept()
    run_evaluation(requests(2), answered, first, scoring=scoring(lambda _: 5))
    from annotator.base.ids import content_hash

    known = {ScoreKey("i0", content_hash("yes"), "stop"): 7}
    sink = Kept(known)
    run_evaluation(requests(2), answered, sink, scoring=scoring(lambda _: 5))
    assert {key[0]: judged.result for key, judged in sink.scored.items()} == {"i0": 7, "i1": 5}


def test_scoring_overlaps_asking_and_asking_overlaps_scoring() -> None:
    moments: list[tuple[str, float]] = []

    def ask(item: PlannedRequest) -> Answer:
        time.sleep(0.02)
        moments.append(("asked", time.monotonic()))
        return answered(item, item.item_id)

    def score(_: str) -> int:
        time.sleep(0.02)
        moments.append(("scored", time.monotonic()))
        return 1

    run_evaluation(requests(20), ask, Kept(), scoring=scoring(score), workers=2)
    first_score = min(moment for kind, moment in moments if kind == "scored")
    assert first_score < max(moment for kind, moment in moments if kind == "asked") - 0.1


def test_a_request_that_fails_stays_to_be_asked_and_the_rest_goes_on() -> None:
    def ask(item: PlannedRequest) -> Answer:
        if item.item_id == "i3":
            raise RequestFailedError("no answer", "HTTP 503", 10)
        return answered(item)

    sink, planned = Kept(), requests(10)
    end = run_evaluation(planned, ask, sink, scoring=scoring(len))
    assert end.state is RunState.DONE and end.tally.failed == 1
    assert [(item.planned.item_id, item.cause, item.attempts) for item in sink.failed] == [("i3", "HTTP 503", 10)]
    assert end.tally.failures == {"HTTP 503": 1}
    left = [item for item in planned if item.id not in sink.answered]
    assert run_evaluation(left, answered, sink, scoring=scoring(len)).reason == ""
    assert len(sink.answered) == len(sink.scored) == 10


def test_a_refusal_of_the_endpoint_stops_the_run_and_keeps_what_is_on_the_wire() -> None:
    def ask(item: PlannedRequest) -> Answer:
        number = int(item.item_id[1:])
        if number == 5:
            time.sleep(0.05)
            raise EndpointStopError("The key is not accepted.", 401)
        time.sleep(0.1)
        return answered(item)

    sink = Kept()
    end = run_evaluation(requests(200), ask, sink, scoring=scoring(len), workers=8)
    assert (end.state, end.reason) == (RunState.STOPPED, "The key is not accepted.")
    assert {"i0", "i1", "i2", "i3", "i4", "i6", "i7"} <= {item for item, _ in sink.answered}
    assert len(sink.answered) < 30
    assert sink.scored.keys() == sink.answered.keys()


QUICK = RetryPolicy(attempts=3, first_s=0.01, most_s=0.02)


@pytest.mark.parametrize("answers", [0, 5])
def test_an_endpoint_that_is_gone_is_not_asked_for_ever(answers: int) -> None:
    turns = count(1)

    def ask(item: PlannedRequest) -> Answer:
        if next(turns) <= answers:
            return answered(item)
        time.sleep(0.01)
        raise AttemptFailedError("connection", "nobody is there")

    # A round in which all workers fail is followed by a pause, so few workers would take many pauses.
    end = run_evaluation(requests(500, 2), ask, Kept(), workers=16, policy=QUICK)
    assert end.state is RunState.STOPPED and "nobody is there" in end.reason
    # How many more were on the wire when it stopped depends on the machine; most were never asked.
    assert ITEMS_ALIKE <= end.tally.failed < 500
    assert end.tally.answered == answers


def test_the_first_items_that_fail_the_same_way_stop_the_run_unless_one_is_answered() -> None:
    def ask(item: PlannedRequest) -> Answer:
        if item.item_id in good:
            return answered(item)
        raise AttemptFailedError("HTTP 400", "HTTP 400: the prompt is too long", may_repeat=False)

    good: set[str] = set()
    sink = Kept()
    end = run_evaluation(requests(500, 3), ask, sink, workers=2, policy=QUICK)
    assert end.state is RunState.STOPPED and "the prompt is too long" in end.reason
    assert len({item.planned.item_id for item in sink.failed}) == ITEMS_ALIKE
    good, sink = {"i5"}, Kept()
    end = run_evaluation(requests(500, 3), ask, sink, workers=2, policy=QUICK)
    assert (end.state, end.tally.answered, end.tally.failures) == (RunState.DONE, 3, {"HTTP 400": 1497})
    assert all(item.reason.endswith("HTTP 400: the prompt is too long") for item in sink.failed)


def test_what_fails_at_the_end_after_all_else_was_answered_does_not_stop_the_run() -> None:
    def ask(item: PlannedRequest) -> Answer:
        if int(item.item_id[1:]) % 2:
            raise AttemptFailedError("HTTP 503", "busy")
        return answered(item)

    end = run_evaluation(
        requests(3 * ITEMS_ALIKE), ask, Kept(), workers=8, policy=replace(QUICK, first_s=0.2, most_s=0.4)
    )
    failures = {"HTTP 503": 3 * ITEMS_ALIKE // 2}
    assert (end.state, end.tally.answered, end.tally.failures) == (RunState.DONE, 3 * ITEMS_ALIKE // 2, failures)


def test_what_waits_for_its_next_attempt_holds_no_slot() -> None:
    moments: dict[str, list[float]] = {}

    def ask(item: PlannedRequest) -> Answer:
        tries = moments.setdefault(item.item_id, [])
        tries.append(time.monotonic())
        if int(item.item_id[1:]) % 2 and len(tries) == 1:
            raise AttemptFailedError("HTTP 503", "busy", after=1.0)
        time.sleep(0.01)
        return answered(item)

    sink = Kept()
    end = run_evaluation(requests(40), ask, sink, workers=2, policy=QUICK)
    assert (end.state, end.reason, len(sink.answered), end.tally.repeated) == (RunState.DONE, "", 40, 20)
    first = {item: tries[0] for item, tries in moments.items()}
    assert max(first.values()) - min(first.values()) < 0.9, "the others did not wait"
    assert all(tries[1] - tries[0] >= 1.0 for tries in moments.values() if len(tries) > 1)
    assert {item.answer.retries for item in sink.answered.values()} == {0, 1}


def test_what_fails_again_and_again_does_not_keep_the_rest_from_its_turn() -> None:
    """As after a resume: what failed before comes first, and all of it fails again."""
    asked: list[int] = []

    def ask(item: PlannedRequest) -> Answer:
        asked.append(int(item.item_id[1:]))
        if asked[-1] < 15:
            raise AttemptFailedError("HTTP 503", "busy")
        return answered(item)

    end = run_evaluation(requests(55), ask, Kept(), workers=2, policy=RetryPolicy(attempts=8, first_s=0.05, most_s=0.1))
    assert (end.state, end.tally.answered, len(asked)) == (RunState.DONE, 40, 40 + 15 * 8)
    last_good = max(number for number, item in enumerate(asked) if item >= 15)
    # What is new here are all 55: the first turns of those that fail are among them.
    assert last_good < 2 * 55 + 5, "half of the turns are for what is new"


def test_a_request_has_a_budget_of_attempts_and_a_smaller_one_of_answers_paid_in_vain() -> None:
    def ask(item: PlannedRequest) -> Answer:
        if item.item_id == "i1":
            raise AttemptFailedError("malformed answer", "not JSON: {{", costly=True)
        if item.item_id == "i2":
            raise AttemptFailedError("HTTP 500", "out of order")
        return answered(item)

    sink = Kept()
    end = run_evaluation(requests(30), ask, sink, workers=2, policy=RetryPolicy(attempts=5, first_s=0.01, costly=2))
    assert {(item.cause, item.attempts) for item in sink.failed} == {("malformed answer", 2), ("HTTP 500", 5)}
    assert (end.tally.answered, end.tally.repeated, end.tally.unreadable) == (28, 5, 2)
    assert any("not JSON" in item.reason for item in sink.failed)


def test_a_run_has_a_budget_of_repetitions() -> None:
    asked: list[PlannedRequest] = []

    def ask(item: PlannedRequest) -> Answer:
        asked.append(item)
        if item.item_id == "i0":
            return answered(item)
        raise AttemptFailedError("malformed answer", "not JSON", costly=False)

    policy = RetryPolicy(attempts=50, first_s=0.0001, most_s=0.0001)
    end = run_evaluation(requests(100), ask, Kept(), workers=4, policy=policy)
    assert end.state is RunState.DONE and end.tally.failed == 99
    assert len(asked) == 100 + end.tally.repeated <= 200 + REPEATS_AT_LEAST


def test_an_endpoint_that_restarts_is_waited_for() -> None:
    begun = time.monotonic()

    def ask(item: PlannedRequest) -> Answer:
        if 0.1 < time.monotonic() - begun < 0.6:
            raise AttemptFailedError("connection", "refused")
        time.sleep(0.005)
        return answered(item)

    sink = Kept()
    end = run_evaluation(requests(300), ask, sink, workers=4, policy=RetryPolicy(attempts=8, first_s=0.1))
    assert (end.state, end.reason, len(sink.answered)) == (RunState.DONE, "", 300)
    assert end.tally.repeated < 60


def test_a_stop_does_not_wait_for_what_is_due_later() -> None:
    control = Progress()

    def ask(item: PlannedRequest) -> Answer:
        threading.Timer(0.2, control.cancel).start()
        raise AttemptFailedError("HTTP 503", "busy", after=60.0)

    started = time.monotonic()
    end = run_evaluation(requests(3), ask, Kept(), workers=2, control=control)
    assert end.state is RunState.STOPPED and time.monotonic() - started < 40


def test_an_answer_paid_in_vain_counts_for_the_cap() -> None:
    budget = Budget(10.0, Price(model="m", input=0.0, output=10_000.0))

    def ask(item: PlannedRequest) -> Answer:
        raise AttemptFailedError("malformed answer", "not JSON", costly=True)

    end = run_evaluation(requests(5, max_tokens=100), ask, Kept(), workers=1, budget=budget, policy=QUICK)
    assert budget.spent == pytest.approx(10.0) and end.state is RunState.PAUSED


def test_pause_keeps_what_arrives_and_asks_nothing_new() -> None:
    control, asked = Progress(), []
    sink = Kept()

    def ask(item: PlannedRequest) -> Answer:
        asked.append(item)
        if len(asked) == 6:
            control.pause()
        time.sleep(0.05)
        return answered(item)

    ends: list[RunEnd] = []
    thread = threading.Thread(
        target=lambda: ends.append(run_evaluation(requests(40), ask, sink, control=control, workers=4))
    )
    thread.start()
    deadline = time.monotonic() + 60
    while not control.paused and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.4)
    assert control.paused
    held = len(asked)
    assert held < 12 and len(sink.answered) == held, "what was on the wire is kept while paused"
    time.sleep(0.3)
    assert len(asked) == held
    control.resume()
    thread.join(60)
    assert ends[0].state is RunState.DONE and len(sink.answered) == 40


def test_cancel_waits_for_what_is_paid_then_cuts_the_rest_off() -> None:
    control, cut = Progress(), threading.Event()
    sink = Kept()

    def ask(item: PlannedRequest) -> Answer:
        if item.item_id == "i0":
            control.cancel()
            time.sleep(0.2)
            return answered(item)
        cut.wait(20)
        raise RequestFailedError("cut off", "connection", 1)

    started = time.monotonic()
    end = run_evaluation(requests(100), ask, sink, control=control, workers=4, interrupt=cut.set, grace_s=0.6)
    assert time.monotonic() - started < 18, "what hangs was not cut off"
    assert end.state is RunState.STOPPED and "Cancelled" in end.reason
    assert set(sink.answered) == {("i0", 0)}


def test_a_full_disk_ends_the_run_loudly() -> None:
    interrupted = threading.Event()

    class Full(Kept):
        def answers(self, batch: Sequence[AnsweredRequest]) -> None:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run_evaluation(requests(100), answered, Full(), interrupt=interrupted.set)
    assert interrupted.is_set()


def test_a_bug_in_asking_is_raised_after_keeping_what_arrived() -> None:
    def ask(item: PlannedRequest) -> Answer:
        if item.item_id == "i9":
            raise ZeroDivisionError
        return answered(item)

    sink = Kept()
    with pytest.raises(ZeroDivisionError):
        run_evaluation(requests(100), ask, sink, workers=1)
    assert len(sink.answered) == 9


def test_an_item_that_cannot_be_asked_is_named_when_the_plan_reaches_it() -> None:
    items = [{"id": "a", "key": "k:a", "prompt": "x"}, {"id": "b", "key": "k:b", "prompt": ""}]
    sink = Kept()
    with pytest.raises(BadInputError, match="k:b"):
        run_evaluation(plan_requests(items, find_protocol_preset("plain"), "m", ENDPOINT), answered, sink, workers=1)
    assert set(sink.answered) == {("a", 0)}


def test_what_cannot_be_scored_is_machinery_and_the_answer_stays() -> None:
    def score(text: str) -> int:
        if text == "i2":
            raise ValueError("broken criterion")
        return 1

    sink = Kept()
    end = run_evaluation(requests(5), lambda item: answered(item, item.item_id), sink, scoring=scoring(score))
    assert end.tally.unscored == 1
    judged = sink.scored["i2", 0]
    assert judged.result is None and "broken criterion" in judged.problem


def test_scoring_again_asks_nothing() -> None:
    sink = Kept()
    run_evaluation(requests(30, 2), lambda item: answered(item, f"{item.item_id}-{item.sample}"), sink)
    stored = list(sink.answered.values())
    again = Kept()
    again.answered = sink.answered

    def never(item: PlannedRequest) -> Answer:
        raise AssertionError("asked")

    end = run_evaluation([], never, again, scoring=scoring(len), unscored=iter(stored))
    assert end.state is RunState.DONE and end.tally.scored == 60 and len(again.scored) == 60
    assert end.tally.answered == 0


def test_the_cap_pauses_before_it_is_passed_and_a_higher_one_resumes() -> None:
    price = Price(model="m", input=1000.0, output=10_000.0)
    planned = requests(100, max_tokens=100)
    usage = {"prompt_tokens": 10, "completion_tokens": 50}

    def ask(item: PlannedRequest) -> Answer:
        time.sleep(0.002)
        return answered(item, usage=usage)

    sink, budget = Kept(), Budget(20.0, price)
    end = run_evaluation(planned, ask, sink, budget=budget, workers=8)
    assert end.state is RunState.PAUSED and "cap" in end.reason
    assert budget.spent <= 20.0
    assert len(sink.answered) == round(budget.spent / 0.51)
    assert budget.spent + price.cost(10, 100) > 20.0, "nothing that was safe was left out"
    rest = [item for item in planned if item.id not in sink.answered]
    end = run_evaluation(rest, ask, sink, budget=Budget(60.0, price, spent=budget.spent), workers=8)
    assert end.state is RunState.DONE and len(sink.answered) == 100


@settings(max_examples=30)
@given(st.integers(1, 60), st.integers(1, 8), st.floats(0.5, 30), st.integers(1, 400))
def test_no_cap_is_ever_passed(items: int, workers: int, cap: float, tokens: int) -> None:
    price = Price(model="m", input=0.0, output=10_000.0)
    budget = Budget(cap, price)
    sink = Kept()
    run_evaluation(
        requests(items, max_tokens=400),
        lambda item: answered(item, usage={"completion_tokens": tokens}),
        sink,
        budget=budget,
        workers=workers,
    )
    assert budget.spent <= cap + 1e-9
    assert budget.spent == pytest.approx(len(sink.answered) * tokens / 100)


def test_answers_from_the_cache_cost_nothing() -> None:
    budget = Budget(5.0, Price(model="m", input=0.0, output=10_000.0))
    end = run_evaluation(
        requests(50, max_tokens=100), lambda item: answered(item, cached=True), Kept(), budget=budget, workers=2
    )
    assert (end.state, budget.spent, end.tally.cached) == (RunState.DONE, 0.0, 50)


def test_a_cap_needs_a_price() -> None:
    with pytest.raises(BadInputError, match="price table"):
        Budget(1.0, None)


def test_a_replay_answers_as_recorded() -> None:
    planned = requests(2, 2)
    recorded = {("k:0", 0): ("a", "stop"), ("k:0", 1): ("", "stop"), ("k:1", 0): ("b", "length")}
    sink = Kept()
    end = run_evaluation(planned, replay_answers(recorded, "old"), sink)
    assert {key: (item.answer.text, item.answer.outcome) for key, item in sink.answered.items()} == {
        ("i0", 0): ("a", "answer"), ("i0", 1): ("", "empty"), ("i1", 0): ("b", "truncated"),
    }  # fmt: skip
    assert end.tally.failures == {"not recorded": 1}


FAULTS = ("429", "429:0.1", "500", "503", "slow:0.2", "broken", "malformed", "html", "reset", "stall:30", "unfinished")


@pytest.mark.slow
@pytest.mark.parametrize("items", [60, 500])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_items_by_five_samples_over_every_fault(stream: bool, items: int) -> None:
    server = Server(in_turn(FAULTS, 5), delay_s=0.005, reply=lambda body, key: f"text {int(key, 16) % 3}")
    sink, planned = Kept(), requests(items, 5)
    with running(server):
        # Long enough for a machine that does much else: what is asked anew is asked for its fault alone.
        endpoint = Endpoint(base_url=server.url, stream=stream, read_s=8.0, total_s=25.0, concurrency=32)
        with Client(endpoint, policy=RetryPolicy(first_s=0.02, most_s=1)) as client:
            end = run_evaluation(
                planned, lambda item: client.ask_once(item.request), sink, scoring=scoring(len),
                workers=threads_for(32), interrupt=client.stop, policy=client.policy,
            )  # fmt: skip
    counts = server.counts
    assert (end.state, end.reason) == (RunState.DONE, "")
    assert sink.answered.keys() == sink.scored.keys() == {item.id for item in planned}
    assert set(counts.faults) == set(FAULTS)
    assert len(counts.attempts) == len(planned)
    assert all(number <= 2 for number in counts.attempts.values()), "one fault, one repetition"
    assert max(counts.answered.values()) == 1, "no answer is paid twice"
    assert end.tally.executed <= 3 * items


@pytest.mark.parametrize("where", ["gathering", "writing", "written"])
def test_an_interruption_at_a_bad_moment_loses_nothing(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [where]

    def strike(now: str) -> None:
        if now in left:
            left.remove(now)
            raise KeyboardInterrupt

    class Struck(Kept):
        def answers(self, batch: Sequence[AnsweredRequest]) -> None:
            strike("writing")
            for item in batch:
                self.answered[item.planned.id] = item
            strike("written")

    monkeypatch.setattr("time.sleep", lambda _: strike("gathering"))
    asked: list[tuple[str, int]] = []

    def ask(item: PlannedRequest) -> Answer:
        asked.append(item.id)
        return answered(item)

    sink = Struck()
    with pytest.raises(KeyboardInterrupt):
        run_evaluation(requests(40), ask, sink, workers=2, grace_s=60)
    assert asked and sink.answered.keys() == set(asked)
