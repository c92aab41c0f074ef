"""Ask a model behind any OpenAI-compatible endpoint: one answer, or the reason why there is none.

`Client.ask_once` sends a request once, for a run, whose queue decides when to ask again; `Client.ask` repeats by itself
and is for those who want one answer.

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
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from annotator.base.errors import MissingEnvironmentError
from annotator.base.secrets import MASK, find_key, redact
from annotator.jobs.progress import Cancelled
from annotator.llm.answers import Answer, Content, read_whole, storable
from annotator.llm.errors import (
    UNREADABLE,
    AttemptFailedError,
    BadAnswerError,
    EndpointStopError,
    RequestFailedError,
    StatusError,
    WireError,
    WireTimeoutError,
)
from annotator.llm.limiter import Limiter
from annotator.llm.requests import Endpoint, Request

if TYPE_CHECKING:
    from annotator.llm.openai_api import OpenAIApi

_Received = TypeVar("_Received")
_OK = 200
_PATHS = {"chat": "/chat/completions", "completion": "/completions"}
_WHY = {
    401: "does not accept the key",
    403: "does not allow this",
    404: "does not know this address or model",
}
_WHAT = {
    403: "Check what the key may do, and the model's name.",
    404: "Check the address (it usually ends in /v1) and the model's name.",
}
_KEY_REFUSED = 401
_UNCONNECTED_ATTEMPTS = 3
_LIMITS, _LIMIT_SHOWN = "x-ratelimit-", 60


class Asker(Protocol):
    """What answers requests: a client, or a stand-in for one."""

    def ask(self, request: Request) -> Answer:
        """Return the answer, or raise what `Client.ask` raises."""
        ...


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

        Raises `EndpointStopError` where no request can be answered (401, 403, 404, nobody takes the connection, …),
        `RequestFailedError` when repeating this one cannot help any more, and `Cancelled` after `stop`. Blocks;
        thread-safe.
        """
        tried = Attempts()
        while True:
            try:
                answer = self.ask_once(request)
            except AttemptFailedError as error:
                failed = error
            else:
                return replace(answer, retries=tried.made) if tried.made else answer
            seconds = self.policy.wait_after(tried.count(failed), failed)
            if tried.made >= _UNCONNECTED_ATTEMPTS and not self.connected:
                raise EndpointStopError(describe_unreachable(self.endpoint, failed.reason))
            if seconds is None:
                break
            if self._stopping.wait(seconds):
                raise Cancelled
        raise RequestFailedError(describe_failure(failed, tried, self.policy), failed.cause, tried.made)

    def ask_once(self, request: Request) -> Answer:
        """Send a request once and return its answer.

        Raises `AttemptFailedError`, `EndpointStopError` where no request can be answered, and `Cancelled` after `stop`.
        """
        digest, body = request.hash, self.endpoint.body_of(request)
        path, chat = _PATHS[request.form], request.form == "chat"
        content = self.attempt(lambda api: api.post(path, body, digest, chat=chat, stream=self.endpoint.stream), digest)
        self.limiter.succeeded()
        return answer_of(request, content, body, time.monotonic() - self._api.started)

    def attempt(self, send: Callable[[OpenAIApi], _Received], digest: str = "") -> _Received:
        """Return what one exchange with the endpoint brings; raises as `ask_once` does."""
        if self._stopping.is_set():
            raise Cancelled
        failed: AttemptFailedError | EndpointStopError
        try:
            return send(self._api)
        except StatusError as error:
            failed = self._status_failure(error, digest)
        except WireTimeoutError:
            failed = AttemptFailedError("time-out", "the endpoint took too long", costly=True)
        except WireError as error:
            failed = AttemptFailedError("connection", self._clean(f"the connection failed ({error})"))
        except BadAnswerError as error:
            self.limiter.taken()
            failed = self._unreadable(error)
        if self._stopping.is_set():
            raise Cancelled
        # Raised out here: the errors above hold the request with its key, and must not be its context.
        raise failed

    def read_line(self, request: Request, status: int, document: Any) -> Answer:
        """Return the answer that a batch brought for a request; raises as `ask_once` does."""
        failed: AttemptFailedError | EndpointStopError
        try:
            if status != _OK:
                raise StatusError(status, document, {})
            content = read_whole(document, chat=request.form == "chat")
        except StatusError as error:
            failed = self._status_failure(error, request.hash)
        except BadAnswerError as error:
            failed = self._unreadable(error)
        else:
            return answer_of(request, content, self.endpoint.body_of(request), None)
        raise failed

    def get(self, path: str) -> Any:
        """Return the JSON document at a path of the endpoint; raises as `OpenAIApi.post` does."""
        return self._api.get(path)

    @property
    def connected(self) -> bool:
        """Whether any connection to the endpoint was ever made."""
        return self._api.connected

    def rate_limits(self) -> tuple[tuple[str, str], ...]:
        """Return (name, value) of the limits that came with this thread's last answer."""
        return tuple(
            (name.removeprefix(_LIMITS), self._clean(value)[:_LIMIT_SHOWN])
            for name, value in sorted(self._api.headers.items())
            if name.startswith(_LIMITS)
        )

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """End every request, waiting or on the wire, in every thread: `ask` raises `Cancelled` from now on."""
        self._stopping.set()
        self.limiter.stop()
        self._api.interrupt()

    def close(self) -> None:
        """Stop, and close the connections."""
        self.stop()
        self._api.close()

    def _status_failure(self, error: StatusError, digest: str) -> AttemptFailedError | EndpointStopError:
        status, said = error.status, self._clean(error.said)
        if error.lacks_credit:
            where = self.endpoint.base_url
            return EndpointStopError(
                f"The account at {where} has no credit left ({said}). What was answered is kept; resume later.", status
            )
        if error.refuses_key:
            status = _KEY_REFUSED
        if status in _WHY or 300 <= status < 400:
            return EndpointStopError(self._stop_sentence(status, said), status)
        after, retried = retry_after(error.headers), is_retried(status)
        after = error.retry_delay if after is None else after
        if status == 429 or (retried and after is not None):
            patient = after is not None and after <= self.policy.patience_s
            self.limiter.refused(self._api.started, after if patient else None, halve=status == 429, name=digest)
        else:
            self.limiter.taken()
        return AttemptFailedError(f"HTTP {status}", f"HTTP {status}: {said}", may_repeat=retried, after=after)

    def _unreadable(self, error: BadAnswerError) -> AttemptFailedError:
        return AttemptFailedError(error.cause, self._clean(str(error)), costly=error.cause in UNREADABLE)

    def _stop_sentence(self, status: int, said: str) -> str:
        where = self.endpoint.base_url
        if 300 <= status < 400:
            return f"The endpoint at {where} answers with a redirection. Give the address it leads to."
        if status == 401:
            name = self.endpoint.key_name
            what = (
                f"Check the key stored under {name}."
                if name
                else "No key was sent: name the environment variable or keyring entry that holds one."
            )
        else:
            what = _WHAT[status]
        return f"The endpoint at {where} {_WHY[status]} (HTTP {status}: {said}). {what}"

    def _clean(self, text: str) -> str:
        """Return one line without anything that looks like a key, and without ours."""
        text = text.replace(self._key, MASK) if self._key else text
        return " ".join(redact(storable(text)).split())[:500]


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


def answer_of(request: Request, content: Content, body: Mapping[str, Any], seconds: float | None) -> Answer:
    """Return what the model said with what was asked; ``seconds`` is None where nobody measured it."""
    return Answer(
        request_hash=request.hash,
        text=content.text,
        finish_reason=content.finish_reason,
        outcome=content.outcome,
        model=content.model or request.model,
        usage=content.usage,
        seconds=None if seconds is None else round(seconds, 4),
        seed=body.get("seed"),
        request=body,
    )


RETRIED = (408, 409, 429)


def is_retried(status: int) -> bool:
    """Tell whether a status is worth another attempt (runs specification: 408, 409, 429, 5xx)."""
    return status in RETRIED or status >= 500


@dataclass(slots=True)
class Attempts:
    """What was tried for one request: ``made`` attempts, ``costly`` ones of which were paid for or may have been."""

    made: int = 0
    costly: int = 0

    def count(self, failed: AttemptFailedError) -> Attempts:
        """Count an attempt that failed."""
        self.made += 1
        self.costly += failed.costly
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """``attempts`` in all, ``costly`` of them at most paid for in vain; waits double from ``first_s`` to ``most_s``.

    A Retry-After is kept however it compares, unless it is longer than ``patience_s``: then the request fails, and
    the sentence says how long the endpoint wants to be left alone.
    """

    attempts: int = 8
    first_s: float = 0.5
    most_s: float = 60.0
    patience_s: float = 900.0
    costly: int = 3

    def wait_after(self, tried: Attempts, failed: AttemptFailedError) -> float | None:
        """Return the seconds to wait before the next attempt, None if there is to be none."""
        spent = tried.made >= self.attempts or tried.costly >= self.costly
        if not failed.may_repeat or spent or (failed.after or 0.0) > self.patience_s:
            return None
        return self.wait(tried.made - 1, failed.after)

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


def describe_failure(failed: AttemptFailedError, tried: Attempts, policy: RetryPolicy) -> str:
    """Say why a request has no answer after all its attempts."""
    if failed.after is not None and failed.after > policy.patience_s:
        return (
            f"The endpoint asks to be left alone for {failed.after / 60:.0f} minutes. "
            "What was answered is kept; resume the run later."
        )
    if not failed.may_repeat:
        return f"The endpoint does not answer this request: {failed.reason}"
    times = "attempt" if tried.made == 1 else "attempts"
    return f"There is no answer after {tried.made} {times}: {failed.reason}"


def describe_unreachable(endpoint: Endpoint, reason: str) -> str:
    """Say that nobody takes a connection at an endpoint's address."""
    return (
        f"The endpoint at {endpoint.base_url} cannot be reached ({reason}). Check the address, and whether the server "
        "runs."
    )


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
