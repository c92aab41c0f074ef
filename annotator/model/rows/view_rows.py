"""Views of one subject or act for pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotator.model.rows.queue_rows import SubjectRow


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRow:
    """One test of a subject, as shown."""

    __test__ = False

    name: str
    language: str
    code: str
    inputs: dict[str, Any]
    expected: str
    timeout: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRow:
    """A revision of a paraphrase."""

    id: str
    text: str
    note: str
    annotator: str
    created_at: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRow:
    """A revision of a criterion document."""

    id: str
    source: str
    content_hash: str
    annotator: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofRow:
    """The newest proof of a criterion; ``holds`` is False once the criterion or the prompt has changed.

    ``outcome`` is pass or fail; ``checks`` are JSON objects with name, title, outcome, required, summary, trials and
    facts. ``mode`` is the sandbox mode (judged or shared), empty if unknown or if no code is run. ``material`` is the
    hash of reference, tests and files, which were proven with it.
    """

    id: str
    outcome: str
    holds: bool
    created_at: str
    checks: tuple[dict[str, Any], ...]
    mode: str = ""
    mode_reason: str = ""
    material: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTrial:
    """A trial of a proof with the wrong outcome; ``seen`` describes that outcome, ``program`` is the code that ran."""

    check: str
    label: str
    seen: str
    answer: str
    program: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedRow:
    """The result of proving one subject's criterion; ``reason`` is the first required check that failed.

    ``weakness`` describes a wrong answer that passes, empty if none is known. ``mode`` is the sandbox mode (judged or
    shared), empty if no code is run or it is unknown. ``unchanged`` is True for the stored result of an earlier failed
    proof that was not repeated.
    """

    subject_id: str
    key: str
    title: str
    outcome: str
    reason: str
    mode: str = ""
    mode_reason: str = ""
    weakness: str = ""
    failed: tuple[FailedTrial, ...] = ()
    unchanged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionRow:
    """A model's suggestion for a subject; ``state`` is open, accepted or rejected.

    ``problems`` are sentences saying why it could not be released; empty unless they were requested.
    """

    id: str
    subject_id: str
    key: str
    kind: str
    text: str
    model: str
    template: str
    created_at: str
    state: str
    complete: bool
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """A person's decision with its reason."""

    verdict: str
    reason: str
    annotator: str
    created_at: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """A stored sample response, to try criteria on."""

    id: str
    model: str
    sample: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One act on a subject, for its timeline; ``active`` is False while the act is undone."""

    created_at: str
    annotator: str
    act: str
    detail: str
    active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectView:
    """One subject with everything its page shows.

    ``extra`` holds further data of its source: tags, a thread's other answers, the reasons of a filter against it.
    ``edits`` names the current edits of reference and tests. ``holder`` is the name of the person assigned to it.
    ``blind_study`` is the study in which the current user rates answers to it blind; ``responses`` is empty then.
    """

    row: SubjectRow
    prompt: str
    reference: str
    context: str
    entry_point: str
    licence: str
    question_type: str
    provenance: dict[str, Any]
    dependencies: dict[str, Any]
    files: dict[str, str]
    extra: dict[str, Any]
    tests: tuple[TestRow, ...]
    paraphrase: PromptRow | None
    criterion: CriterionRow | None
    edits: str
    proof: ProofRow | None
    decisions: tuple[DecisionRow, ...]
    responses: tuple[ResponseRow, ...]
    holder: str = ""
    blind_study: str = ""

    @property
    def context_lines(self) -> int:
        """Number of lines of its context."""
        return self.context.rstrip("\n").count("\n") + 1 if self.context else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One entry of the undo log; ``state`` is done, undone, superseded or event."""

    id: str
    label: str
    kind: str
    state: str
    annotator: str
    created_at: str
