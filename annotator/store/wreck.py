"""A damaged project, read row by row from a copy: what is lost is what no way of reading it brings back.

The damaged file itself is never opened for writing. Ways to read it are tried in order: with its write-ahead log,
without it, and with its first page (where SQLite keeps the list of tables) taken from a sound file of the same layout.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import new_id
from annotator.model.rows import ChangeRow
from annotator.store import backup, schema
from annotator.store.connection import connect

_BARREN = 3000
_BARREN_FIRST = 256
"""So many attempts in a row may bring nothing before a gap is given up; fewer in a table of which nothing was read."""
_UNREADABLE = "not a database"
_BEYOND = 1 << 16
_INNER = 5
"""How an inner page of a table begins."""
_MAIN = ("project", "annotator", "change", "subject", "subjecttext", "decision", "prompt", "criterion")
Record = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    words: str
    copy: Path
    rows: int
    tables: int
    project: str


@dataclass
class Reading:
    """How reading one table went: rows read, and what SQLite said where it failed."""

    readable: int = 0
    expected: int | None = None
    problem: str = ""
    last: int = 0
    seen: set[int] = field(default_factory=set)


class Wreck:
    """Copies of a damaged project in a temporary folder, and the way of reading that shows most of it."""

    def __init__(self, path: Path) -> None:
        """Copy the file and choose how to read it.

        Raises `MissingEnvironmentError` if it cannot be copied and `BadInputError` if nothing in it can be read.
        """
        self.path = path
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="annotator-recover-"))
        except OSError as error:
            raise MissingEnvironmentError(f"There is no room for a copy of {path.name} ({error.strerror}).") from error
        try:
            self.source, self._copy = self._choose()
        except OSError as error:
            self.close()
            raise MissingEnvironmentError(f"{path.name} could not be copied ({error.strerror}).") from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Remove the copies."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def open(self) -> sqlite3.Connection:
        """Return a connection to the copy that shows most; close it when done."""
        return _opened(self._copy)

    def _choose(self) -> tuple[str, Path]:
        ways = list(self._ways())
        best = max(range(len(ways)), key=lambda at: (ways[at].rows, ways[at].tables, -at))  # the earlier of equals
        # A log of another project may read without a fault and show that project instead of this one.
        if len(ways) > 1 and best == 0 and ways[1].project and ways[0].project != ways[1].project:
            best = 1
        if not ways[best].rows:
            raise BadInputError(
                f"Nothing in {self.path.name} can be read any more. It was left as it is; "
                "annotator backups list shows what backups there are."
            )
        return ways[best].words, ways[best].copy

    def _ways(self) -> Iterator[_Way]:
        log, number = Path(f"{self.path}-wal"), 0
        best = 0
        for words, with_log in (("the file with its log", True), ("the file", False)):
            if with_log and not (log.exists() and log.stat().st_size):
                continue
            way = _looked_at(words, self._copied(number, with_log, None))
            best, number = max(best, way.tables if way.rows else 0), number + 1
            yield way
        donors = list(self._donors())
        if best >= _tables(donors[-1]):
            return
        version = self._version()
        for donor in donors:
            if version in (0, _version_of(donor)):
                copy = self._copied(number, False, donor)
                number += 1
                yield _looked_at(f"the file with the list of tables of {donor.name}", copy)

    def _version(self) -> int:
        """Return the schema version in the header, 0 if the header is gone."""
        with self.path.open("rb") as file:
            header = file.read(100)
        return int.from_bytes(header[60:64]) if header.startswith(b"SQLite format 3") else 0

    def _copied(self, number: int, with_log: bool, donor: Path | None) -> Path:
        copy = self._folder / f"{number}.annotator"
        shutil.copyfile(self.path, copy)
        if with_log:
            shutil.copyfile(Path(f"{self.path}-wal"), Path(f"{copy}-wal"))
        if donor is not None:
            _transplant(copy, donor)
        return copy

    def _donors(self) -> Iterator[Path]:
        for item in backup.backups(self.path):
            yield item.path
        fresh = self._folder / "a new project"
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA page_size = {schema.PAGE_SIZE}")
            connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            schema.migrate(connection, 0)
        yield fresh


def _version_of(path: Path) -> int:
    with path.open("rb") as file:
        return int.from_bytes(file.read(100)[60:64])


def _transplant(copy: Path, donor: Path) -> None:
    """Give a copy the pages of a sound file that list its tables, with its own number of pages in the header."""
    pages = _schema_pages(donor)
    size = max(copy.stat().st_size // schema.PAGE_SIZE, *pages)
    first = bytearray(pages[1])
    first[18:20] = b"\x01\x01"  # read and written without a log
    first[28:32] = size.to_bytes(4)
    first[92:96] = first[24:28]  # SQLite believes the number of pages only if these two agree
    first[32:40] = bytes(8)  # no list of free pages: it would be the donor's
    with copy.open("r+b") as file:
        for number, page in {**pages, 1: bytes(first)}.items():
            file.seek((number - 1) * schema.PAGE_SIZE)
            file.write(page)


def _schema_pages(donor: Path) -> dict[int, bytes]:
    """Return the pages of the list of tables, by number: page 1 and, where that is an inner page, those below it."""
    found: dict[int, bytes] = {}
    wanted = [1]
    with donor.open("rb") as file:
        while wanted:
            number = wanted.pop()
            file.seek((number - 1) * schema.PAGE_SIZE)
            page = file.read(schema.PAGE_SIZE)
            found[number] = page
            start = 100 if number == 1 else 0
            if page[start] != _INNER:
                continue
            cells = int.from_bytes(page[start + 3 : start + 5])
            wanted.append(int.from_bytes(page[start + 8 : start + 12]))
            for cell in range(cells):
                place = start + 12 + 2 * cell
                at = int.from_bytes(page[place : place + 2])
                wanted.append(int.from_bytes(page[at : at + 4]))
    return found


def _opened(copy: Path) -> sqlite3.Connection:
    connection = connect(copy, read_only=False)
    connection.text_factory = _text
    # With this SQLite reads a file that is shorter than its header says, and passes over broken entries of the schema.
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _looked_at(words: str, copy: Path) -> _Way:
    """Return what a copy shows: rows of the main tables, how many tables it knows, and the project's id."""
    rows, project = 0, ""
    with closing(_opened(copy)) as connection:
        for table in _MAIN:
            for _ in scan(connection, table, ("rowid",), Reading()):
                rows += 1
        try:
            record = connection.execute("SELECT id FROM project").fetchone()
            project = str(record[0]) if record else ""
        except sqlite3.DatabaseError:
            project = ""
    return _Way(words, copy, rows, _tables(copy), project)


def _tables(path: Path) -> int:
    with closing(_opened(path)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0])
        except sqlite3.DatabaseError:
            return 0


def scan(connection: sqlite3.Connection, table: str, columns: Sequence[str], state: Reading) -> Iterator[Record]:
    """Yield every row of a table that can be read: forwards, then backwards, then in between by halving.

    ``state`` is filled in while the rows are taken.
    """
    listed = ", ".join(f'"{name}"' if name != "rowid" else name for name in columns)
    query = f'SELECT rowid, {listed} FROM main."{table}" NOT INDEXED'
    yield from _run(connection, f"{query} ORDER BY rowid", (), state)
    if not state.problem:
        state.expected = state.readable
        return
    first_gap = max(state.seen, default=0) + 1
    before = set(state.seen)
    yield from _run(connection, f"{query} WHERE rowid >= ? ORDER BY rowid DESC", (first_gap,), state)
    behind = state.seen - before
    # Breadth first, so that what can be read beyond a wide gap is found before the gap is searched row by row.
    ranges = deque([(first_gap, min(behind) - 1 if behind else first_gap + _BEYOND)])
    barren = 0
    while ranges and barren < (_BARREN if state.readable else _BARREN_FIRST) and _UNREADABLE not in state.problem:
        low, high = ranges.popleft()
        if low > high:
            continue
        failed = Reading(seen=state.seen)
        yield from _run(connection, f"{query} WHERE rowid BETWEEN ? AND ? ORDER BY rowid", (low, high), failed)
        state.readable += failed.readable
        barren = 0 if failed.readable else barren + 1
        if failed.problem and low < high:
            middle = (low + high) // 2
            ranges.extend(((low, middle), (middle + 1, high)))
    state.expected = _counted(connection, table, state.readable)


def _run(connection: sqlite3.Connection, query: str, values: Sequence[int], state: Reading) -> Iterator[Record]:
    try:
        for record in connection.execute(query, tuple(values)):
            if record[0] in state.seen:
                continue
            state.seen.add(record[0])
            state.readable += 1
            yield record[1:]
    except (sqlite3.DatabaseError, MemoryError, OverflowError) as error:
        state.problem = state.problem or str(error) or type(error).__name__


def _counted(connection: sqlite3.Connection, table: str, readable: int) -> int | None:
    """Return how many rows an index says there are, None if that cannot be read either."""
    try:
        found = int(connection.execute(f'SELECT count(*) FROM main."{table}"').fetchone()[0])
    except sqlite3.DatabaseError:
        return None
    return max(found, readable)


def present(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Return the columns of a table in the copy, none if it has no such table."""
    try:
        return tuple(row[1] for row in connection.execute(f'PRAGMA main.table_info("{table}")'))
    except sqlite3.DatabaseError:
        return ()


def newest_act(connection: sqlite3.Connection) -> ChangeRow | None:
    """Return the newest act that can be read."""
    names = ("id", "label", "kind", "state", "annotator_id", "created_at")
    found: Record | None = None
    for record in scan(connection, "change", names, Reading()):
        if isinstance(record[5], str) and (found is None or record[5] > found[5]):
            found = record
    if found is None:
        return None
    person = str(found[4])
    try:
        named = connection.execute("SELECT name FROM annotator WHERE id = ?", (person,)).fetchone()
    except sqlite3.DatabaseError:
        named = None
    return ChangeRow(str(found[0]), str(found[1]), str(found[2]), str(found[3]), named[0] if named else "", found[5])


def stub_change(change_id: str, annotator_id: str, created_at: str) -> dict[str, Any]:
    """Return an act in the place of one that could not be read, so that the work done under it can stay."""
    return {
        "id": change_id, "kind": "do", "label": "Recovered work", "state": "done", "target_id": None,
        "annotator_id": annotator_id, "created_at": created_at or now_text(), "nouns": "[]",
    }  # fmt: skip


def stub_annotator(annotator_id: str) -> dict[str, Any]:
    """Return a person in the place of one whose name could not be read."""
    identifier = annotator_id or new_id()
    return {"id": identifier, "created_at": now_text(), "name": f"Unknown {identifier[-6:]}", "role": "expert"}
