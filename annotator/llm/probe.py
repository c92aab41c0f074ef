"""Test an endpoint before the first request: is it reachable, is the key valid, is the model known, does it answer.

The probe is a tiny question with the run's decoding, so that settings the endpoint would reject in every request are
reported once, within seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from annotator.jobs.progress import Cancelled
from annotator.llm.answers import Answer, storable_text
from annotator.llm.client import Client, describe_unreachable
from annotator.llm.endpoint_errors import (
    PROVIDER_FAILED,
    UNREADABLE,
    AttemptFailedError,
    BadAnswerError,
    EndpointStopError,
    StatusError,
    WireError,
)
from annotator.llm.requests import ChatMessage, Decoding, Endpoint, Form, Request

QUESTION = "Reply with the word OK."
CONNECT_S = 2.0
LIST_S = 3.0
ANSWER_S = 15.0
_MAX_TOKENS = 16
_ATTEMPTS = 3
_PAUSE_S = 0.2
_MAX_NAMED = 8
_MAX_LISTED = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """The result of a probe; ``seconds`` is the duration of its answer, None if there was none in time.

    ``listed`` says whether the endpoint lists the model (None: it lists no models); ``models`` are those it lists.
    ``context_tokens`` and ``limits`` are reported by the endpoint. ``note`` describes a problem that does not prevent a
    run.
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
    """Return a tiny question with the model, form and decoding of a request."""
    token_limit = request.decoding.max_tokens
    decoding = replace(request.decoding, max_tokens=None if token_limit is None else min(token_limit, _MAX_TOKENS))
    if request.form == "chat":
        return replace(request, messages=(ChatMessage("user", QUESTION),), decoding=decoding, sample=0)
    return replace(request, prompt=QUESTION, suffix="", decoding=decoding, sample=0)


def plain_question(endpoint: Endpoint, model: str, form: Form = "chat", decoding: Decoding | None = None) -> Request:
    """Return the tiny question for a model without a planned run."""
    return question_like(
        Request(
            endpoint=endpoint.identity, model=model, form=form, decoding=decoding or Decoding(max_tokens=_MAX_TOKENS)
        )
    )


def probe_endpoint(endpoint: Endpoint, request: Request, stopped: Callable[[], bool] = lambda: False) -> ProbeReport:
    """Ask a tiny question and return a report within seconds, whatever the endpoint does.

    Raises `EndpointStopError` if no request can be answered (unreachable, unknown key or model, not an
    OpenAI-compatible interface), `MissingEnvironmentError` if the named key is missing, and `Cancelled` as soon as
    ``stopped`` returns True. For a slow or busy endpoint the report has a note instead.
    """
    quick_endpoint = replace(
        endpoint,
        connect_s=min(endpoint.connect_s, CONNECT_S),
        read_s=min(endpoint.read_s, ANSWER_S),
        total_s=min(endpoint.total_s, ANSWER_S),
        concurrency=1,
    )
    with Client(quick_endpoint) as client:
        result: Future[ProbeReport] = Future()
        # A DNS look-up has no timeout, so the probe runs in a daemon thread that can be abandoned.
        threading.Thread(target=_run_probe, args=(client, request, result), name="probe", daemon=True).start()
        started = time.monotonic()
        while not result.done() and time.monotonic() - started < ANSWER_S:
            if not client.connected and time.monotonic() - started > CONNECT_S:
                raise EndpointStopError(describe_unreachable(endpoint, f"no connection within {CONNECT_S:g} s"))
            if stopped():
                raise Cancelled
            time.sleep(0.02)
        if not result.done():
            return ProbeReport(model=request.model, note=_slow_note())
        return result.result()


def _run_probe(client: Client, request: Request, result: Future[ProbeReport]) -> None:
    try:
        result.set_result(_probe_model(client, request))
    except BaseException as error:  # noqa: BLE001 - raised again where the result is read
        result.set_exception(error)


def _probe_model(client: Client, request: Request) -> ProbeReport:
    records = _list_models(client)
    models = tuple(records)
    # Google's interface lists its models with this prefix but accepts them without it.
    record = records.get(request.model, records.get(f"models/{request.model}"))
    report = ProbeReport(
        model=request.model, listed=record is not None if records else None, models=models[:_MAX_LISTED]
    )
    report = replace(report, context_tokens=_context_length(record or {}))
    try:
        answer = _try_question(client, request)
    except EndpointStopError as error:
        if report.listed is False and error.status == 404:
            names = ", ".join(models[:_MAX_NAMED]) + (", …" if len(models) > _MAX_NAMED else "")
            raise EndpointStopError(f"{error.message} It lists these models: {names}.", error.status) from None
        raise
    if isinstance(answer, Answer):
        return replace(
            report, model=answer.model, outcome=answer.outcome, seconds=answer.seconds, limits=client.rate_limits()
        )
    return replace(report, note=answer)


def _try_question(client: Client, request: Request) -> Answer | str:
    """Return the answer, or a note saying why there is none yet. Raises `EndpointStopError` if there will be none."""
    endpoint = client.endpoint
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return client.ask_once(request)
        except AttemptFailedError as error:
            failure = error
        if failure.cause == "connection" and not client.connected:
            raise EndpointStopError(describe_unreachable(endpoint, failure.reason))
        if not failure.may_repeat:
            raise EndpointStopError(
                f"The endpoint at {endpoint.base_url} refuses even a tiny request ({failure.reason}). Look at the "
                "protocol's decoding and the token field; settings that the server does not know can be left out."
            )
        if failure.cause == "time-out":
            return _slow_note()
        if attempt < _ATTEMPTS:
            time.sleep(_PAUSE_S)
    if failure.cause == "wrong content" or failure.cause in UNREADABLE - {PROVIDER_FAILED}:
        raise EndpointStopError(
            f"The endpoint at {endpoint.base_url} does not send valid answers ({failure.reason}). Check the address; "
            "it usually ends in /v1."
        )
    return f"The endpoint does not answer yet ({failure.reason})."


def _list_models(client: Client) -> dict[str, Mapping[str, Any]]:
    """Return the endpoint's records of its models by name; empty if it does not list them."""
    try:
        rows = client.get("/models")
    except (StatusError, WireError, BadAnswerError):
        return {}
    rows = rows.get("data") if isinstance(rows, Mapping) else rows
    if not isinstance(rows, list):
        return {}
    named_rows = (row for row in rows[:_MAX_LISTED] if isinstance(row, Mapping) and isinstance(row.get("id"), str))
    return {storable_text(row["id"][:200]): row for row in named_rows}


def _context_length(row: Mapping[str, Any]) -> int | None:
    """Return a model's context length in tokens, under any of the names that servers use, or None."""
    for name in ("max_model_len", "context_length", "context_window", "max_context_length"):
        value = row.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**40:
            return value
    return None


def _slow_note() -> str:
    return f"The endpoint did not answer within {ANSWER_S:g} s. It may still be loading the model."


class ProbedAsker:
    """An `Asker` that sends each request once, after one probe before the first."""

    def __init__(self, client: Client, probe: Callable[[Request], object]) -> None:
        """Prepare without sending. An error of ``probe`` is raised for every request."""
        self._client, self._probe = client, probe
        self._lock = threading.Lock()
        self._probed: Future[None] | None = None

    def ask(self, request: Request) -> Answer:
        """Return the answer of one attempt; raises the errors of `Client.ask_once` and of the probe."""
        with self._lock:
            is_first = self._probed is None
            probed = self._probed = self._probed or Future()
        if is_first:
            try:
                self._probe(question_like(request))
            except BaseException as error:
                probed.set_exception(error)
                raise
            probed.set_result(None)
        probed.result()
        return self._client.ask_once(request)
