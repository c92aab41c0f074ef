"""Mine code that says a model wrote it: results with reasons, near duplicates side by side, clusters to thin."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QWidget

from annotator.mining.generated_code.duplicates import Cluster
from annotator.mining.generated_code.filters import Judged
from annotator.services.sources import generated_code
from annotator.services.sources.generated_code import MinedCode
from annotator.services.sources.imports import ImportReport
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Page
from annotator.ui.app.session.notices import Failure
from annotator.ui.app.translation import mark_for_translation, tr
from annotator.ui.pages.sources.funnel_view import FunnelView
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.empty_state import EmptyState
from annotator.ui.widgets.fields import choice_box, refill
from annotator.ui.widgets.labels import Segments, button, label
from annotator.ui.widgets.layouts import make_column, make_row, make_splitter, make_stack
from annotator.ui.widgets.table import Cell, DataTable

_STAGES = {
    "found": mark_for_translation("comments that say so"),
    "attributed": mark_for_translation("belong to a function or class"),
    "usable": mark_for_translation("parse, 3 to 100 lines, permissive licence"),
    "simple": mark_for_translation("are not overly simple"),
    "hard": mark_for_translation("can be tested"),
    "duplicate": mark_for_translation("are not near duplicates"),
}


class CodePanel(QWidget):
    """The generated code side of the Sources page."""

    def __init__(self, page: Page) -> None:
        """Offer to choose code."""
        super().__init__()
        self.session, self.store, self.theme = page.session, page.store, page.theme
        self.path: Path | None = None
        self.found: MinedCode | None = None
        self.chosen: set[str] = set()
        self._by_id: dict[str, Judged] = {}
        self._alike: dict[str, Cluster] = {}
        self._shown: Judged | None = None
        self._listed: list[Judged] = []
        self.folder = button(tr("Choose a folder…"), primary=True, clicked=self.choose_folder)
        self.file = button(tr("Choose an archive…"), clicked=self.choose_file)
        self.strict = QCheckBox(tr("the 120 literal phrases alone"))
        self.state = label(tr("A clone, a zip or tar archive, or a file; comments alone are read"), "dim", wrap=True)
        row = make_row((self.state, 1), self.strict, self.file, self.folder, spacing=8)
        self.card = Card(tr("Code that says a model wrote it"), row)
        self.funnel = FunnelView(self.theme)
        self.funnel.stage_chosen.connect(self._stage_chosen)
        self.table = DataTable(tr("Mined functions"), selected=self.show_item)
        self.faces = Segments(tr("Which functions are shown"), (tr("All"), tr("Kept"), tr("Same task")))
        self.faces.chosen.connect(self._face_chosen)
        self.licence = choice_box(tr("Licence"), letters=8)
        self.licence.currentIndexChanged.connect(self._show_rows)
        self.pick = button(tr("Leave out"), clicked=self.toggle)
        self.thin = button(tr("Keep one of each task"), clicked=self.keep_one)
        self.take = button(tr("Take"), primary=True, clicked=self.take_chosen)
        self.why = label("", wrap=True)
        self.left, self.right = CodeView(self.theme, tr("Function")), CodeView(self.theme, tr("What it is alike"))
        self.left_card = Card(tr("Function"), (self.left, 1))
        self.right_card = Card(tr("Alike"), (self.right, 1))
        self._lay_out()

    def _lay_out(self) -> None:
        acts = make_row(self.faces, self.licence, None, self.thin, self.pick, self.take)
        funnel, results = Card(tr("Funnel"), self.funnel), Card("", acts, (self.table, 1), self.why)
        upper = make_splitter(Qt.Orientation.Horizontal, funnel, results, sizes=[300, 800])
        pair = make_splitter(Qt.Orientation.Horizontal, self.left_card, self.right_card)
        down = make_splitter(Qt.Orientation.Vertical, upper, pair, sizes=[330, 270])
        self.empty = EmptyState(
            self.theme,
            "ph.code",
            tr("No code mined yet"),
            tr(
                "Choose a folder of code. Functions whose comments say that a model wrote them are found in five "
                "languages, each with what speaks against it."
            ),
        )
        self.stack = make_stack(self.empty, down)
        make_column(self, self.card, (self.stack, 1), spacing=12)

    # -- mining ---------------------------------------------------------------------------------------------------

    def choose_folder(self) -> None:
        """Ask for a folder and mine it."""
        path = file_dialogs.choose_folder(self, tr("Mine a folder of code"))
        if path is not None:
            self.start(path)

    def choose_file(self) -> None:
        """Ask for an archive or a file and mine it."""
        path = file_dialogs.choose_file(self, tr("Mine an archive"))
        if path is not None:
            self.start(path)

    def take_paths(self, paths: list[Path]) -> None:
        """Mine what was dropped on the page."""
        self.start(paths[0])

    def start(self, path: Path) -> None:
        """Mine a path as a job."""
        self.path = path
        self.state.setText(tr("Mining {name}…", name=path.name))
        work = partial(generated_code.mine_generated_code, [path], strict=self.strict.isChecked())
        self.session.start_job(tr("Mining {name}", name=path.name), work, self._mined, self._failed, summary=_summary)

    def _failed(self, failure: Failure) -> None:
        self.state.setText(failure.message)

    def _mined(self, found: MinedCode) -> None:
        self.found = found
        self._by_id = {item.id: item for item in found.judged}
        self._alike = {member: cluster for cluster in found.clusters for member in cluster.members}
        self.chosen = {item.id for item in found.judged if item.kept and item.found.code}
        skipped = ", ".join(
            tr("{count} files skipped: {reason}", count=f"{count:,}", reason=reason) for reason, count in found.skipped
        )
        self.state.setText(f"{_summary(found)} {skipped}")
        left: dict[str, int] = {}
        for row in found.counts:
            left[row.stage] = left.get(row.stage, 0) + row.left
        self.funnel.set_stages([(name, text, left.get(name, 0)) for name, text in _STAGES.items()])
        self.faces.set_word(2, tr("Same task {count}", count=len(found.clusters)))
        self.thin.setEnabled(bool(found.clusters))
        offered: list[tuple[str, object]] = [(tr("All licences"), None)]
        offered += [
            (tr("{licence}: {count}", licence=name or tr("none known"), count=f"{count:,}"), name)
            for name, count in found.licences().items()
        ]
        refill(self.licence, offered, None)
        self.stack.setCurrentIndex(1)
        self._list(list(found.judged))

    # -- looking --------------------------------------------------------------------------------------------------

    def _stage_chosen(self, name: str) -> None:
        if self.found is not None:
            items = [item for item in self.found.judged if item.dropped_at == name]
            self._list(items if name != "found" else list(self.found.judged))

    def _face_chosen(self, number: int) -> None:
        if self.found is None:
            return
        items = list(self.found.judged)
        if number == 1:
            items = [item for item in items if item.id in self.chosen]
        elif number == 2:
            items = [self._by_id[name] for cluster in self.found.clusters for name in cluster.members]
        self._list(items)

    def _list(self, items: list[Judged]) -> None:
        self._listed = items
        self._show_rows()

    def _show_rows(self, _place: int = 0) -> None:
        licence = self.licence.currentData()
        items = [item for item in self._listed if licence is None or item.found.licence == licence]
        headers = (
            "function", "language", tr("licence"), "taken", tr("dropped as"), "reason", "lines", "complexity", "stars",
            "file",
        )  # fmt: skip
        rows = [
            (
                Cell(item.found.name or tr("a comment")),
                Cell(item.found.language),
                Cell(item.found.licence or tr("none known")),
                Cell(tr("✓ taken") if item.id in self.chosen else tr("left out")),
                Cell(item.dropped_at or tr("kept")),
                Cell("; ".join(f"{reason.rule}: {reason.detail}" for reason in item.reasons)),
                Cell(str(item.logical_lines), item.logical_lines),
                Cell(str(item.complexity), item.complexity),
                Cell(str(item.found.stars), item.found.stars),
                Cell(item.found.path),
            )
            for item in items
        ]
        self.table.set_rows(headers, rows, items, stretch=(5, 9))
        self.take.setText(tr("Take {count} into the project", count=f"{len(self.chosen):,}"))
        self.take.setEnabled(bool(self.chosen))
        shown = self._shown if self._shown in items else None
        if items:
            self.table.select(items.index(shown) if shown is not None else 0)
        else:
            self.show_item(None)

    def show_item(self, item: Judged | None) -> None:
        """Show a function with what speaks against it, and beside it the one it is alike."""
        self._shown = item
        self.pick.setEnabled(item is not None and bool(item.found.code))
        if item is None:
            self.left.set_code("")
            self.right.set_code("")
            self.why.setText("")
            return
        self.pick.setText(tr("Leave out") if item.id in self.chosen else tr("Take it all the same"))
        self.left.set_code(item.found.code or item.found.comment.text, item.found.language)
        self.left_card.set_title(item.found.name or tr("A comment"))
        self.left_card.set_trailing(
            tr("{path}, lines {start} to {end}", path=item.found.path, start=item.found.start, end=item.found.end)
        )
        said = tr("The comment says: {text}", text=item.found.comment.text[:160])
        reasons = [f"{reason.stage}: {reason.rule}, {reason.detail}" for reason in item.reasons]
        self.why.setText("\n".join([said, *reasons]))
        other, remark = self._other(item)
        self.right_card.set_title(other.found.name if other else tr("Nothing is alike"))
        self.right_card.set_trailing(remark)
        self.right.set_code(other.found.code if other else "", other.found.language if other else "")

    def _other(self, item: Judged) -> tuple[Judged | None, str]:
        pair = item.pair
        if pair is not None:
            words = (
                tr("the same")
                if pair.exact
                else tr(
                    "Jaccard {jaccard}, Levenshtein {levenshtein}",
                    jaccard=f"{pair.jaccard:.2f}",
                    levenshtein=f"{pair.levenshtein:.2f}",
                )
            )
            return self._by_id.get(pair.first), words
        cluster = self._alike.get(item.id)
        if cluster is None:
            return None, ""
        other = next(name for name in (cluster.keep, *cluster.members) if name != item.id)
        return self._by_id.get(other), tr("same task, {count} functions", count=len(cluster.members))

    # -- choosing -------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Take the function shown, or leave it out, whatever the filters say."""
        item = self._shown
        if item is not None:
            self.chosen ^= {item.id}
            self._face_chosen(self.faces.current)

    def keep_one(self) -> None:
        """Of functions for the same task, take the one with the most stars alone."""
        for cluster in self.found.clusters if self.found else ():
            self.chosen -= set(cluster.members) - {cluster.keep}
        self._face_chosen(self.faces.current)

    def take_chosen(self) -> None:
        """Take what is chosen into the project."""
        if self.found is None or self.path is None:
            return
        take = partial(generated_code.take_code, self.store, self.path, self.found, frozenset(self.chosen))
        title = tr("Taking code of {name}", name=self.path.name)
        self.session.start_job(title, lambda _progress: take(), self._taken, self._failed, summary=_taken)

    def _taken(self, report: ImportReport) -> None:
        self.session.announce(report.changes)
        self.state.setText(_taken(report))


def _summary(found: MinedCode) -> str:
    kept = sum(item.kept for item in found.judged)
    return tr("{count} found, {kept} with nothing against them.", count=f"{len(found.judged):,}", kept=f"{kept:,}")


def _taken(report: ImportReport) -> str:
    return tr(
        "{added} functions added, {known} known.", added=f"{report.added:,}", known=f"{report.known + report.changed:,}"
    )
