"""Ask a model behind any OpenAI-compatible endpoint: one answer, or the reason why there is none.

`Client.ask_once` sends a request once; runs use it, as their queue decides when to retry. `Client.ask` retries by
itself, for callers that need a single answer.

Answers are not streamed by default. One JSON document is either complete or does not parse, and it always includes the
usage; a stream can end early without an error, may omit the usage, and costs the client twice the work. Streaming
(`Endpoint.stream`) is for servers behind a proxy that cuts idle connections, and for slow local models: the time limit
between two pieces notices a stall long before one on the whole answer could.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from annotator.base.errors import MissingEnvironmentError
from annotator.base.records import record_from
from annotator.base.secrets import MASK, find_key, redact
from annotator.jobs.progress import Cancelled
from annotator.llm.answers import Answer, ModelOutput, read_whole_answer, storable_text
from annotator.llm.endpoint_errors import (
    UNREADABLE,
    AttemptFailedError,
    BadAnswerError,
    EndpointStopError,
    RequestFailedError,
    StatusError,
    UntrustedCertificateError,
    WireError,
    WireTimeoutError,
)
from annotator.llm.limiter import Limiter
from annotator.llm.requests import Endpoint, Request

if TYPE_CHECKING:
    from annotator.llm.openai_api import OpenAIApi

_Result = TypeVar("_Result")
_OK = 200
_PATHS = {"chat": "/chat/completions", "completion": "/completions"}
_REASONS = {401: "does not accept the key", 403: "does not allow this", 404: "does not know this address or model"}
_ADVICE = {
    403: "Check what the key may do, and the model's name.",
    404: "Check the address (it usually ends in /v1) and the model's name.",
}
_KEY_REFUSED = 401
_UNCONNECTED_ATTEMPTS = 3
"""Failed attempts after which an endpoint that was never reached counts as unreachable."""
_LIMIT_PREFIX = "x-ratelimit-"
_MAX_LIMIT_TEXT = 60


class Asker(Protocol):
    """An object that answers requests: a client, or a substitute for one."""

    def ask(self, request: Request) -> Answer:
        """Return the answer; raises the same errors as `Client.ask`."""
        ...


class Client:
    """A thread-safe client of one endpoint; `Limiter` bounds the requests in flight.

    The key is looked up on creation (environment variable, then keyring) and kept in memory only: it never appears in
    a repr, log line or error.
    """

    def __init__(
        self, endpoint: Endpoint, *, policy: RetryPolicy | None = None, find: Callable[[str], str | None] = find_key
    ) -> None:
        """Look up the key; nothing is sent yet. Raises `MissingEnvironmentError` if the named key is missing."""
        # The openai package takes a second to load, so only commands that ask a model import it.
        from annotator.llm.openai_api import OpenAIApi

        self.endpoint = endpoint
        self.policy = policy or RetryPolicy()
        self.limiter = Limiter(endpoint.concurrency)
        self._key = _require_key(endpoint, find)
        self._stopping = threading.Event()
        self._api = OpenAIApi(endpoint, self._key, self.limiter)

    def __repr__(self) -> str:
        """Return the endpoint's address, never the key."""
        return f"Client({self.endpoint.base_url!r})"

    def __enter__(self) -> Client:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self.close()

    def ask(self, request: Request) -> Answer:
        """Return the answer to a request, retrying as the policy allows.

        Raises `EndpointStopError` if no request can be answered (401, 403, 404, connection refused, …),
        `RequestFailedError` if further retries are pointless, and `Cancelled` after `stop`. Blocks; thread-safe.
        """
        attempts = Attempts()
        while True:
            try:
                answer = self.ask_once(request)
            except AttemptFailedError as error:
                failure = error
            else:
                return replace(answer, retries=attempts.total) if attempts.total else answer
            seconds = self.policy.wait_after(attempts.count(failure), failure)
            if attempts.total >= _UNCONNECTED_ATTEMPTS and not self.connected:
                raise EndpointStopError(describe_unreachable(self.endpoint, failure.reason))
            if seconds is None:
                break
            if self._stopping.wait(seconds):
                raise Cancelled
        raise RequestFailedError(describe_failure(failure, attempts, self.policy), failure.cause, attempts.total)

    def ask_once(self, request: Request) -> Answer:
        """Send a request once and return its answer.

        Raises `AttemptFailedError`, `EndpointStopError` if no request can be answered, and `Cancelled` after `stop`.
        """
        digest = request.hash
        body = self.endpoint.body_of(request)
        path = _PATHS[request.form]
        chat = request.form == "chat"
        content = self.attempt(lambda api: api.post(path, body, digest, chat=chat, stream=self.endpoint.stream), digest)
        self.limiter.succeeded()
        return make_answer(request, content, body, time.monotonic() - self._api.started)

    def attempt(self, send: Callable[[OpenAIApi], _Result], digest: str = "") -> _Result:
        """Run one exchange with the endpoint and return its result; raises the same errors as `ask_once`."""
        if self._stopping.is_set():
            raise Cancelled
        failure: AttemptFailedError | EndpointStopError
        try:
            return send(self._api)
        except StatusError as error:
            failure = self._status_failure(error, digest)
        except WireTimeoutError:
            failure = AttemptFailedError("time-out", "the endpoint took too long", costly=True)
        except UntrustedCertificateError as error:
            failure = EndpointStopError(
                f"The certificate of {self.endpoint.base_url} is not valid: {self._clean(str(error))}. Nothing was "
                "sent. Check the address; if an authority of your own signed it, name its certificates in "
                "SSL_CERT_FILE."
            )
        except WireError as error:
            failure = AttemptFailedError("connection", self._clean(f"the connection failed ({error})"))
        except BadAnswerError as error:
            self.limiter.count_admitted()
            failure = self._unreadable(error)
        if self._stopping.is_set():
            raise Cancelled
        # Raised outside the except blocks: the errors above hold the request with its key and must not be the context.
        raise failure

    def read_line(self, request: Request, status: int, document: Any) -> Answer:
        """Return a request's answer from a line of a batch file; raises the same errors as `ask_once`."""
        failure: AttemptFailedError | EndpointStopError
        try:
            if status != _OK:
                raise StatusError(status, document, {})
            content = read_whole_answer(document, chat=request.form == "chat")
        except StatusError as error:
            failure = self._status_failure(error, request.hash)
        except BadAnswerError as error:
            failure = self._unreadable(error)
        else:
            return make_answer(request, content, self.endpoint.body_of(request), None)
        raise failure

    def get(self, path: str) -> Any:
        """Return the JSON document at a path of the endpoint; raises the same errors as `OpenAIApi.post`."""
        return self._api.get(path)

    @property
    def connected(self) -> bool:
        """Whether any connection to the endpoint was ever made."""
        return self._api.connected

    def rate_limits(self) -> tuple[tuple[str, str], ...]:
        """Return the (name, value) pairs of the rate limits in the headers of this thread's last answer."""
        return tuple(
            (name.removeprefix(_LIMIT_PREFIX), self._clean(value)[:_MAX_LIMIT_TEXT])
            for name, value in sorted(self._api.headers.items())
            if name.startswith(_LIMIT_PREFIX)
        )

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Abort all waiting and running requests in all threads; `ask` raises `Cancelled` from now on."""
        self._stopping.set()
        self.limiter.stop()
        self._api.interrupt()

    def close(self) -> None:
        """Stop, and close the connections."""
        self.stop()
        self._api.close()

    def _status_failure(self, error: StatusError, digest: str) -> AttemptFailedError | EndpointStopError:
        status = error.status
        explanation = self._clean(error.explanation)
        if error.lacks_credit:
            address = self.endpoint.base_url
            return EndpointStopError(
                f"The account at {address} has no credit left ({explanation}). Answers so far are kept; resume later.",
                status,
            )
        if error.refuses_key:
            status = _KEY_REFUSED
        if status in _REASONS or 300 <= status < 400:
            return EndpointStopError(self._stop_sentence(status, explanation), status)
        is_retryable = is_retried(status)
        after = retry_after(error.headers)
        if after is None:
            after = error.retry_delay
        if status == 429 or (is_retryable and after is not None):
            is_acceptable = after is not None and after <= self.policy.patience_s
            self.limiter.refused(self._api.started, after if is_acceptable else None, halve=status == 429, name=digest)
        else:
            self.limiter.count_admitted()
        return AttemptFailedError(
            f"HTTP {status}", f"HTTP {status}: {explanation}", may_repeat=is_retryable, after=after
        )

    def _unreadable(self, error: BadAnswerError) -> AttemptFailedError:
        return AttemptFailedError(error.cause, self._clean(str(error)), costly=error.cause in UNREADABLE)

    def _stop_sentence(self, status: int, explanation: str) -> str:
        address = self.endpoint.base_url
        if 300 <= status < 400:
            return f"The endpoint at {address} answers with a redirection. Give the address it leads to."
        if status == 401:
            name = self.endpoint.key_name
            advice = (
                f"Check the key stored under {name}."
                if name
                else "No key was sent: name the environment variable or keyring entry that holds one."
            )
        else:
            advice = _ADVICE[status]
        return f"The endpoint at {address} {_REASONS[status]} (HTTP {status}: {explanation}). {advice}"

    def _clean(self, text: str) -> str:
        """Return a text as one line of at most 500 characters, with our key and anything like a key removed."""
        text = text.replace(self._key, MASK) if self._key else text
        return " ".join(redact(storable_text(text)).split())[:500]


def _require_key(endpoint: Endpoint, find: Callable[[str], str | None]) -> str:
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


def make_answer(request: Request, content: ModelOutput, body: Mapping[str, Any], seconds: float | None) -> Answer:
    """Combine a request and the content of its answer; ``seconds`` is None if unmeasured."""
    return record_from(
        Answer,
        content,
        request_hash=request.hash,
        model=content.model or request.model,
        seconds=None if seconds is None else round(seconds, 4),
        seed=body.get("seed"),
        request=body,
        retries=0,
        cached=False,
    )


RETRIED = (408, 409, 429)


def is_retried(status: int) -> bool:
    """Return whether a status is worth a retry (runs specification: 408, 409, 429, 5xx)."""
    return status in RETRIED or status >= 500


@dataclass(slots=True)
class Attempts:
    """Counts of the attempts made for one request; ``costly`` ones were paid for, or may have been."""

    total: int = 0
    costly: int = 0

    def count(self, failure: AttemptFailedError) -> Attempts:
        """Count a failed attempt; return self."""
        self.total += 1
        self.costly += failure.costly
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """Limits of retrying: ``attempts`` in all, ``costly`` paid ones; waits double from ``first_s`` to ``most_s``.

    A Retry-After is always honoured unless it exceeds ``patience_s``; then the request fails, and the message says how
    long the endpoint asks to wait.
    """

    attempts: int = 8
    first_s: float = 0.5
    most_s: float = 60.0
    patience_s: float = 900.0
    costly: int = 3

    def wait_after(self, tries: Attempts, failure: AttemptFailedError) -> float | None:
        """Return the seconds to wait before the next attempt, or None to give up."""
        is_exhausted = tries.total >= self.attempts or tries.costly >= self.costly
        if not failure.may_repeat or is_exhausted or (failure.after or 0.0) > self.patience_s:
            return None
        return self.wait(tries.total - 1, failure.after)

    def wait(
        self, attempt: int, retry_after: float | None = None, chance: Callable[[], float] = random.random
    ) -> float:
        """Return the seconds to wait after attempt number ``attempt`` (from 0) failed.

        A random share between half and all of the doubled wait, so that requests that failed together are not retried
        together; never less than ``retry_after``, and up to a tenth more.
        """
        backoff_s = min(self.most_s, self.first_s * 2.0 ** min(attempt, 32)) * (0.5 + chance() / 2)
        if retry_after is None:
            return backoff_s
        return max(backoff_s, retry_after * (1 + chance() / 10))


def describe_failure(failure: AttemptFailedError, attempts: Attempts, policy: RetryPolicy) -> str:
    """Return a sentence saying why a request has no answer after all its attempts."""
    if failure.after is not None and failure.after > policy.patience_s:
        return (
            f"The endpoint asks to be left alone for {failure.after / 60:.0f} minutes. "
            "Answers so far are kept; resume the run later."
        )
    if not failure.may_repeat:
        return f"The endpoint does not answer this request: {failure.reason}"
    noun = "attempt" if attempts.total == 1 else "attempts"
    return f"There is no answer after {attempts.total} {noun}: {failure.reason}"


def describe_unreachable(endpoint: Endpoint, reason: str) -> str:
    """Return a sentence saying that an endpoint cannot be reached."""
    return (
        f"The endpoint at {endpoint.base_url} cannot be reached ({reason}). Check the address, and whether the server "
        "runs."
    )


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds an endpoint asks to wait, from its headers (names in lower case), or None.

    Retry-After may be seconds or an HTTP date (RFC 9110, 10.2.3); some endpoints add ``retry-after-ms``. A date in the
    past counts as 0; unreadable values are ignored.
    """
    milliseconds = _read_number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
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


class AnswerCache(Protocol):
    """A store of answers, implemented by the project's store; its methods may be called from any thread."""

    def get(self, request_hash: str) -> Answer | None:
        """Return the answer to the request with this hash, or None."""
        ...

    def store_answer(self, answer: Answer) -> None:
        """Store an answer under its ``request_hash``."""
        ...


class CachedAsker:
    """Sends only requests that the cache cannot answer; threads with the same request wait for one answer.

    To pay for an answer again, increase `Request.again`.
    """

    def __init__(self, asker: Asker, cache: AnswerCache) -> None:
        self._asker, self._cache = asker, cache
        # The value is None until another thread waits for the same answer.
        self._running: dict[str, Future[Answer] | None] = {}
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Answer:
        """Return the answer, marked ``cached`` if it cost nothing; raises the same errors as the asker."""
        digest = request.hash
        pending: Future[Answer] | None = None
        with self._lock:
            if digest in self._running:
                pending = self._running[digest] = self._running[digest] or Future()
            else:
                self._running[digest] = None
        if pending is not None:
            return replace(pending.result(), cached=True)
        try:
            # Looked up only now: an earlier thread stores its answer before it removes its request.
            stored_answer = self._cache.get(digest)
            answer = replace(stored_answer, cached=True) if stored_answer is not None else self._asker.ask(request)
            if stored_answer is None:
                self._cache.store_answer(answer)
        except BaseException as error:
            waiting = self._finish(digest)
            if waiting is not None:
                waiting.set_exception(error)
            raise
        waiting = self._finish(digest)
        if waiting is not None:
            waiting.set_result(answer)
        return answer

    def _finish(self, digest: str) -> Future[Answer] | None:
        """Remove the running request; return the future on which other threads wait, if any."""
        with self._lock:
            return self._running.pop(digest)
