"""Checks for the rows of every format, whichever reader they come from."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from annotator.base.plain_json import plain_json
from annotator.formats.read.import_records import CONTENT_FIELDS, Candidate, RowError, RowPlace

_NOWHERE = RowPlace(file="", line=0)


@dataclass(frozen=True, slots=True)
class _RowContent:
    """The parts of a candidate's content that are compared and named."""

    prompt: str
    reference: str
    tests: str
    other_fields: str

    def digest(self) -> bytes:
        """Return 8 bytes per part; short, since it is kept for every row of an import."""
        return struct.pack("4q", hash(self.prompt), hash(self.reference), hash(self.tests), hash(self.other_fields))


_PART_NAMES = ("prompt", "reference", "tests", "other fields")


@dataclass(slots=True)
class RowChecks:
    """Checks across the rows of one import, over all its files."""

    _first_rows: dict[str, tuple[RowPlace, bytes]] = field(default_factory=dict)

    def check(self, items: Iterable[Candidate | RowError]) -> Iterator[Candidate | RowError]:
        """Yield a reader's items, with a `RowError` for each row that repeats an id with different content, or has a
        null character, which databases cannot store.

        Numbers that JSON lacks are converted by `plain_json`.
        """
        for item in items:
            yield item if isinstance(item, RowError) else self._check_candidate(item)

    def _check_candidate(self, candidate: Candidate) -> Candidate | RowError:
        content = {name: getattr(candidate, name) for name in CONTENT_FIELDS}
        parts = _RowContent(
            prompt=content.pop("prompt"),
            reference=content.pop("reference"),
            tests=_json_text([test.as_row() for test in candidate.tests]),
            other_fields=_json_text(content),
        )
        place = candidate.place or _NOWHERE
        texts = (parts.tests, parts.other_fields, _json_text(candidate.provenance))
        if "\x00" in parts.prompt + parts.reference or any("\\u0000" in text.replace("\\\\", "") for text in texts):
            return RowError(place.file, place.line, "the row contains a null character. Remove it")
        digest = parts.digest()
        first, first_digest = self._first_rows.setdefault(candidate.key, (place, digest))
        if first_digest != digest:
            return _repeated_id(candidate.key, place, first, _differing_parts(first_digest, digest))
        if any("NaN" in text or "Infinity" in text for text in texts):
            return _with_plain_numbers(candidate)
        return candidate


def _json_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _differing_parts(first_digest: bytes, digest: bytes) -> list[str]:
    pairs = zip(_PART_NAMES, struct.unpack("4q", first_digest), struct.unpack("4q", digest), strict=True)
    differing = [name for name, first_hash, other_hash in pairs if first_hash != other_hash]
    # The title comes from the prompt, so it differs along with it.
    return differing[:-1] if len(differing) > 1 and differing[-1] == _PART_NAMES[-1] else differing


def _repeated_id(key: str, place: RowPlace, first: RowPlace, differing: list[str]) -> RowError:
    first_place = f"line {first.line}" if first.file == place.file else f"{first.file}:{first.line}"
    first_place = first_place if first.line else first.file
    reason = f"the row has the id of {first_place} ({key.partition(':')[2] or key}), but not its {', '.join(differing)}"
    return RowError(place.file, place.line, f"{reason}. Give one of the two another id, or ignore the column of ids")


def _with_plain_numbers(candidate: Candidate) -> Candidate:
    objects = {name: plain_json(getattr(candidate, name)) for name in ("extra", "provenance", "dependencies")}
    tests = tuple(replace(test, inputs=plain_json(test.inputs)) for test in candidate.tests)
    return replace(candidate, tests=tests, **objects)
