"""The batch interface of an endpoint: many requests in one file, answered within a day at a lower price.

A file of requests is uploaded and a batch is created from it. When the batch has ended, its answers are in an output
file and its failures in an error file. A line's ``custom_id`` is the hash of its request, so that answers can be
matched even if the process that sent them is gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, Any

from annotator.llm.answers import Answer, storable_text
from annotator.llm.client import Client
from annotator.llm.endpoint_errors import MALFORMED, AttemptFailedError
from annotator.llm.probe import probe_endpoint, question_like
from annotator.llm.requests import Form, Request

MAX_FILE_REQUESTS = 50_000
"""The lowest limit of requests in one file that services publish."""
MAX_FILE_BYTES = 100_000_000
"""Half of the lowest limit of bytes in one file that services publish, to keep uploads short."""
EXPIRED = "batch expired"
_PATHS: dict[Form, Any] = {"chat": "/v1/chat/completions", "completion": "/v1/completions"}
_ENDED = frozenset(("completed", "failed", "expired", "cancelled"))
_MAX_MEMORY_BYTES = 8_000_000
_MAX_TEXT_LENGTH = 300
_MAX_PAGES = 20


@dataclass(frozen=True, slots=True)
class BatchProblem:
    """Why an endpoint rejected a batch file; ``line`` (from 1) is the offending one, or None."""

    code: str
    message: str
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchReport:
    """The endpoint's record of a batch: state, files, and the number of finished requests."""

    id: str
    state: str
    input_file: str
    files: tuple[str, ...] = ()
    done: int = 0
    problems: tuple[BatchProblem, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether the batch has reached a final state."""
        return self.state in _ENDED


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchLine:
    """A line of a batch's files: a response with its status, or the name of an error without a response."""

    custom_id: str
    status: int
    document: Any
    code: str = ""
    message: str = ""


class BatchClient:
    """Batches at one endpoint. Every method raises the same errors as `Client.attempt`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def connected(self) -> bool:
        """Whether any connection to the endpoint was ever made."""
        return self._client.connected

    def stop(self) -> None:
        """Abort the running exchanges; every later one fails at once."""
        self._client.stop()

    def probe(self, request: Request) -> None:
        """Ask a tiny question like a request; raises the errors of `probe_endpoint`."""
        probe_endpoint(self._client.endpoint, question_like(request), stopped=lambda: self._client.stopped)

    def encode(self, request: Request) -> bytes:
        """Return a request as a line of a batch file."""
        row = {
            "custom_id": request.hash,
            "method": "POST",
            "url": _PATHS[request.form],
            "body": self._client.endpoint.body_of(request),
        }
        return json.dumps(row, separators=(",", ":")).encode("ascii") + b"\n"

    def upload(self, lines: Iterable[bytes]) -> str:
        """Upload a file of request lines; return its id at the endpoint."""
        with TemporaryFile() as file:
            file.writelines(lines)
            file.seek(0)
            return _require_text(self._client.attempt(lambda api: api.upload("requests.jsonl", _rewind(file))), "id")

    def create(self, file_id: str, form: Form) -> BatchReport:
        """Create a batch from an uploaded file."""
        return _read_report(self._client.attempt(lambda api: api.create_batch(file_id, _PATHS[form])))

    def find(self, file_id: str) -> BatchReport | None:
        """Return the batch created from a file, or None."""
        after = ""
        for _ in range(_MAX_PAGES):
            page = self._client.attempt(lambda api, at=after: api.batches(at))  # type: ignore[misc]
            rows = page.get("data") if isinstance(page, Mapping) else None
            reports = [_read_report(row) for row in rows] if isinstance(rows, list) else []
            for report in reports:
                if report.input_file == file_id:
                    return report
            if not reports or not page.get("has_more"):
                break
            after = reports[-1].id
        return None

    def fetch_report(self, batch_id: str) -> BatchReport:
        """Return the current state of a batch."""
        return _read_report(self._client.attempt(lambda api: api.batch(batch_id)))

    def lines(self, file_id: str) -> Iterator[BatchLine]:
        """Download a file of answers, then return its lines; malformed lines are left out."""
        file = self._client.attempt(lambda api: _copy_to_file(api.iter_lines(file_id)))
        return (line for line in map(_read_line, _read_and_close(file)) if line is not None)

    def answer_of(self, request: Request, line: BatchLine) -> Answer:
        """Return a line's answer; raises the same errors as `Client.ask_once`."""
        if line.code:
            cause = EXPIRED if line.code in ("batch_expired", "batch_cancelled") else f"batch: {line.code}"
            raise AttemptFailedError(cause, f"the batch brought no answer ({line.message or line.code})")
        return self._client.read_line(request, line.status, line.document)


def _copy_to_file(lines: Iterable[bytes]) -> IO[bytes]:
    """Return a temporary file with these lines; a large one is written to disk."""
    file = SpooledTemporaryFile(_MAX_MEMORY_BYTES)  # noqa: SIM115 - closed by its reader
    try:
        for line in lines:
            file.write(line + b"\n")
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def _read_and_close(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        yield from file


def _rewind(file: IO[bytes]) -> IO[bytes]:
    file.seek(0)
    return file


def _require_text(row: Any, name: str) -> str:
    value = row.get(name) if isinstance(row, Mapping) else None
    if not isinstance(value, str) or not value:
        raise AttemptFailedError(MALFORMED, f"the endpoint's record has no {name}")
    return storable_text(value[:_MAX_TEXT_LENGTH])


def _optional_text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return storable_text(value[:_MAX_TEXT_LENGTH]) if isinstance(value, str) else ""


def _read_report(row: Any) -> BatchReport:
    """Parse an endpoint's record of a batch. Raises `AttemptFailedError` if it is malformed."""
    batch_id, state = _require_text(row, "id"), _require_text(row, "status")
    counts = row.get("request_counts")
    errors = row.get("errors")
    ended_counts = [counts.get(name) for name in ("completed", "failed")] if isinstance(counts, Mapping) else []
    problems = errors.get("data") if isinstance(errors, Mapping) else errors
    return BatchReport(
        id=batch_id,
        state=state,
        input_file=_optional_text(row, "input_file_id"),
        # Answers first: failures count differently after the first answer.
        files=tuple(
            name for name in (_optional_text(row, "output_file_id"), _optional_text(row, "error_file_id")) if name
        ),
        done=sum(count for count in ended_counts if isinstance(count, int) and count > 0),
        problems=tuple(_read_problem(problem) for problem in problems) if isinstance(problems, list) else (),
    )


def _read_problem(row: Any) -> BatchProblem:
    if not isinstance(row, Mapping):
        return BatchProblem("", storable_text(str(row)[:_MAX_TEXT_LENGTH]), None)
    line = row.get("line")
    return BatchProblem(
        _optional_text(row, "code"), _optional_text(row, "message"), line if isinstance(line, int) else None
    )


def _read_line(text: bytes) -> BatchLine | None:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, Mapping) or not isinstance(row.get("custom_id"), str):
        return None
    response, error = row.get("response"), row.get("error")
    if isinstance(response, Mapping) and isinstance(response.get("status_code"), int):
        return BatchLine(custom_id=row["custom_id"], status=response["status_code"], document=response.get("body"))
    code, message = (
        (_optional_text(error, "code"), _optional_text(error, "message")) if isinstance(error, Mapping) else ("", "")
    )
    return BatchLine(custom_id=row["custom_id"], status=0, document=None, code=code or "no response", message=message)
