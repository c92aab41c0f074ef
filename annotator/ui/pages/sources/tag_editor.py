"""The editor of a project's tag tree, which assigns tags to languages and areas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from annotator.base.errors import KnownError
from annotator.mining.stackexchange.tags import KINDS, Share, TagNode, TagTree, read_tag_tree
from annotator.ui.app import file_dialogs
from annotator.ui.app.translation import mark_words, tr, translate_word
from annotator.ui.widgets.fields import choice_box, line_edit
from annotator.ui.widgets.labels import OptionalLabel, button, label
from annotator.ui.widgets.layouts import make_column, make_row, make_splitter
from annotator.ui.widgets.table import Cell, DataTable


class TagEditor(QWidget):
    """Unplaced tags on the left, placed ones on the right, and fields to place a tag below.

    `changed` carries a new `TagTree`; `save_requested` asks to save one in the project.
    """

    changed = Signal(object)
    save_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._tree: TagTree | None = None
        self.share = label("", "section")
        self.loose = DataTable(tr("Unplaced tags"), selected=self._take_loose)
        self.placed = DataTable(tr("Placed tags"), selected=self._take_placed)
        splitter = make_splitter(Qt.Orientation.Horizontal, self.loose, self.placed, sizes=[230, 420], handle=None)
        self.tag, self.language, self.area = line_edit(tr("Tag"), tr("tag")), QComboBox(), QComboBox()
        self.kind = choice_box(tr("Kind of the tag"), ((translate_word(kind), kind) for kind in KINDS))
        for box, name in ((self.language, "language"), (self.area, "area")):
            box.setEditable(True)
            box.setAccessibleName(tr("{name} of the tag", name=translate_word(name.capitalize())))
            box.setMinimumContentsLength(8)
            line = box.lineEdit()
            assert line is not None
            line.setPlaceholderText(translate_word(name))
        self.place = button(tr("Place"), clicked=self.place_tag)
        self.remove = button(tr("Remove"), clicked=self.remove_tag)
        self.keep = button(tr("Save in project"), clicked=self._save_in_project)
        self.load = button(tr("Load…"), clicked=self._load)
        self.save = button(tr("Save as…"), clicked=self._save)
        self.problem = OptionalLabel("problem")
        fields = make_row(self.tag, self.kind, self.language, self.area, self.place, self.remove)
        files = make_row(self.share, None, self.load, self.save, self.keep)
        make_column(self, files, (splitter, 1), self.problem, fields, spacing=8)

    def set_tree(self, tree: TagTree) -> None:
        """Show a tree."""
        self._tree = tree
        rows = [
            (node.tag, translate_word(node.kind), node.language, node.area or tree.areas.get(node.language, ""))
            for node in tree.nodes
        ]
        self.placed.set_rows(mark_words("placed tag", "kind", "language", "area"), rows, tree.nodes)
        _fill(self.language, sorted({node.language for node in tree.nodes if node.language}))
        _fill(self.area, sorted({area for area in tree.areas.values() if area}))

    def set_share(self, share: Share) -> None:
        """Show the share of questions resolved, and the unplaced tags by number of questions."""
        self.share.setText(
            tr(
                "{fraction} of {questions} questions resolved; {ambiguous} are ambiguous",
                fraction=f"{share.fraction:.1%}",
                questions=f"{share.questions:,}",
                ambiguous=f"{share.ambiguous:,}",
            )
        )
        rows = [(tag, Cell(f"{count:,}", count)) for tag, count in share.unplaced]
        self.loose.set_rows(mark_words("not placed", "questions"), rows, [tag for tag, _ in share.unplaced])

    def place_tag(self) -> None:
        """Place or move the tag in the fields; an inconsistent tree is refused."""
        tag = self.tag.text().strip().lower()
        if self._tree is None or not tag:
            self.problem.setText(tr("Choose a tag or type one."))
            return
        kind = KINDS[self.kind.currentIndex()]
        language, area = self.language.currentText().strip(), self.area.currentText().strip()
        # Only a language has an area of its own; a framework has that of its language.
        area = (area or self._tree.areas.get(language, "")) if kind == "language" else ""
        node = TagNode(tag=tag, kind=kind, language=language, area=area)
        others = [other for other in self._tree.nodes if other.tag != tag]
        self._change([*others, node])

    def remove_tag(self) -> None:
        """Remove the tag in the fields from the tree."""
        tag = self.tag.text().strip().lower()
        if self._tree is not None and tag in self._tree:
            self._change([node for node in self._tree.nodes if node.tag != tag])
        else:
            self.problem.setText(tr("{tag} is not placed, so there is nothing to remove.", tag=tag or tr("No tag")))

    def _change(self, nodes: Sequence[TagNode]) -> None:
        try:
            tree = TagTree(nodes)
        except KnownError as error:
            self.problem.setText(error.message)
            return
        self.problem.setText("")
        self.set_tree(tree)
        self.changed.emit(tree)

    def _take_loose(self, tag: str) -> None:
        self.tag.setText(tag)
        self.kind.setCurrentIndex(self.kind.findData("framework"))

    def _take_placed(self, node: TagNode) -> None:
        self.tag.setText(node.tag)
        self.kind.setCurrentIndex(self.kind.findData(node.kind))
        self.language.setEditText(node.language)
        self.area.setEditText(node.area)

    def _save_in_project(self) -> None:
        if self._tree is not None:
            self.save_requested.emit(self._tree)

    def _load(self) -> None:
        path = file_dialogs.choose_file(self, tr("Load a tag tree"), tr("Tag trees (*.json)"))
        if path is None:
            return
        try:
            tree = read_tag_tree(path)
        except KnownError as error:
            self.problem.setText(error.message)
            return
        self._change(tree.nodes)

    def _save(self) -> None:
        proposed = Path("tag-tree.json")
        path = file_dialogs.choose_new_file(self, tr("Save the tag tree"), proposed, tr("Tag trees (*.json)"))
        if path is None or self._tree is None:
            return
        try:
            path.write_text(self._tree.document(), encoding="utf-8")
        except OSError as error:
            self.problem.setText(
                tr("{name} could not be saved ({strerror}).", name=path.name, strerror=error.strerror),
            )


def _fill(box: QComboBox, texts: Sequence[str]) -> None:
    text = box.currentText()
    box.clear()
    box.addItems(["", *texts])
    box.setEditText(text)
