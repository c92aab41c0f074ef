"""How strong the tests of an item are, as a part of its proof: small changes of the reference that they do not notice,
and for each the test that would."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from annotator.construction.bugs.logic import logic_bugs, variable_bugs
from annotator.construction.bugs.mutation_survivors import Strength, Survivor, strength
from annotator.construction.bugs.proofs import Baseline, passing_reference
from annotator.construction.completion.blanks import function_names
from annotator.construction.edits import Proposal
from annotator.construction.languages.capacities import changes_capacity
from annotator.construction.languages.token_changes import TOKEN_LANGUAGES, token_changes
from annotator.construction.languages.tree_sitter_bugs import foreign_bugs
from annotator.construction.languages.values import written
from annotator.construction.material import PYTHON, ConstructionError, Material
from annotator.construction.test_splitting import split_tests
from annotator.construction.understanding.captured_calls import CaptureLimits, capture
from annotator.criteria.proof.checks import Check, Judge, Trial, mutants_check
from annotator.sandbox import Runner, TestCode
from annotator.text.python_tree import UNREADABLE, read_tree
from annotator.text.syntax_trees import LANGUAGES

CHANGES, FEWEST_CHANGES = 40, 6
"""So many changes of one reference are tried at most; more tell little more."""
_RUNS = {"java": 24, "c++": 24, "c": 24, "c#": 24, "go": 24, "rust": 24}
_SCRIPT_RUNS = 120
"""So many times tests are started for that in other languages than Python, where each has a process of its own."""
_FEWEST_KILLED = 5
_CALLED = re.compile(r"(?<![.\w$])([A-Za-z_$][\w$]*)\s*\(")


def strength_check(
    judge: Judge,
    answer: str,
    entry_point: str,
    report: Callable[[str], object] = lambda _: None,
) -> Check | None:
    """Try changes of a right answer's code on the tests that judge it (specification, task construction, 2.4).

    None where there is nothing to try: no sandbox, no tests, a language without operators, or tests that do not allow
    it (they fail when each is run alone).
    """
    runner = judge.sandbox
    material = None if runner is None else _material(judge, answer, entry_point)
    if runner is None or material is None:
        return None
    report("changed code")
    baseline, lines = _baseline(material, judge.code_lines(answer), runner)
    proposals = _changes(baseline.material, lines) if baseline is not None else ()
    if baseline is None or not proposals:
        return None
    found = strength(baseline, proposals, runner)
    is_noise = _is_noise(found)
    trials = [
        Trial(
            f"line {_line(item.proposal, lines)}: {item.proposal.explanation}",
            "mutant",
            "fail",
            None,
            None if item.probably_equivalent or is_noise else False,
            _seen(item),
            _own(item.proposal, lines),
            item.test.code if item.test else "",
        )
        for item in sorted(found.survivors, key=lambda item: item.probably_equivalent)
    ]
    return mutants_check(found.killed, trials)


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
    if language not in (PYTHON, *LANGUAGES, *TOKEN_LANGUAGES):
        return None
    code, codes = jobs[0].code, [test.code for job in jobs for test in job.tests or () if test.code]
    if language == PYTHON:
        codes = [part.code for text in codes for part in split_tests(text, entry_point)]
    elif language in LANGUAGES:
        entry_point = entry_point or _only_function(code, codes, language)
    tests = tuple(TestCode(f"test {number}", text) for number, text in enumerate(codes, start=1))
    if not tests:
        return None
    return Material("the item", language, code, tests, entry_point, libraries=jobs[0].libraries)


def _only_function(code: str, tests: Sequence[str], language: str) -> str:
    """Return the one function of the code that its tests call; empty where there are several, or none."""
    called = {name for text in tests for name in _CALLED.findall(text)}
    defined = [name for name in function_names(code, language) if name in called]
    return defined[0] if len(defined) == 1 else ""


def _baseline(material: Material, lines: tuple[int, int], runner: Runner) -> tuple[Baseline | None, tuple[int, int]]:
    """Return the program that is changed, and where the answer's own code stands in it.

    That is the answer's code alone if its tests pass with that: what a criterion puts before it makes every run slow.
    """
    first, last = lines
    alone = "\n".join(material.code.split("\n")[first - 1 : last]) + "\n"
    for code, place in ((alone, (1, last - first + 1)), (material.code, lines)):
        try:
            if material.language == PYTHON:
                read_tree(code)
            tried = replace(material, code=code)
            return passing_reference(tried, runner, _calls(tried, runner)), place
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
        made = [*logic_bugs(material.code), *variable_bugs(material.code)]
    elif material.language in TOKEN_LANGUAGES:
        made = token_changes(material.code, material.language)
    else:
        made = [item for item in foreign_bugs(material.code, material.language) if item.kind.startswith("logic.")]
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


def _line(proposal: Proposal, lines: tuple[int, int]) -> int:
    """Return the changed line as counted in the answer's own code."""
    return proposal.hunks[0].old_lines[0] - lines[0] + 1 if proposal.hunks else 0


def _own(proposal: Proposal, lines: tuple[int, int]) -> str:
    """Return the changed code without what the program holds around the answer's."""
    changed = proposal.code.split("\n")
    longer = len(changed) - len(proposal.reference.split("\n"))
    return "\n".join(changed[lines[0] - 1 : lines[1] + longer])
