"""Keywords scored without places: scores and reasons as with them; literal patterns are found as patterns are."""

import itertools
from dataclasses import replace

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator import criteria
from annotator.criteria import CriterionDocument, parse_criterion
from annotator.criteria.metrics.extraction import extract_code
from annotator.criteria.metrics.rule_results import Scored, literal_text
from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.criteria.proof.proof_checks import DocumentJudge, right_answers, words_check
from annotator.text.code_spans import code_spans, only_code
from tests.benchmarks.criteria import answers
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

TEXTS = [*answers(60, 12), "", "ALPHA", "bwa index list", "sum(1) index", "Bananas are ALPHA, sum(list)"]


def _bare(scored: Scored) -> Scored:
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
