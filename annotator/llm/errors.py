"""The errors of asking a model: stop the run, ask again later, or retry at once; and what each means for a resume."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from annotator.base.errors import ExitCode, KnownError


class WireError(Exception):
    """The connection failed, or the endpoint broke off."""


class WireTimeoutError(WireError):
    """The endpoint took too long."""


class EndpointStopError(KnownError):
    """The endpoint refuses for a reason that repeating cannot mend (key, address, model, request): stop the run."""

    exit_code = ExitCode.ENVIRONMENT

    def __init__(self, message: str, status: int = 0) -> None:
        """Keep the sentence and the HTTP status it came with (0 if there was none)."""
        super().__init__(message)
        self.status = status


class AttemptFailedError(Exception):
    """One attempt at a request brought no answer.

    ``cause`` is a short name to group by. ``may_repeat`` says whether another attempt can help, ``after`` is the number
    of seconds the endpoint asks to wait. ``costly`` says that the answer was paid for or may have been: something came
    and cannot be read, or nothing came in time.
    """

    def __init__(
        self, cause: str, reason: str, *, may_repeat: bool = True, after: float | None = None, costly: bool = False
    ) -> None:
        """Keep the group, what was wrong, and what can be done about it."""
        super().__init__(reason)
        self.cause, self.reason = cause, reason
        self.may_repeat, self.after, self.costly = may_repeat, after, costly


class RequestFailedError(KnownError):
    """One request failed in machinery after all its attempts; it can be asked again later.

    ``cause`` is a short name to group by ("time-out", "connection", "HTTP 503", "broken stream", …).
    """

    exit_code = ExitCode.INTERRUPTED

    def __init__(self, message: str, cause: str, attempts: int) -> None:
        """Keep the sentence, the group and how often the request was sent."""
        super().__init__(message)
        self.cause = cause
        self.attempts = attempts


MALFORMED, BROKEN_OFF, NO_CHOICES, TOO_LARGE = "malformed answer", "broken stream", "no choices", "answer too large"
PROVIDER_FAILED = "broken off by the provider"
UNREADABLE = frozenset((MALFORMED, BROKEN_OFF, NO_CHOICES, TOO_LARGE, PROVIDER_FAILED))
"""Causes of failures where an answer was made, and probably paid for, that nobody can use."""


def has_arrived(cause: str) -> bool:
    """Tell whether a failure is the endpoint's last word on the request, so that only a person asks it again."""
    return cause in UNREADABLE or is_refused(cause)


def is_refused(cause: str) -> bool:
    """Tell whether the endpoint refuses a request as it is: only another request can be answered."""
    status = cause.removeprefix("HTTP ")
    return status != cause and status[:1] == "4" and status not in ("408", "409", "429")


def is_unanswered(error: KnownError) -> bool:
    """Tell whether the endpoint gave no answer to a request, which can be asked again."""
    return isinstance(error, RequestFailedError) and not has_arrived(error.cause)


class BadAnswerError(ValueError):
    """What the endpoint sent is not an answer; ``cause`` is the group it is counted in."""

    def __init__(self, cause: str, reason: str) -> None:
        """Keep the group and what was wrong."""
        super().__init__(reason)
        self.cause = cause


class StatusError(Exception):
    """The endpoint answered with a status other than 2xx; ``body`` is the JSON or text that came with it."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        """Keep what tells why; header names are in lower case."""
        super().__init__(f"HTTP {status}")
        self.status, self.body, self.headers = status, body, headers

    @property
    def said(self) -> str:
        """What the endpoint said, as text."""
        body = self._document
        if isinstance(body, Mapping):
            inner = body.get("error")
            for place in (inner if isinstance(inner, Mapping) else body, body):
                for name in ("message", "detail", "error"):
                    if isinstance(place.get(name), str) and place[name]:
                        return str(place[name])[:_SAID]
            return _shown(body)
        text = body[: 10 * _SAID] if isinstance(body, str) else ""
        return " ".join(text.split())[:_SAID] or "no reason given"

    @property
    def code(self) -> str:
        """The endpoint's own name of the error, empty if it gave none."""
        code = self._error.get("code")
        return code if isinstance(code, str) else ""

    @property
    def refuses_key(self) -> bool:
        """Whether the key is what is wrong, though the status is not 401."""
        return any(item.get("reason") == "API_KEY_INVALID" for item in self._details)

    @property
    def lacks_credit(self) -> bool:
        """Whether the account has to be paid for before anything is answered."""
        said = self.status == _BAD_REQUEST and _NO_CREDIT in self.said.lower()
        return said or self.status == _PAYMENT_REQUIRED or self.code == "insufficient_quota"

    @property
    def retry_delay(self) -> float | None:
        """The seconds to wait as the body tells them, None if it does not."""
        for item in self._details:
            found = _SECONDS.fullmatch(str(item.get("retryDelay", ""))[:20])
            if found:
                return float(found[1])
        return None

    @property
    def _document(self) -> Any:
        """The body, taken out of the list of one that Google's interface sends."""
        return self.body[0] if isinstance(self.body, list) and self.body else self.body

    @property
    def _error(self) -> Mapping[str, Any]:
        body = self._document
        inner = body.get("error", body) if isinstance(body, Mapping) else None
        return inner if isinstance(inner, Mapping) else {}

    @property
    def _details(self) -> list[Mapping[str, Any]]:
        """What Google's services add to an error, each with its @type (google.aip.dev/193)."""
        found = self._error.get("details")
        return [item for item in found[:_DETAILS] if isinstance(item, Mapping)] if isinstance(found, list) else []


_SAID, _DETAILS = 500, 20
_BAD_REQUEST, _PAYMENT_REQUIRED = 400, 402
_NO_CREDIT = "credit balance is too low"
"""What Anthropic answers with status 400."""
_SECONDS = re.compile(r"(\d{1,6}(?:\.\d{1,9})?)s", re.ASCII)


def _shown(body: Mapping[str, Any]) -> str:
    try:
        return str(dict(body))[:_SAID]
    except RecursionError:  # nested too deep to be written
        return "no reason given"
