"""The history dialog: browse the changes of a project, undo or redo to one of them, and view or restore the past."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from annotator.model.changes import Changes
from annotator.model.rows.history_rows import ActRow, Effect, HistoryPage, Restoring, Steps
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.loading import time_machine, undo
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.diff_view import DiffPanes
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import add_clear_button, debounce, line_edit
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, label, shorten_middle, when_text
from annotator.ui.widgets.layouts import FlowRow, make_row, make_splitter
from annotator.ui.widgets.table import Cell, DataTable

MAX_ACTS_SHOWN = 500
_SEARCH_MS = 200
# An act is told apart by its words, so it has room before the number of its items.
_ACT_PIXELS = 260
_STATE_WORDS = {
    "done": mark_for_translation("in effect"),
    "undone": mark_for_translation("undone"),
    "superseded": mark_for_translation("permanently undone"),
    "event": mark_for_translation("in effect"),
}
_STEPS, _THEN_AND_NOW = 0, 1


class HistoryDialog(Dialog):
    """Changes on the left; on the right, a preview of returning to the selected one, or then compared with now."""

    past_requested = Signal(str)
    """The time at which to show the project."""

    def __init__(self, parent: QWidget, session: Session, theme: Theme) -> None:
        super().__init__(parent, tr("History"), name="history-dialog")
        self._session = session
        self._act: ActRow | None = None
        self._effects: tuple[Effect, ...] = ()
        self.search = line_edit(tr("Search the history"), tr("Search changes, people, dates"))
        add_clear_button(self.search)
        self.acts = DataTable(tr("Changes, newest first"), selected=self._choose)
        self.faces = Segments(tr("What to compare"), (tr("Undo or redo to here"), tr("Then and now")), self._compare)
        self.summary = label(tr("Choose a change to see what returning to it would alter."), "dim", wrap=True)
        self.effects = DataTable(tr("Differences"), selected=self._show_effect)
        self.panes = DiffPanes(theme)
        self.problem = OptionalLabel("problem")
        self.return_here_button = button(
            tr("Return to this point"), primary=True, clicked=partial(self._return_to_act, False)
        )
        self.return_before_button = button(tr("Return to the point before"), clicked=partial(self._return_to_act, True))
        self.view_button = button(tr("View the project at this point"), clicked=self._view_project)
        self.restore_one_button = button(tr("Restore this subject"), clicked=partial(self._restore, False))
        self.restore_all_button = button(tr("Restore all"), primary=True, clicked=partial(self._restore, True))
        self.close_button = button(tr("Close"), clicked=self.accept)
        self._timer = debounce(self, _SEARCH_MS, self.load)
        self.search.textChanged.connect(self._timer.start)
        self.acts_card = Card(tr("Changes"), self.search, (self.acts, 1))
        self.panes.editor.setReadOnly(True)
        self.panes.editor.setPlaceholderText("")
        for card, view, name in (
            (self.panes.left_card, self.panes.original, tr("Now")),
            (self.panes.right_card, self.panes.editor, tr("After the change")),
        ):
            card.set_title(name)
            view.setAccessibleName(tr("{name}: the chosen field", name=name))
        details = make_splitter(Qt.Orientation.Vertical, self.effects, self.panes, sizes=(300, 200))
        right = Card("", self.faces, self.summary, (details, 1), self.problem)
        splitter = make_splitter(Qt.Orientation.Horizontal, self.acts_card, right, sizes=(720, 480))
        action_buttons = (
            self.return_before_button,
            self.return_here_button,
            self.restore_one_button,
            self.restore_all_button,
            self.close_button,
        )
        self.lay_out((splitter, 1), make_row(self.view_button, None, FlowRow(*action_buttons)))
        self.resize(1240, 720)
        self._show_buttons()
        self.load()

    def return_button(self) -> QPushButton:
        """Return the Close button for the Return key, because people press it after typing a search."""
        return self.close_button

    # -- the list of changes --------------------------------------------------------------------------------------

    def load(self) -> None:
        """Load the changes that match the search."""
        store = self._session.store
        if store is not None:
            work = partial(undo.load_acts, store, self.search.text(), MAX_ACTS_SHOWN)
            self._session.run("read", work, self._show_acts, self._show_failure, latest="history-acts")

    def _show_acts(self, page: HistoryPage) -> None:
        rows = [
            (
                Cell(when_text(row.created_at), row.created_at),
                Cell(row.annotator),
                Cell(tr_message(row.label)),
                Cell(f"{row.items:,}" if row.items else "", row.items),
                Cell(translate_word(_STATE_WORDS[row.state])),
            )
            for row in page.rows
        ]
        selected_act_id = self._act.id if self._act else ""
        self.acts.set_rows(
            mark_words("when", "who", "what", "items", "state"),
            rows,
            page.rows,
            stretch=2,
            min_width=_ACT_PIXELS,
            spare=(3,),
        )
        count_text = tr_count("{count} change", "{count} changes", page.total)
        if page.total > len(page.rows):
            count_text = tr("{count} of {total} changes", count=f"{len(page.rows):,}", total=f"{page.total:,}")
        self.acts_card.set_trailing(count_text)
        for index, row in enumerate(page.rows):
            if row.id == selected_act_id:
                self.acts.select(index)
                return
        self._choose(None)

    def _choose(self, act: ActRow | None) -> None:
        self._act = act
        self._compare()

    def _compare(self) -> None:
        """Preview returning to the selected change, or compare the project at that time with now."""
        self._show_effects(())
        self.problem.setText("")
        self._show_buttons()
        store, act = self._session.store, self._act
        if store is None or act is None:
            self.summary.setText(tr("Choose a change to see what returning to it would alter."))
            return
        self.summary.setText(tr("Comparing…"))
        if self.faces.current == _THEN_AND_NOW:
            work = partial(time_machine.preview_restore, store, act.created_at)
            self._session.run("read", work, self._show_then_and_now, self._show_failure, latest="history-compare")
        else:
            # The preview applies the steps and rolls them back; that is a write, so it queues with the saves.
            steps = partial(_preview_steps, store, act.id)
            self._session.run("store", steps, self._show_steps, self._show_failure, latest="history-compare")

    def _show_steps(self, steps: Steps) -> None:
        count = len(steps.acts)
        if not count:
            self.summary.setText(tr("Nothing would change: you have made no later changes that would be undone."))
        else:
            names = "; ".join(shorten_middle(tr_message(item.label)) for item in steps.acts[:3]) + (
                "; …" if count > 3 else ""
            )
            verb = tr("undoes") if steps.way == "undo" else tr("redoes")
            more = tr(" {more} more subjects would change, too.", more=f"{steps.more:,}") if steps.more else ""
            yours = tr("{count} of your changes", count=f"{count:,}") if count > 1 else tr("one of your changes")
            self.summary.setText(
                tr(
                    "Returning here {verb} {yours}: {names}.{more}",
                    verb=verb,
                    yours=yours,
                    names=names.rstrip(".?!"),
                    more=more,
                )
            )
        self._show_effects(steps.effects)

    def _show_then_and_now(self, restoring: Restoring) -> None:
        count = len(restoring.subjects)
        fields = len(restoring.effects)
        if count:
            text = tr_count(
                "{count} subject differs from the current state, in {fields} fields.",
                "{count} subjects differ from the current state, in {fields} fields.",
                count,
                fields=f"{fields:,}",
            )
        else:
            text = tr("Nothing has changed since then.")
        self.summary.setText(" ".join((text, *restoring.notes)))
        self._show_effects(restoring.effects)

    def _show_effects(self, effects: tuple[Effect, ...]) -> None:
        self._effects = effects
        rows = [
            (
                Cell(item.title),
                Cell(translate_word(item.field)),
                Cell(shorten_middle(_field_text(item, item.before)) or tr("none")),
                Cell(shorten_middle(_field_text(item, item.after)) or tr("none")),
            )
            for item in effects
        ]
        then, after_change = mark_words("then", "after the change")
        column = then if self.faces.current == _THEN_AND_NOW else after_change
        self.panes.right_card.set_title(translate_word(column).capitalize())
        self.effects.set_rows((*mark_words("subject", "field", "now"), column), rows, effects, stretch=(0, 2, 3))
        self.panes.set_texts("", "")
        if effects:
            self.effects.select(0)
        self._show_buttons()

    def _show_effect(self, item: Effect) -> None:
        self.panes.set_texts(_field_text(item, item.before), _field_text(item, item.after))

    def _show_buttons(self) -> None:
        store = self._session.store
        is_writable = store is not None and not store.read_only
        is_comparison = self.faces.current == _THEN_AND_NOW
        has_act = self._act is not None
        for act_button in (self.return_here_button, self.return_before_button):
            act_button.setVisible(not is_comparison)
            act_button.setEnabled(is_writable and has_act)
        for act_button in (self.restore_one_button, self.restore_all_button):
            act_button.setVisible(is_comparison)
            act_button.setEnabled(is_writable and bool(self._effects))
        self.view_button.setEnabled(has_act)

    # -- acting ---------------------------------------------------------------------------------------------------

    def _return_to_act(self, to_point_before: bool, _checked: bool = False) -> None:
        store, act = self._session.store, self._act
        if store is not None and act is not None:
            self._session.act(
                partial(undo.move_to_act, store, act.id, before=to_point_before),
                self._show_result,
                self._show_failure,
            )

    def _restore(self, restores_all: bool, _checked: bool = False) -> None:
        store, act = self._session.store, self._act
        if store is None or act is None:
            return
        index = self.effects.currentIndex()
        subject = None if restores_all or not index.isValid() else self.effects.payload_at(index).subject_id
        if restores_all or subject is not None:
            subjects = None if subject is None else [subject]
            restore = partial(time_machine.restore_as_of, store, act.created_at, subjects)
            self._session.act(restore, self._show_result, self._show_failure)

    def _show_result(self, result: tuple[object, Changes]) -> None:
        self._session.say(f"{tr_message(result[1].label)}.")
        self.load()

    def _view_project(self, _checked: bool = False) -> None:
        if self._act is not None:
            self.past_requested.emit(self._act.created_at)
            self.accept()

    def _show_failure(self, failure: WorkFailure) -> None:
        self.summary.setText("")
        self.problem.setText(failure.message)


def _preview_steps(store: ProjectFile, act_id: str) -> Steps:
    # In a read-only project, such as a past one, nothing can be undone.
    return Steps("", (), ()) if store.read_only else undo.preview_move_to_act(store, act_id)


def _field_text(item: Effect, text: str) -> str:
    """Return a field's value for display; a verdict is translated."""
    return translate_word(text) if item.field == "verdict" else text
