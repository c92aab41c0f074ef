"""Tabs that wrap into several lines, so that none is hidden behind arrows."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QPushButton, QWidget

from annotator.ui.widgets.flow_layout import FlowRow


class TabRow(FlowRow):
    """A row of tabs of which exactly one is current; the arrow keys move between them."""

    current_changed = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name`` is the accessible name."""
        super().__init__(spacing=0, parent=parent)
        self._name = name
        self.setAccessibleName(name)
        self._tabs: list[QAbstractButton] = []
        self._group = QButtonGroup(self)
        self._group.buttonToggled.connect(self._announce)

    def count(self) -> int:
        """Return the number of tabs, hidden ones included."""
        return len(self._tabs)

    def add_tab(self, text: str) -> None:
        """Append a tab."""
        self.insert_tab(self.count(), text)

    def insert_tab(self, place: int, text: str) -> None:
        """Insert a tab; the first one becomes the current tab."""
        tab = QPushButton()
        tab.setCheckable(True)
        tab.setProperty("role", "tab")
        self._tabs.insert(place, tab)
        self._group.addButton(tab)
        self.insert(place, tab)
        self.set_text(place, text)
        if self.count() == 1:
            tab.setChecked(True)

    @property
    def current(self) -> int:
        """The place of the current tab, -1 without tabs."""
        checked = self._group.checkedButton()
        return self._tabs.index(checked) if checked is not None else -1

    def choose(self, place: int) -> None:
        """Make a tab the current one."""
        self._tabs[place].setChecked(True)

    def tab_text(self, place: int) -> str:
        """Return the text of a tab."""
        return self._tabs[place].text()

    def set_text(self, place: int, text: str, tip: str = "") -> None:
        """Set the text and the tooltip of a tab."""
        self._tabs[place].setText(text)
        self._tabs[place].setToolTip(tip)
        self._tabs[place].setAccessibleName(f"{self._name}: {text}")

    def is_shown(self, place: int) -> bool:
        """Return whether a tab is shown."""
        return not self._tabs[place].isHidden()

    def set_shown(self, place: int, is_shown: bool) -> None:
        """Show or hide a tab."""
        self._tabs[place].setVisible(is_shown)

    def button(self, place: int) -> QAbstractButton:
        """Return the button of a tab."""
        return self._tabs[place]

    def _announce(self, button: QAbstractButton, is_current: bool) -> None:
        if is_current:
            self.current_changed.emit(self._tabs.index(button))
