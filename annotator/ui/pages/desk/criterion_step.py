"""The criterion on the desk: the document, its effect on stored responses, and its proof."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from annotator.criteria import CriterionDocument, parse_criterion
from annotator.criteria.document.document_form import plain_text_line
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import SubjectView
from annotator.sandbox import Runner
from annotator.services.consensus import three_experts
from annotator.services.criterion import proofs, revisions
from annotator.services.criterion.blast_radius import BlastRadius, DraftTrial, RunnerFor, blast_radius, try_draft
from annotator.services.project import members
from annotator.services.sandbox_sessions import Workbench
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr
from annotator.ui.pages.criterion.editor import CriterionEditor
from annotator.ui.pages.criterion.proof_panel import ProofPanel, describe_all_proofs, describe_proofs
from annotator.ui.pages.criterion.trial_panel import TriedAnswers, describe_blast_radius
from annotator.ui.pages.desk.steps import has_tests
from annotator.ui.pages.desk.writing import Writing
from annotator.ui.pages.shared.edit_conflict_choice import SaveText
from annotator.ui.pages.shared.subject_page import WorkPage
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.layouts import fill_column

_SCORE_MS = 150
_BLAST_RADIUS_MS = 600


class CriterionWriting(Writing):
    """The criterion of a subject; the page lays out its ``proof`` and the ``answers`` it is tried on."""

    suggestion_kind = "criterion"
    is_code = True
    draft_field = "criterion.source"

    def __init__(self, page: WorkPage) -> None:
        super().__init__(page)
        self._should_run_tests = False
        self._sandbox = _DraftSandbox(self.store)
        self.session.closed.connect(self._sandbox.close)
        self._subjects_in_proof: set[str] = set()
        self._tried_answers: tuple[tuple[str, str], ...] = ()
        """The answer of the proof's selected row, which is tried with the stored responses, as a name and a text."""
        self._tried_item_id = ""
        self.document = CriterionEditor(self.theme)
        self.document.changed.connect(self._record_edit)
        self.answers = TriedAnswers(self.theme)
        self.answers.tests_requested.connect(self.run_tests)
        self.answers.rule_requested.connect(self._add_rule)
        self.answers.example_requested.connect(self._add_example)
        self.answers.interval_moved.connect(self._set_interval)
        self.answers.line_chosen.connect(self.document.go_to_line)
        self.proof = ProofPanel()
        self.proof.proof_requested.connect(self.prove)
        self.proof.test_requested.connect(self._add_test)
        self.proof.keyword_requested.connect(self._add_rule)
        self.proof.answer_chosen.connect(self._show_tried)
        self.panel = QWidget()
        fill_column(self.panel, self.draft_bar, (self.document, 1))
        self._score_timer = debounce(self, _SCORE_MS, self.try_now)
        self._radius_timer = debounce(self, _BLAST_RADIUS_MS, self._compute_radius)

    def focus(self) -> None:
        """Put the cursor into the editor."""
        self.document.focus()

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject's criterion, or its unsaved draft."""
        language = view.row.language if view is not None else ""
        if view is None or view.row.id != self._tried_item_id:
            self._tried_answers = ()
        self.document.set_source(self.choose_text(view), language=language, has_tests=has_tests(view))
        author = view.criterion.annotator if view and view.criterion else ""
        self.document.set_trailing(tr("saved by {by}", by=author) if author else tr("not written yet"))
        self.proof.show_saved(view.proof if view else None)
        self._show_radius(None)
        self.try_now()

    # -- writing --------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return the document as YAML."""
        return self.document.source

    def replace_text(self, text: str) -> None:
        """Put another document into the editor, as one step that can be undone there."""
        self.document.yaml.replace_text(text)

    def saved_revision(self, view: SubjectView) -> tuple[str, str]:
        """Return the id and the text of the saved document."""
        return (view.criterion.id, view.criterion.source) if view.criterion else ("", "")

    def can_save(self, view: SubjectView, text: str) -> bool:
        """Refuse a document with errors, and show them."""
        checked = parse_criterion(text, view.files)
        if checked.document is None:
            self.document.show_problems(checked)
            self.session.say(tr("The criterion has errors, so it was not saved; it is kept as a draft."))
            self.state_changed.emit()
        return checked.document is not None

    def finish_typing(self) -> None:
        """Apply pending input of the form to the document."""
        self.document.flush()

    def make_save(self, subject_id: str, text: str) -> SaveText:
        """Return the act that saves a criterion."""
        return partial(revisions.save_criterion, self.store, subject_id, text)

    def say(self, text: str) -> None:
        """Show a sentence below the document."""
        self.document.say(text)

    def _record_edit(self) -> None:
        if self.view is not None and self.unsaved_texts.get(self.view.row.id) != self.document.source:
            self.record_typing()
            self._score_timer.start()

    def _add_rule(self, text: str) -> None:
        self.document.add_rule("keywords", {"texts": plain_text_line(text)})

    def _add_example(self, answer: str, verdict: str) -> None:
        self.document.add_rule("examples", {"answer": answer, "expect": verdict})

    def _add_test(self, code: str) -> None:
        """Add a test to the document, or to the subject's own tests if there is no document."""
        if self.document.source.strip():
            self.document.add_rule("unit_test", {"name": "notices a change", "content": code})
        elif self.view is not None:
            self.session.act(
                partial(three_experts.add_test, self.store, self.view.row.id, code), self._confirm_added_test
            )

    def _confirm_added_test(self, _changes: Changes) -> None:
        self.session.say(tr("Test added; two other people must confirm it. Prove the item again."))

    def _set_interval(self, low: float, high: float) -> None:
        self.document.set_field("similarity", 0, "max_score", high)
        self.document.set_field("similarity", 0, "min_score", low)

    # -- trying ---------------------------------------------------------------------------------------------------

    def try_now(self) -> None:
        """Check the document and score the reference and the stored responses, off the main thread."""
        view = self.view
        if view is None:
            self.answers.show_trial(None)
            self.document.show_problems(None)
            return
        self._score_answers(view)
        self.proof.show_saved(view.proof, edited=self.is_edited)
        self.proof.set_busy(self.is_proving)
        self.state_changed.emit()
        if self.is_edited:
            self._radius_timer.start()
        else:
            self._show_radius(None)

    def _score_answers(self, view: SubjectView) -> None:
        work = partial(try_draft, view, self.document.source, _without_sandbox, self._tried_answers)
        self.session.run("cpu", work, self._show_trial, latest="criterion-trial")
        if self._should_run_tests:
            self._try_with_tests(view, self.document.source)

    def _show_tried(self, name: str, answer: str, facts: dict[str, Any]) -> None:
        """Try the answer of a proof's row with the current document, or show the program that ran."""
        if self.view is None or not answer or facts:
            self.answers.show_facts(facts)
            return
        self._tried_item_id, self._tried_answers = self.view.row.id, ((name, answer),)
        self.answers.select_when_tried(answer)
        self._score_answers(self.view)

    def run_tests(self) -> None:
        """Run the document's tests on the responses in the sandbox, and from now on after every edit."""
        self._should_run_tests = True
        if self.view is not None:
            self.session.say(tr("Running the tests…"))
            self._try_with_tests(self.view, self.document.source)

    def _try_with_tests(self, view: SubjectView, source: str) -> None:
        work = partial(try_draft, view, source, self._sandbox.runner_for, self._tried_answers)
        self.session.run("sandbox", work, self._show_tested_trial, latest="criterion-tests")

    def _show_trial(self, trial: DraftTrial) -> None:
        if trial.source != self.document.source:
            return  # The trial of an older text; a newer trial will follow.
        is_empty = not self.document.source.strip()
        self.document.show_problems(None if is_empty else trial.checked)
        self.state_changed.emit()
        document = trial.checked.document
        if self._should_run_tests and document is not None and document.needs_sandbox:
            return
        self.answers.show_trial(trial)

    def _show_tested_trial(self, trial: DraftTrial) -> None:
        if trial.source != self.document.source:
            return
        self.answers.show_trial(trial)
        if self.is_edited:
            self._radius_timer.start()
        problem = self._sandbox.problem
        if problem:
            self._should_run_tests = False
            self.say(problem)

    def _compute_radius(self) -> None:
        if self.view is not None:
            runner_for: RunnerFor = self._sandbox.runner_for if self._should_run_tests else _without_sandbox
            work = partial(blast_radius, self.store, self.view, self.document.source, runner_for)
            lane = "sandbox" if self._should_run_tests else "cpu"
            self.session.run(lane, work, self._show_radius, latest="criterion-radius")

    def _show_radius(self, radius: BlastRadius | None) -> None:
        self.document.effect.setText(describe_blast_radius(radius))

    # -- proving --------------------------------------------------------------------------------------------------

    @property
    def can_prove(self) -> bool:
        """Whether there is a criterion or a test to prove."""
        return bool(self.text().strip()) or has_tests(self.view)

    @property
    def is_proving(self) -> bool:
        """Whether a proof of the subject on the desk is running."""
        return self.view is not None and self.view.row.id in self._subjects_in_proof

    def prove(self) -> bool:
        """Save the document and prove it; return whether this was started."""
        view = self.view
        if view is None:
            return False
        if not self.can_prove:
            self.say(tr("There is nothing to prove yet: no rule and no tests. Add a rule first."))
            return False
        self.take_up_draft()
        return self.save_typed(partial(self._start_proof, view.row.id, view.row.title))

    def _start_proof(self, subject_id: str, title: str) -> None:
        # A save of the paraphrase may still be queued in this lane; the proof must start after it.
        self.session.run("store", _do_nothing, partial(self._prove_saved, subject_id, title))

    def _prove_saved(self, subject_id: str, title: str, _result: None) -> None:
        # Prove may have been pressed again before the first proof had begun.
        if subject_id in self._subjects_in_proof:
            return
        self._subjects_in_proof.add(subject_id)
        # A chore, because a proof can be repeated and need not keep the project from being closed.
        self.session.start_job(
            tr("Proving {title}", title=title),
            partial(proofs.prove_subjects, self.store, [subject_id]),
            None,
            self._show_proof_failure,
            summary=describe_proofs,
            lane="sandbox",
            chore=True,
            on_end=partial(self._end_proof, subject_id),
        )
        self._show_proof_state()

    def _end_proof(self, subject_id: str) -> None:
        self._subjects_in_proof.discard(subject_id)
        self._show_proof_state()

    def _show_proof_state(self) -> None:
        if self.view is not None and not self.is_proving:
            self.proof.show_saved(self.view.proof, edited=self.is_edited)
        self.proof.set_busy(self.is_proving)
        self.state_changed.emit()

    def prove_all(self) -> None:
        """Prove all accepted subjects not proven yet, after pending saves."""
        self.session.run("store", _do_nothing, self._prove_all_saved)

    def _prove_all_saved(self, _result: None) -> None:
        work = partial(proofs.prove_subjects, self.store, ())
        self.session.start_job(
            tr("Proving all"), work, None, self._show_proof_failure, summary=describe_all_proofs, lane="sandbox"
        )

    def _show_proof_failure(self, failure: WorkFailure) -> None:
        self.proof.state.setText(failure.message)


class _DraftSandbox:
    """A sandbox kept open with the project, so that repeated test runs of a draft skip its start."""

    def __init__(self, store: ProjectFile) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._sandbox: Workbench | None = None

    @property
    def problem(self) -> str:
        """The reason why code cannot run, empty if it can."""
        return self._sandbox.problem if self._sandbox else ""

    def runner_for(self, document: CriterionDocument) -> Runner | None:
        """Return the sandbox if the document runs code; called in a worker."""
        with self._lock:
            if self._sandbox is None or self._sandbox.problem:
                self._sandbox = Workbench(allow_local=partial(members.is_local_execution_allowed, self._store))
            return self._sandbox.runner_for(document)

    def close(self) -> None:
        """End the sandbox."""
        with self._lock:
            if self._sandbox is not None:
                self._sandbox.close()
                self._sandbox = None


def _without_sandbox(_document: CriterionDocument) -> None:
    return None


def _do_nothing() -> None:
    return None
