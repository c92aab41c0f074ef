"""The exact request that a model gets for a subject, under a selectable protocol."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.services.runs.request_preview import RequestPreview, preview_request
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr, tr_message, translate_word
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.fields import choice_box, refill_box
from annotator.ui.widgets.labels import label
from annotator.ui.widgets.layouts import arrange, make_row


class AsSentPanel(QWidget):
    """A protocol selector and the request that the protocol builds from the saved texts."""

    def __init__(self, session: Session, store: ProjectFile, theme: Theme) -> None:
        """Start empty; the default protocol is that of the project's newest run."""
        super().__init__()
        self._session, self._store = session, store
        self._subject_id = ""
        self._protocol_name = ""
        self.protocol = choice_box(tr("Protocol"), letters=18)
        self.protocol.activated.connect(self._choose)
        self.text = CodeView(theme, tr("As sent"))
        self.text.setLineWrapMode(CodeView.LineWrapMode.WidgetWidth)
        row = make_row(label(tr("Protocol"), "dim"), (self.protocol, 1))
        arrange(QVBoxLayout(self), row, (self.text, 1), spacing=6, margins=(0, 6, 0, 0))

    def show_subject(self, subject_id: str) -> None:
        """Show the request for a subject, or nothing."""
        self._subject_id = subject_id
        if not subject_id:
            self.text.set_code("", "")
            return
        work = partial(preview_request, self._store, subject_id, self._protocol_name)
        self._session.run("read", work, self._show, latest="as-sent")

    def _choose(self) -> None:
        self._protocol_name = str(self.protocol.currentData())
        self.show_subject(self._subject_id)

    def _show(self, preview: RequestPreview) -> None:
        if preview.subject_id == self._subject_id:
            refill_box(
                self.protocol, [(translate_word(one.title), one.name) for one in preview.protocols], preview.chosen
            )
            self.text.set_code(preview.text or tr_message(preview.problem), "markdown" if preview.text else "")
