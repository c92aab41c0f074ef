"""Criteria: the document on the left, what it does to stored responses and its proof on the right."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt

from annotator.criteria import CriterionDocument, check
from annotator.criteria.document.form import as_line
from annotator.model.changes import Changes
from annotator.model.rows.queue import StageCounts, SubjectRow
from annotator.model.rows.views import SubjectView
from annotator.sandbox import Runner
from annotator.services.consensus import three_experts
from annotator.services.criterion import proofs, revisions
from annotator.services.criterion.blast_radius import RunnerFor, Trial, blast_radius, try_draft
from annotator.services.project import members
from annotator.services.sandbox_sessions import Workbench
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.notices import Failure, Job
from annotator.ui.app.translation import mark_for_translation, tr
from annotator.ui.pages.criterion.editor import FORM, YAML, CriterionEditor
from annotator.ui.pages.criterion.proof_panel import describe_proofs
from annotator.ui.pages.criterion.trial_panel import PROOF, TrialSide
from annotator.ui.pages.shared.edit_conflicts import Save
from annotator.ui.pages.shared.subject_header import SubjectHeader
from annotator.ui.pages.shared.writing_page import WritingPage
from annotator.ui.widgets.layouts import make_splitter
from annotator.ui.widgets.timers import debounce

_SCORE_MS = 150
_RADIUS_MS = 600
_TEMPLATES = ("keywords", "blank_filling", "unit_test", "similarity", "ast", "equals", "number", "json", "customized")


class CriterionPage(WritingPage):
    """The queue of accepted subjects and the criterion of one."""

    name = "Criterion"
    icon = "ph.target"
    queue_title = mark_for_translation("Criterion queue")
    empty = (
        "ph.target",
        mark_for_translation("No accepted subject yet"),
        mark_for_translation(
            "Accept candidates on the Select page; what a good response holds is written down here and tried at once."
        ),
        mark_for_translation("Go to Select"),
    )
    draft_kind = "criterion"
    is_code = True
    draft_field = "criterion.source"

    def build(self) -> None:
        """Build header, editor and trial."""
        super().build()
        self._with_tests, self._bench = False, _DraftSandbox(self.store)
        self.session.closed.connect(self._bench.close)
        self._proof_job: Job | None = None
        self.session.jobs_changed.connect(self._jobs_changed)
        self.queue.set_status(_status)
        acts = (("subject.drafts", tr("Drafts…"), False), ("subject.save_next", tr("Save and next"), True))
        self.header = SubjectHeader(self.context.actions, acts)
        self.document = CriterionEditor(self.theme, _TEMPLATES)
        self.document.changed.connect(self._edited)
        self.side = TrialSide(self.theme)
        self.side.tests_requested.connect(self.run_tests)
        self.side.proof_requested.connect(self.prove)
        self.side.rule_requested.connect(self._add_rule)
        self.side.example_requested.connect(self._add_example)
        self.side.test_requested.connect(self._add_test)
        self.side.interval_moved.connect(self._set_interval)
        self.side.line_chosen.connect(self.document.go_to_line)
        self.subject_layout.addWidget(self.header)
        self.subject_layout.addWidget(self.draft_bar)
        self.subject_layout.addWidget(
            make_splitter(Qt.Orientation.Horizontal, self.document, self.side, sizes=(480, 460)), 1
        )
        self._score_timer = debounce(self, _SCORE_MS, self.try_now)
        self._radius_timer = debounce(self, _RADIUS_MS, self._compute_radius)

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject; an unsaved draft of it comes back."""
        self.header.show_subject(view.row if view else None, writable=self.writable)
        saved = view.criterion.source if view and view.criterion else ""
        has_tests = view is not None and any(test.code.strip() for test in view.tests)
        source = self.choose_text(view, saved)
        self.document.set_source(source, has_tests=has_tests)
        by = view.criterion.annotator if view and view.criterion else ""
        self.document.set_trailing(tr("saved by {by}", by=by) if by else tr("not written yet"))
        self.side.show_proof(view.proof if view else None)
        self.side.show_radius(None)
        self.try_now()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return saving, proving and the editor's acts."""
        return {
            **super().handlers(),
            "criterion.template": self.document.template.showMenu,
            "criterion.face": self.toggle_face,
            "criterion.run_tests": self.run_tests,
            "criterion.prove": self.prove,
            "criterion.rule": self.side.rule_from_selection,
        }

    # -- writing --------------------------------------------------------------------------------------------------

    def toggle_face(self) -> None:
        """Change between form and YAML."""
        self.document.show_face(YAML if self.document.faces.current == FORM else FORM)

    def text(self) -> str:
        """Return the document as YAML."""
        return self.document.source

    def replace_text(self, text: str) -> None:
        """Put another document into the editor, as one step that can be undone there."""
        self.document.yaml.replace_text(text)

    def save_typed(self) -> bool:
        """Save the document if it has changed; one with errors is refused and kept."""
        return self._save_then(None)

    def _save_then(self, then: Callable[[], object] | None) -> bool:
        self.document.flush()
        view = self.view
        source = self._drafts.get(view.row.id) if view is not None else None
        if view is None or source is None or source == _saved_source(view):
            if view is not None:
                self._drafts.pop(view.row.id, None)
            if then is not None:
                then()
            return True
        checked = check(source, view.files)
        if checked.document is None:
            self.document.show_problems(checked)
            return False
        self.start_saving(view.row, source, then)
        return True

    def finish_typing(self) -> None:
        """Take over what is still being typed in the form: an edit of what is on screen now."""
        self.document.flush()

    def revision_of(self, view: SubjectView) -> str:
        """Return the id of the criterion that is saved."""
        return view.criterion.id if view.criterion else ""

    def save_of(self, subject_id: str, text: str) -> Save:
        """Return what saves a criterion."""
        return partial(revisions.save_criterion, self.store, subject_id, text)

    def say(self, text: str) -> None:
        """Show a sentence below the document."""
        self.document.say(text)

    def _edited(self) -> None:
        if self.view is not None and self._drafts.get(self.view.row.id) != self.document.source:
            self.keep_typed()
            self._score_timer.start()

    def _add_rule(self, text: str) -> None:
        self.document.add_rule("keywords", {"texts": as_line(text)})

    def _add_example(self, answer: str, verdict: str) -> None:
        self.document.add_rule("examples", {"answer": answer, "expect": verdict})

    def _add_test(self, code: str) -> None:
        """Put a test where the item's tests are: into the document, else among the subject's own."""
        if self.document.source.strip():
            self.document.add_rule("unit_test", {"name": "notices a change", "content": code})
        elif self.view is not None:
            self.session.act(partial(three_experts.add_test, self.store, self.view.row.id, code), self._test_added)

    def _test_added(self, _changes: Changes) -> None:
        self.session.say(tr("The test is added; two others must confirm it. Prove the item again."))

    def _set_interval(self, low: float, high: float) -> None:
        self.document.set_field("similarity", 0, "max_score", high)
        self.document.set_field("similarity", 0, "min_score", low)

    # -- trying ---------------------------------------------------------------------------------------------------

    def try_now(self) -> None:
        """Check the document and score the reference and the stored responses, off the main thread."""
        view = self.view
        if view is None:
            self.side.show_trial(None)
            self.document.show_problems(None)
            return
        source = self.document.source
        work = partial(try_draft, view, source, _without_sandbox)
        self.session.run("cpu", work, self._show_trial, latest="criterion-trial")
        if self._with_tests:
            self._try_with_tests(view, source)
        self.side.show_proof(view.proof, edited=source != _saved_source(view))
        if source != _saved_source(view):
            self._radius_timer.start()
        else:
            self.side.show_radius(None)

    def run_tests(self) -> None:
        """Run the document's tests on the responses in the sandbox, and from now on after every edit."""
        self._with_tests = True
        if self.view is not None:
            self.session.say(tr("Running the tests…"))
            self._try_with_tests(self.view, self.document.source)

    def _try_with_tests(self, view: SubjectView, source: str) -> None:
        work = partial(try_draft, view, source, self._bench.runner_for)
        self.session.run("sandbox", work, self._show_tested, latest="criterion-tests")

    def _show_trial(self, trial: Trial) -> None:
        if trial.source != self.document.source:
            return  # Of an older text; the newer one's is on its way.
        empty = not self.document.source.strip()
        self.document.show_problems(None if empty else trial.checked)
        document = trial.checked.document
        if self._with_tests and document is not None and document.needs_sandbox:
            return
        self.side.show_trial(trial)

    def _show_tested(self, trial: Trial) -> None:
        if trial.source != self.document.source:
            return
        self.side.show_trial(trial)
        if self.view is not None and self.document.source != _saved_source(self.view):
            self._radius_timer.start()
        problem = self._bench.problem
        if problem:
            self._with_tests = False
            self.say(problem)

    def _compute_radius(self) -> None:
        if self.view is not None:
            runner_for: RunnerFor = self._bench.runner_for if self._with_tests else _without_sandbox
            work = partial(blast_radius, self.store, self.view, self.document.source, runner_for)
            lane = "sandbox" if self._with_tests else "cpu"
            self.session.run(lane, work, self.side.show_radius, latest="criterion-radius")

    # -- proving --------------------------------------------------------------------------------------------------

    def prove(self) -> None:
        """Save the document and prove it; the proof is kept."""
        view = self.view
        if view is None:
            return
        if not self.document.source.strip() and not any(test.code.strip() for test in view.tests):
            self.say(tr("There is nothing to prove yet: neither a rule nor tests. Add a rule first."))
            return
        self.take_up_draft()
        self._save_then(partial(self._start_proof, view.row.id, view.row.title))

    def _start_proof(self, subject_id: str, title: str) -> None:
        self.side.faces.choose(PROOF)
        # A proof can be made again at any time, so it never keeps the project from being closed.
        label, work = tr("Proving {title}", title=title), partial(proofs.prove_subjects, self.store, [subject_id])
        self._proof_job = self.session.start_job(
            label, work, None, self._not_proven, summary=describe_proofs, lane="sandbox", chore=True
        )
        self._jobs_changed()

    def _jobs_changed(self) -> None:
        """A proof may be cancelled in the status bar, too."""
        if self._proof_job is not None:
            if self._proof_job not in self.session.jobs:
                self._proof_job = None
            self.side.proof.set_busy(self._proof_job is not None)

    def _not_proven(self, failure: Failure) -> None:
        self.side.proof.state.setText(failure.message)

    def show_counts(self, counts: StageCounts) -> None:
        """Show how many subjects are proven."""
        self.queue.set_progress(tr("Proven"), counts.proven, counts.accepted)


class _DraftSandbox:
    """A sandbox that stays while the project is open, so that the tests of a draft run at once the second time."""

    def __init__(self, store: ProjectFile) -> None:
        """Open nothing yet."""
        self._store = store
        self._lock = threading.Lock()
        self._bench: Workbench | None = None

    @property
    def problem(self) -> str:
        """Why code cannot be run, empty if it can."""
        return self._bench.problem if self._bench else ""

    def runner_for(self, document: CriterionDocument) -> Runner | None:
        """Return the sandbox if the document runs code; called in a worker."""
        with self._lock:
            if self._bench is None or self._bench.problem:
                self._bench = Workbench(allow_local=members.local_execution(self._store))
            return self._bench.runner_for(document)

    def close(self) -> None:
        """End the sandbox."""
        with self._lock:
            if self._bench is not None:
                self._bench.close()
                self._bench = None


def _saved_source(view: SubjectView) -> str:
    return view.criterion.source if view.criterion else ""


def _status(row: SubjectRow) -> tuple[str, str] | None:
    written = (tr("written"), "attention") if row.has_criterion else None
    return (tr("proven"), "good") if row.proven else written


def _without_sandbox(_document: CriterionDocument) -> None:
    return None
