"""Rules in the form and in YAML, and how they score responses: hostile ones, bare programs, keywords alone."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import replace
from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator import criteria
from annotator.criteria import CriterionDocument, parse_criterion
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
from annotator.criteria.metrics.extraction import extract_code
from annotator.criteria.metrics.keywords import search_text_of
from annotator.criteria.metrics.rule_results import CriterionScore, literal_text
from annotator.criteria.metrics.unit_tests import unit_test_program
from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.criteria.proof.proof_checks import DocumentJudge, right_answers, words_check
from annotator.text.code_spans import code_spans, only_code
from tests.benchmarks.criteria import answers
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


# Responses and rules that could take for ever: scored, or refused with a reason, in bounded time.
LONG = f"def f(x):\n    return x  # {'some words about lists and keys, ' * 10}\n" * 15_000
SECONDS = 120.0
"""Far above what any of these needs; only a search that does not end would reach it."""


def scored(grading: dict[str, Any], response: str) -> criteria.CriterionScore:
    document = criteria.load_criterion(json.dumps({"lang": "python", "grading": grading}))
    start = time.monotonic()
    result = criteria.score_by_criterion(document, response)
    assert time.monotonic() - start < SECONDS
    return result


def test_without_places_a_lowered_text_of_another_length_is_searched() -> None:
    changed = search_text_of("\u0130 Sorted", to_lower=True)
    assert changed.offsets is None and changed.spans_in_response(((3, 9),)) == ()
    assert search_text_of("A Sorted", to_lower=True).spans_in_response(((2, 8),)) == ((2, 8),)


@pytest.mark.parametrize(
    ("grading", "status"),
    [
        ({"keywords": ["keys", {"content": {"content": "ke+ys", "regex": True}, "to_lower": True}]}, "scored"),
        ({"blank_filling": {"template": "x = [blank] ;", "targets": ["1"]}}, "not_scored"),
        ({"similarity": [{"metric": "rougeLsum", "references": ["some words\nabout lists\n" * 20]}]}, "not_scored"),
        ({"similarity": [{"metric": "rouge1", "references": ["some words"]}]}, "scored"),
        ({"equals": {"value": "x"}}, "scored"),
        ({"number": {"value": 4}}, "scored"),
        ({"json": {"value": {"a": 1}}}, "scored"),
        ({"ast": {"calls": "sorted"}}, "scored"),
    ],
)
def test_five_megabytes(grading: dict[str, Any], status: str) -> None:
    assert len(LONG) > 5_000_000
    result = scored(grading, LONG)
    assert result.status == status
    if status == "not_scored":
        assert "too long" in result.reason


def test_a_template_of_two_thousand_characters() -> None:
    template = "".join(f"value_{n} = compute({n}) + offset\n" for n in range(70))
    template = template.replace("compute(33)", "[blank]") + "# end"
    assert len(template) > 2000
    response = template.replace("[blank]", "compute(33)")
    result = scored({"blank_filling": {"template": template, "targets": ["compute(33)"]}}, f"Sure:\n{response}\nDone.")
    assert result.score == 1.0


@pytest.mark.parametrize(
    "response", ["a\r\nbeta\r\n", "\x00beta\x00", "\U0001f600 beta \u0301", "\ud800 beta", "\ufeffbeta"]
)
def test_line_ends_nulls_and_any_character(response: str) -> None:
    result = scored({"keywords": ["beta"], "equals": {"value": "beta"}}, response)
    assert result.status == "scored"
    rule = result.rules[0]
    assert rule.matched and [response[start:end] for start, end in rule.spans] == ["beta"]
    blanks = scored({"blank_filling": {"template": "b[blank]a", "targets": ["et"]}}, response)
    assert blanks.status == "scored"
    if "\ud800" not in response:
        assert scored({"similarity": [{"metric": "rougeL", "references": ["beta"]}]}, response).status == "scored"


@pytest.mark.parametrize("depth", [5_000, 200_000])
def test_deep_nesting_is_no_crash(depth: int) -> None:
    assert scored({"json": {"value": 1}}, "[" * depth).score == 0.0
    assert scored({"ast": {"calls": "f"}}, "```python\n" + "(" * depth + "\n```").score == 0.0


# A response that is nothing but a program, in no fence, is taken whole where tests judge it.
PROGRAMS = SAMPLES["programs"]
OTHERS = SAMPLES["others"]


def _program(language: str, response: str, prefix: str = "") -> str:
    rules = f"unit_test: {{lang: {language}, tests: [{{content: x, prefix: {prefix!r}}}]}}"
    document = parse_criterion(f"grading:\n  {rules}\n", {}).document
    assert document is not None
    return unit_test_program(document.tests[0], response)


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_whole_program_stays_whole(language: str) -> None:
    bare = _program(language, PROGRAMS[language])
    assert PROGRAMS[language].strip() in bare
    fenced = _program(language, f"```{language}\n{PROGRAMS[language]}```")
    assert bare.split() == fenced.split()


@pytest.mark.parametrize("language", OTHERS)
def test_the_rest_of_a_function_is_cut_as_the_published_grader_does(language: str) -> None:
    cut = extract_code("\n" + OTHERS[language], language).strip()
    assert _program(language, OTHERS[language]).strip().endswith(cut)


def test_what_follows_a_prefix_is_the_rest_of_it() -> None:
    program = _program("python", "def g():\n    return 2\n", "def f():")
    assert "return 2" not in program


# Keywords scored without places: scores and reasons as with them; literal patterns are found as patterns are.
TEXTS = [*answers(60, 12), "", "ALPHA", "bwa index list", "sum(1) index", "Bananas are ALPHA, sum(list)"]


def _bare(scored: CriterionScore) -> CriterionScore:
    return replace(scored, rules=tuple(replace(rule, spans=()) for rule in scored.rules))


@pytest.mark.parametrize("limits", ["", "  min_score: -1\n  max_score: 3\n"])
def test_without_places_everything_else_is_the_same(limits: str) -> None:
    document = criteria.load_criterion(SAMPLES["rules"] + limits)
    fast = list(criteria.score_all_by_criterion(document, TEXTS, spans=False))
    slow = [criteria.score_by_criterion(document, text) for text in TEXTS]
    assert fast == [_bare(scored) for scored in slow]
    assert len({scored.points for scored in fast}) > 2


def test_a_rule_that_cannot_be_judged_is_told_for_its_response_alone() -> None:
    document = criteria.load_criterion(SAMPLES["out_of_range"])
    first, second, third = criteria.score_all_by_criterion(document, ["no", "value", "no more"], spans=False)
    assert (first.status, second.status, third.status) == ("scored", "not_scored", "scored")
    assert "cannot be computed" in second.reason
    assert [_bare(criteria.score_by_criterion(document, text)) for text in ("no", "value")] == [first, second]


def test_a_pattern_that_takes_any_time_is_still_stopped() -> None:
    document = criteria.load_criterion(SAMPLES["hostile"])
    scored = list(criteria.score_all_by_criterion(document, ["value", "a" * 40 + " value", "values"], spans=False))
    assert scored[0].status == scored[2].status == "scored"
    assert scored == [
        _bare(criteria.score_by_criterion(document, text)) for text in ("value", "a" * 40 + " value", "values")
    ]


@pytest.mark.parametrize(
    ("pattern", "text"), [("sum\\(", "sum("), ("a b-c", "a b-c"), ("", ""), ("\\\\\\|x", "\\|x"), ("日本", "日本")]
)
def test_a_literal_pattern_is_its_text(pattern: str, text: str) -> None:
    assert literal_text(pattern) == text


@pytest.mark.parametrize("pattern", ["a.b", "\\d", "\\n", "a|b", "^a", "a$", "x{2}", "[a]", "(a)", "a\\", "\\<a", "a+"])
def test_a_pattern_that_may_match_other_texts_is_none(pattern: str) -> None:
    assert literal_text(pattern) is None


_PIECES = st.sampled_from(
    ["a", "b", " ", "#", "\n", "é", "\\.", "\\(", "\\\\", "-", "<", "&&", "~", "\\|", "\\{", "/", ":"]
)


@settings(max_examples=200)
@given(st.lists(_PIECES, max_size=6).map("".join), st.text("ab #\né.(\\-<&~|{/:", max_size=20), st.booleans())
def test_a_literal_is_found_where_the_pattern_is(pattern: str, text: str, inside: bool) -> None:
    literal = literal_text(pattern)
    assert literal is not None
    whole = text + literal if inside else text
    assert (literal in whole) == (regex.search(pattern, whole) is not None)


def test_what_a_rule_lacks_is_told_where_other_texts_of_it_are_there() -> None:
    document = criteria.load_criterion("grading:\n  keywords:\n    - content: {and: [ON clause, 'NULL']}\n")
    for text, detail in (
        ("Move it into the `ON` clause: NULL is not > 10.", "not found: ON clause"),
        ("the ON clause, for NULL", "found"),
        ("an inner join", "not found"),
    ):
        assert [rule.detail for rule in criteria.score_by_criterion(document, text).rules] == [detail]


ANSWER = "Use `x = 1`, never eval.\n\n```python\nresult = [ f( y ) for y in ys ]\n```\nThat is all, Ünïcode."


def _points(rule: str, response: str = ANSWER) -> float:
    return criteria.score_by_criterion(
        criteria.load_criterion(f"grading:\n  keywords:\n    - {rule}\n"), response
    ).points


@pytest.mark.parametrize(("rule", "points"), SAMPLES["places"])
def test_rules_look_where_they_say(rule: str, points: float) -> None:
    assert _points(rule) == points


def test_an_answer_without_marks_is_all_code() -> None:
    assert _points("{content: eval, code_only: true}", "eval(x)") == 1


@pytest.mark.parametrize("flags", ["", ", ignore_space: true", ", code_only: true", ", to_lower: true"])
def test_matches_are_marked_in_the_response_as_it_is(flags: str) -> None:
    document = criteria.load_criterion(f"grading:\n  keywords:\n    - {{content: 'for y'{flags}}}\n")
    [rule] = criteria.score_by_criterion(document, ANSWER).rules
    assert [ANSWER[start:end] for start, end in rule.spans] == ["for y"]


@pytest.mark.parametrize(("rule", "words"), SAMPLES["errors"])
def test_what_cannot_be_meant_is_an_error(rule: str, words: str) -> None:
    checked = criteria.parse_criterion(f"grading:\n  keywords:\n    - {rule}\n")
    assert checked.document is None
    assert any(words in problem.message for problem in checked.problems), checked.problems


@pytest.mark.parametrize(("source", "meant"), SAMPLES["misspelt_keys"])
def test_a_misspelt_key_comes_with_the_right_one(source: str, meant: str) -> None:
    messages = [problem.message for problem in criteria.parse_criterion(source).problems]
    assert any(meant in message for message in messages), messages


@given(st.text(st.sampled_from("`~ \n>ab1\0é"), max_size=60))
def test_code_keeps_its_place(text: str) -> None:
    kept = only_code(text)
    assert len(kept) == len(text)
    spans = code_spans(text)
    assert all(start <= end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
    assert all(kept[start:end] == text[start:end] for start, end in spans)


QUESTIONS = {name: JudgedQuestion(**row) for name, row in SAMPLES["questions"].items()}


def _document(rules: str, *passing: str) -> CriterionDocument:
    examples = "".join(f"\n  - answer: {text!r}\n    expect: pass" for text in passing)
    found = parse_criterion(f"grading:\n  {rules}\n" + (f"examples:{examples}\n" if passing else ""), {})
    assert found.document is not None, found
    return found.document


def _missed(question: JudgedQuestion, document: CriterionDocument) -> set[str]:
    right = [text for _, text in right_answers(document, question)]
    found = words_check(DocumentJudge(document), document, question.prompt, right)
    return {str(trial.label) for trial in found.trials if trial.ok is False} if found is not None else set()


@pytest.mark.parametrize(("question", "rules", "free"), SAMPLES["free"])
def test_what_the_author_may_choose_is_free(question: str, rules: str, free: str) -> None:
    assert free not in _missed(QUESTIONS[question], _document(f"keywords: {rules}"))


@pytest.mark.parametrize(("question", "rules", "missed"), SAMPLES["asked_for"])
def test_what_is_meant_is_asked_for(question: str, rules: str, missed: str) -> None:
    assert missed in _missed(QUESTIONS[question], _document(f"keywords: {rules}"))


def test_a_name_that_an_accepted_text_lacks_is_free() -> None:
    reference = "Open the file with O_CREAT and O_EXCL, so that the open fails where the path exists already."
    other = (
        "Let one call check and make it: with O_EXCL the open fails where the path exists already, so nobody slips in."
    )
    rule = f"similarity: [{{metric: rouge1, references: ['{reference}', '{other}'], min_score: 0.3, max_score: 0.6}}]"
    assert _missed(JudgedQuestion(prompt="What do we do instead?", reference=reference), _document(rule)) == {"O_EXCL"}


def test_a_new_line_that_another_right_answer_lacks_is_free() -> None:
    question = JudgedQuestion(
        prompt="How do I get them flat?\n\n    import numpy as np\n    a = np.array(b)\n",
        reference="```python\nimport numpy as np\n\nidx = np.where(a > 0)[0]\nflat = np.flatnonzero(a > 0)\n```",
    )
    rules = "keywords: [{content: {or: [flatnonzero, where]}}]"
    lines = {"idx = np.where(a > 0)[0]", "flat = np.flatnonzero(a > 0)"}
    assert _missed(question, _document(rules)) >= lines
    assert not lines & _missed(question, _document(rules, "Use `np.where(a > 0)[0]`."))


@pytest.mark.parametrize(("text", "score"), [("one two three", 1.0), ("one three", 2 / 3)])
def test_a_condition_counts_the_verdicts_so_far(text: str, score: float) -> None:
    last = "{content: {content: three, cond: 'context.count(\"match\") == 2'}, weight: 1}"
    checked = criteria.parse_criterion(f"grading:\n  keywords: [one, two, {last}]\n")
    assert checked.document is not None, checked.problems
    found = criteria.score_by_criterion(checked.document, text)
    assert found.score == pytest.approx(score if "two" in text else 1 / 3)


def test_a_condition_of_a_blank_looks_back() -> None:
    source = (
        "grading:\n  blank_filling:\n    template: 'a = [blank]; b = [blank]; c = 1'\n    targets:\n      - x\n"
        "      - content:\n          - {content: y, cond: 'grading_details[-1].startswith(\"matched\")'}\n"
    )
    checked = criteria.parse_criterion(source)
    assert checked.document is not None, checked.problems
    assert criteria.score_by_criterion(checked.document, "a = x; b = y; c = 1").score == 1.0
    assert criteria.score_by_criterion(checked.document, "a = z; b = y; c = 1").score == 0.0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("int f() { return 1; }\nThat is all.", "int f() { return 1; }"),
        ("class A { int f() { return 1; }\n public static void main(String[] a) { } }",
         "class A { int f() { return 1; }\n }"),
        ("class A { int f() { return 1; }\nDone", "class A { int f() { return 1; }\n}"),
    ],
)  # fmt: skip
def test_java_without_a_fence_keeps_no_prose(text: str, code: str) -> None:
    assert extract_code(text, "java") == code
