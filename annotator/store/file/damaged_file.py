"""Read a damaged project file row by row from a copy, and build a sound project from its rows and a backup.

The damaged file itself is never opened for writing. Ways to read it are tried in order: with its write-ahead log,
without it, and with its first page (where SQLite keeps the list of tables) taken from a sound file of the same schema.
If a row refers to a lost row, a placeholder is added for that, or the row is left out.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.base.ids import new_id
from annotator.base.open_files import is_open_here
from annotator.base.records import record_from
from annotator.model.rows.history_rows import TableState
from annotator.model.rows.view_rows import ChangeRow
from annotator.store.file import backup_files, schema
from annotator.store.file.connection import connect
from annotator.store.file.project_file import ProjectFile
from annotator.store.merge import row_union
from annotator.store.soundness import caches, history_checks

_MAX_EMPTY = 3000
_MAX_EMPTY_UNREAD = 256
"""Number of consecutive empty queries after which the search of a gap ends, with and without readable rows so far."""
_UNREADABLE = "not a database"
_SEARCH_BEYOND = 1 << 16
"""Number of row ids to search after the last readable row if no row behind it can be read."""
_INNER_PAGE = 5
"""The type byte of an inner page of a table's B-tree."""
_MAIN_TABLES = ("project", "annotator", "change", "subject", "subjecttext", "decision", "prompt", "criterion")
_PROJECT_COLUMNS = ("id", "name", "settings")
_EMPTY_VALUES = {bool: 0, int: 0, float: 0.0, str: ""}
Record = tuple[Any, ...]
Row = dict[str, Any]
Tables = dict[str, list[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    description: str
    copy: Path
    rows: int
    tables: int
    project: str


@dataclass(kw_only=True)
class TableScan:
    """The progress of reading one table: rows read, and SQLite's first error."""

    readable: int = 0
    expected: int | None = None
    problem: str = ""
    last: int = 0
    seen_ids: set[int] = field(default_factory=set)


class DamagedProject:
    """Copies of a damaged project in a temporary folder, and the copy with the most readable rows."""

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
            self.source, self._copy = self._choose_copy()
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
        """Return a connection to the copy with the most readable rows; the caller closes it."""
        return _open_copy(self._copy)

    def _choose_copy(self) -> tuple[str, Path]:
        attempts = list(self._try_copies())
        # Ties go to the earlier attempt.
        best = max(range(len(attempts)), key=lambda index: (attempts[index].rows, attempts[index].tables, -index))
        # The log may belong to another project, and then show that project instead of this one.
        if len(attempts) > 1 and best == 0 and attempts[1].project and attempts[0].project != attempts[1].project:
            best = 1
        if not attempts[best].rows:
            raise BadInputError(
                f"Nothing in {self.path.name} can be read any more. It was left as it is; "
                "annotator backups list shows what backups there are."
            )
        return attempts[best].description, attempts[best].copy

    def _try_copies(self) -> Iterator[_Attempt]:
        log = Path(f"{self.path}-wal")
        number = most_tables = 0
        copy = self._folder
        for description, with_log in (("the file with its log", True), ("the file", False)):
            if with_log and not (log.exists() and log.stat().st_size):
                continue
            copy = self._make_copy(number, with_log, None)
            attempt = _try_copy(description, copy)
            most_tables = max(most_tables, attempt.tables if attempt.rows else 0)
            number += 1
            yield attempt
        donors = list(self._find_donors())
        if most_tables >= _count_tables(donors[-1]):
            return
        version = _read_schema_version(copy)
        for donor in donors:
            if version in (0, _read_schema_version(donor)):
                copy = self._make_copy(number, False, donor)
                number += 1
                yield _try_copy(f"the file with the list of tables of {donor.name}", copy)

    def _make_copy(self, number: int, with_log: bool, donor: Path | None) -> Path:
        copy = self._folder / f"{number}.annotator"
        _copy_file(self.path, copy)
        if with_log:
            _copy_file(Path(f"{self.path}-wal"), Path(f"{copy}-wal"))
        if donor is not None:
            _transplant(copy, donor)
        return copy

    def _find_donors(self) -> Iterator[Path]:
        """Yield sound files from which the first page can be taken: backups, then two new files."""
        for backup in backup_files.list_backup_files(self.path):
            if not is_open_here(backup.path):
                yield backup.path
        # The frozen upgrade steps place tables on other pages, as in every file of an earlier program.
        for name, create_schema in (
            ("a project of an earlier program", partial(schema.upgrade_file_schema, start=0)),
            ("a new project", schema.create_file_schema),
        ):
            path = self._folder / name
            with closing(sqlite3.connect(path, isolation_level=None)) as connection:
                create_schema(connection)
            yield path


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file; one that is open here is copied by another process, since closing it would drop SQLite's locks."""
    if not is_open_here(source):
        shutil.copyfile(source, target)
        return
    program = shutil.which("cp")
    if program is None:
        raise MissingEnvironmentError(f"{source.name} is open here and could not be copied. Close the project first.")
    command = [program, "--", str(source), str(target)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - arguments of our own
    if result.returncode:
        raise MissingEnvironmentError(f"{source.name} could not be copied ({result.stderr.strip()}).")


def _read_schema_version(path: Path) -> int:
    """Return the schema version in a copy's or a backup's header, 0 if the header is gone."""
    with path.open("rb") as file:
        header = file.read(100)
    # SQLite stores the user version, which is our schema version, at offset 60 (sqlite.org/fileformat.html).
    return int.from_bytes(header[60:64]) if header.startswith(b"SQLite format 3") else 0


def _transplant(copy: Path, donor: Path) -> None:
    """Replace the pages of a copy that list its tables by those of a sound file, and correct the header."""
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
    """Return the pages of the list of tables by number: page 1 and, if that is an inner page, the pages below it."""
    pages: dict[int, bytes] = {}
    page_numbers = [1]
    with donor.open("rb") as file:
        while page_numbers:
            number = page_numbers.pop()
            file.seek((number - 1) * schema.PAGE_SIZE)
            page = file.read(schema.PAGE_SIZE)
            pages[number] = page
            # On page 1, the B-tree page follows the file header of 100 bytes.
            start = 100 if number == 1 else 0
            if page[start] != _INNER_PAGE:
                continue
            # An inner page has its rightmost child at offset 8; each cell begins with the number of a child page.
            cells = int.from_bytes(page[start + 3 : start + 5])
            page_numbers.append(int.from_bytes(page[start + 8 : start + 12]))
            for cell in range(cells):
                pointer_start = start + 12 + 2 * cell
                cell_start = int.from_bytes(page[pointer_start : pointer_start + 2])
                page_numbers.append(int.from_bytes(page[cell_start : cell_start + 4]))
    return pages


def _open_copy(copy: Path) -> sqlite3.Connection:
    connection = connect(copy, read_only=False)
    connection.text_factory = _decode_leniently
    # With this option SQLite reads a file that is shorter than its header says, and skips broken schema entries.
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def _decode_leniently(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _try_copy(description: str, copy: Path) -> _Attempt:
    """Count the readable parts of a copy: rows of the main tables, number of tables, and the project's id."""
    rows, project = 0, ""
    with closing(_open_copy(copy)) as connection:
        for table in _MAIN_TABLES:
            for _ in scan_table(connection, table, ("rowid",), TableScan()):
                rows += 1
        try:
            record = connection.execute("SELECT id FROM project").fetchone()
            project = str(record[0]) if record else ""
        except sqlite3.DatabaseError:
            project = ""
    return _Attempt(description=description, copy=copy, rows=rows, tables=_count_tables(copy), project=project)


def _count_tables(path: Path) -> int:
    with closing(_open_copy(path)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0])
        except sqlite3.DatabaseError:
            return 0


def scan_table(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], state: TableScan
) -> Iterator[Record]:
    """Yield every readable row of a table: forwards, then backwards, then the gap in between by halving it.

    ``state`` is updated while the rows are consumed.
    """
    column_list = ", ".join(f'"{name}"' if name != "rowid" else name for name in columns)
    query = f'SELECT rowid, {column_list} FROM main."{table}" NOT INDEXED'
    yield from _query(connection, f"{query} ORDER BY rowid", (), state)
    if not state.problem:
        state.expected = state.readable
        return
    first_gap = max(state.seen_ids, default=0) + 1
    before = set(state.seen_ids)
    yield from _query(connection, f"{query} WHERE rowid >= ? ORDER BY rowid DESC", (first_gap,), state)
    rows_behind = state.seen_ids - before
    # Breadth first, so that readable rows beyond a wide gap are found before the gap is searched row by row.
    ranges = deque([(first_gap, min(rows_behind) - 1 if rows_behind else first_gap + _SEARCH_BEYOND)])
    empty = 0
    while ranges and _UNREADABLE not in state.problem:
        if empty >= (_MAX_EMPTY if state.readable else _MAX_EMPTY_UNREAD):
            break
        low, high = ranges.popleft()
        if low > high:
            continue
        part = TableScan(seen_ids=state.seen_ids)
        yield from _query(connection, f"{query} WHERE rowid BETWEEN ? AND ? ORDER BY rowid", (low, high), part)
        state.readable += part.readable
        empty = 0 if part.readable else empty + 1
        if part.problem and low < high:
            middle = (low + high) // 2
            ranges.extend(((low, middle), (middle + 1, high)))
    state.expected = _count_rows(connection, table, state.readable)


def _query(connection: sqlite3.Connection, query: str, values: Sequence[int], state: TableScan) -> Iterator[Record]:
    try:
        for record in connection.execute(query, tuple(values)):
            if record[0] in state.seen_ids:
                continue
            state.seen_ids.add(record[0])
            state.readable += 1
            yield record[1:]
    except (sqlite3.DatabaseError, MemoryError, OverflowError) as error:
        state.problem = state.problem or str(error) or type(error).__name__


def _count_rows(connection: sqlite3.Connection, table: str, readable: int) -> int | None:
    """Return the row count according to an index, None if that cannot be read either."""
    try:
        count = int(connection.execute(f'SELECT count(*) FROM main."{table}"').fetchone()[0])
    except sqlite3.DatabaseError:
        return None
    return max(count, readable)


def list_columns(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Return the columns of a table in the copy; none if the table is missing."""
    try:
        return tuple(row[1] for row in connection.execute(f'PRAGMA main.table_info("{table}")'))
    except sqlite3.DatabaseError:
        return ()


def find_readable_problems(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the problems found by SQLite's checks, or the error that prevents them."""
    try:
        return backup_files.find_file_problems(connection)
    except sqlite3.DatabaseError as error:
        return (str(error),)


def find_newest_act(connection: sqlite3.Connection) -> ChangeRow | None:
    """Return the newest readable act."""
    names = ("id", "label", "kind", "state", "annotator_id", "created_at")
    newest: Record | None = None
    for record in scan_table(connection, "change", names, TableScan()):
        if isinstance(record[5], str) and (newest is None or record[5] > newest[5]):
            newest = record
    if newest is None:
        return None
    person = str(newest[4])
    try:
        name = connection.execute("SELECT name FROM annotator WHERE id = ?", (person,)).fetchone()
    except sqlite3.DatabaseError:
        name = None
    columns = dict(zip(names, map(str, newest), strict=True))
    return record_from(ChangeRow, columns, annotator=name[0] if name else "")


def _placeholder_change(change_id: str, annotator_id: str, created_at: str) -> dict[str, Any]:
    """Return a placeholder for an unreadable act, so that the work done under it can be kept."""
    return {
        "id": change_id, "kind": "do", "label": "Recovered work", "state": "done", "target_id": None,
        "annotator_id": annotator_id, "created_at": created_at or now_text(), "nouns": "[]",
    }  # fmt: skip


def _placeholder_annotator(annotator_id: str) -> dict[str, Any]:
    """Return a placeholder for a person whose name could not be read."""
    identifier = annotator_id or new_id()
    return {"id": identifier, "created_at": now_text(), "name": f"Unknown {identifier[-6:]}", "role": "expert"}


def count_rows_by_table(connection: sqlite3.Connection) -> tuple[TableState, ...]:
    """Return the number of readable and lost rows of each table. Empty tables without a problem are left out."""
    states = []
    for table in ("project", *row_union.TABLES):
        names = list_columns(connection, table)
        if not names:
            continue
        state = TableScan()
        for _ in scan_table(connection, table, names, state):
            continue
        if state.readable or state.problem:
            lost = None if state.expected is None else state.expected - state.readable
            states.append(TableState(table, state.readable, lost, state.problem))
    return tuple(states)


def read_rows(
    connection: sqlite3.Connection, lines: TextIO, report: Callable[[str], object]
) -> tuple[Tables, Row, list[str]]:
    """Read every readable row and write each as a line of JSON.

    Returns the valid rows by table, the project's own row, and a note for each table with invalid rows.
    """
    tables: Tables = {}
    notes = []
    for table in row_union.TABLES:
        report(table)
        present = list_columns(connection, table)
        columns = row_union.exchanged_columns(table)
        names = tuple(name for name in columns if name in present)
        if not names:
            continue
        valid_rows = []
        invalid = 0
        for record in scan_table(connection, table, names, TableScan()):
            row = dict(zip(names, record, strict=True))
            lines.write(json.dumps({"table": table, "row": row}, ensure_ascii=False, default=repr) + "\n")
            complete_row = {name: row[name] if name in row else _default_value(table, name) for name in columns}
            try:
                row_union.check_rows(table, [complete_row])
            except BadInputError:
                invalid += 1
                continue
            valid_rows.append(complete_row)
        tables[table] = valid_rows
        if invalid:
            notes.append(f"{invalid} rows of {table} have invalid values")
    return tables, _read_project_row(connection, lines), notes


def _default_value(table: str, name: str) -> Any:
    column = row_union.table_column(table, name)
    if column.nullable:
        return None
    return "{}" if column.type.__class__.__name__ == "JSON" else _EMPTY_VALUES.get(column.type.python_type, "")


def _read_project_row(connection: sqlite3.Connection, lines: TextIO) -> Row:
    for record in scan_table(connection, "project", _PROJECT_COLUMNS, TableScan()):
        row = dict(zip(_PROJECT_COLUMNS, record, strict=True))
        lines.write(json.dumps({"table": "project", "row": row}, ensure_ascii=False, default=repr) + "\n")
        return row
    return {}


def build_project(
    target: Path, tables: Tables, project: Mapping[str, Any], backup: Path | None
) -> tuple[dict[str, int], int, list[str]]:
    """Build a sound project from rows and a backup; returns row counts by table, rows from the backup, and notes.

    A row that both have is taken from the checked backup; a differing one is kept as a conflict.
    Raises `KnownError` if the file cannot be made; a partial file is removed.
    """
    backup_rows = _read_backup(backup) if backup is not None else {}
    all_rows = {name: [*backup_rows.get(name, ()), *tables.get(name, ())] for name in row_union.TABLES}
    notes = _add_placeholders(tables, all_rows)
    people = all_rows["annotator"] or [_placeholder_annotator("")]
    first = min(people, key=lambda row: (str(row["created_at"]), str(row["id"])))
    name = str(project.get("name") or "Recovered project")
    store = ProjectFile.create(
        target, name, str(first["name"]), project_id=str(project.get("id") or new_id()), annotator_id=str(first["id"])
    )
    try:
        with store.write() as db:
            if backup_rows:
                row_union.merge_rows(db, backup_rows)
            merged = row_union.merge_rows(db, tables)
            if merged.conflicts:
                notes.append(f"{merged.conflicts} rows differ from the backup; both are kept as conflicts")
            notes.extend(history_checks.clear_lost_references(db.connection()))
            caches.refresh_lost_caches(db.connection())
        notes.extend(f"in the new project, {problem}" for problem in store.integrity())
        with store.reader() as connection:
            counts = {
                table: int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])
                for table in row_union.TABLES
            }
    except BaseException:
        store.close()
        for ending in ("", "-wal", "-shm"):
            Path(f"{target}{ending}").unlink(missing_ok=True)
        raise
    store.close()
    tables["origin"] = row_union.add_origins(tables.get("origin", []), tables.get("subject", []))
    from_backup = sum(
        len(_row_keys(name, rows) - _row_keys(name, tables.get(name, ()))) for name, rows in backup_rows.items()
    )
    return {table: count for table, count in counts.items() if count}, from_backup, notes


def _row_keys(table: str, rows: Sequence[Row]) -> set[tuple[Any, ...]]:
    names = row_union.identifying_columns(table)
    return {tuple(row[name] for name in names) for row in rows}


def _read_backup(path: Path) -> Tables:
    try:
        store = ProjectFile.open(path, read_only=True)
    except KnownError:
        return {}
    try:
        with store.read() as db:
            return row_union.read_all(db, run_data=True)
    finally:
        store.close()


def _add_placeholders(tables: Tables, all_rows: Mapping[str, list[Row]]) -> list[str]:
    """Add placeholders for lost acts and people that work refers to, and remove rows with other lost references.

    ``tables`` is changed; ``all_rows`` holds those rows and the backup's.
    """
    ids = {name: {row["id"] for row in rows if "id" in row} for name, rows in all_rows.items()}
    ids["question"] = {row["content_hash"] for row in all_rows["question"]}
    for rows in list(tables.values()):
        for row in rows:
            person_id, change_id = row.get("annotator_id"), row.get("change_id")
            if isinstance(change_id, str) and change_id not in ids["change"]:
                ids["change"].add(change_id)
                annotator_id = str(person_id or next(iter(ids["annotator"]), new_id()))
                placeholder = _placeholder_change(change_id, annotator_id, str(row.get("created_at") or now_text()))
                tables.setdefault("change", []).append(placeholder)
    for rows in list(tables.values()):
        for row in rows:
            person_id = row.get("annotator_id")
            if isinstance(person_id, str) and person_id not in ids["annotator"]:
                ids["annotator"].add(person_id)
                tables.setdefault("annotator", []).append(_placeholder_annotator(person_id))
    return _remove_dangling_rows(tables, ids)


def _remove_dangling_rows(tables: Tables, ids: dict[str, set[str]]) -> list[str]:
    notes: dict[str, int] = {}
    changed = True
    # Removing a row may leave others without their parent, so this repeats until nothing changes.
    while changed:
        changed = False
        for table in row_union.TABLES:
            parents = row_union.parent_columns(table)
            rows = tables.get(table, [])
            kept_rows = [
                row for row in rows if all(row[name] is None or row[name] in ids[parent] for name, parent in parents)
            ]
            if len(kept_rows) < len(rows):
                changed = True
                notes[table] = notes.get(table, 0) + len(rows) - len(kept_rows)
                kept_ids = {row["id"] for row in kept_rows if "id" in row}
                ids[table] -= {row["id"] for row in rows if "id" in row and row["id"] not in kept_ids}
                tables[table] = kept_rows
    return [f"{count} rows of {table} belong to something that could not be read" for table, count in notes.items()]
