"""Completion in other languages: where blanks stand, what answers mean, and that the tests decide."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

import pytest

from annotator.construction.bugs.bug_proofs import check_reference
from annotator.construction.completion.blanks import (
    BLANK,
    complete_program,
    find_blanks,
    foreign_function_size,
    function_item,
    prove_blanks,
    sentence_items,
    start_blank_grade,
)
from annotator.construction.edits import Edit, apply_edits
from annotator.construction.languages.tree_sitter_bugs import parses_cleanly
from annotator.construction.python_facts import CodeSize
from annotator.construction.sandbox_probe import RunOptions, start_tests
from annotator.construction.task_material import ConstructionError, Material
from annotator.sandbox import Job, JobResult, Pool, TestResult
from tests.construction.conftest import material
from tests.samples import load_samples

SAMPLES = load_samples(__file__)

COUNT = SAMPLES["count"]


def _made(language: str, tests: list[str] | None = None) -> Material:
    return material(COUNT[language], tests or [], "count", language)


@pytest.mark.parametrize("language", COUNT)
def test_blanks_stand_on_the_tree(language: str) -> None:
    made = _made(language)
    places = find_blanks(made)
    fillers = {blank.filler for blank in places}
    assert "found * 2" in fillers and any(">= least &&" in filler for filler in fillers)
    assert any(filler.startswith(("Math.min(", "std::min<int>(")) for filler in fillers), "what a library has is known"
    for blank in places:
        code = apply_edits(made.code, [blank.edit])
        assert code.count(BLANK) == 1 and code.replace(BLANK, blank.filler) == made.code
        assert code.splitlines()[blank.line - 1].count(BLANK) == 1
        assert all(apply_edits(made.code, [dummy]) != made.code for dummy in blank.dummies)
    test = next(blank for blank in places if ">= least" in blank.filler)
    assert any("if (false)" in apply_edits(made.code, [dummy]) for dummy in test.dummies)
    assert any(parses_cleanly(apply_edits(made.code, [dummy]), language) for dummy in test.dummies)
    assert foreign_function_size(made).branches == 4 and foreign_function_size(made).body_lines == 7


@pytest.mark.parametrize("language", COUNT)
def test_answers_are_programs_or_fillers(language: str) -> None:
    made = _made(language)
    whole = function_item(made)
    assert "// Longest words." in whole.code and whole.code.count(BLANK) == 1 and "found" not in whole.code
    assert complete_program(whole, f"```\n{made.code}```").text.strip() == made.code.strip()
    assert complete_program(whole, whole.fillers[0]).text.strip() == made.code.strip(), "the body alone"
    one, *_ = sentence_items(made, find_blanks(made))
    assert (
        complete_program(one, one.fillers[0]).text == made.code
        and complete_program(one, made.code).text == made.code.rstrip()
    )
    assert complete_program(one, "a\nb").text == "" and one.difficulty == "easy"


def test_a_name_that_stands_nowhere_else_is_no_blank() -> None:
    code = "function f(xs) {\n  const out = xs.map(x => x + shift);\n  return out.concat(parseInt('12'));\n}\n"
    fillers = {blank.filler for blank in find_blanks(material(code, [], "f", "javascript"))}
    assert "out.concat(parseInt('12'))" in fillers and not any("shift" in filler for filler in fillers)
    bound = "function f(xs) {\n  const out = xs.map((x, n) => x + n);\n  return out.reverse();\n}\n"
    held = {blank.filler for blank in find_blanks(material(bound, [], "f", "javascript"))}
    assert "xs.map((x, n) => x + n)" in held


def test_the_last_dummy_takes_the_statement_away_and_nothing_more() -> None:
    code = "function f(xs) {\n  let top = 1;\n  top = Math.max(...xs);\n  return top + 1;\n}\n"
    blanks = find_blanks(material(code, [], "f", "javascript"))
    shown = [apply_edits(code, [blank.dummies[-1]]) for blank in blanks if blank.filler == "Math.max(...xs)"]
    assert shown == [code.replace("top = Math.max(...xs);", ";")]


def test_what_leaves_nothing_is_no_sentence() -> None:
    made = material("function f(xs) {\n  // Sum.\n  return xs.length * 20;\n}\n", [], "f", "javascript")
    (place,) = find_blanks(made)
    assert place.filler == "xs.length * 20" and sentence_items(made, [place]) == ()


@pytest.mark.parametrize(("code", "entry", "language", "why"), SAMPLES["no_places"])
def test_what_has_no_place_for_blanks(code: str, entry: str, language: str, why: str) -> None:
    with pytest.raises(ConstructionError, match=why):
        function_item(material(code, [], entry, language))


def test_a_function_of_one_expression_has_a_shape() -> None:
    assert foreign_function_size(material("const f = x => x > 1 && x + 1;", [], "f", "javascript")) == CodeSize(1, 2)
    assert foreign_function_size(
        material("function f(x) {\n  // One.\n  return x;\n}\n", [], "f", "javascript")
    ) == CodeSize(1, 1)


@pytest.mark.sandbox
def test_blanks_of_javascript_are_proven(engine: Pool) -> None:
    made = _made("javascript", SAMPLES["tests"])
    tried = [blank for blank in find_blanks(made) if blank.filler.startswith(("found *", "word.length >="))]
    idle = replace(tried[0], dummies=(Edit(tried[0].edit.start, tried[0].edit.end, f"({tried[0].filler})"),))
    proven = prove_blanks(check_reference(made, engine), [*tried, idle], engine)
    assert proven == tried, "what a dummy can stand in for does not matter"
    pair = next(item for item in sentence_items(made, proven) if len(item.fillers) == 2)
    answers = {"\n".join(pair.fillers): 1, pair.code: 0, "\n".join(("true", "found")): 0}
    assert {text: start_blank_grade(pair, text, engine)().score for text in answers} == answers
    assert start_blank_grade(function_item(made), made.code, engine)().score == 1


class _Counting:
    """Fails the tests of some names, and keeps what it was asked to run."""

    def __init__(self, failing: set[str]) -> None:
        self.failing, self.asked = failing, list[list[str]]()

    def submit(self, job: Job) -> Future[JobResult]:
        names = [test.name for test in job.tests or ()]
        self.asked.append(names)
        results = tuple(TestResult(name=name, outcome="fail" if name in self.failing else "pass") for name in names)
        done: Future[JobResult] = Future()
        done.set_result(JobResult(id=job.id, outcome="fail" if self.failing & set(names) else "pass", tests=results))
        return done


def test_a_program_that_fails_its_first_test_is_not_compiled_for_the_others() -> None:
    made = _made("java", ["a", "b", "c"])
    first, second, third = (test.name for test in made.tests)
    asked = []
    for failing in (first, third):
        runner = _Counting({failing})
        matrix = start_tests(made, made.code, RunOptions(first_failure=True), runner)()
        assert failing in matrix.failed
        asked.append(runner.asked)
    assert asked == [[[first]], [[first], [second, third]]]


@pytest.mark.parametrize(("language", "code", "filler", "dummy"), SAMPLES["given_by_type_or_name"])
def test_what_the_type_or_a_name_alone_gives_is_tried(language: str, code: str, filler: str, dummy: str) -> None:
    (blank,) = (item for item in find_blanks(material(code, [], "f", language)) if item.filler == filler)
    assert dummy in {edit.text for edit in blank.dummies}


def test_no_blank_alone_stands_in_another() -> None:
    code = "function f(xs, n) {\n  const kept = xs.filter(x => x > n);\n  return kept.map(x => x * n).join();\n}\n"
    made = material(code, [], "f", "javascript")
    places = find_blanks(made)
    alone = [item for item in sentence_items(made, places, most=9) if len(item.fillers) == 1]
    inner = [blank.filler for blank in places if blank.filler not in {item.fillers[0] for item in alone}]
    assert any(text in item.fillers[0] for text in inner for item in alone), "a blank stands in another"
    assert len({item.lines[0] for item in alone}) == len(alone)


@pytest.mark.parametrize("language", ["python", "java"])
def test_code_without_an_entry_point_says_that_one_is_missing(language: str) -> None:
    with pytest.raises(ConstructionError, match="m has no entry point"):
        find_blanks(material("x = 1\n" if language == "python" else "class A {}", [], "", language))
