"""Rewrite mined code into a new task, run it in the sandbox, and check its gates."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.jobs.progress import Progress
from annotator.mining.bare_functions import bare_function, read_parameters
from annotator.mining.fitting import accidental_errors, rows_that_do_not_fit
from annotator.mining.parity import ParityTable, parse_table, table_json
from annotator.mining.rendering import render_tests
from annotator.mining.rewriting import (
    CoverageException,
    MinedRow,
    ReferenceDisagreement,
    Rewrite,
    RewriteGate,
    TaskParameter,
    TaskSignature,
    check_rewrite_gates,
    coverage_gate,
    find_disagreements,
    parse_rewrite,
    read_mined_rows,
    rewrite_json,
    signature_text,
)
from annotator.model.changes import Changes
from annotator.model.rows.gate_numbers import MINED_PERCENT, SETTING
from annotator.model.rows.view_rows import SubjectView
from annotator.sandbox import Job, JobResult, Pool, TestResult, find_language
from annotator.sandbox.libraries import libraries_digest
from annotator.sandbox.sandbox_jobs import PASS, TIMEOUT
from annotator.services.edit_conflicts import refuse_unseen
from annotator.services.program import sandbox
from annotator.services.project import members
from annotator.services.select.triage import load_subject
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_proofs, stored_rewrites
from annotator.text.python_tree import tree_or_empty

_DOCUMENT_FIELDS = {"rewrite", "table", "references"}
_MAX_CODE_CHARACTERS = 200_000
_UNFINISHED = "open"
"""Outcome of a check of a rewrite that lacks the results of some programs."""


@dataclass(frozen=True)
class RewriteWork:
    """A rewrite with its table of tests, and the reference solution of each language."""

    rewrite: Rewrite
    table: ParityTable
    references: Mapping[str, str]

    def function_name(self, language_name: str) -> str:
        """Return the name of the rewrite's function in a language."""
        after = self.rewrite.after
        return self.rewrite.signatures.get(language_name, after).name or after.name


@dataclass(frozen=True, kw_only=True)
class RewriteView:
    """A rewrite's current revision with its gates and the rows that its references disagree on.

    ``saved`` is False for a first draft. ``results`` has the test results of "original" (the mined code) and of each
    language. ``revision`` is the id of the revision, empty for a first draft; proofs refer to its ``content_hash``.
    """

    subject: SubjectView
    work: RewriteWork
    saved: bool
    checked: bool
    gates: tuple[RewriteGate, ...]
    disagreements: tuple[ReferenceDisagreement, ...]
    results: Mapping[str, tuple[TestResult, ...]]
    coverage: Mapping[str, tuple[float, float]]
    revision: str = ""
    content_hash: str = ""

    @property
    def passed(self) -> bool:
        """Whether every gate passes."""
        return all(gate.passed for gate in self.gates)


def load_rewrite(store: ProjectFile, id_or_key: str) -> RewriteView:
    """Return a subject's rewrite with its gates, or a first draft. Raises `BadInputError` for no such subject."""
    subject_view = load_subject(store, id_or_key)
    with store.read() as db:
        revision = stored_rewrites.find_newest_rewrite(db, subject_view.row.id)
        digest = revision.content_hash if revision else ""
        check_proof = (
            stored_proofs.newest_of(db, subject_view.row.id, stored_rewrites.KIND, digest) if revision else None
        )
        reasons = stored_rewrites.fetch_coverage_exceptions(db, subject_view.row.id, digest) if revision else {}
        mined_percent = MINED_PERCENT.read(people.read_setting(db, SETTING))
    work = parse_rewrite_work(revision.document) if revision else first_draft(subject_view)
    exceptions = {name: CoverageException(*value) for name, value in reasons.items()}
    rewrite_view = view_rewrite(
        subject_view,
        work,
        check_proof.detail if check_proof else None,
        exceptions,
        saved=revision is not None,
        mined_percent=mined_percent,
    )
    return replace(rewrite_view, revision=revision.id, content_hash=revision.content_hash) if revision else rewrite_view


def view_rewrite(
    subject_view: SubjectView,
    work: RewriteWork,
    check: Mapping[str, Any] | None,
    exceptions: Mapping[str, CoverageException] | None = None,
    *,
    saved: bool = True,
    mined_percent: int = MINED_PERCENT.default,
) -> RewriteView:
    """Return a rewrite with its gates, given the results of running it (`run_rewrite_jobs`; None: not run)."""
    exceptions = exceptions or {}
    results = {
        name: tuple(TestResult(**row) for row in rows) for name, rows in (check or {}).get("results", {}).items()
    }
    measured: Mapping[str, Sequence[Any]] = (check or {}).get("coverage", {})
    coverage = {name: (facts[0], facts[1]) for name, facts in measured.items()}
    uncovered = {name: str(facts[2]) for name, facts in measured.items() if len(facts) > 2}
    references = {name: rows for name, rows in results.items() if name != "original"}
    differences = find_disagreements(references)
    mined_results = build_mined_rows(subject_view, work, results["original"]) if "original" in results else None
    checked_gates = check_rewrite_gates(work.rewrite, mined_results, mined_percent=mined_percent)
    gate_list = [_correct_gate(gate, work, ran=check is not None) for gate in checked_gates]
    gate_list.append(_check_agreement(work, references, differences))
    for name in work.references:
        if name in coverage:
            gate = coverage_gate(coverage[name], exceptions.get(name), uncovered.get(name, ""))
        elif check is not None and not find_language(name).measured:
            gate = coverage_gate(None, exceptions.get(name))
        else:
            gate = RewriteGate("coverage", None, "the reference was not run yet")
        gate_list.append(RewriteGate(f"{gate.name} in {name}", gate.passed, gate.detail))
    return RewriteView(
        subject=subject_view,
        work=work,
        saved=saved,
        checked=check is not None,
        gates=tuple(gate_list),
        disagreements=differences,
        results=results,
        coverage=coverage,
    )


def build_mined_rows(
    subject_view: SubjectView, work: RewriteWork, results: Sequence[TestResult]
) -> tuple[MinedRow, ...]:
    """Return the mined code's result for every row, including rows whose call does not fit its signature."""
    rewrite = work.rewrite
    if not rewrite.before.name:
        rewrite = replace(rewrite, before=replace(rewrite.before, name=subject_view.entry_point))
    misfits = rows_that_do_not_fit(
        rewrite, work.table, subject_view.reference, find_language(subject_view.row.language).name
    )
    raising = {row.name for row in work.table.rows if row.comparator == "raises"}
    return read_mined_rows(results, raising, misfits)


def _correct_gate(gate: RewriteGate, work: RewriteWork, *, ran: bool) -> RewriteGate:
    """Correct a gate that depends on the references' languages or on whether the mined code could run."""
    missing = [name for name in work.references if name not in work.rewrite.signatures]
    if gate.name == "stated" and missing:
        return RewriteGate(gate.name, False, f"there is no signature for {', '.join(missing)}")
    if gate.name == "original fails" and gate.passed is None and ran and not work.rewrite.before.name:
        return RewriteGate(gate.name, None, "the mined signature has no name, so the mined code could not be called")
    return gate


def _check_agreement(
    work: RewriteWork, results: Mapping[str, Any], differences: tuple[ReferenceDisagreement, ...]
) -> RewriteGate:
    if not work.references:
        return RewriteGate("references agree", False, "there is no reference yet")
    if not work.table.rows:
        return RewriteGate("references agree", False, "the table of tests has no rows")
    if not_run := ", ".join(name for name in work.references if name not in results):
        return RewriteGate("references agree", None, f"not run yet: {not_run}")
    if any("machinery" in item.outcomes.values() for item in differences):
        return RewriteGate("references agree", None, "some tests could not be run")
    failures = [*map(_describe_disagreement, differences[:5]), *_find_first_messages(results)]
    return RewriteGate(
        "references agree", not differences, "; ".join(failures) or f"{len(work.table.rows)} rows in each language"
    )


def _describe_disagreement(item: ReferenceDisagreement) -> str:
    if len(item.outcomes) > 1 and PASS not in item.outcomes.values():
        return f"{item.row}: no reference passes, so the row itself may be wrong"
    return f"{item.row}: {', '.join(f'{name} {outcome}' for name, outcome in item.outcomes.items() if outcome != PASS)}"


def _find_first_messages(results: Mapping[str, Sequence[TestResult]]) -> Iterator[str]:
    """Yield the message of the first failure of each reference that fails."""
    for name, rows in results.items():
        message = next((row.message for row in rows if row.outcome != PASS and row.message), "")
        if message:
            yield f"{name}: {message.splitlines()[-1][:200]}"


def first_draft(subject_view: SubjectView) -> RewriteWork:
    """Return a first draft with the summary and signature of the mined code, for a person to edit."""
    before = mined_signature(subject_view.reference, subject_view.row.language, subject_view.entry_point)
    rewrite = Rewrite(
        summary=subject_view.prompt, requirement=subject_view.prompt, before=before, after=before, signatures={}
    )
    return RewriteWork(rewrite, ParityTable(()), {})


def mined_signature(code: str, language_name: str, name: str) -> TaskSignature:
    """Return the signature of code as far as it can be read; for languages without a grammar, only the name."""
    if language_name == "python":
        tree = tree_or_empty(code)
        functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        node = next((item for item in functions if item.name == name), functions[0] if functions else None)
        if node is not None:
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            parameters = tuple(TaskParameter(item.arg, ast.unparse(item.annotation) if item.annotation else "")
                               for item in arguments if item.arg not in ("self", "cls"))  # fmt: skip
            return TaskSignature(
                name=node.name, parameters=parameters, returns=ast.unparse(node.returns) if node.returns else ""
            )
    foreign_parameters = read_parameters(code, find_language(language_name).name, name) if language_name else None
    return TaskSignature(
        name=name,
        parameters=tuple(TaskParameter(parameter_name, kind) for parameter_name, kind in foreign_parameters or ()),
    )


def save_rewrite(
    store: ProjectFile,
    id_or_key: str,
    document: Any,
    *,
    seen_ids: Collection[str] | None = None,
    suggestion_id: str = "",
) -> Changes:
    """Save a revision of a rewrite as one undoable change, which also accepts the suggestion that it comes from.

    Raises `BadInputError` for an invalid document, and `EditConflictError` if the current revision is not in
    ``seen_ids``.
    """
    document_json = rewrite_work_json(parse_rewrite_work(document))
    with store.write() as db:
        subject_row = stored_subjects.find_subject(db, id_or_key)
        stored_rewrites.refuse_voters(db, store.annotator.id, subject_row)
        current = stored_rewrites.find_newest_rewrite(db, subject_row.id)
        theirs = rewrite_as_text(current.document) if current else ""
        refuse_unseen(db, current, seen_ids, theirs=theirs, mine=rewrite_as_text(document_json))
        label = Message("Rewrite {title}", title=subject_row.title)
        if suggestion_id:
            label = Message("Use suggested rewrite for {title}", title=subject_row.title)
        return stored_rewrites.add_rewrite(
            db,
            store.annotator.id,
            subject_row.id,
            document_json,
            label,
            accepted=stored_rewrites.find_suggestion(db, suggestion_id) if suggestion_id else None,
        )


def check_rewrite(store: ProjectFile, id_or_key: str, progress: Progress | None = None) -> RewriteView:
    """Run the mined code and every reference on the table in the sandbox, save the results, and return the gates.

    The mined code is called by its own name with the new inputs and must fail enough rows (`check_rewrite_gates`).
    Each program's results are saved when it ends, and a check that was interrupted continues with the other programs.
    Raises `BadInputError` if no rewrite was saved or its table cannot be rendered, `MissingEnvironmentError` without a
    sandbox.
    """
    view = load_rewrite(store, id_or_key)
    if not view.saved:
        raise BadInputError(f"{view.subject.row.title} has no rewrite yet. Save one first.")
    subject_id, digest = view.subject.row.id, view.content_hash
    with store.read() as db:
        mined_percent = MINED_PERCENT.read(people.read_setting(db, SETTING))
        proof = stored_proofs.newest_of(db, subject_id, stored_rewrites.KIND, digest)
    detail: dict[str, Any] = {"results": {}, "coverage": {}}
    if proof is not None and proof.outcome == _UNFINISHED:
        detail = proof.detail
    all_jobs = rewrite_jobs(view.subject, view.work)
    jobs = [job for job in all_jobs if job.id not in detail["results"]]
    with sandbox.open_sandbox(allow_local=members.is_local_execution_allowed(store)) as (pool, _):
        for more in run_rewrite_jobs(pool, jobs, progress):
            detail = {name: {**detail[name], **more[name]} for name in more}
            outcome = _UNFINISHED
            if len(detail["results"]) == len(all_jobs):
                passed = view_rewrite(view.subject, view.work, detail, mined_percent=mined_percent).passed
                outcome = "pass" if passed else "fail"
            with store.write() as db:
                stored_proofs.record_proof(db, subject_id, stored_rewrites.KIND, digest, outcome, detail)
    return load_rewrite(store, subject_id)


def run_rewrite_jobs(pool: Pool, jobs: Sequence[Job], progress: Progress | None = None) -> Iterator[dict[str, Any]]:
    """Run jobs of `rewrite_jobs`; yield the results and the coverage of each, by job id, as in a proof's detail."""
    progress = progress or Progress()
    progress.report(0, len(jobs), "running the mined code and the references")
    for number, (job, result) in enumerate(zip(jobs, pool.run(jobs), strict=True), start=1):
        if timed_out := _count_timeouts(job, result):
            # On a busy machine a program may run out of time before it begins.
            (second_result,) = pool.run([job])
            result = second_result if _count_timeouts(job, second_result) < timed_out else result
        coverage = {}
        if result.coverage and job.id != "original":
            shares = coverage_shares(result.coverage, job.code, job.language)
            coverage = {job.id: [*shares, describe_uncovered(result.coverage, job.code, job.language)]}
        yield {"results": {job.id: [asdict(item) for item in _list_test_outcomes(job, result)]}, "coverage": coverage}
        progress.report(number, len(jobs), f"ran {job.id}")


def rewrite_jobs(subject_view: SubjectView, work: RewriteWork) -> list[Job]:
    """Return the sandbox jobs: the mined code, then each language's reference."""
    function_name = work.rewrite.before.name or subject_view.entry_point
    libraries = libraries_digest(subject_view.extra)
    jobs = []
    if subject_view.reference.strip() and function_name:
        accidents = accidental_errors(subject_view.reference, find_language(subject_view.row.language).name)
        tests = render_tests(work.table, subject_view.row.language, function_name, accidents)
        mined_code = bare_function(subject_view.reference, find_language(subject_view.row.language).name, function_name)
        jobs.append(
            Job(id="original", language=subject_view.row.language, code=mined_code, tests=tests, libraries=libraries)
        )
    for name, code in work.references.items():
        tests = render_tests(work.table, name, work.function_name(name))
        measured = find_language(name).measured
        jobs.append(Job(id=name, language=name, code=code, tests=tests, coverage=measured, libraries=libraries))
    return jobs


def _list_test_outcomes(job: Job, result: JobResult) -> tuple[TestResult, ...]:
    if result.tests:
        return result.tests
    return tuple(TestResult(name=test.name, outcome=result.outcome, message=result.message) for test in job.tests or ())


def _count_timeouts(job: Job, result: JobResult) -> int:
    return sum(item.outcome == TIMEOUT for item in _list_test_outcomes(job, result))


def coverage_shares(coverage: Mapping[str, Any], code: str, language_name: str) -> tuple[float, float]:
    """Return the covered shares of lines and branches, from 0 to 1; without branches their share is 1.

    Uncovered lines without written code do not count: in C++ a lone closing bracket, where the compiler puts clean-up
    code, and in Java the head of a class, to which an implicit constructor belongs.
    """
    missing = _find_missing_lines(coverage, code, language_name)
    executed_count = len(coverage["executed"])
    taken_count = sum(row[1] for row in coverage["branches"])
    branch_count = sum(row[2] for row in coverage["branches"])
    line_share = executed_count / (executed_count + len(missing)) if executed_count or missing else 0.0
    return line_share, taken_count / branch_count if branch_count else 1.0


def describe_uncovered(coverage: Mapping[str, Any], code: str, language_name: str) -> str:
    """Return a text that lists the lines and branches of a reference that no row covers; empty if all are covered."""
    lines = _find_missing_lines(coverage, code, language_name)
    branches = sorted({row[0] for row in coverage["branches"] if row[1] < row[2]} - set(lines))
    parts = [f"line {number}" for number in lines] + [f"a branch of line {number}" for number in branches]
    return ", ".join(parts)


def _find_missing_lines(coverage: Mapping[str, Any], code: str, language_name: str) -> list[int]:
    lines = code.split("\n")
    return [number for number in coverage["missing"] if _is_written(lines, number, language_name)]


def _is_written(lines: Sequence[str], number: int, language_name: str) -> bool:
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    if language_name == "java":
        modifiers, keyword, _ = text.partition("class ")
        return not keyword or not all(map(str.isalpha, modifiers.split()))
    return language_name != "c++" or not text or bool(text.strip("])};"))


def explain_coverage(store: ProjectFile, id_or_key: str, language_name: str, reason: str) -> Changes:
    """Record the reason why a reference may stay below full coverage; two other people must confirm it."""
    if not reason.strip():
        raise BadInputError("Less than full coverage needs a reason. Nothing was changed.")
    with store.write() as db:
        subject_row = stored_subjects.find_subject(db, id_or_key)
        stored_rewrites.refuse_voters(db, store.annotator.id, subject_row)
        digest = _require_reference(stored_rewrites.load_current_rewrite(db, subject_row.id), language_name)
        label = Message("Coverage of {title} in {language}", title=subject_row.title, language=language_name)
        return stored_rewrites.add_exception(
            db,
            annotator_id=store.annotator.id,
            subject_id=subject_row.id,
            digest=digest,
            language=language_name,
            reason=reason.strip(),
            label=label,
        )


def confirm_coverage(store: ProjectFile, id_or_key: str, language_name: str) -> Changes:
    """Confirm another person's reason for less than full coverage; it holds for the current content only."""
    with store.write() as db:
        subject_row = stored_subjects.find_subject(db, id_or_key)
        stored_rewrites.refuse_voters(db, store.annotator.id, subject_row)
        digest = _require_reference(stored_rewrites.load_current_rewrite(db, subject_row.id), language_name)
        label = Message("Confirm coverage of {title} in {language}", title=subject_row.title, language=language_name)
        return stored_rewrites.confirm_exception(db, store.annotator.id, subject_row.id, digest, language_name, label)


def _require_reference(current: tuple[dict[str, Any], str] | None, language_name: str) -> str:
    if current is None or language_name not in current[0].get("references", {}):
        raise BadInputError(f"There is no reference in {language_name}. Nothing was changed.")
    return current[1]


def parse_rewrite_work(value: Any) -> RewriteWork:
    """Parse a rewrite with its table and references. Raises `BadInputError` for an invalid document."""
    if not isinstance(value, Mapping) or set(map(str, value)) - _DOCUMENT_FIELDS:
        raise BadInputError(f"A rewrite document must be an object with {', '.join(sorted(_DOCUMENT_FIELDS))}.")
    references = value.get("references", {})
    if not isinstance(references, Mapping) or not all(
        isinstance(code, str) and len(code) <= _MAX_CODE_CHARACTERS for code in references.values()
    ):
        raise BadInputError("The references must be an object that maps languages to code.")
    references_by_language = {find_language(str(name)).name: code for name, code in references.items() if code.strip()}
    table = parse_table(value.get("table", {"rows": []}))
    return RewriteWork(parse_rewrite(value.get("rewrite")), table, references_by_language)


def rewrite_as_text(document: Any) -> str:
    """Return a rewrite's document as text, for comparing two versions."""
    work = parse_rewrite_work(document)
    rewrite = work.rewrite
    signatures = [rewrite.before, rewrite.after, *rewrite.signatures.values()]
    parts = [
        rewrite.requirement,
        "\n".join([*map(signature_text, signatures), *rewrite.twists]),
        "\n".join(json.dumps(row, ensure_ascii=False) for row in table_json(work.table)["rows"]),
        *(f"{name}\n{code}" for name, code in sorted(work.references.items())),
    ]
    return "\n\n".join(filter(None, parts))


def rewrite_work_json(work: RewriteWork) -> dict[str, Any]:
    """Return a rewrite with its table and references as JSON for `parse_rewrite_work`."""
    return {
        "rewrite": rewrite_json(work.rewrite),
        "table": table_json(work.table),
        "references": dict(work.references),
    }
