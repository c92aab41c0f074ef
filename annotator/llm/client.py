"""Ask a model behind any OpenAI-compatible endpoint: one answer, or the reason why there is none.

Answers are asked for whole by default. One JSON document is either complete or does not parse, and it always brings
its usage; a stream can end early without any error, may leave the usage out, and costs the client twice the work.
Streaming (`Endpoint.stream`) is for servers behind a proxy that cuts quiet connections, and for slow local models:
there the time limit between two pieces notices a stall long before a whole answer could.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

from annotator.base.errors import MissingEnvironmentError
from annotator.base.secrets import MASK, find_key, redact
from annotator.jobs.progress import Cancelled
from annotator.llm.answers import Answer, Content
from annotator.llm.errors import (
    BadAnswerError,
    EndpointStopError,
    RequestFailedError,
    StatusError,
    WireError,
    WireTimeoutError,
)
from annotator.llm.limiter import Limiter
from annotator.llm.requests import Endpoint, Request

_PATHS = {"chat": "/chat/completions", "completion": "/completions"}
_WHY = {
    400: "does not accept the request",
    401: "does not accept the key",
    403: "does not allow this",
    404: "does not know this address or model",
    413: "finds the request too large",
    422: "does not accept the request",
}
_WHAT = {
    400: "Look at the protocol's decoding and the prompt's length; a field the server does not know can be left out.",
    403: "Check what the key may do, and the model's name.",
    404: "Check the address (it usually ends in /v1) and the model's name.",
    413: "Lower the context of the protocol.",
    422: "Look at the protocol's decoding; a field the server does not know can be left out.",
}


class Asker(Protocol):
    """What answers requests: a client, or a stand-in for one."""

    def ask(self, request: Request) -> Answer:
        """Return the answer, or raise what `Client.ask` raises."""
        ...


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why an attempt failed; ``stop`` is the status to stop with, if repeating cannot help."""

    cause: str
    reason: str
    stop: int | None = None
    limited: bool = False
    after: float | None = None


class Client:
    """Asks one endpoint, from as many threads as like; `Limiter` bounds what is in flight.

    The key is looked up when the client is made (environment variable, then keyring) and lives in memory only: it is
    in no repr, log line or error.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        policy: RetryPolicy | None = None,
        limiter: Limiter | None = None,
        find: Callable[[str], str | None] = find_key,
    ) -> None:
        """Make ready; nothing is sent. Raises `MissingEnvironmentError` if the key that is named is not there."""
        # The openai package takes a second to load: only who asks a model waits for it.
        from annotator.llm.openai_api import OpenAIApi

        self.endpoint = endpoint
        self.policy = policy or RetryPolicy()
        self.limiter = limiter or Limiter(endpoint.concurrency)
        self._key = _key_of(endpoint, find)
        self._stopping = threading.Event()
        self._api = OpenAIApi(endpoint, self._key, self.limiter)

    def __repr__(self) -> str:
        """Name the endpoint, never the key."""
        return f"Client({self.endpoint.base_url!r})"

    def __enter__(self) -> Client:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self.close()

    def ask(self, request: Request) -> Answer:
        """Return the answer to a request, after as many attempts as the policy allows.

        Raises `EndpointStopError` where repeating cannot help (400, 401, 403, 404, …), `RequestFailedError` when the
        attempts are used up, and `Cancelled` after `stop`. Blocks; thread-safe.
        """
        attempts = max(1, self.policy.attempts)
        digest = request.hash
        fault = _Fault("", "")
        for attempt in range(attempts):
            if self._stopping.is_set():
                raise Cancelled
            started, outcome = self._attempt(request, digest)
            if isinstance(outcome, Answer):
                self.limiter.succeeded()
                return replace(outcome, retries=attempt) if attempt else outcome
            fault = outcome
            if self._stopping.is_set():
                raise Cancelled
            if fault.stop is not None:
                raise EndpointStopError(self._stop_sentence(fault), fault.stop)
            if fault.limited:
                self.limiter.cut(started)
            if fault.after is not None and fault.after > self.policy.patience_s:
                raise RequestFailedError(
                    f"The endpoint asks to be left alone for {fault.after / 60:.0f} minutes. "
                    "What was answered is kept; resume the run later.",
                    fault.cause,
                    attempt + 1,
                )
            if attempt + 1 < attempts:
                self._wait(attempt, fault)
        times = "attempt" if attempts == 1 else "attempts"
        raise RequestFailedError(f"There is no answer after {attempts} {times}: {fault.reason}", fault.cause, attempts)

    def _wait(self, attempt: int, fault: _Fault) -> None:
        seconds = self.policy.wait(attempt, fault.after)
        if fault.after is not None:
            self.limiter.hold(fault.after)
        if self._stopping.wait(seconds):
            raise Cancelled

    def stop(self) -> None:
        """End every request, waiting or on the wire, in every thread: `ask` raises `Cancelled` from now on."""
        self._stopping.set()
        self.limiter.stop()
        self._api.interrupt()

    def close(self) -> None:
        """Stop, and close the connections."""
        self.stop()
        self._api.close()

    def _attempt(self, request: Request, digest: str) -> tuple[float, Answer | _Fault]:
        """Send once; returns when it was sent, and the answer or why there is none."""
        fault: _Fault
        try:
            content, body = self._send(request, digest)
        except StatusError as error:
            fault = self._status_fault(error)
        except WireTimeoutError:
            fault = _Fault("time-out", "the endpoint took too long")
        except WireError as error:
            fault = _Fault("connection", self._clean(f"the connection failed ({error})"))
        except BadAnswerError as error:
            fault = _Fault(error.cause, self._clean(str(error)))
        except (ValueError, RecursionError):
            fault = _Fault("malformed answer", "the answer is not valid JSON")
        else:
            now = time.monotonic()
            started = self._api.started
            return started, _answer(request, digest, content, body, now - started)
        return self._api.started, fault

    def _send(self, request: Request, digest: str) -> tuple[Content, dict[str, Any]]:
        body = request.body(self.endpoint.token_field)
        chat, stream = request.form == "chat", self.endpoint.stream
        return self._api.post(_PATHS[request.form], body, digest, chat=chat, stream=stream), body

    def _status_fault(self, error: StatusError) -> _Fault:
        status, said = error.status, self._clean(error.said)
        if error.code == "insufficient_quota":
            return _Fault("no credit", said, stop=status)
        if not is_retried(status):
            return _Fault(f"HTTP {status}", said, stop=status)
        after = retry_after(error.headers)
        return _Fault(f"HTTP {status}", f"HTTP {status}: {said}", limited=status == 429, after=after)

    def _stop_sentence(self, fault: _Fault) -> str:
        status = fault.stop or 0
        where = self.endpoint.base_url
        if fault.cause == "no credit":
            return (
                f"The account at {where} has no credit left ({fault.reason}). What was answered is kept; resume later."
            )
        if status == 401:
            name = self.endpoint.key_name
            what = (
                f"Check the key stored under {name}."
                if name
                else "No key was sent: name the environment variable or keyring entry that holds one."
            )
        elif 300 <= status < 400:
            return f"The endpoint at {where} answers with a redirection. Give the address it leads to."
        else:
            what = _WHAT.get(status, "The run was stopped; what was answered is kept.")
        why = _WHY.get(status, "refuses the request")
        return f"The endpoint at {where} {why} (HTTP {status}: {fault.reason}). {what}"

    def _clean(self, text: str) -> str:
        """Return one line without anything that looks like a key, and without ours."""
        text = text.replace(self._key, MASK) if self._key else text
        return " ".join(redact(text).split())[:500]


def _key_of(endpoint: Endpoint, find: Callable[[str], str | None]) -> str:
    key = (find(endpoint.key_name) or "").strip() if endpoint.key_name else ""
    if endpoint.key_name and not key:
        raise MissingEnvironmentError(
            f"There is no key under the name {endpoint.key_name}. Set the environment variable of that name, or "
            "store the key in the system's keyring, and try again."
        )
    if not (key.isascii() and key.isprintable()):
        raise MissingEnvironmentError(
            f"The key under the name {endpoint.key_name} holds characters that cannot be sent. Store it again."
        )
    return key


def _answer(request: Request, digest: str, content: Content, body: Mapping[str, Any], seconds: float) -> Answer:
    return Answer(
        request_hash=digest,
        text=content.text,
        finish_reason=content.finish_reason,
        outcome=content.outcome,
        model=content.model or request.model,
        usage=content.usage,
        seconds=round(seconds, 4),
        seed=body.get("seed"),
        request=body,
    )


RETRIED = (408, 409, 429)


def is_retried(status: int) -> bool:
    """Tell whether a status is worth another attempt (runs specification: 408, 409, 429, 5xx)."""
    return status in RETRIED or status >= 500


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """``attempts`` in all; the wait doubles from ``first_s`` up to ``most_s``.

    A Retry-After is kept however it compares, unless it is longer than ``patience_s``: then the request fails, and
    the sentence says how long the endpoint wants to be left alone.
    """

    attempts: int = 10
    first_s: float = 0.5
    most_s: float = 60.0
    patience_s: float = 900.0

    def wait(
        self, attempt: int, retry_after: float | None = None, chance: Callable[[], float] = random.random
    ) -> float:
        """Return the seconds to wait after attempt number ``attempt`` (from 0) failed.

        Between half and the whole of the doubled wait, so that requests that failed together do not come back
        together; never less than ``retry_after``, and up to a tenth more.
        """
        backed_off = min(self.most_s, self.first_s * 2.0 ** min(attempt, 32)) * (0.5 + chance() / 2)
        if retry_after is None:
            return backed_off
        return max(backed_off, retry_after * (1 + chance() / 10))


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds an endpoint asks to wait, from its headers (names in lower case); None if it does not.

    Retry-After may be seconds or an HTTP date (RFC 9110, 10.2.3); ``retry-after-ms`` is what some endpoints add. A date
    in the past is 0; what cannot be read is as if it were not there.
    """
    precise = _read_number(headers.get("retry-after-ms", ""))
    if precise is not None:
        return precise / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _read_number(value)
    if seconds is not None or not value:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _read_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < 1e9 else None
