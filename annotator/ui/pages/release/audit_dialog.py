"""The release audit: the share of points met in each phase, and every point with its evidence and statement."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.model.rows.audit_rows import MET, NOT_APPLICABLE, NOT_MET, OPEN, Audit, AuditRow
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, tr_message, translate_word
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import choice_box
from annotator.ui.widgets.labels import button, join_list, label
from annotator.ui.widgets.layouts import make_column, make_row
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.widgets.text_question import ask_text

AUDIT = "release.audit"
"""The name of the draft field of statements."""
_WORDS = {
    MET: mark_for_translation("✓ met"),
    NOT_MET: mark_for_translation("✗ not met"),
    OPEN: mark_for_translation("? open"),
    NOT_APPLICABLE: mark_for_translation("not applicable"),
}


class AuditDialog(Dialog):
    """Lists every point with its evidence; people state the facts the program cannot know."""

    stated = Signal(str, str, str)
    """The id of a point, its new state, and the person's statement."""

    def __init__(self, theme: Theme, drafts: DraftKeeper, audit: Audit, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Audit"))
        self.resize(theme.pixels(900), theme.pixels(620))
        self._theme, self._drafts = theme, drafts
        self._row: AuditRow | None = None
        self.summary = label("", "dim", wrap=True)
        self.points = DataTable(tr("Points of the audit"), selected=self._choose)
        self.detail = label("", wrap=True)
        states = (MET, NOT_MET, NOT_APPLICABLE, OPEN)
        self.state = choice_box(tr("State"), [(translate_word(_WORDS[state]), state) for state in states])
        self.state_button = button(tr("Write statement…"), clicked=self.ask)
        foot = make_row(self.state, self.state_button, None, button(tr("Close"), primary=True, clicked=self.accept))
        make_column(self, self.summary, (self.points, 1), self.detail, foot, spacing=10, margin=16)
        self.show_audit(audit)

    def show_audit(self, audit: Audit) -> None:
        """Show an audit; the selected point stays selected."""
        shares = [
            tr("{phase}: {met} of {points}", phase=translate_word(share.phase), met=share.met, points=share.points)
            for share in audit.phases
        ]
        self.summary.setText(tr("Points met: {list}", list=join_list(shares)))
        rows = [
            (
                Cell(translate_word(_WORDS[row.state])),
                Cell(translate_word(row.point.phase)),
                Cell(translate_word(row.point.text)),
                Cell(tr_message(row.evidence.text) or (row.statement.text if row.statement else "")),
            )
            for row in audit.rows
        ]
        selected_id = self._row.point.id if self._row else ""
        headers = (tr("state"), tr("phase"), tr("point"), tr("evidence or statement"))
        self.points.set_rows(headers, rows, list(audit.rows), stretch=3)
        place = next((at for at, row in enumerate(audit.rows) if row.point.id == selected_id), 0)
        self.points.select(place)
        self._choose(audit.rows[place])

    def ask(self) -> None:
        """Ask for the statement on the selected state and emit both; reopening a point needs no statement."""
        if self._row is None:
            return
        point, state = self._row.point, str(self.state.currentData())
        text: str | None = ""
        if state != OPEN:
            question = translate_word(point.text)
            text = ask_text(
                self, self._theme, self._drafts, tr("Statement on a point"), question, name=AUDIT, item_id=point.id
            )
        if text is not None:
            self.stated.emit(point.id, state, text)

    def _choose(self, row: AuditRow) -> None:
        self._row = row
        lines = [tr_message(row.evidence.text)] if row.evidence.text else []
        if row.statement:
            statement = row.statement
            lines.append(
                tr(
                    "{person}, {date}: {text}",
                    person=statement.person,
                    date=statement.created_at[:10],
                    text=statement.text,
                )
            )
        self.detail.setText("\n".join(lines) or tr("No statement on this point yet."))
