"""The question and its paraphrase, which is the text sent to models, with the results of the paraphrase checks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.changes import Changes
from annotator.model.rows.draft_rows import Draft
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.release_rows import PromptOverride
from annotator.model.rows.view_rows import SubjectView
from annotator.services.edit_conflicts import EditConflictError
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrase_guard import (
    MIN_PARAPHRASE_DISTANCE,
    PromptChecks,
    check_paraphrase,
    prompt_material,
)
from annotator.services.prompt.paraphrases import PromptState
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.text.anchors import Anchor
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr, tr_count, tr_message
from annotator.ui.pages.desk.writing import OnSaved, Writing
from annotator.ui.pages.prompt.rewrite_dialog import RewriteDialog
from annotator.ui.pages.shared.edit_conflict_choice import SaveText
from annotator.ui.pages.shared.model_suggestions import SuggestionsDialog
from annotator.ui.pages.shared.subject_page import WorkPage
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.draft_field import ask_on_page
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import OptionalLabel, button, chip, chip_button, label
from annotator.ui.widgets.layouts import FlowLayout, clear_layout, fill_column, make_row, order_tabs
from annotator.ui.widgets.queue_card import Queue

_LOAD_MS = 60
_MAX_PROBLEMS = 5
_PROMPT_NOUNS = {"prompt", "resolution", "subject", "source", "revision"}


class GuardStates:
    """The guard's states of saved paraphrases, loaded for the subjects on screen."""

    def __init__(self, session: Session, store: ProjectFile, queue: Queue, on_loaded: Callable[[], object]) -> None:
        """``on_loaded`` is called whenever states have been loaded."""
        self._session, self._store, self._queue, self._on_loaded = session, store, queue, on_loaded
        self._states: dict[str, PromptState | None] = {}
        self._requested_ids: set[str] = set()
        self._timer = debounce(queue, _LOAD_MS, self._load_states)

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the chip of a subject, ready or check; None until its state is loaded."""
        if not row.has_prompt:
            return None
        self.request(row.id)
        state = self._states.get(row.id)
        if state is None:
            return None
        return (tr("ready"), "good") if state.ready else (tr("check"), "attention")

    def state(self, subject_id: str) -> PromptState | None:
        """Return the state of a subject's saved paraphrase, None until it is loaded."""
        return self._states.get(subject_id)

    def request(self, subject_id: str) -> None:
        """Schedule loading a subject's state, unless it is loaded already."""
        if subject_id not in self._states and subject_id not in self._requested_ids:
            self._requested_ids.add(subject_id)
            self._timer.start()

    def forget(self, changes: Changes) -> None:
        """Drop the states that a change affects, so that they are loaded again."""
        if not changes.nouns & _PROMPT_NOUNS:
            return
        for subject_id in changes.subjects or tuple(self._states):
            self._states.pop(subject_id, None)
            self._requested_ids.discard(subject_id)
        self._queue.list.viewport().update()

    def _load_states(self) -> None:
        subject_ids = tuple(sorted(self._requested_ids))
        if subject_ids:
            work = partial(paraphrases.load_prompt_states, self._store, subject_ids)
            self._session.run("cpu", work, partial(self._store_states, subject_ids))

    def _store_states(self, subject_ids: tuple[str, ...], states: dict[str, PromptState]) -> None:
        # Skip subjects dropped in the meantime: they have changed and are loaded again.
        for subject_id in self._requested_ids.intersection(subject_ids):
            self._states[subject_id] = states.get(subject_id)
        self._requested_ids.difference_update(subject_ids)
        self._queue.list.viewport().update()
        self._on_loaded()


class GuardLine(QWidget):
    """The problems of a paraphrase with a button to override them, or who has overridden them and why."""

    override_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.problems, self.override_label = OptionalLabel("problem"), OptionalLabel("dim")
        self.button = button(tr("Keep it anyway…"), clicked=self.override_requested.emit)
        self.problems.setAccessibleName(tr("What is wrong with the paraphrase"))
        fill_column(self, make_row((self.problems, 1), self.button, spacing=12), self.override_label, spacing=4)
        self.hide()

    def show_problems(self, problems: tuple[str, ...], override: PromptOverride | None, *, can_override: bool) -> None:
        """Show a few problems at most; those of a saved text can be overridden and are then dim."""
        lines = [tr_message(problem) for problem in problems[:_MAX_PROBLEMS]]
        if len(problems) > _MAX_PROBLEMS:
            lines.append(tr("{count} more.", count=len(problems) - _MAX_PROBLEMS))
        text = "\n".join(lines)
        override_text = ""
        if problems and override is not None:
            override_text = tr("Kept anyway by {person}: {reason}", person=override.person, reason=override.reason)
        self.problems.setText("" if override_text else text)
        self.override_label.setText(f"{override_text}\n{text}" if override_text else "")
        self.button.setVisible(bool(problems) and not override_text and can_override)
        self.setVisible(bool(problems))


_CHECK_MS = 250
_MAX_CHIPS = 6


class ParaphraseWriting(Writing):
    """The paraphrase of a subject; the page lays out ``panes.left_card``, which shows the original."""

    suggestion_kind = "paraphrase"
    draft_field = "prompt.paraphrase"
    anchor_chosen = Signal(str)
    """The text of an anchor to show in the question."""

    def __init__(self, page: WorkPage) -> None:
        super().__init__(page)
        self.checks: PromptChecks | None = None
        self.panes = DiffPanes(self.theme)
        self.panes.edited.connect(self._record_edit)
        self.checks_row, self.distance_row = FlowLayout(), make_row(spacing=6)
        # The distance is beside the anchors, so that it stays in view however many anchors there are.
        self.checks_hint = OptionalLabel("dim")
        self.checks_card = Card("", self.checks_hint, make_row((self.checks_row, 1), self.distance_row, spacing=12))
        self.problem = OptionalLabel("problem")
        self.guard = GuardStates(self.session, self.store, page.queue, self._show_guard)
        self.guard_line = GuardLine()
        self.guard_line.override_requested.connect(self.override)
        self.panel = QWidget()
        parts = (self.draft_bar, (self.panes, 1), self.problem, self.guard_line, self.checks_card)
        fill_column(self.panel, *parts)
        self._timer = debounce(self, _CHECK_MS, self._check)

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the current text, as sentences; empty if somebody has overridden the checks."""
        if self.checks is None or (not self.is_edited and self._override() is not None):
            return ()
        return tuple(tr_message(problem) for problem in self.checks.problems)

    @property
    def facts(self) -> str:
        """Word count, kept anchors and distance from the original, empty until checked."""
        checks = self.checks
        if checks is None:
            return ""
        count = len(self.text().split())
        return tr(
            "{words} · anchors {held} of {count} · distance {distance}",
            words=tr_count("{count} word", "{count} words", count),
            held=sum(is_kept for _, is_kept in checks.anchors),
            count=len(checks.anchors),
            distance=f"{checks.distance:.2f}",
        )

    def _override(self) -> PromptOverride | None:
        state = self.guard.state(self.view.row.id) if self.view is not None else None
        return state.override if state is not None else None

    def show_view(self, view: SubjectView | None) -> None:
        """Show a subject's paraphrase, or its unsaved draft."""
        text = self.choose_text(view)
        original = view.prompt if view else ""
        if (self.panes.original.toPlainText(), self.panes.paraphrase()) != (original, text):
            self.panes.set_texts(original, text)
        self.request_state()
        self._check()

    def request_state(self) -> None:
        """Request the guard's state of the saved paraphrase."""
        if self.view is not None and self.view.paraphrase:
            self.guard.request(self.view.row.id)

    def focus(self) -> None:
        """Put the cursor into the paraphrase."""
        self.panes.editor.setFocus()

    def text(self) -> str:
        """Return the paraphrase as edited."""
        return self.panes.paraphrase()

    def saved_revision(self, view: SubjectView) -> tuple[str, str]:
        """Return the id and the text of the saved paraphrase."""
        return (view.paraphrase.id, view.paraphrase.text) if view.paraphrase else ("", "")

    def can_save(self, view: SubjectView, text: str) -> bool:  # noqa: ARG002 - only criteria need the subject
        """Refuse an empty text."""
        if not text.strip():
            self.say(tr("The paraphrase is empty, so it was not saved. Write a text, or undo your edit."))
        return bool(text.strip())

    def make_save(self, subject_id: str, text: str) -> SaveText:
        """Return the act that saves a paraphrase."""
        return partial(paraphrases.save_prompt, self.store, subject_id, text)

    def reset(self) -> None:
        """Replace the paraphrase by the original, as one undoable step of the editor."""
        if self.view is not None:
            self.replace_text(self.view.prompt)

    def replace_text(self, text: str) -> None:
        """Replace the editor's text, as one undoable step of the editor."""
        cursor = self.panes.editor.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(text)

    def override(self) -> None:
        """Ask for a reason and override the checks of the saved paraphrase."""
        view = self.view
        state = self.guard.state(view.row.id) if view is not None else None
        if view is None or state is None or state.ready:
            self.say(tr("The saved paraphrase passes all checks, so there is nothing to override."))
            return
        subject_id = view.row.id
        reason = ask_on_page(
            self.page,
            tr("Keep it anyway"),
            tr("Why is this paraphrase right? The release shows your reason."),
            name="prompt.override",
            item_id=subject_id,
            subject_id=subject_id,
        )
        if reason is not None:
            self.session.act(
                partial(paraphrases.override_checks, self.store, view.row.id, reason), None, self._show_refusal
            )

    def _show_refusal(self, failure: WorkFailure) -> None:
        self.say(failure.message)

    def rewrite(self) -> None:
        """Open the dialog that rewrites the item to prevent leaks."""
        if self.view is not None:
            RewriteDialog(self.page, self.page.context, self.view.row.id).exec()

    def show_draft(self, draft: Draft) -> None:
        """Open the dialog that a draft was typed in, if it was typed in one."""
        if draft.key.field in ("prompt.rewrite", "prompt.coverage"):
            RewriteDialog(self.page, self.page.context, draft.subject_id).open_once()
        elif draft.key.field == "prompt.suggestion":
            work = partial(triage.load_subject, self.store, draft.subject_id)
            self.session.run("read", work, partial(self._show_suggestion, draft.key.item_id))

    def _show_suggestion(self, suggestion_id: str, view: SubjectView) -> None:
        SuggestionsDialog(self.page, self.page.context, view, self.suggestion_kind, suggestion_id).open()

    def _record_edit(self) -> None:
        if self.view is not None:
            self.record_typing()
            self.say("")
            self._timer.start()

    def say(self, text: str) -> None:
        """Show a problem below the text, or clear it."""
        self.problem.setText(text)

    def _finish_save(self, subject_id: str, text: str, on_saved: OnSaved, changes: Changes) -> None:
        super()._finish_save(subject_id, text, on_saved, changes)
        self.say("")

    def _fail_save(self, row: SubjectRow, text: str, on_saved: OnSaved, failure: WorkFailure) -> None:
        super()._fail_save(row, text, on_saved, failure)
        if not isinstance(failure.error, EditConflictError):
            self.session.failed.emit(failure)

    def _check(self) -> None:
        text = self.panes.paraphrase()
        if self.view is None or not text.strip():
            self.show_checks(None)
            return
        work = partial(check_paraphrase, prompt_material(self.view), text)
        self.session.run("cpu", work, self.show_checks, latest="prompt-checks")

    def _show_guard(self) -> None:
        """Show the problems of the current text, or who has overridden them."""
        view, checks = self.view, self.checks
        is_saved = view is not None and view.paraphrase is not None and view.paraphrase.text == self.text()
        self.guard_line.show_problems(
            checks.problems if checks is not None else (),
            self._override() if is_saved else None,
            can_override=is_saved and self.page.writable,
        )
        self.state_changed.emit()

    def _choose_anchor(self, text: str, _checked: bool = False) -> None:
        self.anchor_chosen.emit(text)

    def _insert_anchor(self, text: str, _checked: bool = False) -> None:
        """Insert a missing anchor at the cursor, with blanks around it, and show it in the question."""
        cursor, document = self.panes.editor.textCursor(), self.panes.editor.document()
        is_apart = cursor.atBlockStart() or document.characterAt(cursor.position() - 1).isspace()
        before = "" if is_apart else " "
        is_apart = cursor.atBlockEnd() or document.characterAt(cursor.position()).isspace()
        after = "" if is_apart else " "
        cursor.insertText(f"{before}{text}{after}")
        self.anchor_chosen.emit(text)
        self.focus()

    def show_checks(self, checks: PromptChecks | None) -> None:
        """Show the results of the checks; None if there is no text."""
        self.checks = checks
        self._show_guard()
        for row in (self.checks_row, self.distance_row):
            clear_layout(row)
        hint = tr("Kept names and numbers, and the distance from the original, are shown here.")
        self.checks_hint.setText(hint if checks is None else "")
        if checks is None:
            return
        kept_count = sum(is_kept for _, is_kept in checks.anchors)
        anchor_text = (
            tr("Kept anchors  {held} of {count}", held=kept_count, count=len(checks.anchors))
            if checks.anchors
            else tr("Kept anchors")
        )
        shows_anchors = bool(checks.anchors) or not checks.problems
        if shows_anchors:
            self.checks_row.addWidget(label(anchor_text, "dim"))
        # Missing anchors come first, as only a few are shown.
        for anchor, is_kept in sorted(checks.anchors, key=lambda item: item[1])[:_MAX_CHIPS]:
            sign = f"{anchor.text} ✓" if is_kept else tr("{text} missing", text=anchor.text)
            kind = _anchor_kind(anchor, is_kept, checks.problems)
            tip = tr("Click to see it in the question") if is_kept else tr("Click to insert it at the cursor")
            on_click = partial(self._choose_anchor if is_kept else self._insert_anchor, anchor.text)
            self.checks_row.addWidget(chip_button(sign, kind, tip, on_click))
        if len(checks.anchors) > _MAX_CHIPS:
            self.checks_row.addWidget(label(tr("and {count} more", count=len(checks.anchors) - _MAX_CHIPS), "dim"))
        if not checks.anchors and shows_anchors:
            self.checks_row.addWidget(chip(tr("none to keep")))
        is_far = checks.distance >= MIN_PARAPHRASE_DISTANCE
        distance = chip(f"{checks.distance:.2f}", "good" if is_far else "attention")
        distance_tip = tr(
            "Distance from the original, 0 to 1; {far} or more is far enough", far=MIN_PARAPHRASE_DISTANCE
        )
        for widget in (label(tr("Distance"), "dim"), distance):
            widget.setToolTip(distance_tip)
            self.distance_row.addWidget(widget)
        order_tabs(self.panel)


def _anchor_kind(anchor: Anchor, is_kept: bool, problems: tuple[str, ...]) -> Literal["good", "attention", "bad"]:
    if is_kept:
        return "good"
    return "bad" if any(anchor.text in problem for problem in problems) else "attention"
