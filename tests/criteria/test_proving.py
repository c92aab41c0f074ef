"""Proofs: sound criteria are proven, weak ones are not, and each says why."""

from __future__ import annotations

import re
import sys
from concurrent.futures import Future
from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator import criteria
from annotator.criteria.metrics.rule_results import untimed_length
from annotator.criteria.proof import proof_checks
from annotator.criteria.proof.impostors import JudgedQuestion, make_impostors, pattern_sample
from annotator.criteria.proof.proof_checks import DocumentJudge, ProofCheck, ProofReport, right_answers
from annotator.criteria.proof.proof_checks import prove_judge as prove_with
from annotator.sandbox import Job, JobResult, Pool, TestResult

QUESTION = JudgedQuestion(
    prompt="How do I sort a list in Python without changing it?", reference="Use `sorted(items)`.", language="python"
)
ADD = JudgedQuestion(
    prompt='def add(a, b):\n    """Add two numbers, but never below 0."""\n',
    reference="    if a + b < 0:\n        return 0\n    return a + b\n",
    entry_point="add",
    language="python",
)
TESTS = "lang: python\ngrading:\n  unit_test:\n    tests:\n"


def check(report: ProofReport, name: str) -> ProofCheck:
    return next(item for item in report.checks if item.name == name)


def prove(document: criteria.CriterionDocument, question: JudgedQuestion, sandbox: Pool | None = None) -> ProofReport:
    cheats = make_impostors(document, question)
    return prove_with(DocumentJudge(document, sandbox), right_answers(document, question), cheats)


def words(*texts: str, **head: Any) -> str:
    import json

    return json.dumps({**head, "grading": {"keywords": list(texts)}})


def test_a_sound_criterion_is_proven() -> None:
    report = prove(criteria.load_criterion(words("sorted(")), QUESTION)
    assert report.proven
    assert check(report, "reference").trials[0].score == 1.0
    assert {trial.kind for trial in check(report, "impostors").trials} >= {"empty", "echo", "refusal", "language"}


@pytest.mark.parametrize(
    ("source", "failing", "said"),
    [
        (words("sort", "list"), "impostors", "the prompt, repeated passes"),
        (words("sorted(", "key="), "reference", "does not earn the full score"),
        (words("a"), "impostors", "passes"),
    ],
)
def test_weak_criteria_are_not_proven(source: str, failing: str, said: str) -> None:
    report = prove(criteria.load_criterion(source), QUESTION)
    assert not report.proven
    found = check(report, failing)
    assert found.outcome == "fail" and said in found.summary


def test_without_a_right_answer_it_is_an_open_question() -> None:
    report = prove(criteria.load_criterion(words("sorted(")), JudgedQuestion(prompt="How do I sort?"))
    assert check(report, "reference").outcome == "open" and not report.proven


def test_examples_of_the_document_are_tried() -> None:
    examples = [{"answer": "sorted(x)", "expect": "pass"}, {"answer": "not sorted(x)", "expect": "fail"}]
    document = criteria.load_criterion(words("sorted(", examples=examples))
    report = prove(document, JudgedQuestion(prompt="How?"))
    impostors = make_impostors(document, JudgedQuestion(prompt="How?"))
    assert [item.text for item in impostors if item.kind == "example"] == ["not sorted(x)"]
    assert check(report, "reference").outcome == "pass"
    assert check(report, "impostors").outcome == "fail"
    assert "line" in check(report, "impostors").summary


def test_stuffing_is_said_but_not_held_against_words() -> None:
    report = prove(criteria.load_criterion(words("sorted(")), QUESTION)
    stuffing = next(trial for trial in check(report, "impostors").trials if trial.kind == "stuffing")
    assert stuffing.score == 1.0 and stuffing.ok and "words" in stuffing.detail
    report = prove(
        criteria.load_criterion("grading:\n  equals: {value: sorted}\n"), JudgedQuestion(prompt="q", reference="sorted")
    )
    assert not any(trial.kind == "stuffing" for trial in check(report, "impostors").trials)


def test_a_constant_that_is_the_right_answer_is_no_impostor() -> None:
    document = criteria.load_criterion("grading:\n  number: {value: 42}\n")
    assert prove(document, JudgedQuestion(prompt="What is six times seven?", reference="42")).proven


def test_the_reference_is_no_impostor() -> None:
    texts = [item.text for item in make_impostors(None, JudgedQuestion(prompt="Say yes.", reference=" Yes.\n"))]
    assert "42" in texts and "Yes." not in texts


def test_without_a_sandbox_tests_are_not_proven() -> None:
    document = criteria.load_criterion("lang: python\ngrading:\n  unit_test:\n    tests: [assert add(1, 2) == 3]\n")
    report = prove(document, ADD)
    assert check(report, "reference").outcome == "machinery" and not report.proven


def test_a_body_follows_its_prompt_and_stands_in_a_fence() -> None:
    document = criteria.load_criterion("lang: python\ngrading:\n  unit_test:\n    tests: [assert add(1, 2) == 3]\n")
    [(label, text)] = right_answers(document, ADD)
    assert label == "the reference"
    assert text.startswith("```python\ndef add") and text.endswith("return a + b\n```")


def test_impostors_are_made_from_question_and_criterion() -> None:
    document = criteria.load_criterion("lang: python\ngrading:\n  unit_test:\n    tests: [assert add(1, 2) == 3]\n")
    found = make_impostors(
        document, JudgedQuestion(prompt=ADD.prompt, reference="def add(a, b):\n    return a + b\n", entry_point="add")
    )
    kinds = [item.kind for item in found]
    assert kinds.count("constant") == 4 + 7
    assert any("def add(*args, **kwargs):\n    return None" in item.text for item in found)
    assert any(item.kind == "language" and "javascript" in item.text for item in found)


@given(st.sampled_from([r"a+b?", r"\d{2,4}", r"(foo|bar)\s*=", r"[^x]y", r"^\w+$", r"(?i)Abc", "(", r"\p{L}+", "a{9}"]))
def test_samples_match_or_are_text(pattern: str) -> None:
    text = pattern_sample(pattern)
    assert isinstance(text, str) and len(text) <= 400
    if pattern not in ("(", r"\p{L}+"):
        assert re.search(pattern, text)


@pytest.mark.sandbox
def test_tests_are_proven_in_the_sandbox(pool: Pool) -> None:
    report = prove(
        criteria.load_criterion(f"{TESTS}      - assert add(1, 2) == 3\n      - assert add(-5, 1) == 0\n"), ADD, pool
    )
    assert report.proven, report
    assert [item.name for item in report.checks] == ["reference", "impostors", "flakes", "time_limit", "coverage"]
    assert check(report, "coverage").summary == "4 of 4 lines, 2 of 2 branches"
    assert check(report, "time_limit").facts["slowest_s"] > 0


def _without_impostors(source: str, pool: Pool) -> ProofReport:
    document = criteria.load_criterion(source)
    return prove_with(DocumentJudge(document, pool), right_answers(document, ADD), ())


@pytest.mark.sandbox
def test_flakes_tight_limits_and_uncovered_code_are_found(pool: Pool) -> None:
    source = (
        f"{TESTS}"
        "      - {content: 'assert add(1, 2) == 3', timeout: 0.5}\n"
        "      - {content: 'import time; time.sleep(0.4); assert add(2, 2) == 4', timeout: 0.7, name: slow}\n"
    )
    report = _without_impostors(source, pool)
    assert check(report, "coverage").outcome == "fail" and check(report, "coverage").facts["missing"] == [3]
    assert check(report, "time_limit").outcome in ("fail", "pass")
    flaky = f"{TESTS}      - 'import os; assert add(1, 2) == 3 and os.urandom(1)[0] % 4'\n"
    assert not all(_without_impostors(flaky, pool).proven for _ in range(3))


def test_an_impostor_may_earn_just_half_of_the_full_score() -> None:
    half, more = (
        words("list", "sorted("),
        words({"content": "list", "weight": 1.1}, "sorted("),
    )  # the question says list
    question = JudgedQuestion(prompt="How do I sort a list?", reference="A list: `sorted(items)`.", language="python")
    assert check(prove(criteria.load_criterion(half), question), "impostors").outcome == "pass"
    assert check(prove(criteria.load_criterion(more), question), "impostors").outcome == "fail"


CHUNK = JudgedQuestion(
    prompt="Write a JavaScript function chunk(list, size) that splits a list into pieces.",
    reference="function chunk(list, size) {\n  const out = [];\n  for (let i = 0; i < list.length; i += size) {\n"
    "    out.push(list.slice(i, i + size));\n  }\n  return out;\n}",
    entry_point="chunk",
    language="javascript",
)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("test", "passes"),
    [
        ("if (chunk([], 2).length !== 0) throw new Error()", "code that returns ''"),
        ("if (!Array.isArray(chunk([1], 2))) throw new Error()", "code that returns []"),
        ("if (chunk([1, 2, 3], 2).length !== 2) throw new Error()", ""),
    ],
)
def test_stubs_in_javascript_are_impostors(pool: Pool, monkeypatch: pytest.MonkeyPatch, test: str, passes: str) -> None:
    # Each run starts Node, and verdicts that change are not what is looked for.
    monkeypatch.setattr(proof_checks, "REPETITIONS", 3)
    document = criteria.load_criterion(f"lang: javascript\ngrading:\n  unit_test:\n    tests:\n      - {test!r}\n")
    stubs = [item for item in make_impostors(document, CHUNK) if item.kind == "constant"]
    report = prove_with(DocumentJudge(document, pool), right_answers(document, CHUNK), stubs)
    assert check(report, "reference").outcome == "pass"
    found = [trial.label for trial in check(report, "impostors").trials if trial.ok is False]
    assert found[:1] == ([passes] if passes else []), check(report, "impostors").summary


def test_a_stub_has_the_name_that_is_tested() -> None:
    document = criteria.load_criterion("lang: typescript\ngrading:\n  unit_test:\n    tests: ['f()']\n")
    arrow = JudgedQuestion(
        prompt="Write f.",
        reference="export const f = (a: number): number => a;",
        entry_point="f",
        language="typescript",
    )
    texts = [item.text for item in make_impostors(document, arrow) if item.text.startswith("```typescript\nfunction")]
    assert len(texts) == 7 and all("function f(...args: any[])" in text for text in texts)


class Passing:
    """A sandbox in which every job passes; it keeps what it was given."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def submit(self, job: Job) -> Future[JobResult]:
        self.jobs.append(job)
        done: Future[JobResult] = Future()
        done.set_result(JobResult(id=job.id, outcome="pass", tests=(TestResult(name="test 1", outcome="pass"),)))
        return done


@pytest.mark.parametrize(("name", "times"), [("python", 8), ("javascript", 8), ("java", 4), ("c++", 4)])
def test_what_is_compiled_for_each_run_is_run_less_often(name: str, times: int) -> None:
    document = criteria.load_criterion(f"lang: {name}\ngrading:\n  unit_test:\n    tests:\n      - content: check();\n")
    sandbox = Passing()
    report = prove_with(DocumentJudge(document, sandbox), [("the reference", f"```{name}\nf();\n```")], [])
    assert check(report, "flakes").facts == {"repetitions": times}
    # Once to judge it, the repetitions, a wrong answer twice beside them, and once for coverage.
    assert len(sandbox.jobs) == 1 + times + 2 + 1
    first, *later = [job.mode for job in sandbox.jobs if "f();" in job.code]
    assert first == "judged" and set(later) == {"judged" if name == "python" else "fast"}, "one control is enough"


@pytest.mark.parametrize(("name", "count", "times"), [("python", 8, 8), ("javascript", 14, 4), ("c++", 14, 3)])
def test_each_of_many_tests_is_run_less_often(name: str, count: int, times: int) -> None:
    tests = "".join(f"      - content: check({number});\n" for number in range(count))
    document = criteria.load_criterion(f"lang: {name}\ngrading:\n  unit_test:\n    tests:\n{tests}")
    sandbox = Passing()
    report = prove_with(DocumentJudge(document, sandbox), [("the reference", f"```{name}\nf();\n```")], [])
    assert check(report, "flakes").facts == {"repetitions": times}
    # A wrong answer stands beside them with two of the tests alone.
    assert len(sandbox.jobs) == count * (1 + times + 1) + 2 * 2


class _Crowd:
    """A runner on which answers take ``beside`` seconds while others are not read yet, and ``alone`` by themselves."""

    def __init__(self, alone: float, beside: float) -> None:
        self.alone, self.beside, self.open = alone, beside, 0

    def submit(self, job: Job) -> Future[JobResult]:
        self.open += 1
        crowd, seconds = self, self.beside if self.open > 1 else self.alone

        class Counted(Future[JobResult]):
            def result(self, timeout: float | None = None) -> JobResult:
                crowd.open -= 1
                return super().result(timeout)

        done, outcome = Counted(), "pass" if "return a + b" in job.code else "fail"
        tests = tuple(TestResult(name=test.name, outcome=outcome) for test in job.tests or ())
        done.set_result(JobResult(id=job.id, outcome=outcome, tests=tests, wall_s=seconds))
        return done


@pytest.mark.parametrize(
    ("alone", "beside", "outcome", "slowest"),
    [(1.0, 8.59, "pass", 1.0), (8.0, 8.59, "fail", 8.0), (1.0, 4.0, "pass", 4.0)],
)
def test_a_limit_is_not_found_tight_for_what_ran_beside(
    alone: float, beside: float, outcome: str, slowest: float
) -> None:
    document = criteria.load_criterion("lang: python\ngrading:\n  unit_test:\n    tests: [assert add(1, 2) == 3]\n")
    judge = DocumentJudge(document, _Crowd(alone, beside))
    found = check(prove_with(judge, right_answers(document, ADD), ()), "time_limit")
    assert (found.outcome, found.facts["slowest_s"]) == (outcome, slowest)


@pytest.mark.parametrize(
    "pattern",
    ["sum\\(", "a.b", "[a-z+*]x", "foo|bar|baz", "(foo|bar)x", "(?:a)b?", "(?i)word", "\\*\\+", "[]*]", "[^]+]"],
)
def test_what_repeats_nothing_is_searched_in_any_text(pattern: str) -> None:
    assert untimed_length(pattern) == sys.maxsize


@pytest.mark.parametrize("pattern", ["b\\w+a", "for .*:", "[a-z]+x", "a{2,3}", "(?:x|y)z*", "\\s*$"])
def test_one_simple_repetition_is_searched_in_short_texts(pattern: str) -> None:
    assert 0 < untimed_length(pattern) < sys.maxsize


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a|aa)*b", "(a*)*", "a*b*", "(?:a+)b+", "(?R)", "(?1)", "(?P<n>a)", "(?<=a)b", "a?a?a?a?aaaa", "[[a]b]",
     "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)", "(foo){e<=3}", "(?>a)", "(ab)+"],
)  # fmt: skip
def test_what_may_take_any_time_keeps_its_limit(pattern: str) -> None:
    assert untimed_length(pattern) == 0


_PARTS = st.sampled_from(
    ["a", "b", ".", "[ab]", "(a|b)", "a?", "b*", "\\w", "\\(", "x+", "a{1,3}", "|", "(?:ab)", "\\|"]
)


@settings(max_examples=300)
@given(st.lists(_PARTS, min_size=1, max_size=7).map("".join))
def test_a_pattern_that_is_let_off_is_soon_done(pattern: str) -> None:
    """On the worst texts there are, a pattern without a limit takes a small part of what the limit would allow."""
    longest = min(untimed_length(pattern), 4_000)
    known = regex.compile(pattern)
    for text in ("a" * longest, "ab" * (longest // 2), "b" * longest):
        known.search(text + "!"[:longest], timeout=30)
