"""Ask models for bugs, save their answers with the prompts, and prove them like all other bugs.

Every answer is saved as a suggestion of kind ``bug``. A proven one becomes a bug, on which reviewers decide; the others
stay open, so that a person can correct and accept one, which proves it again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from annotator.answers.review import first_object
from annotator.base.errors import BadInputError, KnownError
from annotator.base.messages import Message
from annotator.construction.bugs.bug_proofs import Baseline, ProposalVerdict, without_new_comments
from annotator.construction.bugs.taxonomy import family_of
from annotator.construction.edits import Proposal, diff_hunks
from annotator.construction.task_material import ConstructionError, Material
from annotator.jobs.progress import Progress
from annotator.llm.endpoint_errors import EndpointStopError, is_unanswered
from annotator.llm.templates import Helper, ModelSuggestion, Template, ask_for_suggestion
from annotator.model.changes import Changes
from annotator.model.rows.bug_rows import KINDS, ProposedRow
from annotator.model.rows.view_rows import SubjectView
from annotator.model.tables.work_tables import Suggestion
from annotator.sandbox import Runner
from annotator.services.bugs.controls import prove_and_validate
from annotator.services.bugs.material import bug_material, proof_detail
from annotator.services.bugs.proving import (
    ProposalTally,
    build_bug_row,
    load_bug_subjects,
    require_runner,
    run_baseline,
)
from annotator.services.sandbox_sessions import workbench
from annotator.services.suggestion_replies import BUG
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.queue import stored_subjects
from annotator.store.work import stored_bugs as stored
from annotator.store.work import stored_proofs, stored_rewrites

SURVIVES = "survives"
_TEMPERATURE, _PROPOSALS, _MAX_CHANGED_LINES = 0.8, 3, 10
_BUG_REQUEST = (
    "Put one realistic bug of the type {kind} into the program below, as a developer might make it by mistake.\n\n"
    "Rules:\n- Change at most {lines} lines, and keep the signature.\n- Write no comment about the bug.\n"
    "- Some of the tests must fail because of it, and some must still pass.\n\n"
    "Tests: {tests}\n\nProgram:\n```{language}\n{code}\n```\n\n"
    'Answer with one JSON object: {{"code": the whole changed program, "label": "{kind}", "changed_lines": [numbers], '
    '"explanation": one sentence, "why_tests_fail": one sentence}}'
)
_ASK_AGAIN = "All tests pass with your change, so it is no bug. Propose another one, by the same rules."
"""The single follow-up request to a model whose change fails no test."""
_TEMPLATE = Template(
    name="suggest-bug",
    version="1",
    user="{{request}}",
    system="You put realistic bugs into programs, to test reviewers.",
)
_NOUNS = ("bug", "suggestion")


def ask_model_for_bugs(
    store: ProjectFile,
    helper: Helper,
    ids: Sequence[str] = (),
    kinds: Sequence[str] = ("logic.condition",),
    progress: Progress | None = None,
    *,
    count: int = _PROPOSALS,
) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Ask a model for ``count`` bugs of each kind in each subject (default: all accepted ones with code).

    If no test detects a bug, the model is asked once more. Raises `BadInputError` for an unknown kind,
    `MissingEnvironmentError` without a sandbox, `EndpointStopError` for an error that stops every request (a wrong key,
    say), and `RequestFailedError` after a subject for which no request was answered.
    """
    if unknown := [kind for kind in kinds if kind not in KINDS] or ([] if kinds else ["(none is named)"]):
        raise BadInputError(
            f"There is no kind of bug {unknown[0]}. Choose from: {', '.join(KINDS)}. Nothing was changed."
        )
    if not 1 <= count <= 20:
        raise BadInputError("Ask for one to twenty bugs per kind. Nothing was changed.")
    helper = replace(helper, decoding=replace(helper.decoding, temperature=_TEMPERATURE))
    work = progress or Progress()
    views = load_bug_subjects(store, ids)
    rows = []
    with workbench(store) as bench:
        for number, view in enumerate(views):
            work.report(number, len(views), f"asking for bugs in {view.row.title}")
            rows.append(
                _ask_about_subject(store, view, helper, kinds, count, require_runner(bench.runner(), bench.problem))
            )
    work.report(len(views), len(views), "asked")
    return tuple(rows), Changes(frozenset(_NOUNS), frozenset(row.subject_id for row in rows))


def _ask_about_subject(
    store: ProjectFile, view: SubjectView, helper: Helper, kinds: Sequence[str], count: int, runner: Runner
) -> ProposedRow:
    tally = ProposalTally(subject=view.row)
    try:
        material = bug_material(view)
        baseline = run_baseline(material, tuple(dict.fromkeys(family_of(kind) for kind in kinds)), runner)
    except ConstructionError as error:
        return tally.row(error.message)
    unanswered: list[KnownError] = []
    for kind in kinds:
        for sample in range(count):
            try:
                _ask_and_prove(
                    store, view, baseline, kind=kind, sample=sample, helper=helper, runner=runner, tally=tally
                )
            except EndpointStopError:
                raise
            except KnownError as error:
                tally.refused[error.message] += 1
                if is_unanswered(error):
                    unanswered.append(error)
    if len(unanswered) == len(kinds) * count:
        raise unanswered[-1]
    return tally.row()


def _ask_and_prove(
    store: ProjectFile, view: SubjectView, baseline: Baseline, *, kind: str, sample: int, helper: Helper,
    runner: Runner, tally: ProposalTally,
) -> None:  # fmt: skip
    """Ask for a bug, and once more if no test detects it. Saves every answer, and the bug if it is proven."""
    request = bug_request(baseline.material, kind)
    for is_second_try in (False, True):
        tally.tried += 1
        answer = ask_for_suggestion(helper, _TEMPLATE, {"request": request}, sample=sample)
        suggestion_id = _save_answer(store, view.row.id, kind, answer)
        verdict = _prove_answer(view, baseline, answer.text, kind, answer.model, runner)
        if verdict.proven:
            tally.proven += 1
            if _accept_bug(store, view, baseline.material, suggestion_id, verdict) is None:
                tally.refused["proposed before"] += 1
            else:
                tally.kept += 1
            return
        tally.refused[verdict.reason] += 1
        if is_second_try or verdict.reason != SURVIVES:
            return
        request = f"{request}\n\nYour answer was:\n{answer.text}\n\n{_ASK_AGAIN}"


def _prove_answer(
    view: SubjectView, baseline: Baseline, text: str, kind: str, model: str, runner: Runner
) -> ProposalVerdict:
    """Read a proposed bug and prove it like one from an operator. Raises `ConstructionError` if it cannot be read."""
    return prove_and_validate(view, baseline, read_bug_proposal(baseline.material, text, kind, model), runner)


def _save_answer(store: ProjectFile, subject_id: str, kind: str, answer: ModelSuggestion) -> str:
    """Save a model's answer with the kind of bug it was asked for; return the suggestion's id."""
    parsed = first_object(answer.text)
    text = json.dumps({**parsed, "label": kind}, ensure_ascii=False, indent=1) if parsed else answer.text
    row = build_suggestion(subject_id, BUG, text, f"{answer.template} {kind}", answer)
    with store.write() as db:
        db.add(row)
    return row.id


def build_suggestion(subject_id: str, kind: str, text: str, template: str, answer: ModelSuggestion) -> Suggestion:
    """Return a model's answer and its prompt as a suggestion; ``text`` is the usable part of the answer."""
    prompt = [asdict(part) for part in answer.prompt]
    return Suggestion(
        subject_id=subject_id, kind=kind, text=text, model=answer.model, template=template, prompt=prompt,
        usage=dict(answer.usage), complete=answer.complete,
    )  # fmt: skip


def _accept_bug(
    store: ProjectFile, view: SubjectView, material: Material, suggestion_id: str, verdict: ProposalVerdict
) -> Changes | None:
    """Save a proven bug and accept its suggestion in one change; return None if the subject has had the bug before."""
    bug = build_bug_row(view.row.id, material, verdict.proposal)
    label = Message("Use a suggested bug in {title}", title=view.row.title)
    with store.write() as db:
        if bug.content_hash in stored.known_hashes(db, view.row.id):
            return None
        change = undo_log.record_change(db, store.annotator.id, label, _NOUNS)
        suggestion = stored_rewrites.find_suggestion(db, suggestion_id)
        stored_rewrites.decide_suggestion(db, change, suggestion, stored_rewrites.ACCEPTED)
        undo_log.write_work(db, change, bug)
        stored_proofs.record_proof(
            db, view.row.id, stored.PROOF_KIND, bug.content_hash, "pass", proof_detail(material, verdict)
        )
        return Changes(frozenset(_NOUNS), frozenset({view.row.id}), label, change.id)


def accept_suggested_bug(store: ProjectFile, suggestion_id: str, text: str | None = None) -> Changes:
    """Prove a suggested bug (or ``text``, the person's edit of it) and accept it.

    Raises `BadInputError` if it cannot be read, is not proven or exists already, and `MissingEnvironmentError` without
    a sandbox.
    """
    with store.read() as db:
        suggestion = stored_rewrites.find_suggestion(db, suggestion_id)
        view = stored_subjects.load_subject_view(db, suggestion.subject_id)
    final_text = suggestion.text if text is None else text
    kind = _read_kind(final_text) or suggestion.template.rpartition(" ")[2]
    if kind not in KINDS:
        raise BadInputError(f"The suggestion has an unknown kind of bug ({kind}), so nothing was added.")
    origin = suggestion.model if text is None or text == suggestion.text else f"{suggestion.model}, edited"
    material = bug_material(view)
    with workbench(store) as bench:
        runner = require_runner(bench.runner(), bench.problem)
        baseline = run_baseline(material, (family_of(kind),), runner)
        verdict = _prove_answer(view, baseline, final_text, kind, origin, runner)
    if not verdict.proven:
        raise BadInputError(f"The bug is not proven ({verdict.reason}), so nothing was added.")
    changed = _accept_bug(store, view, material, suggestion.id, verdict)
    if changed is None:
        raise BadInputError("The subject has this bug already, so nothing was added.")
    return changed


def _read_kind(text: str) -> str:
    label = (first_object(text) or {}).get("label")
    return label if isinstance(label, str) and label in KINDS else ""


def bug_request(material: Material, kind: str) -> str:
    """Return the request for one bug of a kind such as ``logic.index``. Raises `ValueError` for an unknown kind."""
    family_of(kind)
    names = ", ".join(test.name for test in material.tests[:30])
    return _BUG_REQUEST.format(
        kind=kind, lines=_MAX_CHANGED_LINES, tests=names, language=material.language, code=material.code.strip("\n")
    )


def read_bug_proposal(material: Material, response: str, kind: str, origin: str) -> Proposal:
    """Return the bug that an answer proposes, without new comments on its lines; ``origin`` names the model.

    Raises `ConstructionError` if the answer has no program, changes nothing, or changes too many lines.
    """
    answer = first_object(response)
    code = (answer or {}).get("code")
    if not isinstance(code, str) or not code.strip():
        raise ConstructionError("The answer contains no program.")
    code = code.rstrip("\n") + "\n" if material.code.endswith("\n") else code.rstrip("\n")
    code = without_new_comments(material.code, code, material.language)
    if code.split() == material.code.split():
        raise ConstructionError("The answer changes nothing.")
    size = sum(max(_count_lines(hunk.lines), _count_lines(hunk.old_lines)) for hunk in diff_hunks(material.code, code))
    if size > _MAX_CHANGED_LINES:
        raise ConstructionError(f"The answer changes {size} lines; at most {_MAX_CHANGED_LINES} may change.")
    explanation = str((answer or {}).get("explanation") or "")[:500]
    return Proposal(
        kind=kind, operator="model", code=code, reference=material.code, explanation=explanation, origin=origin
    )


def _count_lines(lines: Sequence[int]) -> int:
    return max(0, lines[1] - lines[0] + 1)
