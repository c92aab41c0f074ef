"""Mine a Stack Exchange dump: read it, drag the line, place tags, divide quotas, take the pool into the project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.base.errors import KnownError
from annotator.ui.notices import Failure
from annotator.ui.page import PageContext
from annotator.ui.pages.parts.pool_panel import PoolPanel
from annotator.ui.pages.parts.tag_editor import TagEditor
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.funnel_view import FunnelView
from annotator.ui.widgets.labels import button, label, number_box
from annotator.ui.widgets.scatter import Scatter
from annotator.ui.widgets.segments import Segments
from annotator.ui.widgets.table import Cell, DataTable
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.mining.stackexchange.kept import Head
    from annotator.mining.stackexchange.line import FilterLine
    from annotator.mining.stackexchange.sieve import Counted
    from annotator.mining.stackexchange.tags import TagTree
    from annotator.services.importing import ImportReport
    from annotator.services.surveying import PoolOptions, Surveyed

_PICTURE_MS = 60
_DROPPED, _TAGS, _QUOTAS = range(3)


@dataclass(frozen=True)
class _Read:
    found: Surveyed
    days: int
    logs: float


class ExchangePanel(QWidget):
    """The Stack Exchange side of the Sources page."""

    def __init__(self, context: PageContext) -> None:
        """Offer to choose a dump."""
        super().__init__()
        self.session, self.theme = context.session, context.theme
        self.dump: Path | None = None
        self.found: Surveyed | None = None
        self.counted: Counted | None = None
        self.line: FilterLine | None = None
        self._stage = ""
        self._build_top()
        self.scatter = Scatter(self.theme)
        self.scatter.dragged.connect(self._dragged)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PICTURE_MS)
        self._timer.timeout.connect(self._ask_picture)
        self.scatter.resized.connect(self._timer.start)
        self.funnel = FunnelView(self.theme)
        self.funnel.stage_chosen.connect(self._stage_chosen)
        self.tags, self.pool = TagEditor(), PoolPanel()
        self.tags.changed.connect(self._tree_changed)
        self.tags.keep_asked.connect(self._keep_tree)
        self.pool.edited.connect(self._divide)
        self.dropped = DataTable(tr("Questions a stage drops"))
        self.faces = Segments(tr("What the panel shows"), (tr("Dropped"), tr("Tags"), tr("Quotas")))
        self.side = QStackedWidget()
        for widget in (self.dropped, self.tags, self.pool):
            self.side.addWidget(widget)
        self.faces.chosen.connect(self.side.setCurrentIndex)
        self._lay_out()

    def _build_top(self) -> None:
        self.card = Card(tr("Stack Exchange dump"))
        self.choose = button(tr("Choose a dump…"))
        self.choose.clicked.connect(self.choose_dump)
        self.answers = number_box()
        self.answers.setRange(1, 7)
        self.answers.setValue(3)
        self.answers.setAccessibleName(tr("Answers with a positive score"))
        self.read = button(tr("Read the dump"), primary=True)
        self.read.setEnabled(False)
        self.read.clicked.connect(self.start)
        self.state = label(tr("Posts.xml, or a 7z, zip, gz, xz, zst or bz2 of it"), "dim", wrap=True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.choose)
        row.addWidget(self.state, 1)
        row.addWidget(label(tr("Answers at least"), "dim"))
        row.addWidget(self.answers)
        row.addWidget(self.read)
        self.card.body.addLayout(row)

    def _lay_out(self) -> None:
        plot, funnel, below = Card(tr("Age against views")), Card(tr("Funnel")), Card()
        plot.body.addWidget(self.scatter, 1)
        self.again = button(tr("Read the dump again with this line"))
        self.again.clicked.connect(self.start)
        self.again.hide()
        plot.body.addWidget(self.again)
        funnel.body.addWidget(self.funnel, 1)
        self.take_all, self.take_pool = button(tr("Take all…")), button(tr("Take the inspection pool"), primary=True)
        self.take_all.clicked.connect(partial(self._take, False))
        self.take_pool.clicked.connect(partial(self._take, True))
        row = QHBoxLayout()
        row.addWidget(self.faces)
        row.addStretch(1)
        row.addWidget(self.take_all)
        row.addWidget(self.take_pool)
        below.body.addLayout(row)
        below.body.addWidget(self.side, 1)
        right = QSplitter(Qt.Orientation.Vertical)
        left = QSplitter(Qt.Orientation.Horizontal)
        for splitter in (left, right):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(12)
        right.addWidget(funnel)
        right.addWidget(below)
        right.setSizes([250, 380])
        left.addWidget(plot)
        left.addWidget(right)
        left.setSizes([520, 600])
        self.empty = EmptyState(
            self.theme,
            "ph.funnel",
            tr("No dump read yet"),
            tr(
                "Choose a dump and read it. It is read once, in constant memory; then the line, the tags and "
                "the quotas "
                "can be changed, and every count follows at once."
            ),
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.empty)
        self.stack.addWidget(left)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(self.card)
        layout.addWidget(self.stack, 1)

    # -- reading --------------------------------------------------------------------------------------------------

    def choose_dump(self) -> None:
        """Ask for a dump."""
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Choose a dump"), "", tr("Dumps (*.xml *.7z *.zip *.gz *.xz *.zst *.bz2);;All files (*)")
        )
        if name:
            self.set_dump(Path(name))

    def set_dump(self, path: Path) -> None:
        """Take a dump; it is read when asked to."""
        self.dump = path
        self.read.setEnabled(True)
        self.state.setText(path.name)

    def take_paths(self, paths: list[Path]) -> None:
        """Take a dump that was dropped on the page."""
        self.set_dump(paths[0])

    def start(self) -> None:
        """Read the dump as a job, or go on where its reading was cut off."""
        store = self.session.store
        if self.dump is None or store is None:
            return
        self.read.setEnabled(False)
        self.state.setText(
            tr("Reading {name}… It can be paused and goes on where it was cut off.", name=self.dump.name)
        )
        work = partial(_survey, store, self.dump, self.answers.value(), self.line)
        self.session.start_job(
            tr("Reading {name}", name=self.dump.name), work, self._surveyed, self._failed, summary=_read_summary
        )
        # A cancelled job calls nobody back, so the button must be there again by itself.
        self.session.jobs_changed.connect(self._jobs_changed)

    def _jobs_changed(self) -> None:
        if not any(job.label.startswith("Reading ") for job in self.session.jobs):
            self.session.jobs_changed.disconnect(self._jobs_changed)
            self.read.setEnabled(self.dump is not None)

    def _failed(self, failure: Failure) -> None:
        self.state.setText(failure.message)

    def _surveyed(self, read: _Read) -> None:
        from annotator.mining.stackexchange.line import FilterLine

        found = read.found
        self.found = found
        self.line = self.line or FilterLine()
        self.scatter.set_extent(max(read.days, 1), max(read.logs * 1.05, 1.0))
        self.scatter.set_line(self.line.intercept, self.line.slope)
        bad = sum(found.counts.bad.values())
        unusable = tr(", {bad} rows could not be used", bad=f"{bad:,}") if bad else ""
        self.state.setText(
            tr(
                "{name}: {rows} posts, ages as of {as_of}{unusable}",
                name=found.dump.name,
                rows=f"{found.counts.rows:,}",
                as_of=found.as_of,
                unusable=unusable,
            )
        )
        self.tags.set_tree(found.sieve.tree)
        self.stack.setCurrentIndex(1)
        self._ask_picture()
        self._ask_count()

    # -- counting -------------------------------------------------------------------------------------------------

    def _dragged(self, ends: tuple[tuple[float, float], tuple[float, float]]) -> None:
        from annotator.mining.stackexchange.line import FilterLine

        self.line = FilterLine.through(*ends)
        self._ask_count()

    def _ask_count(self) -> None:
        if self.found is not None and self.line is not None:
            work = partial(self.found.sieve.count, self.line)
            self.session.run("cpu", work, self._take_count, latest="exchange-count")

    def _take_count(self, counted: Counted) -> None:
        self.counted = counted
        self.funnel.set_stages([(stage.name, stage.label, stage.count) for stage in counted.funnel.stages])
        above, all_of = counted.funnel["above"] or 0, counted.funnel["answered"] or 0
        share = f" ({above / all_of:.1%})" if all_of else ""
        self.scatter.set_remark(tr("{above} above the line{share}", above=f"{above:,}", share=share))
        self.tags.set_share(counted.share)
        self.pool.set_areas(counted.by_area)
        known = counted.funnel["selected"] is not None
        self.again.setVisible(not known)
        self.take_all.setEnabled(known)
        selected = counted.funnel["selected"] or 0
        self.take_all.setText(tr("Take all {selected}", selected=f"{selected:,}") if known else tr("Take all"))
        self._divide()
        self._ask_dropped()

    def _ask_picture(self) -> None:
        if self.found is None:
            return
        work = partial(_picture, self.found, self.scatter.extent, self.scatter.picture_size)
        self.session.run("cpu", work, self.scatter.set_density, latest="exchange-picture")

    def _stage_chosen(self, name: str) -> None:
        self._stage = name
        self.faces.choose(_DROPPED)
        self._ask_dropped()

    def _ask_dropped(self) -> None:
        if self.found is not None and self.line is not None and self._stage:
            work = partial(self.found.sieve.dropped, self._stage, self.line)
            self.session.run("cpu", work, self._take_dropped, latest="exchange-dropped")

    def _take_dropped(self, heads: tuple[Head, ...]) -> None:
        rows = [
            (
                Cell(head.title or str(head.id)),
                Cell(", ".join(head.tags)),
                Cell(f"{head.views:,}", head.views),
                Cell(f"{head.days:,}", head.days),
            )
            for head in heads
        ]
        self.dropped.set_rows(
            (tr("dropped question"), tr("tags"), tr("views"), tr("days")), rows, list(heads), stretch=(0, 1)
        )

    # -- tags and quotas ------------------------------------------------------------------------------------------

    def _tree_changed(self, tree: TagTree) -> None:
        if self.found is not None:
            self.session.run("cpu", partial(_with_tree, self.found, tree), self._take_tree, latest="exchange-tree")

    def _take_tree(self, found: Surveyed) -> None:
        self.found = found
        self._ask_count()

    def _keep_tree(self, tree: TagTree) -> None:
        store = self.session.store
        if store is not None:
            self.session.act(partial(_keep_tree, store, tree))
            self.session.say(tr("The tag tree is kept in the project."))

    def _divide(self) -> None:
        """Divide the quotas; that is arithmetic on a few dozen numbers."""
        from annotator.services.surveying import divide

        if self.counted is None:
            return
        try:
            cells = divide(self.counted, self.pool.options())
        except KnownError as error:
            self.pool.show_cells(error)
            self.take_pool.setEnabled(False)
            return
        self.pool.show_cells(cells)
        self.take_pool.setEnabled(bool(sum(cell.pool for cell in cells)))

    def _take(self, pool: bool, _checked: bool = False) -> None:
        store = self.session.store
        if store is None or self.found is None or self.counted is None:
            return
        options = self.pool.options() if pool else None
        work = partial(_take_pool, store, self.found, self.counted, options)
        label_ = tr("Taking the inspection pool") if pool else tr("Taking the questions")
        self.session.start_job(label_, work, self._taken, self._failed, summary=_taken_summary)

    def _taken(self, report: ImportReport) -> None:
        self.session.announce(report.changes)
        self.state.setText(_taken_summary(report))


def _read_summary(read: _Read) -> str:
    return tr("{rows} posts read.", rows=f"{read.found.counts.rows:,}")


def _taken_summary(report: ImportReport) -> str:
    return tr(
        "{added} questions added, {known} known.", added=f"{report.added:,}", known=f"{report.known + report.changed:,}"
    )


# The services would load SQLModel before the first paint, so these import them when they run.


def _survey(store: Any, dump: Path, answers: int, line: FilterLine | None, progress: Any) -> _Read:
    from annotator.mining.stackexchange.line import FilterLine
    from annotator.services import surveying
    from annotator.services.mining import DumpOptions

    options = DumpOptions(line=line or FilterLine(), answers=answers, tree=surveying.project_tree(store))
    found = surveying.survey_dump(dump, options, progress)
    sieve = found.sieve
    return _Read(found, int(max(sieve.days, default=0)), float(max(sieve.logs, default=0.0)))


def _picture(found: Surveyed, extent: tuple[float, float], size: tuple[int, int]) -> Any:
    from annotator.mining.stackexchange.sieve import density

    return density(found.sieve.days, found.sieve.logs, extent, size)


def _with_tree(found: Surveyed, tree: TagTree) -> Surveyed:
    from annotator.services import surveying

    return surveying.with_tree(found, tree)


def _keep_tree(store: Any, tree: TagTree) -> Any:
    from annotator.services import surveying

    return surveying.keep_tree(store, tree)


def _take_pool(
    store: Any, found: Surveyed, counted: Counted, options: PoolOptions | None, progress: Any
) -> ImportReport:
    from annotator.services import surveying

    return surveying.take_pool(store, found, counted, options, progress)
