"""Addresses in copyright and author lines of code stay; addresses in data, prompts and other comments are found."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.formats.documents import personal_data
from annotator.formats.documents.credit_lines import credit_lines
from annotator.formats.read.import_records import Candidate, CandidateTest
from tests.formats.releases import item_of
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
MAIL = "jane.doe@uni-kassel.de"


def _found(candidate: Candidate) -> set[str]:
    return {finding.field for finding in personal_data.scan_item(item_of(candidate))}


@pytest.mark.parametrize(("language", "text"), SAMPLES["credits"])
def test_lines_that_name_authors_are_no_personal_data(language: str, text: str) -> None:
    candidate = Candidate(key="x:1", title="T", language=language, prompt="?", reference=text, context=text)
    assert _found(candidate) == set()


@pytest.mark.parametrize(("language", "text"), SAMPLES["no_credits"])
def test_an_address_elsewhere_in_code_is_found(language: str, text: str) -> None:
    assert _found(Candidate(key="x:1", title="T", language=language, prompt="?", reference=text)) == {"reference"}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"prompt": "{}"}, "prompt"),
        ({"title": "{}"}, "title"),
        ({"tests": (CandidateTest(name="t", inputs={"a": ["{}"]}),)}, "tests.1.inputs.a.1"),
        ({"tests": (CandidateTest(name="t", expected="{}"),)}, "tests.1.expected"),
        ({"extra": {"files": {"people.csv": "{}"}}}, "files.people.csv"),
        ({"extra": {"files": {"data/licences.json": '{{"#": "{}"}}'}}}, "files.data/licences.json"),
        ({"extra": {"files": {"tests/authors.txt": "{}"}}}, "files.tests/authors.txt"),
        ({"extra": {"docstring": "Do it.\n{}"}}, "extra.docstring"),
    ],
)
def test_prompts_and_data_are_no_place_for_credits(changes: dict[str, Any], field: str) -> None:
    line = f"Copyright 2009 Jane Doe <{MAIL}>"

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return value.format(line)
        if isinstance(value, dict):
            return {name: filled(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [filled(inner) for inner in value]
        return value

    given = {
        name: (CandidateTest(name="t", expected=filled(value[0].expected), inputs=filled(value[0].inputs)),)
        if name == "tests"
        else filled(value)
        for name, value in changes.items()
    }
    assert field in _found(Candidate(**{"key": "x:1", "title": "T", "language": "python", "prompt": "?", **given}))


def test_files_of_code_and_of_the_licence_may_name_their_authors() -> None:
    header = f"# Copyright 2009 Jane Doe <{MAIL}>\n"
    files = {"src/a.py": header + "x = 1\n", "LICENSE.md": f"Jane Doe <{MAIL}>\n", "docs/AUTHORS": MAIL}
    tests = (CandidateTest(name="t", code=header + "def test_it(): pass\n", language="python"),)
    extra = {"context_above": header, "row": {"tests": [{"code": header}]}, "files": files}
    assert _found(Candidate(key="x:1", title="T", language="python", prompt="?", tests=tests, extra=extra)) == set()


def test_a_secret_in_a_copyright_line_is_a_secret() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    found = personal_data.scan_item(
        item_of(Candidate(key="x:1", title="T", language="python", reference=f"# Copyright {token}"))
    )
    assert [one.finding.rule for one in found] == ["GitHub token"]


def test_code_that_cannot_be_read_is_read_as_far_as_it_goes() -> None:
    text = f'# Author: Jane <{MAIL}>\nx = (\n"""'
    assert credit_lines(text, "python") == {1}
