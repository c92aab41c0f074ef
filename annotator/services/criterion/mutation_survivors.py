"""How strong the tests of an item are, as a part of its proof: small changes of the reference that they do not notice,
and for each the test that would."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from annotator.construction.bugs.changed_results import ResultChange, result_changes, with_changed_results
from annotator.construction.bugs.logic import logic_bugs, variable_bugs
from annotator.construction.bugs.lookalikes import foreign_lookalikes, python_lookalikes
from annotator.construction.bugs.mutation_survivors import Strength, Survivor, strength
from annotator.construction.bugs.proofs import Baseline, passing_reference
from annotator.construction.completion.blanks import function_names
from annotator.construction.edits import Proposal
from annotator.construction.languages.capacities import changes_capacity
from annotator.construction.languages.sql import normalised, query_bugs, query_lookalikes
from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes
from annotator.construction.languages.tree_sitter_bugs import foreign_bugs
from annotator.construction.languages.values import written
from annotator.construction.material import PYTHON, SQL, ConstructionError, Material
from annotator.construction.test_splitting import split_tests
from annotator.construction.understanding.captured_calls import CaptureLimits, capture
from annotator.criteria.proof.checks import Check, Judge, Trial, cut_lines, mutants_check
from annotator.criteria.proof.impostors import Question
from annotator.sandbox import Runner, TestCode
from annotator.text.fenced_code import fenced
from annotator.text.python_tree import UNREADABLE, read_tree, tree_or_empty
from annotator.text.syntax_trees import LANGUAGES

CHANGES, FEWEST_CHANGES = 60, 6
"""So many changes of one reference are tried at most; more tell little more."""
_RUNS = {"java": 48, "c++": 36, "c": 36, "c#": 36, "go": 36, "rust": 36}
_SCRIPT_RUNS = 120
"""So many times tests are started for that in other languages than Python, where each has a process of its own."""
_FEWEST_KILLED = 5
_CALLED = re.compile(r"(?<![.\w$])([A-Za-z_$][\w$]*)\s*\(")


def strength_check(
    judge: Judge,
    answer: str,
    question: Question,
    report: Callable[[str], object] = lambda _: None,
) -> Check | None:
    """Try changes of a right answer's code on the tests that judge it (specification, task construction, 2.4), and of
    what its functions give.

    None where there is nothing to try: no sandbox, no tests, a language without operators, or tests that do not allow
    it (they fail when each is run alone).
    """
    runner = judge.sandbox
    material = None if runner is None else _material(judge, answer, question.entry_point)
    if runner is None or material is None:
        return None
    report("changed code")
    baseline, lines = _baseline(material, judge.code_lines(answer), runner)
    if baseline is None:
        return None
    proposals = _changes(baseline.material, lines)
    trials = _of_results(judge, baseline.material, lines, question.prompt)
    if not (proposals or trials):
        return None
    found = strength(baseline, proposals, runner)
    missed = _of_changes(judge, found, baseline.material.language, lines)
    return mutants_check(found.killed + len(found.survivors) - len(missed), [*missed, *trials])


def _of_changes(judge: Judge, found: Strength, language: str, lines: tuple[int, int]) -> list[Trial]:
    """Return the changes that nothing notices, not even the tests as they are written, where they were taken apart."""
    is_noise = _is_noise(found)
    survivors = sorted(found.survivors, key=lambda item: item.probably_equivalent)
    codes = [_own(item.proposal, lines) for item in survivors]
    return [
        Trial(
            # A query is changed as a library writes it, in lines of its own.
            label=item.proposal.explanation if language == SQL else _in_line(item.proposal, lines),
            kind="mutant",
            expected="fail",
            score=None,
            ok=None if item.probably_equivalent or is_noise else False,
            detail=_seen(item),
            answer=code,
            test=item.test.code if item.test else "",
        )
        for item, code, passes in zip(survivors, codes, _passing(judge, codes, language), strict=True)
        if passes
    ]


def _of_results(judge: Judge, material: Material, lines: tuple[int, int], prompt: str) -> list[Trial]:
    """Return in which respects the tests do not look at what the functions give, though some call would show it."""
    names = _wrapped_functions(material)
    changes = result_changes(material.language, prompt) if names else ()
    code = cut_lines(material.code, lines)

    def passing(tried: Sequence[ResultChange], *, told: bool) -> list[ResultChange]:
        codes = [with_changed_results(code, material.language, names, item.kind, should_exit=told) for item in tried]
        # Of what was too slow, on a busy machine, it is not known that it has an effect.
        found = _passing(judge, codes, material.language, or_slow=told)
        return [item for item, passes in zip(tried, found, strict=True) if passes]

    unseen = passing(changes, told=False)
    without_effect = passing(unseen, told=True)
    return [
        Trial(item.explanation, "result", "fail", None, False, "no test looks at that: add one that does")
        for item in unseen
        if item not in without_effect
    ]


def _passing(judge: Judge, codes: Sequence[str], language: str, *, or_slow: bool = False) -> list[bool]:
    """Tell for each program whether it earns the full score as an answer, or is too slow to tell."""
    answers = [fenced(code, language) for code in codes]
    verdicts = judge.verdicts(answers, wanted=False) if answers else []
    return [
        (verdict.score is not None and verdict.score >= judge.full_score) or (or_slow and "timeout" in verdict.why)
        for verdict in verdicts
    ]


def _is_noise(found: Strength) -> bool:
    """Tell whether the one change that survives of several is likelier to do the same than to show a gap.

    Where no inputs are searched, nothing tells the two apart, and one change of ten does the same.
    """
    return len(found.survivors) == 1 and not found.survivors[0].searched and found.killed >= _FEWEST_KILLED


def _seen(item: Survivor) -> str:
    if item.probably_equivalent:
        return "may do the same as the reference: no input was found that tells them apart"
    if item.test:
        return f"this test would notice it: {item.test.code.strip()}"
    given = ", ".join(written(form) for form in item.killing or ())
    return f"no test notices it; the arguments {given} would show it" if given else "no test notices it"


def _material(judge: Judge, answer: str, entry_point: str) -> Material | None:
    """Return the program that the tests run with its tests; None unless it is one, in a language with operators.

    In Python the tests are one assertion each: a change that fails many is told from one that fails one.
    """
    jobs = judge.jobs(answer)
    language = jobs[0].language if jobs else ""
    if {job.language for job in jobs} != {language} or len({job.code for job in jobs}) != 1:
        return None
    if language not in (PYTHON, SQL, *LANGUAGES, *TOKEN_LANGUAGES):
        return None
    code, codes = jobs[0].code, [test.code for job in jobs for test in job.tests or () if test.code]
    if language == PYTHON:
        codes = [part.code for text in codes for part in split_tests(text, entry_point)]
    if not entry_point and len(names := _called_functions(code, codes, language)) == 1:
        [entry_point] = names
    tests = tuple(TestCode(f"test {number}", text) for number, text in enumerate(codes, start=1))
    if not tests:
        return None
    return Material(
        key="the item", language=language, code=code, tests=tests, entry_point=entry_point, libraries=jobs[0].libraries
    )


def _called_functions(code: str, tests: Sequence[str], language: str) -> list[str]:
    """Return the functions of a program that its tests call by name."""
    called = {name for text in tests for name in _CALLED.findall(text)}
    if language == PYTHON:
        defined = [node.name for node in tree_or_empty(code).body if isinstance(node, ast.FunctionDef)]
    else:
        defined = list(function_names(code, language)) if language in LANGUAGES else []
    return [name for name in defined if name in called]


def _wrapped_functions(material: Material) -> list[str]:
    """Return the functions whose results are changed: the entry point, else what the tests call."""
    if material.entry_point:
        return [material.entry_point] if material.entry_point.isidentifier() else []
    return _called_functions(material.code, [test.code for test in material.tests], material.language)


def _baseline(material: Material, lines: tuple[int, int], runner: Runner) -> tuple[Baseline | None, tuple[int, int]]:
    """Return the program that is changed, and where the answer's own code stands in it.

    That is the answer's code alone if its tests pass with that: what a criterion puts before it makes every run slow.
    """
    first, last = lines
    alone = cut_lines(material.code, lines)
    for code, place in ((alone, (1, last - first + 1)), (material.code, lines)):
        try:
            if material.language == PYTHON:
                read_tree(code)
            tried = replace(material, code=normalised(code) if material.language == SQL else code)
            at = (1, len(tried.code.splitlines())) if material.language == SQL else place
            return passing_reference(tried, runner, _calls(tried, runner)), at
        except (*UNREADABLE, ConstructionError):
            continue
    return None, lines


def _calls(material: Material, runner: Runner) -> list[list[object]]:
    """Return the arguments that the tests call with; inputs that kill are made like them."""
    if not material.entry_point:
        return []
    try:
        found = capture(material, runner, CaptureLimits(fewest_lines=1, steady=False))
    except ConstructionError:
        return []
    return [item.values for item in found.instances]


def _changes(material: Material, lines: tuple[int, int]) -> Sequence[Proposal]:
    """Return changes of logic in the answer's own lines, evenly thinned."""
    first, last = lines
    if material.language == PYTHON:
        made = [*logic_bugs(material.code), *variable_bugs(material.code), *python_lookalikes(material.code)]
    elif material.language == SQL:
        made = [*query_bugs(material.code), *query_lookalikes(material.code)]
    elif material.language in TOKEN_LANGUAGES:
        made = token_changes(material.code, material.language)
    else:
        made = [item for item in foreign_bugs(material.code, material.language) if item.kind.startswith("logic.")]
        made += foreign_lookalikes(material.code, material.language)
    found = [
        item
        for item in made
        if all(first <= hunk.old_lines[0] and hunk.old_lines[1] <= last for hunk in item.hunks)
        and not changes_capacity(item)
    ]
    most = CHANGES
    if material.language != PYTHON:
        runs = _RUNS.get(material.language, _SCRIPT_RUNS)
        most = max(FEWEST_CHANGES, min(CHANGES, runs // len(material.tests)))
    step = max(1.0, len(found) / most)
    return [found[int(number * step)] for number in range(min(len(found), most))]


def _in_line(proposal: Proposal, lines: tuple[int, int]) -> str:
    """Say what is changed, in which line as counted in the answer's own code."""
    line = proposal.hunks[0].old_lines[0] - lines[0] + 1 if proposal.hunks else 0
    return f"line {line}: {proposal.explanation}"


def _own(proposal: Proposal, lines: tuple[int, int]) -> str:
    """Return the changed code without what the program holds around the answer's."""
    changed = proposal.code.split("\n")
    longer = len(changed) - len(proposal.reference.split("\n"))
    return "\n".join(changed[lines[0] - 1 : lines[1] + longer])
