"""Criteria: the document on the left, what it does to stored responses and its proof on the right."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QSplitter

from annotator.model.rows import Changes, QueueFilter, StageCounts, SubjectRow, SubjectView
from annotator.ui.notices import Failure, Job
from annotator.ui.pages.parts.criterion_editor import FORM, YAML, CriterionEditor
from annotator.ui.pages.parts.header import SubjectHeader
from annotator.ui.pages.parts.proof_panel import proof_words
from annotator.ui.pages.parts.trial_side import PROOF, TrialSide
from annotator.ui.pages.parts.work_page import WorkPage, counts_of
from annotator.ui.words import tr, tr_later

if TYPE_CHECKING:
    from annotator.model.view_rows import ProvedRow
    from annotator.services.trying import BlastRadius, Trial
    from annotator.services.workbench import Workbench
    from annotator.ui.session import Session

_SCORE_MS = 150
_RADIUS_MS = 600
_TEMPLATES = ("keywords", "blank_filling", "unit_test", "similarity", "ast", "equals", "number", "json", "customized")


class CriterionPage(WorkPage):
    """The queue of accepted subjects and the criterion of one."""

    name = "Criterion"
    icon = "ph.target"
    queue_title = tr_later("Criterion queue")
    base_filter = QueueFilter(verdicts=("accept",))
    empty = (
        "ph.target",
        tr_later("No accepted subject yet"),
        tr_later(
            "Accept candidates on the Select page; what a good response holds is written down here and tried at once."
        ),
        tr_later("Go to Select"),
    )
    empty_page = "Select"

    def build(self) -> None:
        """Build header, editor and trial."""
        self._drafts: dict[str, str] = {}
        self._saving: dict[str, str] = {}
        self._with_tests, self._bench = False, _Bench(self.session)
        self.session.closed.connect(self._bench.close)
        self._proof_job: Job | None = None
        self.session.jobs_changed.connect(self._jobs_changed)
        self.queue.set_status(_status)
        acts = (("subject.drafts", tr("Drafts…"), False), ("subject.save_next", tr("Save and next"), True))
        self.header = SubjectHeader(self.context.actions, acts)
        self.document = CriterionEditor(self.theme, _TEMPLATES)
        self.document.changed.connect(self._edited)
        self.side = TrialSide(self.theme)
        self.side.tests_asked.connect(self.run_tests)
        self.side.prove_asked.connect(self.prove)
        self.side.rule_wanted.connect(self._add_rule)
        self.side.example_wanted.connect(self._add_example)
        self.side.test_wanted.connect(self._add_test)
        self.side.interval_moved.connect(self._set_interval)
        self.side.line_chosen.connect(self.document.go_to_line)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.setChildrenCollapsible(False)
        across.setHandleWidth(12)
        across.addWidget(self.document)
        across.addWidget(self.side)
        across.setSizes([480, 460])
        self.subject_layout.addWidget(self.header)
        self.subject_layout.addWidget(across, 1)
        self._score_timer = self._timer(_SCORE_MS, self.try_now)
        self._radius_timer = self._timer(_RADIUS_MS, self._ask_radius)

    def _timer(self, milliseconds: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(slot)
        return timer

    def activate(self) -> None:
        """Load the queue and the progress."""
        super().activate()
        self._count()

    def refresh(self, changes: Changes) -> None:
        """Show the new state; a document being written stays."""
        super().refresh(changes)
        self._count()

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject; an unsaved draft of it comes back."""
        self.header.show_subject(view.row if view else None, writable=self.writable)
        saved = view.criterion.source if view and view.criterion else ""
        has_tests = view is not None and any(test.code.strip() for test in view.tests)
        self.document.set_source(self._drafts.get(view.row.id, saved) if view else "", has_tests=has_tests)
        by = view.criterion.annotator if view and view.criterion else ""
        self.document.set_trailing(tr("saved by {by}", by=by) if by else tr("not written yet"))
        self.side.show_proof(view.proof if view else None)
        self.side.show_radius(None)
        self.try_now()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return saving, proving and the editor's acts."""
        return {
            **super().actions(),
            "subject.save": self.save,
            "subject.save_next": self.save_next,
            "subject.drafts": self.show_drafts,
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

    def show_drafts(self) -> None:
        """Ask a model for a criterion or for test cases, after what is written here is saved."""
        from annotator.ui.pages.parts.drafts_dialog import DraftsDialog

        if self.view is not None and self.save():
            DraftsDialog(self, self.context, self.view, "criterion").open()

    def save(self) -> bool:
        """Save the document if it has changed; one with errors is refused and kept."""
        return self._save_then(None)

    def save_next(self) -> None:
        """Save and go to the next subject; a document with errors keeps the page where it is."""
        if self.save():
            self.queue.select_next()

    def save_pending(self) -> bool:
        """Save before the page or the window is left."""
        return self.save()

    def leave_subject(self) -> None:
        """Save before another subject is shown; a document with errors stays as a draft."""
        self.save()

    def _save_then(self, then: Callable[[], object] | None) -> bool:
        self.document.flush()
        view, store = self.view, self.session.store
        source = self._drafts.get(view.row.id) if view is not None else None
        if view is None or store is None or source is None or source == _saved_source(view):
            if view is not None:
                self._drafts.pop(view.row.id, None)
            if then is not None:
                then()
            return True
        from annotator.criteria import check

        checked = check(source, view.files)
        if checked.document is None:
            self.document.show_problems(checked)
            return False
        if self._saving.get(view.row.id) == source and then is None:
            return True  # on its way already: another one would be a second revision of the same text
        self._saving[view.row.id] = source
        done, failed = partial(self._saved, view.row.id, source, then), partial(self._not_saved, view.row.id)
        self.session.act(partial(_save, store, view.row.id, source), done, failed, text=source)
        return True

    def _saved(self, subject_id: str, source: str, then: Callable[[], object] | None, _changes: Changes) -> None:
        self._saving.pop(subject_id, None)
        if self._drafts.get(subject_id) == source:
            del self._drafts[subject_id]
        if then is not None:
            then()

    def _not_saved(self, subject_id: str, failure: Failure) -> None:
        self._saving.pop(subject_id, None)
        self.document.say(tr("{message} Your text is kept here.", message=failure.message))

    def _edited(self) -> None:
        if self.view is not None and self._drafts.get(self.view.row.id) != self.document.source:
            self._drafts[self.view.row.id] = self.document.source
            self._score_timer.start()

    def _add_rule(self, text: str) -> None:
        from annotator.criteria.forms import as_line

        self.document.add_rule("keywords", {"texts": as_line(text)})

    def _add_example(self, example: tuple[str, str]) -> None:
        answer, verdict = example
        self.document.add_rule("examples", {"answer": answer, "expect": verdict})

    def _add_test(self, code: str) -> None:
        """Put a test where the item's tests are: into the document, else among the subject's own."""
        view, store = self.view, self.session.store
        if self.document.source.strip():
            self.document.add_rule("unit_test", {"name": "notices a change", "content": code})
        elif view is not None and store is not None:
            self.session.act(partial(_add_own_test, store, view.row.id, code), self._test_added)

    def _test_added(self, _changes: Changes) -> None:
        self.session.say(tr("The test is added; two others must confirm it. Prove the item again."))

    def _set_interval(self, interval: tuple[float, float]) -> None:
        low, high = interval
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
        self.session.run("cpu", partial(_try, view, source, None), self._take_trial, latest="criterion-trial")
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
        self.session.run(
            "sandbox", partial(_try, view, source, self._bench), self._take_tested, latest="criterion-tests"
        )

    def _take_trial(self, trial: Trial) -> None:
        if trial.source != self.document.source:
            return  # Of an older text; the newer one's is on its way.
        empty = not self.document.source.strip()
        self.document.show_problems(None if empty else trial.checked)
        document = trial.checked.document
        if self._with_tests and document is not None and document.needs_sandbox:
            return
        self.side.show_trial(trial)

    def _take_tested(self, trial: Trial) -> None:
        if trial.source != self.document.source:
            return
        self.side.show_trial(trial)
        if self.view is not None and self.document.source != _saved_source(self.view):
            self._radius_timer.start()
        problem = self._bench.problem
        if problem:
            self._with_tests = False
            self.document.say(problem)

    def _ask_radius(self) -> None:
        view, store = self.view, self.session.store
        if view is not None and store is not None:
            bench = self._bench if self._with_tests else None
            work = partial(_radius, store, view, self.document.source, bench)
            self.session.run("sandbox" if bench else "cpu", work, self.side.show_radius, latest="criterion-radius")

    # -- proving --------------------------------------------------------------------------------------------------

    def prove(self) -> None:
        """Save the document and prove it; the proof is kept."""
        view = self.view
        if view is None:
            return
        if not self.document.source.strip() and not any(test.code.strip() for test in view.tests):
            self.document.say(tr("There is nothing to prove yet: neither a rule nor tests. Add a rule first."))
            return
        self._save_then(partial(self._start_proof, view.row.id, view.row.title))

    def _start_proof(self, subject_id: str, title: str) -> None:
        store = self.session.store
        if store is None:
            return
        self.side.faces.choose(PROOF)
        # A proof can be made again at any time, so it never keeps the project from being closed.
        label, work = tr("Proving {title}", title=title), partial(_prove, store, subject_id)
        self._proof_job = self.session.start_job(
            label, work, None, self._not_proven, summary=proof_words, lane="sandbox", chore=True
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

    def _count(self) -> None:
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(counts_of, store), self._take_counts, latest="criterion-counts")

    def _take_counts(self, counts: StageCounts) -> None:
        self.queue.set_progress(tr("Proven"), counts.proven, counts.accepted)


class _Bench:
    """A sandbox that stays while the project is open, so that the tests of a draft run at once the second time."""

    def __init__(self, session: Session) -> None:
        """Open nothing yet."""
        self._session = session
        self._lock = threading.Lock()
        self._bench: Workbench | None = None

    @property
    def problem(self) -> str:
        """Why code cannot be run, empty if it can."""
        return self._bench.problem if self._bench else ""

    def runner_for(self, document: object) -> object:
        """Return the sandbox if the document runs code; called in a worker."""
        from annotator.services import projects
        from annotator.services.workbench import Workbench

        store = self._session.store
        with self._lock:
            if self._bench is None or self._bench.problem:
                self._bench = Workbench(allow_local=store is not None and projects.local_execution(store))
            return self._bench.runner_for(document)  # type: ignore[arg-type]  # its type would load the engine

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


def _nothing(_document: object) -> None:
    return None


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _try(view: SubjectView, source: str, bench: _Bench | None) -> Trial:
    from annotator.services.trying import try_draft

    return try_draft(view, source, bench.runner_for if bench else _nothing)  # type: ignore[arg-type]  # see above


def _radius(store: object, view: SubjectView, source: str, bench: _Bench | None) -> BlastRadius | None:
    from annotator.services.trying import blast_radius

    runner_for = bench.runner_for if bench else _nothing
    return blast_radius(store, view, source, runner_for)  # type: ignore[arg-type]  # see above


def _prove(store: object, subject_id: str, progress: object) -> tuple[tuple[ProvedRow, ...], Changes]:
    from annotator.services import proving

    return proving.prove_subjects(store, [subject_id], progress)  # type: ignore[arg-type]  # see above


def _add_own_test(store: object, subject_id: str, code: str) -> Changes:
    from annotator.services import confirming

    return confirming.add_test(store, subject_id, code)  # type: ignore[arg-type]  # see above


def _save(store: object, subject_id: str, source: str) -> Changes:
    from annotator.services import authoring

    return authoring.save_criterion(store, subject_id, source)  # type: ignore[arg-type]  # see above
