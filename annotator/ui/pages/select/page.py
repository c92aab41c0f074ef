"""The page Select: triage of candidates by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QInputDialog, QLabel, QPlainTextEdit, QSplitter, QWidget

from annotator.mining.quota_plan import parse_quotas
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import (
    AnnotatorRow,
    DecisionResult,
    Facets,
    QueueFilter,
    QuotaRow,
    StageCounts,
    SubjectRow,
)
from annotator.model.rows.view_rows import SubjectView
from annotator.model.vocabulary import Difficulty, Verdict
from annotator.services.project import members, projects
from annotator.services.select import quotas, triage, turns
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.base_page import Destination
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, tr, tr_count, translate_word
from annotator.ui.pages.select.filter_bar import SelectFilters
from annotator.ui.pages.select.quota_list import QuotaDialog, QuotaList
from annotator.ui.pages.shared.fact_texts import attribution_html
from annotator.ui.pages.shared.kind_row import KindRow
from annotator.ui.pages.shared.subject_page import SubjectHeader, WorkPage
from annotator.ui.pages.shared.subject_tabs import Details
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.code.highlighting import FenceFonts, HiddenMarks
from annotator.ui.widgets.dialog import Dialog, confirm
from annotator.ui.widgets.draft_field import ask_on_page
from annotator.ui.widgets.fields import debounce
from annotator.ui.widgets.labels import button, join_list, label, shorten_middle
from annotator.ui.widgets.layouts import fill_layout, fill_splitter, make_row, make_splitter


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One side of the comparison; ``texts`` are (name, text, language)."""

    title: str
    facts: str
    texts: Sequence[tuple[str, str, str]]


class CompareDialog(Dialog):
    """Shows two candidates side by side; ``remark`` gives the reason for the comparison above them."""

    def __init__(
        self, parent: QWidget, theme: Theme, remark: str, left_side: ComparisonSide, right_side: ComparisonSide
    ) -> None:
        super().__init__(parent, tr("Compare two candidates"), size=(1120, 700))
        splitter = make_splitter(
            Qt.Orientation.Horizontal, make_side_card(theme, left_side), make_side_card(theme, right_side)
        )
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Close)
        remark_labels = [label(remark, "dim", wrap=True)] if remark else []
        self.lay_out(*remark_labels, (splitter, 1), buttons)


def make_side_card(theme: Theme, side: ComparisonSide) -> Card:
    """Return a card with the texts of one candidate below each other."""
    card = Card(shorten_middle(side.title, 60))
    card.body.addWidget(label(side.facts, "dim", wrap=True))
    for name, text, language in side.texts:
        card.body.addWidget(label(name, "section"))
        is_prose = language in ("", "markdown")
        view = CodeView(theme, tr("{name} of {title}", name=name, title=side.title), wrap=is_prose)
        view.set_code(text, language)
        card.body.addWidget(view, 1)
    return card


_CHIPS = {
    "accept": (mark_for_translation("accepted"), "good"),
    "reject": (mark_for_translation("rejected"), "bad"),
    "skip": (mark_for_translation("skipped"), "neutral"),
    "flag": (mark_for_translation("flagged"), "attention"),
}
_COUNT_DELAY_MS = 120
_PROMPT_HEIGHT = 96
"""The minimum height in pixels at 100 %, five lines: on a small screen the prompt matters more than the tabs."""
_QUOTAS_HEIGHT = 156


class _QueueCounts(NamedTuple):
    facets: Facets
    stages: StageCounts
    quotas: tuple[QuotaRow, ...]
    saved_filters: Mapping[str, QueueFilter]


class SelectPage(WorkPage):
    """The queue of candidates and the current one."""

    name = "Select"
    icon = "ph.check-square"
    queue_title = mark_for_translation("Candidates")
    empty = (
        "ph.tray",
        mark_for_translation("No candidates to show"),
        mark_for_translation("Candidates come from files and folders on the Sources page."),
        mark_for_translation("Go to Sources"),
    )

    def build(self) -> None:
        """Build filters, quotas, header, prompt and details."""
        self.filters = SelectFilters(self.theme, self.queue.above.parentWidget())
        self.filters.changed.connect(self._apply_filter)
        self.filters.save_requested.connect(self._save_filter)
        self.filters.delete_requested.connect(self._delete_filter)
        self.filters.text_chosen.connect(self.queue.search.setText)
        self.queue.above.insertWidget(0, self.filters)
        self.queue.set_status(_status_chip)
        self._had_open_candidates = False
        """Whether any candidates were open at the last count."""
        self._last_decided_id = ""
        """The id of the candidate decided last, until another one is shown."""
        self.queue.subject_selected.connect(self._clear_last_decided)
        self._is_list_finished = False
        """Whether the last listed candidate was decided after the counts were read."""
        self.quota_total = label("", "dim")
        self.edit_quotas_button = button(
            tr("Quotas…"), self.context.actions.keys("select.quotas"), clicked=self.edit_quotas
        )
        self.edit_quotas_button.setProperty("role", "flat")
        self.queue.below.addLayout(make_row(self.edit_quotas_button, None, self.quota_total))
        # The counts are read after a short delay, once for several quick decisions.
        self._timer = debounce(self, _COUNT_DELAY_MS, self._load_counts)
        self.queue.filter_changed.connect(self._timer.start)
        self.header = SubjectHeader(
            self.theme,
            self.context.actions,
            (
                ("select.skip", tr("Skip"), False),
                ("select.flag", tr("Flag"), False),
                ("select.reject", tr("Reject"), False),
                ("select.accept", tr("Accept"), True),
            ),
            self.subject_side,
        )
        splitter = QSplitter(Qt.Orientation.Vertical, self.subject_side)
        self.prompt_card = Card(tr("Prompt"), parent=splitter)
        self.kind_row = KindRow(self.prompt_card, has_keys=True)
        self.kind_row.label_chosen.connect(self._label_current)
        self.kind_row.typing_finished.connect(self.queue.list.setFocus)
        self.credit = QLabel()
        self.credit.setProperty("role", "dim")
        self.credit.setTextFormat(Qt.TextFormat.RichText)
        self.credit.setOpenExternalLinks(True)
        self.credit.setWordWrap(True)
        self.credit.setAccessibleName(tr("Where the candidate comes from"))
        self.prompt = QPlainTextEdit(self.prompt_card)
        self.prompt.setReadOnly(True)
        self.prompt.setAccessibleName(tr("Prompt of the candidate"))
        self.prompt.setMinimumHeight(self.theme.pixels(_PROMPT_HEIGHT))
        FenceFonts(self.theme, self.prompt)
        HiddenMarks(self.theme, self.prompt)
        fill_layout(self.prompt_card.body, self.kind_row, (self.prompt, 1), self.credit)
        self.details = Details(self.session, self.store, self.theme, splitter, on_label=self._label_current)
        fill_splitter(splitter, self.prompt_card, self.details, sizes=(340, 380))
        fill_layout(self.subject_layout, self.header, (splitter, 1))

    @cached_property
    def quotas(self) -> QuotaList:
        """The list of quotas at the bottom of the queue, built when there are any."""
        quota_list = QuotaList(self.theme, self.queue.below.parentWidget())
        quota_list.setMaximumHeight(self.theme.pixels(_QUOTAS_HEIGHT))
        quota_list.quota_chosen.connect(self._show_quota_candidates)
        quota_list.hide()
        self.queue.below.addWidget(quota_list)
        return quota_list

    def activate(self) -> None:
        """Load the queue, the filters' counts, the quotas and the progress."""
        super().activate()
        # The visible rows load first: counting a large project takes longer than reading them.
        self._timer.start()

    def refresh(self, changes: Changes) -> None:
        """Reload what changed, and the counts."""
        super().refresh(changes)
        self._timer.start()

    def show_view(self, view: SubjectView | None) -> None:
        """Show a candidate."""
        self.header.show_subject(view.row if view else None, writable=self.writable)
        self.kind_row.show_subject(view)
        self.prompt.setPlainText(view.prompt if view else "")
        self.prompt_card.set_trailing(decision_summary(view))
        credit = attribution_html(view)
        if view is not None and credit == escape(view.licence):
            # The licence alone is already shown in its field.
            credit = ""
        self.credit.setText(credit)
        self.credit.setVisible(bool(credit))
        self.details.show_subject(view)
        self._mark_quotas(view)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the page's handlers by action id."""
        return {
            **super().handlers(),
            "select.accept": partial(self.decide, Verdict.ACCEPT),
            "select.reject": self.reject,
            "select.skip": partial(self.decide, Verdict.SKIP),
            "select.flag": partial(self.decide, Verdict.FLAG),
            "select.reject_why": partial(self.decide_why, Verdict.REJECT),
            "select.skip_why": partial(self.decide_why, Verdict.SKIP),
            "select.flag_why": partial(self.decide_why, Verdict.FLAG),
            "select.easy": partial(self._label, "difficulty", Difficulty.EASY.value),
            "select.medium": partial(self._label, "difficulty", Difficulty.MEDIUM.value),
            "select.hard": partial(self._label, "difficulty", Difficulty.HARD.value),
            "select.type": self.kind_row.open_types,
            "select.compare": self.compare,
            "select.next_free": self.take_next_free,
            "select.quotas": self.edit_quotas,
            "select.mine": self.filters.toggle_mine,
            "select.give": self.ask_assignee,
            "select.undo": self.session.undo,
        }

    def subject_on_screen(self) -> SubjectRow | None:
        """Return the candidate on screen; None if it was just decided and was the last of an unsearched list."""
        row = super().subject_on_screen()
        is_list_done = row is not None and row.id == self._last_decided_id and not self.queue.search.text()
        return None if is_list_done else row

    def _clear_last_decided(self, subject_id: str | None) -> None:
        if subject_id != self._last_decided_id:
            self._last_decided_id = ""

    def follow_subject(self, row: SubjectRow) -> None:
        """Make the subject of another page current and offer the way back to the previous candidate."""
        previous_id = next(iter(self._restored_ids), None) or self.queue.current_id()
        super().follow_subject(row)
        if previous_id is not None and previous_id != row.id:
            text = tr("This is the item you were working on.")
            self.session.offer(text, tr("Previous candidate"), partial(self.show_subject, previous_id))

    def open_row(self) -> None:
        """Open an accepted candidate on the Prompt page; for any other, focus the prompt."""
        if self.view is not None and self.view.row.verdict == Verdict.ACCEPT:
            self.go_to.emit(Destination("Prompt", self.view.row.id))
        else:
            self.prompt.setFocus()

    # -- deciding -------------------------------------------------------------------------------------------------

    def reject(self) -> None:
        """Reject; for several candidates, first confirm overwritten decisions and ask for a reason."""
        self.when_settled(self._reject_selected)

    def _reject_selected(self) -> None:
        rows = self.queue.selected_rows()
        if len(rows) < 2:
            self.decide_rows(rows, Verdict.REJECT)
        else:
            self._count_then_ask(rows, Verdict.REJECT)

    def decide_why(self, verdict: Verdict) -> None:
        """Ask for a reason, then decide."""
        self.when_settled(partial(self._ask_why_selected, verdict))

    def _ask_why_selected(self, verdict: Verdict) -> None:
        rows = self.queue.selected_rows()
        if len(rows) > 1 and verdict == Verdict.REJECT:
            self._count_then_ask(rows, verdict)
        elif rows:
            self._ask_why(rows, verdict)

    def _count_then_ask(self, rows: Sequence[int], verdict: Verdict) -> None:
        work = partial(triage.count_overwritten, self.store, rows, verdict)
        self.session.run("read", work, partial(self._ask_to_overwrite, rows, verdict), latest="select-overwritten")

    def _ask_to_overwrite(self, rows: Sequence[int], verdict: Verdict, result: DecisionResult) -> None:
        if result.overwritten:
            title = tr("Reject {candidates}?", candidates=_candidate_count_text(len(rows)))
            text = tr(
                "Of these, {overwritten}. Rejecting replaces those decisions; Undo restores them.",
                overwritten=join_list(_overwritten_texts(result)),
            )
            proceed, stay = tr("Reject all {count}", count=f"{len(rows):,}"), tr("Leave unchanged")
            if not confirm(self, "overwrite-question", title, text, proceed=proceed, stay=stay):
                return
        self._ask_why(rows, verdict)

    def _ask_why(self, rows: Sequence[int], verdict: Verdict) -> None:
        title = f"{translate_word(verdict.value.capitalize())} {_candidate_count_text(len(rows))}"
        reason = ask_on_page(self, title, tr("Reason (optional)"), name="select.reason", item_id=verdict.value)
        if reason is not None:
            self.decide_rows(rows, verdict, reason)

    def decide(self, verdict: Verdict) -> None:
        """Decide on the selected candidates and go to the next at once; saving follows."""
        self.when_settled(partial(self._decide_selected, verdict))

    def _decide_selected(self, verdict: Verdict) -> None:
        self.decide_rows(self.queue.selected_rows(), verdict)

    def decide_rows(self, rows: Sequence[int], verdict: Verdict, reason: str = "") -> None:
        """Decide on rows of the queue and go to the next candidate."""
        if not rows:
            return
        self._last_decided_id = self.queue.current_id() or ""
        is_last = not self.queue.rows_beyond(1)
        act = partial(triage.decide_queue_rows, self.store, rows, verdict, reason, seen_decisions=self.seen_decisions())
        if len(rows) > 1:
            self.decide_and_advance(act, partial(self._report_decision, verdict, is_last))
        else:
            self.decide_and_advance(act, partial(self._record_list_end, is_last), about=self.queue.current_id())

    def _record_list_end(self, is_last: bool, _: object) -> None:
        # Set only after the save, because a count already running does not include the decision.
        self._is_list_finished = is_last

    def _report_decision(self, verdict: Verdict, is_last: bool, outcome: tuple[DecisionResult, Changes]) -> None:
        """Report a decision on several candidates with the verdicts that it overwrote, and offer Undo."""
        self._record_list_end(is_last, outcome)
        self.session.offer(_describe_decision(verdict, outcome[0]), tr("Undo"), self.session.undo)

    def take_next_free(self) -> None:
        """Go to the next open candidate not leased by others, and lease it until it is decided or passed over."""
        self.next_free.take_next(self.queue.filter)

    def _label(self, name: str, value: str) -> None:
        self.when_settled(partial(self._label_selected, name, value))

    def _label_current(self, view: SubjectView, name: str, value: str) -> None:
        self.when_settled(partial(self._label_selected, name, value, view.row.row))

    def _label_selected(self, name: str, value: str, row: int | None = None) -> None:
        """Label the selected candidates, or only ``row`` if it is given and not among them."""
        rows = self.queue.selected_rows()
        if row is not None and row not in rows:
            rows = [row]
        if rows:
            self.session.act(partial(triage.label_rows, self.store, rows, name, value))

    # -- assigning candidates -------------------------------------------------------------------------------------

    def ask_assignee(self) -> None:
        """Load the project's people, then ask who should get the selected candidates."""
        if self.queue.selected_rows():
            work = partial(members.list_annotators, self.store)
            self.session.run("read", work, self._assign_candidates, latest="select-people")

    def _assign_candidates(self, people: Sequence[AnnotatorRow]) -> None:
        rows, names = self.queue.selected_rows(), [person.name for person in people]
        nobody, everybody = tr("Nobody"), tr("Everyone in turn")
        choices = [*names, *([everybody] if min(len(names), len(rows)) > 1 else []), nobody]
        title = tr("Assign {candidates}", candidates=_candidate_count_text(len(rows)))
        choice, has_agreed = QInputDialog.getItem(self, title, tr("Assigned to"), choices, 0, False)
        if not has_agreed or not rows:
            return
        rows_by_person: dict[str, Sequence[int]] = {"" if choice == nobody else choice: rows}
        if choice == everybody:
            rows_by_person = {name: rows[index :: len(names)] for index, name in enumerate(names)}
        self.session.act(partial(turns.give_candidates, self.store, rows_by_person))

    # -- several candidates ---------------------------------------------------------------------------------------

    def compare(self) -> None:
        """Show two selected candidates side by side, or this one and the next."""
        rows = self.queue.selected_rows()
        if len(rows) == 1:
            rows += [row.row for row in self.queue.following(1)]
        if len(rows) == 2:
            self.session.run("read", partial(_load_pair, self.store, rows), self._show_pair, latest="select-compare")
        elif rows:
            self.session.say(tr("Select two candidates to compare them."))

    def _show_pair(self, views: Sequence[SubjectView]) -> None:
        if len(views) == 2:
            CompareDialog(self, self.theme, "", _comparison_side(views[0]), _comparison_side(views[1])).exec()

    # -- quotas ---------------------------------------------------------------------------------------------------

    def edit_quotas(self) -> None:
        """Open the dialog to edit the quotas."""
        rows = [{**dict(row.values), "wanted": row.target} for row in self.quotas.rows()]
        dialog = QuotaDialog(self, rows)
        if dialog.exec():
            self.session.act(partial(quotas.save_quotas, self.store, parse_quotas(dialog.rows)))

    @property
    def _has_quotas(self) -> bool:
        # Reading the cached property would build the list.
        return "quotas" in self.__dict__

    def _mark_quotas(self, view: SubjectView | None) -> None:
        if self._has_quotas:
            self.quotas.mark(view.row if view else None)

    def _show_quota_candidates(self, row: QuotaRow | None) -> None:
        self.filters.choose(row.queue_filter if row is not None else QueueFilter())

    # -- filters --------------------------------------------------------------------------------------------------

    def show_everything(self) -> None:
        """Clear the search, the filter and its chips."""
        self.filters.show_everything()

    def narrow(self, queue_filter: QueueFilter) -> None:
        """Apply a filter and its search text to the queue and the chips."""
        self.filters.text_chosen.emit(queue_filter.text)
        self.filters.choose(queue_filter)

    def _apply_filter(self, queue_filter: QueueFilter) -> None:
        self.queue.set_filter(queue_filter)
        self._load_counts()

    def _save_filter(self, name: str) -> None:
        self.session.act(partial(triage.save_filter, self.store, name, self.queue.filter))

    def _delete_filter(self, name: str) -> None:
        self.session.act(partial(triage.save_filter, self.store, name, None))

    def _load_counts(self) -> None:
        work = partial(_count_queue, self.store, self.queue.filter)
        self.session.run("read", work, self._show_counts, latest="select-counts")

    def _show_counts(self, counts: _QueueCounts) -> None:
        self.filters.set_facets(counts.facets)
        self.filters.set_saved(counts.saved_filters)
        stages, rows = counts.stages, counts.quotas
        if self._had_open_candidates and not stages.open and stages.accepted:
            text = tr("Every candidate has a decision.")
            self.session.offer(text, tr("Go to Prompt"), partial(self.go_to.emit, Destination("Prompt")))
        elif self._is_list_finished and stages.open:
            text = tr_count(
                "That was the last in the list. {count} candidate is still open.",
                "That was the last in the list. {count} candidates are still open.",
                stages.open,
            )
            self.session.offer(text, tr("Show next"), partial(self.next_free.take_next, QueueFilter()))
        self._is_list_finished = False
        self._had_open_candidates = stages.open > 0
        self.queue.set_progress(tr("Decided"), stages.subjects - stages.open, stages.subjects)
        if rows or self._has_quotas:
            self.quotas.set_rows(rows)
            self._mark_quotas(self.view)
            self.quotas.setVisible(bool(rows))
        filled_count = sum(min(row.filled, row.target) for row in rows)
        target_count = sum(row.target for row in rows)
        self.quota_total.setText(
            tr("{filled} / {wanted} filled", filled=filled_count, wanted=target_count) if rows else tr("none set")
        )


def _status_chip(row: SubjectRow) -> tuple[str, str] | None:
    return _CHIPS.get(row.verdict or "")


def decision_summary(view: SubjectView | None) -> str:
    """Return a text with the person a candidate is assigned to and the newest decision on it."""
    parts = [tr("assigned to {holder}", holder=view.holder)] if view is not None and view.holder else []
    # Restoring a project records "open" decisions for undecided candidates; those are not worth showing.
    if view is not None and view.decisions and view.decisions[0].verdict in _CHIPS:
        last = view.decisions[0]
        reason = f": {last.reason}" if last.reason else ""
        parts.append(
            tr(
                "{decision} by {annotator}{reason}",
                decision=translate_word(_CHIPS[last.verdict][0]),
                annotator=last.annotator,
                reason=reason,
            )
        )
    return " · ".join(parts)


def _comparison_side(view: SubjectView) -> ComparisonSide:
    row = view.row
    facts = " · ".join(part for part in (row.key, row.language, row.domain or row.area, view.licence) if part)
    language = "markdown" if "```" in view.reference else row.language
    return ComparisonSide(
        row.title, facts, ((tr("Prompt"), view.prompt, "markdown"), (tr("Reference"), view.reference, language))
    )


def _candidate_count_text(count: int) -> str:
    return tr("this candidate") if count == 1 else tr("{count} candidates", count=f"{count:,}")


def _describe_decision(verdict: Verdict, result: DecisionResult) -> str:
    """Return a text with the number of decided candidates and the decisions they overwrote."""
    count_text = {
        Verdict.ACCEPT: tr("Accepted {count}", count=f"{result.count:,}"),
        Verdict.REJECT: tr("Rejected {count}", count=f"{result.count:,}"),
        Verdict.SKIP: tr("Skipped {count}", count=f"{result.count:,}"),
        Verdict.FLAG: tr("Flagged {count}", count=f"{result.count:,}"),
    }[verdict]
    overwritten = join_list(_overwritten_texts(result))
    return (
        tr("{summary}, of which {overwritten}.", summary=count_text, overwritten=overwritten)
        if overwritten
        else f"{count_text}."
    )


def _overwritten_texts(result: DecisionResult) -> list[str]:
    """Return a text with the count of each overwritten verdict."""
    counts = {name: f"{count:,}" for name, count in result.overwritten.items()}
    texts = {
        "accept": tr("{count} had been accepted", count=counts.get("accept", "")),
        "reject": tr("{count} had been rejected", count=counts.get("reject", "")),
        "skip": tr("{count} had been skipped", count=counts.get("skip", "")),
        "flag": tr("{count} had been flagged", count=counts.get("flag", "")),
    }
    return [texts[name] for name in counts]


def _load_pair(store: ProjectFile, rows: list[int]) -> list[SubjectView]:
    return [triage.load_subject(store, row.id) for row in triage.subjects_at_rows(store, rows)]


def _count_queue(store: ProjectFile, queue_filter: QueueFilter) -> _QueueCounts:
    return _QueueCounts(
        triage.queue_facets(store, queue_filter),
        projects.stage_counts(store),
        quotas.quota_progress(store),
        triage.load_saved_filters(store),
    )
