"""Read verdicts from elsewhere, without the texts of the answers.

A row is ``model, protocol, domain, repository, path, function, outcomes`` with one outcome per sample, and ``mask`` if
subjects of the same name are distinguished by their masked code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from annotator.formats.interchange.domaineval import domaineval_key
from annotator.formats.read.import_records import RowError
from annotator.formats.read.typed_columns import ColumnError, Row, read_rows, text_column, text_list_column
from annotator.model.vocabulary import Outcome

_FAILURES = ("fail", "failed", "timeout", "error", "compile_error", "memory", "output_limit", "crash")
_OUR_WORDS = ("disputed", "flaky", "tampered", "empty", "refusal", "truncated", "filtered")
WORDS: Mapping[str, Outcome] = {
    **dict.fromkeys(("pass", "passed"), Outcome.PASS),
    **dict.fromkeys(_FAILURES, Outcome.FAIL),
    "no_code": Outcome.EMPTY,
    **{word: Outcome(word) for word in _OUR_WORDS},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOutcome:
    """The outcomes of one model's samples on one subject under one protocol; ``words`` are the outcomes as written."""

    model: str
    protocol: str
    domain: str
    repository: str
    path: str
    function: str
    mask: str
    words: tuple[str, ...]

    @property
    def path_below(self) -> str:
        """The file's path relative to the repository."""
        parts = PurePosixPath(self.path).parts
        return "/".join(parts[parts.index(self.repository) + 1 :] if self.repository in parts else parts)

    @property
    def key(self) -> str:
        """The key of the subject as `annotator.formats.interchange.domaineval` reads it."""
        return domaineval_key(self.repository, self.path_below, self.function, self.mask)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes in our terms; a timeout is a failure, and an answer without code counts as no answer."""
        return tuple(WORDS[word] for word in self.words)


def read_outcomes(path: Path) -> Iterator[RecordedOutcome | RowError]:
    """Yield the verdicts of each row, or the error of a row that cannot be read."""
    yield from read_rows(path, _recorded_outcome)


def _recorded_outcome(row: Row) -> RecordedOutcome:
    words = text_list_column(row, "outcomes")
    if not words:
        raise ColumnError("column outcomes holds no verdict")
    unknown = [word for word in words if word not in WORDS]
    if unknown:
        raise ColumnError(f"{unknown[0][:40]} is not an outcome; there are: {', '.join(WORDS)}")
    return RecordedOutcome(
        model=text_column(row, "model", filled=True),
        protocol=text_column(row, "protocol", default=""),
        domain=text_column(row, "domain", default=""),
        repository=text_column(row, "repository", default=""),
        path=text_column(row, "path", default=""),
        function=text_column(row, "function", filled=True),
        mask=text_column(row, "mask", default=""),
        words=tuple(words),
    )
