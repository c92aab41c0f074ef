"""Working apart: packets, merging, and that everything comes together in any order and any number of times."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.base.errors import BadInputError
from annotator.formats.interchange import packet_files as packet_files
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.judge.side_order import ServingPlan
from annotator.services.project import members, packets, projects, undo
from annotator.services.prompt import paraphrases
from annotator.services.release import release_gates
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file import schema
from annotator.store.file.project_file import ProjectFile
from annotator.store.merge import row_union


def _state(store: ProjectFile) -> dict[str, Any]:
    """Return everything in a project that is not of this one file: rows, and the caches that lists show."""
    with store.read() as db:
        rows: dict[str, Any] = row_union.read_all(db, run_data=True)
        rows["caches"] = (
            db.connection()
            .exec_driver_sql("SELECT id, verdict, prompt_id, criterion_id, proven FROM subject ORDER BY id")
            .fetchall()
        )
    return rows


def _copy(store: ProjectFile, path: Path, person: str) -> ProjectFile:
    store.copy_to(path)
    made = projects.open_project(path)
    members.switch_annotator(made, person)
    return made


def _exchange(source: ProjectFile, target: ProjectFile, folder: Path) -> None:
    path = folder / f"{random.random()}.packet"
    packets.export_packet(source, path, run_data=True)
    packets.import_packet(target, path, others=True)
    path.unlink()


EDITS = st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 3), st.integers(0, 2))


def _edit(store: ProjectFile, what: int, subject: int, value: int) -> None:
    key = str(subject)
    try:
        if what in (0, 1):
            triage.decide_subjects(store, [key], list(Verdict)[value])
        elif what == 2:
            paraphrases.save_prompt(store, key, f"text {value}")
        elif what == 3:
            aspect_reviews.add_review(store, key, {"difficulty": value + 1})
        elif what == 4:
            panel_votes.cast_vote(store, key, {"realistic": "yes", "uses_llm": ("yes", "no", "abstain")[value]})
        elif what == 5:
            aspect_reviews.add_comment(store, key, f"remark {value}")
        elif what == 6:
            undo.undo_last_act(store)
        elif what == 7:
            undo.redo_last_act(store)
        elif what == 8:
            three_experts.save_artefact_edit(store, key, "solution", f"solution {value}")
        else:
            pair = next(iter(blind_judging.load_judging_queue(store).pairs), None)
            if pair is not None:
                blind_judging.judge_pair(store, pair.assignment_id, ("1", "2", "tie")[value])
    except BadInputError:
        pass  # An act that is refused (a vote by an expert, an edit that changes nothing) is no act.


@pytest.mark.file_only("merges some hundred files; merging into a server is tested below")
# Each example merges some twenty files, which takes seconds.
@settings(
    max_examples=max(3, settings().max_examples // 25),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    edits=st.lists(EDITS, max_size=14),
    routes=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=6),
    later=st.lists(EDITS, max_size=8),
    seed=st.integers(0, 99),
)
def test_copies_converge_with_every_act_present(
    study: ProjectFile, tmp_path_factory: pytest.TempPathFactory, edits: Any, routes: Any, later: Any, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("copies")
    copies = [_copy(study, folder / f"{n}.annotator", name) for n, name in enumerate(("Ada", "Bo", "Cy"))]
    try:
        for copy, what, subject, value in edits:
            _edit(copies[copy], what, subject, value)
        for source, target in routes:
            _exchange(copies[source], copies[target], folder)
        for copy, what, subject, value in later:
            _edit(copies[copy], what, subject, value)
        acts = {row["id"] for copy in copies for row in _state(copy)["change"]}
        every = [(a, b) for a in range(3) for b in range(3) if a != b]
        random.Random(seed).shuffle(every)
        for source, target in every:
            _exchange(copies[source], copies[target], folder)
        # Whatever the order was, after these everybody has heard of everything.
        for source, target in ((0, 1), (1, 2), (2, 0), (0, 1)):
            _exchange(copies[source], copies[target], folder)
        states = [_state(copy) for copy in copies]
        assert states[0] == states[1] == states[2]
        assert {row["id"] for row in states[0]["change"]} == acts
        assert len({tuple(row.id for row in disagreements.load_conflicts(copy)) for copy in copies}) == 1
        _exchange(copies[1], copies[0], folder)
        assert _state(copies[0]) == states[0]
        assert copies[0].integrity() == ()
    finally:
        for copy in copies:
            copy.close()
        shutil.rmtree(folder)


@pytest.fixture
def study(store: ProjectFile, tmp_path: Path) -> ProjectFile:
    for name in ("Bo", "Cy"):
        members.add_annotator(store, name)
    for number in range(4):
        paraphrases.save_prompt(store, str(number), f"What about {number}?")
    pairs = blind_judging.candidate_pairs(store, "paraphrase", "original", "paraphrase", ["0", "1", "2", "3"])
    wanted = NewStudy(
        name="s",
        kind="paraphrase",
        name_a="before",
        name_b="after",
        raters=("Ada", "Bo", "Cy"),
        plan=ServingPlan(repeats=0.25),
    )
    blind_judging.create_blind_study(store, wanted, pairs)
    return store


def test_a_share_is_blind_and_its_work_comes_home(study: ProjectFile, tmp_path: Path) -> None:
    first = next(iter(blind_judging.load_judging_queue(study).pairs), None)
    assert first is not None
    blind_judging.judge_pair(study, first.assignment_id, "1", "my secret reason")
    panel_votes.cast_vote(study, "0", {"realistic": "yes", "uses_llm": "yes"})
    panel_votes.set_panel(study, 5, 4)
    release_gates.set_gate_rules(study, {"reviews": "required"}, 2)
    path, away = tmp_path / "bo.packet", tmp_path / "bo.annotator"
    packet = packets.export_packet(study, path, person="Bo", passphrase="correct horse")
    assert "blind_key" not in packet.tables and "vote" not in packet.tables
    assert "my secret reason" not in json.dumps(packet.tables)
    assert {row["annotator_id"] for row in packet.tables["assignment"]} == {packet.for_id}
    sealed = path.read_bytes()
    # Long enough that they do not come about by chance among random bytes.
    assert not [words for words in (b'"Bo"', b"What about", b"paraphrase", packet.for_id.encode()) if words in sealed]
    theirs = packets.open_packet(path, away, passphrase="correct horse")
    assert theirs.annotator.name == "Bo"
    assert panel_votes.panel_size(theirs) == (5, 4) and release_gates.load_gate_rules(
        theirs
    ) == release_gates.load_gate_rules(study)
    judged = 0
    while (pair := next(iter(blind_judging.load_judging_queue(theirs).pairs), None)) is not None:
        blind_judging.judge_pair(theirs, pair.assignment_id, "tie")
        judged += 1
    blind_judging.seal_own_batch(theirs)
    with pytest.raises(BadInputError, match="key"):
        blind_judging.verify_study(theirs)
    aspect_reviews.add_comment(theirs, "0", "@Ada done")
    back = tmp_path / "back.packet"
    packets.export_packet(theirs, back)
    theirs.close()
    report = packets.import_packet(study, back)
    assert report.added["judgement"] == judged == 5 and report.conflicts == 0
    assert [row.text for row in aspect_reviews.unanswered_mentions(study)] == ["@Ada done"]
    before = _state(study)
    again = packets.import_packet(study, back)
    assert (again.total, again.conflicts) == (0, 0) and _state(study) == before
    assert blind_judging.verify_study(study).ok


def test_whole_project_files_are_merged(study: ProjectFile, tmp_path: Path) -> None:
    other = _copy(study, tmp_path / "other.annotator", "Bo")
    triage.decide_subjects(other, ["1"], Verdict.ACCEPT, "theirs")
    triage.decide_subjects(study, ["1"], Verdict.REJECT, "ours")
    other.close()
    assert packets.import_packet(study, tmp_path / "other.annotator").added["decision"] == 1
    [row] = disagreements.load_disagreements(study)
    assert {item.said for item in row.opinions} == {"accept", "reject"}
    assert packets.import_packet(study, tmp_path / "other.annotator").total == 0


def test_undo_travels(study: ProjectFile, tmp_path: Path) -> None:
    triage.decide_subjects(study, ["1"], Verdict.ACCEPT)
    other = _copy(study, tmp_path / "other.annotator", "Bo")
    undo.undo_last_act(study)
    _exchange(study, other, tmp_path)
    assert triage.load_subject(other, "1").row.verdict is None
    undo.redo_last_act(study)
    _exchange(study, other, tmp_path)
    assert triage.load_subject(other, "1").row.verdict == "accept"
    other.close()


def test_two_projects_of_the_same_file_hold_each_subject_once(
    store: ProjectFile, rows_file: Path, tmp_path: Path
) -> None:
    other = projects.create_project(tmp_path / "other.annotator", "Other", "Ada")
    imports.import_paths(other, "jsonl", [rows_file])
    changed = json.loads(rows_file.read_text().splitlines()[0]) | {"id": "9", "title": "Same key, other content"}
    mine, theirs = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    mine.write_text(json.dumps(changed) + "\n")
    theirs.write_text(json.dumps(changed | {"prompt": "Something else?"}) + "\n")
    imports.import_paths(store, "jsonl", [mine])
    imports.import_paths(other, "jsonl", [theirs])
    triage.decide_subjects(other, ["0"], Verdict.ACCEPT)
    path = tmp_path / "o.packet"
    packets.export_packet(other, path)
    with pytest.raises(BadInputError, match="another project"):
        packets.import_packet(store, path)
    packets.import_packet(store, path, unrelated=True)
    packets.export_packet(store, tmp_path / "s.packet")
    packets.import_packet(other, tmp_path / "s.packet", unrelated=True)
    assert _state(store) == _state(other)
    assert projects.stage_counts(store).subjects == 6
    assert triage.load_subject(store, "0").row.verdict == "accept"
    assert len(members.list_annotators(store)) == 2
    assert {person.name for person in members.list_annotators(store)} == {
        p.name for p in members.list_annotators(other)
    }
    # The import that brought a subject twice may be undone once.
    while (label := undo.undo_label(store)) is not None and label != "Import rows.jsonl":
        undo.undo_last_act(store)
    undo.undo_last_act(store)
    assert triage.load_subject(store, "0").row.verdict == "accept"
    with store.reader() as connection:
        assert connection.execute("SELECT count(*) FROM subject WHERE active = 1").fetchone()[0] >= 4
    other.close()


def test_contradicting_contents_are_kept_side_by_side(study: ProjectFile, tmp_path: Path) -> None:
    path = tmp_path / "p.packet"
    packet = packets.export_packet(study, path)
    rows = {name: [dict(row) for row in found] for name, found in packet.tables.items()}
    rows["prompt"][0]["text"] = "forged"
    forged = tmp_path / "forged.packet"
    packet_files.write_packet(
        forged,
        packet_files.Packet(
            project_id=packet.project_id, project_name=packet.project_name, schema=packet.schema, tables=rows
        ),
    )
    for _ in range(2):
        packets.import_packet(study, forged)
    [conflict] = disagreements.load_conflicts(study)
    assert conflict.table == "prompt" and conflict.theirs["text"] == "forged" and conflict.ours["text"] != "forged"
    assert all("forged" not in row["text"] for row in _state(study)["prompt"])


def _with(study: ProjectFile, folder: Path, change: Any) -> Path:
    packet = packets.export_packet(study, folder / "good.packet")
    rows = {name: [dict(row) for row in found] for name, found in packet.tables.items()}
    change(rows)
    path = folder / "bad.packet"
    packet_files.write_packet(
        path, packet_files.Packet(project_id=packet.project_id, project_name="x", schema=packet.schema, tables=rows)
    )
    return path


def _set(table: str, name: str, value: Any) -> Any:
    def change(rows: dict[str, list[dict[str, Any]]]) -> None:
        rows[table][0][name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("prompt", "text", 5), _set("prompt", "text", None), _set("prompt", "nonsense", 1),
        _set("study", "plan", "[" * 9999), _set("assignment", "position", 1 << 70), _set("prompt", "active", 7),
        _set("prompt", "subject_id", "nowhere"), _set("change", "annotator_id", "nobody"),
        lambda rows: rows.update({"sqlite_master": [{"name": "x"}]}),
        lambda rows: rows["pair"].append({**rows["pair"][0], "id": "p", "study_id": "nowhere"}),
        lambda rows: rows["annotator"].append({"id": "x"}),
    ],
)  # fmt: skip
def test_rows_that_do_not_fit_change_nothing(study: ProjectFile, tmp_path: Path, change: Any) -> None:
    path = _with(study, tmp_path, change)
    other = projects.create_project(tmp_path / "other.annotator", "Other", "Eve")
    before = _state(other)
    with pytest.raises(BadInputError):
        packets.import_packet(other, path, unrelated=True)
    assert _state(other) == before
    other.close()


def test_files_that_are_no_packets(study: ProjectFile, tmp_path: Path) -> None:
    good = tmp_path / "good.packet"
    packets.export_packet(study, good)
    sealed = tmp_path / "sealed.packet"
    packets.export_packet(study, sealed, passphrase="long enough")
    data, secret = good.read_bytes(), sealed.read_bytes()
    head = json.dumps({"format": "annotator-packet", "version": 1, "project": 3})
    wrong = {
        "empty": b"", "text": b"hello", "cut": data[: len(data) // 2], "cut seal": secret[:40],
        "flipped": secret[:-1] + bytes([secret[-1] ^ 1]), "head": gzip.compress(head.encode() + b"\n"),
        "not json": gzip.compress(b"\xff\n"), "other": gzip.compress(b'{"format": "x"}\n'),
        "deep": gzip.compress(b"[" * 100_000 + b"\n"), "short": gzip.compress(gzip.decompress(data)[:-1]),
        "a row less": gzip.compress(b"".join(gzip.decompress(data).splitlines(keepends=True)[:-1])),
    }  # fmt: skip
    before = _state(study)
    for name, content in wrong.items():
        path = tmp_path / f"{name}.packet"
        path.write_bytes(content)
        with pytest.raises(BadInputError):
            packets.import_packet(study, path, passphrase="long enough")
    for phrase in ("", "another one"):
        with pytest.raises(BadInputError, match="passphrase"):
            packets.import_packet(study, sealed, passphrase=phrase)
    with pytest.raises(BadInputError):
        packets.import_packet(study, tmp_path / "none.packet")
    with pytest.raises(BadInputError, match="at least"):
        packets.export_packet(study, tmp_path / "n.packet", passphrase="short")
    with pytest.raises(BadInputError, match="exists"):
        packets.export_packet(study, good)
    with pytest.raises(BadInputError, match="not a share for one person"):
        packets.open_packet(good, tmp_path / "new.annotator")
    assert _state(study) == before and not (tmp_path / "new.annotator").exists()


def test_settings_that_make_no_sense_are_left_aside(study: ProjectFile, tmp_path: Path) -> None:
    path, away = tmp_path / "bo.packet", tmp_path / "bo.annotator"
    packets.export_packet(study, path, person="Bo", subject_ids=["0"])
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    head = json.loads(lines[0])

    def write(told: Any) -> None:
        path.write_bytes(gzip.compress(json.dumps({**head, "settings": told}).encode() + b"\n" + b"".join(lines[1:])))

    write({"panel_voters": "x", "panel_keep": 99, "release_gates": [1], "annotator": "?"})
    theirs = packets.open_packet(path, away)
    assert panel_votes.panel_size(theirs) == (13, 10) and theirs.annotator.name == "Bo"
    assert release_gates.load_gate_rules(theirs) == release_gates.load_gate_rules(study)
    theirs.close()
    write(7)
    with pytest.raises(BadInputError, match="valid header"):
        packets.open_packet(path, tmp_path / "other.annotator")


@pytest.mark.file_only("the hash is computed before anything is stored")
def test_whole_limits_written_in_two_ways_are_one_content(store: ProjectFile, tmp_path: Path) -> None:
    tests = [{"code": "assert True", "timeout": limit} for limit in (5, 5.0, 2.5, 0)]
    rows, packet = tmp_path / "limits.jsonl", tmp_path / "limits.packet"
    rows.write_text(json.dumps({"id": "limits", "prompt": "Why?", "tests": tests}) + "\n")
    assert imports.import_paths(store, "jsonl", [rows]).added == 1
    assert store.integrity() == ()
    packets.export_packet(store, packet)
    other = ProjectFile.create(tmp_path / "other.annotator", "Other", "Zoe")
    assert packets.import_packet(other, packet, unrelated=True).added["testcase"] >= 4
    other.close()


# Packets that an older version of the program wrote: what they hold comes in, as if the project itself had come.
GOLDEN = [
    path
    for path in sorted((Path(__file__).parents[2] / "store" / "sound").glob("*.gz"))
    if path.name != f"schema-{schema.SCHEMA_VERSION}.annotator.gz"
]


@pytest.fixture(params=GOLDEN, ids=lambda path: path.name.partition(".")[0])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a project file as an older version left it."""
    path = tmp_path / "old.annotator"
    path.write_bytes(gzip.decompress(request.param.read_bytes()))
    return path


def _packet(old: Path, **also: Any) -> packet_files.Packet:
    """Return what the older version would have written: its own tables with its own columns."""
    tables: dict[str, list[dict[str, Any]]] = {}
    with closing(sqlite3.connect(old)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        project, name = connection.execute("SELECT id, name FROM project").fetchone()
        for table in row_union.TABLES:
            present = {row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')}
            if not present:
                continue
            names = [name for name in row_union.exchanged_columns(table) if name in present]
            listed = ", ".join(f'"{name}"' for name in names)
            tables[table] = [
                dict(zip(names, row, strict=True)) for row in connection.execute(f'SELECT {listed} FROM "{table}"')
            ]
    if "origin" in tables:
        tables["origin"] = row_union.add_origins(tables["origin"], tables["subject"])
    return packet_files.Packet(
        **({"project_id": project, "project_name": name, "schema": version} | also), tables=tables
    )


def _rows(store: ProjectFile) -> dict[str, Any]:
    with store.read() as db:
        return row_union.read_all(db, run_data=True)


def test_an_older_packet_brings_what_the_project_itself_would_bring(old: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.packet"
    packet = _packet(old)
    assert packet.tables["decision"] and packet.schema < schema.SCHEMA_VERSION
    packet_files.write_packet(path, packet)
    with closing(projects.open_project(old)) as same:
        before = disagreements.load_conflicts(same)
        report = packets.import_packet(same, path)
        assert (report.total, report.conflicts) == (0, 0) and report.known > 0
        assert disagreements.load_conflicts(same) == before
        wanted = _rows(same)
    with closing(projects.create_project(tmp_path / "new.annotator", "Other", "Zoe")) as fresh:
        packets.import_packet(fresh, path, unrelated=True)
        brought = _rows(fresh)
        for table, rows in wanted.items():
            key = row_union.identifying_columns(table)
            known = {tuple(row[name] for name in key): row for row in brought[table]}
            for row in rows:
                assert known[tuple(row[name] for name in key)] == row, table
        assert fresh.integrity() == ()


def test_a_packet_of_a_newer_version_is_refused_where_it_is_opened_too(old: Path, tmp_path: Path) -> None:
    path = tmp_path / "newer.packet"
    packet_files.write_packet(path, _packet(old, schema=schema.SCHEMA_VERSION + 1, for_id="x", for_name="Bo"))
    with pytest.raises(BadInputError, match="newer version"):
        packets.open_packet(path, tmp_path / "made.annotator")
    assert not (tmp_path / "made.annotator").exists()


def test_what_no_migration_gave_is_still_missed(old: Path, tmp_path: Path) -> None:
    packet = _packet(old)
    tables = json.loads(json.dumps(packet.tables))
    del tables["prompt"][0]["text"]
    path = tmp_path / "bad.packet"
    packet_files.write_packet(
        path, packet_files.Packet(project_id=packet.project_id, project_name="x", schema=packet.schema, tables=tables)
    )
    with (
        closing(projects.open_project(old)) as store,
        pytest.raises(BadInputError, match="has missing or unknown fields"),
    ):
        packets.import_packet(store, path)
