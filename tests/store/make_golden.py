"""Make a project file of an older schema version: the frozen steps up to it, and two rows in every table.

    python -m tests.store.make_golden 8

The file is written to ``sound/schema-8.annotator.gz``. Files in ``golden/`` stay as they were written: they
stand for the files that people have. Rows are made from the columns that the version has, so that later ones need no
code here.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import sqlite3
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotator.base.ids import content_hash
from annotator.model import contents
from annotator.store.file import schema

FOLDER = Path(__file__).parent / "sound"
COUNT = 2
MOMENT = "2026-03-0{}T10:00:00.000000Z"
CRITERION = "grading:\n  keywords: ['sorted(']\n"
# Parents first; tables that no list names follow in the order of their names.
ORDER = (
    "annotator", "model_under_test", "project", "change", "source", "subject", "subjecttext", "study", "pair",
    "release", "run", "response", "bug", "suggestion", "score_set",
)  # fmt: skip
NOT_FILLED = ("run_scores", "run_counts", "subject_count", "search_gap", "arrival", "block_digest")
"""What is counted and kept: by triggers, or made again when it is missing."""
ITEM = {
    "id": "", "key": "jsonl:1", "title": "Sort", "task": "generation", "language": "python", "domain": "", "area": "",
    "difficulty": "hard", "question_type": "", "licence": "MIT", "prompt": "How do I sort?", "context": "",
    "original_prompt": "How do I sort?", "reference": "Use sorted(x).", "entry_point": "", "dependencies": {},
    "provenance": {"source": "test"}, "extra": {}, "views": None, "tests": [], "criterion": CRITERION,
}  # fmt: skip
VALUES: dict[str, Any] = {
    "kind": "do", "state": "done", "task": "generation", "language": "python", "verdict": "accept", "outcome": "pass",
    "licence": "MIT", "role": "expert", "source": CRITERION, "difficulty": 3, "question": "realistic", "choice": "yes",
    "artefact": "solution", "about": "decision", "method": "discussion", "preset": "plain", "cause": "timeout",
    "order": "left-right", "finish_reason": "stop", "origin": "human", "locked": 0, "removed": 0, "active": 1,
    "weight": 1.0,
    "sample": 0, "serving": 1, "proven": 1, "target_id": None, "reply_to": None, "replaces": None, "proof_id": None,
    "score_set_id": None, "exception_id": None, "timeout": None, "seed": None, "beat_at": None, "owner": "",
    "edits": None,
}  # fmt: skip
OF_TABLE: dict[tuple[str, str], Any] = {
    ("subject", "difficulty"): "hard", ("source", "kind"): "jsonl", ("proof", "kind"): "criterion",
    ("label", "name"): "difficulty", ("label", "value"): "hard", ("response", "outcome"): "answer",
    ("resolution", "outcome"): "accept", ("confirmation", "verdict"): "confirm", ("judgement", "verdict"): "tie",
    ("suggestion", "kind"): "paraphrase", ("suggestion_verdict", "verdict"): "accepted",
    ("study", "kind"): "paraphrase",
    ("pair", "kind"): "paraphrase", ("bug_review", "difficulty"): 1, ("bug", "kind"): "logic",
    ("bug", "family"): "logic", ("audit_answer", "state"): "met", ("settlement", "verdict"): "pass",
    ("label", "before"): "hard", ("releaseitem", "position"): 0, ("release", "item_count"): 1,
    ("bug", "origin"): "operator",
    ("setup", "kind"): "template", ("run", "state"): "done", ("bug", "state"): "proposed",
}  # fmt: skip
JSON_VALUES: dict[str, Any] = {
    "nouns": ["subject"], "left": {"text": "a"}, "right": {"text": "b"}, "counts": {"added": 1},
    "quotas": [{"language": "python", "wanted": 1}], "lines": [1], "provenance": {"source": "test"},
    "parts": [], "labels": [],
}  # fmt: skip


def identifier(table: str, number: int) -> str:
    """Return the identifier of a table's row, the same every time."""
    digest = content_hash([table, number])
    return f"{digest[:8]}-{digest[8:12]}-7{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def make(version: int, path: Path) -> None:
    """Write a project file of a schema version."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        schema.upgrade_file_schema(connection, 0, version)
        connection.execute("BEGIN")
        for table in _tables(connection):
            for number in range(1, 2 if table == "project" else COUNT + 1):
                _insert(connection, table, number)
        connection.execute(
            "INSERT INTO subject_search (rowid, title, key, prompt) SELECT s.row, s.title, s.key, t.prompt "
            "FROM subject s JOIN subjecttext t ON t.subject_id = s.id"
        )
        connection.execute("COMMIT")
        if connection.execute("PRAGMA foreign_key_check").fetchall():
            raise ValueError("a row refers to nothing")
        connection.execute("VACUUM")


def _tables(connection: sqlite3.Connection) -> list[str]:
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    own = {name for name in names if not name.startswith(("sqlite_", "subject_search"))} - set(NOT_FILLED)
    return [name for name in ORDER if name in own] + sorted(own - set(ORDER))


def _insert(connection: sqlite3.Connection, table: str, number: int) -> None:
    parents = {row[3]: (row[2], row[4]) for row in connection.execute(f'PRAGMA foreign_key_list("{table}")')}
    row: dict[str, Any] = {}
    for _, column, kind, _, _, _ in connection.execute(f'PRAGMA table_info("{table}")'):
        parent = parents.get(column)
        if column in ("prompt_id", "criterion_id"):
            row[column] = identifier(column.removesuffix("_id"), number)
        elif table == "project" and column == "settings":
            row[column] = json.dumps({"annotator": identifier("annotator", 1)})
        elif table == "releaseitem" and column == "item":
            row[column] = json.dumps(_item(number))
        elif table == "question" and column == "body":
            row[column] = json.dumps(_question(number))
        elif table == "subject" and column == "holder_id":
            row[column] = identifier("annotator", number)
        else:
            row[column] = identifier(parent[0], number) if parent else _value(table, column, kind, number)
    row.update({name: value for name, value in _hashes(connection, table, row, number).items() if name in row})
    names = ", ".join(f'"{name}"' for name in row)
    connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(row))})', tuple(row.values()))


def _item(number: int) -> dict[str, Any]:
    item = {**ITEM, "id": identifier("subject", number), "key": f"jsonl:{number}"}
    return {**item, "content_hash": content_hash(item)}


def _question(number: int) -> dict[str, Any]:
    return {"prompt": f"Question {number}"}


def _hashes(connection: sqlite3.Connection, table: str, row: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the hashes of a row: each is that of what it names, as in the files that people have."""
    answer, asked = content_hash(f"response text {number}"), content_hash(_question(number))
    secret, names = f"blind_key secret {number}", (f"blind_key name_a {number}", f"blind_key name_b {number}")
    pair = contents.hash_pair(secret, identifier("pair", number), "", "a", "b")
    found: dict[str, dict[str, Any]] = {
        "criterion": {"content_hash": content_hash(CRITERION)},
        "proof": {"content_hash": content_hash(CRITERION)},
        "subject": {"content_hash": _hash_subject(connection, row, number)} if table == "subject" else {},
        "releaseitem": {"content_hash": _item(number)["content_hash"]},
        "release": {"content_hash": contents.hash_items([_item(number)["content_hash"]])},
        "revision": {"content_hash": contents.hash_artefact("solution", f"revision content {number}")},
        "rewriting": {"content_hash": content_hash({})},
        "bug": {"content_hash": contents.hash_bug(f"bug reference_hash {number}", "logic", f"bug code {number}")},
        "response": {"content_hash": answer, "question_hash": asked},
        "settlement": {"answer_hash": answer},
        "question": {"content_hash": asked, "characters": len(_question(number)["prompt"])},
        "published_table": {"content_hash": content_hash({})},
        "pair": {"commitment": pair},
        "study": {"commitment": contents.hash_study(secret, names, {identifier("pair", number): pair})},
    }
    return found.get(table, {})


def _hash_subject(connection: sqlite3.Connection, row: Mapping[str, Any], number: int) -> str:
    fields = dict(row)
    test: dict[str, Any] = {}
    for table, target in (("subjecttext", fields), ("testcase", test)):
        for _, column, kind, *_ in connection.execute(f'PRAGMA table_info("{table}")'):
            value = _value(table, column, kind, number)
            target[column] = json.loads(value) if kind == "JSON" else value
    covered = {name: fields[name] for name in contents.SUBJECT_FIELDS}
    return contents.hash_subject(
        {**covered, "criterion": CRITERION}, [{name: test[name] for name in contents.TEST_FIELDS}]
    )


def _value(table: str, column: str, kind: str, number: int) -> Any:
    if (table, column) in OF_TABLE:
        return OF_TABLE[table, column]
    if column == "id":
        return identifier(table, number)
    if column == "key":
        return f"jsonl:{number}"
    if (table, column) == ("suggestion", "prompt"):
        return "[]"
    if column.endswith("_at") and kind == "VARCHAR":
        return MOMENT.format(number)
    if kind == "JSON":
        return json.dumps(JSON_VALUES.get(column, {}))
    if column in VALUES:
        return VALUES[column]
    if kind == "BOOLEAN":
        return 1
    if kind in ("INTEGER", "FLOAT"):
        return number
    return f"{table} {column} {number}"


if __name__ == "__main__":
    for wanted in map(int, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as name:
            made = Path(name) / "p.annotator"
            make(wanted, made)
            (FOLDER / f"schema-{wanted}.annotator.gz").write_bytes(gzip.compress(made.read_bytes(), 9, mtime=0))
