"""The parts of asking that need no endpoint."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.llm.answers import Answer, ModelOutput, read_streamed_answer, read_whole_answer
from annotator.llm.client import RetryPolicy, is_retried, retry_after
from annotator.llm.endpoint_errors import BadAnswerError
from annotator.llm.limiter import Limiter
from annotator.llm.prices import Price, PriceTable, count_tokens, estimate_tokens, parse_prices
from annotator.llm.requests import ChatMessage, Decoding, Endpoint, Request, parse_decoding
from annotator.llm.templates import Helper, Template, ask_for_suggestion, parse_template
from annotator.model.token_usage import TokenUsage, add_up

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2026 13:00:30 +0100"}, 30.0),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Sun, 99 Mar 2026 11:00:00 GMT"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


def test_which_statuses_are_retried() -> None:
    assert [status for status in range(300, 600) if is_retried(status)] == [408, 409, 429, *range(500, 600)]


@given(st.integers(0, 100), st.floats(0, 1), st.none() | st.floats(0, 900))
def test_waits_grow_jitter_and_never_undercut_the_endpoint(attempt: int, chance: float, after: float | None) -> None:
    policy = RetryPolicy(first_s=0.5, most_s=60)
    wait = policy.wait(attempt, after, lambda: chance)
    full = min(60.0, 0.5 * 2**attempt)
    assert wait >= max(full / 2, after or 0.0)
    assert wait <= max(full, (after or 0.0) * 1.1 + 1e-9)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_limit_halves_once_a_round_and_grows_slowly() -> None:
    clock = Clock()
    limiter = Limiter(64, clock)
    clock.now = 1.0
    for _ in range(40):  # all of one round are told the same
        limiter.refused(started=0.5)
    assert (limiter.limit, limiter.cuts) == (32, 1)
    clock.now = 2.0
    limiter.refused(started=1.5)
    assert limiter.limit == 16
    successes = 0
    while limiter.limit < 17:
        limiter.succeeded()
        successes += 1
    assert 16 <= successes <= 17
    for _ in range(100_000):
        limiter.succeeded()
    assert limiter.limit == 64
    for started in range(3, 30):
        clock.now = started + 0.5
        limiter.refused(float(started))
    assert limiter.limit == 1


def test_a_lone_refusal_among_many_answers_holds_nobody_back() -> None:
    clock = Clock()
    limiter = Limiter(16, clock)
    for number in range(2000):
        clock.now = float(number)
        if number > 100 and number % 20 == 0:
            limiter.refused(clock.now - 0.5, after=60.0)
        else:
            limiter.succeeded()
    assert (limiter.limit, limiter.cuts) == (16, 0) and limiter.acquire()
    for _ in range(6):  # now it refuses everybody
        clock.now += 1
        limiter.refused(clock.now - 0.5)
    assert limiter.limit < 16


def test_a_request_that_is_refused_again_and_again_holds_nobody_back() -> None:
    clock = Clock()
    limiter = Limiter(16, clock)
    for number in range(2000):
        clock.now = float(number)
        if number > 100 and number % 4 == 0:
            limiter.refused(clock.now - 0.5, after=60.0, name=f"request {number // 100}")
        elif number % 4 == 1:
            limiter.count_admitted()
        else:
            limiter.succeeded()
    assert (limiter.limit, limiter.cuts) == (16, 0) and limiter.acquire()
    # Nor where the endpoint is crowded: new requests tell that.
    limiter = Limiter(16, clock)
    limiter.refused(clock.now, after=1.0, name="one")
    clock.now += 2
    limiter.refused(clock.now, after=60.0, name="one")
    assert limiter.cuts == 1 and limiter.acquire()


def test_a_stopped_limiter_gives_no_permit() -> None:
    limiter = Limiter(1)
    assert limiter.acquire()
    limiter.stop()
    assert not limiter.acquire()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "text", "delta", "finish_reason", "refusal", "usage", "error"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values, st.booleans())
def test_whatever_an_endpoint_sends_is_an_answer_or_a_reason(data: Any, chat: bool) -> None:
    for read in (lambda: read_whole_answer(data, chat=chat), lambda: read_streamed_answer([data, data], chat=chat)):
        try:
            content = read()
        except BadAnswerError as error:
            assert error.cause and str(error)
        else:
            assert isinstance(content, ModelOutput) and content.finish_reason
            content.text.encode()


def test_content_in_parts_and_details_of_the_usage() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    usage = {"prompt_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 9, "x": True}, "cost": None}
    data = {"model": "z", "choices": [{"finish_reason": "stop", "message": {"content": parts}}], "usage": usage}
    content = read_whole_answer(data, chat=True)
    assert content.text == "ab"
    assert content.usage == {"prompt_tokens": 3, "completion_tokens_details.reasoning_tokens": 9}


def request(**fields: Any) -> Request:
    return Request(**{"endpoint": "e", "model": "m", "messages": (ChatMessage("user", "hi"),), **fields})


def test_a_hash_changes_with_everything_that_decides_the_answer_and_with_nothing_else() -> None:
    base = request()
    assert base.hash == request().hash
    others = [
        request(endpoint="f"), request(model="n"), request(messages=(ChatMessage("user", "ho"),)), request(sample=1),
        request(decoding=Decoding(temperature=0.0)), request(decoding=Decoding(max_tokens=1)), request(again=1),
        request(messages=(ChatMessage("system", "hi"),)), request(form="completion", messages=(), prompt="hi"),
        request(decoding=Decoding(extra={"min_p": 0.1})),
    ]  # fmt: skip
    assert len({item.hash for item in (base, *others)}) == len(others) + 1
    # What is stored under these must be found by every later version.
    assert base.hash == "9418be29a24502346bd2d8d038b67bf173e41c6c8623bd7770a06ebe26853015"


def test_an_endpoint_that_moves_keeps_its_hashes_if_it_has_a_name() -> None:
    assert (
        Endpoint(base_url="http://a:1/v1", name="lab").identity
        == Endpoint(base_url="http://b:2/v1", name="lab").identity
    )
    assert Endpoint(base_url="http://a:1/v1/").identity == Endpoint(base_url="http://a:1/v1").identity


decodings = st.builds(
    Decoding,
    temperature=st.none() | st.floats(0, 2),
    top_p=st.none() | st.floats(0, 1),
    top_k=st.none() | st.integers(1, 100),
    max_tokens=st.none() | st.integers(1, 9999),
    stop=st.lists(st.text(min_size=1, max_size=4), max_size=3).map(tuple),
    seed=st.none() | st.integers(0, 99),
)


@given(decodings)
def test_a_decoding_survives_json(decoding: Decoding) -> None:
    assert parse_decoding(json.loads(json.dumps(decoding.as_json()))) == decoding


@pytest.mark.parametrize(
    "row",
    [
        None, [], "T=0", {"temp": 1}, {"temperature": "0"}, {"temperature": -1}, {"temperature": float("nan")},
        {"temperature": True}, {"top_p": 1.1}, {"top_k": 1.5}, {"max_tokens": 0}, {"max_tokens": 2.0}, {"stop": [""]},
        {"stop": [1]}, {"stop": 3}, {"extra": []}, {"extra": {"api_key": "sk-abcdefghijklmnopqrst"}}, {"seed": 2**70},
    ],
)  # fmt: skip
def test_decodings_that_do_not_fit_are_refused(row: Any) -> None:
    with pytest.raises(BadInputError):
        parse_decoding(row)


def test_templates_fill_in_one_pass() -> None:
    template = Template(name="t", version="1", user="{{ a }} {b} {{b}}", system="{{a}}", completion="{{b}}|")
    values = {"a": "{{b}}", "b": "}}{{a"}
    assert template.messages(values) == (ChatMessage("system", "{{b}}"), ChatMessage("user", "{{b}} {b} }}{{a"))
    assert template.prompt(values) == "}}{{a|"
    assert template.places == ("a", "b")
    assert parse_template(template.as_json()) == template
    assert Template(name="u", version="1", user="x", system="s").prompt({}) == "s\nx"
    with pytest.raises(BadInputError, match=r"needs \{\{b\}\}"):
        template.messages({"a": "1"})


@pytest.mark.parametrize(
    "row",
    [
        None, {}, {"name": "n", "version": "1", "user": " "}, {"name": "n", "version": "1", "user": 1},
        {"name": "n", "version": "1", "user": "x", "role": "y"},
        {"name": "n", "version": "1", "user": "x" * 300_000},
    ],
)  # fmt: skip
def test_templates_that_do_not_fit_are_refused(row: Any) -> None:
    with pytest.raises(BadInputError):
        parse_template(row)


def test_prices() -> None:
    table = parse_prices(
        [{"model": "gpt-*", "input": 1, "output": 2}, {"model": "gpt-x", "input": 3, "output": 4},
         {"model": "gpt-x-*", "input": 5, "output": 6}]
    )  # fmt: skip
    found = [table.price_of(name) for name in ("gpt-a", "gpt-x", "gpt-x-1", "llama")]
    assert [price.input if price else None for price in found] == [1.0, 3.0, 5.0, None]
    assert Price(model="m", input=2.0, output=8.0).cost(1_000_000, 250_000) == 4.0
    assert parse_prices(json.loads(json.dumps(table.as_json()))) == table
    assert PriceTable().price_of("m") is None


@pytest.mark.parametrize(
    "rows",
    [
        None, {}, [1], [{"model": ""}], [{"model": "m", "input": "1", "output": 1}],
        [{"model": "m", "input": -1, "output": 1}], [{"model": "m", "input": 1, "output": float("nan")}],
        [{"model": "m", "input": 1}], [{"model": "m", "input": 1, "output": 1, "currency": 3}],
        [{"model": "m", "input": 1, "output": 1}, {"model": "n", "input": 1, "output": 1, "currency": "EUR"}],
    ],
)  # fmt: skip
def test_price_tables_that_do_not_fit_are_refused(rows: Any) -> None:
    with pytest.raises(BadInputError):
        parse_prices(rows)


def answer(text: str = "x", **fields: Any) -> Answer:
    return Answer(
        **{"request_hash": "h", "text": text, "finish_reason": "stop", "outcome": "answer", "model": "m"} | fields
    )


def test_tokens_are_the_servers_or_four_characters_each() -> None:
    assert [estimate_tokens(count) for count in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert count_tokens(answer("12345"), 8) == TokenUsage(2, 2)
    said = {"prompt_tokens": 7, "completion_tokens": 1}
    assert count_tokens(answer("12345", usage=said), 8) == TokenUsage(7, 1)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        # OpenAI counts thoughts in the answer; Google and xAI in the total alone; DeepSeek names its cache otherwise.
        (
            {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150,
             "prompt_tokens_details.cached_tokens": 64, "completion_tokens_details.reasoning_tokens": 40},
            TokenUsage(100, 50, 64, 40),
        ),
        ({"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 150}, TokenUsage(100, 50, 0, 45)),
        (
            {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 150,
             "completion_tokens_details.reasoning_tokens": 45},
            TokenUsage(100, 50, 0, 45),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 20}, TokenUsage(9, 1, 9, 0)),
    ],
)  # fmt: skip
def test_what_was_cached_or_thought_is_told_apart(usage: dict[str, int], tokens: TokenUsage) -> None:
    assert count_tokens(answer("x", usage=usage), 8) == tokens
    assert add_up([usage, usage]).reasoning == 2 * tokens.reasoning


def test_tokens_from_an_endpoints_cache_have_their_own_price() -> None:
    table = parse_prices([{"model": "m", "input": 2, "cached_input": 0.5, "output": 8, "currency": "EUR"}])
    [price] = table.prices
    assert price.cost(1_000_000, 250_000, 400_000) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 2)
    assert price.describe() == "2 in, 0.5 in from its cache, 8 out EUR"
    assert Price(model="m", input=2.0, output=8.0).cost(1_000_000, 0, 400_000) == 2.0
    assert parse_prices(table.as_json()) == table
    with pytest.raises(BadInputError, match="cached_input"):
        parse_prices([{"model": "m", "input": 2, "cached_input": "x", "output": 8}])


class Echo:
    def __init__(self, **fields: Any) -> None:
        self.fields, self.asked = fields, []

    def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        return answer(
            **{"text": "proposal", "usage": {"completion_tokens": 4}, "request_hash": request.hash, **self.fields}
        )


def test_a_suggestion_keeps_what_was_asked_and_who_answered() -> None:
    template = Template(name="paraphrase", version="3", user="Say otherwise: {{text}}", system="Be brief.")
    asker = Echo(model="served")
    helper = Helper(asker, Endpoint(base_url="http://localhost/v1"), "m")
    made = ask_for_suggestion(helper, template, {"text": "hello"})
    assert (made.text, made.model, made.template, made.complete) == ("proposal", "served", "paraphrase 3", True)
    assert made.prompt == (ChatMessage("system", "Be brief."), ChatMessage("user", "Say otherwise: hello"))
    assert made.usage == {"completion_tokens": 4}
    assert ask_for_suggestion(helper, template, {"text": "hello"}, sample=1).request_hash != made.request_hash
    assert not ask_for_suggestion(
        Helper(Echo(outcome="truncated"), helper.endpoint, "m"), template, {"text": "x"}
    ).complete


@pytest.mark.parametrize("fields", [{"outcome": "refusal"}, {"text": " "}])
def test_no_suggestion_is_a_sentence(fields: dict[str, Any]) -> None:
    helper = Helper(Echo(**fields), Endpoint(base_url="http://localhost/v1"), "m")
    with pytest.raises(BadInputError):
        ask_for_suggestion(helper, Template(name="t", version="1", user="x"), {})


def test_nothing_heavy_is_imported_before_a_model_is_asked() -> None:
    program = (
        "import sys, annotator.llm, annotator.evaluation.engine, annotator.evaluation.item_prompts\n"
        "heavy = {'openai', 'httpx2', 'httpcore2', 'distributed', 'dask', 'keyring'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
