"""The JSON Schema and the loader must know the same keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator import criteria
from annotator.criteria.document import loader, schema
from annotator.criteria.document.loader import METRICS
from annotator.criteria.document.templates import template

jsonschema = pytest.importorskip("jsonschema")
ROWS = [
    json.loads(line) for line in (Path(__file__).parent / "vectors" / "micro.jsonl").read_text("utf-8").splitlines()
]


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema.json_schema())


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "grade" and "error" not in row["expect"]])
def test_what_the_loader_takes_fits_the_schema(row: dict[str, Any]) -> None:
    jsonschema.validate({"grading": row["grading"]}, schema.json_schema())


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ((), loader.HEAD_KEYS),
        (("grading",), loader.GRADING_KEYS),
        (("grading", "keywords"), (*loader.RULE_KEYS, "post_handler")),
        (("grading", "blank_filling"), loader.BLANKS_KEYS),
        (("grading", "blank_filling", "targets"), loader.TARGET_KEYS),
        (("grading", "unit_test", "tests"), loader.TEST_KEYS),
        (("grading", "similarity"), loader.SIMILARITY_KEYS),
        (("grading", "ast"), (*loader.SYNTAX_KEYS, "absent", "weight", "why")),
        (("grading", "keywords", "content", "or"), loader.TREE_KEYS),
        (("examples",), ("answer", "expect", "why")),
    ],
)
def test_keys_are_those_of_the_loader(path: tuple[str, ...], keys: tuple[str, ...]) -> None:
    found = schema.keys_at(path)
    assert set(found) == set(keys)
    assert all(found.values()), "every key says what it is"


def test_what_is_not_a_key_has_no_schema() -> None:
    assert schema.keys_at(("grading", "nothing")) == {}


@pytest.mark.parametrize("metric", METRICS)
def test_templates_are_sound_and_fit(metric: str) -> None:
    from ruamel.yaml import YAML

    text = template(metric)
    checked = criteria.check(text)
    assert checked.document is not None, checked.problems
    assert not checked.problems
    jsonschema.validate(YAML(typ="safe", pure=True).load(text), schema.json_schema())
    assert metric in checked.document.metrics
