"""Prove the criteria of subjects and save the reports."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from annotator import __version__
from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.construction.languages.single_call import end_at_second_call
from annotator.construction.task_material import ConstructionError
from annotator.criteria import CriterionDocument, parse_criterion
from annotator.criteria.proof.impostors import Impostor, JudgedQuestion, make_impostors
from annotator.criteria.proof.proof_checks import (
    DocumentJudge,
    Judge,
    ProofCheck,
    ProofReport,
    Trial,
    cut_lines,
    every_test_check,
    forbidden_check,
    inputs_check,
    mode_check,
    prove_judge,
    right_answers,
    words_check,
)
from annotator.evaluation.answer_scoring import grader_of
from annotator.evaluation.program_tests import can_run
from annotator.evaluation.proof import TestsJudge, right_answer
from annotator.evaluation.released_items import asked_prompt, item_of
from annotator.evaluation.repository_tests import GRADER, WEAKER
from annotator.jobs.progress import Cancelled, Progress
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.rows.view_rows import FailedTrial, ProvedRow, SubjectView
from annotator.sandbox import Job, Runner, find_language
from annotator.sandbox.libraries import runner_with_libraries
from annotator.sandbox.modes import ItemMode, find_mode, is_shared, runner_in_one_process
from annotator.services.criterion.mutation_survivors import strength_check
from annotator.services.repository_snapshots import InPlaceJudge
from annotator.services.sandbox_sessions import Workbench, workbench
from annotator.services.select.triage import queue_subjects
from annotator.services.tasks.grading import MadeJudge, made_impostors
from annotator.services.tasks.grading import made_item_reference as made_answer
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_proofs
from annotator.text.code_spans import fence_code


def question_of(view: SubjectView) -> JudgedQuestion:
    """Return a subject's question: the prompt as models will see it, the reference and the subject's own tests."""
    tests = tuple(test.code for test in view.tests if test.code)
    return JudgedQuestion(
        prompt=asked_prompt(view),
        reference=view.reference,
        entry_point=view.entry_point,
        language=view.row.language,
        tests=tests,
    )


def prove_subjects(
    store: ProjectFile, ids: Sequence[str] = (), progress: Progress | None = None, *, again: bool = False
) -> tuple[tuple[ProvedRow, ...], Changes]:
    """Prove the criteria of the given subjects (default: all accepted ones without a proof).

    A subject without a criterion is proven with its own tests. The stored result is returned for a subject that
    failed before and has not changed, unless it is named or ``again`` is set. Each report is saved as soon as it is
    complete; on cancellation, the saved ones are returned. Without a sandbox, criteria that run code are not proven.
    Raises `BadInputError` if a named subject has neither a criterion nor tests.
    """
    work = progress or Progress()
    views = _load_judgeable(store, ids) if ids else _load_unproven(store)
    unchanged = [] if ids or again else [view for view in views if _has_failed_unchanged(view)]
    unchanged_ids = {view.row.id for view in unchanged}
    views = [view for view in views if view.row.id not in unchanged_ids]
    rows: list[ProvedRow] = []
    try:
        with workbench(store) as bench:
            for view in views:
                work.report(len(rows), len(views), Message("proving {title}", title=view.row.title))
                rows.append(_save_proof(store, view, _prove_or_explain(view, bench, work)))
        work.tell(len(views), len(views), "proven")
    except Cancelled:
        if not rows:
            raise
    finally:
        changes = _record_event(store, rows)
    return (*rows, *map(_load_stored_result, unchanged)), changes


def _record_event(store: ProjectFile, rows: Sequence[ProvedRow]) -> Changes:
    """Record the proofs in the history."""
    if not rows:
        return Changes()
    changes = Changes(frozenset({"proof", "subject"}), frozenset(row.subject_id for row in rows))
    label = Message("Prove {title}", title=rows[0].title)
    if len(rows) > 1:
        proven = sum(row.outcome == "pass" for row in rows)
        label = Message("Prove {count} items ({proven} proven)", count=len(rows), proven=proven)
    with store.write() as db:
        undo_log.record_event(db, store.annotator.id, label, ["proof"])
    return replace(changes, label=label)


def _prove_or_explain(view: SubjectView, bench: Workbench, work: Progress) -> ProofReport | str:
    """Prove a subject, or return why that is impossible, so that the other subjects are still proven."""
    try:
        return prove_view(view, bench, work)
    except BadInputError as error:
        return error.message


def prove_view(view: SubjectView, bench: Workbench, work: Progress) -> ProofReport | str:
    """Prove a subject's criterion or tests; return an error message if the criterion has an error.

    Can be cancelled between steps.
    """
    step = partial(_check_cancelled, work)
    question = question_of(view)
    if view.criterion is None:
        item = item_of(view)
        if grader_of(item) == GRADER:
            right = right_answer(item, question)
            in_place_report = prove_judge(
                InPlaceJudge(item, bench.runner()), right, make_impostors(None, question), step
            )
            return _add_mode_check(in_place_report, ItemMode("shared", WEAKER))
        if grader_of(item):
            return _prove_item_from_code(item, question, bench, step)
        # Raises for an unknown language even without a sandbox.
        find_language(question.language)
        right = right_answer(item, question)
        return _prove_tests(TestsJudge(item, bench.runner()), right, make_impostors(None, question), question, step)
    document = parse_criterion(view.criterion.source, view.files).document
    if document is None:
        return Message("The criterion has an error.")
    judge = DocumentJudge(document, runner_for_subject(bench, view, document))
    right = right_answers(document, question)
    report = _prove_tests(judge, right, make_impostors(document, question), question, step)
    return _add_word_checks(report, judge, right, _join_visible_text(view, question))


def _join_visible_text(view: SubjectView, question: JudgedQuestion) -> str:
    """Return the text that an answer may copy: the prompt and the code shown with it."""
    if not view.context.strip():
        return question.prompt
    return f"{question.prompt}\n\n{fence_code(view.context, view.row.language)}"


def runner_for_subject(bench: Workbench, view: SubjectView, document: CriterionDocument) -> Runner | None:
    """Return the sandbox with the libraries and the mode of a subject, if its criterion runs code."""
    runner = runner_with_libraries(bench.runner_for(document), view.extra)
    return runner_in_one_process(runner, shared=is_shared({"extra": view.extra}))


def _prove_tests(
    judge: TestsJudge | DocumentJudge,
    right: Sequence[tuple[str, str]],
    impostors: Sequence[Impostor],
    question: JudgedQuestion,
    step: Callable[[str], object],
) -> ProofReport:
    """Find the mode in which the tests run, and prove them in it."""
    step("mode")
    mode = find_judge_mode(judge, right)
    if mode is not None and mode.forced:
        judge = replace(judge, sandbox=runner_in_one_process(judge.sandbox, shared=True))
    report = _add_strength_checks(prove_judge(judge, right, impostors, step), judge, right, question, step)
    return _add_mode_check(with_programs(report, judge), mode)


def _add_word_checks(
    report: ProofReport, judge: DocumentJudge, right: Sequence[tuple[str, str]], prompt: str
) -> ProofReport:
    """Add the checks of words, tests and forbidden constructs, if the reference passes."""
    if report.checks[0].outcome != "pass":
        return report
    words = words_check(judge, judge.document, prompt, [text for _, text in right])
    other_checks = (every_test_check(judge.document), forbidden_check(judge.document, prompt))
    added_checks = [item for item in (words, *other_checks) if item is not None]
    return replace(report, checks=(*report.checks[:2], *added_checks, *report.checks[2:]))


def find_judge_mode(judge: Judge, right: Sequence[tuple[str, str]]) -> ItemMode | None:
    """Return the mode in which a judge's tests run; None if it runs no code or the mode cannot be determined."""
    if judge.sandbox is None:
        return None
    return find_mode([job for _, text in right for job in judge.jobs(text)], judge.sandbox)


def _add_mode_check(report: ProofReport, mode: ItemMode | None) -> ProofReport:
    return report if mode is None else ProofReport((*report.checks, mode_check(mode)), mode)


def _add_strength_checks(
    report: ProofReport,
    judge: Judge,
    right: Sequence[tuple[str, str]],
    question: JudgedQuestion,
    step: Callable[[str], object],
) -> ProofReport:
    """Add the checks of the tests' strength, if the reference passes them every time."""
    # Tests that fail or vary on the reference would seem to detect every change.
    is_steady = all(item.outcome == "pass" for item in report.checks if item.name in ("reference", "flakes"))
    if not right or not is_steady:
        return report
    answer = right[0][1]
    added_checks = (strength_check(judge, answer, question, step), check_inputs(judge, answer, report, step))
    return ProofReport((*report.checks, *(item for item in added_checks if item is not None)))


def _prove_item_from_code(
    item: dict[str, Any], question: JudgedQuestion, bench: Workbench, step: Callable[[str], object]
) -> ProofReport | str:
    """Prove an item made from code with the engine that grades it; return an error message if the item is invalid."""
    try:
        right = [("the reference", made_answer(item))]
        impostors = made_impostors(item, make_impostors(None, question))
    except ConstructionError as error:
        return error.message
    judge = MadeJudge(item, bench.runner())
    return _add_mode_check(prove_judge(judge, right, impostors, report=step), find_judge_mode(judge, right))


def _check_cancelled(work: Progress, _step_name: str) -> None:
    work.check()


def outcome_of(report: ProofReport) -> str:
    """Return pass, fail, or machinery if no required check failed but some could not be run."""
    if report.proven:
        return "pass"
    outcomes = {check.outcome for check in report.checks if check.required}
    return "machinery" if outcomes <= {"pass", "machinery"} else "fail"


def has_judge(view: SubjectView) -> bool:
    """Return whether a subject can be judged: by a criterion, by tests with code, or by a grader."""
    return view.criterion is not None or bool(view.extra.get("grader")) or any(map(can_run, item_of(view)["tests"]))


def _load_judgeable(store: ProjectFile, ids: Sequence[str]) -> list[SubjectView]:
    with store.read() as db:
        views = [stored_subjects.load_subject_view(db, subject) for subject in ids]
    for view in views:
        if not has_judge(view):
            raise BadInputError(f"{view.row.key} has neither a criterion nor tests, so there is nothing to prove.")
    return views


def _load_unproven(store: ProjectFile) -> list[SubjectView]:
    accepted = queue_subjects(store, QueueFilter(verdicts=("accept",)))
    with store.read() as db:
        views = [stored_subjects.load_subject_view(db, row.id) for row in accepted if not row.proven]
    return [view for view in views if has_judge(view)]


def _has_failed_unchanged(view: SubjectView) -> bool:
    proof = view.proof
    return proof is not None and proof.holds and proof.outcome == "fail" and proof.material == _hash_material(view)


def _hash_material(view: SubjectView) -> str:
    """Return the hash of a proof's inputs that experts may edit, besides the criterion: reference, tests and files."""
    tests = [asdict(test) for test in view.tests]
    return content_hash([view.reference, tests, dict(view.files), view.extra, __version__])


def _load_stored_result(view: SubjectView) -> ProvedRow:
    """Return the result of a proof that was made before."""
    checks = view.proof.checks if view.proof is not None else ()
    return ProvedRow(
        subject_id=view.row.id,
        key=view.row.key,
        title=view.row.title,
        outcome="fail",
        reason=next((check["summary"] for check in checks if check["required"] and check["outcome"] != "pass"), ""),
        failed=failed_trials(checks),
        unchanged=True,
    )


def _save_proof(store: ProjectFile, view: SubjectView, report: ProofReport | str) -> ProvedRow:
    mode = None
    weakness = ""
    if isinstance(report, str):
        outcome = "fail"
        checks: list[dict[str, Any]] = []
        reason = report
    else:
        outcome = outcome_of(report)
        checks = [asdict(item) for item in report.checks]
        mode = report.mode
        weakness = report.weakness
        reason = next((item.summary for item in report.checks if item.required and item.outcome != "pass"), "")
    digest = view.criterion.content_hash if view.criterion else None
    prompt_id = view.paraphrase.id if view.paraphrase else None
    with store.write() as db:
        subject = stored_subjects.find_subject(db, view.row.id)
        stored_proofs.add_proof(
            db,
            subject=subject,
            criterion_hash=digest,
            prompt_id=prompt_id,
            outcome=outcome,
            checks=checks,
            mode=mode.as_json() if mode else None,
            edits=view.edits,
            material=_hash_material(view) if checks else "",
        )
    failed = failed_trials(checks)
    row = ProvedRow(
        subject_id=view.row.id,
        key=view.row.key,
        title=view.row.title,
        outcome=outcome,
        reason=reason,
        weakness=weakness,
        failed=failed,
    )
    return replace(row, mode=mode.name, mode_reason=mode.reason) if mode else row


PROGRAMS = "programs"
"""The key in a check's facts for the programs that ran, by trial label."""
_MAX_TRIALS_PER_CHECK = 3


def with_programs(report: ProofReport, judge: Judge) -> ProofReport:
    """Add to a report the programs of right answers that failed, each followed by the failed test."""
    reference_check, *other_checks = report.checks
    failed = [trial for trial in reference_check.trials if trial.ok is False]
    if not failed or judge.sandbox is None:
        return report
    all_programs = {trial.label: _find_program(judge.jobs(trial.answer), trial.detail) for trial in failed}
    programs = {label: program for label, program in all_programs.items() if program}
    reference_check = replace(reference_check, facts={**reference_check.facts, PROGRAMS: programs})
    return replace(report, checks=(reference_check, *other_checks))


def _find_program(jobs: Sequence[Job], failure_text: str) -> str:
    """Return the program and tests of the job whose test is named in the failure, else of the first job."""
    matching = [job for job in jobs if any(test.name in failure_text for test in job.tests or ())]
    for job in matching or jobs:
        tests = "\n\n".join(test.code.strip("\n") for test in job.tests or ())
        return f"{job.code.rstrip()}\n\n\n{tests}\n" if tests else job.code
    return ""


def failed_trials(checks: Sequence[Mapping[str, Any]]) -> tuple[FailedTrial, ...]:
    """Return the failed trials of the required checks, a few per check."""
    failed_checks = [check for check in checks if check["required"] and check["outcome"] != "pass"]
    return tuple(
        FailedTrial(
            check=check["title"],
            label=trial["label"],
            seen=trial["detail"],
            answer=trial.get("answer", ""),
            program=check["facts"].get(PROGRAMS, {}).get(trial["label"], ""),
        )
        for check in failed_checks
        for trial in [trial for trial in check["trials"] if not trial["ok"]][:_MAX_TRIALS_PER_CHECK]
    )


_PYTHON_TESTS = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test|\bparametrize\b|\bexpand\b", re.MULTILINE)
"""Tests and parameter sets. Each runs in its own process, so several of them make several first calls."""


def check_inputs(
    judge: Judge, answer: str, report: ProofReport, step: Callable[[str], object] = lambda _: None
) -> ProofCheck | None:
    """Report branches that no test covers, and try a right answer that was changed to work for only one call.

    Return None if neither is possible: without a sandbox, or without coverage and with a program that cannot be changed
    in this way.
    """
    if judge.sandbox is None:
        return None
    coverage = next((item for item in report.checks if item.name == "coverage"), None)
    branches = coverage.facts.get("partial") if coverage is not None else None
    uncovered = list(branches or ())
    changed = _limit_to_one_call(judge, answer)
    if changed is None:
        return None if branches is None else inputs_check(uncovered, None)
    step("one call")
    [verdict] = judge.verdicts([changed], expected=False)
    if verdict.score is None or verdict.score < judge.full_score:
        return inputs_check(uncovered, None)
    trial = Trial(
        label=Message("the reference, valid for one call only"),
        kind="once",
        expected="fail",
        score=verdict.score,
        ok=False,
        detail=verdict.why,
        answer=changed,
    )
    return inputs_check(uncovered, trial)


def _limit_to_one_call(judge: Judge, answer: str) -> str | None:
    """Return the answer changed so that it works for one call; None if several tests call it."""
    jobs = judge.jobs(answer)
    if len(jobs) != 1 or not jobs[0].tests or len(jobs[0].tests) != 1:
        return None
    [job] = jobs
    tests = [test.code for test in job.tests or ()]
    if job.language == "python" and len(_PYTHON_TESTS.findall("\n".join(tests))) > 1:
        return None
    answer_code = cut_lines(job.code, judge.code_lines(answer))
    code = end_at_second_call(answer_code, job.language, tests)
    return None if code is None else fence_code(code, job.language)
