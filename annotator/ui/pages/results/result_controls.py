"""The controls above the results, which choose the release, protocol, table, grouping, models and filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from annotator.base.errors import BadInputError
from annotator.model.rows.result_rows import ResultRun, Table
from annotator.services.release.release_list import list_releases
from annotator.services.results import comparisons, named_tables, published_tables, result_tables, score_data
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.fields import add_heading, choice_box, real_box, refill_box, search_line
from annotator.ui.widgets.labels import button, label, shorten_middle
from annotator.ui.widgets.layouts import fill_layout, make_flow

PUBLISHED = "published:"
# Enough for intervals of two digits while somebody waits; the command's default is ten thousand.
_BOOTSTRAP_DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """The choices of the controls; empty texts mean the default.

    ``version`` is a release, or `PUBLISHED` followed by the name of a published table; ``scores`` is a file with
    another benchmark's scores; ``frontier`` lists the models of the scaling line (empty: the upper envelope).
    """

    version: str = ""
    protocol: str = ""
    table: str = "leaderboard"
    by: str = "domain"
    group: str = ""
    k: int | None = None
    threshold: float = 10.0
    a: str = ""
    b: str = ""
    other: str = ""
    scores: Path | None = None
    frontier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """The content of the page: a table or the reason why there is none, and the available choices.

    ``data`` is the results of the release, None for a published table. ``older`` lists the runs that newer ones in
    ``data`` replace, newest first; ``compared`` is the results of the two compared runs if one of them is older.
    """

    table: Table | None
    problem: str
    version: str
    versions: tuple[str, ...]
    protocols: tuple[str, ...]
    labels: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]
    published: tuple[str, ...]
    data: ResultData | None
    older: tuple[ResultRun, ...] = ()
    compared: ResultData | None = None
    pair: tuple[str, str] = ("", "")
    """The ids of the two runs to compare."""
    groups: tuple[str, ...] = ()
    """The groups of the items."""
    ks: tuple[int, ...] = ()
    """The values of k for which a best of k can be computed."""

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        """The (name, run id) of all runs that can be compared, older ones included."""
        counted_runs = tuple((entry.label, entry.run.id) for entry in self.data.entries) if self.data else ()
        return (*counted_runs, *((_older_name(run), run.id) for run in self.older))

    @property
    def listed(self) -> ResultData | None:
        """The results that the table was made from."""
        return self.compared or self.data

    def run_before(self, run_id: str) -> tuple[str, str]:
        """Return a run's label, and the id of the previous run of its model and protocol; empty if there is none."""
        for entry in self.data.entries if self.data else ():
            if entry.run.id == run_id:
                model_and_protocol = entry.run.model, entry.run.protocol
                previous_run_id = next(
                    (run.id for run in self.older if (run.model, run.protocol) == model_and_protocol), ""
                )
                return entry.label, previous_run_id
        return "", ""


def load_result_view(store: ProjectFile, request: TableRequest, loaded_data: ResultData | None) -> ResultView | None:
    """Load the requested view; None without a release. ``loaded_data`` is reused if it fits the request."""
    versions = tuple(row.version for row in list_releases(store))
    published_names = tuple(published_tables.published_tables(store))
    if request.version.startswith(PUBLISHED) or (published_names and not versions):
        return _load_published_view(store, request, versions, published_names)
    if not versions:
        return None
    data = loaded_data
    if data is None or (request.version and data.version != request.version) or not _has_protocol(request, data):
        protocol = request.protocol or None
        try:
            data = score_data.load_results(store, request.version or None, protocol=protocol)
        except BadInputError:
            data = score_data.load_results(store, request.version or None)
    older = score_data.older_runs(data)
    request = _choose_pair(request, data, {run.id for run in older})
    compared = _load_compared(store, request, data)
    groups, ks = _list_groups(request, data), tuple(result_tables.available_ks(data)) if data.entries else ()
    request = replace(
        request, group=request.group if request.group in groups else "", k=request.k if request.k in ks else None
    )
    table, problem = None, ""
    if data.entries:
        try:
            table = named_tables.make_table(store, compared or data, request.table, _table_options(request))
        except BadInputError as error:
            problem = _suggest_next_step(request, error.message)
    labels = tuple(entry.label for entry in data.entries)
    runs = tuple(
        (entry.label, entry.run.id) for result_data in (data, compared) if result_data for entry in result_data.entries
    )
    return ResultView(
        table=table,
        problem=problem,
        version=data.version,
        versions=versions,
        protocols=data.protocols,
        labels=labels,
        runs=runs,
        published=published_names,
        data=data,
        older=older,
        compared=compared,
        pair=(request.a, request.b),
        groups=groups,
        ks=ks,
    )


def _older_name(run: ResultRun) -> str:
    return f"{run.model} · {run.protocol} · {run.created_at[:16].replace('T', ' ')} · {run.id[-6:]}"


def _choose_pair(request: TableRequest, data: ResultData, older_ids: set[str]) -> TableRequest:
    """Fill in the ids of the two runs to compare: the requested ones, or else the first two distinct ones."""
    counted_ids = [entry.run.id for entry in data.one_protocol().entries]
    known_ids = {*older_ids, *(entry.run.id for entry in data.entries)}
    a = request.a if request.a in known_ids else next((run for run in counted_ids if run != request.b), "")
    b = request.b if request.b in known_ids - {a} else next((run for run in counted_ids if run != a), "")
    return replace(request, a=a, b=b)


def _list_groups(request: TableRequest, data: ResultData) -> tuple[str, ...]:
    if request.table != "domains" or request.by == "metric":
        return ()
    return tuple(sorted({name for name in data.groups(request.by) if name is not None}))


def _load_compared(store: ProjectFile, request: TableRequest, data: ResultData) -> ResultData | None:
    """Load the two runs of a comparison if one of them is an older run."""
    counted_ids = {entry.run.id for entry in data.entries}
    if request.table != "compare" or not (request.a and request.b) or {request.a, request.b} <= counted_ids:
        return None
    return score_data.load_results(store, data.version, runs=(request.a, request.b))


def _load_published_view(
    store: ProjectFile, request: TableRequest, versions: tuple[str, ...], published_names: tuple[str, ...]
) -> ResultView:
    requested_name = request.version.removeprefix(PUBLISHED)
    name = requested_name if requested_name in published_names else published_names[0]
    published_table = published_tables.published_named(store, name)
    table, problem = None, ""
    try:
        table = published_tables.make_published_table(
            published_table,
            request.table,
            TableOptions(threshold=request.threshold, scores=_read_other_scores(request)),
        )
    except BadInputError as error:
        problem = error.message
    return ResultView(
        table=table,
        problem=problem,
        version=PUBLISHED + name,
        versions=versions,
        protocols=(),
        labels=published_table.models(),
        runs=(),
        published=published_names,
        data=None,
    )


def _suggest_next_step(request: TableRequest, sentence: str) -> str:
    """Return what to do on the page if a table lacks input; the error itself names options of the command line."""
    if request.table == "ranks" and request.scores is None:
        return tr("Above, choose the scores of the other benchmark: a CSV or JSON file with model and score.")
    if request.table == "releases" and not request.other:
        return tr("There is only one release. Create another one and run the models on it to compare the two.")
    if request.table in ("audit", "quotas"):
        return tr("This table needs a published table. Import one (annotator import published), then choose it above.")
    return sentence


def _read_other_scores(request: TableRequest) -> dict[str, float]:
    return comparisons.read_other_scores(request.scores) if request.scores is not None else {}


def _has_protocol(request: TableRequest, data: ResultData) -> bool:
    protocols = {entry.run.protocol for entry in data.entries}
    return protocols == {request.protocol} if request.protocol else protocols == set(data.protocols)


def _table_options(request: TableRequest) -> TableOptions:
    return TableOptions(
        by=request.by,
        group=request.group,
        passes_k=request.k,
        threshold=request.threshold,
        draws=_BOOTSTRAP_DRAWS,
        a=request.a,
        b=request.b,
        other_version=request.other,
        scores=_read_other_scores(request) if request.table == "ranks" else {},
        frontier=request.frontier,
    )


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
        self.scores = button(tr("Scores of another benchmark…"), clicked=self.scores_requested)
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
        table_controls = make_flow(
            self.table, self.by, self.group, self.k, self.threshold,
            self.a, self.versus, self.b, self.other, self.scores,
        )  # fmt: skip
        release_controls = make_flow(self.filter, self.protocol, self.release)
        fill_layout(QHBoxLayout(self), table_controls, None, release_controls, spacing=8, margin=0)
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
        self.scores.setText(shorten_middle(path.name, 28))
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
            ("scores", (self.scores,)),
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
