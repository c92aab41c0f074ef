"""The code view: long texts filled in behind, colours in the layout of lines, undo left alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextBlock
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from annotator.text.highlight import highlight_spans, iter_highlight_spans
from annotator.ui.app.theme.look import Theme
from annotator.ui.widgets.code import code_view, highlighting
from annotator.ui.widgets.code.code_view import CodeView, Gutter

LINES = 12_000
LONG = "\n".join(f"value_{number} = {number}  # \U0001f600" for number in range(LINES))
CODE = (
    'def first(value):\n    """Say\n    it."""\n    return "\U0001f600" + str(value)  # done\n\nclass Second:\n    pass'
)


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> CodeView:
    made = CodeView(theme, "Code")
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    return made


@pytest.fixture
def editable(qtbot: QtBot, theme: Theme) -> CodeView:
    made = CodeView(theme, "Code", read_only=False)
    qtbot.addWidget(made)
    made.resize(600, 900)
    made.show()
    return made


def _blocks(view: QPlainTextEdit) -> list[QTextBlock]:
    block, found = QPlainTextEdit.document(view).begin(), []
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def _looks(view: QPlainTextEdit) -> list[list[tuple[int, int, str]]]:
    return [
        [(piece.start, piece.length, piece.format.foreground().color().name()) for piece in block.layout().formats()]
        for block in _blocks(view)
    ]


def test_a_long_text_is_shown_at_once_and_filled_in_behind(qtbot: QtBot, view: CodeView) -> None:
    view.set_code(LONG, "python")
    assert view.busy and 100 < len(_blocks(view)) < LINES
    assert view.blockCount() == LINES and _looks(view)[0]
    width = view.gutter_width()
    qtbot.waitUntil(lambda: not view.busy)
    assert len(_blocks(view)) == LINES and QPlainTextEdit.toPlainText(view) == LONG
    assert view.gutter_width() == width and view.textCursor().position() == 0


@pytest.mark.parametrize("text", [LONG, LONG.replace("\n", "\r\n"), "\n" * LINES, f"{LONG}\n{'x' * 300_000}\nlast\n"])
def test_whoever_asks_gets_all_of_a_text(view: CodeView, text: str) -> None:
    view.set_code(text, "python")
    assert view.toPlainText() == text.replace("\r\n", "\n")
    view.set_code(text, "python")
    assert view.document().blockCount() == view.blockCount() == text.count("\n") + 1


def test_slices_end_where_lines_do(qtbot: QtBot, view: CodeView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_view, "SLICE_CHARACTERS", 1_000)
    text = "\n".join("x" * (number % 7 * 300) for number in range(600))
    counts = []
    QPlainTextEdit.document(view).contentsChanged.connect(lambda: counts.append(len(_blocks(view))))
    view.set_code(text, "python")
    qtbot.waitUntil(lambda: not view.busy)
    assert QPlainTextEdit.toPlainText(view) == text
    assert len(counts) > 100 and all(after > before for before, after in pairwise(counts[1:]))


def test_another_text_takes_the_place_of_one_that_is_not_all_there(qtbot: QtBot, view: CodeView) -> None:
    view.set_code(LONG, "python")
    view.set_code("a = 1", "python")
    qtbot.waitUntil(lambda: not view.busy)
    assert view.toPlainText() == "a = 1"
    view.set_code(LONG, "python")
    view.setPlainText("b = 2")
    qtbot.waitUntil(lambda: not view.busy)
    assert view.toPlainText() == "b = 2"


def test_keys_and_lines_far_down_find_all_the_text(qtbot: QtBot, view: CodeView) -> None:
    view.set_code(LONG, "python")
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == LONG
    view.set_code(LONG, "python")
    view.go_to_line(LINES)
    assert view.textCursor().block().text() == LONG.rsplit("\n", 1)[1]
    qtbot.waitUntil(lambda: bool(_looks(view)[-1]))


def test_a_text_to_be_edited_is_all_there_and_can_be_undone(qtbot: QtBot, view: CodeView) -> None:
    view.set_code(LONG, "python")
    view.setReadOnly(False)
    assert len(_blocks(view)) == LINES and not view.document().isUndoAvailable()
    view.setTextInteractionFlags(Qt.TextInteractionFlag.TextEditorInteraction)
    qtbot.keyClicks(view, "z")
    assert view.document().isUndoAvailable() and view.toPlainText() == f"z{LONG}"
    view.undo()
    assert view.toPlainText() == LONG and not view.document().isUndoAvailable()


def test_lines_get_the_colours_of_their_code(qtbot: QtBot, view: CodeView, theme: Theme) -> None:
    view.set_code(CODE, "python")
    qtbot.waitUntil(lambda: not view.busy)
    looks = _looks(view)
    keyword, string = theme.tokens.code_keyword.lower(), theme.tokens.code_string.lower()
    assert looks[0][0] == (0, 3, keyword) and looks[2] == [(0, 10, string)] and looks[4] == []
    # Positions are Qt's: a character beyond the basic plane counts twice.
    wide = 'return "\U0001f600" + '
    assert (len(wide) + 5, 3, keyword) in looks[3]
    theme.set_mode("light" if theme.is_dark else "dark")
    qtbot.waitUntil(lambda: not view.busy)
    assert [[piece[:2] for piece in line] for line in _looks(view)] == [[piece[:2] for piece in line] for line in looks]
    assert _looks(view) != looks


def test_a_huge_line_is_shown_without_colours_and_those_around_it_with_theirs(qtbot: QtBot, view: CodeView) -> None:
    huge = f"x = [{'1, ' * 60_000}]"
    view.set_code(f"y = 1\n{huge}\nz = 2", "python")
    view.set_marks([(8, 12, "bad")])
    qtbot.waitUntil(lambda: not view.busy)
    first, second, third = _looks(view)
    assert first and third and [piece[:2] for piece in second] == [(2, 4)]
    assert view.toPlainText().split("\n")[1] == huge


def test_colours_found_in_slices_are_those_found_at_once(
    qtbot: QtBot, view: CodeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\n".join(CODE for _ in range(12))
    view.set_code(text, "python")
    qtbot.waitUntil(lambda: not view.busy)
    wanted = _looks(view)
    monkeypatch.setattr(highlighting, "SLICE_SECONDS", 0.0)
    view.set_code(text, "python")
    assert view.busy and _looks(view)[0] and not _looks(view)[5]
    qtbot.waitUntil(lambda: not view.busy)
    assert _looks(view) == wanted


def test_colours_go_along_with_an_edit_and_undo_knows_nothing_of_them(qtbot: QtBot, editable: CodeView) -> None:
    editable.set_code(CODE, "python")
    qtbot.waitUntil(lambda: not editable.busy)
    first = _looks(editable)
    editable.insertPlainText(" ")
    assert _looks(editable)[0] == [(start + 1, length, colour) for start, length, colour in first[0]]
    editable.undo()
    qtbot.keyClick(editable, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not editable.busy)
    assert _looks(editable) == [[], *first]
    while editable.document().isUndoAvailable():
        editable.undo()
    assert editable.toPlainText() == CODE
    qtbot.waitUntil(lambda: not editable.busy)
    assert _looks(editable) == first


def test_an_edit_that_changes_lines_below_colours_them_too(qtbot: QtBot, editable: CodeView, theme: Theme) -> None:
    string = theme.tokens.code_string.lower()
    editable.set_code("\n".join(f"value_{number} = {number}" for number in range(30)), "python")
    editable.go_to_line(10)
    editable.insertPlainText("x = 1; ")
    qtbot.waitUntil(lambda: not editable.busy)
    editable.insertPlainText('"' * 3)
    qtbot.waitUntil(lambda: not editable.is_colouring)
    assert [look[0][2] for look in _looks(editable)[10:]] == [string] * 20
    assert all(look[0][2] != string for look in _looks(editable)[:9])


def test_an_edit_far_inside_a_long_text_stays_text(qtbot: QtBot, editable: CodeView, theme: Theme) -> None:
    string = theme.tokens.code_string.lower()
    editable.set_code("\n".join(['"""', *(f"value = {number}" for number in range(40)), '"""']), "python")
    editable.go_to_line(30)
    qtbot.waitUntil(lambda: not editable.busy)
    editable.insertPlainText("1")
    editable.insertPlainText("2")
    qtbot.waitUntil(lambda: not editable.is_colouring)
    assert [piece[2] for look in _looks(editable) for piece in look] == [string] * 42
    qtbot.waitUntil(lambda: not editable.busy)
    assert _looks(editable)[29] == [(0, len("12value = 28"), string)]


def test_marks_and_shades_far_down_come_with_the_lines(qtbot: QtBot, view: CodeView, theme: Theme) -> None:
    view.set_code(LONG, "")
    lines = LONG.split("\n")
    start = sum(len(line) + 1 for line in lines[:9_000])
    view.set_marks([(0, 5, "good"), (start, start + 5, "bad")])
    view.set_coverage([1], [2, 9_002], [3])
    assert [mark.cursor.selectedText() for mark in view.extraSelections()][2:] == [lines[0][:5]]
    view.go_to_line(9_001)
    qtbot.waitUntil(lambda: not view.busy)
    shown = view.extraSelections()
    assert [mark.cursor.selectedText() for mark in shown][1:] == [lines[9_000][:5]]
    assert shown[0].cursor.blockNumber() == 9_001
    assert _looks(view)[9_000] == [(0, 5, theme.tokens.bad.lower())]


def test_nothing_is_coloured_before_it_is_seen(qtbot: QtBot, theme: Theme) -> None:
    view = CodeView(theme, "Code")
    qtbot.addWidget(view)
    view.set_code(CODE, "python")
    assert not any(_looks(view))
    view.show()
    qtbot.waitUntil(lambda: any(_looks(view)))


def test_stretches_of_lines_are_the_spans_of_the_text() -> None:
    for text in (CODE, Path(__file__).read_text(encoding="utf-8"), "", "\n\n", "x" * 5_000):
        lines, starts, at = text.split("\n"), [], 0
        for line in lines:
            starts.append(at)
            at += len(line) + 1
        found = [
            (starts[row] + span.start, starts[row] + span.end, span.kind)
            for row, span in iter_highlight_spans(lines, "python")
        ]
        assert found == [(span.start, span.end, span.kind) for span in highlight_spans(text, "python")]
    assert list(iter_highlight_spans(["x"], "no such language")) == []


def test_an_empty_text_to_read_has_no_number(view: CodeView) -> None:
    """A lone 1 in an empty tab looks like a count."""

    def has_ink() -> bool:
        picture = view.findChild(Gutter).grab().toImage()
        ground = picture.pixelColor(0, picture.height() - 1)
        return any(
            picture.pixelColor(x, y) != ground for x in range(picture.width()) for y in range(min(40, picture.height()))
        )

    view.set_code("", "python")
    assert not has_ink()
    view.set_code("1", "python")
    assert has_ink()
