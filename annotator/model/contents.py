"""Content hashes: one function for each kind of hashed content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.base.ids import content_hash

SUBJECT_TEXTS = ("prompt", "reference", "context", "entry_point", "dependencies", "extra")
"""Fields of `SubjectText` that a subject's hash covers."""
SUBJECT_FIELDS = (
    "title", "task", "language", "domain", "area", "difficulty", "question_type", "views", "licence", *SUBJECT_TEXTS,
)  # fmt: skip
"""Fields that a subject's hash covers, besides its original tests and criterion."""
TEST_FIELDS = ("name", "code", "language", "inputs", "expected", "weight", "timeout")
_MODE = "sandbox_mode"


def hash_subject(fields: Mapping[str, Any], tests: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of a subject as imported: `SUBJECT_FIELDS`, its criterion, and its tests in order."""
    extra = fields["extra"]
    if extra.get(_MODE) == "shared":
        # The mode was once called fast; candidates imported then must keep their hash.
        extra = {**extra, _MODE: "fast"}
    return content_hash({**fields, "extra": extra, "tests": tests})


def hash_artefact(artefact: str, content: str) -> str:
    """Return the hash of a solution or of tests, which confirmations refer to."""
    return content_hash({artefact: content})


def hash_bug(reference_hash: str, kind: str, code: str) -> str:
    """Return the hash of everything that a bug's proof depends on."""
    return content_hash({"reference": reference_hash, "kind": kind, "code": code})


def hash_items(hashes: Sequence[str]) -> str:
    """Return the hash of a release, from its items' hashes in order."""
    return content_hash(list(hashes))


def hash_item(item: Mapping[str, Any]) -> str:
    """Return the hash of a released item, of everything except ``content_hash`` itself."""
    return content_hash({name: value for name, value in item.items() if name != "content_hash"})


def hash_pair(secret: str, pair_id: str, side_of_a: str, left_text: str, right_text: str) -> str:
    """Return the hash that commits to a pair's texts and to the side of candidate A."""
    return content_hash({"secret": secret, "pair": pair_id, "a": side_of_a, "left": left_text, "right": right_text})


def hash_study(secret: str, names: tuple[str, str], pairs: Mapping[str, str]) -> str:
    """Return a study's hash, of its secret, the names of A and B, and every pair's hash."""
    return content_hash({"secret": secret, "names": list(names), "pairs": dict(pairs)})
