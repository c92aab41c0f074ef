"""Test an endpoint before the first request: is it there, is the key valid, is the model known, does it answer.

The question is a tiny one with the decoding of the run, so that what the endpoint would refuse of every request is told
once, within seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from annotator.base.secrets import find_key
from annotator.jobs.progress import Cancelled
from annotator.llm.answers import Answer, storable
from annotator.llm.client import Client, describe_unreachable
from annotator.llm.errors import (
    PROVIDER_FAILED,
    UNREADABLE,
    AttemptFailedError,
    BadAnswerError,
    EndpointStopError,
    StatusError,
    WireError,
)
from annotator.llm.requests import Decoding, Endpoint, Form, Message, Request

QUESTION = "Reply with the word OK."
CONNECT_S, LIST_S, ANSWER_S = 2.0, 3.0, 15.0
_TOKENS, _TRIES, _PAUSE_S = 16, 3, 0.2
_NAMED, _LISTED = 8, 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """What a tiny request showed; ``seconds`` is the time of its answer, None if there was none in time.

    ``listed`` says whether the endpoint lists the model (None: it lists none), ``models`` are those it lists.
    ``context_tokens`` and ``limits`` are what it tells of itself. ``note`` says what is not as it should be, though a
    run may begin.
    """

    model: str
    outcome: str = ""
    seconds: float | None = None
    listed: bool | None = None
    models: tuple[str, ...] = ()
    context_tokens: int | None = None
    limits: tuple[tuple[str, str], ...] = ()
    note: str = ""


def question_like(request: Request) -> Request:
    """Return a tiny question that is asked as a request is."""
    most = request.decoding.max_tokens
    decoding = replace(request.decoding, max_tokens=None if most is None else min(most, _TOKENS))
    if request.form == "chat":
        return replace(request, messages=(Message("user", QUESTION),), decoding=decoding, sample=0)
    return replace(request, prompt=QUESTION, suffix="", decoding=decoding, sample=0)


def plain_question(endpoint: Endpoint, model: str, form: Form = "chat", decoding: Decoding | None = None) -> Request:
    """Return the tiny question for a model of which no run is planned."""
    return question_like(
        Request(endpoint=endpoint.identity, model=model, form=form, decoding=decoding or Decoding(max_tokens=_TOKENS))
    )


def probe(
    endpoint: Endpoint,
    request: Request,
    find: Callable[[str], str | None] = find_key,
    stopped: Callable[[], bool] = lambda: False,
) -> ProbeReport:
    """Ask a tiny question and return what that showed. Takes seconds, whatever the endpoint does.

    Raises `EndpointStopError` if no request can be answered (nothing there, key or model not known, not an
    OpenAI-compatible interface), and `MissingEnvironmentError` if the key that is named is not there. An endpoint that
    is slow or busy is no reason: then the report has a note. Raises `Cancelled` as soon as ``stopped`` says so.
    """
    quick = replace(
        endpoint,
        connect_s=min(endpoint.connect_s, CONNECT_S),
        read_s=min(endpoint.read_s, ANSWER_S),
        total_s=min(endpoint.total_s, ANSWER_S),
        concurrency=1,
    )
    with Client(quick, find=find) as client:
        done: Future[ProbeReport] = Future()
        # A look-up of a host's name cannot be bounded in time; its thread can be left behind.
        threading.Thread(target=_work, args=(client, request, done), name="probe", daemon=True).start()
        started = time.monotonic()
        while not done.done() and time.monotonic() - started < ANSWER_S:
            if not client.connected and time.monotonic() - started > CONNECT_S:
                raise EndpointStopError(describe_unreachable(endpoint, f"no connection within {CONNECT_S:g} s"))
            if stopped():
                raise Cancelled
            time.sleep(0.02)
        if not done.done():
            return ProbeReport(model=request.model, note=_slow())
        return done.result()


def _work(client: Client, request: Request, done: Future[ProbeReport]) -> None:
    try:
        done.set_result(_ask(client, request))
    except BaseException as error:  # noqa: BLE001 - raised again where the result is read
        done.set_exception(error)


def _ask(client: Client, request: Request) -> ProbeReport:
    listed = _list_models(client)
    models = tuple(listed)
    # Google's interface lists its models with this prefix, and takes them without it.
    row = listed.get(request.model, listed.get(f"models/{request.model}"))
    report = ProbeReport(model=request.model, listed=row is not None if listed else None, models=models[:_LISTED])
    report = replace(report, context_tokens=_context_of(row or {}))
    try:
        found = _answer_of(client, request)
    except EndpointStopError as error:
        if report.listed is False and error.status == 404:
            names = ", ".join(models[:_NAMED]) + (", …" if len(models) > _NAMED else "")
            raise EndpointStopError(f"{error.message} It lists these models: {names}.", error.status) from None
        raise
    if isinstance(found, Answer):
        return replace(
            report, model=found.model, outcome=found.outcome, seconds=found.seconds, limits=client.rate_limits()
        )
    return replace(report, note=found)


def _answer_of(client: Client, request: Request) -> Answer | str:
    """Return the answer, or a note why there is none yet. Raises `EndpointStopError` if there will be none."""
    endpoint = client.endpoint
    for number in range(1, _TRIES + 1):
        try:
            return client.ask_once(request)
        except AttemptFailedError as error:
            failed = error
        if failed.cause == "connection" and not client.connected:
            raise EndpointStopError(describe_unreachable(endpoint, failed.reason))
        if not failed.may_repeat:
            raise EndpointStopError(
                f"The endpoint at {endpoint.base_url} refuses even a tiny request ({failed.reason}). Look at the "
                "protocol's decoding and the token field; what the server does not know can be left out."
            )
        if failed.cause == "time-out":
            return _slow()
        if number < _TRIES:
            time.sleep(_PAUSE_S)
    if failed.cause == "wrong content" or failed.cause in UNREADABLE - {PROVIDER_FAILED}:
        raise EndpointStopError(
            f"What the endpoint at {endpoint.base_url} sends is no answer ({failed.reason}). Check the address; it "
            "usually ends in /v1."
        )
    return f"The endpoint does not answer yet ({failed.reason})."


def _list_models(client: Client) -> dict[str, Mapping[str, Any]]:
    """Return what the endpoint says of its models, by name; nothing if it does not list them."""
    try:
        rows = client.get("/models")
    except (StatusError, WireError, BadAnswerError):
        return {}
    rows = rows.get("data") if isinstance(rows, Mapping) else rows
    if not isinstance(rows, list):
        return {}
    named = (row for row in rows[:_LISTED] if isinstance(row, Mapping) and isinstance(row.get("id"), str))
    return {storable(row["id"][:200]): row for row in named}


def _context_of(row: Mapping[str, Any]) -> int | None:
    """Return how many tokens a model takes, by the names that servers use."""
    for name in ("max_model_len", "context_length", "context_window", "max_context_length"):
        value = row.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**40:
            return value
    return None


def _slow() -> str:
    return f"The endpoint did not answer within {ANSWER_S:g} s. It may still be loading the model."


class ProbedAsker:
    """Asks a client once for each request, after one probe before the first; as an `Asker`."""

    def __init__(self, client: Client, probe: Callable[[Request], object]) -> None:
        """Send nothing yet. What ``probe`` raises is raised for every request."""
        self._client, self._probe = client, probe
        self._lock = threading.Lock()
        self._probed: Future[None] | None = None

    def ask(self, request: Request) -> Answer:
        """Return the answer of one attempt; raises what `Client.ask_once` raises, and what the probe does."""
        with self._lock:
            first = self._probed is None
            probed = self._probed = self._probed or Future()
        if first:
            try:
                self._probe(question_like(request))
            except BaseException as error:
                probed.set_exception(error)
                raise
            probed.set_result(None)
        probed.result()
        return self._client.ask_once(request)
