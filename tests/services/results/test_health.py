"""Item health: difficulty and strength of tests as columns, and items that are opened again with their reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.model.tables.work_tables import Proof
from annotator.services.consensus import three_experts
from annotator.services.results import health, named_tables, score_data
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from tests.formats.releases import write_rows
from tests.services.results.test_result_tables import CRITERION, answers, build


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectFile]:
    made = build(tmp_path, 4, 4, 1)
    yield made
    made.close()


def _proven(store: ProjectFile, key: str, killed: int, tried: int, source: str = CRITERION) -> None:
    check = {"name": "mutants", "outcome": "pass", "summary": "", "facts": {"killed": killed, "tried": tried}}
    subject = triage.load_subject(store, key).row.id
    with store.write() as db:
        digest = content_hash(source)
        db.add(
            Proof(subject_id=subject, content_hash=digest, kind="criterion", outcome="pass", detail={"checks": [check]})
        )


def _column(store: ProjectFile, name: str) -> dict[str, str]:
    table = named_tables.make_table(store, score_data.load_results(store), "items")
    return {row[0].text: row[table.headers.index(name)].text for row in table.rows}


def test_strength_is_blank_where_no_proof_of_these_contents_says(store: ProjectFile) -> None:
    keys = sorted(_column(store, "flags"))
    assert set(_column(store, "tests notice %").values()) == {""}
    _proven(store, keys[0], 1, 4)
    _proven(store, keys[0], 3, 4)
    _proven(store, keys[1], 4, 4, CRITERION + "\n# another")
    _proven(store, keys[2], 0, 0)
    found = _column(store, "tests notice %")
    assert found == {keys[0]: "75.00", keys[1]: "", keys[2]: "", keys[3]: ""}
    three_experts.save_artefact_edit(store, keys[0], "solution", "alpha beta gamma", "clearer")
    assert _column(store, "tests notice %")[keys[0]] == "", "the reference is no more what was proven"


def test_difficulty_is_blank_below_five_models(store: ProjectFile, tmp_path: Path) -> None:
    assert set(_column(store, "difficulty").values()) == {""}
    answers(store, tmp_path, 5, 4, 1, seed=1)
    assert set(_column(store, "difficulty").values()) <= {"easy", "medium", "hard"}


def test_items_are_opened_with_what_health_says_of_each(store: ProjectFile) -> None:
    data = score_data.load_results(store)
    flagged = health.flagged_items(data)
    every = [item.subject_id for item in data.items]
    changes = health.reopen_items(store, every, data=data)
    assert changes.subjects == set(every)
    for item in data.items:
        [newest, *_] = triage.load_subject_history(store, item.key)
        assert triage.load_subject(store, item.key).row.verdict is None
        assert (" of release 1.0: " in newest.detail) == (item.subject_id in flagged)
    with pytest.raises(BadInputError, match="No item"):
        health.reopen_items(store, [])


def test_counts_of_the_queue_follow(store: ProjectFile) -> None:
    from annotator.model.rows.queue_rows import QueueFilter

    def count(verdict: str) -> int:
        wanted: Any = QueueFilter(verdicts=(verdict,))
        return triage.queue_page(store, wanted).total

    assert (count("accept"), count("open")) == (4, 0)
    health.reopen_items(store, ["jsonl:i1", "jsonl:i2"], "unclear")
    assert (count("accept"), count("open")) == (2, 2)
    assert dict(triage.queue_facets(store, QueueFilter()).counts["verdict"]) == {"accept": 2, "open": 2}


def test_all_that_health_flags_go_back_by_a_command(
    store: ProjectFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        {"subject": f"i{n}", "model": f"model-{m}-{m + 1}b", "response": "alpha beta" if n < 2 or m % 2 else "gamma"}
        for m in range(4)
        for n in range(4)
    ]
    run_control.start_replay(store, None, write_rows(tmp_path / "same.jsonl", lines))
    wanted = {item.subject_id for item in score_data.load_results(store).items if item.key in ("jsonl:i0", "jsonl:i1")}
    assert main(["results", str(store.path), "--send-back-flagged", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["opened"]) == wanted
    assert "everyone passes" in triage.load_subject_history(store, "jsonl:i0")[0].detail
    assert triage.load_subject(store, "jsonl:i2").row.verdict == "accept"
