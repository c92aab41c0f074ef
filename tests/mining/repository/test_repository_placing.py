"""What stands around a function, and what a candidate of it carries to be run in its repository."""

from __future__ import annotations

from dataclasses import replace

from annotator.evaluation.presets import find_protocol_preset
from annotator.evaluation.prompts import build_question
from annotator.evaluation.repository_tests import read_repository_place
from annotator.jobs.progress import Progress
from annotator.mining.repository.context.place import add_places
from annotator.mining.repository.pipeline import MiningOptions, mine_folder
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import candidate_of_mined_row

from .conftest import Write

HEAD = "import os\n\n\ndef first(x):\n    y = x\n    y += 1\n    return y\n\n\n"
BODY = (
    "class Box:\n    @staticmethod\n    def first_of(\n        x,  # what\n    ):\n"
    '        """Say."""\n        y = x\n        y += 2\n        return y\n'
)
TAIL = "\n    def last(self):\n        return 1\n"
CASES = "def test_box():\n    assert Box.first_of(1) == 3\n\ndef test_first():\n    assert first(1) == 2\n"
KIT = {"src/kit.py": HEAD + BODY + TAIL, "tests/test_kit.py": f"from kit import Box, first\n\n{CASES}"}


def test_what_stands_around_a_function_goes_with_it(write: Write) -> None:
    root = write(KIT)
    mined, session = mine_folder(root, MiningOptions(recipe="evocodebench"))
    rows = {row.qualified_name: row for row in add_places(session, mined.rows, "0" * 24)}
    place = rows["Box.first_of"].place
    assert place is not None and place.namespace == "kit.Box.first_of" and "src" in place.roots
    assert place.above == HEAD + "class Box:\n    @staticmethod\n" and place.below == TAIL
    assert place.signature == (12, 14) and rows["Box.first_of"].body_span == (16, 18)
    assert place.functions == (("kit.first", "def first(x):\n    y = x\n    y += 1\n    return y"),)
    assert rows["Box.first_of"].tests[0].code == "def test_box():\n    assert Box.first_of(1) == 3"
    assert [row.tests[0].code for row in add_places(session, mined.rows)] == [row.tests[0].code for row in mined.rows]
    unconfirmed = candidate_of_mined_row(rows["Box.first_of"])
    assert "grader" not in unconfirmed.extra and unconfirmed.extra["signature"].startswith("def first_of(")
    sure = replace(rows["Box.first_of"], tests=tuple(replace(t, confirmed=True) for t in rows["Box.first_of"].tests))
    found = candidate_of_mined_row(sure)
    assert found.prompt.startswith("@staticmethod\ndef first_of("), "an answer without it fails"
    assert found.extra["grader"] == "repository" and "masked" not in found.extra["row"]
    assert read_repository_place({"extra": found.extra}).tests == ("tests/test_kit.py::test_box",)
    assert found.extra["body_position"] == [16, 18] and found.provenance["namespace"] == "kit.Box.first_of"


def test_a_function_on_one_line_has_no_place(write: Write) -> None:
    files = {
        "kit.py": "def one(x): return x + 1\n",
        "test_kit.py": "from kit import one\n\ndef test_one():\n    assert one(1)\n",
    }
    mined, session = mine_folder(write(files), MiningOptions(recipe="evocodebench"))
    (row,) = add_places(session, mined.rows, "0" * 24)
    assert row.place is None and "signature" not in candidate_of_mined_row(row).extra and "place" not in row.to_row()


def test_every_context_setting_can_ask_about_what_is_judged_alone(write: Write) -> None:
    (outcome,) = repository_mining.mine_repositories([write(KIT)], MiningOptions(), Progress(), static_only=True)
    assert outcome.mined is not None
    row = next(row for row in outcome.mined.rows if row.qualified_name == "Box.first_of")
    found = candidate_of_mined_row(row)
    assert "grader" not in found.extra and "repositoryplace" not in found.extra and found.context == row.masked
    item = {"key": "k", "language": "python", "entry_point": found.entry_point, "extra": found.extra, "prompt": "p"}
    for context in ("none", "above", "infilling", "similar"):
        question = build_question(item, find_protocol_preset(f"evocodebench-{context}-greedy"))
        assert "def first_of(" in question.messages[-1].content
