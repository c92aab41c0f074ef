"""What a run writes and looks up, many at a time; limits of tests and lacking libraries, through main()."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.base import ids
from annotator.evaluation.answer_scoring import ScoredResponse
from annotator.evaluation.planning import AnsweredRequest, PlannedRequest
from annotator.evaluation.scoring_queue import ScoredAnswer, ScoreKey
from annotator.llm.answers import Answer
from annotator.llm.requests import ChatMessage, Endpoint, Request
from annotator.model.vocabulary import Outcome
from annotator.sandbox import Pool
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


# A library that tests need and the sandbox lacks, through main(): it is named, and no retry is offered.
PYTHON = "def same(a, b):\n    return a == b\n"
JAVASCRIPT = "function same(a, b) { return JSON.stringify(a) === JSON.stringify(b); }"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "code", "test", "library"),
    [
        ("javascript", JAVASCRIPT, "const R = require('ramda');\nif (!R.equals(same(1, 1), true)) throw 1;", "ramda"),
        ("python", PYTHON, "import no_such_library\nassert same([1], no_such_library.one())", "no_such_library"),
    ],
)  # fmt: skip
def test_the_summary_names_the_library(
    command: Any, tmp_path: Path, place: Pool, language: str, code: str, test: str, library: str
) -> None:
    project, questions, answers = (tmp_path / name for name in ("p.annotator", "q.jsonl", "a.jsonl"))
    rows = [
        {"id": f"q{at}", "language": language, "entry_point": "same", "prompt": f"same(a, b): {at}.", "reference": code,
         "tests": [test], "licence": "MIT"}
        for at in range(2)
    ]  # fmt: skip
    questions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answers.write_text(
        "".join(json.dumps({"subject": row["id"], "model": "m", "response": code}) + "\n" for row in rows)
    )
    command("new", project, "--name", "Demo", "--annotator", "Ada")
    command("import", "--project", project, "jsonl", questions)
    command("select", project, "--subject", "q0", "--subject", "q1", "--verdict", "accept")
    command("release", "create", project, "--override", "a test")
    out, err = command("run", "start", project, "--replay", answers, "--model", "m", "--json")
    [run] = json.loads(out.splitlines()[-1])["runs"]
    assert run["outcomes"] == {"machinery": 2}
    assert f"m: 2 answers not scored: the library {library} is not available in the sandbox" in err
    assert "etry" not in err
    [cause] = json.loads(command("run", "show", project, run["id"], "--json")[0])["failures"]
    assert (cause["count"], cause["lasting"]) == (2, True)
    err = command("run", "rescore", project, run["id"], "--with", "release")[1]
    assert f"2 answers not scored: the library {library} is not available in the sandbox" in err and "gain" not in err


# The limits of tests, through main(): a test's own is its own, the default is the protocol's or an option's.
SLEEPER = "import time\ndef wait(s):\n    time.sleep(s)\n    return s\n"
CRITERION = "grading:\n  unit_test:\n    tests:\n      - {content: 'assert wait(1.5) == 1.5'}\n    lang: python\n"
Scored = Callable[..., dict[str, Any]]


@pytest.fixture
def scored(command: Any, tmp_path: Path, engine: Pool) -> Scored:
    """Release one item, score one answer to it with these options, and return its run with its items."""

    def score(item: dict[str, Any], answer: str, *options: str) -> dict[str, Any]:
        project, questions, answers = (tmp_path / name for name in ("p.annotator", "q.jsonl", "a.jsonl"))
        row = {"id": "q", "language": "python", "entry_point": "wait", "prompt": "wait(s): sleep s seconds, return s."}
        questions.write_text(json.dumps({**row, "reference": answer, "licence": "MIT", **item}) + "\n")
        answers.write_text(json.dumps({"subject": "q", "model": "m", "response": answer}) + "\n")
        if not project.exists():
            command("new", project, "--name", "Demo", "--annotator", "Ada")
            command("import", "--project", project, "jsonl", questions)
            command("select", project, "--subject", "q", "--verdict", "accept")
            command("release", "create", project, "--override", "a test")
        out, _ = command("run", "start", project, "--replay", answers, "--model", "m", *options, "--json")
        [run] = json.loads(out.splitlines()[-1])["runs"]
        shown: dict[str, Any] = json.loads(command("run", "show", project, run["id"], "--json")[0])
        [response] = json.loads(command("results", project, "--run", run["id"], "--json")[0])["items"]
        log = json.loads(command("results", "answer", project, response["response_id"], "--json")[0])["log"]
        return {**shown, "project": project, "outcomes": run["outcomes"], "log": log}

    return score


def _tests(*calls: tuple[float, float | None]) -> dict[str, Any]:
    return {
        "tests": [
            {"name": f"test {at}", "code": f"assert wait({s}) == {s}"} | ({"timeout": limit} if limit else {})
            for at, (s, limit) in enumerate(calls, start=1)
        ]
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("calls", "outcome", "said"),
    [([(0, 1), (1.5, None)], "pass", ""), ([(1.5, 1), (0, 20)], "fail", "test 1: failed\nnot finished after 1 s"),
     ([(0, 20), (1.5, 0.5)], "fail", "test 2: failed\nnot finished after 0.5 s")],
)  # fmt: skip
def test_each_test_has_its_own_limit(
    scored: Scored, calls: Sequence[tuple[float, float | None]], outcome: str, said: str
) -> None:
    found = scored(_tests(*calls), SLEEPER)
    assert found["outcomes"] == {outcome: 1} and said in found["log"]
    assert "Time limit" not in found["settings"]


@pytest.mark.slow
def test_the_default_is_set_for_a_run_and_shown_with_its_score(command: Any, scored: Scored) -> None:
    # The second test names a limit, which holds.
    item = _tests((1.5, None), (1.5, 20))
    assert scored(item, SLEEPER)["outcomes"] == {"pass": 1}
    found = scored(item, SLEEPER, "--test-timeout", "1")
    assert found["outcomes"] == {"fail": 1} and found["settings"]["Time limit"] == "1 s for a test that names none"
    assert "test 1: failed\nnot finished after 1 s" in found["log"] and "test 2: passed" in found["log"]
    board = command("results", found["project"])[0]
    assert "test limit s" in board and "1.0" in board
    folder = found["project"].with_name("out")
    command("release", "export", found["project"], "--format", "leaderboard", "--out", folder)
    assert "Test limit s" in (folder / "leaderboard.csv").read_text("utf-8")


@pytest.mark.slow
def test_the_default_of_a_protocol_holds_for_tests_of_a_criterion(command: Any, scored: Scored, tmp_path: Path) -> None:
    protocol = json.loads(command("run", "presets", "--show", "plain")[0]) | {"name": "short", "test_timeout_s": 1}
    (tmp_path / "short.json").write_text(json.dumps(protocol))
    item, answer = {"criterion": CRITERION, "task": "question"}, f"```python\n{SLEEPER}```"
    assert scored(item, answer)["outcomes"] == {"pass": 1}
    assert scored(item, answer, "--protocol", str(tmp_path / "short.json"))["outcomes"] == {"fail": 1}


@pytest.mark.slow
def test_programs_of_other_languages_have_their_own_limits_too(scored: Scored) -> None:
    code = "function wait(s) { const end = Date.now() + 1000 * s; while (Date.now() < end); return s; }"
    tests = [
        {"name": "quick", "code": 'if (wait(0) !== 0) throw new Error("no");', "timeout": 20},
        {"name": "slow", "code": 'if (wait(30) !== 30) throw new Error("no");', "timeout": 1},
    ]
    found = scored({"language": "javascript", "tests": tests}, code)
    assert found["outcomes"] == {"fail": 1}
    assert "slow: failed\nnot finished after 1 s" in found["log"] and "quick: passed" in found["log"]


@pytest.mark.parametrize("limit", [0, -1, "3", True, 10_000])
def test_limits_that_are_none_are_refused(command: Any, tmp_path: Path, limit: object) -> None:
    protocol = json.loads(command("run", "presets", "--show", "plain")[0]) | {"test_timeout_s": limit}
    (tmp_path / "p.json").write_text(json.dumps(protocol))
    project = tmp_path / "p.annotator"
    command("new", project, "--name", "Demo", "--annotator", "Ada")
    asked = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--protocol", tmp_path / "p.json")
    assert "test_timeout_s" in command("run", "start", project, *asked, status=3)[1]
