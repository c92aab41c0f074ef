"""The controls above the results, which choose the release, protocol, table, grouping, models and filter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.pages.results.table_request import PUBLISHED, ResultView, TableRequest
from annotator.ui.widgets.fields import add_heading, choice_box, real_box, refill_box, search_line
from annotator.ui.widgets.labels import button, label, shorten_middle
from annotator.ui.widgets.layouts import fill_row, make_flow

# For each group of tables: (name, title, optional controls that the table uses).
TABLE_GROUPS = (
    (mark_for_translation("Scores"), (
        ("leaderboard", mark_for_translation("Leaderboard"), ()),
        ("domains", mark_for_translation("Heat map"), ("by", "group")),
        ("passes", mark_for_translation("Best of k"), ("k",)),
        ("weighted", mark_for_translation("Weighted by difficulty"), ("by",)),
        ("coco-score", mark_for_translation("CoCo-Score"), ()),
    )),
    (mark_for_translation("Comparison"), (
        ("compare", mark_for_translation("Compare two"), ("a", "b")),
        ("pairs", mark_for_translation("All pairs"), ()),
        ("rank-intervals", mark_for_translation("Rank intervals"), ()),
        ("dsi", mark_for_translation("Comfort and strange"), ("by", "threshold")),
        ("correlation", mark_for_translation("Correlation"), ("by",)),
        ("releases", mark_for_translation("Compare releases"), ("other",)),
        ("ranks", mark_for_translation("Ranks in another benchmark"), ("scores",)),
    )),
    (mark_for_translation("Items"), (
        ("grid", mark_for_translation("Items and models"), ()),
        ("items", mark_for_translation("Item health"), ()),
        ("difficulty", mark_for_translation("Difficulty by pass rates"), ()),
        ("skill", mark_for_translation("Skill rating"), ()),
    )),
    (mark_for_translation("Answers"), (
        ("errors", mark_for_translation("Reasons for failure"), ()),
        ("cost", mark_for_translation("Cost against score"), ()),
        ("context", mark_for_translation("Score by length"), ()),
        ("decoding", mark_for_translation("Decoding"), ()),
        ("scaling", mark_for_translation("Score against size"), ()),
        ("recall", mark_for_translation("Recall of dependencies"), ()),
        ("labels", mark_for_translation("Labels of reviews"), ()),
        ("leakage", mark_for_translation("Leakage"), ()),
        ("diversity", mark_for_translation("Samples of the unsolved"), ()),
    )),
    (mark_for_translation("Published tables"), (
        ("audit", mark_for_translation("Audit of a published table"), ()),
        ("quotas", mark_for_translation("Quotas of a published table"), ()),
    )),
)  # fmt: skip
TABLES = tuple(table for _, tables in TABLE_GROUPS for table in tables)
GROUPINGS = ("domain", "language", "area", "type", "difficulty", "task", "metric")


class ResultsBar(QWidget):
    """A row of controls; `changed` is emitted for a new choice, `row_filter_changed` if only the row filter changed."""

    changed = Signal()
    row_filter_changed = Signal()
    scores_requested = Signal()

    def __init__(self) -> None:
        """Fill the list of tables; `offer` fills those of releases and models."""
        super().__init__()
        names = {
            "version": tr("Release"),
            "protocol": tr("Protocol"),
            "table": tr("Table"),
            "by": tr("Group by"),
            "group": tr("Group"),
            "a": tr("First model"),
            "b": tr("Second model"),
            "other": tr("Another release"),
        }
        self._combos = {field: _make_combo(name) for field, name in names.items()}
        """The combo boxes whose choices are texts, by the field of `TableRequest`."""
        self.release, self.protocol, self.table, self.by, self.group, self.a, self.b, self.other = self._combos.values()
        self.k = _make_combo(tr("Samples of which the best counts"))
        for group, tables in TABLE_GROUPS:
            add_heading(self.table, translate_word(group))
            for name, title, _ in tables:
                self.table.addItem(translate_word(title), name)
        self.table.setCurrentIndex(self.table.findData(TABLES[0][0]))
        for name in GROUPINGS:
            self.by.addItem(tr("by {name}", name=translate_word(name)), name)
        self.scores_button = button(tr("Scores of another benchmark…"), clicked=self.scores_requested)
        self._scores: Path | None = None
        self._frontier: tuple[str, ...] = ()
        self.threshold = real_box(0.0, 50.0, 10.0, tr("Threshold of a comfort domain"))
        self.threshold.setDecimals(0)
        self.threshold.setPrefix("± ")
        self.threshold.setSuffix(" %")
        self.versus = label(tr("against"), "dim")
        self.filter = search_line(tr("Filter the rows"))
        self.filter.setMinimumWidth(120)
        self.filter.setMaximumWidth(240)
        table_controls = (
            self.table, self.by, self.group, self.k, self.threshold,
            self.a, self.versus, self.b, self.other, self.scores_button,
        )  # fmt: skip
        fill_row(self, make_flow(*table_controls), None, make_flow(self.filter, self.protocol, self.release))
        for combo in (*self._combos.values(), self.k):
            combo.currentIndexChanged.connect(self._emit_changed)
        self.threshold.valueChanged.connect(self._emit_changed)
        self.filter.textChanged.connect(self.row_filter_changed)
        self._show_controls()

    def read_request(self) -> TableRequest:
        """Return the request for the current choices."""
        texts = {field: str(combo.currentData() or "") for field, combo in self._combos.items()}
        k, threshold = self.k.currentData(), self.threshold.value()
        return TableRequest(**texts, k=k, threshold=threshold, scores=self._scores, frontier=self._frontier)

    def offer(self, view: ResultView) -> None:
        """Fill the lists, keeping current choices that still exist.

        Models are identified by run ids, because their labels change when more runs have to be distinguished.
        """
        releases = [(tr("release {name}", name=name), name) for name in view.versions]
        published_choices = [(tr("published: {name}", name=name), PUBLISHED + name) for name in view.published]
        refill_box(self.release, [*releases, *published_choices], view.version)
        others = [(text, name) for text, name in releases if name != view.version]
        refill_box(self.other, others, self.other.currentData())
        protocol_choices = [(tr("all protocols"), ""), *((name, name) for name in view.protocols)]
        refill_box(self.protocol, protocol_choices, self.protocol.currentData())
        self.protocol.setVisible(len(view.protocols) > 1)
        group_choices = [(tr("all groups"), ""), *((translate_word(name), name) for name in view.groups)]
        refill_box(self.group, group_choices, self.group.currentData())
        k_choices = [(tr("every k"), None), *((tr("k = {k}", k=k), k) for k in view.ks)]
        refill_box(self.k, k_choices, self.k.currentData())
        for combo, run in zip((self.a, self.b), view.pair, strict=True):
            refill_box(combo, view.models, run)
        self._show_controls()

    def choose(self, table: str, a: str = "", b: str = "") -> None:
        """Choose a table and optionally two models, by name or run id."""
        with QSignalBlocker(self.a), QSignalBlocker(self.b), QSignalBlocker(self.table):
            for combo, name in ((self.a, a), (self.b, b)):
                index = max(combo.findData(name), combo.findText(name)) if name else -1
                if index >= 0:
                    combo.setCurrentIndex(index)
            self.table.setCurrentIndex(max(0, self.table.findData(table)))
        self._emit_changed()

    def show_release(self, version: str) -> None:
        """Choose the leaderboard of a release with all protocols."""
        with QSignalBlocker(self.release), QSignalBlocker(self.protocol), QSignalBlocker(self.table):
            if self.release.findData(version) < 0:
                # Not loaded yet; `offer` adds the other releases.
                self.release.addItem(tr("release {name}", name=version), version)
            self.release.setCurrentIndex(self.release.findData(version))
            self.protocol.setCurrentIndex(self.protocol.findData(""))
            self.table.setCurrentIndex(self.table.findData(TABLES[0][0]))
        self._emit_changed()

    def set_scores(self, path: Path) -> None:
        """Choose the file of another benchmark's scores to compare ranks with."""
        self._scores = path
        self.scores_button.setText(shorten_middle(path.name, 28))
        self._emit_changed()

    def set_frontier(self, names: Sequence[str]) -> None:
        """Choose the models of the scaling line; the upper envelope if empty."""
        self._frontier = tuple(names)
        self._emit_changed()

    def _emit_changed(self, _value: object = None) -> None:
        self._show_controls()
        self.changed.emit()

    def _show_controls(self) -> None:
        used_controls = next(controls for name, _, controls in TABLES if name == self.table.currentData())
        for name, widgets in (
            ("by", (self.by,)), ("threshold", (self.threshold,)), ("a", (self.a, self.b)), ("other", (self.other,)),
            ("scores", (self.scores_button,)),
        ):  # fmt: skip
            for widget in widgets:
                widget.setVisible(name in used_controls)
        for name, combo in (("group", self.group), ("k", self.k)):
            combo.setVisible(name in used_controls and combo.count() > 1)
        self.versus.setVisible("a" in used_controls or "other" in used_controls)


def _make_combo(name: str) -> QComboBox:
    combo = choice_box(name)
    combo.setMaximumWidth(240)
    combo.setMinimumContentsLength(8)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return combo
