"""The outcome of mining one repository: its facts, how many functions each filter rejected, and the functions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.mining.repository.discovery.discovery_filters import repository_refusals
from annotator.mining.repository.rows import MinedRepository, MinedSubject, reason_kind
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import MiningOutcome
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_words, tr, tr_count
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, label
from annotator.ui.widgets.layouts import make_column, make_row, make_splitter
from annotator.ui.widgets.table import Cell, DataTable, count_cell

_ALL = 0


class MinedFunctions(QWidget):
    """Shows an outcome; `take_requested` asks to import the selected functions into the project.

    The owner of this widget also lays out ``about``, the card with facts and filters.
    """

    take_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.outcome: MiningOutcome | None = None
        self.selected_names: set[str] = set()
        self._current_row: MinedSubject | None = None
        self.facts = label("", "dim", wrap=True)
        self.rules = OptionalLabel()
        self.filters = DataTable(tr("Filters"), selected=self._filter_chosen)
        self.table = DataTable(tr("Functions"), selected=self.show_function)
        self.faces = Segments(tr("Functions to show"), (tr("All"), tr("Selected")), selected=self._face_chosen)
        self.pick = button(tr("Leave out"), clicked=self.toggle)
        self.take = button(tr("Add to project"), primary=True)
        self.take.clicked.connect(self.take_requested.emit)
        self.why = label("", wrap=True)
        self.code, self.tests = CodeView(theme, tr("Function")), CodeView(theme, tr("Its tests"))
        self.about = Card(tr("Repository"), self.facts, self.rules, (self.filters, 1))
        results = Card("", make_row(self.faces, None, self.pick, self.take), (self.table, 1), self.why)
        self.code_card, self.test_card = Card(tr("Function"), (self.code, 1)), Card(tr("Tests"), (self.tests, 1))
        pair = make_splitter(Qt.Orientation.Horizontal, self.code_card, self.test_card)
        splitter = make_splitter(Qt.Orientation.Vertical, results, pair, sizes=[300, 260])
        make_column(self, splitter)

    # -- showing --------------------------------------------------------------------------------------------------

    def show_outcome(self, outcome: MiningOutcome, selected_names: set[str]) -> None:
        """Show an outcome; ``selected_names`` holds the functions to import and is changed in place."""
        self.outcome, self.selected_names, self._current_row = outcome, selected_names, None
        mined = outcome.mined
        if mined is None:
            return
        self.about.set_title(mined.facts.name)
        self.facts.setText(repository_facts_text(mined))
        self.rules.setText(repository_rules_text(outcome))
        counts = count_filter_kinds(mined.rows)
        cells = [(Cell(name), Cell(reason), count_cell(count)) for name, reason, count in counts]
        self.filters.set_rows(mark_words("filter", "reason", "functions"), cells, counts, stretch=1)
        self.faces.choose(_ALL)

    def _filter_chosen(self, item: tuple[str, str, int] | None) -> None:
        if self.outcome is None or self.outcome.mined is None or item is None:
            return
        self._show_rows([row for row in self.outcome.mined.rows if item[:2] in filter_kinds(row)])

    def _face_chosen(self, number: int) -> None:
        if self.outcome is None or self.outcome.mined is None:
            return
        rows = self.outcome.mined.rows
        self._show_rows(
            [row for row in rows if number == _ALL or repository_mining.mined_function_name(row) in self.selected_names]
        )

    def _show_rows(self, rows: Sequence[MinedSubject]) -> None:
        headers = mark_words("function", "taken", "tests", "lines", "context", "uses", "excluded by", "file")
        cells = []
        for row in rows:
            dependencies = row.dependencies
            use_count = len(dependencies.intra_class) + len(dependencies.intra_file) + len(dependencies.cross_file)
            passing_count = sum(test.confirmed is not False for test in row.tests)
            cells.append(
                (
                    Cell(row.qualified_name),
                    Cell(
                        tr("✓ taken")
                        if repository_mining.mined_function_name(row) in self.selected_names
                        else tr("left out")
                    ),
                    *map(count_cell, (passing_count, row.loc, row.context_lines, use_count)),
                    Cell(", ".join(name for name, _ in refusal_reasons(row))),
                    Cell(row.module_path),
                )
            )
        self.table.set_rows(headers, cells, list(rows), stretch=(0, 6, 7))
        self.take.setText(tr("Add {count} to the project", count=f"{len(self.selected_names):,}"))
        self.take.setEnabled(bool(self.selected_names))
        if rows:
            keys = [row.key for row in rows]
            self.table.select(
                keys.index(self._current_row.key) if self._current_row and self._current_row.key in keys else 0
            )
        else:
            self.show_function(None)

    def show_function(self, row: MinedSubject | None) -> None:
        """Show a function with its tests and the reasons for rejecting it."""
        self._current_row = row
        self.pick.setEnabled(row is not None)
        if row is None:
            self.code.set_code("")
            self.tests.set_code("")
            self.why.setText("")
            return
        self.pick.setText(
            tr("Leave out") if repository_mining.mined_function_name(row) in self.selected_names else tr("Add anyway")
        )
        self.code_card.set_title(row.qualified_name)
        self.code_card.set_trailing(f"{row.module_path}:{row.span[0]}")
        self.code.set_code(row.code, "python")
        test_texts = [
            f"# {test.node_id or test.qualified_name}: {_test_state_text(test.confirmed)}\n{test.code}"
            for test in row.tests
        ]
        self.test_card.set_trailing(f"{len(row.tests):,}")
        self.tests.set_code("\n\n".join(test_texts), "python")
        lines = [f"{name}: {reason}" for name, reason in (*refusal_reasons(row), *function_remarks(row))]
        self.why.setText("\n".join(lines) or tr("No reason against it."))

    # -- choosing -------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Include or exclude the current function, regardless of the filters."""
        if self._current_row is not None:
            self.selected_names ^= {repository_mining.mined_function_name(self._current_row)}
            self._face_chosen(self.faces.current)


def _test_state_text(confirmed: bool | None) -> str:
    if confirmed is None:
        return tr("not run")
    return tr("runs it and passes") if confirmed else tr("does not pass, or does not run it")


def refusal_reasons(row: MinedSubject) -> list[tuple[str, str]]:
    """Return (filter, reason) of each filter that rejected a function."""
    return [(item.name, item.reason) for item in row.filters if row.counts_against(item)]


def function_remarks(row: MinedSubject) -> list[tuple[str, str]]:
    """Return (title, text) remarks that do not reject a function: how it is tested, and how weak its tests are."""
    remarks = []
    if row.in_place:
        remarks.append((tr("tested in its repository"), _not_self_contained_reason(row) or tr("its own tests decide")))
    if row.weakness:
        remarks.append((tr("weak tests"), row.weakness))
    return remarks


def _not_self_contained_reason(row: MinedSubject) -> str:
    return next((item.reason for item in row.filters if item.name == "self-contained" and not item.passed), "")


def filter_kinds(row: MinedSubject) -> set[tuple[str, str]]:
    """Return a (filter, kind of reason) pair for each reason and remark; kinds omit details of a single function."""
    kinds = {(name, reason_kind(reason)) for name, reason in refusal_reasons(row)}
    for name, reason in function_remarks(row):
        kind = tr("they also pass with a changed body") if reason == row.weakness else reason_kind(reason)
        kinds.add((name, kind))
    return kinds


def count_filter_kinds(rows: Sequence[MinedSubject]) -> list[tuple[str, str, int]]:
    """Return (filter, kind of reason, number of functions), the most frequent first."""
    count_by_kind: dict[tuple[str, str], int] = {}
    for row in rows:
        for item in filter_kinds(row):
            count_by_kind[item] = count_by_kind.get(item, 0) + 1
    counts = [(name, reason, count) for (name, reason), count in count_by_kind.items()]
    return sorted(counts, key=lambda item: (-item[2], *item[:2]))


def repository_facts_text(mined: MinedRepository) -> str:
    """Return a repository's facts as one line."""
    facts = mined.facts
    parts = [
        tr("revision {revision}", revision=facts.revision[:12]) if facts.revision else tr("no revision"),
        facts.address,
        facts.licence or tr("no licence found"),
        tr("first commit {first_commit}", first_commit=facts.first_commit[:10]) if facts.first_commit else "",
        tr("created {created}", created=facts.created) if facts.created else "",
        tr("last commit {date}", date=facts.last_commit[:10]) if facts.last_commit else "",
        tr("published {date}", date=facts.published) if facts.published else "",
        facts.licence_file,
        tr_count("{count} star", "{count} stars", facts.stars) if facts.stars is not None else "",
        tr_count("{count} fork", "{count} forks", facts.forks) if facts.forks is not None else "",
        tr("a fork") if facts.is_fork else "",
        ", ".join(facts.topics[:6]),
        tr_count("{count} test", "{count} tests", mined.tests),
        tr_count("{count} file skipped", "{count} files skipped", len(mined.skipped)) if mined.skipped else "",
    ]
    return " · ".join(part for part in parts if part)


def repository_rules_text(outcome: MiningOutcome) -> str:
    """Return the recipe's rules that the repository fails, and the outcome's note, one per line."""
    mined = outcome.mined
    rules = mined.repository_filters if mined is not None else ()
    sentences = [f"{item.name}: {item.reason}" for item in rules if not item.passed]
    if repository_refusals(rules):
        sentences.append(tr("The recipe excludes this repository, so none of its functions is selected automatically."))
    return "\n".join([*sentences, *filter(None, (outcome.note,))])
