"""Importers under hostile files: a candidate, a reason or one known error; never a crash, a hang or half an import."""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.base.errors import BadInputError, KnownError
from annotator.formats.format_registry import EXPORTS, IMPORTS, import_format
from annotator.formats.interchange import inspect_log, release_folder
from annotator.formats.interchange.response_files import read_responses
from annotator.formats.read.import_records import Candidate, ImportedResponse, RowError
from annotator.formats.read.outcomes import RecordedOutcome, read_outcomes
from annotator.formats.read.row_checks import RowChecks
from annotator.formats.write.export_folder import manifest_text, sha256
from annotator.services.project import projects
from annotator.services.sources import imports
from tests.formats import contest_rows, public_rows
from tests.formats.releases import head_of, item_of
from tests.formats.test_exports import RUN

MANY = int(os.environ.get("ANNOTATOR_FUZZ", settings().max_examples))
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["\ud800", "\x00", "[MASK]", "____", "```python\nx\n```", "../../x", "def f(", "", " "]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
HUMANEVAL = [{name: row.get(name, "x") for name in ("task_id", "prompt", "canonical_solution", "test", "entry_point")}
             for row in public_rows.EVALPLUS]  # fmt: skip
OWN = [
    {"id": "a", "prompt": "Why?", "tests": [{"code": "x", "inputs": {}}], "extra": {}, "views": 3, "task": "question"}
]
OUTCOMES = [{"model": "m", "protocol": "pass@1", "domain": "d", "repository": "r", "path": "General/r/a.py",
             "function": "f", "mask": "63de241b2b54", "outcomes": ["pass", "fail"]}]  # fmt: skip
MINED = [{"repository": "ada/kit", "revision": "1f", "module_path": "kit/a.py", "qualified_name": "twice",
          "signature": "def twice(x):", "body_span": [2, 2], "code": "def twice(x):\n    return 2 * x\n",
          "docstring": "Double it.", "dependencies": {}, "licence": "MIT",
          "tests": [{"node_id": "tests/test_a.py::test_twice", "code": "assert twice(1) == 2"}]}]  # fmt: skip
ROWS: dict[str, list[dict[str, Any]]] = {
    "jsonl": OWN,
    "humaneval": HUMANEVAL,
    **{name: getattr(public_rows, name.upper()) for name in
       ("evalplus", "mbpp", "domaineval", "evocodebench", "naturalcodebench", "coco", "mbppplus", "bigcodebench",
        "livecodebench", "leetcodedataset", "humanevalpack", "humanevalx")},
    "multipl-e": public_rows.MULTIPL_E,
    "samples": [{"task_id": "a", "completion": "x"}, {"subject": "b", "model": "m", "sample": 1, "response": "y"},
                {"doc_id": 0, "doc": {"task_id": "a"}, "resps": [["x", "y"]]}, {"task_id": "a", "solution": "x"}],
    "outcomes": OUTCOMES,
    "mined": MINED,
    "apps": [contest_rows.APPS],
    "codecontests": [contest_rows.CODECONTESTS],
    "cruxeval": [contest_rows.CRUXEVAL],
    "classeval": [contest_rows.CLASSEVAL],
    "instructions": [contest_rows.INSTRUCTION],
    "ds1000": [{"prompt": "Sort df.", "reference_code": "df.sort_index()", "code_context": "def test(): pass",
                "metadata": {"problem_id": 4, "library": "Pandas"}}],
}  # fmt: skip


@st.composite
def hostile_file(draw: st.DrawFn, rows: list[dict[str, Any]]) -> bytes:
    """Return a file of rows, some of them with fields changed, taken out or added; sometimes with bytes changed."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        row: Any = json.loads(json.dumps(draw(st.sampled_from(rows))))
        for _ in range(draw(st.integers(0, 3))):
            row = mutated(draw, row)
        lines.append(json.dumps(row, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass"))
    data = b"\n".join(lines)
    if draw(st.integers(0, 3)) == 0:
        data = _bent(draw, data)
    return data


def mutated(draw: st.DrawFn, value: Any) -> Any:
    """Change one place of a value, at any depth."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        name = draw(st.sampled_from(sorted(value)))
        act = draw(st.integers(0, 3))
        if act == 0:
            return {key: inner for key, inner in value.items() if key != name}
        if act == 1:
            return {**value, name: draw(JSON)}
        return {**value, name: mutated(draw, value[name])}
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], mutated(draw, value[place]), *value[place + 1 :]]
    return draw(JSON)


def _bent(draw: st.DrawFn, data: bytes) -> bytes:
    place = draw(st.integers(0, len(data)))
    return data[:place] + draw(st.binary(max_size=6)) + data[place + draw(st.integers(0, 6)) :]


@contextmanager
def new_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        yield Path(name)


def _check(read: Callable[[], Iterator[Any]], kinds: tuple[type, ...]) -> list[Any]:
    """Read all of a file; what comes is of the kinds expected, or one error with a sentence."""
    try:
        found = list(read())
    except KnownError as error:
        assert error.message
        return []
    for item in found:
        assert isinstance(item, (*kinds, RowError))
        if isinstance(item, RowError):
            assert item.reason and item.file
        elif isinstance(item, Candidate):
            # What is read can be stored, found again and written.
            assert item.key.strip() and "\x00" not in item.key and item.title is not None
            assert item.content_hash() == item.content_hash()
            json.dumps(asdict(item), ensure_ascii=False, allow_nan=False).encode("utf-8")
    return found


def _fuzz_rows(name: str, data: bytes) -> None:
    with new_folder() as folder:
        path = folder / "rows.jsonl"
        path.write_bytes(data)
        if name == "samples":
            _check(lambda: read_responses(path), (ImportedResponse,))
        elif name == "outcomes":
            for item in _check(lambda: read_outcomes(path), (RecordedOutcome,)):
                assert isinstance(item, RowError) or (item.key and item.outcomes)
        else:
            _check(lambda: RowChecks().check(import_format(name).read(path, {})), (Candidate,))


@pytest.mark.parametrize("name", ROWS)
def test_any_rows_are_candidates_or_reasons(name: str) -> None:
    @settings(max_examples=MANY, suppress_health_check=QUIET, deadline=5000, database=None)
    @given(data=hostile_file(ROWS[name]))
    def run(data: bytes) -> None:
        _fuzz_rows(name, data)

    run()


CASE = (
    "id: 1\nprompt_path: p.txt\ntype: code completion\nlang: python\ngrading:\n"
    "  keywords:\n    - content: {or: [a, b]}\n"
    "  unit_test:\n    tests:\n      - path: t.py\n"
)


@st.composite
def hostile_text(draw: st.DrawFn, text: str) -> bytes:
    """Return a text with pieces of itself, odd pieces and bytes put in, taken out or repeated."""
    data = text.encode()
    odd = [
        b"&a ",
        b"*a",
        b"!!python/name:os.system ''",
        b"? ",
        b"- ",
        b"\t",
        b"\xff",
        b"\x00",
        b"<<: *a\n",
        b"../",
        b"|\n",
        b"{" * 40,
    ]
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(data)))
        piece = draw(st.sampled_from(odd) | st.binary(max_size=5))
        data = data[:place] + piece + data[place + draw(st.integers(0, 12)) :]
    return data


def _fuzz_suite(case: bytes, prompt: bytes) -> None:
    with new_folder() as folder:
        (folder / "eval_1.yaml").write_bytes(case)
        (folder / "p.txt").write_bytes(prompt)
        (folder / "t.py").write_text("assert True\n")
        _check(lambda: import_format("infibench").read(folder, {}), (Candidate,))


def _fuzz_tasks(signature: bytes, test: bytes, name: str) -> None:
    with new_folder() as folder:
        task = folder / "t1" / "python"
        task.mkdir(parents=True)
        (task / "signature.py").write_bytes(signature)
        (task / "answer.py").write_text("x = 1\n")
        (task / name).write_bytes(test)
        _check(lambda: import_format("realisticcodebench").read(folder, {}), (Candidate,))


def _fuzz_release(data: bytes) -> None:
    """Read a release whose rows are hostile but whose manifest is right: what verify lets through must be safe."""
    with new_folder() as folder:
        rows = []
        for line in data.split(b"\n"):
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
        rows = [row for row in rows if isinstance(row, dict)]
        (folder / "items.jsonl").write_bytes(data)
        hashes = json.dumps([row.get("content_hash") for row in rows], separators=(",", ":"))
        manifest = {
            "format": release_folder.FORMAT, "format_version": release_folder.FORMAT_VERSION, "items": len(rows),
            "content_hash": sha256(hashes.encode()), "files": {"items.jsonl": sha256(data)},
        }  # fmt: skip
        (folder / "manifest.json").write_text(manifest_text(manifest))
        _check(lambda: import_format("annotator").read(folder, {}), (Candidate,))


FROZEN = [
    item_of(Candidate(key="jsonl:a", title="A", prompt="Why?", extra={"files": {"f": "x"}, "y": 1}), prompt="How?")
]


def _fuzz_log(data: bytes, suffix: str) -> None:
    with new_folder() as folder:
        path = folder / f"run{suffix}"
        path.write_bytes(data)
        _check(lambda: inspect_log.read_log(path), (ImportedResponse,))


def _archive(header: bytes, sample: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("header.json", header)
        archive.writestr("samples/a_epoch_1.json", sample)
    return out.getvalue()


LOG = inspect_log.make_log(RUN)
FOLDERS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Any], None]]] = {
    "infibench": (st.tuples(hostile_text(CASE), hostile_text("Why?")), lambda both: _fuzz_suite(*both)),
    "realisticcodebench": (
        st.tuples(hostile_text("def f():\n"), hostile_text("x"), st.sampled_from(["test.py", "tester.py", "other.py"])),
        lambda three: _fuzz_tasks(*three),
    ),
    "annotator": (hostile_file(FROZEN), _fuzz_release),
    "inspect-log .json": (hostile_file([LOG]), lambda data: _fuzz_log(data, ".json")),
    "inspect-log .eval": (
        st.tuples(hostile_file([{"eval": LOG["eval"]}]), hostile_file(LOG["samples"])).map(lambda two: _archive(*two))
        | hostile_text("").flatmap(lambda _: hostile_bytes(_archive(b'{"eval":{"model":"m"}}', b"{}"))),
        lambda data: _fuzz_log(data, ".eval"),
    ),
}


@st.composite
def hostile_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """Return bytes with some of them changed."""
    for _ in range(draw(st.integers(1, 3))):
        data = _bent(draw, data)
    return data


@pytest.mark.parametrize(
    ("place", "value"),
    [(6, 0x40), (8, 0x01), (10, 0x0E), (10, 0x63), (28, 0xFF), (46, 0xFF), (42, 0x7F), (20, 0xFF), (24, 0xFF)],
)
def test_a_broken_archive_is_one_error(tmp_path: Path, place: int, value: int) -> None:
    """Versions, flags, methods, sizes and names in the directory of a zip that no archive of ours has."""
    data = bytearray(_archive(b'{"eval":{"model":"m"}}', b"{}"))
    start = data.index(b"PK\x01\x02")
    data[start + place] = value
    if place == 46:
        data[start + 9] |= 0x08
    path = tmp_path / "run.eval"
    path.write_bytes(bytes(data))
    try:
        list(inspect_log.read_log(path))
    except BadInputError as error:
        assert "run.eval" in error.message


@pytest.mark.parametrize("name", FOLDERS)
def test_any_folder_or_log_is_read_or_refused(name: str) -> None:
    strategy, check = FOLDERS[name]
    settings(max_examples=MANY, suppress_health_check=QUIET, deadline=10_000, database=None)(given(strategy)(check))()


def test_every_import_format_is_fuzzed() -> None:
    assert {item.name for item in IMPORTS} <= {*ROWS, *FOLDERS}


def _write_nothing_or_all(name: str, base: Path, data: bytes) -> None:
    """Import a hostile file into a real project: refused, it leaves the project as it was; else all of it is there."""
    with new_folder() as folder:
        project = folder / "p.annotator"
        shutil.copyfile(base, project)
        path = folder / "rows.jsonl"
        path.write_bytes(data)
        with closing(projects.open_project(project)) as store:
            before = projects.stage_counts(store)
            try:
                report = imports.import_paths(store, name, [path])
            except BadInputError:
                assert projects.stage_counts(store) == before
                assert imports.list_sources(store) == ()
            else:
                assert report.bad == 0 and projects.stage_counts(store).subjects == before.subjects + report.added
                again = imports.import_paths(store, name, [path])
                assert again.added == 0
            assert projects.check_integrity(store) == ()


@pytest.fixture(scope="module")
def empty_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "p.annotator"
    projects.create_project(path, "Demo", "Ada").close()
    return path


@pytest.mark.parametrize("name", [name for name in ROWS if name not in ("samples", "outcomes")])
def test_a_hostile_file_writes_nothing_or_all(name: str, empty_project: Path) -> None:
    # Each example checks the whole project.
    @settings(max_examples=max(8, MANY // 20), suppress_health_check=QUIET, deadline=None)
    @given(data=hostile_file(ROWS[name]))
    def run(data: bytes) -> None:
        _write_nothing_or_all(name, empty_project, data)

    run()


@given(candidate=hostile_file(ROWS["coco"]) | hostile_file(ROWS["domaineval"]) | hostile_file(ROWS["evalplus"]))
@settings(max_examples=30, suppress_health_check=QUIET, deadline=None)
def test_whatever_was_read_is_exported_or_left_out(candidate: bytes) -> None:
    with new_folder() as folder:
        path = folder / "rows.jsonl"
        path.write_bytes(candidate)
        items = []
        for name in ("coco", "domaineval", "evalplus"):
            items += [
                item_of(row)
                for row in _check(lambda n=name: import_format(n).read(path, {}), (Candidate,))
                if isinstance(row, Candidate)
            ]
        for kind in EXPORTS:
            if kind.source == "items" and items:
                try:
                    done = kind.write(head_of(items), items, folder / kind.name)
                except BadInputError:
                    continue
                assert done.items + len(done.left_out) == len(items)
