"""What can go wrong when a model is asked, told apart by who can do something about it."""

from __future__ import annotations

from annotator.base.errors import ExitCode, KnownError


class EndpointStopError(KnownError):
    """The endpoint refuses for a reason that repeating cannot mend (key, address, model, request): stop the run."""

    exit_code = ExitCode.ENVIRONMENT

    def __init__(self, message: str, status: int = 0) -> None:
        """Keep the sentence and the HTTP status it came with (0 if there was none)."""
        super().__init__(message)
        self.status = status


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


class BadAnswerError(ValueError):
    """What the endpoint sent is not an answer; ``cause`` is the group it is counted in."""

    def __init__(self, cause: str, reason: str) -> None:
        """Keep the group and what was wrong."""
        super().__init__(reason)
        self.cause = cause
