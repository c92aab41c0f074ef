"""Check every stored hash against its content."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

from sqlalchemy import Connection, select

from annotator.base.ids import content_hash
from annotator.model import contents
from annotator.store.core_tables import (
    CRITERION,
    LABEL,
    SUBJECT,
    SUBJECT_TEXT,
    TEST_CASE,
    as_stored,
    chunks,
    find_table,
)
from annotator.store.history.undo_log import LABELS

Row = dict[str, Any]
_CHUNK = 500
_JSON_TEXTS = ("dependencies", "extra")
"""The JSON documents among a subject's texts."""
_TEST_NUMBERS = ("weight", "timeout")
"""Numbers of a test, which the database stores as 1.0 even if the file had 1."""

HASHED_COLUMNS: dict[str, tuple[tuple[str, ...], Callable[..., str]]] = {
    "criterion": (("source",), content_hash),
    "revision": (("artefact", "content"), contents.hash_artefact),
    "rewriting": (("document",), lambda document: content_hash(json.loads(document))),
    "bug": (("reference_hash", "kind", "code"), contents.hash_bug),
    "response": (("text",), content_hash),
    "question": (("body",), lambda body: content_hash(json.loads(body))),
    "published_table": (("content",), lambda table: content_hash(json.loads(table))),
    "releaseitem": (("item",), lambda item: contents.hash_item(json.loads(item))),
}
"""By table: the columns that ``content_hash`` covers, and the function that computes it from their stored values."""


def find_changed_work(connection: Connection) -> Iterator[str]:
    """Yield a sentence for each criterion and revision that does not match its hash."""
    for table in ("criterion", "revision"):
        yield from _rows_under_other_hash(connection, table)


def _rows_under_other_hash(connection: Connection, name: str) -> Iterator[str]:
    table = find_table(name)
    *_, key = table.primary_key.columns.keys()
    query = select(*(as_stored(table.c[column]) for column in (key, "content_hash", *HASHED_COLUMNS[name][0])))
    for row in connection.execution_options(stream_results=True).execute(query).mappings():
        if not matches_hash(name, row):
            yield f"{name} {row[key]}: its content does not match its hash"


def matches_hash(table: str, row: Mapping[Any, Any]) -> bool:
    """Return whether a row's stored content matches its ``content_hash``; True if no hash covers just this row."""
    covered, compute = HASHED_COLUMNS.get(table, ((), None))
    if compute is None or (table == "bug" and not row["reference_hash"]):
        return True  # Older programs did not store the hash of a bug's reference.
    return bool(compute(*(row[name] for name in covered)) == row["content_hash"])


def find_changed_subjects(connection: Connection, subject_ids: Sequence[str] | None = None) -> Iterator[str]:
    """Yield a sentence for each subject, of some or all, that does not match its hash."""
    all_ids = (
        subject_ids
        if subject_ids is not None
        else list(connection.scalars(select(SUBJECT.c.id).order_by(SUBJECT.c.row)))
    )
    for part in chunks(all_ids, _CHUNK):
        labels = _first_labels(connection, part)
        tests = _fetch_tests(connection, part)
        criteria = _fetch_criteria(connection, part)
        names = [name for name in contents.SUBJECT_FIELDS if name not in contents.SUBJECT_TEXTS]
        query = (
            select(
                *(SUBJECT.c[name] for name in ("id", "key", "content_hash")),
                *(SUBJECT.c[name] for name in names),
                *(as_stored(SUBJECT_TEXT.c[name]).label(name) for name in contents.SUBJECT_TEXTS),
            )
            .join_from(SUBJECT, SUBJECT_TEXT, SUBJECT_TEXT.c.subject_id == SUBJECT.c.id, isouter=True)
            .where(SUBJECT.c.id.in_(part))
        )
        for row in connection.execute(query).mappings():
            if row["prompt"] is None:
                yield f"subject {row['key']}: its texts are missing"
                continue
            fields: Row = {name: row[name] for name in contents.SUBJECT_FIELDS}
            fields.update({name: json.loads(row[name]) for name in _JSON_TEXTS}, **labels.get(row["id"], {}))
            own_tests = tests.get(row["id"], [])
            possible_criteria = {"", *criteria.get(row["id"], ())}
            hashes = (
                contents.hash_subject({**fields, "criterion": criterion}, test_form)
                for criterion in possible_criteria
                for test_form in _number_forms(own_tests)
            )
            if row["content_hash"] not in hashes:
                yield f"subject {row['key']}: its content does not match its hash"


def _number_forms(tests: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the tests with whole weights and time limits as 1.0 and as 1: the hash covers the number as imported."""
    for is_each_whole in product((False, True), repeat=len(_TEST_NUMBERS)):
        names = [name for name, is_whole in zip(_TEST_NUMBERS, is_each_whole, strict=True) if is_whole]
        if all(any(_is_whole(test[name]) for test in tests) for name in names):
            yield [
                {name: int(value) if name in names and _is_whole(value) else value for name, value in test.items()}
                for test in tests
            ]


def _is_whole(value: object) -> bool:
    return isinstance(value, float) and value.is_integer()


def _first_labels(connection: Connection, subject_ids: Any) -> dict[str, Row]:
    """Return each label's value before its first change, by subject."""
    query = select(LABEL.c.subject_id, LABEL.c.name, LABEL.c.before).where(
        LABEL.c.subject_id.in_(subject_ids), LABEL.c.name.in_(LABELS)
    )
    labels: dict[str, Row] = {}
    for subject, name, before in connection.execute(query.order_by(LABEL.c.created_at, LABEL.c.id)):
        labels.setdefault(subject, {}).setdefault(name, before)
    return labels


def _fetch_tests(connection: Connection, subject_ids: Any) -> dict[str, list[Row]]:
    fields = contents.TEST_FIELDS
    query = select(TEST_CASE.c.subject_id, *(as_stored(TEST_CASE.c[name]).label(name) for name in fields))
    query = query.where(TEST_CASE.c.subject_id.in_(subject_ids)).order_by(TEST_CASE.c.subject_id, TEST_CASE.c.position)
    tests_by_subject: dict[str, list[Row]] = {}
    for row in connection.execute(query).mappings():
        test = {name: row[name] for name in fields}
        tests_by_subject.setdefault(row["subject_id"], []).append({**test, "inputs": json.loads(test["inputs"])})
    return tests_by_subject


def _fetch_criteria(connection: Connection, subject_ids: Any) -> dict[str, list[str]]:
    """Return all criteria of subjects; the hash shows which of them a subject was imported with."""
    query = select(CRITERION.c.subject_id, CRITERION.c.source).where(CRITERION.c.subject_id.in_(subject_ids))
    criteria: dict[str, list[str]] = {}
    for subject, source in connection.execute(query):
        criteria.setdefault(subject, []).append(source)
    return criteria


def _changed_releases(connection: Connection) -> Iterator[str]:
    release, item = find_table("release"), find_table("releaseitem")
    frozen: dict[str, list[str]] = {}
    query = select(item.c.release_id, item.c.subject_id, item.c.position, item.c.content_hash, as_stored(item.c.item))
    for release_id, subject, position, digest, text in connection.execute(
        query.order_by(item.c.release_id, item.c.position)
    ):
        hashes = frozen.setdefault(release_id, [])
        document = json.loads(text)
        if position != len(hashes) or document.get("id") != subject or document.get("content_hash") != digest:
            yield f"releaseitem {subject}: the item does not belong to its position"
        hashes.append(digest)
    for release_id, version, digest, count in connection.execute(
        select(release.c.id, release.c.version, release.c.content_hash, release.c.item_count)
    ):
        hashes = frozen.get(release_id, [])
        if len(hashes) != count or contents.hash_items(hashes) != digest:
            yield f"release {version}: its items do not match its hash"


def _changed_studies(connection: Connection) -> Iterator[str]:
    study, key, pair = find_table("study"), find_table("blind_key"), find_table("pair")
    pairs: dict[str, list[tuple[str, str, str, str]]] = {}
    query = select(pair.c.study_id, pair.c.id, pair.c.left, pair.c.right, pair.c.commitment)
    for study_id, pair_id, left_text, right_text, digest in connection.execute(
        query.where(pair.c.study_id.is_not(None))
    ):
        pairs.setdefault(study_id, []).append(
            (pair_id, str(left_text.get("text")), str(right_text.get("text")), digest)
        )
    names = (study.c.id, study.c.name, study.c.commitment, key.c.secret, key.c.name_a, key.c.name_b, key.c.sides)
    for study_id, name, digest, secret, name_a, name_b, sides in connection.execute(
        select(*names).join_from(study, key, key.c.study_id == study.c.id)
    ):
        study_pairs = pairs.get(study_id, [])
        hashes = {
            pair_id: contents.hash_pair(secret, pair_id, sides.get(pair_id, ""), left_text, right_text)
            for pair_id, left_text, right_text, _ in study_pairs
        }
        for pair_id, _, _, commitment in study_pairs:
            if hashes[pair_id] != commitment:
                yield f"pair {pair_id}: its texts or its key do not match its hash"
        if (
            contents.hash_study(
                secret, (name_a, name_b), {pair_id: commitment for pair_id, _, _, commitment in study_pairs}
            )
            != digest
        ):
            yield f"study {name}: its pairs or its key do not match its hash"


RULES: tuple[tuple[str, Callable[[Connection], Iterator[str]]], ...] = (
    *((table, partial(_rows_under_other_hash, name=table)) for table in HASHED_COLUMNS),
    ("subject", find_changed_subjects),
    ("release", _changed_releases),
    ("study", _changed_studies),
)
