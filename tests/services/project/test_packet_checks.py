"""What a packet may carry: values the program could have written, and the acts of whoever wrote it."""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.clock import now, time_text
from annotator.base.errors import BadInputError, FutureDateError
from annotator.base.ids import new_id
from annotator.formats.interchange import packet_files as packet_files
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.project import members, packets, projects
from annotator.services.prompt import paraphrases
from annotator.services.release import signatures
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile

Tables = dict[str, list[dict[str, Any]]]
Forge = Callable[[Tables], None]

pytestmark = pytest.mark.file_only("what a packet may carry does not depend on where the project is")


@pytest.fixture
def study(store: ProjectFile) -> ProjectFile:
    members.add_annotator(store, "Bo")
    for number in range(3):
        paraphrases.save_prompt(store, str(number), f"What about {number}?")
    pairs = blind_judging.candidate_pairs(store, "paraphrase", "original", "paraphrase", ["0", "1", "2"])
    wanted = NewStudy(name="s", kind="paraphrase", name_a="before", name_b="after", raters=("Ada", "Bo"))
    blind_judging.create_blind_study(store, wanted, pairs)
    return store


def _bo_works(study: ProjectFile, folder: Path, forge: Forge | None = None) -> Path:
    """Return the packet of Bo, who has judged, voted, reviewed and decided elsewhere; ``forge`` changes its rows."""
    path, away = folder / "bo.packet", folder / "bo.annotator"
    packets.export_packet(study, path, person="Bo", subject_ids=["0"])
    with closing(packets.open_packet(path, away)) as theirs:
        pair = blind_judging.load_judging_queue(theirs).pairs[0]
        blind_judging.judge_pair(theirs, pair.assignment_id, "1", seconds=4.0)
        panel_votes.cast_vote(theirs, "0", {"realistic": "yes", "uses_llm": "no"})
        aspect_reviews.add_review(theirs, "0", {"difficulty": 2})
        triage.decide_subjects(theirs, ["0"], Verdict.ACCEPT)
        back = folder / "back.packet"
        packet = packets.export_packet(theirs, back)
    if forge is not None:
        rows = {name: [dict(row) for row in found] for name, found in packet.tables.items()}
        forge(rows)
        back.unlink()
        packet_files.write_packet(
            back,
            packet_files.Packet(
                project_id=packet.project_id, project_name=packet.project_name, schema=packet.schema, tables=rows,
                by_id=packet.by_id,
            ),
        )  # fmt: skip
    return back


def _set(table: str, column: str, value: Any) -> Forge:
    def forge(rows: Tables) -> None:
        rows[table][-1][column] = value

    return forge


def _swap_sides(rows: Tables) -> None:
    row = rows["judgement"][0]
    row["order"] = "right-left" if row["order"] == "left-right" else "left-right"


def _swap_both(rows: Tables) -> None:
    """Serve the pair with other sides, too: what was served is known to the project."""
    _swap_sides(rows)
    [served] = [row for row in rows["assignment"] if row["pair_id"] == rows["judgement"][0]["pair_id"]]
    served["order"] = rows["judgement"][0]["order"]


def _add_criterion(rows: Tables) -> None:
    work = {name: rows["decision"][0][name] for name in ("annotator_id", "change_id", "created_at", "subject_id")}
    more = {"id": new_id(), "active": 1, "source": "grading: {}", "content_hash": "0" * 64, "note": ""}
    rows.setdefault("criterion", []).append({**work, **more})


def _add_subject(rows: Tables) -> None:
    subject, texts = rows["subject"][0], rows["subjecttext"][0]
    rows["subject"].append({**subject, "id": new_id(), "key": "jsonl:new", "content_hash": "0" * 64})
    rows["subjecttext"].append({**texts, "subject_id": rows["subject"][-1]["id"]})


def _judge_not_served(rows: Tables) -> None:
    rows["judgement"][0]["serving"] = 2


def _undo_of_others(rows: Tables) -> None:
    made = rows["prompt"][0]["change_id"]
    mine = next(row for row in rows["change"] if row["id"] == rows["decision"][0]["change_id"])
    rows["change"].append({**mine, "id": new_id(), "kind": "undo", "state": "event", "target_id": made})


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (_set("decision", "verdict", "perhaps"), "verdict is 'perhaps'"),
        (_set("judgement", "verdict", "3"), "verdict is '3'"),
        (_set("judgement", "order", "up-down"), "order"),
        (_set("judgement", "seconds", -1.0), "negative duration"),
        (_set("vote", "choice", "maybe"), "choice is 'maybe'"),
        (_set("vote", "question", "nice"), "question 'nice'"),
        (_set("review", "difficulty", 9), "difficulty is 9"),
        (_set("change", "state", "great"), "state is 'great'"),
        (_set("change", "nouns", "{}"), "nouns is not a JSON array"),
        (_set("subjecttext", "extra", "[]"), "extra is not a JSON object"),
        (_set("decision", "active", 2), "active is not 0 or 1"),
        (_set("subject", "views", 1 << 63), "views is not a count"),
        (_add_criterion, "content of a row of criterion does not match its hash"),
        (_add_subject, "content does not match its hash"),
        (_set("decision", "created_at", "yesterday"), "created_at is not a time"),
        (_set("decision", "created_at", time_text(now() + timedelta(days=400))), "in the future"),
        (_swap_sides, "sides of its pair swapped"),
        (_swap_both, "sides of its pair swapped"),
        (_judge_not_served, "not served to its rater"),
        (_undo_of_others, "undoes another person's change"),
    ],
)
def test_rows_the_program_would_not_have_written_are_refused(
    study: ProjectFile, tmp_path: Path, forge: Forge, said: str
) -> None:
    path = _bo_works(study, tmp_path, forge)
    with pytest.raises(BadInputError, match=said):
        packets.import_packet(study, path, others=True)
    assert triage.load_subject(study, "0").row.verdict is None


def test_work_that_a_wrong_clock_dated_can_be_accepted(study: ProjectFile, tmp_path: Path) -> None:
    path = _bo_works(study, tmp_path, _set("decision", "created_at", time_text(now() + timedelta(days=400))))
    with pytest.raises(FutureDateError):
        packets.import_packet(study, path)
    packets.import_packet(study, path, future=True)
    assert triage.load_subject(study, "0").row.verdict == Verdict.ACCEPT


def test_a_packet_carries_the_acts_of_its_author(study: ProjectFile, tmp_path: Path) -> None:
    ada = study.annotator.id

    def vote_for_ada(rows: Tables) -> None:
        for row in rows["vote"]:
            row["annotator_id"] = ada

    path = _bo_works(study, tmp_path, vote_for_ada)
    with pytest.raises(BadInputError, match=r"contains changes by people other than Bo: Ada \(2\)"):
        packets.import_packet(study, path)
    assert packets.import_packet(study, path, others=True).added["vote"] == 2


@pytest.mark.parametrize(
    ("method", "outcome", "said"),
    [
        ("all in", "open 10 13", "opens votes before all are in"),
        ("closed", "open 1 1", "1 of 1 must approve; in this project it is 10 of 13"),
        ("closed", f"open 1 {'9' * 6000}", ""),
        ("closed", "open 10 13", ""),
    ],
)
def test_a_packet_opens_only_votes_that_may_be_opened(
    study: ProjectFile, tmp_path: Path, method: str, outcome: str, said: str
) -> None:
    def open_votes(rows: Tables) -> None:
        act = {**rows["change"][-1], "id": new_id(), "state": "event", "target_id": None}
        rows["change"].append(act)
        rows["resolution"] = [
            {"id": new_id(), "created_at": act["created_at"], "annotator_id": act["annotator_id"], "active": 1,
             "change_id": act["id"], "subject_id": rows["vote"][0]["subject_id"], "about": "panel", "method": method,
             "outcome": outcome, "rationale": "now"}
        ]  # fmt: skip

    path = _bo_works(study, tmp_path, open_votes)
    if said:
        with pytest.raises(BadInputError, match=said):
            packets.import_packet(study, path)
    else:
        packets.import_packet(study, path)
    assert panel_votes.vote_state(study, "0").sealed == bool(said)


def test_a_packet_adds_no_tests_to_a_subject_that_is_here(study: ProjectFile, tmp_path: Path) -> None:
    def add_test(rows: Tables) -> None:
        rows["testcase"] = [
            {"id": new_id(), "created_at": time_text(now()), "subject_id": rows["vote"][0]["subject_id"], "position": 0,
             "name": "new", "inputs": "{}",
             "code": "assert True", "language": "python", "expected": "", "weight": 1.0, "timeout": None}
        ]  # fmt: skip

    assert "testcase" not in packets.import_packet(study, _bo_works(study, tmp_path, add_test)).added
    assert triage.load_subject(study, "0").tests == ()
    assert study.integrity() == ()


def _signing_keys(folder: Path) -> Path:
    """Make keys of Ada and Bo; returns the file that lists them."""
    lines = []
    for name in ("Ada", "Bo"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, timeout=60)
        lines.append(f'"{name}" {(folder / name).with_suffix(".pub").read_text()}')
    (folder / "signers").write_text("".join(lines))
    return folder / "signers"


@pytest.mark.skipif(not signatures.is_signing_available(), reason="ssh-keygen (openssh-client) is not installed")
def test_a_signed_packet_carries_the_acts_of_its_signer(study: ProjectFile, tmp_path: Path) -> None:
    signers, ada = _signing_keys(tmp_path), study.annotator.id

    def vote_for_ada(rows: Tables) -> None:
        for row in rows["vote"]:
            row["annotator_id"] = ada

    def merge(path: Path, **more: bool) -> int:
        return packets.import_packet(study, path, signers=signers, **more).added.get("vote", 0)

    path = _bo_works(study, tmp_path, vote_for_ada)
    for said, key in (("not signed", ""), ("signed by Ada but was written", "Ada"), ("contains changes by Ada", "Bo")):
        if key:
            signatures.sign_packet(path, tmp_path / key)
        with pytest.raises(BadInputError, match=said):
            merge(path, others=True)
    honest = tmp_path / "honest.packet"
    with closing(projects.open_project(tmp_path / "bo.annotator")) as theirs:
        packets.export_packet(theirs, honest, key=tmp_path / "Bo")
    data = honest.read_bytes()
    honest.write_bytes(data + b" ")
    with pytest.raises(BadInputError, match="not signed"):
        merge(honest)
    honest.write_bytes(data)
    command = ["packet", "import", str(study.path), str(honest), "--allowed", str(signers)]
    assert main(command) == 0
    honest.with_name("honest.packet.sig").unlink()
    assert main(command) == 3


def test_a_packet_of_an_older_version_may_carry_one_persons_acts(study: ProjectFile, tmp_path: Path) -> None:
    path = _bo_works(study, tmp_path)
    packet = packet_files.read_packet(path)
    path.unlink()
    packet_files.write_packet(
        path,
        packet_files.Packet(
            project_id=packet.project_id, project_name=packet.project_name, schema=packet.schema, tables=packet.tables
        ),
    )
    assert packets.import_packet(study, path).added["vote"] == 2


def test_what_is_hidden_stays_hidden_in_conflicts(study: ProjectFile, tmp_path: Path) -> None:
    # Bo votes differently on two machines; Ada must not read the votes before they are open.
    path = tmp_path / "bo.packet"
    packets.export_packet(study, path, person="Bo", subject_ids=["0"])
    for number, choice in enumerate(("yes", "no")):
        away = tmp_path / f"{number}.annotator"
        with closing(packets.open_packet(path, away)) as theirs:
            panel_votes.cast_vote(theirs, "0", {"realistic": choice, "uses_llm": "no"})
        assert packets.import_packet(study, away).conflicts == number
    [row] = disagreements.load_conflicts(study)
    assert (row.table, row.key, row.people) == ("vote", triage.load_subject(study, "0").row.key, ("Bo", "Bo"))
    assert {row.ours["choice"], row.theirs["choice"]} == {"(hidden)"}
    members.switch_annotator(study, "Bo")
    [row] = disagreements.load_conflicts(study)
    assert [row.ours["choice"], row.theirs["choice"]] == ["yes", "no"]


def test_two_paraphrases_and_an_act_on_a_locked_item_are_listed_by_command(
    study: ProjectFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home, away = tmp_path / "home.annotator", tmp_path / "away.annotator"
    for path in (home, away):
        study.copy_to(path)
    with closing(projects.open_project(away)) as theirs:
        members.switch_annotator(theirs, "Bo")
        paraphrases.save_prompt(theirs, "0", "What does Bo ask?")
        triage.decide_subjects(theirs, ["1"], Verdict.REJECT, "too easy")
    with closing(projects.open_project(home)) as ours:
        paraphrases.save_prompt(ours, "0", "What does Ada ask?")
        aspect_reviews.set_locked(ours, "1", True)
    assert main(["packet", "import", str(home), str(away)]) == 0
    assert "annotator team conflicts" in capsys.readouterr().out
    assert main(["team", "conflicts", str(home)]) == 0
    listed = capsys.readouterr().out
    assert "What does Bo ask?" in listed and "What does Ada ask?" in listed
    assert "lock" in listed and "verdict: reject" in listed
    assert main(["packet", "import", str(home), str(away), "--json"]) == 0
    assert '"conflicts": 0' in capsys.readouterr().out, "the same file brings nothing the second time"


@pytest.mark.parametrize("forged", [b"\\ud800", b"\\u0000", b"half \\udc80 a sign"])
def test_a_text_that_cannot_be_stored_is_refused(study: ProjectFile, tmp_path: Path, forged: bytes) -> None:
    path = _bo_works(study, tmp_path)
    lines = gzip.decompress(path.read_bytes())
    assert b'"rationale":""' in lines
    path.write_bytes(gzip.compress(lines.replace(b'"rationale":""', b'"rationale":"' + forged + b'"')))
    with pytest.raises(BadInputError, match="rationale is not a text"):
        packets.import_packet(study, path)
