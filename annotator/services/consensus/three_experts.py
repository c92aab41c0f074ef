"""The three-expert rule on solutions and tests: edit, run, confirm or reject (sampling specification, section 4.4).

Nobody can confirm their own edit. An edit needs confirmations by two others, content that nobody edited by three.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from itertools import count
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message, mark_word
from annotator.base.records import record_from
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import ArtefactRow
from annotator.model.rows.view_rows import SubjectView
from annotator.model.tables.judging_tables import Confirmation, Revision
from annotator.services.criterion.proofs import has_judge, prove_view
from annotator.services.edit_conflicts import refuse_unseen
from annotator.services.sandbox_sessions import workbench
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.judging import stored_consensus
from annotator.store.queue import stored_subjects
from annotator.store.work import artefacts, stored_proofs
from annotator.store.work.stored_rewrites import refuse_voters

CONFIRM, REJECT = "confirm", "reject"
VERDICTS = (CONFIRM, REJECT)
DRAFT, CHECKING, EDITED, CONFIRMED = "draft", "checking", "edited", "confirmed"
EXPERTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtefactState:
    """The state of an artefact; ``missing`` is the number of confirmations it still needs."""

    state: str
    content_hash: str
    edited_by: str | None
    confirmed_by: tuple[str, ...]
    missing: int

    def may_confirm(self, person: str) -> bool:
        """Return whether a person's confirmation would count."""
        return person != self.edited_by and person not in self.confirmed_by and self.state != CONFIRMED


def artefact_state(acts: Iterable[Revision | Confirmation], original_hash: str) -> ArtefactState:
    """Return the state of an artefact after ``acts``, which are in chronological order.

    An edit replaces the content and clears confirmations. A rejection of the current content makes it a draft and also
    clears confirmations. Acts on other content are ignored, and so is an editor's own confirmation.
    """
    content, editor, is_rejected = original_hash, None, False
    confirmed_by: list[str] = []
    for act in acts:
        person = act.annotator_id
        if isinstance(act, Revision):
            content = act.content_hash
            editor = person
            confirmed_by = []
            is_rejected = False
        elif act.content_hash != content:
            continue
        elif act.verdict == REJECT:
            confirmed_by = []
            is_rejected = True
        elif person != editor and person not in confirmed_by:
            confirmed_by.append(person)
            is_rejected = False
    missing = max(0, EXPERTS - (editor is not None) - len(confirmed_by))
    if missing == 0:
        state = CONFIRMED
    elif is_rejected or (editor is None and not confirmed_by):
        state = DRAFT
    else:
        state = CHECKING if editor is None else EDITED
    return ArtefactState(
        state=state, content_hash=content, edited_by=editor, confirmed_by=tuple(confirmed_by), missing=missing
    )


RUN_KIND = "artefacts"
"""The kind of proof that records a run on an expert's solution and tests."""


def load_artefact(store: ProjectFile, subject_id: str, name: str) -> ArtefactRow:
    """Return a subject's ``solution`` or ``tests`` with its confirmation state."""
    _check_artefact_name(name)
    with store.read() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        state, content = _load_state(db, subject.id, name)
        names = stored_consensus.fetch_annotator_names(db)
        newest_edit = artefacts.newest_edit(db, subject.id, name)
        outcome, _ = _find_stored_run(db, stored_subjects.view_of(db, subject))
    return record_from(
        ArtefactRow,
        state,
        artefact=name,
        content=content,
        edited_by=names[state.edited_by] if state.edited_by else None,
        confirmed_by=tuple(names[person] for person in state.confirmed_by),
        may_confirm=state.may_confirm(store.annotator.id),
        run=outcome,
        revision=newest_edit.id if newest_edit else "",
    )


def _load_state(db: Session, subject_id: str, name: str) -> tuple[ArtefactState, str]:
    if name == artefacts.SOLUTION:
        content = artefacts.current_solution(db, subject_id, artefacts.original_solution(db, subject_id))
    else:
        content = json.dumps(artefacts.current_tests(db, subject_id), ensure_ascii=False, indent=2)
    acts = stored_consensus.fetch_artefact_rows(db, subject_id).get((subject_id, name), ())
    return artefact_state(acts, artefacts.original_digests(db, subject_id)[name]), content


def save_artefact_edit(
    store: ProjectFile,
    subject_id: str,
    name: str,
    content: str,
    note: str = "",
    *,
    seen_ids: Collection[str] | None = None,
) -> Changes:
    """Save an edit of a subject's solution or tests (a JSON array); two other experts must confirm it.

    ``seen_ids`` are the ids of the revisions that the editor has read. Raises `BadInputError` for empty, unchanged or
    malformed content, and `EditConflictError` if there is a newer revision than those.
    """
    _check_artefact_name(name)
    if name == artefacts.TESTS:
        content = normalise_tests(content)
    elif not content.strip():
        raise BadInputError("The solution is empty, so it was not saved.")
    digest = artefacts.artefact_digest(name, content)
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        stored_consensus.refuse_locked(db, [subject.id])
        refuse_voters(db, store.annotator.id, subject)
        if _load_state(db, subject.id, name)[0].content_hash == digest:
            raise BadInputError(f"The text of the {name} is unchanged, so nothing was saved.")
        newest = artefacts.newest_edit(db, subject.id, name)
        refuse_unseen(db, newest, seen_ids, theirs=newest.content if newest else "", mine=content)
        row = Revision(artefact=name, content=content, content_hash=digest, note=note.strip())
        return stored_consensus.add_subject_work(
            db, store.annotator.id, subject.id, [row], f"Edit the {name} of {subject.title}"
        )


def add_test(store: ProjectFile, subject_id: str, code: str) -> Changes:
    """Append a test to a subject's tests; two other experts must confirm it, as with every edit of tests.

    Raises `BadInputError` if the tests contain it already, and `EditConflictError` if somebody edits them meanwhile.
    """
    tests_view = load_artefact(store, subject_id, artefacts.TESTS)
    rows = json.loads(tests_view.content)
    if any(row["code"].strip() == code.strip() for row in rows):
        raise BadInputError("This test exists already. Nothing was changed.")
    names = {row["name"] for row in rows}
    name = next(name for number in count(len(rows) + 1) if (name := f"gap {number}") not in names)
    rows.append({"name": name, "language": "python", "code": code})
    note = "Detects a change of the reference that the other tests do not detect"
    content = json.dumps(rows, ensure_ascii=False)
    return save_artefact_edit(store, subject_id, artefacts.TESTS, content, note, seen_ids={tests_view.revision})


def normalise_tests(content: str) -> str:
    """Return tests in canonical JSON. Raises `BadInputError` unless they are a JSON array of named tests."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"The tests are not JSON ({error}). Nothing was saved.") from error
    if not isinstance(parsed, list) or not parsed:
        raise BadInputError("The tests must be a JSON array with at least one test.")
    rows = []
    for number, item in enumerate(parsed, start=1):
        if not isinstance(item, dict):
            raise BadInputError(f"Test {number} is not a JSON object.")
        texts = {name: item.get(name, "") for name in ("name", "language", "code", "expected")}
        if not all(isinstance(value, str) for value in texts.values()) or not texts["name"].strip():
            raise BadInputError(f"Test {number} needs a name, and its code and expected result as text.")
        weight = item.get("weight", 1.0)
        timeout = item.get("timeout")
        inputs = item.get("inputs", {})
        numbers = [weight] if timeout is None else [weight, timeout]
        if any(isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0 for value in numbers):
            raise BadInputError(f"Test {number}: weight and timeout must be numbers that are not negative.")
        if not isinstance(inputs, dict):
            raise BadInputError(f"Test {number}: inputs must be a JSON object.")
        expected = texts.pop("expected")
        rows.append({**texts, "inputs": inputs, "expected": expected, "weight": weight, "timeout": timeout})
    return json.dumps(rows, ensure_ascii=False, indent=2)


def run_digest(view: SubjectView) -> str:
    """Return the hash of a run's inputs: solution, tests and criterion."""
    tests = [(test.name, test.code, test.inputs, test.expected) for test in view.tests]
    return content_hash([view.reference, tests, view.criterion.content_hash if view.criterion else ""])


def _find_stored_run(db: Session, view: SubjectView) -> tuple[str, str]:
    """Return the (outcome, proof id) of the newest run on the current content, empty strings if there is none.

    The item's own proof counts as such a run while it holds.
    """
    if stored := stored_proofs.newest_of(db, view.row.id, RUN_KIND, run_digest(view)):
        return stored.outcome, stored.id
    proof = view.proof
    return (proof.outcome, proof.id) if proof is not None and proof.holds else ("", "")


def run_artefacts(store: ProjectFile, subject_id: str, progress: Progress | None = None) -> tuple[str, str, str | None]:
    """Run the criterion or tests on the current content unless they passed before; return (outcome, reason, proof id).

    The outcome is empty if there is neither a criterion nor a test.
    """
    with store.read() as db:
        view = stored_subjects.load_subject_view(db, subject_id)
        outcome_before, proof = _find_stored_run(db, view)
    if not has_judge(view):
        return "", "", None
    if outcome_before == "pass":
        return "pass", "", proof
    with workbench(store) as bench:
        report = prove_view(view, bench, progress or Progress())
    if isinstance(report, str):
        outcome = "fail"
        reason = report
        checks: list[dict[str, Any]] = []
    else:
        outcome = "pass" if report.proven else "fail"
        checks = [asdict(item) for item in report.checks]
        reason = next((item.summary for item in report.checks if item.required and item.outcome != "pass"), "")
    with store.write() as db:
        digest = run_digest(view)
        return (
            outcome,
            reason,
            stored_proofs.record_proof(db, view.row.id, RUN_KIND, digest, outcome, {"checks": checks}),
        )


def record_confirmation(
    store: ProjectFile, subject_id: str, name: str, verdict: str, note: str = "", progress: Progress | None = None
) -> Changes:
    """Confirm or reject the current content of an artefact; a confirmation refers to a passing run of that content.

    Raises `BadInputError` for the annotator's own edit, a second confirmation, a rejection without a note, a failing
    run, an annotator who votes on the subject as a panel member, or a subject that changed during the run.
    """
    _check_artefact_name(name)
    if verdict not in VERDICTS:
        raise BadInputError(f"An artefact can be {CONFIRM}ed or {REJECT}ed, not {verdict}.")
    if verdict == REJECT and not note.strip():
        raise BadInputError("A rejection needs a note that says what is wrong.")
    with store.read() as db:
        subject_before = stored_subjects.find_subject(db, subject_id)
        refuse_voters(db, store.annotator.id, subject_before)
        digest_before = run_digest(stored_subjects.view_of(db, subject_before))
        _refuse_confirmation(_load_state(db, subject_before.id, name)[0], store.annotator.id, verdict)
    outcome, reason, proof = run_artefacts(store, subject_id, progress) if verdict == CONFIRM else ("", "", None)
    if outcome == "fail":
        raise BadInputError(f"The run on this content did not pass ({reason}), so it cannot be confirmed.")
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        stored_consensus.refuse_locked(db, [subject.id])
        refuse_voters(db, store.annotator.id, subject)
        state = _load_state(db, subject.id, name)[0]
        _refuse_confirmation(state, store.annotator.id, verdict)
        if run_digest(stored_subjects.view_of(db, subject)) != digest_before:
            raise BadInputError("The subject was changed in the meantime. Nothing was recorded; read it again.")
        row = Confirmation(
            artefact=name, content_hash=state.content_hash, verdict=verdict, note=note.strip(), proof_id=proof
        )
        label = Message(
            "{verdict} the {artefact} of {title}",
            verdict=mark_word(verdict.capitalize()),
            artefact=mark_word(name),
            title=subject.title,
        )
        return stored_consensus.add_subject_work(db, store.annotator.id, subject.id, [row], label)


def _refuse_confirmation(state: ArtefactState, person: str, verdict: str) -> None:
    if verdict == REJECT or state.may_confirm(person):
        return
    if person == state.edited_by:
        raise BadInputError("This is your own edit; two other experts must confirm it.")
    if person in state.confirmed_by:
        raise BadInputError("You have confirmed this content already.")
    raise BadInputError("This content is confirmed already.")


def _check_artefact_name(name: str) -> None:
    if name not in artefacts.ARTEFACTS:
        raise BadInputError(f"There is no artefact {name}. Choose from: {', '.join(artefacts.ARTEFACTS)}.")
