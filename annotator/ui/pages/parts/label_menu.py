"""A button with a menu: which labels, beside a bug's own, an answer to its review item may name."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton

from annotator.model.bug_rows import LABELS
from annotator.ui.pages.parts.bug_calls import in_words
from annotator.ui.words import tr, tr_count, tr_known


class LabelMenu(QPushButton):
    """Labels of review items to tick; the button says which are."""

    def __init__(self) -> None:
        """Offer all labels, none ticked."""
        super().__init__()
        self.setToolTip(tr("Labels that an answer may name beside the bug's own, without loss."))
        menu = QMenu(self)
        self.boxes: dict[str, QAction] = {}
        for name in LABELS:
            box = menu.addAction(tr_known(in_words(name).capitalize()))
            box.setCheckable(True)
            box.toggled.connect(self._say)
            self.boxes[name] = box
        self.setMenu(menu)
        self._say()

    @property
    def chosen(self) -> tuple[str, ...]:
        """The labels that are ticked."""
        return tuple(name for name, box in self.boxes.items() if box.isVisible() and box.isChecked())

    def offer(self, own: str, ticked: Collection[str]) -> None:
        """Offer all labels but a bug's own, with these ticked."""
        for name, box in self.boxes.items():
            box.setVisible(name != own)
            box.setChecked(name in ticked)
        self._say()

    def _say(self, _ticked: bool = False) -> None:
        words = [tr_known(in_words(name).capitalize()).lower() for name in self.chosen]
        count = tr_count("{count} label", "{count} labels", len(words)) if words else tr("none")
        self.setText(tr("Also accepted: {count}", count=count))
        self.setAccessibleName(tr("Also accepted: {list}", list=", ".join(words) or tr("none")))
