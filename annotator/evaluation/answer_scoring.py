"""Score responses to released items: by criterion, by the grader an item names, or by its tests."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from annotator.answers.code import reader_of
from annotator.answers.masked import CodeTask, find_task_answer, place_in_context
from annotator.answers.normalising import FinalText, normalise_response, without_reasoning
from annotator.answers.outcome import ExtractedAnswer, NoAnswer, classify_missing_answer, has_no_content
from annotator.answers.refusals import is_refusal
from annotator.answers.source import Part
from annotator.base.ids import content_hash
from annotator.criteria import CriterionDocument, CriterionScore, parse_criterion, score_all_by_criterion
from annotator.criteria.document.from_tests import with_check_called
from annotator.evaluation.own_libraries import ItemLibraries, ItemTexts, blame_answer
from annotator.evaluation.planning import AnsweredRequest
from annotator.evaluation.presets import Protocol
from annotator.evaluation.program_tests import add_programs, can_run, stdin_of
from annotator.evaluation.released_items import Item, text_of
from annotator.llm.answers import is_broken_off
from annotator.model.vocabulary import UNSETTLED, Outcome
from annotator.sandbox import Job, JobResult, Limits, Runner, TestCode, find_language, missing_library
from annotator.sandbox.libraries import NPM, libraries_digest, runner_with_libraries
from annotator.sandbox.modes import is_shared, runner_in_one_process
from annotator.text.python_tree import bound_names, free_names, tree_or_empty

CUT_SHORT: Final = MappingProxyType(
    {"length": Outcome.TRUNCATED, "content_filter": Outcome.FILTERED, "refusal": Outcome.REFUSAL}
)
"""The outcome of a wrong answer that was cut short, by finish reason."""

TEST_SECONDS = 10.0
"""The time limit of a test that names none, in a protocol that names none."""
# A score keeps the messages of some failed tests, cut to a length, because an item can have hundreds of tests.
_MAX_FAILED_TESTS = 10
_MAX_MESSAGE_CHARACTERS = 400
_LIBRARY_MISSING = "the library {0} is not available in the sandbox"
_ADD_LIBRARY = "; import its candidates with --library {0}{1}"
_NAMES = r"[\w.]+(?:[ \t]+as[ \t]+\w+)?"
_IMPORT = re.compile(
    rf"(?<![\w.])(?:from[ \t]+[\w.]+[ \t]+import[ \t]+\([^()]*\)|"
    rf"(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+{_NAMES}(?:[ \t]*,[ \t]*{_NAMES})*)"
)
_LIBRARY_PREFIXES = MappingProxyType({"python": "", "javascript": NPM})
"""How an item's libraries are named, by the image of its language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredResponse:
    """An outcome with its numbers; all are None if scoring failed for technical reasons, which never counts as 0."""

    outcome: Outcome
    points: float | None
    total: float | None
    score: float | None
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelResponse:
    """A model's response and its finish reason."""

    text: str
    finish_reason: str = "stop"


def score_response(
    document: CriterionDocument, text: str, finish_reason: str = "stop", *, sandbox: Runner | None = None
) -> ScoredResponse:
    """Score one answer; see `score_answers`."""
    return score_answers(document, [ModelResponse(text, finish_reason)], sandbox)[0]


def score_answers(
    document: CriterionDocument, answers: Sequence[ModelResponse], sandbox: Runner | None = None
) -> tuple[ScoredResponse, ...]:
    """Score answers to one item, in order (runs specification).

    Wrong answers, missing answers and technical failures are never mixed. Reasoning is not part of the answer. An empty
    answer and a refusal earn 0 as no answer. An answer that the provider broke off (`is_broken_off`) is not scored,
    because its request is to be retried. ``sandbox`` runs code.
    """
    final_answers = [(answer, without_reasoning(answer.text)) for answer in answers]
    texts = [
        final.text for answer, final in final_answers if not is_broken_off(answer.finish_reason) and final.text.strip()
    ]
    results = dict(zip(texts, score_all_by_criterion(document, texts, sandbox=sandbox), strict=True))
    return tuple(_score_one(document, answer, final, results.get(final.text)) for answer, final in final_answers)


def _score_one(
    document: CriterionDocument, answer: ModelResponse, final: FinalText, result: CriterionScore | None
) -> ScoredResponse:
    if is_broken_off(answer.finish_reason):
        return _score_broken_off(answer.finish_reason)
    if result is None:
        no_answer = classify_missing_answer(final, answer.finish_reason)
        return score_no_answer(no_answer.outcome, no_answer.how)
    if result.status != "scored" or result.score is None:
        library = missing_library(result.reason)
        return (
            _score_missing_library(library, _describe_result(result))
            if library
            else unscorable(result.reason, _describe_result(result))
        )
    if result.unsettled and result.score < document.full_score:
        outcome = CUT_SHORT.get(answer.finish_reason, Outcome(result.unsettled))
        return ScoredResponse(
            outcome=outcome, points=result.points, total=result.total, score=0.0, detail=_describe_result(result)
        )
    if result.score <= 0 and has_no_content(normalise_response(final.text)):
        no_answer = classify_missing_answer(replace(final, text=""), answer.finish_reason)
        return score_no_answer(no_answer.outcome, no_answer.how)
    outcome = _classify_score(result.score, document.full_score, final.text, answer.finish_reason)
    scored = ScoredResponse(
        outcome=outcome, points=result.points, total=result.total, score=result.score, detail=_describe_result(result)
    )
    return with_how(scored, "took the response without its reasoning" if final.reasoned else "")


def _classify_score(value: float, full_score: float, text: str, finish_reason: str) -> Outcome:
    if value >= full_score:
        return Outcome.PASS
    if finish_reason in CUT_SHORT:
        return CUT_SHORT[finish_reason]
    if value <= 0 and is_refusal(normalise_response(text)):
        return Outcome.REFUSAL
    return Outcome.PARTIAL if value > 0 else Outcome.FAIL


def _score_broken_off(finish_reason: str) -> ScoredResponse:
    return unscorable(f"the provider broke the answer off (finish reason {finish_reason or 'missing'})", lasting=True)


def unscorable(reason: str, detail: Mapping[str, Any] | None = None, *, lasting: bool = False) -> ScoredResponse:
    """Return the score of an answer that cannot be scored; ``lasting`` means that scoring again would not help."""
    full_detail = {"rules": [], **(detail or {}), "reason": reason} | ({"lasting": True} if lasting else {})
    return ScoredResponse(outcome=Outcome.MACHINERY, points=None, total=None, score=None, detail=full_detail)


def _score_missing_library(library: str, detail: Mapping[str, Any] | None = None, *, name: str = "") -> ScoredResponse:
    """Return the score of an answer that needs a missing library; ``name`` is the language of its item."""
    message = _LIBRARY_MISSING.format(library)
    prefix = _LIBRARY_PREFIXES.get(find_language(name).group) if name else None
    # A missing framework is described in several words and cannot be added as a library.
    if prefix is not None and " " not in library:
        message += _ADD_LIBRARY.format(prefix, library)
    return unscorable(message, detail, lasting=True)


def _describe_result(result: CriterionScore) -> dict[str, Any]:
    return {
        "rules": [
            {
                "label": rule.label,
                "metric": rule.metric,
                "matched": rule.matched,
                "points": rule.points,
                "total": rule.total,
                "detail": rule.detail[:500],
            }
            for rule in result.rules
        ],
        **({"outcome": result.unsettled} if result.unsettled else {}),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreJob:
    """A response to score: plain data, so that it can be sent to another machine.

    ``continued`` means that a base model continued the prompt; ``stops`` are the strings that end its text.
    ``test_timeout_s`` is the limit of tests without their own.
    """

    item: Mapping[str, Any]
    text: str
    finish_reason: str = "stop"
    continued: bool = False
    stops: tuple[str, ...] = ()
    complete: bool = False
    test_timeout_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerProgram:
    """The program that is tested, the imports that were added to the answer (logged with the score), and how it was
    extracted; ``outcome`` is the kind of no answer if there is no program."""

    code: str
    added: tuple[str, ...] = ()
    how: str = ""
    outcome: NoAnswer = ""
    answer: str = ""
    """The answer's own code, before anything was added to it or put around it."""


def job_of(item: Item, finished: AnsweredRequest, protocol: Protocol) -> ScoreJob:
    """Return the scoring job of a response under a protocol."""
    decoding = protocol.pass_of(finished.planned.sample).decoding
    return ScoreJob(
        item=item,
        text=finished.answer.text,
        finish_reason=finished.answer.finish_reason,
        continued=protocol.form == "completion",
        stops=decoding.stop,
        complete=protocol.complete_imports,
        test_timeout_s=protocol.test_timeout_s,
    )


def answer_of(job: ScoreJob) -> ExtractedAnswer:
    """Return the code of a response to a test-based item."""
    task = _read_task(job.item)
    return find_task_answer(
        task,
        cut_at_stops(job.text, job.stops) if job.continued else job.text,
        reader_of(task.language),
        finish_reason=job.finish_reason,
        # Imports that the protocol completes are logged, so they are added later.
        alone=job.complete,
    )


def _read_task(item: Item) -> CodeTask:
    return CodeTask(
        language=text_of(item, "language"),
        entry_point=text_of(item, "entry_point"),
        prompt=text_of(item, "original_prompt", "prompt"),
        context=text_of(item, "context"),
        tests=tuple(str(test["code"]) for test in item.get("tests") or () if test.get("code")),
    )


def _item_texts(item: Item) -> ItemTexts:
    task = _read_task(item)
    return ItemTexts((task.prompt, task.context), text_of(item, "reference"), task.tests)


def program_of(job: ScoreJob) -> AnswerProgram:
    """Return the program of a response to a test-based item.

    It is the answer's code, with forgotten imports if the protocol completes them, inserted at [MASK] if the item's
    context has exactly one.
    """
    extracted = answer_of(job)
    code = extracted.text
    added: tuple[str, ...] = ()
    if not code.strip():
        return AnswerProgram(code="", added=(), how=extracted.how, outcome=extracted.outcome or "empty")
    task = _read_task(job.item)
    if job.complete and task.language.lower() == "python":
        code, added = add_forgotten_imports(code, (task.context, task.prompt))
    return AnswerProgram(code=place_in_context(task, code), added=added, how=extracted.how, answer=extracted.text)


def sandbox_job(job: ScoreJob, program: AnswerProgram) -> Job:
    """Return the sandbox job for a program and the tests of its item; a test may have its own time limit."""
    language = text_of(job.item, "language").lower()
    tests = [test for test in job.item.get("tests") or () if test.get("code")]
    entry = text_of(job.item, "entry_point") if language.startswith("python") else ""
    seconds = job.test_timeout_s or TEST_SECONDS
    return Job(
        id=str(job.item.get("key") or job.item.get("id") or "item"),
        language=language,
        code=program.code,
        tests=tuple(
            TestCode(
                str(test.get("name") or number),
                with_check_called(test["code"], entry),
                float(test["timeout"]) if test.get("timeout") else None,
            )
            for number, test in enumerate(tests, start=1)
        ),
        limits=Limits(wall_s=seconds, cpu_s=seconds, memory_mb=1024),
        mode="shared" if is_shared(job.item) else "judged",
        libraries=libraries_digest(job.item.get("extra")),
    )


def score_test_results(
    result: JobResult, added: tuple[str, ...] = (), finish_reason: str = "stop", name: str = ""
) -> ScoredResponse:
    """Return the score of a program from its tests: 1 if all pass, else 0; None if the sandbox failed.

    ``name`` is its language.
    """
    passed = sum(test.outcome == "pass" for test in result.tests)
    explained_tests = [test.name for test in result.tests if test.outcome != "pass" and test.message][
        :_MAX_FAILED_TESTS
    ]
    detail: dict[str, Any] = {
        "rules": [
            {"label": test.name, "metric": "unit_test", "matched": test.outcome == "pass",
             "points": float(test.outcome == "pass")}
            | ({"detail": test.message[:_MAX_MESSAGE_CHARACTERS]} if test.name in explained_tests else {})
            for test in result.tests
        ],
        "outcome": result.outcome,
        "message": result.message,
    }  # fmt: skip
    if added:
        detail["imports_added"] = list(added)
    if result.weaker:
        detail["weaker"] = result.weaker
    if result.outcome == "machinery":
        library = missing_library(result.message)
        return _score_missing_library(library, detail, name=name) if library else unscorable(result.message, detail)
    total = float(len(result.tests))
    if result.outcome == "pass":
        return ScoredResponse(outcome=Outcome.PASS, points=total, total=total, score=1.0, detail=detail)
    failure_outcome = Outcome(result.outcome) if result.outcome in UNSETTLED else Outcome.FAIL
    return ScoredResponse(
        outcome=CUT_SHORT.get(finish_reason, failure_outcome),
        points=float(passed),
        total=total,
        score=0.0,
        detail=detail,
    )


def score_no_answer(outcome: NoAnswer, how: str) -> ScoredResponse:
    """Return the score of a response without an answer: 0, with the kind of no answer as its outcome."""
    detail: dict[str, Any] = {"rules": [], "outcome": outcome, "message": how, "how": how}
    return ScoredResponse(outcome=Outcome(outcome or "empty"), points=0.0, total=None, score=0.0, detail=detail)


def with_how(scored: ScoredResponse, how: str) -> ScoredResponse:
    """Return a score with a note on how its answer was extracted from the response."""
    return replace(scored, detail={**scored.detail, "how": how}) if how else scored


Grader = Callable[[ScoreJob, "Runner | None"], ScoredResponse]
"""Scores a response to an item whose ``extra`` names a grader; the runner is None if no code can be run."""


def grader_of(item: Item) -> str:
    """Return the name of an item's grader; "" for items scored by criterion or tests."""
    extra = item.get("extra")
    return str(extra.get("grader") or "") if isinstance(extra, Mapping) else ""


@dataclass(kw_only=True)
class ItemScorer:
    """Scores jobs; thread-safe. Each criterion is parsed once. ``sandbox`` runs code.

    ``grader`` scores the items that name one: items made from code, whose answers need more than tests.
    """

    sandbox: Runner | None = None
    grader: Grader | None = None
    _documents: dict[str, CriterionDocument | None] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _libraries: ItemLibraries = field(default_factory=ItemLibraries, repr=False)

    def __call__(self, job: ScoreJob) -> ScoredResponse:
        """Return the score of a response."""
        if is_broken_off(job.finish_reason):
            return _score_broken_off(job.finish_reason)
        document = self._document(job.item)
        if document is not None:
            document = _with_timeout(document, job.test_timeout_s)
            runner = runner_in_one_process(
                runner_with_libraries(self.sandbox, job.item.get("extra")), shared=is_shared(job.item)
            )
            return score_response(document, job.text, job.finish_reason, sandbox=runner)
        if job.item.get("criterion"):
            return unscorable("the item's criterion cannot be read", lasting=True)
        if grader_of(job.item):
            return self._score_by_grader(job)
        return self._score_by_tests(job)

    def is_heavy(self, job: ScoreJob) -> bool:
        """Return whether a job takes long in pure Python: a similarity criterion, which compares word by word."""
        if "similarity" not in (job.item.get("criterion") or ""):
            return False
        document = self._document(job.item)
        return document is not None and bool(document.similarity) and not document.needs_sandbox

    def _document(self, item: Item) -> CriterionDocument | None:
        source = item.get("criterion") or ""
        if not source:
            return None
        extra = item.get("extra")
        files = (extra.get("files") if isinstance(extra, Mapping) else None) or {}
        key = content_hash([source, files])
        with self._lock:
            if key not in self._documents:
                self._documents[key] = parse_criterion(source, files).document
            return self._documents[key]

    def _score_by_grader(self, job: ScoreJob) -> ScoredResponse:
        if self.grader is None:
            return unscorable(f"nothing here grades answers to items of the kind {grader_of(job.item)}", lasting=True)
        return self.grader(job, self.sandbox)

    def _score_by_tests(self, job: ScoreJob) -> ScoredResponse:
        tests = [test for test in job.item.get("tests") or () if can_run(test)]
        if not tests:
            return unscorable("the item has neither a criterion nor tests that can be run", lasting=True)
        if self.sandbox is None:
            return unscorable("the item's tests need the sandbox, which is not available; annotator doctor says why")
        program = program_of(job)
        if not program.code.strip():
            return score_no_answer(program.outcome or "empty", program.how)
        test_job = sandbox_job(job, program)
        result = None
        if test_job.tests:
            item_texts = _item_texts(job.item)
            result = blame_answer(self.sandbox.submit(test_job).result(), test_job, item_texts.reference)
            library = self._libraries.find_missing(item_texts, test_job, result, self.sandbox)
            if library:
                return _score_missing_library(library, name=test_job.language)
        programs = [test for test in tests if stdin_of(test) is not None]
        if result is None or programs:
            result = add_programs(result, test_job, programs, self.sandbox)
        return with_how(score_test_results(result, program.added, job.finish_reason, test_job.language), program.how)


def _with_timeout(document: CriterionDocument, seconds: float | None) -> CriterionDocument:
    """Return a criterion with ``seconds`` as the limit of tests without their own."""
    if seconds is None or not document.tests:
        return document
    return replace(document, tests=tuple(replace(test, timeout=test.timeout or seconds) for test in document.tests))


def score_job(job: ScoreJob) -> ScoredResponse:
    """Score one job without a sandbox; worker processes and cluster workers import this function."""
    return _process_scorer()(job)


@lru_cache(maxsize=1)
def _process_scorer() -> ItemScorer:
    """Return the scorer of this process, which parses each criterion once."""
    return ItemScorer()


def cut_at_stops(text: str, stops: Sequence[str] = ()) -> str:
    """Return a base model's output up to the first stop, after which it continued with something else."""
    ends = [position for position in (text.find(stop) for stop in stops if stop) if position >= 0]
    return text[: min(ends)] if ends else text


def add_forgotten_imports(code: str, sources: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Return Python code with its forgotten imports, and the added statements (DomainEval's correction, to be logged).

    Only imports in the task's own texts (``sources``: its code, its instruction) are added, and only for names that the
    code uses and never binds. Code that cannot be parsed is returned unchanged; the body of a function can.
    """
    missing = free_names(tree_or_empty(code))
    added: list[Part] = []
    for part in (part for source in sources for part in _find_imports(source)):
        if part.binds & missing:
            added.append(part)
            missing -= part.binds
    statements = tuple(part.code for part in added)
    insert_line = 0
    for node in tree_or_empty(code).body if statements else ():
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        insert_line = node.end_lineno or insert_line
    lines = code.split("\n")
    return "\n".join([*lines[:insert_line], *statements, *lines[insert_line:]]), statements


def _find_imports(source: str) -> Iterator[Part]:
    """Yield every name that a text imports, which need not be valid code, with a statement for it alone."""
    for match in _IMPORT.finditer(source):
        for node in tree_or_empty(match[0].rstrip(".")).body:
            for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
                statement: ast.stmt = ast.Import([alias])
                if isinstance(node, ast.ImportFrom):
                    statement = ast.ImportFrom(node.module, [alias], node.level)
                if not ast.unparse(statement).startswith("from __future__"):
                    yield Part(code=ast.unparse(statement), binds=frozenset(bound_names(statement)), is_import=True)
