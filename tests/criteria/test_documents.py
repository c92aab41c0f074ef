"""Reading documents, with every error at its line; aligned responses and cases of the grading language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from annotator import criteria
from annotator.base.messages import Message
from annotator.criteria import load_criterion, score_by_criterion
from annotator.criteria.document import document_schema
from annotator.criteria.document.document_schema import criterion_template
from annotator.criteria.document.from_tests import CriterionTest, criterion_from_tests
from annotator.criteria.document.keys import DOCUMENT, METRICS, Key, key_at, keys_at
from annotator.criteria.metrics import conditions
from annotator.criteria.metrics.blank_filling import align_response, align_with_template
from annotator.criteria.metrics.extraction import TIMEOUTS, assemble_program, extract_code
from annotator.sandbox import Job, JobResult, find_language
from tests.benchmarks.written_rules import aligned
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
WORDS = st.sampled_from(
    ["grading", "keywords", "content", "or", "and", "regex", "cond", "weight", "neg", "to_lower", "equals", "value",
     "number", "json", "max_score", "true", "null", "1.5", "- ", ": ", "\n", "  ", "[", "]", "{", "}", "&a", "*a",
     "!!python/object/apply:os.system", "'", '"', "#", "?", "|", ">", "\t", "é", "\U0001f600", "(a+)+$"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=40).map("".join))
def test_no_text_makes_the_loader_raise(source: str) -> None:
    checked = criteria.parse_criterion(source)
    assert checked.document is not None or any(item.severity == "error" for item in checked.problems)
    if checked.document is not None:
        result = criteria.score_by_criterion(checked.document, "a response (a+)+$ 1.5")
        assert result.status in ("scored", "not_scored")


@pytest.mark.parametrize(("source", "line", "words"), SAMPLES["errors"])
def test_errors_have_their_line(source: str, line: int, words: str) -> None:
    checked = criteria.parse_criterion(source)
    assert checked.document is None
    errors = [item for item in checked.problems if item.severity == "error"]
    assert any(item.line == line and words in item.message for item in errors), errors


@pytest.mark.parametrize(("written", "line", "words"), SAMPLES["slips"])
def test_slips_are_named_at_their_own_line(written: str, line: int, words: str) -> None:
    checked = criteria.parse_criterion(f"grading:\n  keywords:\n    - {written}\n")
    assert any(item.line == line and words in item.message for item in checked.problems), checked.problems


def test_a_metric_outside_grading_is_sent_there() -> None:
    problems = criteria.parse_criterion("keywords:\n  - a\n").problems
    assert (problems[0].line, problems[0].message) == (1, "keywords has no effect here; put it under grading")


def test_a_text_of_several_lines_is_no_slip() -> None:
    checked = criteria.parse_criterion(
        "grading:\n  keywords:\n    - a word\n      and another\n    - |\n      - x\n    - 'b\n      - c'\n"
    )
    assert checked.problems == ()


def test_what_has_no_effect_is_a_warning_and_the_last_of_two_keys_counts() -> None:
    source = (
        "grading:\n  keywords:\n    - content: a\n      regex: true\n"
        "grading:\n  keywords:\n    - content: {content: B, to_lower: true}\n"
    )
    checked = criteria.parse_criterion(source)
    assert checked.document is not None
    messages = [item.message for item in checked.problems]
    assert any("twice" in text for text in messages)
    assert any("to_lower has no effect" in text for text in messages)
    assert criteria.score_by_criterion(checked.document, "b").score == 0
    assert criteria.score_by_criterion(checked.document, "B").score == 1


@pytest.mark.parametrize(("pattern", "said"), [(r"a\S+", True), (r"\d\Wb", True), (r"a\\S", False), (r"\s\d", False)])
def test_a_pattern_whose_signs_are_lowered_is_a_warning(pattern: str, said: bool) -> None:
    rule = f"content: {{content: '{pattern}', regex: true}}"
    checked = criteria.parse_criterion(f"grading:\n  keywords:\n    - {rule}\n      to_lower: true\n")
    assert checked.document is not None
    assert [item.severity for item in checked.problems] == ["warning"] * said
    assert all("(?i)" in item.message for item in checked.problems)


def test_aliases_cannot_blow_a_document_up() -> None:
    layers = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    layers += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert criteria.parse_criterion("\n".join([*layers, "grading: {keywords: [a]}", ""])).document is None


def test_a_catastrophic_pattern_is_reported_not_hung() -> None:
    document = criteria.load_criterion(
        "grading:\n  keywords:\n    - content: {content: '(a|a)*$', regex: true}\n    - b\n"
        "    - content: {content: '(x+x+)+y', regex: true}\n"
    )
    result = criteria.score_by_criterion(document, "a" * 40 + "! b " + "x" * 4000)
    assert result.status == "not_scored" and result.reason.count("needs more than") == 2
    assert "line 3" in result.reason and "line 5" in result.reason
    assert [rule.matched for rule in result.rules] == [None, True, None]


@pytest.mark.parametrize(("text", "expected"), SAMPLES["conditions"])
def test_conditions(text: str, expected: bool | None) -> None:
    names = {"context": ["unmatch", "match"], "ans": "x", "response": "a a"}
    if expected is None:
        with pytest.raises(conditions.ConditionError):
            conditions.condition_holds(conditions.parse_condition(text), names)
    else:
        assert conditions.condition_holds(conditions.parse_condition(text), names) is expected


@pytest.mark.parametrize(("grading", "response", "score"), SAMPLES["compared_values"])
def test_values_are_compared_by_what_they_mean(grading: str, response: str, score: float) -> None:
    document = criteria.load_criterion(f"grading:\n  {grading}\n")
    assert criteria.score_by_criterion(document, response).score == score


def test_spans_point_at_what_matched() -> None:
    document = criteria.load_criterion(
        "grading:\n  keywords:\n    - flatnonzero\n    - content: {content: 'n\\w+ro', regex: true}\n"
    )
    text = "use \U0001f600 np.flatnonzero"
    for rule in criteria.score_by_criterion(document, text).rules:
        assert rule.spans
        assert all(text[start:end] in ("flatnonzero", "nonzero") for start, end in rule.spans)


def test_every_template_is_sound_or_says_it_is_for_later() -> None:
    for metric in METRICS:
        checked = criteria.parse_criterion(criterion_template(metric))
        assert checked.document is not None, (metric, checked.problems)


@pytest.mark.parametrize("source", SAMPLES["wrong_documents"])
def test_what_is_wrong_is_said_in_messages_that_can_be_translated(source: str) -> None:
    problems = criteria.parse_criterion(source).problems
    assert problems and all(isinstance(problem.message, Message) for problem in problems)


@pytest.mark.parametrize(("rule", "answer", "score"), SAMPLES["json_within_a_tolerance"])
def test_json_within_a_tolerance_and_in_any_case(rule: str, answer: str, score: int) -> None:
    json_rule = rule if rule.startswith("{") else f"{{{rule}}}"
    checked = criteria.parse_criterion(f"grading:\n  json: {json_rule}\n")
    assert checked.document is not None and checked.problems == ()
    assert criteria.score_by_criterion(checked.document, answer).score == score


@pytest.mark.parametrize("rule", ["equals: {value: a, tolerance: 1}", "number: {value: 1, to_lower: true}",
                                  "json: {value: a, strip: true}"])  # fmt: skip
def test_a_key_of_another_rule_on_the_whole_answer_is_a_warning(rule: str) -> None:
    [problem] = criteria.parse_criterion(f"grading:\n  {rule}\n").problems
    assert problem.severity == "warning" and "has no effect beside" in problem.message


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ('def test_a():\n    assert f() == """a  \n\tb"""\n', 'def test_a():\n    assert f() == """a  \n\tb"""\n'),
        ("def test_a():  \n\tassert f()\n", "def test_a():\n    assert f()\n"),
    ],
)
def test_blanks_and_tabs_inside_texts_stay(code: str, kept: str) -> None:
    document = YAML().load(criterion_from_tests("python", "f", [CriterionTest("a", code)]))
    assert document["grading"]["unit_test"]["tests"][0]["content"] == kept


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


# The grading language against small cases whose expectations come from running the reference (Apache-2.0 data).
MICRO_ROWS = [json.loads(line) for line in (Path(__file__).parent / "vectors" / "micro.jsonl").read_text().splitlines()]
HANDLERS = """
def kw_double(a, t, context):
    return 2 * a, t + 3, [f"n={len(context)}", f"m={context.count('match')}"]
def bf_half(a, t, details):
    return a / 2, t, [item.partition(":")[0] for item in details]
def custom_len(response):
    return len(response), 10, {"len": len(response)}
"""


def _rows(*kinds: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in MICRO_ROWS if row["kind"] in kinds]


class Here:
    """Runs the handlers of these tests, which are ours, in this process."""

    def submit(self, job: Job) -> Future[JobResult]:
        import contextlib
        import io
        import sys

        out, before = io.StringIO(), sys.stdin
        sys.stdin = io.StringIO(job.stdin)
        try:
            with contextlib.redirect_stdout(out):
                exec(job.code, {})
        finally:
            sys.stdin = before
        future: Future[JobResult] = Future()
        future.set_result(JobResult(id=job.id, outcome="pass", stdout=out.getvalue()))
        return future


@pytest.mark.parametrize("row", _rows("grade"))
def test_grades(row: dict[str, Any]) -> None:
    source = f"full_score: {row['full_score']}\ngrading: {json.dumps(row['grading'], ensure_ascii=False)}\n"
    checked = criteria.parse_criterion(source, {"micro_handlers.py": HANDLERS})
    if "error" in row["expect"]:
        # Where the reference raises while it grades, the document is refused beforehand, with the place.
        assert checked.document is None
        assert any(problem.severity == "error" and problem.line >= 1 for problem in checked.problems)
        return
    assert checked.document is not None, checked.problems
    result = criteria.score_by_criterion(checked.document, row["response"], sandbox=Here())
    status = row["expect"]["status"]
    assert result.score == row["expect"]["score"], result
    for metric, name in (
        ("keywords", "keywords"),
        ("blank_filling", "blank_filling"),
        ("similarity", "similarity"),
        ("customized", "custom"),
    ):
        if f"{name}_score" in status:
            found = result.metrics[metric]
            assert (found.points, found.total) == (status[f"{name}_score"], status[f"{name}_totscore"])
    if "keywords" in status:
        matched = [rule.matched for rule in result.rules if rule.metric == "keywords"]
        assert matched == [word == "match" for word in status["keywords"]]
    if "blank_filling_detail" in status:
        assert [rule.detail for rule in result.rules if rule.metric == "blank_filling"] == status[
            "blank_filling_detail"
        ]
    for metric, key in (("keywords", "post_handler_detail"), ("blank_filling", "blank_filling_post_handler_detail")):
        if key in status:
            assert result.metrics[metric].extra["handler"] == status[key]


@pytest.mark.parametrize("row", _rows("extract"))
def test_code_is_taken_out_of_responses(row: dict[str, Any]) -> None:
    found = extract_code(row["text"], find_language(row["lang"]).name, only_longest=row["only_longest"])
    assert found == row["expect"]["extracted"]


@pytest.mark.parametrize("row", _rows("assemble"))
def test_programs_are_put_together(row: dict[str, Any]) -> None:
    name = find_language(row["lang"]).name
    code = extract_code(f"{row['prefix']}\n{row['response']}", name)
    assert f"{assemble_program(code, name, row['prefix_file'])}\n{row['test']}" == row["expect"]["program"]
    assert TIMEOUTS[name] == row["expect"]["timeout"]


def test_future_imports_in_brackets_move_whole() -> None:
    code = "x = 1\nfrom __future__ import (\n    annotations,\n    division,\n)\ny = (2)\n"
    program = assemble_program(code, "python")
    compile(program, "program", "exec")
    assert program.startswith("from __future__ import (\n    annotations,\n    division,\n)\n")
    assert program.endswith("x = 1\ny = (2)")


# The alignment of many responses against the rule as it is written down, cell by cell.
LETTERS = st.text("ab \n", min_size=1, max_size=12)


@settings(max_examples=400, deadline=None)
@given(LETTERS, st.lists(LETTERS, min_size=1, max_size=6))
def test_equals_the_rule_for_many_at_once(template: str, responses: list[str]) -> None:
    assert list(align_with_template(template, responses)) == [aligned(template, response) for response in responses]


@settings(max_examples=100, deadline=None)
@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_equals_the_rule_for_any_text(template: str, response: str) -> None:
    assert align_response(template, response) == aligned(template, response)


def test_batches_keep_the_order() -> None:
    responses = ["ab" * size for size in range(1, 400)]
    template = "xaxb" * 100
    assert list(align_with_template(template, responses)) == [
        align_response(template, response) for response in responses
    ]


@pytest.mark.parametrize(("response", "matched"), [("abcXde", True), ("abcXd", True), ("abXd", False)])
def test_a_template_may_match_at_a_rate_of_just_four_fifths(response: str, matched: bool) -> None:
    document = load_criterion('{"grading": {"blank_filling": {"template": "abc[blank]de", "targets": ["X"]}}}')
    assert (score_by_criterion(document, response).score == 1.0) == matched


@pytest.mark.parametrize(
    ("response", "score_of"),
    [
        ("```python\nd = (1 * u.pc).to(u.lyr)  # light years\n```\n\nLet me know (if you'd like tests).", 1.0),
        ("d = (1 * u.pc).to(u.lightyear)\nprint(d)\n", 1.0),
        ("Try:\n\n```python\nd = (1 * u.pc).to(u.lightyear)\nprint(d.value)\n```\n\nWith u.km) it is longer.", 1.0),
        ("```python\nd = (1 * u.pc).to(u.km)\n```\n\nFor light years, write u.lyr)", 0.0),
        ("d = (1 * u.pc).to(u.km)  # not u.lyr)\nprint(u.lyr)\n", 0.0),
        ('```python\nd = (1 * u.pc).to(u.Unit("lyr"))  # in (light) years\n```\n\nMore (or less)?', 1.0),
        ('>>> So:\n    d = (1 * u.pc).to(u.Unit("lyr"))\nprint(d)', 1.0),
        ('d = (1 * u.pc).to(u.Unit("km"))  # u.Unit("lyr"))\n', 0.0),
        ('d = (1 * u.pc).to(u.Unit("lyr"))\n\nNo:\n\nd = (1 * u.pc).to(u.Unit("km"))\n', 0.0),
    ],
)
def test_a_last_blank_ends_in_its_line(response: str, score_of: float) -> None:
    document = load_criterion(
        "grading:\n  blank_filling:\n    template: d = (1 * u.pc).to([blank])\n    targets:\n"
        "      - content: [u.lyr, u.lightyear, 'u.Unit(\"lyr\")']\n"
    )
    assert score_by_criterion(document, response).score == score_of
