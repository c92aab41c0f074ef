"""Rewrites suggested by a model: asked for part by part, each checked when it arrives, and taken by a person.

The parts are the task (requirement and signatures), the table of tests, and a reference in each language. What a check
finds goes back to the model once per part. A suggestion is kept as the text that `rewrite_parts` reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from annotator.base.errors import BadInputError, KnownError
from annotator.base.ids import content_hash
from annotator.llm.requests import ChatMessage
from annotator.llm.suggestion_requests import Helper, ModelSuggestion, ask_for_suggestion
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
from annotator.store.work import stored_suggestions

TASK, TESTS = "task", "tests"
STEPS = (TASK, TESTS, *LANGUAGES)
"""The parts that are asked for, in order: references need the types that the tests pass."""
MAX_TOKENS = 6000
_LEAST_ROWS = 5
_MOST_MESSAGES, _MOST_LETTERS = 4, 600
_MORE_ROWS = """ If rows of the table are wrong or missing, add a part
## Tests with the corrected and the new rows, and only these."""
_SIGNS = {True: "✓", False: "✗", None: "?"}
Tell = Callable[[str], None]
"""Is told a line about each part as soon as it is done."""


def ask_for_rewrite(
    store: ProjectFile, subject_id: str, helper: Helper, pool: Pool, report: Callable[[int, str], None], tell: Tell
) -> Suggestion:
    """Ask for a rewrite of a subject, part by part, and save it as a suggestion.

    If the subject's newest open suggestion lacks parts, only these are asked for. ``report`` gets the number of the
    step and what is going on. An interruption or an error of the endpoint saves the parts that have arrived.
    """
    asking = _Asking(store, subject_id, helper, pool, tell)
    try:
        for number, step in enumerate(STEPS):
            asking.ask_for(step, partial(report, number))
        asking.recheck(partial(report, len(STEPS)))
    except (KnownError, KeyboardInterrupt):
        if asking.has_news:
            _save(store, asking.suggestion(complete=False))
            missing = ", ".join(TITLES.get(step, step) for step in asking.missing_steps)
            tell(f"what has arrived is kept; missing: {missing or 'the last check'}. Ask again for the rest.")
        raise
    return _save(store, asking.suggestion(complete=not asking.missing_steps))


def _save(store: ProjectFile, row: Suggestion) -> Suggestion:
    with store.write() as db:
        db.add(row)
    return row


class _Asking:
    """One suggestion in the making: the parts so far, what was sent and answered, and what the checks found."""

    def __init__(self, store: ProjectFile, subject_id: str, helper: Helper, pool: Pool, tell: Tell) -> None:
        self._view = rewrites.load_rewrite(store, subject_id)
        self._helper = replace(helper, decoding=replace(helper.decoding, max_tokens=MAX_TOKENS))
        self._pool, self._tell = pool, tell
        with store.read() as db:
            self._mined_percent = MINED_PERCENT.read(people.read_setting(db, SETTING))
            rows = stored_suggestions.fetch_suggestions(db, self._view.subject.row.id, (REWRITE,))
        newest = next((row for row in rows if row.state == stored_suggestions.OPEN), None)
        self.parts = read_parts(newest.text) if newest is not None and not newest.complete else RewriteParts()
        self._sample = sum(row.complete for row in rows)
        self._exchange: list[ChatMessage] = []
        self._usage: dict[str, int] = {}
        self._templates: dict[str, None] = {}
        self._model = helper.model
        self._ran: dict[str, Mapping[str, Any]] = {}
        self._asked_again: set[str] = set()
        first, current = rewrites.first_draft(self._view.subject), self._view.work.rewrite
        self._base = replace(first, rewrite=replace(first.rewrite, summary=current.summary, before=current.before))

    @property
    def has_news(self) -> bool:
        """Whether the model has answered anything."""
        return bool(self._exchange)

    @property
    def missing_steps(self) -> tuple[str, ...]:
        """The steps whose part is not there."""
        there = {TASK: bool(self.parts.requirement and self.parts.signatures), TESTS: bool(self.parts.rows)}
        return tuple(step for step in STEPS if not there.get(step, step in self.parts.references))

    # -- ask -------------------------------------------------------------------------------------------------------

    def ask_for(self, step: str, report: Callable[[str], None]) -> None:
        """Ask for a part if it is missing, check it, and ask once more if the check found something.

        The tests need the task, and references need both.
        """
        title = TITLES.get(step, step)
        if lacking := self._lacking_before(step):
            self._tell(f"{title}: not asked for, as {lacking} is not there or not sound.")
            return
        answer: ModelSuggestion | None = None
        if step in self.missing_steps:
            report(f"asking for {title}")
            answer = self._send(_template_name(step), self._values(step))
            self._read(step, answer)
        report(f"checking {title}")
        problems = self._check(step, answer)
        if problems and step not in self._asked_again:
            self._tell_result(step, problems)
            problems = self._ask_again(step, answer, problems, report)
        self._tell_result(step, problems)

    def recheck(self, report: Callable[[str], None]) -> None:
        """Run references again where the table has changed since; those that now fail are asked for once more."""
        for language in LANGUAGES:
            if language in self.parts.references and not self._is_checked(language):
                self.ask_for(language, report)

    def _lacking_before(self, step: str) -> str:
        missing = self.missing_steps
        if step != TASK and TASK in missing:
            return TASK
        return "the table of tests" if step in LANGUAGES and (TESTS in missing or _table_problems(self.parts)) else ""

    def _is_checked(self, language: str) -> bool:
        """Return whether a reference has run on the table as it is now."""
        jobs = rewrites.rewrite_jobs(self._view.subject, self._work())
        return all(_job_digest(job) in self._ran for job in jobs if job.id == language)

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
            "request": suggestion_template(_template_name(step)).messages(self._values(step))[-1].content,
            "answer": answer.text if answer is not None else write_parts(_part_alone(self.parts, step)),
            "problems": "\n".join(f"- {problem}" for problem in problems),
            "more": _MORE_ROWS if step in LANGUAGES else "",
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

    def _values(self, step: str) -> dict[str, str]:
        subject = self._view.subject
        values = {"language": subject.row.language, "reference": subject.reference, "prompt": subject.prompt}
        if step == TASK:
            return values
        work = self._work()
        values["task"] = write_parts(replace(self.parts, rows=(), references={}))
        if step in LANGUAGES:
            values |= {"title": TITLES[step], "language": step, "rows": rows_text(self.parts.rows)}
            values["statement"] = _statement(work, step) or values["task"]
        return values

    def _read(self, step: str, answer: ModelSuggestion) -> None:
        """Take over what an answer holds: of the task anything, of another part this part and rows of tests."""
        known = {} if step == TASK else self._work().rewrite.signatures
        earlier_rows = () if step == TESTS else self.parts.rows
        newer = read_parts(answer.text, known, only="" if step == TASK else step, earlier_rows=earlier_rows)
        if step == TESTS:
            newer = RewriteParts(rows=newer.rows)
            self.parts = replace(self.parts, rows=()) if newer.rows else self.parts
        elif step in LANGUAGES:
            found = {step: newer.references[step]} if step in newer.references else {}
            newer = RewriteParts(rows=newer.rows if self._fits(newer.rows) else (), references=found)
        self.parts = self.parts.update(newer)

    def _fits(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether a table stays sound with further rows."""
        work = replace(self.parts.update(RewriteParts(rows=tuple(rows))), references={})
        return bool(rows) and not _table_problems(work)

    # -- check -----------------------------------------------------------------------------------------------------

    def _work(self) -> RewriteWork:
        """Return the rewrite so far; without its table if that is not sound."""
        try:
            return build_work(self._base, self.parts)
        except BadInputError:
            return build_work(self._base, replace(self.parts, rows=()))

    def _check(self, step: str, answer: ModelSuggestion | None = None) -> tuple[str, ...]:
        """Return what is wrong with a part, in sentences for the model and for people."""
        if step in self.missing_steps:
            cut = answer is not None and not answer.complete
            return (_missing_part(step, self._work()) + (" The answer was cut off: be shorter." if cut else ""),)
        if step == TASK:
            return self._task_problems()
        problems = _table_problems(self.parts)
        if step == TESTS:
            return problems or self._mined_problems()
        return problems[:1] or self._reference_problems(step)

    def _task_problems(self) -> tuple[str, ...]:
        parts, work = self.parts, self._work()
        python = parts.signatures.get("python")
        problems = [f"There is no part {name}." for name in ("objective", "result") if not getattr(parts, name)]
        if python is None:
            problems.append("There is no signature for Python.")
        elif lacking := [item.name for item in python.parameters if not item.type]:
            problems.append(f"The signature for Python does not give the type of {', '.join(lacking)}.")
        counts = {TITLES[name]: len(item.parameters) for name, item in parts.signatures.items()}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{name} {count}" for name, count in counts.items())
            problems.append(f"The signatures differ in their number of parameters: {listed}.")
        gates = _gates(self._view, work, None, self._mined_percent)
        problems += [_gate_text(gate) for gate in gates if gate.name in ("changed", "new words") and not gate.passed]
        return tuple(problems)

    def _mined_problems(self) -> tuple[str, ...]:
        gates = _gates(self._view, self._work(), self._run(("original",)), self._mined_percent)
        return tuple(_gate_text(gate) for gate in gates if gate.name == "original fails" and gate.passed is False)

    def _reference_problems(self, language: str) -> tuple[str, ...]:
        detail = self._run((language,))
        if "problem" in detail:
            return (str(detail["problem"]),)
        results = [TestResult(**row) for row in detail["results"].get(language, ())]
        problems = _failures(results)
        coverage = detail["coverage"].get(language)
        if not problems and coverage and min(coverage[:2]) < 1:
            problems = [f"No row runs {coverage[2]}. Add rows that run it, or leave that code out."]
        return tuple(problems)

    def _run(self, names: Sequence[str]) -> dict[str, Any]:
        """Run programs on the table, each pair of program and table once; ``problem`` says why nothing could run."""
        detail: dict[str, Any] = {"results": {}, "coverage": {}}
        try:
            jobs = [job for job in rewrites.rewrite_jobs(self._view.subject, self._work()) if job.id in names]
        except BadInputError as error:
            return {**detail, "problem": error.message}
        for job in jobs:
            digest = _job_digest(job)
            if digest not in self._ran:
                self._ran[digest] = rewrites.run_rewrite_jobs(self._pool, [job])
            for kind in ("results", "coverage"):
                detail[kind].update(self._ran[digest][kind])
        return detail

    def _tell_result(self, step: str, problems: Sequence[str]) -> None:
        self._tell(f"{TITLES.get(step, step)}: {' '.join(problems) if problems else self._describe(step)}")

    def _describe(self, step: str) -> str:
        if step == TASK:
            signature = self.parts.signatures.get("python")
            return signature_text(signature) if signature is not None else "there"
        if step == TESTS:
            return f"{len(self.parts.rows)} rows"
        return "agrees with the table"

    # -- keep ------------------------------------------------------------------------------------------------------

    def suggestion(self, *, complete: bool) -> Suggestion:
        """Return the parts and their checks as a suggestion, with everything that was asked and answered."""
        if complete:
            detail = self._run(("original", *LANGUAGES))
            gates = _gates(self._view, self._work(), detail, self._mined_percent)
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


def _template_name(step: str) -> str:
    return f"rewrite-{step if step in (TASK, TESTS) else 'reference'}"


def _part_alone(parts: RewriteParts, step: str) -> RewriteParts:
    if step == TESTS:
        return RewriteParts(rows=parts.rows)
    if step in LANGUAGES:
        return RewriteParts(references={step: parts.references[step]})
    return replace(parts, rows=(), references={})


def _gates(
    view: RewriteView, work: RewriteWork, detail: Mapping[str, Any] | None, mined_percent: int
) -> tuple[RewriteGate, ...]:
    return rewrites.view_rewrite(view.subject, work, detail, mined_percent=mined_percent).gates


def _gate_text(gate: RewriteGate) -> str:
    return f"The check {gate.name!r} fails: {gate.detail}."


def _missing_part(step: str, work: RewriteWork) -> str:
    if step == TASK:
        return "There is no part Requirement, or no part Signatures."
    if step == TESTS:
        return "There is no table of tests in the part Tests."
    signature = work.rewrite.signatures.get(step, work.rewrite.after)
    return f"There is no complete program in {TITLES[step]} that defines {signature.name}."


def _table_problems(parts: RewriteParts) -> tuple[str, ...]:
    """Return why rows are no table of tests for the signatures."""
    try:
        table = parse_table({"rows": [dict(row) for row in parts.rows]})
        signature = parts.signatures.get("python")
        if signature is not None and table.width != len(signature.parameters):
            return (f"A row has {table.width} inputs, and the function {len(signature.parameters)} parameters.",)
        if len(table.rows) < _LEAST_ROWS:
            return (f"The table has {len(table.rows)} rows; at least {_LEAST_ROWS} are needed.",)
        render_types(table, "c++")
    except BadInputError as error:
        return (error.message,)
    return ()


def _failures(results: Sequence[TestResult]) -> list[str]:
    """Return the failures of a reference by message, each with the rows that have it."""
    rows_by_message: dict[str, list[str]] = {}
    for result in results:
        if result.outcome not in (PASS, MACHINERY):
            message = result.message.strip()[-_MOST_LETTERS:] or result.outcome
            rows_by_message.setdefault(message, []).append(result.name)
    listed = list(rows_by_message.items())[:_MOST_MESSAGES]
    return [f"It does not give what {', '.join(names)} expects: {message}" for message, names in listed]


def _statement(work: RewriteWork, language: str) -> str:
    try:
        return render_statement(work.rewrite, work.table, language)
    except BadInputError:
        return ""


def _job_digest(job: Job) -> str:
    return content_hash([job.id, job.code, [test.code for test in job.tests or ()]])


# -- take --------------------------------------------------------------------------------------------------------------


def suggested_document(store: ProjectFile, id_or_key: str, text: str, parts: Sequence[str] = ()) -> RewriteWork:
    """Return a subject's current rewrite with the chosen parts of a suggestion's text (default: all) in their place.

    Raises `BadInputError` for parts that the text does not hold.
    """
    return _with_parts(rewrites.load_rewrite(store, id_or_key).work, text, parts)


def _with_parts(current: RewriteWork, text: str, parts: Sequence[str]) -> RewriteWork:
    suggested = read_parts(text)
    if suggested == RewriteParts():
        raise BadInputError("The text holds no part of a rewrite, so nothing was taken.")
    return build_work(current, select_parts(suggested, parts))


def take_suggested_rewrite(
    store: ProjectFile, suggestion_id: str, text: str | None = None, parts: Sequence[str] = ()
) -> Changes:
    """Save a suggestion, or the chosen parts of it, as a revision of the rewrite, in one change that can be undone.

    ``text`` is the suggestion as a person edited it. Raises `EditConflictError` if it was saved meanwhile.
    """
    with store.read() as db:
        suggestion = stored_suggestions.find_suggestion(db, suggestion_id)
    view = rewrites.load_rewrite(store, suggestion.subject_id)
    work = _with_parts(view.work, suggestion.text if text is None else text, parts)
    document = rewrites.rewrite_work_json(work)
    return rewrites.save_rewrite(
        store, suggestion.subject_id, document, seen_ids={view.revision}, suggestion_id=suggestion.id
    )
