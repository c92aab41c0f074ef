"""The frame of every desk, and the steps of one item, each with the reason why it is open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import SubjectRow
from annotator.model.rows.view_rows import SubjectView
from annotator.services.consensus import aspect_reviews
from annotator.services.consensus.aspect_reviews import ReviewProgress
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrase_guard import UNDESCRIBED, is_undescribed_subject
from annotator.services.prompt.paraphrases import PromptState
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.base_page import Destination, Page, PageContext
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, tr_message, translate_word
from annotator.ui.pages.criterion.proof_panel import describe_failed_proof, describe_passed_proof
from annotator.ui.pages.shared.item_source import ItemSource
from annotator.ui.pages.shared.subject_page import SubjectHeader, announce_ignored_key, announce_queue_focus
from annotator.ui.pages.shared.subject_tabs import CRITERION, PARAPHRASE, Details
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.labels import ElidedLabel, Segments, button, escape_tool_tip
from annotator.ui.widgets.layouts import fill_column, fill_row, make_row, make_scroll, make_splitter
from annotator.ui.widgets.line_queue import LineQueue

QUESTION = mark_for_translation("Question")
_NARROW = 620
"""Below this width, in pixels, either the material or the steps are shown."""
_WIDE = 1900
"""From this width of the window on, two steps are open side by side."""
_MATERIAL, _STEPS = 0, 1
_MATERIAL_SHARE, _STEP_SHARE = 63, 37
"""Shares of the width for the material and each shown step: 80 characters of code in a desk of `DESK_WIDTH`."""
_MANY_PIXELS = 100
"""Sizes larger than any window are shared out in proportion."""


class DeskFrame(QWidget):
    """One item: its material in tabs beside the steps, one of them open.

    If there is no room for both, two buttons switch between them.
    """

    def __init__(
        self,
        context: PageContext,
        acts: tuple[tuple[str, str, bool], ...],
        question: Card,
        material: Details,
        steps: StepStack,
        body: QWidget | None = None,
        *,
        keyless: Collection[str] = (),
        spare: Collection[str] = (),
    ) -> None:
        """Insert the question as the first tab; ``body`` is shown below the steps if none of them has a panel.

        ``keyless`` acts show no key; ``spare`` acts have no button in a cramped window, only their menu entry.
        """
        super().__init__()
        self._theme = context.theme
        self.header = SubjectHeader(context.theme, context.actions, acts, keyless=keyless, spare=spare)
        self.material, self.steps = material, steps
        # The question is inside the material's card and must not look like a second card.
        question.setProperty("role", "")
        material.put_first(QUESTION, question)
        self.work = QWidget()
        if body is not None:
            fill_column(self.work, steps, (body, 1))
        else:
            fill_column(self.work, (steps, 1))
        self.columns = make_splitter(Qt.Orientation.Horizontal, material, self.work)
        self.columns.setObjectName("desk-sides")
        # By the theme's width, because the page is not in a window yet.
        steps.set_wide(self._theme.window_width >= self._theme.pixels(_WIDE))
        self._sizes_by_count: dict[int, list[int]] = {}
        """The column sizes set by the user, by the number of steps side by side."""
        self._distribute_width()
        self.columns.splitterMoved.connect(self._record_sizes)
        self.faces = Segments(tr("View of the item"), (tr("Material"), tr("Steps")), selected=self._show_faces)
        self.faces.hide()
        self.faces.choose(_STEPS)
        self.area = make_scroll(self.columns)
        fill_column(self, self.header, self.faces, (self.area, 1), spacing=12)
        self._theme.changed.connect(self._fit)

    @property
    def is_narrow(self) -> bool:
        """Whether there is room for only one of material and steps."""
        return not self.faces.isHidden()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show both columns if there is room."""
        super().resizeEvent(event)
        self._fit()

    def show_tab(self, name: str) -> None:
        """Show a tab of the material."""
        self.material.show_tab(name)
        self._choose_face(_MATERIAL)

    def show_step(self, step: DeskStep) -> None:
        """Open a step."""
        self.steps.show_step(step)
        self.show_work()

    def show_work(self) -> None:
        """Switch to the steps if there is room for only one side."""
        self._choose_face(_STEPS)

    def show_focus(self) -> None:
        """Scroll the focused widget into view."""
        focus = QApplication.focusWidget()
        if focus is not None and self.columns.isAncestorOf(focus):
            self.area.ensureWidgetVisible(focus)

    def _distribute_width(self) -> None:
        """Distribute the width as the user last dragged it for this number of steps, else by the default shares."""
        count = self.steps.column_count
        shares = (_MATERIAL_SHARE, _STEP_SHARE * count)
        for index, share in enumerate(shares):
            self.columns.setStretchFactor(index, share)
        self.columns.setSizes(self._sizes_by_count.get(count) or [share * _MANY_PIXELS for share in shares])

    def _record_sizes(self, _position: int, _handle: int) -> None:
        self._sizes_by_count[self.steps.column_count] = self.columns.sizes()

    def _fit(self) -> None:
        old_count = self.steps.column_count
        self.steps.set_wide(self.window().width() >= self._theme.pixels(_WIDE))
        if self.steps.column_count != old_count:
            self._distribute_width()
        is_narrow_now = self.width() < self._theme.pixels(_NARROW)
        if is_narrow_now != self.is_narrow:
            self.faces.setVisible(is_narrow_now)
            self._show_faces(self.faces.current)

    def _choose_face(self, face: int) -> None:
        if face != self.faces.current:
            self.faces.choose(face)

    def _show_faces(self, face: int) -> None:
        for column_face, column in ((_MATERIAL, self.material), (_STEPS, self.work)):
            column.setVisible(column_face == face or not self.is_narrow)


@dataclass(frozen=True, slots=True)
class SavedItem:
    """A saved item: its view, the guard's state of its paraphrase, and the progress of its reviews."""

    view: SubjectView
    prompt: PromptState | None
    reviews: ReviewProgress


def read_item(store: ProjectFile, subject_id: str) -> SavedItem:
    """Read an item with the states its steps depend on."""
    view = triage.load_subject(store, subject_id)
    return SavedItem(
        view, paraphrases.load_prompt_state(store, view), aspect_reviews.load_review_progress(store, subject_id)
    )


def saved_step_states(item: SavedItem | None) -> dict[DeskStep, StepState]:
    """Return the state of each step of a saved item."""
    if item is None:
        return dict.fromkeys(DeskStep, StepState(False))
    view = item.view
    accepted = view.row.verdict == "accept"
    criterion_source = view.criterion.source if view.criterion else ""
    return {
        DeskStep.ACCEPTED: StepState(accepted, "" if accepted else tr("not accepted")),
        DeskStep.PARAPHRASED: paraphrase_state(view, item.prompt),
        DeskStep.CRITERION: criterion_state(view, criterion_source),
        DeskStep.PROVEN: proof_state(view),
        DeskStep.REVIEWED: review_state(item.reviews),
    }


def paraphrase_state(view: SubjectView, prompt_state: PromptState | None) -> StepState:
    """Return whether the saved paraphrase passes, and its first problem if not."""
    if prompt_state is None:
        return unwritten_paraphrase_state(view)
    return StepState(prompt_state.ready, "" if prompt_state.ready else tr_message(prompt_state.problems[0]))


def unwritten_paraphrase_state(view: SubjectView) -> StepState:
    """Return the state of a missing paraphrase; an undescribed function gets a hint what to write."""
    return StepState(False, tr_message(UNDESCRIBED) if is_undescribed_subject(view) else tr("not written yet"))


def criterion_state(view: SubjectView, source: str) -> StepState:
    """Return whether answers can be judged, by a criterion or else by the item's own tests."""
    if source.strip():
        return StepState(True)
    return StepState(True, tr("by its tests")) if has_tests(view) else StepState(False, tr("no rule yet"))


def proof_state(view: SubjectView, *, has_edits: bool = False) -> StepState:
    """Return whether the newest proof passed and still matches the texts, which are the saved ones or edited."""
    is_current = view.proof is not None and view.proof.holds and not has_edits
    if view.proof is None or (view.proof.outcome != "pass" and not is_current):
        return StepState(False, tr("not proven yet"))
    if not is_current:
        return StepState(False, tr("proven with an earlier text"))
    if view.proof.outcome == "pass":
        return StepState(True, describe_passed_proof(view.proof.checks))
    return StepState(False, describe_failed_proof(view.proof.checks))


def review_state(progress: ReviewProgress | None) -> StepState:
    """Return the counts of reviews and votes, without sealed information."""
    if progress is None:
        return StepState(False)
    if progress.is_kept is not None:
        note = tr("kept by the panel") if progress.is_kept else tr("not kept by the panel")
        return StepState(progress.is_kept, note)
    if progress.cast:
        return StepState(False, tr("{cast} of {voters} have voted", cast=progress.cast, voters=progress.voters))
    if progress.reviews:
        return StepState(True, tr_count("{count} review", "{count} reviews", progress.reviews))
    return StepState(False, tr("of an earlier text") if progress.stale else tr("not reviewed yet"))


def has_tests(view: SubjectView | None) -> bool:
    """Return whether a subject has its own tests, which judge answers without a criterion."""
    return view is not None and any(test.code.strip() for test in view.tests)


_MIN_REASON_LETTERS = 8
_OPEN = "▾"


class DeskStep(IntEnum):
    """The steps of an item, in order."""

    ACCEPTED = 0
    PARAPHRASED = 1
    CRITERION = 2
    PROVEN = 3
    REVIEWED = 4


_WORDS = {
    DeskStep.ACCEPTED: mark_for_translation("Accepted"),
    DeskStep.PARAPHRASED: mark_for_translation("Paraphrase"),
    DeskStep.CRITERION: mark_for_translation("Criterion"),
    DeskStep.PROVEN: mark_for_translation("Proof"),
    DeskStep.REVIEWED: mark_for_translation("Review"),
}


@dataclass(frozen=True, slots=True)
class StepState:
    """Whether a step is done, with a short note why not or how."""

    done: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPanel:
    """The panel of a step, and the buttons in its row while it is open."""

    panel: QWidget
    acts: Sequence[QWidget] = ()


class StepStack(QWidget):
    """A column of steps, a row each; the panel of the open step fills the remaining height.

    A wide stack also shows the panel of the step that follows the open one, beside it.

    The row of the step Accepted is shown only for an item that is not accepted.
    """

    step_chosen = Signal(object)
    """The `DeskStep` to go to."""
    current_changed = Signal()
    """The focus moved to the panel of another visible step."""

    def __init__(self, panels: Mapping[DeskStep, StepPanel]) -> None:
        """Show a button for each step; only the steps in ``panels`` can be opened, and the first of them is open."""
        super().__init__()
        self.setAccessibleName(tr("Steps of this item"))
        self._panels = panels
        self._states = dict.fromkeys(DeskStep, StepState(False))
        self.buttons = {step: button(translate_word(word)) for step, word in _WORDS.items()}
        self.reasons = {step: ElidedLabel("dim") for step in _WORDS}
        self._column = fill_column(self, spacing=4)
        self._panel_row = QWidget()
        fill_row(self._panel_row, *((step_panel.panel, 1) for step_panel in panels.values()), spacing=12)
        self._is_wide = False
        for step, step_button in self.buttons.items():
            step_button.setProperty("role", "flat")
            step_button.clicked.connect(partial(self._choose, step))
            self.reasons[step].set_min_letters(_MIN_REASON_LETTERS)
            acts = panels[step].acts if step in panels else ()
            self._column.addLayout(make_row(step_button, (self.reasons[step], 100), 1, *acts, spacing=4))
        self._column.addWidget(self._panel_row, 1)
        self.open_step = next(iter(panels), DeskStep.ACCEPTED)
        """The step whose panel is shown."""
        self.current = self.open_step
        """The step that acts apply to: the open one, or the one beside it while that has the focus."""
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)
        self.show_step(self.open_step)

    def show_step(self, step: DeskStep) -> None:
        """Open a step that has a panel, and close the one that was open."""
        if step in self._panels:
            self.open_step = self.current = step
        visible_steps = self.visible_steps
        for other, step_panel in self._panels.items():
            for widget in (step_panel.panel, *step_panel.acts):
                widget.setVisible(other in visible_steps)
        if visible_steps:
            # The panels are below the row of the last open step.
            self._column.removeWidget(self._panel_row)
            self._column.insertWidget(visible_steps[-1] + 1, self._panel_row, 1)
        self.show_states(self._states)

    @property
    def visible_steps(self) -> tuple[DeskStep, ...]:
        """The steps whose panels are shown, in order."""
        steps = tuple(self._panels)
        if self.open_step not in steps:
            return ()
        if not self._is_wide:
            return (self.open_step,)
        first = min(steps.index(self.open_step), max(0, len(steps) - 2))
        return steps[first : first + 2]

    @property
    def column_count(self) -> int:
        """The number of step panels side by side, at least one."""
        return max(1, len(self.visible_steps))

    def set_wide(self, is_wide: bool) -> None:
        """Show two panels side by side, or one."""
        if is_wide != self._is_wide:
            self._is_wide = is_wide
            self.show_step(self.open_step)

    def show_states(self, states: dict[DeskStep, StepState]) -> None:
        """Show the state of each step."""
        self._states, visible_steps = states, self.visible_steps
        for step, state in states.items():
            step_button, word = self.buttons[step], translate_word(_WORDS[step])
            signs = (_OPEN if step in visible_steps else "", "✓" if state.done else "○", word)
            step_button.setText(" ".join(filter(None, signs)))
            accessible_name = tr("{step}: done", step=word) if state.done else tr("{step}: open", step=word)
            step_button.setAccessibleName(accessible_name)
            step_button.setToolTip(escape_tool_tip(state.note))
            self.reasons[step].set_full(state.note)
            # The panel of the open step shows the reason in full.
            is_note_shown = bool(state.note) and step not in visible_steps
            self.reasons[step].setVisible(is_note_shown)
        is_accepted = states[DeskStep.ACCEPTED].done
        self.buttons[DeskStep.ACCEPTED].setHidden(is_accepted)

    def _choose(self, step: DeskStep, _checked: bool = False) -> None:
        self.step_chosen.emit(step)

    def _follow_focus(self, _before: QWidget | None, focus: QWidget | None) -> None:
        for step in self.visible_steps:
            if focus is not None and step != self.current and self._panels[step].panel.isAncestorOf(focus):
                self.current = step
                self.current_changed.emit()
                return


class ReviewDesk(Page):
    """A page with a queue and a desk that shows question, paraphrase and criterion read-only."""

    queue: LineQueue

    def __init__(self, context: PageContext) -> None:
        """Start without an item; subclasses build their panels and call `build_frame`."""
        super().__init__(context)
        self.item: SavedItem | None = None
        self._item_id = ""
        self.source = ItemSource(context, self._view_of_item)
        self.panes = DiffPanes(self.theme, self)
        self.panes.editor.setReadOnly(True)
        self.panes.editor.setPlaceholderText(tr("There is no paraphrase."))
        self.details = Details(self.session, self.store, self.theme)
        self.details.put_first(CRITERION)
        self.details.put_first(PARAPHRASE, self.panes.right_card)

    def build_frame(self, acts: tuple[tuple[str, str, bool], ...], body: QWidget) -> DeskFrame:
        """Return the desk with the page's own panels, ``body``, below the steps."""
        frame = DeskFrame(self.context, acts, self.panes.left_card, self.details, StepStack({}), body)
        self.queue.table.menu.add(self.source.add_entries)
        self.queue.table.letter_ignored.connect(partial(announce_ignored_key, self.session))
        frame.steps.step_chosen.connect(self.go_to_step)
        self.frame = frame
        return frame

    def step_handlers(self) -> dict[str, Callable[[], object]]:
        """Return the acts that all review desks share, by action id: the steps, the source and the queue."""
        steps: dict[str, Callable[[], object]] = {
            f"desk.{step.name.lower()}": partial(self.go_to_step, step) for step in DeskStep
        }
        return {
            **steps,
            **self.source.handlers(),
            "queue.search": self.queue.focus_search,
            "queue.next": partial(self.queue.step, 1),
            "queue.previous": partial(self.queue.step, -1),
        }

    # -- the item -------------------------------------------------------------------------------------------------

    def show_item(self, subject_id: str) -> None:
        """Load and show a saved item, or nothing for an empty id."""
        self._item_id = subject_id
        if subject_id:
            work = partial(read_item, self.store, subject_id)
            self.session.run("read", work, self._show_loaded, latest=f"{self.name}-item")
        else:
            self._show_item(None)

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the subject on screen, None while another one loads."""
        item = self.item
        return item.view.row if item is not None and item.view.row.id == self._item_id else None

    def _view_of_item(self) -> SubjectView | None:
        """Return the view of the subject on screen, None while another one loads."""
        return self.item.view if self.item is not None and self.subject_on_screen() is not None else None

    def reload_item(self, changes: Changes) -> None:
        """Reload the item if it is affected."""
        if self._item_id and (not changes.subjects or self._item_id in changes.subjects):
            self.show_item(self._item_id)

    def _show_loaded(self, item: SavedItem) -> None:
        if item.view.row.id == self._item_id and item != self.item:
            self._show_item(item)

    def _show_item(self, item: SavedItem | None) -> None:
        self.item = item
        view = item.view if item is not None else None
        self.details.show_subject(view)
        paraphrase = view.paraphrase.text if view is not None and view.paraphrase else ""
        self.panes.set_texts(view.prompt if view is not None else "", paraphrase)
        self.frame.steps.show_states(saved_step_states(item))
        self.show_header(item)

    def show_header(self, item: SavedItem | None) -> None:
        """Show an item in the header."""
        self.frame.header.show_subject(item.view.row if item is not None else None, writable=not self.store.read_only)

    def go_to_step(self, step: DeskStep) -> None:
        """Show the text of a step here; go to Criterion for the proof and to Consensus for reviews."""
        tab = {DeskStep.ACCEPTED: QUESTION, DeskStep.PARAPHRASED: PARAPHRASE, DeskStep.CRITERION: CRITERION}.get(step)
        if tab == QUESTION:
            self.frame.show_tab(tab)
            self.panes.original.setFocus()
        elif tab is not None:
            self.frame.show_tab(tab)
            self.details.focus_tab(tab)
        elif self._item_id and step == DeskStep.PROVEN:
            self.go_to.emit(Destination("Criterion", self._item_id))
        elif self._item_id:
            self.go_to.emit(Destination("Consensus", self._item_id))
        self.frame.show_focus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus from a field to the queue on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            announce_queue_focus(self.session, self.queue.table)
            self.queue.focus_list()
        else:
            super().keyPressEvent(event)
