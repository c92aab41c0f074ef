"""The outcome of mining one repository: its facts, how many functions each filter rejected, and the functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Qt

from annotator.mining.repository.discovery.discovery_filters import repository_refusals
from annotator.mining.repository.rows import MinedRepository, MinedSubject, reason_kind
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import MiningOutcome
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count
from annotator.ui.pages.sources.mining_panel import FoundItems
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import OptionalLabel, label
from annotator.ui.widgets.layouts import make_column, make_splitter
from annotator.ui.widgets.table import DataTable, Shown

_ALL = 0


class MinedFunctions(FoundItems[MinedSubject]):
    """The functions of one repository, each beside its tests.

    The owner of this widget also lays out ``about``, the card with facts and filters.
    """

    title = mark_for_translation("Functions")
    headers = mark_words("function", "taken", "tests", "lines", "context", "uses", "excluded by", "file")
    wide_columns = (0, 6, 7)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, (tr("All"), tr("Selected")), (tr("Tests"), tr("Its tests")))
        self.outcome: MiningOutcome | None = None
        self.facts = label("", "dim", wrap=True)
        self.rules = OptionalLabel()
        self.filters = DataTable(tr("Filters"), selected=self._filter_chosen)
        self.about = Card(tr("Repository"), self.facts, self.rules, (self.filters, 1))
        make_column(self, make_splitter(Qt.Orientation.Vertical, self.results, self.pair, sizes=[300, 260]))

    def show_outcome(self, outcome: MiningOutcome, selected_names: set[str]) -> None:
        """Show an outcome; ``selected_names`` holds the functions to import and is changed in place."""
        self.outcome, self.selected_names, self._current_item = outcome, selected_names, None
        mined = outcome.mined
        if mined is None:
            return
        self.about.set_title(mined.facts.name)
        self.facts.setText(repository_facts_text(mined))
        self.rules.setText(repository_rules_text(outcome))
        counts = count_filter_kinds(mined.rows)
        self.filters.set_rows(mark_words("filter", "reason", "functions"), counts, counts, stretch=1)
        self.faces.choose(_ALL)

    def _filter_chosen(self, item: tuple[str, str, int]) -> None:
        self.set_listed([row for row in self.items_of_list(_ALL) if item[:2] in filter_kinds(row)])

    def name_of(self, item: MinedSubject) -> str:
        """Return the name under which a function is imported."""
        return repository_mining.mined_function_name(item)

    def items_of_list(self, number: int) -> Sequence[MinedSubject]:
        """Return all functions, or the chosen ones."""
        rows = self.outcome.mined.rows if self.outcome is not None and self.outcome.mined is not None else ()
        return [row for row in rows if number == _ALL or self.name_of(row) in self.selected_names]

    def cells_of(self, item: MinedSubject, choice: str) -> Sequence[Shown]:
        """Return the row of a function."""
        dependencies = item.dependencies
        return (
            item.qualified_name,
            choice,
            sum(test.confirmed is not False for test in item.tests),
            item.loc,
            item.context_lines,
            len(dependencies.intra_class) + len(dependencies.intra_file) + len(dependencies.cross_file),
            ", ".join(name for name, _ in refusal_reasons(item)),
            item.module_path,
        )

    def show_pair(self, item: MinedSubject) -> str:
        """Show a function with its tests."""
        self.code_card.set_title(item.qualified_name)
        self.code_card.set_trailing(f"{item.module_path}:{item.span[0]}")
        self.code.set_code(item.code, "python")
        test_texts = [
            f"# {test.node_id or test.qualified_name}: {_test_state_text(test.confirmed)}\n{test.code}"
            for test in item.tests
        ]
        self.other_card.set_trailing(f"{len(item.tests):,}")
        self.other.set_code("\n\n".join(test_texts), "python")
        lines = [f"{name}: {reason}" for name, reason in (*refusal_reasons(item), *function_remarks(item))]
        return "\n".join(lines) or tr("No reason against it.")


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
    counts = Counter(kind for row in rows for kind in filter_kinds(row))
    return [(*kind, count) for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


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
