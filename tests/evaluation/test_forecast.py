"""The forecast of a run: from the families of task, from earlier answers, and from the first answers of the run."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from annotator.evaluation.forecast import USUAL_ANSWER_TOKENS, Outlook, RequestProgress, estimate_run, update_forecast
from annotator.evaluation.planning import PlannedRequest, plan_requests
from annotator.evaluation.presets import Pass, find_protocol_preset
from annotator.llm.prices import Price
from annotator.llm.requests import Decoding, Endpoint
from annotator.model.rows.run_rows import AnswerHistory, AnswerLength

ENDPOINT = Endpoint(base_url="http://localhost:1/v1")
PRICE = Price(model="m", input=1.0, output=2.0)
OWN = AnswerHistory(
    prompt_tokens_per_character=0.5,
    seconds_per_token=0.02,
    own={"generation": AnswerLength(answers=50, mean_tokens=100.0)},
)


def requests(families: Mapping[str, int], samples: int = 1, **decoding: Any) -> list[PlannedRequest]:
    protocol = replace(find_protocol_preset("plain"), passes=(Pass(Decoding(temperature=0.2, **decoding), samples),))
    asked = [
        {"id": f"{family}{number}", "key": f"{family}:{number}", "task": family, "prompt": f"question {number}"}
        for family, count in families.items()
        for number in range(count)
    ]
    return list(plan_requests(asked, protocol, "m", ENDPOINT))


def test_without_earlier_answers_the_family_says_how_long_one_is() -> None:
    planned = requests({"understanding": 10, "question": 5}, 2, max_tokens=4096)
    found = estimate_run(planned, PRICE, 4)
    expected = 20 * USUAL_ANSWER_TOKENS["understanding"] + 10 * USUAL_ANSWER_TOKENS["question"]
    assert (found.calls, found.completion_tokens, found.currency) == (30, expected, "USD")
    assert found.prompt_tokens == sum(-(-item.request.characters // 4) for item in planned)
    assert found.cost == pytest.approx((found.prompt_tokens + 2 * expected) / 1e6)
    assert found.basis == "typical answer lengths"
    assert estimate_run(requests({"understanding": 10, "question": 5}, 2), PRICE, 4) == found, "the limit says nothing"
    assert estimate_run([], None, 4).seconds == 0


def test_a_models_own_answers_come_before_those_of_other_models() -> None:
    planned = requests({"generation": 20}, max_tokens=300)
    characters = sum(item.request.characters for item in planned)
    own = estimate_run(planned, None, 4, OWN)
    assert (own.prompt_tokens, own.completion_tokens, own.cost) == (round(characters / 2), 2000, None)
    assert own.seconds == pytest.approx(20 * 2.0 / 4) and own.basis == "50 earlier answers"
    theirs = {"generation": AnswerLength(answers=30, mean_tokens=250.0)}
    assert estimate_run(planned, None, 4, replace(OWN, others=theirs)) == own
    few = replace(OWN, own={"generation": AnswerLength(answers=9, mean_tokens=9.0)}, others=theirs)
    others = estimate_run(planned, None, 4, few)
    enough = replace(few, own={"generation": AnswerLength(answers=10, mean_tokens=9.0)})
    assert estimate_run(planned, None, 4, enough).basis == "10 earlier answers"
    assert (others.completion_tokens, others.basis) == (20 * 250, "30 answers of other models")
    mixed = estimate_run([*planned, *requests({"review": 1})], None, 4, OWN)
    assert mixed.basis == "50 earlier answers, typical answer lengths"
    assert mixed.completion_tokens == 2000 + USUAL_ANSWER_TOKENS["review"]


def test_the_range_is_narrower_for_a_known_model_and_wider_for_a_few_calls() -> None:
    def reach(calls: int, history: AnswerHistory | None = None) -> float:
        found = estimate_run(requests({"generation": calls}), Price(model="m", input=0.0, output=1.0), 4, history)
        assert found.cost is not None and found.cost_range is not None
        assert found.seconds_range[0] < found.seconds < found.seconds_range[1]
        assert found.cost / found.cost_range[0] == pytest.approx(found.cost_range[1] / found.cost)
        return found.cost_range[1] / found.cost

    others = replace(OWN, own={}, others=OWN.own)
    assert 1.6 < reach(400, OWN) < reach(400, others) == pytest.approx(reach(400)) and reach(400) < reach(3)


def test_no_answer_is_longer_than_its_limit() -> None:
    found = estimate_run(requests({"question": 10}, 2, max_tokens=10), Price(model="m", input=0.0, output=1e6), 4, OWN)
    assert found.cost_range is not None and (found.cost, found.cost_range[1]) == (200, 200)


def test_a_small_cost_is_not_rounded_away() -> None:
    cheap, dear = (estimate_run(requests({"review": count}), PRICE, 4) for count in (20, 20_000))
    assert cheap.cost is not None and cheap.cost_texts is not None and dear.cost_texts is not None
    assert cheap.cost_texts[0] == f"{cheap.cost:.4f}" and cheap.cost_texts[1] != "0.0000"
    assert all(len(text.partition(".")[2]) == 2 for text in dear.cost_texts)
    assert estimate_run(requests({"review": 1}), None, 4).cost_texts is None


def test_a_forecast_is_corrected_from_the_first_answers() -> None:
    progress = RequestProgress(settled=20, new_answers=10, prompt_tokens=1000, completion_tokens=100, cost=0.5)
    assert update_forecast(replace(progress, new_answers=4), 100, 10.0) is None, "the first few say nothing"
    corrected = update_forecast(progress, 100, 10.0)
    assert corrected == Outlook(seconds_left=40.0, prompt_tokens=9000, completion_tokens=900, cost=4.5)
    assert update_forecast(progress, 20, 10.0) == Outlook(0.0, 1000, 100, 0.5)


# Ten runs of a project, in order -------------------------------------------------------------------------------------

# Tokens of an answer by a middling model: median, and standard deviation of the logarithm.
LENGTHS = {
    "generation": (150.0, 0.6), "completion": (75.0, 0.6), "understanding": (20.0, 0.9), "modification": (180.0, 0.6),
    "review": (80.0, 0.7), "question": (240.0, 0.5),
}  # fmt: skip
TERSE, MIDDLING, TALKATIVE, REASONING = 0.6, 1.0, 2.2, 12.0
# The model, how talkative it is, and how many items of which families it is asked.
RUNS: list[tuple[str, float, dict[str, int]]] = [
    ("terse", TERSE, {"completion": 164}),
    ("talkative", TALKATIVE, {"completion": 164}),
    ("middling", MIDDLING, {"understanding": 200}),
    ("terse", TERSE, {"understanding": 60, "review": 60}),
    ("talkative", TALKATIVE, {"question": 234}),
    ("middling", MIDDLING, {"question": 40, "generation": 100}),
    ("terse", TERSE, {"completion": 12}),
    ("reasoning", REASONING, {"completion": 164}),
    ("reasoning", REASONING, {"completion": 80, "understanding": 20}),
    ("talkative", TALKATIVE, {"generation": 100, "modification": 50, "understanding": 50}),
]
Answers = list[tuple[str, str, float]]
"""(model, family, tokens) of each answer."""


def _means(answers: Answers, *, model: str = "", but: str = "") -> dict[str, AnswerLength]:
    found: dict[str, dict[str, list[float]]] = {}
    for name, family, tokens in answers:
        if name != but and model in ("", name):
            found.setdefault(family, {}).setdefault(name, []).append(tokens)
    return {
        family: AnswerLength(answers=sum(map(len, by.values())), mean_tokens=fmean(map(fmean, by.values())))
        for family, by in found.items()
    }


def test_the_range_holds_what_nine_of_ten_runs_cost() -> None:
    rng = random.Random(44)
    earlier: Answers = []
    held, off = [], []
    for model, talk, families in RUNS:
        planned = requests(families, max_tokens=4096)
        own = _means(earlier, model=model)
        history = AnswerHistory(
            prompt_tokens_per_character=1 / 3.8 if own else None, own=own, others=_means(earlier, but=model)
        )
        found = estimate_run(planned, PRICE, 8, history)
        answers: Answers = []
        for item in planned:
            median, spread = LENGTHS[item.family]
            tokens = min(4096.0, talk * rng.lognormvariate(math.log(median), spread))
            answers.append((model, item.family, tokens))
        prompts = sum(item.request.characters for item in planned) / 3.8
        cost = PRICE.cost(prompts, sum(tokens for *_, tokens in answers))
        assert found.cost_range is not None and found.cost is not None
        held.append(found.cost_range[0] <= cost <= found.cost_range[1])
        off.append(max(found.cost / cost, cost / found.cost))
        earlier += answers
    # Nobody knows beforehand how long a reasoning model thinks; its second run is within the range.
    assert held.count(True) >= 9 and held.index(False) == 7
    assert sorted(off)[5] < 2
