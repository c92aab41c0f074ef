"""Errors of asking a model: whether to stop the run or retry, and which requests a resumed run asks again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from annotator.base.errors import ExitCode, KnownError


class WireError(Exception):
    """The connection failed or was closed by the endpoint."""


class WireTimeoutError(WireError):
    """The endpoint took too long."""


class UntrustedCertificateError(WireError):
    """The endpoint's TLS certificate is not valid for its address; nothing was sent."""


class EndpointStopError(KnownError):
    """The endpoint refuses for a reason that retrying cannot fix (key, address, model, request): stop the run."""

    exit_code = ExitCode.ENVIRONMENT

    def __init__(self, message: str, status: int = 0) -> None:
        """Store the message and the HTTP status (0 if there was none)."""
        super().__init__(message)
        self.status = status


class AttemptFailedError(Exception):
    """One attempt at a request failed.

    ``cause`` is a short name to group by. ``may_repeat`` says whether a retry can help, ``after`` is the number of
    seconds the endpoint asks to wait. ``costly`` says that the answer was or may have been paid for: it was unreadable,
    or nothing arrived in time.
    """

    def __init__(
        self, cause: str, reason: str, *, may_repeat: bool = True, after: float | None = None, costly: bool = False
    ) -> None:
        super().__init__(reason)
        self.cause = cause
        self.reason = reason
        self.may_repeat = may_repeat
        self.after = after
        self.costly = costly


class RequestFailedError(KnownError):
    """One request failed for technical reasons after all its attempts; it can be sent again later.

    ``cause`` is a short name to group by ("time-out", "connection", "HTTP 503", "broken stream", …).
    """

    exit_code = ExitCode.INTERRUPTED

    def __init__(self, message: str, cause: str, attempts: int) -> None:
        super().__init__(message)
        self.cause = cause
        self.attempts = attempts


MALFORMED, BROKEN_OFF, NO_CHOICES, TOO_LARGE = "malformed answer", "broken stream", "no choices", "answer too large"
PROVIDER_FAILED = "broken off by the provider"
UNREADABLE = frozenset((MALFORMED, BROKEN_OFF, NO_CHOICES, TOO_LARGE, PROVIDER_FAILED))
"""Causes of failure in which an answer was generated, and probably billed, but is unusable."""


def is_final_failure(cause: str) -> bool:
    """Return whether a failure is the endpoint's final response to a request, which only a person may send again."""
    return cause in UNREADABLE or is_refused(cause)


def is_refused(cause: str) -> bool:
    """Return whether the endpoint rejects the request itself, so that sending it again cannot help."""
    status = cause.removeprefix("HTTP ")
    return status != cause and status[:1] == "4" and status not in ("408", "409", "429")


def is_unanswered(error: KnownError) -> bool:
    """Return whether a request got no answer and may be sent again."""
    return isinstance(error, RequestFailedError) and not is_final_failure(error.cause)


class BadAnswerError(ValueError):
    """The endpoint's response is not a valid answer; ``cause`` is a short name to group by."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(reason)
        self.cause = cause


class StatusError(Exception):
    """The endpoint answered with a status other than 2xx; ``body`` is its JSON or text, header names are lower case."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status
        self.body = body
        self.headers = headers

    @property
    def explanation(self) -> str:
        """The endpoint's error message."""
        body = self._document
        if isinstance(body, Mapping):
            error = body.get("error")
            for row in (error if isinstance(error, Mapping) else body, body):
                for name in ("message", "detail", "error"):
                    if isinstance(row.get(name), str) and row[name]:
                        return str(row[name])[:_MAX_TEXT]
            return _body_text(body)
        text = body[: 10 * _MAX_TEXT] if isinstance(body, str) else ""
        return " ".join(text.split())[:_MAX_TEXT] or "no reason given"

    @property
    def code(self) -> str:
        """The endpoint's error code, or an empty text."""
        code = self._error.get("code")
        return code if isinstance(code, str) else ""

    @property
    def refuses_key(self) -> bool:
        """Whether the key is invalid although the status is not 401."""
        return any(detail.get("reason") == "API_KEY_INVALID" for detail in self._details)

    @property
    def lacks_credit(self) -> bool:
        """Whether the account has run out of credit."""
        is_stated_in_text = self.status == _BAD_REQUEST and _NO_CREDIT in self.explanation.lower()
        return is_stated_in_text or self.status == _PAYMENT_REQUIRED or self.code == "insufficient_quota"

    @property
    def retry_delay(self) -> float | None:
        """The seconds to wait according to the body, or None."""
        for detail in self._details:
            match = _SECONDS.fullmatch(str(detail.get("retryDelay", ""))[:20])
            if match:
                return float(match[1])
        return None

    @property
    def _document(self) -> Any:
        """The body without the one-element list in which Google's interface wraps it."""
        return self.body[0] if isinstance(self.body, list) and self.body else self.body

    @property
    def _error(self) -> Mapping[str, Any]:
        body = self._document
        error = body.get("error", body) if isinstance(body, Mapping) else None
        return error if isinstance(error, Mapping) else {}

    @property
    def _details(self) -> list[Mapping[str, Any]]:
        """The details of a Google error, each with its @type (google.aip.dev/193)."""
        details = self._error.get("details")
        return (
            [detail for detail in details[:_MAX_DETAILS] if isinstance(detail, Mapping)]
            if isinstance(details, list)
            else []
        )


_MAX_TEXT = 500
_MAX_DETAILS = 20
_BAD_REQUEST = 400
_PAYMENT_REQUIRED = 402
_NO_CREDIT = "credit balance is too low"
"""Part of Anthropic's message with status 400."""
_SECONDS = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s", re.ASCII)


def _body_text(body: Mapping[str, Any]) -> str:
    try:
        return str(dict(body))[:_MAX_TEXT]
    except RecursionError:  # nested too deeply for str()
        return "no reason given"
