"""The panel that mines repositories: choose them and a recipe, then inspect and import the functions found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSizePolicy, QWidget

from annotator.base.errors import UsageError
from annotator.mining.repository.discovery.discovery_filters import repository_refusals
from annotator.mining.repository.discovery.repository_facts import read_metadata
from annotator.mining.repository.discovery.subset import SubsetChoice, SubsetTargets
from annotator.mining.repository.fetching.source_names import MiningSource, parse_source, read_sources
from annotator.mining.repository.pipeline import MiningOptions
from annotator.mining.repository.rows import MinedRepository, MinedSubject, reason_kind
from annotator.model.changes import Changes
from annotator.services.select.triage import OthersWorkError
from annotator.services.sources import repository_mining
from annotator.services.sources.repository_mining import MiningOutcome
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app import file_dialogs
from annotator.ui.app.base_page import Page
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import SessionJob, WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.pages.shared.others_question import OthersQuestion
from annotator.ui.pages.sources.mining_panel import MinedItems, MiningPanel, ShareTable
from annotator.ui.pages.sources.suggestion_panel import SuggestionPanel
from annotator.ui.widgets.card import Card, EmptyState
from annotator.ui.widgets.fields import choice_box, line_edit, number_box, real_box
from annotator.ui.widgets.labels import OptionalLabel, Segments, button, label
from annotator.ui.widgets.layouts import fill_column, fill_layout, make_row, make_splitter, make_stack
from annotator.ui.widgets.table import Cell, CellContent, DataTable


class SubsetPanel(QWidget):
    """Targets on the left, the values that the proposed selection reaches on the right."""

    def __init__(self, session: Session, store: ProjectFile) -> None:
        super().__init__()
        self.session, self.store = session, store
        self.others = OthersQuestion(session, self)
        self.proposal: SubsetChoice | None = None
        self.items = number_box(1, 1_000_000, 275, tr("Size"))
        self.seed = number_box(0, 2_000_000_000, 0, tr("Seed"))
        self.standalone = real_box(0.0, 1.0, 0.27, tr("Share of standalone functions"))
        self.standalone.setSingleStep(0.01)
        self.dependencies = real_box(0.0, 99.0, 3.2, tr("Mean number of dependencies"))
        self.dependencies.setSingleStep(0.1)
        self.domains = ShareTable(tr("Share of each domain"), tr("domain"))
        self.add_domain_button = button(tr("Add a domain"), clicked=self._add_domain)
        self.choose_button = button(tr("Choose"), clicked=self.propose)
        self.accept_button = button(tr("Accept"), primary=True, clicked=self.accept_proposal)
        self.accept_button.setEnabled(False)
        self.table = DataTable(tr("Result of the choice"))
        self.problem = label("", "problem", wrap=True)
        first_row, second_row = QHBoxLayout(), QHBoxLayout()
        for line, boxes in ((first_row, (self.items, self.seed)), (second_row, (self.standalone, self.dependencies))):
            for box in boxes:
                fill_layout(line, label(box.accessibleName(), "dim"), box)
            line.addStretch(1)
        about = label(tr("Shares of domains add up to 1; without shares, domains are not balanced."), "dim", wrap=True)
        below = make_row(self.add_domain_button, None, self.choose_button)
        targets_card = Card(tr("Targets"), first_row, second_row, about, (self.domains, 1), below)
        result_card = Card(tr("Result of the choice"), (self.table, 1), make_row((self.problem, 1), self.accept_button))
        splitter = make_splitter(Qt.Orientation.Horizontal, targets_card, result_card, sizes=[460, 660])
        fill_column(self, splitter)

    def _add_domain(self, _checked: bool = False) -> None:
        self.domains.add_share()

    def propose(self) -> None:
        """Compute a selection for the targets without changing the project."""
        try:
            shares = self.domains.shares()
        except UsageError as error:
            self._show_failure(WorkFailure(message=error.message))
            return
        targets = SubsetTargets(self.items.value(), self.standalone.value(), self.dependencies.value(), shares)
        work = partial(repository_mining.propose_subset, self.store, targets, self.seed.value())
        self.session.run("read", work, self._show_proposal, self._show_failure, latest="subset")

    def _show_failure(self, failure: WorkFailure) -> None:
        self.proposal = None
        self.problem.setText(tr_message(failure.message))
        self.accept_button.setEnabled(False)
        self.table.set_rows(mark_words("target", "target value", "reached", "all available"), [], [])

    def _show_proposal(self, proposal: SubsetChoice) -> None:
        self.proposal = proposal
        self.problem.setText("")
        rows: list[tuple[CellContent, ...]] = [
            (row.name, *(Cell(f"{value:.4g}", value) for value in (row.wanted, row.got, row.available)))
            for row in proposal.reached
        ]
        self.table.set_rows(mark_words("target", "target value", "reached", "all available"), rows, proposal.reached)
        self.accept_button.setText(tr("Accept {count}", count=f"{len(proposal.keys):,}"))
        self.accept_button.setEnabled(bool(proposal.keys))

    def accept_proposal(self) -> None:
        """Accept the proposed subjects as one undoable act."""
        if self.proposal is not None:
            self._accept(self.proposal)

    def _accept(self, proposal: SubsetChoice, *, anyway: bool = False) -> None:
        self.accept_button.setEnabled(False)
        act = partial(repository_mining.accept_subset, self.store, proposal, anyway=anyway)
        self.session.act(act, self._confirm_accepted, partial(self._handle_refusal, proposal))

    def _handle_refusal(self, proposal: SubsetChoice, failure: WorkFailure) -> None:
        if isinstance(failure.error, OthersWorkError):
            self.accept_button.setEnabled(self.proposal is not None)
            self.others.ask(failure.error, partial(self._accept, proposal, anyway=True))
        else:
            self._show_failure(failure)

    def _confirm_accepted(self, _changes: Changes) -> None:
        self.session.say(tr("Accepted. Undo reverts it."))


_ALL = 0


class MinedFunctions(MinedItems[MinedSubject]):
    """The functions of one repository, each beside its tests.

    The owner of this widget also lays out ``about``, the card with facts and filters.
    """

    title = mark_for_translation("Functions")
    headers = mark_words("function", "selected", "tests", "lines", "context", "uses", "excluded by", "file")
    wide_columns = (0, 6, 7)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, (tr("All"), tr("Selected")), (tr("Tests"), tr("Its tests")))
        self.outcome: MiningOutcome | None = None
        self.facts = label("", "dim", wrap=True)
        self.rules = OptionalLabel()
        self.filters = DataTable(tr("Filters"), selected=self._show_filtered)
        self.about = Card(tr("Repository"), self.facts, self.rules, (self.filters, 1))
        fill_column(self, make_splitter(Qt.Orientation.Vertical, self.results, self.pair, sizes=[300, 260]))

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

    def _show_filtered(self, item: tuple[str, str, int]) -> None:
        self.set_listed([row for row in self.items_of_list(_ALL) if item[:2] in filter_kinds(row)])

    def name_of(self, item: MinedSubject) -> str:
        """Return the name under which a function is imported."""
        return repository_mining.mined_function_name(item)

    def items_of_list(self, number: int) -> Sequence[MinedSubject]:
        """Return all functions, or the chosen ones."""
        rows = self.outcome.mined.rows if self.outcome is not None and self.outcome.mined is not None else ()
        return [row for row in rows if number == _ALL or self.name_of(row) in self.selected_names]

    def cells_of(self, item: MinedSubject, choice: str) -> Sequence[CellContent]:
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


_BENCHMARK, _SUGGESTIONS = 1, 2
_RECIPES = (
    (mark_for_translation("DomainEval: standalone functions"), "domaineval"),
    (mark_for_translation("EvoCodeBench: functions in their repository"), "evocodebench"),
)
_ENDED_STATES = ("failed", "cancelled", "done")
_NO_COUNT = Cell("", 0)
_STATE_WORDS = {
    "waiting": "waiting",
    "running": mark_for_translation("mining"),
    "paused": "paused",
    "done": mark_for_translation("mined"),
    "failed": "failed",
    "cancelled": "cancelled",
}


@dataclass(eq=False, kw_only=True)
class RepositoryEntry:
    """One repository in the list; ``state`` is waiting, running, done, failed or cancelled."""

    source: MiningSource
    options: MiningOptions
    static_only: bool
    state: str = "waiting"
    job: SessionJob | None = None
    outcome: MiningOutcome | None = None
    problem: str = ""
    selected_names: set[str] = field(default_factory=set)

    @property
    def running_job(self) -> SessionJob | None:
        """The job that mines the repository, None while it is not being mined."""
        return self.job if self.state == "running" else None

    @property
    def mined(self) -> MinedRepository | None:
        """The result of mining, None before that."""
        return self.outcome.mined if self.outcome is not None else None


class RepositoryPanel(MiningPanel):
    """The view Repositories of the page Sources; repositories are mined one after the other."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, tr("An address, a package, a clone or an archive; its code runs only in the sandbox"))
        self.entries: list[RepositoryEntry] = []
        self.metadata: dict[str, Any] | None = None
        self._current_entry: RepositoryEntry | None = None
        self._shown_rows: list[tuple[CellContent, ...]] = []
        self.recipe = choice_box(tr("Recipe"), ((translate_word(title), name) for title, name in _RECIPES))
        self.domain = line_edit(tr("Domain"), tr("Domain: guess"))
        self.domain.setMaximumWidth(170)
        self.run_tests = QCheckBox(tr("run tests"))
        self.run_tests.setChecked(True)
        self.run_tests.setToolTip(
            tr("Runs them in the sandbox with the repository's libraries; otherwise the code is only read")
        )
        self.as_published = QCheckBox(tr("as published"))
        self.as_published.setToolTip(tr("Match, extract and exclude functions as the published scripts do"))
        tip = tr("Read stars, topics and dates of the next repository from a JSON file of GitHub's API")
        self.facts_button = button(tr("Stars and dates…"), clicked=self.choose_facts, tip=tip)
        self.archive_button = button(tr("Choose archives…"), clicked=self.choose_archives)
        self.folder_button = button(tr("Choose a folder…"), primary=True, clicked=self.choose_folder)
        self.faces = Segments(tr("Panel view"), (tr("Functions"), tr("Benchmark"), tr("Suggestions")), self._show_face)
        self.source_field = line_edit(
            tr("Address, package or path"), tr("https://host/path.git@v1.0, package==1.0 or a path")
        )
        self.source_field.setToolTip(
            tr("An https or ssh address may end in @ and a commit, tag or date; separate several with spaces")
        )
        self.source_field.setMinimumWidth(260)
        self.source_field.returnPressed.connect(self.mine_named)
        self.mine_button = button(tr("Mine"), clicked=self.mine_named)
        self.list = DataTable(tr("Repositories"), selected=self.show_entry)
        self.pause_button = button(tr("Pause"), clicked=self.toggle_pause)
        self.cancel_button = button(tr("Cancel"), clicked=self.cancel_shown)
        self.mine_again_button = button(tr("Mine again"), clicked=self.mine_again)
        self.progress_label, self.problem = OptionalLabel("dim"), OptionalLabel("problem")
        self.functions = MinedFunctions(self.theme)
        self.functions.import_requested.connect(self.import_selected)
        self.subset = SubsetPanel(self.session, self.store)
        self.suggestions = SuggestionPanel(self.session, self.store, self.theme)
        self._lay_out()
        self.session.jobs_changed.connect(self._update)
        self._update()

    def _lay_out(self) -> None:
        buttons = make_row(self.pause_button, self.cancel_button, self.mine_again_button, None)
        list_card = Card(tr("Repositories"), (self.list, 1), self.progress_label, self.problem, buttons)
        self.nothing_found = EmptyState(
            self.theme, "ph.hourglass", tr("Nothing found yet"), tr("Functions found in a repository are shown here.")
        )
        self.detail = make_stack(self.nothing_found, self.functions)
        left_side = make_splitter(Qt.Orientation.Vertical, list_card, self.functions.about, sizes=[240, 300])
        splitter = make_splitter(Qt.Orientation.Horizontal, left_side, self.detail, sizes=[380, 700])
        # Ignored, because the preferred height would not fit a small window.
        splitter.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        empty = EmptyState(
            self.theme,
            "ph.git-branch",
            tr("No mined repositories yet"),
            tr(
                "Choose a folder or an archive. Annotator finds functions that tests call, then confirms them by "
                "running the tests. Every filter shows how many it excluded and why."
            ),
        )
        file_row = make_row((self.state, 1), self.archive_button, self.folder_button)
        address_row = make_row((self.source_field, 1), self.mine_button, self.facts_button)
        option_row = make_row(self.recipe, self.domain, self.run_tests, self.as_published, None, self.faces)
        card = Card(tr("Python repositories"), file_row, address_row, option_row)
        self.fill(card, empty, splitter, self.subset, self.suggestions)

    def _show_face(self, number: int) -> None:
        self.stack.setCurrentIndex(number + 1 if number else 1 if self.entries else 0)
        if number == _BENCHMARK:
            self.subset.propose()
        elif number == _SUGGESTIONS:
            self.suggestions.reload()

    def show_suggestion(self, suggestion_id: str) -> None:
        """Show a model's suggestion in the editor."""
        self.suggestions.selected_on_load = suggestion_id
        self.faces.choose(_SUGGESTIONS)

    # -- choosing -------------------------------------------------------------------------------------------------

    def choose_folder(self) -> None:
        """Ask for a folder and mine it."""
        path = file_dialogs.choose_folder(self, tr("Mine repository"))
        self.take_paths([path] if path is not None else [])

    def choose_archives(self) -> None:
        """Ask for archives and mine them."""
        filters = tr("Archives (*.tar.gz *.tgz *.zip *.tar *.tar.bz2 *.tar.xz);;All files (*)")
        self.take_paths(file_dialogs.choose_files(self, tr("Mine archives"), filters))

    def choose_facts(self) -> None:
        """Ask for a file with facts about the next repository."""
        title, filters = tr("Facts from GitHub"), tr("JSON (*.json);;All files (*)")
        path = file_dialogs.choose_file(self, title, filters)
        if path is not None:
            self.session.run(
                "read", partial(read_metadata, path), partial(self._use_facts, path.name), self._show_failure
            )

    def _use_facts(self, name: str, metadata: dict[str, Any]) -> None:
        self.metadata = metadata
        self.state.setText(tr("The next repository gets its stars, topics and dates from {name}.", name=name))

    def mine_named(self) -> None:
        """Mine the typed sources; an invalid one stays in the field and its problem is shown."""
        text = self.source_field.text().strip()
        # A path may contain spaces, so the whole text is tried as a path before it is split.
        whole_source = parse_source(text)
        sources = read_sources([text] if whole_source.path is not None and whole_source.path.exists() else text.split())
        problem = next((source.problem for source in sources if source.problem), "")
        if problem:
            self.state.setText(problem)
        else:
            self.source_field.clear()
            self.take_sources(sources)

    def take_paths(self, paths: Sequence[Path]) -> None:
        """Mine folders, archives, and the sources that list files name, one after the other."""
        self.take_sources(read_sources(paths))

    def take_sources(self, sources: Sequence[MiningSource]) -> None:
        """Mine repositories one after the other."""
        if not sources:
            return
        options = MiningOptions(
            recipe=self.recipe.currentData(),
            domain=self.domain.text().strip(),
            metadata=self.metadata,
            rules="published" if self.as_published.isChecked() else "own",
        )
        self.entries += [
            RepositoryEntry(source=source, options=options, static_only=not self.run_tests.isChecked())
            for source in sources
        ]
        self.metadata = None
        self.faces.choose(0)
        self.show_entry(self.entries[-len(sources)])
        self._update()

    # -- mining ---------------------------------------------------------------------------------------------------

    def _start(self, entry: RepositoryEntry) -> None:
        entry.state, entry.problem = "running", ""
        entry.job = self.session.start_job(
            tr("Mining {name}", name=entry.source.name),
            partial(repository_mining.mine_apart, entry.source, entry.options, static_only=entry.static_only),
            partial(self._show_mined, entry),
            partial(self._show_mining_failure, entry),
            summary=_summary,
        )

    def _show_mined(self, entry: RepositoryEntry, outcome: MiningOutcome) -> None:
        entry.outcome, entry.problem = outcome, outcome.problem
        entry.state = "done" if outcome.mined is not None else "failed"
        selected = outcome.mined.selected if outcome.mined is not None else ()
        entry.selected_names = set(map(repository_mining.mined_function_name, selected))
        if self._current_entry is entry:
            self.show_entry(entry)
        self._update()

    def _show_mining_failure(self, entry: RepositoryEntry, failure: WorkFailure) -> None:
        entry.state, entry.problem = "failed", " ".join((failure.message, *failure.details))
        self._update()

    def _update(self) -> None:
        """Update the list from the jobs, and start the next repository if none is running."""
        for entry in self.entries:
            if entry.running_job is not None and entry.running_job.state == "cancelled":
                entry.state = "cancelled"
        waiting_entries = [entry for entry in self.entries if entry.state == "waiting"]
        if waiting_entries and not any(entry.state == "running" for entry in self.entries):
            self._start(waiting_entries[0])
        rows = [_entry_cells(entry) for entry in self.entries]
        if rows != self._shown_rows:
            self._shown_rows = rows
            with QSignalBlocker(self.list):
                self.list.set_rows(mark_words("repository", "state", "kept", "of"), rows, self.entries)
                self.list.select_first(lambda entry: entry is self._current_entry)
        if self.faces.current == 0:
            self.stack.setCurrentIndex(1 if self.entries else 0)
        self._update_buttons()

    def _update_buttons(self) -> None:
        entry = self._current_entry
        state, job = (entry.state, entry.running_job) if entry is not None else ("", None)
        self.pause_button.setEnabled(job is not None)
        self.pause_button.setText(tr("Resume") if job is not None and job.progress.paused else tr("Pause"))
        self.cancel_button.setEnabled(state in ("running", "waiting"))
        self.mine_again_button.setEnabled(state in _ENDED_STATES)
        self.mine_again_button.setText(tr("Continue") if state in ("failed", "cancelled") else tr("Mine again"))
        self.progress_label.setText(translate_word(tr_message(job.progress.text)) if job is not None else "")
        self.problem.setText(entry.problem if entry is not None else "")

    # -- one repository -------------------------------------------------------------------------------------------

    def show_entry(self, entry: RepositoryEntry | None) -> None:
        """Show the functions mined from a repository."""
        self._current_entry = entry
        self._update_buttons()
        outcome = entry.outcome if entry is not None and entry.mined is not None else None
        self.functions.about.setVisible(outcome is not None)
        self.detail.setCurrentWidget(self.functions if outcome is not None else self.nothing_found)
        if entry is not None and outcome is not None and self.functions.outcome is not outcome:
            self.functions.show_outcome(outcome, entry.selected_names)

    def toggle_pause(self) -> None:
        """Pause or resume the current repository."""
        job = self._current_entry.running_job if self._current_entry is not None else None
        if job is not None:
            (job.progress.resume if job.progress.paused else job.progress.pause)()
            self._update()

    def cancel_shown(self) -> None:
        """Cancel the current repository; test results are kept, so that mining it again continues."""
        entry = self._current_entry
        if entry is not None and entry.running_job is not None:
            entry.running_job.progress.cancel()
        elif entry is not None and entry.state == "waiting":
            entry.state = "cancelled"
        self._update()

    def mine_again(self) -> None:
        """Mine the current repository again, reusing earlier test results."""
        entry = self._current_entry
        if entry is not None and entry.state in _ENDED_STATES:
            entry.state, entry.job, entry.problem = "waiting", None, ""
            self._update()

    def import_selected(self) -> None:
        """Import the selected functions into the project."""
        entry = self._current_entry
        if entry is not None and entry.outcome is not None:
            rows = repository_mining.rows_of_functions(entry.outcome, entry.selected_names)
            import_rows = partial(repository_mining.import_rows, self.store, entry.outcome.source, rows)
            title = tr("Adding functions from {name}", name=entry.source.name)
            self.import_items(title, lambda _progress: import_rows())


def _summary(outcome: MiningOutcome) -> str:
    if outcome.mined is None:
        return outcome.problem
    if not outcome.mined.selected:
        return f"{outcome.source.name}: {repository_mining.explain_none_kept(outcome)}"
    return tr(
        "Kept {count} of {total} functions of {name}.",
        count=f"{len(outcome.mined.selected):,}",
        total=f"{len(outcome.mined.rows):,}",
        name=outcome.source.name,
    )


def _entry_cells(entry: RepositoryEntry) -> tuple[CellContent, ...]:
    job, mined = entry.running_job, entry.mined
    is_paused = job is not None and job.progress.paused
    word = translate_word(_STATE_WORDS["paused" if is_paused else entry.state])
    if job is not None and job.progress.fraction is not None:
        word += f" {job.progress.fraction:.0%}"
    counts: tuple[CellContent, ...] = (len(mined.selected), len(mined.rows)) if mined is not None else (_NO_COUNT,) * 2
    return entry.source.name, word, *counts
