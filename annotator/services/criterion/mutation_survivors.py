"""Measure the strength of an item's tests, as a part of its proof.

It finds small changes of the reference that the tests do not detect, and for each a test that would.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from annotator.construction.bugs.bug_proofs import Baseline, run_reference
from annotator.construction.bugs.lookalikes import lookalikes
from annotator.construction.bugs.surviving_mutants import (
    ResultChange,
    SuiteStrength,
    Survivor,
    changes_capacity,
    measure_strength,
    result_changes,
    with_changed_results,
)
from annotator.construction.bugs.variables import variable_bugs
from annotator.construction.completion.blanks import function_names
from annotator.construction.edits import Proposal
from annotator.construction.languages.language_values import form_json
from annotator.construction.languages.sql import normalise_query, query_bugs, query_lookalikes
from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes
from annotator.construction.languages.tree_sitter_bugs import tree_bugs
from annotator.construction.task_material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.test_splitting import split_tests
from annotator.construction.understanding.captured_calls import CaptureLimits, capture_calls
from annotator.criteria.proof.impostors import JudgedQuestion
from annotator.criteria.proof.proof_checks import Judge, ProofCheck, Trial, cut_lines, mutants_check
from annotator.sandbox import Runner, TestCode
from annotator.text.code_spans import fence_code
from annotator.text.python_tree import UNREADABLE, read_tree, tree_or_empty
from annotator.text.syntax_trees import LANGUAGES

CHANGES = 60
"""The maximum number of changes to try per reference; more would add little information."""
FEWEST_CHANGES = 6
"""The number of changes that is tried even if the budget of test runs is exceeded."""
_RUNS_COMPILED = {"java": 48, "c++": 36, "c": 36, "c#": 36, "go": 36, "rust": 36}
"""The budget of test runs per language, where each run is compiled and is a process of its own."""
_RUNS_INTERPRETED = 120
"""The budget in the other languages except Python, where each run is a process but nothing is compiled."""
_MIN_KILLED = 5
"""The number of detected changes from which a single undetected one is not held against the tests."""
_CALL_BY_NAME = re.compile(r"(?<![.\w$])([A-Za-z_$][\w$]*)\s*\(")
"""The name in a call by name, not of a method."""


def strength_check(
    judge: Judge,
    answer: str,
    question: JudgedQuestion,
    report: Callable[[str], object] = lambda _: None,
) -> ProofCheck | None:
    """Run an item's tests on changes of a right answer's code and of its functions' results.

    See section 2.4 of the task construction specification. Return None if there is nothing to try: without a sandbox,
    without tests, in a language without operators, or if the tests fail when each is run alone.
    """
    runner = judge.sandbox
    material = None if runner is None else _find_tested_program(judge, answer, question.entry_point)
    if runner is None or material is None:
        return None
    report("changed code")
    baseline, lines = _find_baseline(material, judge.code_lines(answer), runner)
    if baseline is None:
        return None
    proposals = _sample_changes(baseline.material, lines)
    trials = _find_result_trials(judge, baseline.material, lines, question.prompt)
    if not (proposals or trials):
        return None
    strength = measure_strength(baseline, proposals, runner)
    missed = _build_change_trials(judge, strength, baseline.material.language, lines)
    return mutants_check(strength.killed + len(strength.survivors) - len(missed), [*missed, *trials])


def _build_change_trials(judge: Judge, strength: SuiteStrength, language: str, lines: tuple[int, int]) -> list[Trial]:
    """Return a trial for each change that survives both the split tests and the tests as written."""
    is_survivor_noise = _is_lone_survivor_noise(strength)
    survivors = sorted(strength.survivors, key=lambda item: item.probably_equivalent)
    codes = [_cut_changed_answer(item.proposal, lines) for item in survivors]
    return [
        Trial(
            # Queries are changed in their normalised form, so their line numbers would mislead.
            label=item.proposal.explanation if language == SQL else _describe_change(item.proposal, lines),
            kind="mutant",
            expected="fail",
            score=None,
            ok=None if item.probably_equivalent or is_survivor_noise else False,
            detail=_describe_survivor(item),
            answer=code,
            test=item.test.code if item.test else "",
        )
        for item, code, passes in zip(survivors, codes, _find_passing(judge, codes, language), strict=True)
        if passes
    ]


def _find_result_trials(judge: Judge, material: Material, lines: tuple[int, int], prompt: str) -> list[Trial]:
    """Return a trial for each change of the functions' results that has an effect but that no test detects."""
    names = _find_wrapped_functions(material)
    changes = result_changes(material.language, prompt) if names else ()
    code = cut_lines(material.code, lines)

    def find_undetected(candidates: Sequence[ResultChange], *, should_exit: bool) -> list[ResultChange]:
        codes = [
            with_changed_results(code, material.language, names, item.kind, should_exit=should_exit)
            for item in candidates
        ]
        # A timeout, which may be due to a busy machine, does not prove an effect.
        outcomes = _find_passing(judge, codes, material.language, or_slow=should_exit)
        return [item for item, passes in zip(candidates, outcomes, strict=True) if passes]

    undetected = find_undetected(changes, should_exit=False)
    ineffective = find_undetected(undetected, should_exit=True)
    return [
        Trial(
            label=item.explanation,
            kind="result",
            expected="fail",
            score=None,
            ok=False,
            detail="no test checks this: add one that does",
        )
        for item in undetected
        if item not in ineffective
    ]


def _find_passing(judge: Judge, codes: Sequence[str], language: str, *, or_slow: bool = False) -> list[bool]:
    """Return for each program whether it gets the full score as an answer, or (``or_slow``) runs out of time."""
    answers = [fence_code(code, language) for code in codes]
    verdicts = judge.verdicts(answers, expected=False) if answers else []
    return [
        (verdict.score is not None and verdict.score >= judge.full_score) or (or_slow and "timeout" in verdict.why)
        for verdict in verdicts
    ]


def _is_lone_survivor_noise(strength: SuiteStrength) -> bool:
    """Return whether a lone survivor is more likely to be equivalent to the reference than to show a gap in the tests.

    Without a search for inputs the two cannot be distinguished, and about one change in ten is equivalent.
    """
    return len(strength.survivors) == 1 and not strength.survivors[0].searched and strength.killed >= _MIN_KILLED


def _describe_survivor(item: Survivor) -> str:
    if item.probably_equivalent:
        return "may be equivalent to the reference: no input was found that distinguishes them"
    if item.test:
        return f"this test would detect it: {item.test.code.strip()}"
    arguments = ", ".join(form_json(form) for form in item.killing or ())
    return f"no test detects it; the arguments {arguments} would show it" if arguments else "no test detects it"


def _find_tested_program(judge: Judge, answer: str, entry_point: str) -> Material | None:
    """Return the program that the tests run, with its tests.

    Return None unless all jobs run the same program in a language with operators. In Python the tests are split into
    single assertions, so that a change that fails many of them differs from one that fails one.
    """
    jobs = judge.jobs(answer)
    language = jobs[0].language if jobs else ""
    if {job.language for job in jobs} != {language} or len({job.code for job in jobs}) != 1:
        return None
    if language not in (PYTHON, SQL, *LANGUAGES, *TOKEN_LANGUAGES):
        return None
    code = jobs[0].code
    test_codes = [test.code for job in jobs for test in job.tests or () if test.code]
    if language == PYTHON:
        test_codes = [part.code for text in test_codes for part in split_tests(text, entry_point)]
    if not entry_point and len(names := _find_called_functions(code, test_codes, language)) == 1:
        [entry_point] = names
    tests = tuple(TestCode(f"test {number}", text) for number, text in enumerate(test_codes, start=1))
    if not tests:
        return None
    return Material(
        key="the item", language=language, code=code, tests=tests, entry_point=entry_point, libraries=jobs[0].libraries
    )


def _find_called_functions(code: str, tests: Sequence[str], language: str) -> list[str]:
    """Return the functions of a program that its tests call by name."""
    called_names = {name for text in tests for name in _CALL_BY_NAME.findall(text)}
    if language == PYTHON:
        defined = [node.name for node in tree_or_empty(code).body if isinstance(node, ast.FunctionDef)]
    else:
        defined = list(function_names(code, language)) if language in LANGUAGES else []
    return [name for name in defined if name in called_names]


def _find_wrapped_functions(material: Material) -> list[str]:
    """Return the functions whose results are changed: the entry point, else the functions that the tests call."""
    if material.entry_point:
        return [material.entry_point] if material.entry_point.isidentifier() else []
    return _find_called_functions(material.code, [test.code for test in material.tests], material.language)


def _find_baseline(
    material: Material, lines: tuple[int, int], runner: Runner
) -> tuple[Baseline | None, tuple[int, int]]:
    """Return the program to change, and the lines of the answer's own code in it.

    That is the answer's code alone if its tests pass with it, because code that a criterion adds slows every run.
    """
    first, last = lines
    answer_code = cut_lines(material.code, lines)
    for code, answer_lines in ((answer_code, (1, last - first + 1)), (material.code, lines)):
        try:
            if material.language == PYTHON:
                read_tree(code)
            program = replace(material, code=code)
            if material.language == SQL:
                program = replace(material, code=normalise_query(code))
                answer_lines = (1, len(program.code.splitlines()))
            return run_reference(program, runner, _capture_arguments(program, runner)), answer_lines
        except (*UNREADABLE, ConstructionError):
            continue
    return None, lines


def _capture_arguments(material: Material, runner: Runner) -> list[list[object]]:
    """Return the arguments of the tests' calls, from which the search for distinguishing inputs starts."""
    if not material.entry_point:
        return []
    try:
        captured = capture_calls(material, runner, CaptureLimits(min_lines=1, steady=False))
    except ConstructionError:
        return []
    return [item.values for item in captured.instances]


def _sample_changes(material: Material, lines: tuple[int, int]) -> Sequence[Proposal]:
    """Return changes of logic in the answer's own lines, sampled evenly."""
    first, last = lines
    if material.language == SQL:
        proposals = [*query_bugs(material.code), *query_lookalikes(material.code)]
    elif material.language in TOKEN_LANGUAGES:
        proposals = token_changes(material.code, material.language)
    else:
        proposals = [*tree_bugs(material.code, material.language), *lookalikes(material.code, material.language)]
        proposals += variable_bugs(material.code) if material.language == PYTHON else []
    in_answer = [
        item
        for item in proposals
        if item.family == "logic"
        and all(first <= hunk.old_lines[0] and hunk.old_lines[1] <= last for hunk in item.hunks)
        and not changes_capacity(item)
    ]
    most = CHANGES
    if material.language != PYTHON:
        runs = _RUNS_COMPILED.get(material.language, _RUNS_INTERPRETED)
        most = max(FEWEST_CHANGES, min(CHANGES, runs // len(material.tests)))
    step = max(1.0, len(in_answer) / most)
    return [in_answer[int(number * step)] for number in range(min(len(in_answer), most))]


def _describe_change(proposal: Proposal, lines: tuple[int, int]) -> str:
    """Describe a change with its line number in the answer's own code."""
    line = proposal.hunks[0].old_lines[0] - lines[0] + 1 if proposal.hunks else 0
    return f"line {line}: {proposal.explanation}"


def _cut_changed_answer(proposal: Proposal, lines: tuple[int, int]) -> str:
    """Return the changed code without the program's code around the answer."""
    changed_lines = proposal.code.split("\n")
    added_lines = len(changed_lines) - len(proposal.reference.split("\n"))
    return "\n".join(changed_lines[lines[0] - 1 : lines[1] + added_lines])
