"""The panel that mines functions marked as written by a model, and shows near duplicates side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox

from annotator.mining.generated_code.candidate_filters import JudgedCandidate
from annotator.mining.generated_code.duplicates import Cluster
from annotator.services.sources import generated_code
from annotator.services.sources.generated_code import MinedCode
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Page
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count
from annotator.ui.pages.sources.mining_panel import FunnelView, MinedItems, MiningPanel
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.fields import choice_box, refill_box
from annotator.ui.widgets.labels import button
from annotator.ui.widgets.layouts import fill_column, make_row, make_splitter
from annotator.ui.widgets.table import CellContent

_STAGES = {
    "found": mark_for_translation("comments that credit a model"),
    "attributed": mark_for_translation("belong to a function or class"),
    "usable": mark_for_translation("parse, 3 to 100 lines, permissive licence"),
    "simple": mark_for_translation("are not too simple"),
    "hard": mark_for_translation("can be tested"),
    "duplicate": mark_for_translation("are not near duplicates"),
}


class GeneratedFunctions(MinedItems[JudgedCandidate]):
    """The functions marked as written by a model, each beside the one most similar to it."""

    title = mark_for_translation("Mined functions")
    headers = mark_words(
        "function", "language", "licence", "selected", "dropped as", "reason", "lines", "complexity", "stars", "file"
    )
    wide_columns = (5, 9)

    def __init__(self, theme: Theme) -> None:
        self.licence = choice_box(tr("Licence"), letters=8)
        self.keep_one_button = button(tr("Keep one per task"))
        lists = (tr("All"), tr("Kept"), tr("Same task"))
        super().__init__(theme, lists, (tr("Similar"), tr("Similar code")), self.licence, self.keep_one_button)
        self.mined_code: MinedCode | None = None
        self._unfiltered_items: Sequence[JudgedCandidate] = ()
        self._by_id: dict[str, JudgedCandidate] = {}
        self._cluster_by_member: dict[str, Cluster] = {}
        self.licence.currentIndexChanged.connect(self._licence_chosen)
        self.keep_one_button.clicked.connect(self.keep_one)
        self.funnel = FunnelView(theme)
        self.funnel.stage_chosen.connect(self._stage_chosen)
        funnel = Card(tr("Funnel"), self.funnel)
        upper = make_splitter(Qt.Orientation.Horizontal, funnel, self.results, sizes=[300, 800])
        fill_column(self, make_splitter(Qt.Orientation.Vertical, upper, self.pair, sizes=[330, 270]))

    def show_mined(self, mined_code: MinedCode) -> None:
        """Show the mined functions, all suitable ones chosen."""
        self.mined_code = mined_code
        self._by_id = {item.id: item for item in mined_code.judged}
        self._cluster_by_member = {member: cluster for cluster in mined_code.clusters for member in cluster.members}
        self.selected_names = {item.id for item in mined_code.judged if item.is_kept and item.match.code}
        remaining_by_stage: Counter[str] = Counter()
        for row in mined_code.counts:
            remaining_by_stage[row.stage] += row.remaining
        self.funnel.set_stages([(name, text, remaining_by_stage[name]) for name, text in _STAGES.items()])
        self.faces.set_word(2, tr("Same task {count}", count=len(mined_code.clusters)))
        self.keep_one_button.setEnabled(bool(mined_code.clusters))
        licence_choices: list[tuple[str, object]] = [(tr("All licences"), None)]
        licence_choices += [
            (tr("{licence}: {count}", licence=name or tr("none known"), count=f"{count:,}"), name)
            for name, count in mined_code.licences().items()
        ]
        refill_box(self.licence, licence_choices, None)
        self.set_listed(mined_code.judged)

    def name_of(self, item: JudgedCandidate) -> str:
        """Return the id of a function."""
        return item.id

    def items_of_list(self, number: int) -> Sequence[JudgedCandidate]:
        """Return all functions, the chosen ones, or those that solve the same task."""
        if self.mined_code is None:
            return ()
        if number == 2:
            return [self._by_id[name] for cluster in self.mined_code.clusters for name in cluster.members]
        return [item for item in self.mined_code.judged if not number or item.id in self.selected_names]

    def _stage_chosen(self, name: str) -> None:
        self.set_listed([item for item in self.items_of_list(0) if name in (item.dropped_at, "found")])

    def set_listed(self, items: Sequence[JudgedCandidate]) -> None:
        """List functions under the chosen licence."""
        self._unfiltered_items, licence = items, self.licence.currentData()
        super().set_listed([item for item in items if licence is None or item.match.licence == licence])

    def _licence_chosen(self, _index: int) -> None:
        self.set_listed(self._unfiltered_items)

    def cells_of(self, item: JudgedCandidate, choice: str) -> Sequence[CellContent]:
        """Return the row of a function."""
        return (
            item.match.name or tr("a comment"),
            item.match.language,
            item.match.licence or tr("none known"),
            choice,
            item.dropped_at or tr("kept"),
            "; ".join(f"{reason.rule}: {reason.detail}" for reason in item.reasons),
            item.logical_lines,
            item.complexity,
            item.match.stars,
            item.match.path,
        )

    def show_pair(self, item: JudgedCandidate) -> str:
        """Show a function beside the function most similar to it."""
        self.leave_out_button.setEnabled(bool(item.match.code))
        self.code.set_code(item.match.code or item.match.comment.text, item.match.language)
        self.code_card.set_title(item.match.name or tr("A comment"))
        self.code_card.set_trailing(
            tr("{path}, lines {start} to {end}", path=item.match.path, start=item.match.start, end=item.match.end)
        )
        other, remark = self._similar_function(item)
        self.other_card.set_title(other.match.name if other else tr("Nothing similar"))
        self.other_card.set_trailing(remark)
        self.other.set_code(other.match.code if other else "", other.match.language if other else "")
        reasons = [f"{reason.stage}: {reason.rule}, {reason.detail}" for reason in item.reasons]
        return "\n".join([tr("The comment says: {text}", text=item.match.comment.text[:160]), *reasons])

    def _similar_function(self, item: JudgedCandidate) -> tuple[JudgedCandidate | None, str]:
        pair = item.pair
        if pair is not None:
            similarity_text = (
                tr("the same")
                if pair.exact
                else tr(
                    "Jaccard {jaccard}, Levenshtein {levenshtein}",
                    jaccard=f"{pair.jaccard:.2f}",
                    levenshtein=f"{pair.levenshtein:.2f}",
                )
            )
            return self._by_id.get(pair.first), similarity_text
        cluster = self._cluster_by_member.get(item.id)
        if cluster is None:
            return None, ""
        other = next(name for name in (cluster.keep, *cluster.members) if name != item.id)
        return self._by_id.get(other), tr("same task, {count} functions", count=len(cluster.members))

    def keep_one(self) -> None:
        """For each task, keep only the function with the most stars."""
        for cluster in self.mined_code.clusters if self.mined_code else ():
            self.selected_names -= set(cluster.members) - {cluster.keep}
        self._show_list(self.faces.current)


class CodePanel(MiningPanel):
    """The view Generated code of the page Sources."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, tr("A clone, a zip or tar archive, or a file; only comments are read"))
        self.path = Path()
        self.folder_button = button(tr("Choose a folder…"), primary=True, clicked=self.choose_folder)
        self.file_button = button(tr("Choose an archive…"), clicked=self.choose_file)
        self.strict = QCheckBox(tr("exact phrases only"))
        self.strict.setToolTip(
            tr("Match only the exact known phrases, such as “generated by ChatGPT”, and no variants")
        )
        self.functions = GeneratedFunctions(self.theme)
        self.functions.import_requested.connect(self.import_selected)
        empty = EmptyState(
            self.theme,
            "ph.code",
            tr("No mined code yet"),
            tr(
                "Choose a folder of code. Annotator finds functions in five languages whose comments say that a "
                "model wrote them, and checks each for problems."
            ),
        )
        row = make_row((self.state, 1), self.strict, self.file_button, self.folder_button)
        self.fill(Card(tr("Code credited to a model"), row), empty, self.functions)

    def choose_folder(self) -> None:
        """Ask for a folder and mine it."""
        self._start_chosen(file_dialogs.choose_folder(self, tr("Mine folder")))

    def choose_file(self) -> None:
        """Ask for an archive or a file and mine it."""
        self._start_chosen(file_dialogs.choose_file(self, tr("Mine archive")))

    def _start_chosen(self, path: Path | None) -> None:
        if path is not None:
            self.take_paths([path])

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Start a job that mines the first path, a folder, archive or file."""
        self.path = paths[0]
        self.state.setText(tr("Mining {name}…", name=self.path.name))
        work = partial(generated_code.mine_generated_code, [self.path], strict=self.strict.isChecked())
        title = tr("Mining {name}", name=self.path.name)
        self.session.start_job(
            title, work, self._show_mined, self._show_failure, summary=_summary, on_end=self.state.clear
        )

    def _show_mined(self, mined_code: MinedCode) -> None:
        skipped = ", ".join(
            tr_count("{count} file skipped: {reason}", "{count} files skipped: {reason}", count, reason=reason)
            for reason, count in mined_code.skipped
        )
        self.state.setText(f"{_summary(mined_code)} {skipped}")
        self.stack.setCurrentIndex(1)
        self.functions.show_mined(mined_code)

    def import_selected(self) -> None:
        """Import the chosen functions into the project."""
        if self.functions.mined_code is not None:
            selected_names = frozenset(self.functions.selected_names)
            take_code = partial(
                generated_code.take_code, self.store, self.path, self.functions.mined_code, selected_names
            )
            self.import_items(tr("Adding code from {name}", name=self.path.name), lambda _progress: take_code())


def _summary(mined_code: MinedCode) -> str:
    kept_count = sum(item.is_kept for item in mined_code.judged)
    return tr("{count} found, {kept} of them suitable.", count=f"{len(mined_code.judged):,}", kept=f"{kept_count:,}")
