"""Rewriting mined code into a new task: written, run in the sandbox, and let through only past its gates."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.jobs.progress import Progress
from annotator.mining.bare_functions import bare_function, read_parameters
from annotator.mining.fitting import accidental_errors, rows_that_do_not_fit
from annotator.mining.parity import Table, parse_table, table_json
from annotator.mining.rendering import render
from annotator.mining.rewriting import (
    CoverageException,
    Disagreement,
    Gate,
    MinedRow,
    Parameter,
    Rewrite,
    Signature,
    coverage_gate,
    disagreements,
    gates,
    parse_rewrite,
    read_mined_rows,
    rewrite_json,
    signature_text,
)
from annotator.model.changes import Changes
from annotator.model.rows.views import SubjectView
from annotator.sandbox import Job, JobResult, TestResult, language
from annotator.sandbox.libraries import libraries_of
from annotator.sandbox.work import PASS, TIMEOUT
from annotator.services.edit_conflicts import refuse_unseen
from annotator.services.program import sandbox
from annotator.services.project import members
from annotator.services.select.triage import subject
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import subjects
from annotator.store.work import proofs, rewrites
from annotator.text.python_tree import tree_or_empty

_FIELDS = {"rewrite", "table", "references"}
_TEXT_LIMIT = 200_000


@dataclass(frozen=True)
class Work:
    """A rewrite with its table of tests, and the reference solution of each language."""

    rewrite: Rewrite
    table: Table
    references: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class RewriteView:
    """A rewrite as it stands: ``saved`` is False for a first draft; gates, and rows the references disagree on.

    ``results`` is what ran: "original" and each language, as lists of (row, outcome, message). ``revision`` is the id
    of the revision that stands, empty for a first draft, and ``content_hash`` what proofs of it hang on.
    """

    subject: SubjectView
    work: Work
    saved: bool
    checked: bool
    gates: tuple[Gate, ...]
    disagreements: tuple[Disagreement, ...]
    results: Mapping[str, tuple[TestResult, ...]]
    coverage: Mapping[str, tuple[float, float]]
    revision: str = ""
    content_hash: str = ""

    @property
    def passed(self) -> bool:
        """Whether every gate holds."""
        return all(gate.passed for gate in self.gates)


def view(store: ProjectFile, id_or_key: str) -> RewriteView:
    """Return a subject's rewrite with its gates, or a first draft. Raises `BadInputError` for no such subject."""
    shown = subject(store, id_or_key)
    with store.read() as db:
        known = rewrites.newest(db, shown.row.id)
        digest = known.content_hash if known else ""
        ran = proofs.newest_of(db, shown.row.id, rewrites.KIND, digest) if known else None
        reasons = rewrites.exceptions(db, shown.row.id, digest) if known else {}
    work = parse_work(known.document) if known else first_draft(shown)
    exceptions = {name: CoverageException(*value) for name, value in reasons.items()}
    found = _view(shown, work, ran.detail if ran else None, exceptions, saved=known is not None)
    return replace(found, revision=known.id, content_hash=known.content_hash) if known else found


def _view(
    shown: SubjectView,
    work: Work,
    check: Mapping[str, Any] | None,
    exceptions: Mapping[str, CoverageException],
    *,
    saved: bool,
) -> RewriteView:
    results = {
        name: tuple(TestResult(**row) for row in rows) for name, rows in (check or {}).get("results", {}).items()
    }
    coverage = {name: (pair[0], pair[1]) for name, pair in (check or {}).get("coverage", {}).items()}
    references = {name: rows for name, rows in results.items() if name != "original"}
    differ = disagreements(references)
    mined = mined_rows(shown, work, results["original"]) if "original" in results else None
    found = [_in_place(gate, work, ran=check is not None) for gate in gates(work.rewrite, mined)]
    found.append(_agreement(work, references, differ))
    for name in work.references:
        if name in coverage:
            gate = coverage_gate(coverage[name], exceptions.get(name), _not_run(check, name))
        elif check is not None and not language(name).measured:
            gate = coverage_gate(None, exceptions.get(name))
        else:
            gate = Gate("coverage", None, "the reference was not run yet")
        found.append(Gate(f"{gate.name} in {name}", gate.passed, gate.detail))
    return RewriteView(
        subject=shown,
        work=work,
        saved=saved,
        checked=check is not None,
        gates=tuple(found),
        disagreements=differ,
        results=results,
        coverage=coverage,
    )


def mined_rows(shown: SubjectView, work: Work, results: Sequence[TestResult]) -> tuple[MinedRow, ...]:
    """Return what the mined code did with every row; its own name and parameters say which calls do not fit it."""
    rewrite = work.rewrite
    if not rewrite.before.name:
        rewrite = replace(rewrite, before=replace(rewrite.before, name=shown.entry_point))
    misfits = rows_that_do_not_fit(rewrite, work.table, shown.reference, language(shown.row.language).name)
    raising = {row.name for row in work.table.rows if row.comparator == "raises"}
    return read_mined_rows(results, raising, misfits)


def _in_place(gate: Gate, work: Work, *, ran: bool) -> Gate:
    """Add to a gate what the rewrite alone does not know: the languages of the references, and what could not run."""
    lacking = [name for name in work.references if name not in work.rewrite.signatures]
    if gate.name == "stated" and lacking:
        return Gate(gate.name, False, f"there is no signature for {', '.join(lacking)}")
    if gate.name == "original fails" and gate.passed is None and ran and not work.rewrite.before.name:
        return Gate(gate.name, None, "the mined signature has no name, so the mined code could not be called")
    return gate


def _agreement(work: Work, results: Mapping[str, Any], differ: tuple[Disagreement, ...]) -> Gate:
    if not work.references:
        return Gate("references agree", False, "there is no reference yet")
    if not work.table.rows:
        return Gate("references agree", False, "the table of tests has no rows")
    if not results:
        return Gate("references agree", None, "the references were not run yet")
    if any("machinery" in item.outcomes.values() for item in differ):
        return Gate("references agree", None, "some tests could not be run")
    said = [f"{item.row}: {', '.join(f'{k} {v}' for k, v in item.outcomes.items() if v != 'pass')}" for item in differ]
    said = [*said[:5], *_first_messages(results)]
    return Gate("references agree", not differ, "; ".join(said) or f"{len(work.table.rows)} rows in each language")


def _first_messages(results: Mapping[str, Sequence[TestResult]]) -> Iterator[str]:
    """Yield for each reference that fails what was said of its first failure."""
    for name, rows in results.items():
        message = next((row.message for row in rows if row.outcome != PASS and row.message), "")
        if message:
            yield f"{name}: {message.splitlines()[-1][:200]}"


def _not_run(check: Mapping[str, Any] | None, language_name: str) -> str:
    kept = (check or {}).get("coverage", {}).get(language_name, ())
    return kept[2] if len(kept) > 2 else ""


def first_draft(shown: SubjectView) -> Work:
    """Return where a rewrite begins: the summary and the signature of the mined code, to be changed by a person."""
    before = signature_of(shown.reference, shown.row.language, shown.entry_point)
    rewrite = Rewrite(summary=shown.prompt, requirement=shown.prompt, before=before, after=before, signatures={})
    return Work(rewrite, Table(()), {})


def signature_of(code: str, language_name: str, name: str) -> Signature:
    """Return the signature of code as far as it says; of languages without a grammar here the name alone."""
    if language_name == "python":
        tree = tree_or_empty(code)
        functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        node = next((item for item in functions if item.name == name), functions[0] if functions else None)
        if node is not None:
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            parameters = tuple(Parameter(item.arg, ast.unparse(item.annotation) if item.annotation else "")
                               for item in arguments if item.arg not in ("self", "cls"))  # fmt: skip
            return Signature(
                name=node.name, parameters=parameters, returns=ast.unparse(node.returns) if node.returns else ""
            )
    found = read_parameters(code, language(language_name).name, name) if language_name else None
    return Signature(name=name, parameters=tuple(Parameter(given, kind) for given, kind in found or ()))


def save(store: ProjectFile, id_or_key: str, document: Any, *, seen: Collection[str] | None = None) -> Changes:
    """Save a revision of a rewrite as an act that can be undone.

    Raises `BadInputError` naming what does not fit, `EditConflictError` for a newer revision than those the writer has
    ``seen``.
    """
    kept = work_json(parse_work(document))
    with store.write() as db:
        found = subjects.find(db, id_or_key)
        rewrites.refuse_voters(db, store.annotator.id, found)
        standing = rewrites.newest(db, found.id)
        theirs = as_text(standing.document) if standing else ""
        refuse_unseen(db, standing, seen, theirs=theirs, mine=as_text(kept))
        return rewrites.add(db, store.annotator.id, found.id, kept, Message("Rewrite {title}", title=found.title))


def check(store: ProjectFile, id_or_key: str, progress: Progress | None = None) -> RewriteView:
    """Run the mined code and every reference on the table in the sandbox, keep what came of it, and show the gates.

    The mined code is called by its own name with the new inputs: it must fail every row. Raises `BadInputError` if no
    rewrite was saved or its table cannot be rendered, `MissingEnvironmentError` without a sandbox.
    """
    shown = subject(store, id_or_key)
    with store.read() as db:
        known = rewrites.current(db, shown.row.id)
    if known is None:
        raise BadInputError(f"{shown.row.title} has no rewrite yet. Save one first.")
    work = parse_work(known[0])
    jobs = jobs_of(shown, work)
    progress = progress or Progress()
    results: dict[str, list[dict[str, Any]]] = {}
    coverage: dict[str, list[Any]] = {}
    with sandbox.sandbox(allow_local=members.local_execution(store)) as (pool, _):
        for number, (job, result) in enumerate(zip(jobs, pool.run(jobs), strict=True), start=1):
            progress.report(number, len(jobs), f"{result.id}: {result.outcome}")
            if timed_out := _count_timeouts(job, result):
                # On a busy machine a program may run out of time before it begins.
                (second,) = pool.run([job])
                result = second if _count_timeouts(job, second) < timed_out else result
            results[result.id] = [asdict(item) for item in _outcomes(job, result)]
            if result.coverage and result.id != "original":
                coverage[result.id] = [
                    *shares(result.coverage, job.code, job.language),
                    not_run(result.coverage, job.code, job.language),
                ]
    detail = {"results": results, "coverage": coverage}
    seen = _view(shown, work, detail, {}, saved=True)
    with store.write() as db:
        proofs.record(db, shown.row.id, rewrites.KIND, known[1], "pass" if seen.passed else "fail", detail)
    return view(store, shown.row.id)


def jobs_of(shown: SubjectView, work: Work) -> list[Job]:
    """Return the work for the sandbox: the mined code, then each language's reference."""
    before = work.rewrite.before.name or shown.entry_point
    needed = libraries_of(shown.extra)
    jobs = []
    if shown.reference.strip() and before:
        accidents = accidental_errors(shown.reference, language(shown.row.language).name)
        tests = render(work.table, shown.row.language, before, accidents)
        mined = bare_function(shown.reference, language(shown.row.language).name, before)
        jobs.append(Job(id="original", language=shown.row.language, code=mined, tests=tests, libraries=needed))
    for name, code in work.references.items():
        own = work.rewrite.signatures.get(name, work.rewrite.after).name or work.rewrite.after.name
        tests = render(work.table, name, own)
        jobs.append(
            Job(id=name, language=name, code=code, tests=tests, coverage=language(name).measured, libraries=needed)
        )
    return jobs


def _outcomes(job: Job, result: JobResult) -> tuple[TestResult, ...]:
    if result.tests:
        return result.tests
    return tuple(TestResult(name=test.name, outcome=result.outcome, message=result.message) for test in job.tests or ())


def _count_timeouts(job: Job, result: JobResult) -> int:
    return sum(item.outcome == TIMEOUT for item in _outcomes(job, result))


_BRACKETS = re.compile(r"[\])};]+")
_CLASS_HEAD = re.compile(r"(?:(?:public|final|abstract|static)\s+)*class\s+\w+[^{;]*\{?")


def shares(coverage: Mapping[str, Any], code: str, language_name: str) -> tuple[float, float]:
    """Return the shares of lines and of branches that ran; without branches all of them did.

    Lines in which nothing is written are left out where they did not run: a lone closing bracket, behind which C++
    cleans up after errors, and the head of a Java class, whose constructor nobody wrote.
    """
    missing = _missing_lines(coverage, code, language_name)
    executed = len(coverage["executed"])
    taken = sum(row[1] for row in coverage["branches"])
    total = sum(row[2] for row in coverage["branches"])
    share = executed / (executed + len(missing)) if executed or missing else 0.0
    return share, taken / total if total else 1.0


def not_run(coverage: Mapping[str, Any], code: str, language_name: str) -> str:
    """Return which lines and branches of a reference no row runs, in words; empty where all are run."""
    lines = _missing_lines(coverage, code, language_name)
    branches = sorted({row[0] for row in coverage["branches"] if row[1] < row[2]} - set(lines))
    parts = [f"line {number}" for number in lines] + [f"a branch of line {number}" for number in branches]
    return ", ".join(parts)


def _missing_lines(coverage: Mapping[str, Any], code: str, language_name: str) -> list[int]:
    lines = code.split("\n")
    return [number for number in coverage["missing"] if _is_written(lines, number, language_name)]


def _is_written(lines: Sequence[str], number: int, language_name: str) -> bool:
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    if language_name == "java":
        return not _CLASS_HEAD.fullmatch(text)
    return language_name != "c++" or not _BRACKETS.fullmatch(text)


def explain(store: ProjectFile, id_or_key: str, language_name: str, reason: str) -> Changes:
    """Give the reason why a reference may stay below full coverage; two others must confirm it."""
    if not reason.strip():
        raise BadInputError("Less than full coverage needs a reason. Nothing was changed.")
    with store.write() as db:
        found = subjects.find(db, id_or_key)
        rewrites.refuse_voters(db, store.annotator.id, found)
        digest = _digest(rewrites.current(db, found.id), language_name)
        label = Message("Coverage of {title} in {language}", title=found.title, language=language_name)
        return rewrites.add_exception(
            db,
            annotator_id=store.annotator.id,
            subject_id=found.id,
            digest=digest,
            language=language_name,
            reason=reason.strip(),
            label=label,
        )


def confirm(store: ProjectFile, id_or_key: str, language_name: str) -> Changes:
    """Confirm the reason that another person gave, for exactly the content it was given for."""
    with store.write() as db:
        found = subjects.find(db, id_or_key)
        rewrites.refuse_voters(db, store.annotator.id, found)
        digest = _digest(rewrites.current(db, found.id), language_name)
        label = Message("Confirm coverage of {title} in {language}", title=found.title, language=language_name)
        return rewrites.confirm(db, store.annotator.id, found.id, digest, language_name, label)


def _digest(known: tuple[dict[str, Any], str] | None, language_name: str) -> str:
    if known is None or language_name not in known[0].get("references", {}):
        raise BadInputError(f"There is no reference in {language_name}. Nothing was changed.")
    return known[1]


def parse_work(value: Any) -> Work:
    """Read a rewrite with its table and references. Raises `BadInputError` naming what does not fit."""
    if not isinstance(value, Mapping) or set(map(str, value)) - _FIELDS:
        raise BadInputError(f"A rewrite document is an object with {', '.join(sorted(_FIELDS))}.")
    references = value.get("references", {})
    if not isinstance(references, Mapping) or not all(
        isinstance(code, str) and len(code) <= _TEXT_LIMIT for code in references.values()
    ):
        raise BadInputError("The references are an object of language and code.")
    written = {language(str(name)).name: code for name, code in references.items() if code.strip()}
    table = parse_table(value.get("table", {"rows": []}))
    return Work(parse_rewrite(value.get("rewrite")), table, written)


def as_text(document: Any) -> str:
    """Return a rewrite's document as a text that two versions can be compared by."""
    work = parse_work(document)
    rewrite = work.rewrite
    signatures = [rewrite.before, rewrite.after, *rewrite.signatures.values()]
    parts = [
        rewrite.requirement,
        "\n".join([*map(signature_text, signatures), *rewrite.twists]),
        "\n".join(json.dumps(row, ensure_ascii=False) for row in table_json(work.table)["rows"]),
        *(f"{name}\n{code}" for name, code in sorted(work.references.items())),
    ]
    return "\n\n".join(filter(None, parts))


def work_json(work: Work) -> dict[str, Any]:
    """Return a rewrite with its table and references as `parse_work` reads it."""
    return {
        "rewrite": rewrite_json(work.rewrite),
        "table": table_json(work.table),
        "references": dict(work.references),
    }
