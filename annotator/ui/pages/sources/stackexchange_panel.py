"""Mine a Stack Exchange dump: read it, drag the filter line, place tags, set quotas, import the pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from annotator.base.errors import KnownError
from annotator.jobs.progress import Progress
from annotator.mining.quota_plan import PUBLISHED_SHARES
from annotator.mining.quota_plan import LanguageQuota as QuotaCell
from annotator.mining.stackexchange.funnel import FunnelCount, density_image
from annotator.mining.stackexchange.survey import FilterLine
from annotator.mining.stackexchange.survey_result import Head
from annotator.mining.stackexchange.tags import KINDS, Share, TagNode, TagTree, read_tag_tree
from annotator.services.sources import stackexchange_survey
from annotator.services.sources.stackexchange_survey import DumpOptions, DumpSurvey, PoolOptions
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Page
from annotator.ui.app.translation import mark_words, tr, tr_message, translate_word
from annotator.ui.pages.sources.age_views_plot import AgeViewsPlot
from annotator.ui.pages.sources.mining_panel import FunnelView, MiningPanel, ShareTable
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.fields import choice_box, debounce, line_edit, number_box
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, label
from annotator.ui.widgets.layouts import fill_column, fill_layout, make_row, make_splitter, make_stack
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
        self.unplaced = DataTable(tr("Unplaced tags"), selected=self._edit_unplaced)
        self.placed = DataTable(tr("Placed tags"), selected=self._edit_placed)
        splitter = make_splitter(Qt.Orientation.Horizontal, self.unplaced, self.placed, sizes=[230, 420], handle=None)
        self.tag, self.language, self.area = line_edit(tr("Tag"), tr("tag")), QComboBox(), QComboBox()
        self.kind = choice_box(tr("Kind of the tag"), ((translate_word(kind), kind) for kind in KINDS))
        for box, name in ((self.language, "language"), (self.area, "area")):
            box.setEditable(True)
            box.setAccessibleName(tr("{name} of the tag", name=translate_word(name.capitalize())))
            box.setMinimumContentsLength(8)
            line = box.lineEdit()
            assert line is not None
            line.setPlaceholderText(translate_word(name))
        self.place_button = button(tr("Place"), clicked=self.place_tag)
        self.remove_button = button(tr("Remove"), clicked=self.remove_tag)
        self.save_in_project_button = button(tr("Save in project"), clicked=self._save_in_project)
        self.load_button = button(tr("Load…"), clicked=self._load)
        self.save_button = button(tr("Save as…"), clicked=self._save)
        self.problem = OptionalLabel("problem")
        fields = make_row(self.tag, self.kind, self.language, self.area, self.place_button, self.remove_button)
        files = make_row(self.share, None, self.load_button, self.save_button, self.save_in_project_button)
        fill_column(self, files, (splitter, 1), self.problem, fields)

    def set_tree(self, tree: TagTree) -> None:
        """Show a tree."""
        self._tree = tree
        rows = [
            (node.tag, translate_word(node.kind), node.language, node.area or tree.areas.get(node.language, ""))
            for node in tree.nodes
        ]
        self.placed.set_rows(mark_words("placed tag", "kind", "language", "area"), rows, tree.nodes)
        _refill(self.language, sorted({node.language for node in tree.nodes if node.language}))
        _refill(self.area, sorted({area for area in tree.areas.values() if area}))

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
        self.unplaced.set_rows(mark_words("not placed", "questions"), rows, [tag for tag, _ in share.unplaced])

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

    def _edit_unplaced(self, tag: str) -> None:
        self.tag.setText(tag)
        self.kind.setCurrentIndex(self.kind.findData("framework"))

    def _edit_placed(self, node: TagNode) -> None:
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


def _refill(box: QComboBox, texts: Sequence[str]) -> None:
    text = box.currentText()
    box.clear()
    box.addItems(["", *texts])
    box.setEditText(text)


class PoolPanel(QWidget):
    """Edits the shares and shows the resulting quotas; `edited` is emitted on every change."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.shares = ShareTable(tr("Share of each area"), tr("area"))
        self.items = number_box(1, 1_000_000, 200, tr("Size"))
        self.minimum = number_box(0, 100_000, 10, tr("Minimum"))
        self.seed = number_box(0, 2_000_000_000, 1, tr("Seed"))
        row = QHBoxLayout()
        for box in (self.items, self.minimum, self.seed):
            box.valueChanged.connect(self.edited)
            fill_layout(row, label(box.accessibleName(), "dim"), box)
        self.total = label("", "section")
        fill_layout(row, None, self.total)
        self.problem = OptionalLabel("problem")
        self.table = DataTable(tr("Quota per language"))
        across = make_splitter(Qt.Orientation.Horizontal, self.shares, self.table, sizes=[250, 410], handle=None)
        fill_column(self, row, (across, 1), self.problem)
        for area, share in PUBLISHED_SHARES.items():
            self.shares.add_share(area, share)
        self.shares.itemChanged.connect(self.edited)

    def set_areas(self, by_area: Mapping[str, Mapping[str, int]]) -> None:
        """Add the missing areas of the tag tree, with a share of 0."""
        known_areas = {name for name, _ in self.shares.texts()}
        self.shares.blockSignals(True)
        for area in by_area:
            if area not in known_areas:
                self.shares.add_share(area, 0.0)
        self.shares.blockSignals(False)

    def options(self) -> PoolOptions:
        """Return the entered options. Raises `UsageError` for a share that is not a number."""
        return PoolOptions(self.shares.shares(), self.items.value(), self.minimum.value(), self.seed.value())

    def show_cells(self, cells: tuple[QuotaCell, ...] | KnownError) -> None:
        """Show the quotas, or the error that prevents them."""
        self.problem.setText(cells.message if isinstance(cells, KnownError) else "")
        if isinstance(cells, KnownError):
            cells = ()
        rows = [
            (
                cell.language,
                cell.area,
                cell.candidate_count,
                Cell(f"{cell.share:.2f}", cell.share),
                Cell(str(cell.quota), cell.quota),
                Cell(str(cell.pool_size), cell.pool_size),
            )
            for cell in cells
        ]
        headers = mark_words("language", "area", "questions", "share", "quota", "pool")
        self.table.set_rows(headers, rows, cells, stretch=1)
        quota, pool = sum(cell.quota for cell in cells), sum(cell.pool_size for cell in cells)
        self.total.setText(
            tr("{quota} in the quotas, {pool} to inspect", quota=f"{quota:,}", pool=f"{pool:,}") if cells else ""
        )


_PICTURE_MS = 60
_DROPPED, _TAGS, _QUOTAS = range(3)


class ExchangePanel(MiningPanel):
    """The Stack Exchange side of the Sources page."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, tr("Posts.xml, plain or compressed (7z, zip, gz, xz, zst, bz2)"))
        self.dump: Path | None = None
        self.survey: DumpSurvey | None = None
        self.counts: FunnelCount | None = None
        self.line: FilterLine | None = None
        self._current_stage = ""
        self.choose_button = button(tr("Choose a dump…"), clicked=self.choose_dump)
        self.answers = number_box(1, 7, 3, tr("Answers with a positive score"))
        self.read_button = button(tr("Read the dump"), primary=True, clicked=self.start)
        self.read_button.setEnabled(False)
        self.scatter = AgeViewsPlot(self.theme)
        self.scatter.dragged.connect(self._move_line)
        self._timer = debounce(self, _PICTURE_MS, self._request_picture)
        self.scatter.resized.connect(self._timer.start)
        self.funnel = FunnelView(self.theme)
        self.funnel.stage_chosen.connect(self._stage_chosen)
        self.tags, self.pool = TagEditor(), PoolPanel()
        self.tags.changed.connect(self._tree_changed)
        self.tags.save_requested.connect(self._save_tree)
        self.pool.edited.connect(self._update_quotas)
        self.dropped = DataTable(tr("Dropped questions"))
        self.side = make_stack(self.dropped, self.tags, self.pool)
        words = (tr("Dropped"), tr("Tags"), tr("Quotas"))
        self.faces = Segments(tr("Panel view"), words, selected=self.side.setCurrentIndex)
        self._lay_out()

    def _lay_out(self) -> None:
        self.read_again_button = button(tr("Read the dump again with this line"), clicked=self.start)
        self.read_again_button.hide()
        plot = Card(tr("Age against views"), (self.scatter, 1), self.read_again_button)
        funnel = Card(tr("Funnel"), (self.funnel, 1))
        self.add_all_button = button(tr("Add all…"), clicked=partial(self._import, False))
        self.add_pool_button = button(tr("Add inspection pool"), primary=True, clicked=partial(self._import, True))
        below = Card("", make_row(self.faces, None, self.add_all_button, self.add_pool_button), (self.side, 1))
        right = make_splitter(Qt.Orientation.Vertical, funnel, below, sizes=[250, 380])
        columns = make_splitter(Qt.Orientation.Horizontal, plot, right, sizes=[520, 600])
        empty = EmptyState(
            self.theme,
            "ph.funnel",
            tr("No dump read yet"),
            tr(
                "Choose a dump and read it. It is read only once; then you can change the line, tags and quotas, and "
                "all counts update at once."
            ),
        )
        words = label(tr("Minimum answers"), "dim")
        row = make_row(self.choose_button, (self.state, 1), words, self.answers, self.read_button)
        self.fill(Card(tr("Stack Exchange dump"), row), empty, columns)

    # -- reading --------------------------------------------------------------------------------------------------

    def choose_dump(self) -> None:
        """Ask for a dump."""
        filters = tr("Dumps (*.xml *.7z *.zip *.gz *.xz *.zst *.bz2);;All files (*)")
        path = file_dialogs.choose_file(self, tr("Choose a dump"), filters)
        if path is not None:
            self.set_dump(path)

    def set_dump(self, path: Path) -> None:
        """Set the dump to read."""
        self.dump = path
        self.read_button.setEnabled(True)
        self.state.setText(path.name)

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Set the first path dropped on the page as the dump."""
        self.set_dump(paths[0])

    def start(self) -> None:
        """Read the dump as a job, resuming an interrupted reading."""
        if self.dump is None:
            return
        self.read_button.setEnabled(False)
        self.state.setText(
            tr("Reading {name}… You can pause it, and it continues where it stopped.", name=self.dump.name)
        )
        work = partial(_survey, self.store, self.dump, self.answers.value(), self.line)
        title = tr("Reading {name}", name=self.dump.name)
        self.session.start_job(
            title, work, self._show_read_dump, self._show_failure, summary=_read_summary, on_end=self._end_reading
        )

    def _end_reading(self) -> None:
        self.read_button.setEnabled(True)
        self.state.clear()

    def _show_read_dump(self, survey: DumpSurvey) -> None:
        self.survey = survey
        self.line = self.line or FilterLine()
        max_days = int(survey.funnel_counter.days.max(initial=0))
        max_log_views = float(survey.funnel_counter.logs.max(initial=0.0))
        # A margin above the topmost points.
        self.scatter.set_extent(max(max_days, 1), max(max_log_views * 1.05, 1.0))
        self.scatter.set_line(self.line.intercept, self.line.slope)
        bad_count = sum(survey.counts.bad.values())
        unusable_text = tr(", {bad} unusable rows", bad=f"{bad_count:,}") if bad_count else ""
        self.state.setText(
            tr(
                "{name}: {rows} posts, ages as of {as_of}{unusable}",
                name=survey.dump.name,
                rows=f"{survey.counts.rows:,}",
                as_of=survey.as_of,
                unusable=unusable_text,
            )
        )
        self.tags.set_tree(survey.funnel_counter.tree)
        self.stack.setCurrentIndex(1)
        self._request_picture()
        self._request_count()

    # -- counting -------------------------------------------------------------------------------------------------

    def _move_line(self, ends: tuple[tuple[float, float], tuple[float, float]]) -> None:
        self.line = FilterLine.through(*ends)
        self._request_count()

    def _request_count(self) -> None:
        if self.survey is not None and self.line is not None:
            work = partial(self.survey.funnel_counter.count, self.line)
            self.session.run("cpu", work, self._show_count, latest="exchange-count")

    def _show_count(self, counts: FunnelCount) -> None:
        self.counts = counts
        self.funnel.set_stages([(stage.name, tr_message(stage.label), stage.count) for stage in counts.funnel.stages])
        above, total = counts.funnel["above"] or 0, counts.funnel["answered"] or 0
        share = f" ({above / total:.1%})" if total else ""
        self.scatter.set_remark(tr("{above} above the line{share}", above=f"{above:,}", share=share))
        self.tags.set_share(counts.share)
        self.pool.set_areas(counts.by_area)
        is_known = counts.funnel["selected"] is not None
        self.read_again_button.setVisible(not is_known)
        self.add_all_button.setEnabled(is_known)
        selected = counts.funnel["selected"] or 0
        self.add_all_button.setText(tr("Add all {selected}", selected=f"{selected:,}") if is_known else tr("Add all"))
        self._update_quotas()
        self._request_dropped()

    def _request_picture(self) -> None:
        if self.survey is None:
            return
        counter = self.survey.funnel_counter
        work = partial(density_image, counter.days, counter.logs, self.scatter.extent, self.scatter.picture_size)
        self.session.run("cpu", work, self.scatter.set_density, latest="exchange-picture")

    def _stage_chosen(self, name: str) -> None:
        self._current_stage = name
        self.faces.choose(_DROPPED)
        self._request_dropped()

    def _request_dropped(self) -> None:
        if self.survey is not None and self.line is not None and self._current_stage:
            work = partial(self.survey.funnel_counter.dropped, self._current_stage, self.line)
            self.session.run("cpu", work, self._show_dropped, latest="exchange-dropped")

    def _show_dropped(self, heads: tuple[Head, ...]) -> None:
        rows = [(head.title or str(head.id), ", ".join(head.tags), head.views, head.days) for head in heads]
        self.dropped.set_rows(mark_words("dropped question", "tags", "views", "days"), rows, heads, stretch=(0, 1))

    # -- tags and quotas ------------------------------------------------------------------------------------------

    def _tree_changed(self, tree: TagTree) -> None:
        if self.survey is not None:
            work = partial(stackexchange_survey.survey_with_tree, self.survey, tree)
            self.session.run("cpu", work, self._show_survey, latest="exchange-tree")

    def _show_survey(self, survey: DumpSurvey) -> None:
        self.survey = survey
        self._request_count()

    def _save_tree(self, tree: TagTree) -> None:
        self.session.act(partial(stackexchange_survey.save_tree, self.store, tree))
        self.session.say(tr("The tag tree is saved in the project."))

    def _update_quotas(self) -> None:
        """Recompute the quotas, in the main thread because it takes a few dozen operations."""
        if self.counts is None:
            return
        try:
            cells = stackexchange_survey.divide_pool(self.counts, self.pool.options())
        except KnownError as error:
            self.pool.show_cells(error)
            self.add_pool_button.setEnabled(False)
            return
        self.pool.show_cells(cells)
        self.add_pool_button.setEnabled(bool(sum(cell.pool_size for cell in cells)))

    def _import(self, only_pool: bool, _checked: bool = False) -> None:
        if self.survey is None or self.counts is None:
            return
        options = self.pool.options() if only_pool else None
        work = partial(stackexchange_survey.take_pool, self.store, self.survey, self.counts, options)
        title = tr("Adding the inspection pool") if only_pool else tr("Adding the questions")
        self.import_items(title, work)


def _read_summary(survey: DumpSurvey) -> str:
    return tr("{rows} posts read.", rows=f"{survey.counts.rows:,}")


def _survey(store: ProjectFile, dump: Path, answers: int, line: FilterLine | None, progress: Progress) -> DumpSurvey:
    options = DumpOptions(line=line or FilterLine(), answers=answers, tree=stackexchange_survey.project_tree(store))
    return stackexchange_survey.survey_dump(dump, options, progress)
