"""Suggestions: ask a model for a text, save it with its prompt, and let a person accept or reject it.

No model's text becomes part of a subject without a person's decision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from annotator.base.errors import BadInputError, KnownError
from annotator.base.ids import content_hash
from annotator.base.messages import Message, mark_word
from annotator.criteria import CriterionError, parse_criterion
from annotator.evaluation.released_items import asked_prompt
from annotator.jobs.progress import Cancelled, Progress
from annotator.llm.client import Client, RetryPolicy
from annotator.llm.endpoint_errors import EndpointStopError, is_unanswered
from annotator.llm.requests import Endpoint
from annotator.llm.templates import DECLINED, Helper, ModelSuggestion, Template, ask_for_suggestion
from annotator.model.changes import Changes
from annotator.model.rows.run_rows import SetupRow
from annotator.model.rows.view_rows import SubjectView, SuggestionRow
from annotator.model.tables.subject_tables import Subject
from annotator.model.tables.work_tables import Criterion, Label, Prompt, Suggestion
from annotator.sandbox import Pool
from annotator.services.bugs import model_bugs
from annotator.services.program import sandbox
from annotator.services.project import members
from annotator.services.prompt import suggested_rewrites
from annotator.services.prompt.paraphrase_guard import check_paraphrase, prompt_material
from annotator.services.prompt.rewrite_parts import failed_checks
from annotator.services.prompt.suggested_rewrites import ReportLine
from annotator.services.runs import run_setups
from annotator.services.select.triage import accepted_subjects
from annotator.services.suggestion_replies import (
    BUG,
    CHECK,
    CHECKED,
    KINDS,
    REWRITE,
    TAXONOMIES,
    is_agreement,
    read_criterion,
    read_description,
    read_question,
    suggestion_template,
)
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_rewrites as stored

PROMPTS = ("instruction", "requirement", "paraphrase")
"""Kinds that become a subject's prompt."""
_CRITERION_KINDS = ("criterion", "tests")
_SINGLE_ATTEMPTS = 3
_MAX_CONSECUTIVE_FAILURES = 3


@dataclass(frozen=True, slots=True)
class SuggestionBatch:
    """The suggestions of one request, and (key, reason) of the subjects without one.

    ``failed`` counts the subjects for which the endpoint did not answer, so that they can be retried.
    """

    rows: tuple[SuggestionRow, ...]
    left_out: tuple[tuple[str, str], ...]
    changes: Changes
    failed: int = 0


@dataclass(frozen=True, slots=True)
class SuggestionChoices:
    """The endpoints and models to choose from: the project's, the presets, and models used before, newest first."""

    endpoints: tuple[SetupRow, ...]
    models: tuple[str, ...]


def make_suggestions(
    store: ProjectFile,
    kind: str,
    ids: Sequence[str],
    helper: Helper,
    progress: Progress | None = None,
    *,
    domains: Sequence[str] = TAXONOMIES["domaineval"],
    tell: ReportLine = lambda _: None,
) -> SuggestionBatch:
    """Ask a model for one suggestion per subject; each is saved as soon as it arrives.

    A rewrite takes several requests; ``tell`` gets a line about each part of it. After three subjects in a row
    without an answer from the endpoint, the rest are skipped.
    Raises `BadInputError` for an unknown kind and `EndpointStopError` for an error that stops every request (a wrong
    key, say).
    """
    if kind not in (*KINDS, REWRITE):
        raise BadInputError(f"There is no kind of suggestion {kind}. Choose from: {', '.join((*KINDS, REWRITE))}.")
    is_local_allowed = members.is_local_execution_allowed(store)
    with (
        sandbox.open_sandbox(allow_local=is_local_allowed) if kind == REWRITE else nullcontext((None, None)) as (
            pool,
            _,
        )
    ):
        request = _BatchRequest(
            store=store,
            kind=kind,
            helper=helper,
            progress=progress or Progress(),
            domains=domains,
            pool=pool,
            tell=tell,
        )
        return _ask_in_turn(request, ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class _BatchRequest:
    """The settings of the requests of a batch; ``pool`` checks the parts of rewrites."""

    store: ProjectFile
    kind: str
    helper: Helper
    progress: Progress
    domains: Sequence[str]
    pool: Pool | None
    tell: ReportLine


def _ask_in_turn(request: _BatchRequest, ids: Sequence[str]) -> SuggestionBatch:
    store = request.store
    progress = request.progress
    suggestion_ids: list[str] = []
    left_out: list[tuple[str, str]] = []
    failed = consecutive_failures = 0
    for number, subject_id in enumerate(ids):
        with store.read() as db:
            view = stored_subjects.load_subject_view(db, subject_id)
        if consecutive_failures == _MAX_CONSECUTIVE_FAILURES:
            left_out.append((view.row.key, "Not requested, because the endpoint no longer answers."))
            failed += 1
            continue
        try:
            row = _ask_about(request, view, number, len(ids))
        except (EndpointStopError, Cancelled):
            raise
        except KnownError as error:
            left_out.append((view.row.key, error.message))
            is_endpoint_silent = is_unanswered(error)
            failed += is_endpoint_silent
            consecutive_failures = consecutive_failures + 1 if is_endpoint_silent else 0
            continue
        consecutive_failures = 0
        suggestion_ids.append(row.id)
    progress.report(progress.total or len(ids), progress.total or len(ids), "asked")
    with store.read() as db:
        rows = tuple(row for row in stored.fetch_suggestions(db) if row.id in suggestion_ids)
    changes = Changes(frozenset({"suggestion"}), frozenset(row.subject_id for row in rows))
    return SuggestionBatch(rows, tuple(left_out), changes, failed)


def _ask_about(request: _BatchRequest, view: SubjectView, number: int, count: int) -> Suggestion:
    """Ask for the suggestion of one subject and save it."""
    if request.pool is not None:
        steps = len(suggested_rewrites.STEPS) + 1

        def report(step: int, text: str) -> None:
            request.progress.report(number * steps + step, count * steps, f"{view.row.title}: {text}")

        def tell(line: str) -> None:
            request.tell(f"{view.row.title}: {line}")

        return suggested_rewrites.ask_for_rewrite(
            request.store, view.row.id, request.helper, request.pool, report, tell
        )
    request.progress.report(number, count, f"asking about {view.row.title}")
    template = next(item for item in run_setups.list_templates(request.store) if item.name == f"suggest-{request.kind}")
    draft = _ask_and_check(
        request.helper, request.kind, template, _build_template_values(view, request.domains), request.domains
    )
    row = model_bugs.build_suggestion(view.row.id, request.kind, draft.text, draft.template, draft)
    with request.store.write() as db:
        db.add(row)
    return row


def list_mined_repositories(store: ProjectFile) -> tuple[str, ...]:
    """Return the names of the repositories that accepted subjects were mined from, sorted."""
    parts = (row.key.split(":") for row in accepted_subjects(store))
    return tuple(sorted({part[1] for part in parts if part[0] == "repository" and len(part) > 2}))


def _build_template_values(view: SubjectView, domains: Sequence[str]) -> dict[str, str]:
    return {
        "title": view.row.title,
        "prompt": asked_prompt(view),
        "reference": view.reference,
        "context": view.context,
        "language": view.row.language,
        "domains": ", ".join(domains),
    }


def _ask_and_check(
    helper: Helper, kind: str, template: Template, values: Mapping[str, str], domains: Sequence[str]
) -> ModelSuggestion:
    """Ask for one suggestion; a second request checks a description against the code.

    If the check declines or returns nothing, the suggestion stays unchanged and does not name the check's template.
    """
    suggestion = ask_for_suggestion(helper, template, values)
    suggestion = replace(suggestion, text=_clean_reply(kind, suggestion.text, domains))
    if not suggestion.text:
        raise BadInputError(DECLINED)
    if kind not in CHECKED:
        return suggestion
    try:
        checked = ask_for_suggestion(helper, suggestion_template(CHECK), {**values, "draft": suggestion.text})
    except BadInputError:
        return suggestion
    corrected = suggestion.text if is_agreement(checked.text) else _clean_reply(kind, checked.text, domains)
    if not corrected:
        return suggestion
    return replace(
        checked,
        text=corrected,
        template=f"{suggestion.template}, {checked.template}",
        usage={
            name: suggestion.usage.get(name, 0) + checked.usage.get(name, 0)
            for name in {**suggestion.usage, **checked.usage}
        },
    )


def _clean_reply(kind: str, text: str, domains: Sequence[str]) -> str:
    """Return the suggested text without the phrases and fences that models put around it."""
    if kind in _CRITERION_KINDS:
        return read_criterion(text)
    if kind == "domain":
        name = text.strip().strip(".'\"`*").lower()
        return next((domain for domain in domains if domain.lower() == name), name.split("\n")[0][:100])
    if kind in CHECKED:
        return read_description(text)
    return read_question(text)


def find_suggestions(
    store: ProjectFile, subject: str | None = None, kinds: Sequence[str] = (), *, only_open: bool = False
) -> tuple[SuggestionRow, ...]:
    """Return suggestions, newest first, of one subject (id or key) or all."""
    with store.read() as db:
        subject_id = stored_subjects.find_subject(db, subject).id if subject else None
        return stored.fetch_suggestions(db, subject_id, kinds, only_open=only_open)


def suggestions_with_problems(store: ProjectFile, rows: Sequence[SuggestionRow]) -> tuple[SuggestionRow, ...]:
    """Return the suggestions with the problems that would keep them out of a release if accepted unchanged.

    Prompts are checked now. Rewrites have to be run, so they were checked when they were made.
    """
    with store.read() as db:
        views = {
            row.subject_id: stored_subjects.load_subject_view(db, row.subject_id) for row in rows if row.kind in PROMPTS
        }
    problems = {row.id: suggestion_problems(views[row.subject_id], row.text) for row in rows if row.kind in PROMPTS}
    problems |= {row.id: failed_checks(row.text) for row in rows if row.kind == REWRITE}
    return tuple(replace(row, problems=problems.get(row.id, ())) for row in rows)


def suggestion_problems(view: SubjectView, text: str) -> tuple[str, ...]:
    """Return the problems that would keep a subject out of a release if ``text`` became its prompt."""
    return check_paraphrase(prompt_material(view), text).problems


def load_suggestion(store: ProjectFile, suggestion_id: str) -> SuggestionRow:
    """Return the suggestion with an id, or a unique prefix of it. Raises `BadInputError` for none or several."""
    with store.read() as db:
        suggestion = stored.find_suggestion(db, suggestion_id)
        return next(row for row in stored.fetch_suggestions(db, suggestion.subject_id) if row.id == suggestion.id)


def suggestion_prompt(store: ProjectFile, suggestion_id: str) -> str:
    """Return the prompt of a suggestion, its parts under their roles."""
    with store.read() as db:
        prompt = stored.find_suggestion(db, suggestion_id).prompt
    parts = [(str(part.get("role", "")), str(part.get("content", ""))) for part in prompt]
    return "\n\n".join(f"[{role}]\n{content}" if role else content for role, content in parts)


def list_accepted_ids(store: ProjectFile, repository: str = "", unasked_kind: str = "") -> tuple[str, ...]:
    """Return the ids of all accepted subjects, in the order of the queue.

    With ``repository``, only those mined from it; with ``unasked_kind``, only those without an open or accepted
    suggestion of that kind; a suggested rewrite that lacks parts does not count.
    """
    asked_ids: set[str] = set()
    if unasked_kind:
        asked_ids = {
            row.subject_id
            for row in find_suggestions(store, kinds=(unasked_kind,))
            if row.state != stored.REJECTED and (row.complete or row.kind != REWRITE)
        }
    start = f"repository:{repository}:" if repository else ""
    return tuple(row.id for row in accepted_subjects(store) if row.key.startswith(start) and row.id not in asked_ids)


def accept_suggestion(
    store: ProjectFile, suggestion_id: str, text: str | None = None, parts: Sequence[str] = ()
) -> Changes:
    """Accept a suggestion, unchanged or as ``text`` edited by the person, in one undoable change.

    Of a rewrite, only some ``parts`` can be accepted (`rewrite_parts.PARTS`, or the language of a reference).
    Raises `CriterionError` for an invalid criterion. A bug is proven first: see `model_bugs.accept_suggested_bug`.
    """
    kind = load_suggestion(store, suggestion_id).kind
    if parts and kind != REWRITE:
        raise BadInputError("Only a suggested rewrite has parts. Nothing was accepted.")
    if kind == BUG:
        return model_bugs.accept_suggested_bug(store, suggestion_id, text)
    if kind == REWRITE:
        return suggested_rewrites.accept_suggested_rewrite(store, suggestion_id, text, parts)
    with store.write() as db:
        suggestion = stored.find_suggestion(db, suggestion_id)
        subject = stored_subjects.find_subject(db, suggestion.subject_id)
        final_text = suggestion.text if text is None else text
        if not final_text.strip():
            raise BadInputError("The text is empty, so nothing was used.")
        label = Message("Use suggested {kind} for {title}", kind=mark_word(suggestion.kind), title=subject.title)
        origin = suggestion.model if text is None or text == suggestion.text else f"{suggestion.model}, edited"
        change = undo_log.record_change(
            db, store.annotator.id, label, ["suggestion", *_list_changed_nouns(suggestion.kind)]
        )
        stored.decide_suggestion(db, change, suggestion, stored.ACCEPTED)
        undo_log.write_work(db, change, _build_row(db, suggestion.kind, subject, final_text, origin))
        undo_log.refresh_subjects(db.connection(), [subject.id])
        return Changes(
            frozenset({"suggestion", "subject", *_list_changed_nouns(suggestion.kind)}),
            frozenset({subject.id}),
            label,
            change.id,
        )


def reject_suggestion(store: ProjectFile, suggestion_id: str) -> Changes:
    """Reject a suggestion; it stays in the history."""
    with store.write() as db:
        suggestion = stored.find_suggestion(db, suggestion_id)
        subject = stored_subjects.find_subject(db, suggestion.subject_id)
        label = Message("Reject suggested {kind} for {title}", kind=mark_word(suggestion.kind), title=subject.title)
        if suggestion.kind == REWRITE:
            label = Message("Reject suggested rewrite for {title}", title=subject.title)
        change = undo_log.record_change(db, store.annotator.id, label, ["suggestion"])
        stored.decide_suggestion(db, change, suggestion, stored.REJECTED)
        return Changes(frozenset({"suggestion"}), frozenset({subject.id}), label, change.id)


def _list_changed_nouns(kind: str) -> tuple[str, ...]:
    if kind in PROMPTS:
        return ("prompt",)
    return ("criterion",) if kind in _CRITERION_KINDS else ("label",)


def _build_row(db: Session, kind: str, subject: Subject, text: str, origin: str) -> Prompt | Criterion | Label:
    """Return the row that an accepted suggestion adds. Raises `CriterionError` for an invalid criterion."""
    if kind in PROMPTS:
        return Prompt(subject_id=subject.id, text=text, origin=origin)
    if kind not in _CRITERION_KINDS:
        return stored.label_of(subject, "domain", text.strip(), origin)
    checked = parse_criterion(text, stored_subjects.load_criterion_files(db, subject.id))
    if checked.document is None:
        raise CriterionError("The suggested criterion", checked.problems)
    note = f"suggested by {origin}"
    return Criterion(subject_id=subject.id, source=text, content_hash=content_hash(text), note=note)


def suggestion_choices(store: ProjectFile) -> SuggestionChoices:
    """Return the endpoints and models that can be asked."""
    with store.read() as db:
        models = dict.fromkeys(row.model for row in stored.fetch_suggestions(db))
    return SuggestionChoices(run_setups.list_endpoints(store), tuple(models))


def endpoint_at(store: ProjectFile, place: str, key_name: str = "") -> Endpoint:
    """Return an endpoint by its name in the project, or by its address.

    ``key_name`` names where the key is stored, never the key. Raises `BadInputError` for a name unknown to the project.
    """
    if not place:
        raise BadInputError("Give the name of an endpoint of this project, or an address.")
    endpoint = Endpoint(base_url=place) if "://" in place else run_setups.endpoint_named(store, place)
    return replace(endpoint, key_name=key_name) if key_name else endpoint


def request_suggestions(
    store: ProjectFile,
    endpoint: Endpoint,
    model: str,
    kind: str,
    ids: Sequence[str],
    progress: Progress | None = None,
    *,
    domains: Sequence[str] = TAXONOMIES["domaineval"],
    tell: ReportLine = lambda _: None,
) -> SuggestionBatch:
    """Ask a model for one suggestion of a kind for each subject; asking again creates another one.

    Raises `BadInputError` without a model or subjects, and `EndpointStopError` for an error that stops every request.
    """
    if not model:
        raise BadInputError("Enter the model's name as the endpoint uses it.")
    if not ids:
        raise BadInputError("No accepted subjects yet, so there is nothing to ask about.")
    # A person waits for a single suggestion and can retry, so give up earlier.
    policy = RetryPolicy(attempts=_SINGLE_ATTEMPTS) if len(ids) == 1 else RetryPolicy()
    with Client(endpoint, policy=policy) as client:
        return make_suggestions(store, kind, ids, Helper(client, endpoint, model), progress, domains=domains, tell=tell)


def ask_about_remaining(
    store: ProjectFile, place: str, model: str, kind: str, repository: str = "", progress: Progress | None = None
) -> SuggestionBatch:
    """Ask for a suggestion for every accepted subject (of a repository, if one is named) without one of this kind.

    Raises as `endpoint_at` and `request_suggestions` do; sends no request if every subject has a suggestion.
    """
    endpoint = endpoint_at(store, place)
    ids = list_accepted_ids(store, repository, kind)
    if not ids:
        return SuggestionBatch((), (), Changes(frozenset()))
    return request_suggestions(store, endpoint, model, kind, ids, progress)
