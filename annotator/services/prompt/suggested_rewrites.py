"""Ask a model for a rewrite part by part, check each part when it arrives, and let a person accept the result.

The parts are the task (requirement and signatures), the table of tests, and a reference in each language. Problems that
a check finds are sent back to the model once per part. A suggestion is stored as the text of `rewrite_parts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from annotator.base.errors import BadInputError, KnownError
from annotator.base.ids import content_hash
from annotator.llm.requests import ChatMessage
from annotator.llm.templates import Helper, ModelSuggestion, ask_for_suggestion
from annotator.mining.parity import parse_table
from annotator.mining.rendering import LANGUAGES, render_types
from annotator.mining.rewriting import RewriteGate, signature_text
from annotator.mining.statements import render_statement
from annotator.model.changes import Changes
from annotator.model.rows.gate_numbers import MINED_PERCENT, SETTING
from annotator.model.tables.work_tables import Suggestion
from annotator.sandbox import Job, Pool, TestResult
from annotator.sandbox.sandbox_jobs import MACHINERY, PASS
from annotator.services.prompt import rewrites
from annotator.services.prompt.rewrite_parts import (
    TITLES,
    RewriteParts,
    build_work,
    read_parts,
    rows_text,
    select_parts,
    write_parts,
)
from annotator.services.prompt.rewrites import RewriteView, RewriteWork
from annotator.services.suggestion_replies import REWRITE, suggestion_template
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.work import stored_rewrites

TASK, TESTS = "task", "tests"
STEPS = (TASK, TESTS, *LANGUAGES)
"""The parts to request, in order: references need the types of the values in the tests."""
MAX_TOKENS = 6000
_MIN_ROWS = 5
_MAX_MESSAGES = 4
_MAX_MESSAGE_CHARACTERS = 600
_ROWS_REQUEST = """ If rows of the table are wrong or missing, add a part
## Tests with the corrected and the new rows, and only these."""
_SIGNS = {True: "✓", False: "✗", None: "?"}
ReportLine = Callable[[str], None]
"""Receives a line of text about each part when it is done."""


def ask_for_rewrite(
    store: ProjectFile,
    subject_id: str,
    helper: Helper,
    pool: Pool,
    report: Callable[[int, str], None],
    tell: ReportLine,
) -> Suggestion:
    """Ask for a rewrite of a subject, part by part, and save it as a suggestion.

    If the subject's newest open suggestion lacks parts, only these are requested. ``report`` gets the number of the
    step and a description of the current activity. After an interruption or an error of the endpoint, the
    parts received are saved.
    """
    request = _RewriteRequest(store, subject_id, helper, pool, tell)
    try:
        for number, step in enumerate(STEPS):
            if prerequisite := request.missing_prerequisite(step):
                skipped = ", ".join(TITLES.get(name, name) for name in STEPS[number:])
                tell(f"not requested, because {prerequisite} is missing or invalid: {skipped}")
                break
            request.ask_for(step, partial(report, number))
        else:
            request.recheck(partial(report, len(STEPS)))
    except (KnownError, KeyboardInterrupt):
        if request.has_news:
            _save_suggestion(store, request.suggestion(complete=False))
            missing = ", ".join(TITLES.get(step, step) for step in request.missing_steps)
            tell(
                f"the parts received so far are saved; missing: {missing or 'the last check'}. Ask again for the rest."
            )
        raise
    if request.parts == RewriteParts():
        raise BadInputError("The model's answers contain no part of a rewrite, so nothing was saved.")
    return _save_suggestion(store, request.suggestion(complete=not request.missing_steps))


def _save_suggestion(store: ProjectFile, row: Suggestion) -> Suggestion:
    with store.write() as db:
        db.add(row)
    return row


class _RewriteRequest:
    """A suggestion under construction: the parts so far, the messages exchanged, and the results of the checks."""

    def __init__(self, store: ProjectFile, subject_id: str, helper: Helper, pool: Pool, tell: ReportLine) -> None:
        self._view = rewrites.load_rewrite(store, subject_id)
        self._helper = replace(helper, decoding=replace(helper.decoding, max_tokens=MAX_TOKENS))
        self._pool = pool
        self._tell = tell
        with store.read() as db:
            self._mined_percent = MINED_PERCENT.read(people.read_setting(db, SETTING))
            rows = stored_rewrites.fetch_suggestions(db, self._view.subject.row.id, (REWRITE,))
        newest = next((row for row in rows if row.state == stored_rewrites.OPEN), None)
        self.parts = read_parts(newest.text) if newest is not None and not newest.complete else RewriteParts()
        self._sample = sum(row.complete for row in rows)
        self._exchange: list[ChatMessage] = []
        self._usage: dict[str, int] = {}
        self._templates: dict[str, None] = {}
        self._model = helper.model
        self._ran: dict[str, Mapping[str, Any]] = {}
        self._asked_again: set[str] = set()
        draft = rewrites.first_draft(self._view.subject)
        current = self._view.work.rewrite
        self._base = replace(draft, rewrite=replace(draft.rewrite, summary=current.summary, before=current.before))

    @property
    def has_news(self) -> bool:
        """Whether the model has answered anything."""
        return bool(self._exchange)

    @property
    def missing_steps(self) -> tuple[str, ...]:
        """The steps whose part is missing."""
        available = {TASK: bool(self.parts.requirement and self.parts.signatures), TESTS: bool(self.parts.rows)}
        return tuple(step for step in STEPS if not available.get(step, step in self.parts.references))

    # -- ask -------------------------------------------------------------------------------------------------------

    def ask_for(self, step: str, report: Callable[[str], None]) -> None:
        """Request a part if it is missing, check it, and request it once more if the check finds problems."""
        title = TITLES.get(step, step)
        answer: ModelSuggestion | None = None
        if step in self.missing_steps:
            report(f"asking for {title}")
            answer = self._send(_choose_template(step), self._template_values(step))
            self._read(step, answer)
        report(f"checking {title}")
        problems = self._check(step, answer)
        if problems and step not in self._asked_again:
            self._tell(f"{title}: {' '.join(problems)} Asking once more.")
            problems = self._ask_again(step, answer, problems, report)
        self._tell(f"{title}: {' '.join(problems) if problems else self._describe(step)}")

    def recheck(self, report: Callable[[str], None]) -> None:
        """Run references again if the table has changed since; request those that now fail once more."""
        for language in LANGUAGES:
            if language in self.parts.references and not self._is_checked(language):
                self.ask_for(language, report)

    def missing_prerequisite(self, step: str) -> str:
        """Return what a part needs and what is missing or invalid: tests need the task, and references need both."""
        missing = self.missing_steps
        if step != TASK and TASK in missing:
            return TASK
        return (
            "the table of tests" if step in LANGUAGES and (TESTS in missing or _find_table_problems(self.parts)) else ""
        )

    def _is_checked(self, language: str) -> bool:
        """Return whether a reference has run on the current table."""
        jobs = rewrites.rewrite_jobs(self._view.subject, self._build_work_so_far())
        return all(_hash_job(job) in self._ran for job in jobs if job.id == language)

    def _ask_again(
        self,
        step: str,
        answer: ModelSuggestion | None,
        problems: Sequence[str],
        report: Callable[[str], None],
    ) -> tuple[str, ...]:
        self._asked_again.add(step)
        title = TITLES.get(step, step)
        report(f"asking for {title} once more")
        values = {
            "request": suggestion_template(_choose_template(step)).messages(self._template_values(step))[-1].content,
            "answer": answer.text if answer is not None else write_parts(_select_parts_of_step(self.parts, step)),
            "problems": "\n".join(f"- {problem}" for problem in problems),
            "more": _ROWS_REQUEST if step in LANGUAGES else "",
        }
        second = self._send("rewrite-again", values)
        self._read(step, second)
        report(f"checking {title}")
        return self._check(step, second)

    def _send(self, name: str, values: Mapping[str, str]) -> ModelSuggestion:
        template = suggestion_template(name)
        answer = ask_for_suggestion(self._helper, template, values, sample=self._sample)
        self._exchange += [*answer.prompt, ChatMessage("assistant", answer.text)]
        self._templates[answer.template] = None
        self._model = answer.model
        for key, value in answer.usage.items():
            self._usage[key] = self._usage.get(key, 0) + value
        return answer

    def _template_values(self, step: str) -> dict[str, str]:
        subject = self._view.subject
        values = {"language": subject.row.language, "reference": subject.reference, "prompt": subject.prompt}
        if step == TASK:
            return values
        work = self._build_work_so_far()
        values["task"] = write_parts(replace(self.parts, rows=(), references={}))
        if step in LANGUAGES:
            values |= {"title": TITLES[step], "language": step, "rows": rows_text(self.parts.rows)}
            values["statement"] = _render_statement(work, step) or values["task"]
        return values

    def _read(self, step: str, answer: ModelSuggestion) -> None:
        """Adopt the parts of an answer: all parts for the task, else only the requested part and rows of tests."""
        signatures = {} if step == TASK else self._build_work_so_far().rewrite.signatures
        earlier_rows = () if step == TESTS else self.parts.rows
        newer = read_parts(answer.text, signatures, only="" if step == TASK else step, earlier_rows=earlier_rows)
        if step == TESTS:
            newer = RewriteParts(rows=newer.rows)
            self.parts = replace(self.parts, rows=()) if newer.rows else self.parts
        elif step in LANGUAGES:
            references = {step: newer.references[step]} if step in newer.references else {}
            newer = RewriteParts(rows=newer.rows if self._are_valid_rows(newer.rows) else (), references=references)
        self.parts = self.parts.update(newer)

    def _are_valid_rows(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether the table stays valid with additional rows."""
        work = replace(self.parts.update(RewriteParts(rows=tuple(rows))), references={})
        return bool(rows) and not _find_table_problems(work)

    # -- check -----------------------------------------------------------------------------------------------------

    def _build_work_so_far(self) -> RewriteWork:
        """Return the rewrite so far, without its table if that is invalid."""
        try:
            return build_work(self._base, self.parts)
        except BadInputError:
            return build_work(self._base, replace(self.parts, rows=()))

    def _check(self, step: str, answer: ModelSuggestion | None = None) -> tuple[str, ...]:
        """Return the problems of a part, in sentences for the model and for people."""
        if step in self.missing_steps:
            problem = _describe_missing_part(step, self._build_work_so_far())
            if answer is not None and not answer.complete:
                problem += " The answer was cut off: be shorter."
            return (problem,)
        if step == TASK:
            return self._find_task_problems()
        problems = _find_table_problems(self.parts)
        if step == TESTS:
            return problems or self._find_mined_problems()
        return problems[:1] or self._find_reference_problems(step)

    def _find_task_problems(self) -> tuple[str, ...]:
        parts = self.parts
        work = self._build_work_so_far()
        python = parts.signatures.get("python")
        problems = [f"There is no part {name}." for name in ("objective", "result") if not getattr(parts, name)]
        if python is None:
            problems.append("There is no signature for Python.")
        elif missing := [item.name for item in python.parameters if not item.type]:
            problems.append(f"The signature for Python does not give the type of {', '.join(missing)}.")
        counts = {TITLES[name]: len(item.parameters) for name, item in parts.signatures.items()}
        if len(set(counts.values())) > 1:
            counts_text = ", ".join(f"{name} {count}" for name, count in counts.items())
            problems.append(f"The signatures differ in their number of parameters: {counts_text}.")
        gates = _check_gates(self._view, work, None, self._mined_percent)
        problems += [
            _describe_gate(gate) for gate in gates if gate.name in ("changed", "new words") and not gate.passed
        ]
        return tuple(problems)

    def _find_mined_problems(self) -> tuple[str, ...]:
        gates = _check_gates(self._view, self._build_work_so_far(), self._run(("original",)), self._mined_percent)
        return tuple(_describe_gate(gate) for gate in gates if gate.name == "original fails" and gate.passed is False)

    def _find_reference_problems(self, language: str) -> tuple[str, ...]:
        detail = self._run((language,))
        if "problem" in detail:
            return (str(detail["problem"]),)
        results = [TestResult(**row) for row in detail["results"].get(language, ())]
        problems = _describe_failures(results)
        coverage = detail["coverage"].get(language)
        if not problems and coverage and min(coverage[:2]) < 1:
            problems = [f"No row runs {coverage[2]}. Add rows that run it, or leave that code out."]
        return tuple(problems)

    def _run(self, names: Sequence[str]) -> dict[str, Any]:
        """Run programs on the table, each pair only once; ``problem`` is the reason if nothing could run."""
        detail: dict[str, Any] = {"results": {}, "coverage": {}}
        try:
            jobs = [
                job for job in rewrites.rewrite_jobs(self._view.subject, self._build_work_so_far()) if job.id in names
            ]
        except BadInputError as error:
            return {**detail, "problem": error.message}
        for job in jobs:
            digest = _hash_job(job)
            if digest not in self._ran:
                (self._ran[digest],) = rewrites.run_rewrite_jobs(self._pool, [job])
            for kind in ("results", "coverage"):
                detail[kind].update(self._ran[digest][kind])
        return detail

    def _describe(self, step: str) -> str:
        if step == TASK:
            signature = self.parts.signatures.get("python")
            return signature_text(signature) if signature is not None else "received"
        if step == TESTS:
            return f"{len(self.parts.rows)} rows"
        return "agrees with the table"

    # -- keep ------------------------------------------------------------------------------------------------------

    def suggestion(self, *, complete: bool) -> Suggestion:
        """Return the parts and their checks as a suggestion, with all messages exchanged with the model."""
        if complete:
            detail = self._run(("original", *LANGUAGES))
            gates = _check_gates(self._view, self._build_work_so_far(), detail, self._mined_percent)
            checks = [f"{_SIGNS[gate.passed]} {gate.name}: {' '.join(gate.detail.split())}" for gate in gates]
        else:
            checks = [f"{_SIGNS[False]} missing: {', '.join(TITLES.get(step, step) for step in self.missing_steps)}"]
        return Suggestion(
            subject_id=self._view.subject.row.id,
            kind=REWRITE,
            text=write_parts(self.parts, checks),
            model=self._model,
            template=", ".join(self._templates),
            prompt=[asdict(part) for part in self._exchange],
            usage=self._usage,
            complete=complete,
        )


def _choose_template(step: str) -> str:
    return f"rewrite-{step if step in (TASK, TESTS) else 'reference'}"


def _select_parts_of_step(parts: RewriteParts, step: str) -> RewriteParts:
    if step == TESTS:
        return RewriteParts(rows=parts.rows)
    if step in LANGUAGES:
        return RewriteParts(references={step: parts.references[step]})
    return replace(parts, rows=(), references={})


def _check_gates(
    view: RewriteView, work: RewriteWork, detail: Mapping[str, Any] | None, mined_percent: int
) -> tuple[RewriteGate, ...]:
    return rewrites.view_rewrite(view.subject, work, detail, mined_percent=mined_percent).gates


def _describe_gate(gate: RewriteGate) -> str:
    return f"The check {gate.name!r} fails: {gate.detail}."


def _describe_missing_part(step: str, work: RewriteWork) -> str:
    if step == TASK:
        return "There is no part Requirement, or no part Signatures."
    if step == TESTS:
        return "There is no table of tests in the part Tests."
    signature = work.rewrite.signatures.get(step, work.rewrite.after)
    return f"There is no complete program in {TITLES[step]} that defines {signature.name}."


def _find_table_problems(parts: RewriteParts) -> tuple[str, ...]:
    """Return why the rows are not a valid table of tests for the signatures."""
    try:
        table = parse_table({"rows": [dict(row) for row in parts.rows]})
        signature = parts.signatures.get("python")
        if signature is not None and table.width != len(signature.parameters):
            return (f"A row has {table.width} inputs, and the function {len(signature.parameters)} parameters.",)
        if len(table.rows) < _MIN_ROWS:
            return (f"The table has {len(table.rows)} rows; at least {_MIN_ROWS} are needed.",)
        render_types(table, "c++")
    except BadInputError as error:
        return (error.message,)
    return ()


def _describe_failures(results: Sequence[TestResult]) -> list[str]:
    """Return a sentence for each distinct failure message of a reference, with the rows concerned."""
    rows_by_message: dict[str, list[str]] = {}
    for result in results:
        if result.outcome not in (PASS, MACHINERY):
            message = result.message.strip()[-_MAX_MESSAGE_CHARACTERS:] or result.outcome
            rows_by_message.setdefault(message, []).append(result.name)
    messages = list(rows_by_message.items())[:_MAX_MESSAGES]
    return [f"It does not give what {', '.join(names)} expects: {message}" for message, names in messages]


def _render_statement(work: RewriteWork, language: str) -> str:
    try:
        return render_statement(work.rewrite, work.table, language)
    except BadInputError:
        return ""


def _hash_job(job: Job) -> str:
    return content_hash([job.id, job.code, [test.code for test in job.tests or ()]])


# -- take --------------------------------------------------------------------------------------------------------------


def suggested_document(store: ProjectFile, id_or_key: str, text: str, parts: Sequence[str] = ()) -> RewriteWork:
    """Return a subject's current rewrite with the chosen parts of a suggestion's text (default: all) in their place.

    Raises `BadInputError` for parts that the text lacks.
    """
    return _replace_parts(rewrites.load_rewrite(store, id_or_key).work, text, parts)


def _replace_parts(current: RewriteWork, text: str, parts: Sequence[str]) -> RewriteWork:
    suggested = read_parts(text)
    if suggested == RewriteParts():
        raise BadInputError("The text contains no part of a rewrite, so nothing was accepted.")
    return build_work(current, select_parts(suggested, parts))


def accept_suggested_rewrite(
    store: ProjectFile, suggestion_id: str, text: str | None = None, parts: Sequence[str] = ()
) -> Changes:
    """Save a suggestion, or the chosen parts of it, as a revision of the rewrite, in one undoable change.

    ``text`` is the suggestion as a person edited it. Raises `EditConflictError` if it was saved meanwhile.
    """
    with store.read() as db:
        suggestion = stored_rewrites.find_suggestion(db, suggestion_id)
    view = rewrites.load_rewrite(store, suggestion.subject_id)
    work = _replace_parts(view.work, suggestion.text if text is None else text, parts)
    document = rewrites.rewrite_work_json(work)
    return rewrites.save_rewrite(
        store, suggestion.subject_id, document, seen_ids={view.revision}, suggestion_id=suggestion.id
    )
