"""A release of 14 people, 4 of them at work, holds no name, address or number that a person did not agree to.

Each free text holds a person's name, an address and a number of its own. What an export shows of them, in any byte of
any format, the gate must have named before; a name or a pseudonym must not lead to a person who is left out.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.formats.format_registry import EXPORTS
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.criterion import revisions
from annotator.services.judge import blind_judging
from annotator.services.judge.blind_judging import NewStudy
from annotator.services.project import members
from annotator.services.prompt import paraphrases
from annotator.services.release import audit, authors, datasheet, exports, release_gates, versions
from annotator.services.results import error_labels, report, responses
from annotator.services.results.result_tables import TableOptions
from annotator.services.runs import run_control
from annotator.services.select import triage
from annotator.services.sources import imports
from annotator.store.file.project_file import ProjectFile
from tests.formats.public_rows import COCO, DOMAINEVAL, EVALPLUS, EVOCODEBENCH
from tests.formats.releases import write_rows

ACTIVE = ("Ada Karlsson", "Bo Lindqvist", "林美玲", "Dana Petrov")
IDLE = ("Eve Miller", "Fay Okafor", "Gil Moreau", "Hal Brandt", "Ivo Novak", "王建国", "Kim Tanaka", "Lou Weber",
        "Mia Rossi", "陈晓东")  # fmt: skip
LEFT_OUT = ("Dana Petrov",)


PUBLISHED = {
    "reason of a reject": "reason of a rejection, 1", "override": "reason to override, jsonl:1", "paraphrase": "prompt",
    "criterion": "criterion", "statement": "audit, purpose", "datasheet description": "description",
    "datasheet citation": "citation", "datasheet purpose": "answers, purpose", "file name": "sources, 6, name",
}  # fmt: skip
"""Where a release publishes what people wrote, and what the gate calls the place."""


class Plants:
    """Texts with a name, an address and a number of their own; if ``clean``, harmless where they are published."""

    def __init__(self, *, clean: bool) -> None:
        self.marks: dict[str, tuple[str, str]] = {}
        self.clean = clean

    def text(self, place: str) -> str:
        """Return a text for a place, with a mark for its address and one for its number."""
        if self.clean and place in PUBLISHED:
            return f"A {place} that says nothing of anybody."
        number = len(self.marks) + 10
        self.marks[place] = (f"p{number}x@uni-kassel.de", f"+49 561 80{number} 2{number}7")
        return f"Ask {IDLE[number % len(IDLE)]}, {', '.join(self.marks[place])}, about it."


def _work(store: ProjectFile, plants: Plants, folder: Path) -> None:
    """Plant a text wherever the public services take one; everybody of `ACTIVE` does some of it."""
    ids = [triage.load_subject_row(store, str(number)).id for number in range(4)]
    triage.decide_subjects(store, ids[:3], Verdict.ACCEPT, plants.text("reason of an accept"))
    triage.decide_subjects(store, ids[3:], Verdict.REJECT, plants.text("reason of a reject"))
    triage.label_rows(store, [triage.queue_row_of(store, "1")], "domain", "text")
    paraphrases.save_prompt(store, "1", f"Use merge_them(a, b) to match. {plants.text('paraphrase')}")
    paraphrases.override_checks(store, "1", plants.text("override"))
    for number in range(3):
        words = f"# {plants.text('criterion')}\n" if number == 2 else ""
        revisions.save_criterion(store, str(number), f"{words}grading:\n  keywords: ['merge_them(']\n")
    aspect_reviews.add_comment(store, "0", plants.text("comment"))
    members.switch_annotator(store, ACTIVE[1])
    aspect_reviews.add_review(store, "0", {"correctness": 5, "difficulty": 1}, plants.text("review"))
    panel_votes.cast_vote(store, "0", {"realistic": "yes", "uses_llm": "yes"})
    panel_votes.close_panel_vote(store, "0", plants.text("close a vote"))
    triage.decide_subjects(store, ids[2:3], Verdict.REJECT, plants.text("second reject"))

    members.switch_annotator(store, ACTIVE[2])
    (open_one,) = disagreements.load_disagreements(store)
    disagreements.resolve_disagreement(store, "2", open_one.about, "adjudicator", "accept", plants.text("adjudication"))
    three_experts.save_artefact_edit(store, "0", "solution", "Use merge_them(a, b) twice.", plants.text("edit"))
    aspect_reviews.set_locked(store, "2", True, plants.text("lock"))
    members.switch_annotator(store, ACTIVE[3])
    audit.save_statement(store, audit.POINTS[0].id, "met", plants.text("statement"))
    three_experts.record_confirmation(store, "0", "solution", three_experts.REJECT, plants.text("confirmation"))
    pairs = blind_judging.candidate_pairs(store, "paraphrase", "original", "paraphrase", ["1"])
    study = NewStudy(name="s", kind="paraphrase", name_a="before", name_b="after", raters=(ACTIVE[3],),
                     guidelines=plants.text("guidelines"))  # fmt: skip
    blind_judging.create_blind_study(store, study, pairs)
    pair = next(iter(blind_judging.load_judging_queue(store).pairs))
    blind_judging.judge_pair(store, pair.assignment_id, "1", plants.text("judgement"))
    for name in ("description", "citation", datasheet.sheets.QUESTIONS[0].id):
        datasheet.save_datasheet_text(store, name, plants.text(f"datasheet {name}"))
    source = folder / f"{plants.text('file name')}.jsonl"
    write_rows(source, [{"id": "n", "title": "Named", "prompt": "How?", "language": "python", "task": "question"}])
    samples = {"evalplus": EVALPLUS, "domaineval": DOMAINEVAL, "evocodebench": EVOCODEBENCH, "coco": COCO}
    for name, rows in samples.items():
        imports.import_paths(store, name, [write_rows(folder / f"{name}.jsonl", rows)])
    triage.decide_subjects(
        store,
        [row.id for row in triage.queue_page(store, QueueFilter()).rows if row.key[:5] != "jsonl"],
        Verdict.ACCEPT,
    )
    imports.import_paths(store, "jsonl", [source])
    authors.choose_authors(store, dict.fromkeys(LEFT_OUT, "left-out"))


def _answer(store: ProjectFile, plants: Plants, folder: Path) -> None:
    """Add answers to the release, and what people say about them."""
    rows = [{"subject": str(n), "model": "m", "sample": 0, "response": "no"} for n in range(3)]
    write_rows(folder / "answers.jsonl", rows)
    run = run_control.start_replay(store, "1.0", folder / "answers.jsonl")[0][0].id
    members.switch_annotator(store, LEFT_OUT[0])
    for row in responses.responses_of_run(store, responses.load_run_data(store, run), run):
        error_labels.label_failed_responses(store, [row.response_id], "wrong library", plants.text(f"label {row.key}"))


def _contents(name: str, data: bytes) -> Iterator[str]:
    """Yield the texts of a file and of those inside it."""
    if data[:2] == b"\x1f\x8b":
        yield from _contents(name, gzip.decompress(data))
    elif data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for inner in archive.namelist():
                yield from _contents(f"{name}/{inner}", archive.read(inner))
    elif data[:4] == b"PAR1":
        parquet = pytest.importorskip("pyarrow.parquet")
        yield json.dumps(parquet.read_table(io.BytesIO(data)).to_pylist(), ensure_ascii=False, default=str)
    elif data[:6] == b"SQLite":
        with sqlite3.connect(":memory:") as connection:
            connection.deserialize(data)
            yield "\n".join(connection.iterdump())
    else:
        text = data.decode("utf-8", "replace")
        yield text
        # JSON and HTML may write a letter as a code.
        unescaped = re.sub(r"\\u([0-9a-f]{4})|&#(\d+);", lambda m: chr(int(m[1], 16) if m[1] else int(m[2])), text)
        yield unescaped.replace("\\/", "/")


@pytest.mark.file_only("exports the same rows")
@pytest.mark.parametrize("clean", [False, True])
def test_a_release_tells_nothing_private(store: ProjectFile, tmp_path: Path, clean: bool) -> None:
    plants, folder, out = Plants(clean=clean), tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    for name in (ACTIVE[0], *ACTIVE[1:], *IDLE):
        members.add_annotator(store, name)
    panel_votes.set_panel(store, 2, 1)
    panel_votes.set_chair(store, ACTIVE[1])
    members.switch_annotator(store, ACTIVE[0])
    _work(store, plants, folder)
    gate = next(row for row in release_gates.check_gates(store) if row.id == "private")
    places = {item.field for item in exports.scan_release(store).findings}
    assert places == (set() if clean else set(PUBLISHED.values())) and gate.ok == clean
    for texts in ({"notes": plants.text("notes")}, {"errata": [f"{IDLE[0]} found it."]}, {"notes": "Ask Dana Petrov."}):
        with pytest.raises(BadInputError, match="personal data"):
            versions.create_release(store, "1.0", override_reason="a test", **texts)  # type: ignore[arg-type]
    with pytest.raises(BadInputError, match="gates"):
        versions.create_release(store, "1.0")
    versions.create_release(store, "1.0", "First.", override_reason="a test")
    _answer(store, plants, folder)
    for kind in EXPORTS:
        with contextlib.suppress(BadInputError):  # None of the items fits one format.
            exports.export_release(store, "1.0", kind.name, out / kind.name)
    assert len(list(out.iterdir())) >= len(EXPORTS) - 1
    report.write_report(store, out / "report.html", "1.0", TableOptions(draws=100))
    texts_of_files = "\n".join(
        text for path in sorted(out.rglob("*")) if path.is_file() for text in _contents(path.name, path.read_bytes())
    )
    seen = {place for place, marks in plants.marks.items() if any(mark in texts_of_files for mark in marks)}
    assert seen == (set() if clean else set(PUBLISHED))
    assert [row.name for row in authors.list_authors(store) if row.is_named] == ["Ada", *ACTIVE[:3]]
    assert not any(name in texts_of_files for name in LEFT_OUT)
    assert clean is not any(name in texts_of_files for name in IDLE)
    ids = [row.id for row in authors.list_authors(store)]
    assert len(ids) == 15 and not any(person in texts_of_files for person in ids)
    assert f"expert {content_hash(ids[4])[:8]}" in texts_of_files
    found = {item.field for item in exports.scan_release(store, "1.0").findings}
    scan = (out / "annotator" / "PERSONAL-DATA.md").read_text("utf-8")
    assert clean is not bool(found) and clean is (" 0 findings" in scan)
