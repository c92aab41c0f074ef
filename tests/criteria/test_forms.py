"""The form and the YAML in step: what is not edited stays as it was written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator import criteria
from annotator.criteria.document.document_form import (
    ALL,
    ANY,
    FIELDS,
    SECTIONS,
    FormError,
    FormRule,
    add_rule,
    field_at,
    read_criterion_form,
    remove_rule,
    write_field,
)
from annotator.criteria.document.document_schema import criterion_template
from annotator.criteria.document.keys import METRICS, keys_at
from annotator.criteria.document.positioned_yaml import cursor_place_at
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

SOURCE = SAMPLES["source"]


def rules(source: str, section: str) -> list[FormRule]:
    return [rule for rule in read_criterion_form(source) if rule.section == section]


def test_rules_are_shown_with_their_values() -> None:
    word, group, nested, _ = rules(SOURCE, "keywords")
    assert (word.values["texts"], word.values["match"], word.values["weight"]) == ("yield", ANY, 1.0)
    assert group.values["texts"] == "generator\n/lazy\\s+list/"
    assert (group.values["weight"], group.values["why"]) == (2.0, "names the thing")
    assert "Nested" in nested.locked


def test_an_edit_leaves_the_rest_as_it_was() -> None:
    changed = write_field(SOURCE, "keywords", 1, "weight", 3.0)
    assert changed == SOURCE.replace("weight: 2.0", "weight: 3")
    changed = write_field(SOURCE, "keywords", 0, "why", "the keyword")
    assert "# the word itself" in changed and "# What a good answer holds." in changed and "# never more" in changed
    assert rules(changed, "keywords")[0].values["why"] == "the keyword"


def test_texts_become_the_right_tree() -> None:
    def content(texts: str, match: str = ANY) -> Any:
        changed = write_field(write_field(SOURCE, "keywords", 1, "texts", texts), "keywords", 1, "match", match)
        document = criteria.load_criterion(changed)
        return document.keywords[1].content

    assert content("one").text == "one" and not content("one").regex
    assert content("/o+ne/").regex
    assert content("a\nb").kind == "or" and content("a\nb", ALL).kind == "and"
    assert content("text:/usr/").text == "/usr/"


def test_n_of_m_and_flags_are_shown_and_written() -> None:
    source = "grading:\n  keywords:\n    - content: {at_least: 2, of: [a, b, c]}\n      code_only: true\n"
    [rule] = rules(source, "keywords")
    assert (rule.values["match"], rule.values["texts"], rule.values["code_only"]) == ("at least 2 of", "a\nb\nc", True)
    more = write_field(
        write_field(source, "keywords", 0, "match", "at least 3 of"), "keywords", 0, "ignore_space", True
    )
    [keyword] = criteria.load_criterion(more).keywords
    assert keyword.extensions == ("ignore_space", "code_only", "at_least") and keyword.label == "3 of a, b, c"
    [many] = rules("grading:\n  keywords:\n    - content: {at_least: 7, of: [a, b]}\n", "keywords")
    assert many.locked


def test_rules_are_added_and_removed() -> None:
    empty = ""
    made = add_rule(empty, "keywords", {"texts": "sorted(", "why": "it sorts"})
    document = criteria.load_criterion(made)
    assert document.keywords[0].content.text == "sorted(" and document.keywords[0].why == "it sorts"  # type: ignore[union-attr]
    again = add_rule(made, "keywords", {"texts": "key="})
    assert len(criteria.load_criterion(again).keywords) == 2
    assert remove_rule(again, "keywords", 1) == made
    assert remove_rule(made, "keywords", 0) == "", "without a rule there is no document, and nothing is wrong with it"
    assert read_criterion_form(remove_rule("# why\n" + made, "keywords", 0)) == ()


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_can_be_begun_from_nothing(section: str) -> None:
    values = {
        "keywords": {"texts": "a"},
        "blank_filling": {"template": "x = [blank] ;"},
        "targets": {"texts": "1"},
        "unit_test": {"name": "t", "content": "assert True\nassert 1\n"},
        "similarity": {"references": "some words"},
        "ast": {"name": "sorted"},
        "equals": {"value": "x"},
        "number": {"value": 4.0},
        "examples": {"answer": "x", "expect": "fail"},
    }[section]
    base = "lang: python\n" if section == "unit_test" else ""
    if section == "targets":
        base = add_rule("", "blank_filling", {"template": "x = [blank] ;"})
    made = add_rule(base, section, values)
    [rule] = rules(made, section)
    assert not rule.locked
    for name, value in values.items():
        assert str(rule.values[name]).strip() == str(value).strip()
    if section not in ("blank_filling", "examples"):
        assert criteria.parse_criterion(made).document is not None, (made, criteria.parse_criterion(made).problems)


@pytest.mark.parametrize("metric", METRICS)
def test_templates_are_shown(metric: str) -> None:
    found = read_criterion_form(criterion_template(metric))
    assert found or metric in ("json", "customized")


@pytest.mark.parametrize(
    ("source", "said"),
    [("grading: [", "error"), ("- a\n", "mapping"), ("grading:\n  keywords: [a]\n  keywords: [b]\n", "twice")],
)
def test_what_cannot_be_shown_says_why(source: str, said: str) -> None:
    with pytest.raises(FormError, match=said):
        read_criterion_form(source)


def test_locked_rules_are_not_edited() -> None:
    with pytest.raises(FormError, match="YAML"):
        write_field(SOURCE, "keywords", 2, "weight", 2.0)
    with pytest.raises(FormError, match="no longer"):
        write_field(SOURCE, "keywords", 9, "weight", 2.0)


def test_a_text_where_blanks_should_be_described_is_left_to_the_yaml() -> None:
    source = "grading:\n  blank_filling: a [blank] c\n"
    [rule] = read_criterion_form(source)
    assert (rule.section, rule.locked) == ("blank_filling", "This is edited in the YAML.")
    with pytest.raises(FormError, match="YAML"):
        add_rule(source, "targets", {"texts": "b"})


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=20)
LINES = st.lists(TEXT.filter(lambda text: text.strip()), min_size=1, max_size=3).map("\n".join)


@given(LINES, st.sampled_from([ANY, ALL]), st.floats(0.5, 9).map(lambda value: round(value, 2)), st.booleans(), TEXT)
def test_whatever_is_typed_comes_back(texts: str, match: str, weight: float, lower: bool, why: str) -> None:
    made = SOURCE
    for name, value in (("texts", texts), ("match", match), ("weight", weight), ("to_lower", lower), ("why", why)):
        made = write_field(made, "keywords", 1, name, value)
    rule = rules(made, "keywords")[1]
    assert rule.values["texts"] == texts
    assert (rule.values["weight"], rule.values["to_lower"], rule.values["why"]) == (weight, lower, why)
    assert rules(made, "keywords")[0] == rules(SOURCE, "keywords")[0]
    assert "# never more" in made


@given(st.text(max_size=200))
def test_any_text_is_shown_or_refused_with_a_sentence(source: str) -> None:
    try:
        read_criterion_form(source)
    except FormError as error:
        assert str(error)


def test_fields_are_those_of_the_schema() -> None:
    special = {"texts": "content", "match": "content", "kind": "calls"}
    paths = {"unit_test": ("grading", "unit_test", "tests"), "targets": ("grading", "blank_filling", "targets")}
    for section, fields in FIELDS.items():
        path = paths.get(section, (section,) if section == "examples" else ("grading", section))
        known = keys_at(path)
        for item in fields:
            assert item.name in known or special.get(item.name) in known or section == "ast", (section, item.name)


@pytest.mark.parametrize(("source", "place"), SAMPLES["wrong_fields"])
def test_what_is_wrong_has_its_field(source: str, place: list[str | int] | None) -> None:
    errors = [item for item in criteria.parse_criterion(source).problems if item.severity == "error"]
    assert field_at(errors[0].key) == (tuple(place) if place else None)


PLACES = SAMPLES["source_of_places"]


@pytest.mark.parametrize(("line", "path", "offered"), SAMPLES["half_typed"])
def test_half_typed_keys(line: int, path: list[str], offered: str) -> None:
    text = PLACES.split("\n")[line]
    place = cursor_place_at(PLACES, line, len(text))
    assert place.path == tuple(path) and place.is_key
    assert offered.startswith(place.key) and offered in keys_at(place.path)


def test_values_are_no_keys() -> None:
    assert not cursor_place_at(PLACES, 0, len("lang: pyth")).is_key
    assert cursor_place_at(PLACES, 0, 2).key == "lang"


@given(st.text("ab: -\n#", max_size=60), st.integers(0, 12), st.integers(0, 12))
def test_any_place_in_any_text(source: str, line: int, column: int) -> None:
    cursor_place_at(source, line, column)
