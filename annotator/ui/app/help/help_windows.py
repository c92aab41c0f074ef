"""The windows of the menu Help: the manual and About."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from importlib import metadata

from PySide6.QtCore import QSize, Qt, QUrl, qVersion
from PySide6.QtGui import (
    QColor,
    QDesktopServices,
    QFont,
    QKeySequence,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from annotator import __version__
from annotator.services.program import manual
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import tr
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.fields import search_line
from annotator.ui.widgets.labels import button, label
from annotator.ui.widgets.layouts import fill_column, make_row, make_splitter

_HEADING_SIZES = {1: 20, 2: 15, 3: 13}


class HelpPage(QTextBrowser):
    """Shows a page of the manual; it emits link clicks instead of following them."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("help-page")
        self.setAccessibleName(tr("Page of the manual"))
        self.setOpenLinks(False)
        self._theme = theme
        self._markdown = ""
        self.document().setDocumentMargin(16)
        theme.changed.connect(self._render)

    def show_markdown(self, text: str) -> None:
        """Show a page from its beginning."""
        self._markdown = text
        self._render()

    def scroll_to(self, heading: str) -> None:
        """Put the heading with this text at the top; nothing happens if there is none."""
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and block.text() == heading:
                self.setTextCursor(QTextCursor(block))
                top = self.document().documentLayout().blockBoundingRect(block).top()
                self.verticalScrollBar().setValue(max(0, int(top) - 8))
                return
            block = block.next()

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:  # noqa: N802 - Qt's name
        """Load nothing, because pages have no images and must not access the network."""
        return None

    def _render(self) -> None:
        scroll_position = self.verticalScrollBar().value()
        document = self.document()
        document.setDefaultFont(self.font())
        document.setMarkdown(self._markdown)
        tokens, theme = self._theme.tokens, self._theme
        code_font = theme.code_font()
        block = self.document().begin()
        while block.isValid():
            level = block.blockFormat().headingLevel()
            block_format = QTextBlockFormat()
            in_table = QTextCursor(block).currentTable() is not None
            if level:
                self._style_heading(block, level)
                block_format.setTopMargin(theme.pixels(20 if level > 1 else 4))
                block_format.setBottomMargin(theme.pixels(6))
            elif _is_code(block):
                block_format.setBackground(QColor(tokens.ground))
                block_format.setLeftMargin(theme.pixels(8))
            elif not in_table:
                block_format.setBottomMargin(theme.pixels(3 if block.textList() else 8))
                block_format.setLineHeight(125, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            cursor = QTextCursor(block)
            cursor.mergeBlockFormat(block_format)
            self._style_code(block, code_font)
            block = block.next()
        self._style_tables()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(scroll_position)

    def _style_heading(self, block: QTextBlock, level: int) -> None:
        size = self._theme.pixels(_HEADING_SIZES.get(level, 13))
        for position, length, text_format in _fragments(block):
            # Markdown sets a relative size, which would take precedence over the size in pixels.
            text_format.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            text_format.setProperty(QTextFormat.Property.FontPixelSize, size)
            text_format.setFontWeight(QFont.Weight.DemiBold)
            self._selected(position, length).setCharFormat(text_format)

    def _selected(self, position: int, length: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        cursor.setPosition(position + length, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _style_code(self, block: QTextBlock, font: QFont) -> None:
        """Set the window's code font on code, which Markdown marks as fixed pitch."""
        code_format = QTextCharFormat()
        code_format.setFontFamilies([font.family()])
        code_format.setFontPointSize(font.pointSizeF())
        for position, length, text_format in _fragments(block):
            # Markdown sets a font family on code only.
            if text_format.fontFixedPitch() or text_format.fontFamilies():
                self._selected(position, length).mergeCharFormat(code_format)

    def _style_tables(self) -> None:
        tokens = self._theme.tokens
        for frame in self.document().rootFrame().childFrames():
            if not isinstance(frame, QTextTable):
                continue
            table_format = frame.format()
            table_format.setBorder(1)
            table_format.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            table_format.setBorderBrush(QColor(tokens.line))
            table_format.setBorderCollapse(True)
            table_format.setCellPadding(self._theme.pixels(5))
            table_format.setCellSpacing(0)
            table_format.setTopMargin(4)
            table_format.setBottomMargin(self._theme.pixels(10))
            table_format.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            frame.setFormat(table_format)


def _is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence) or block.blockFormat().hasProperty(
        QTextFormat.Property.BlockCodeLanguage
    )


def _fragments(block: QTextBlock) -> list[tuple[int, int, QTextCharFormat]]:
    """Return (position, length, format) of each fragment, collected first because edits invalidate the iterator."""
    fragments = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        fragments.append((fragment.position(), fragment.length(), fragment.charFormat()))
        iterator += 1
    return fragments


_PLACE_ROLE = int(Qt.ItemDataRole.UserRole)


class HelpWindow(QDialog):
    """The non-modal window of the manual. ``keys`` returns the current keys by action id."""

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
        self.back_button, self.forward_button = button(tr("Back"), clicked=self.go_back), button(tr("Forward"))
        bar = make_row(self.back_button, self.forward_button, (self.search, 1))
        sidebar = QWidget()
        fill_column(sidebar, self.nothing, (self.contents, 1))
        split = make_splitter(Qt.Orientation.Horizontal, sidebar, self.page, sizes=(260, 720))
        split.setStretchFactor(1, 1)
        fill_column(self, bar, (split, 1), spacing=12, margin=12)
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(self._open_first)
        self.contents.currentItemChanged.connect(self._open_current)
        self.contents.itemClicked.connect(self._open_item)
        self.page.anchorClicked.connect(self._follow)
        self.forward_button.clicked.connect(self.go_forward)
        for key, act in (("Alt+Left", self.go_back), ("Alt+Right", self.go_forward), ("Ctrl+F", self.search.setFocus)):
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.activated.connect(act)
        self._fill("")
        self.resize(QSize(980, 680).boundedTo(self.screen().availableSize()))

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
        self.back_button.setEnabled(bool(self._past))
        self.forward_button.setEnabled(bool(self._future))
        self._mark_current()

    def _mark_current(self) -> None:
        self.contents.blockSignals(True)
        for row in range(self.contents.count()):
            item = self.contents.item(row)
            if item.data(_PLACE_ROLE) == self.place or item.data(_PLACE_ROLE) == self.place.partition("#")[0]:
                self.contents.setCurrentItem(item)
                break
        else:
            self.contents.setCurrentRow(-1)
        self.contents.blockSignals(False)

    def _fill(self, query: str) -> None:
        """List all pages, or the search results."""
        self.contents.blockSignals(True)
        self.contents.clear()
        if query.strip():
            for hit in self._manual.search(query):
                title = hit.title if hit.title == hit.topic else f"{hit.topic}: {hit.title}"
                item = QListWidgetItem(f"{title}\n{hit.excerpt}")
                item.setData(_PLACE_ROLE, hit.place)
                self.contents.addItem(item)
        else:
            for topic in self._manual.topics.values():
                item = QListWidgetItem(topic.title)
                item.setData(_PLACE_ROLE, topic.id)
                self.contents.addItem(item)
        self.contents.setVisible(self.contents.count() > 0)
        self.nothing.setVisible(self.contents.count() == 0)
        self.contents.blockSignals(False)
        if not query.strip():
            self._mark_current()

    def _open_first(self) -> None:
        if self.contents.count():
            self.contents.setCurrentRow(0)
            self._open_item(self.contents.item(0))

    def _open_current(self, item: QListWidgetItem | None, _old: QListWidgetItem | None) -> None:
        if item is not None:
            self._open_item(item)

    def _open_item(self, item: QListWidgetItem) -> None:
        self.show_place(str(item.data(_PLACE_ROLE)))

    def _follow(self, link: QUrl) -> None:
        target = link.toString()
        if target.startswith(("https://", "http://")):
            QDesktopServices.openUrl(link)
            return
        name, _, anchor = target.partition("#")
        name = name.removesuffix(".md") or self.place.partition("#")[0]
        self.show_place(f"{name}#{anchor}" if anchor else name)


_LIBRARIES = ("PySide6-Essentials", "SQLModel", "SQLAlchemy", "pydantic", "Pygments", "RapidFuzz")


class AboutDialog(Dialog):
    """The program's name, version, and main libraries."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, tr("About Annotator"), name="about-dialog")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 24, 24, 16)
        layout.setSpacing(12)
        for text, role in (
            (f"Annotator {__version__}", "title"),
            (tr("Turn mined candidates into a proven, released benchmark for code language models, and read the "
                "results."), ""),
            (tr("Everything stays on this machine unless you set up an endpoint to call."), ""),
            (tr("Built on {list}.", list=", ".join(library_versions())), "dim"),
            (tr("Qt is used under the LGPL 3; Annotator under the Apache licence 2.0."), "dim"),
        ):  # fmt: skip
            line = label(text, role, wrap=True)
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            layout.addWidget(line)
        layout.addStretch(1)
        layout.addWidget(self.make_buttons(QDialogButtonBox.StandardButton.Close))
        self.setMinimumSize(460, layout.heightForWidth(460))


def library_versions() -> tuple[str, ...]:
    """Return the main libraries with their installed versions."""
    versions = [f"Python {platform.python_version()}", f"Qt {qVersion()}"]
    for name in _LIBRARIES:
        try:
            versions.append(f"{name.removesuffix('-Essentials')} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return tuple(versions)
