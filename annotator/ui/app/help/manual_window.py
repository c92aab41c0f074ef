"""The window of the manual: contents, search, the page, and a history."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QWidget

from annotator.services.program import manual
from annotator.ui.app.help.page import HelpPage
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.fields import search_line
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import make_column, make_row, make_splitter

_PLACE = int(Qt.ItemDataRole.UserRole)


class HelpWindow(QDialog):
    """A non-modal window beside the main one. ``keys`` returns the current keys by action id."""

    def __init__(
        self,
        pages: manual.Manual,
        theme: Theme,
        keys: Callable[[], Mapping[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("help-window")
        self.setWindowTitle(tr("Manual"))
        self.setWindowFlag(Qt.WindowType.WindowMinMaxButtonsHint, True)
        self._manual = pages
        self._keys = keys
        self._past: list[str] = []
        self._future: list[str] = []
        self.place = ""
        self.search = search_line(tr("Search the manual"))
        self.search.setObjectName("help-search")
        self.contents = QListWidget()
        self.contents.setObjectName("help-contents")
        self.contents.setAccessibleName(tr("Contents"))
        self.contents.setWordWrap(True)
        self.contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.nothing = label(tr("No match. Try fewer words."), "dim", wrap=True)
        self.page = HelpPage(theme)
        self.back, self.forward = button(tr("Back"), clicked=self.go_back), button(tr("Forward"))
        self._lay_out()
        self._connect()
        self._fill("")
        self.resize(QSize(980, 680).boundedTo(self.screen().availableSize()))

    def _lay_out(self) -> None:
        bar = make_row(self.back, self.forward, (self.search, 1), spacing=8)
        sidebar = QWidget()
        make_column(sidebar, self.nothing, (self.contents, 1))
        split = make_splitter(Qt.Orientation.Horizontal, sidebar, self.page, sizes=(260, 720))
        split.setStretchFactor(1, 1)
        make_column(self, bar, (split, 1), spacing=12, margin=12)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(self._open_first)
        self.contents.currentItemChanged.connect(self._open_chosen)
        self.contents.itemClicked.connect(self._open_item)
        self.page.anchorClicked.connect(self._follow)
        self.forward.clicked.connect(self.go_forward)
        for key, act in (("Alt+Left", self.go_back), ("Alt+Right", self.go_forward), ("Ctrl+F", self.search.setFocus)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.activated.connect(act)

    def show_place(self, place: str) -> None:
        """Show ``topic`` or ``topic#anchor`` and add it to the history; unknown topics show the beginning."""
        if place == self.place:
            return
        if self.place:
            self._past.append(self.place)
        self._future.clear()
        self._show(place)

    def show_again(self) -> None:
        """Reload the current section with the current keys."""
        place, self.place = self.place, ""
        self._show(place)

    def go_back(self) -> None:
        """Show the previous section of the history."""
        if self._past:
            self._future.append(self.place)
            self._show(self._past.pop())

    def go_forward(self) -> None:
        """Show the next section of the history."""
        if self._future:
            self._past.append(self.place)
            self._show(self._future.pop())

    def _show(self, place: str) -> None:
        name, _, anchor = place.partition("#")
        topic = self._manual.topics.get(name) or next(iter(self._manual.topics.values()))
        if self.place.partition("#")[0] != topic.id or not self.place:
            self.page.show_markdown(manual.insert_shortcuts(topic.text, self._keys()))
            self.page.verticalScrollBar().setValue(0)
        self.place = place if topic.id == name else topic.id
        section = next((item for item in topic.sections if item.anchor == anchor), None) if anchor else None
        if section is not None:
            self.page.scroll_to(section.title)
        else:
            self.page.verticalScrollBar().setValue(0)
        self.setWindowTitle(tr("{title} · Manual", title=topic.title))
        self.back.setEnabled(bool(self._past))
        self.forward.setEnabled(bool(self._future))
        self._mark()

    def _mark(self) -> None:
        self.contents.blockSignals(True)
        for row in range(self.contents.count()):
            item = self.contents.item(row)
            if item.data(_PLACE) == self.place or item.data(_PLACE) == self.place.partition("#")[0]:
                self.contents.setCurrentItem(item)
                break
        else:
            self.contents.setCurrentRow(-1)
        self.contents.blockSignals(False)

    def _fill(self, words: str) -> None:
        """List all pages, or the search results."""
        self.contents.blockSignals(True)
        self.contents.clear()
        if words.strip():
            for hit in self._manual.search(words):
                title = hit.title if hit.title == hit.topic else f"{hit.topic}: {hit.title}"
                item = QListWidgetItem(f"{title}\n{hit.excerpt}")
                item.setData(_PLACE, hit.place)
                self.contents.addItem(item)
        else:
            for topic in self._manual.topics.values():
                item = QListWidgetItem(topic.title)
                item.setData(_PLACE, topic.id)
                self.contents.addItem(item)
        self.contents.setVisible(self.contents.count() > 0)
        self.nothing.setVisible(self.contents.count() == 0)
        self.contents.blockSignals(False)
        if not words.strip():
            self._mark()

    def _open_first(self) -> None:
        if self.contents.count():
            self.contents.setCurrentRow(0)
            self._open_item(self.contents.item(0))

    def _open_chosen(self, item: QListWidgetItem | None, _old: QListWidgetItem | None) -> None:
        if item is not None:
            self._open_item(item)

    def _open_item(self, item: QListWidgetItem) -> None:
        self.show_place(str(item.data(_PLACE)))

    def _follow(self, link: QUrl) -> None:
        target = link.toString()
        if target.startswith(("https://", "http://")):
            QDesktopServices.openUrl(link)
            return
        name, _, anchor = target.partition("#")
        name = name.removesuffix(".md") or self.place.partition("#")[0]
        self.show_place(f"{name}#{anchor}" if anchor else name)
