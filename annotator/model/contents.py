"""What content hashes cover: one function for each kind of content that is named by its hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotator.base.ids import content_hash

SUBJECT_TEXTS = ("prompt", "reference", "context", "entry_point", "dependencies", "extra")
"""Fields of a subject's wide half that its hash covers."""
SUBJECT_FIELDS = (
    "title", "task", "language", "domain", "area", "difficulty", "question_type", "views", "licence", *SUBJECT_TEXTS,
)  # fmt: skip
"""Fields that a subject's hash covers, beside its tests and the criterion it came with."""
TEST_FIELDS = ("name", "code", "language", "inputs", "expected", "weight", "timeout")
_MODE = "sandbox_mode"


def hash_subject(fields: Mapping[str, Any], tests: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of what a subject came with: `SUBJECT_FIELDS`, its criterion, and its tests in their order."""
    extra = fields["extra"]
    if extra.get(_MODE) == "shared":
        # It was called fast once: what was imported then is the same candidate.
        extra = {**extra, _MODE: "fast"}
    return content_hash({**fields, "extra": extra, "tests": tests})


def hash_artefact(artefact: str, content: str) -> str:
    """Return the hash of a solution or of tests, on which confirmations hang."""
    return content_hash({artefact: content})


def hash_bug(reference_hash: str, kind: str, code: str) -> str:
    """Return the hash of all that a bug's proof rests on."""
    return content_hash({"reference": reference_hash, "kind": kind, "code": code})


def hash_items(hashes: Sequence[str]) -> str:
    """Return the hash of a release: of its items' hashes in their order."""
    return content_hash(list(hashes))


def hash_item(item: Mapping[str, Any]) -> str:
    """Return the hash of a released item: of everything in it but the hash itself."""
    return content_hash({name: value for name, value in item.items() if name != "content_hash"})


def hash_pair(secret: str, pair_id: str, side_of_a: str, left: str, right: str) -> str:
    """Return the hash that binds a pair's texts to the side on which candidate A stands."""
    return content_hash({"secret": secret, "pair": pair_id, "a": side_of_a, "left": left, "right": right})


def hash_study(secret: str, names: tuple[str, str], pairs: Mapping[str, str]) -> str:
    """Return a study's hash: of its secret, what A and B are, and every pair's own hash."""
    return content_hash({"secret": secret, "names": list(names), "pairs": dict(pairs)})
