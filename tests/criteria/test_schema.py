"""The JSON Schema, the loader and the templates by the table of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from annotator import criteria
from annotator.criteria.document import document_schema
from annotator.criteria.document.document_schema import criterion_template
from annotator.criteria.document.keys import DOCUMENT, METRICS, Key, key_at, keys_at

jsonschema = pytest.importorskip("jsonschema")
ROWS = [
    json.loads(line) for line in (Path(__file__).parent / "vectors" / "micro.jsonl").read_text("utf-8").splitlines()
]


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(document_schema.json_schema())


@pytest.mark.parametrize("row", [row for row in ROWS if row["kind"] == "grade" and "error" not in row["expect"]])
def test_what_the_loader_takes_fits_the_schema(row: dict[str, Any]) -> None:
    jsonschema.validate({"grading": row["grading"]}, document_schema.json_schema())


def mappings(key: Key = DOCUMENT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every path of keys at which a mapping can stand; content, which holds itself, once."""
    if key.inner_keys:
        yield path
    for inner in key.keys:
        yield from mappings(inner, (*path, inner.name))


def document_with(path: tuple[str, ...], extra: str) -> dict[str, Any]:
    """A document that has all keys of the mapping at a path, and one more, with values of no sense."""
    value: Any = {**dict.fromkeys(keys_at(path), "x"), extra: "x"}
    if path[2:] and path[1] == "keywords":
        # A handler decides in place of the text.
        value.pop("post_handler", None)
    for depth in range(len(path), 0, -1):
        key, owner = key_at(path[:depth]), key_at(path[: depth - 1])
        assert key is not None and owner is not None
        required = {inner.name: {} if inner.keys else "x" for inner in owner.inner_keys if inner.is_required}
        value = {**required, key.name: value if key.shape == "one" else [value]}
    return cast("dict[str, Any]", value)


@pytest.mark.parametrize("path", list(mappings()), ids=".".join)
def test_the_loader_knows_the_keys_of_every_mapping_and_no_other(path: tuple[str, ...]) -> None:
    problems = criteria.parse_criterion(json.dumps(document_with(path, "qqqq"))).problems
    unknown = [item for item in problems if item.message.startswith(("there is no key", "there is no metric qqqq"))]
    assert [item.key.rpartition(".")[2] for item in unknown] == ["qqqq"], problems
    assert all(keys_at(path).values()), "every key says what it is"


def test_what_is_not_a_key_has_no_keys() -> None:
    assert keys_at(("grading", "nothing")) == {}


@pytest.mark.parametrize("metric", METRICS)
def test_templates_are_sound_and_fit(metric: str) -> None:
    from ruamel.yaml import YAML

    text = criterion_template(metric)
    checked = criteria.parse_criterion(text)
    assert checked.document is not None, checked.problems
    assert not checked.problems
    jsonschema.validate(YAML(typ="safe", pure=True).load(text), document_schema.json_schema())
    assert metric in checked.document.metrics
