"""The parts of a rewrite in the habits of chat models: what is there is found, and what is not is not made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from annotator.base.errors import BadInputError
from annotator.mining.rewriting import TaskParameter, TaskSignature, signature_text
from annotator.services.prompt.rewrite_parts import (
    PARTS,
    TITLES,
    RewriteParts,
    read_any_signature,
    read_parts,
    select_parts,
    write_parts,
)
from tests.samples import load_samples

SAMPLES: dict[str, Any] = load_samples(__file__)
CODE: dict[str, str] = SAMPLES["code"]
HEADS: dict[str, str] = SAMPLES["heads"]
SIGNATURE = TaskSignature(name="cut", parameters=(TaskParameter("text", "str"), TaskParameter("sign", "str")))
KNOWN = dict.fromkeys(CODE, SIGNATURE)


def _filled(style: str, language: str, code: str) -> str:
    other = "javascript" if language == "python" else "python"
    values = {"TITLE": TITLES[language], "TAG": language, "CODE": code.strip(), "HEAD": HEADS[language],
              "OTHER": CODE[other].strip(), "OTHERTAG": other, "JSON": json.dumps(code)}  # fmt: skip
    for name, value in values.items():
        style = style.replace(f"<{name}>", value)
    return style


@pytest.mark.parametrize("language", list(CODE))
@pytest.mark.parametrize("style", SAMPLES["answers_with_the_code"])
def test_the_code_of_a_language_is_found(style: str, language: str) -> None:
    found = read_parts(_filled(style, language, CODE[language]), KNOWN, only=language).references
    assert "".join(found[language].split()) == "".join(CODE[language].split())
    assert list(found) == [language]


@pytest.mark.parametrize("language", list(CODE))
@pytest.mark.parametrize("style", SAMPLES["answers_without_the_code"])
def test_where_there_is_no_code_none_is_found(style: str, language: str) -> None:
    half = CODE[language][: len(CODE[language]) // 2]
    assert read_parts(_filled(style, language, half), KNOWN, only=language).references == {}


ROWS = ({"name": "typical", "inputs": ["a;b", ";"], "expected": ["a", "b"]},
        {"name": "no sign", "inputs": ["a", ""], "comparator": "raises"})  # fmt: skip


@pytest.mark.parametrize("answer", SAMPLES["tables"])
def test_a_table_of_tests_is_found(answer: str) -> None:
    rows = [dict(row) for row in read_parts(answer, KNOWN, only="tests").rows]
    assert [{key: value for key, value in row.items() if value != "equal"} for row in rows] == list(ROWS)


@pytest.mark.parametrize("answer", ["I cannot do that.", "Rows follow.", "```json\n[1, 2]\n```"])
def test_where_there_is_no_table_none_is_found(answer: str) -> None:
    assert read_parts(answer, KNOWN, only="tests").rows == ()


@pytest.mark.parametrize("answer", SAMPLES["tasks"])
def test_requirement_and_signatures_are_found(answer: str) -> None:
    parts = read_parts(answer)
    assert parts.requirement == "Split a record at a sign."
    assert parts.objective == "Cut a record." and parts.result == "The pieces in order."
    assert parts.twists == ("the sign is a parameter",)
    assert parts.meanings == {"text": "the record", "sign": "where it is cut"}
    assert {item.name for item in parts.signatures.values()} == {"cut"} and len(parts.signatures) == 5
    assert signature_text(parts.signatures["python"]) == "cut(text: str, sign: str) -> list[str]"
    assert all([item.name for item in found.parameters] == ["text", "sign"] for found in parts.signatures.values())
    assert not parts.rows and not parts.references


@pytest.mark.parametrize(("line", "language", "signature"), SAMPLES["signatures"])
def test_signatures_are_read_in_every_notation(line: str, language: str, signature: str) -> None:
    found = read_any_signature(line, language)
    assert (signature_text(found) if found is not None else "") == signature


def _table(*rows: dict[str, Any]) -> str:
    return f"```json\n{json.dumps({'rows': [{'inputs': ['a', ';'], **row} for row in rows]})}\n```"


def test_rows_of_one_name_or_none_all_stay() -> None:
    first = read_parts(_table({"expected": 1}, {"name": "x", "expected": 2}, {"expected": 3}), KNOWN, only="tests")
    assert [row["name"] for row in first.rows] == ["row 1", "x", "row 2"]
    later = _table({"name": "x", "expected": 4}, {"name": "x", "expected": 5}, {"expected": 6}, {"name": "row 3"})
    newer = read_parts(f"## Tests\n\n{later}", KNOWN, only="python", earlier_rows=first.rows)
    rows = {row["name"]: row.get("expected") for row in first.update(newer).rows}
    assert rows == {"row 1": 1, "x": 4, "row 2": 3, "x (2)": 5, "row 4": 6, "row 3": None}


def test_what_is_written_is_read_again() -> None:
    parts = read_parts(SAMPLES["tasks"][0]).update(RewriteParts(rows=ROWS, references=CODE))
    text = write_parts(parts, ["✓ changed: the sign is a parameter"])
    assert text.startswith("## Checks\n") and read_parts(text) == parts


def test_parts_are_selected_by_name() -> None:
    parts = read_parts(SAMPLES["tasks"][0]).update(RewriteParts(rows=ROWS, references=CODE))
    assert select_parts(parts, ()) == parts == select_parts(parts, PARTS)
    only = select_parts(parts, ["java", "tests"])
    assert list(only.references) == ["java"] and only.rows == ROWS and not only.signatures and not only.requirement
    for name in ("poem", "Java"):
        with pytest.raises(BadInputError, match=f"no part {name}"):
            select_parts(parts, [name])
    with pytest.raises(BadInputError, match="lacks the part tests"):
        select_parts(RewriteParts(requirement="r"), ["tests"])
