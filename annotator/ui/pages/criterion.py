"""Criteria: the document on the left, stored responses scored live on the right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMenu, QSplitter

from annotator.model.rows import Changes, QueueFilter, ResponseRow, StageCounts, SubjectRow, SubjectView
from annotator.ui.notices import Failure
from annotator.ui.pages.parts.header import SubjectHeader
from annotator.ui.pages.parts.work_page import WorkPage
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code_view import CodeView
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.table import Cell, DataTable

if TYPE_CHECKING:
    from annotator.criteria import Checked, RuleResult, Scored

_SCORE_MS = 150
_METRICS = ("keywords", "equals", "number", "json")


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of checking a document and trying it on the responses."""

    checked: Checked
    names: tuple[str, ...]
    texts: tuple[str, ...]
    scores: tuple[Scored, ...]


class CriterionPage(WorkPage):
    """The queue of accepted subjects and the criterion of one."""

    name = "Criterion"
    icon = "ph.target"
    queue_title = "Criterion queue"
    base_filter = QueueFilter(verdicts=("accept",))
    empty = (
        "ph.target",
        "No accepted subject yet",
        "Accept candidates on the Select page; what a good response holds is written down here and tried at once.",
        "Go to Select",
    )
    empty_page = "Select"

    def build(self) -> None:
        """Build header, editor and trial."""
        self._drafts: dict[str, str] = {}
        self._quiet = False
        self._trial: Trial | None = None
        self.queue.set_status(_status)
        self.header = SubjectHeader(self.context.actions, (("subject.save_next", "Save and next", True),))
        self.editor_card = Card("Criterion")
        self.template = button("Template")
        self.menu = QMenu(self.template)
        for metric in _METRICS:
            self.menu.addAction(metric).triggered.connect(partial(self.insert_template, metric))
        self.template.setMenu(self.menu)
        self.editor_card.head.addWidget(self.template)
        self.editor = CodeView(self.theme, "Criterion as YAML", read_only=False, language="yaml")
        self.editor.setPlaceholderText("grading:\n  keywords:\n    - a word the answer must contain")
        self.editor.textChanged.connect(self._edited)
        self.problems = label("", "problem", wrap=True)
        self.editor_card.body.addWidget(self.editor, 1)
        self.editor_card.body.addWidget(self.problems)
        self.trial_card = Card("Tried on")
        self.responses = DataTable("Responses and their scores")
        self.responses.row_selected.connect(self._show_response)
        self.trial_card.body.addWidget(self.responses)
        self.response_card = Card("Response")
        self.response = CodeView(self.theme, "Response with what matched", language="markdown")
        self.response.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        self.rules = DataTable("Rules and their points")
        self.rules.row_activated.connect(self._go_to_rule)
        self.response_card.body.addWidget(self.response, 3)
        self.response_card.body.addWidget(self.rules, 2)
        right = QSplitter(Qt.Orientation.Vertical)
        right.setChildrenCollapsible(False)
        right.setHandleWidth(12)
        right.addWidget(self.trial_card)
        right.addWidget(self.response_card)
        right.setSizes([260, 480])
        across = QSplitter(Qt.Orientation.Horizontal)
        across.setChildrenCollapsible(False)
        across.setHandleWidth(12)
        across.addWidget(self.editor_card)
        across.addWidget(right)
        across.setSizes([480, 460])
        self.subject_layout.addWidget(self.header)
        self.subject_layout.addWidget(across, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SCORE_MS)
        self._timer.timeout.connect(self.try_now)

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
        self.header.show_subject(view.row if view else None)
        saved = view.criterion.source if view and view.criterion else ""
        text = self._drafts.get(view.row.id, saved) if view else ""
        if self.editor.toPlainText() != text or not text:
            self._quiet = True
            self.editor.set_code(text, "yaml")
            self._quiet = False
        by = view.criterion.annotator if view and view.criterion else ""
        self.editor_card.set_trailing(f"saved by {by}" if by else "not written yet")
        self.try_now()

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return saving and templates."""
        return {
            **super().actions(),
            "subject.save": self.save,
            "subject.save_next": self.save_next,
            "criterion.template": self.template.showMenu,
        }

    def insert_template(self, metric: str, _checked: bool = False) -> None:
        """Put a template into an empty editor, or at its end."""
        from annotator.criteria.templates import template

        cursor = self.editor.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        text = template(metric)
        cursor.insertText(text if not self.editor.toPlainText().strip() else f"\n{text}")

    def save(self) -> bool:
        """Save the document if it has changed; one with errors is refused and kept."""
        view, store = self.view, self.session.store
        if view is None or store is None or view.row.id not in self._drafts:
            return True
        source = self._drafts[view.row.id]
        if source == (view.criterion.source if view.criterion else ""):
            del self._drafts[view.row.id]
            return True
        from annotator.criteria import check

        checked = check(source, view.files)
        if checked.document is None:
            self._show_problems(checked)
            return False
        self.session.act(
            partial(_save, store, view.row.id, source), partial(self._saved, view.row.id, source), self._not_saved
        )
        return True

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

    def try_now(self) -> None:
        """Check the document and score the reference and the stored responses, off the main thread."""
        view = self.view
        if view is None:
            self._take_trial(None)
            return
        source = self.editor.toPlainText()
        self.session.run(
            "cpu", partial(_try, source, view.reference, view.responses), self._take_trial, latest="criterion-trial"
        )

    def _edited(self) -> None:
        if not self._quiet and self.view is not None:
            text = self.editor.toPlainText()
            if self._drafts.get(self.view.row.id) != text:
                self._drafts[self.view.row.id] = text
                self._timer.start()

    def _take_trial(self, trial: Trial | None) -> None:
        self._trial = trial
        if trial is None:
            self.problems.hide()
            self.responses.set_rows((), [], [])
            self._show_response(None)
            return
        empty = not self.editor.toPlainText().strip()
        self._show_problems(None if empty else trial.checked)
        keep = max(0, self.responses.currentIndex().row())
        rows = []
        for index, name in enumerate(trial.names):
            word, value = _word(trial.scores[index]) if trial.scores else ("not scored", -1.0)
            text = f"{value:.2f}" if trial.scores and value > -1.0 else "n/a"
            rows.append((Cell(name), Cell(word), Cell(text, value)))
        self.responses.set_rows(("response", "outcome", "score"), rows, list(range(len(rows))))
        self.trial_card.set_trailing(f"{len(rows)} responses")
        self.responses.select(min(keep, len(rows) - 1))

    def _show_problems(self, checked: Checked | None) -> None:
        found = checked.problems if checked else ()
        self.editor.set_problems([(item.line, item.message) for item in found if item.severity == "error"])
        lines = [f"Line {item.line}: {item.message}" for item in found[:4]]
        if len(found) > len(lines):
            lines.append(f"and {len(found) - len(lines)} more")
        self.problems.setText("\n".join(lines))
        self.problems.setVisible(bool(lines))

    def _show_response(self, index: int | None) -> None:
        if self._trial is None or index is None:
            self.response.set_code("")
            self.rules.set_rows((), [], [])
            return
        self.response_card.set_title(self._trial.names[index])
        self.response.set_code(self._trial.texts[index], "markdown")
        scored = self._trial.scores[index] if self._trial.scores else None
        rules = scored.rules if scored else ()
        self.response.set_marks([(start, end, "good") for rule in rules for start, end in rule.spans])
        rows = [
            (
                Cell(_sign(rule)),
                Cell(rule.label),
                Cell(f"{rule.points:g} of {rule.total:g}", rule.points),
                Cell(rule.why),
            )
            for rule in rules
        ]
        self.rules.set_rows(("found", "rule", "points", "why"), rows, [rule.line for rule in rules], stretch=(1, 3))

    def _go_to_rule(self, line: int) -> None:
        self.editor.go_to_line(line)
        self.editor.setFocus()

    def _saved(self, subject_id: str, source: str, _changes: Changes) -> None:
        if self._drafts.get(subject_id) == source:
            del self._drafts[subject_id]

    def _not_saved(self, failure: Failure) -> None:
        self.problems.setText(f"{failure.message} Your text is kept here.")
        self.problems.show()

    def _count(self) -> None:
        store = self.session.store
        if store is not None:
            self.session.run("read", partial(_counts, store), self._take_counts, latest="criterion-counts")

    def _take_counts(self, counts: StageCounts) -> None:
        self.queue.set_progress("Written", counts.accepted - counts.without_criterion, counts.accepted)


def _status(row: SubjectRow) -> tuple[str, str] | None:
    return ("written", "good") if row.has_criterion else None


def _word(scored: Scored) -> tuple[str, float]:
    if scored.score is None:
        return "not scored", -1.0
    if scored.score >= 1:
        return "pass ✓", scored.score
    return ("partial", scored.score) if scored.score > 0 else ("fail ✗", max(scored.score, -0.99))


def _sign(rule: RuleResult) -> str:
    if rule.matched is None:
        return "not judged"
    return "✓ yes" if rule.matched else "✗ no"


def _try(source: str, reference: str, responses: tuple[ResponseRow, ...]) -> Trial:
    from annotator.criteria import check, score

    checked = check(source)
    names: tuple[str, ...] = ("reference",) if reference else ()
    texts: tuple[str, ...] = (reference,) if reference else ()
    names += tuple(f"{item.model} {item.sample + 1}" for item in responses)
    texts += tuple(item.text for item in responses)
    document = checked.document
    return Trial(checked, names, texts, tuple(score(document, text) for text in texts) if document else ())


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _save(store: object, subject_id: str, source: str) -> Changes:
    from annotator.services import authoring

    return authoring.save_criterion(store, subject_id, source)  # type: ignore[arg-type]  # see above


def _counts(store: object) -> StageCounts:
    from annotator.services import projects

    return projects.stage_counts(store)  # type: ignore[arg-type]  # see above
