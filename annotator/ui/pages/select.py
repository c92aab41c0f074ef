"""Triage: one candidate after the other, by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QSplitter

from annotator.model.rows import QueueFilter
from annotator.model.words import Difficulty, Verdict
from annotator.ui.pages.parts.credit import attribution
from annotator.ui.pages.parts.details import Details
from annotator.ui.pages.parts.header import SubjectHeader
from annotator.ui.pages.parts.kind_row import KindRow
from annotator.ui.pages.parts.next_free import NextFree
from annotator.ui.pages.parts.select_filters import SelectFilters
from annotator.ui.pages.parts.turn_acts import TurnActs
from annotator.ui.pages.parts.work_page import WorkPage
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.labels import button, label
from annotator.ui.words import tr, tr_known, tr_later

if TYPE_CHECKING:
    from annotator.model.quota_rows import QuotaRow
    from annotator.model.rows import Changes, Facets, StageCounts, SubjectRow, SubjectView
    from annotator.ui.pages.parts.compare_dialog import Side
    from annotator.ui.widgets.quota_list import QuotaList

    _Counted = tuple[Facets, StageCounts, tuple[QuotaRow, ...], Mapping[str, QueueFilter]]

_CHIPS = {
    "accept": (tr_later("accepted"), "good"),
    "reject": (tr_later("rejected"), "bad"),
    "skip": (tr_later("skipped"), "neutral"),
    "flag": (tr_later("flagged"), "attention"),
}
_COUNT_MS = 120
_QUOTAS_HEIGHT = 156


class SelectPage(WorkPage):
    """The queue of candidates and the one being decided on."""

    name = "Select"
    icon = "ph.check-square"
    queue_title = tr_later("Candidates")
    empty = (
        "ph.tray",
        tr_later("No candidate to show"),
        tr_later("Candidates come from files and folders on the Sources page."),
        tr_later("Go to Sources"),
    )

    def build(self) -> None:
        """Build filters, quotas, header, prompt and details."""
        self.filters = SelectFilters(self.queue)
        self.filters.changed.connect(self._filtered)
        self.filters.keep_asked.connect(self._keep_filter)
        self.filters.drop_asked.connect(self._drop_filter)
        self.filters.text_wanted.connect(self.queue.search.setText)
        self.queue.filter_changed.connect(self._searched)
        self.queue.body.insertWidget(1, self.filters)
        self.queue.set_status(_status)
        self.next_free = NextFree(self.session, self.queue.go_to, self)
        self._build_quotas()
        # Counting follows a little behind, once for decisions in quick succession.
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_COUNT_MS)
        self._timer.timeout.connect(self._count)
        self.turns = TurnActs(self, self.session, self.queue.selected_rows)
        self.header = SubjectHeader(
            self.context.actions,
            (
                ("select.skip", tr("Skip"), False),
                ("select.flag", tr("Flag"), False),
                ("select.reject", tr("Reject"), False),
                ("select.accept", tr("Accept"), True),
            ),
            self.subject_side,
        )
        down = QSplitter(Qt.Orientation.Vertical, self.subject_side)
        down.setChildrenCollapsible(False)
        down.setHandleWidth(12)
        self.prompt_card = Card(tr("Prompt"), parent=down)
        self.kind = KindRow(self.prompt_card)
        self.kind.said.connect(self._label)
        self.credit = QLabel()
        self.credit.setProperty("role", "dim")
        self.credit.setTextFormat(Qt.TextFormat.RichText)
        self.credit.setOpenExternalLinks(True)
        self.credit.setWordWrap(True)
        self.credit.setAccessibleName(tr("Where the candidate comes from"))
        self.prompt = QPlainTextEdit(self.prompt_card)
        self.prompt.setReadOnly(True)
        self.prompt.setAccessibleName(tr("Prompt of the candidate"))
        self.prompt_card.body.addWidget(self.kind)
        self.prompt_card.body.addWidget(self.prompt, 1)
        self.prompt_card.body.addWidget(self.credit)
        self.details = Details(self.session, self.theme, down)
        down.addWidget(self.prompt_card)
        down.addWidget(self.details)
        down.setSizes([340, 380])
        self.subject_layout.addWidget(self.header)
        self.subject_layout.addWidget(down, 1)

    def _build_quotas(self) -> None:
        self.quota_total = label("", "dim")
        self.quota_edit = button(tr("Quotas…"), self.context.actions.keys("select.quotas"))
        self.quota_edit.setProperty("role", "flat")
        self.quota_edit.clicked.connect(self.edit_quotas)
        row = QHBoxLayout()
        row.addWidget(self.quota_edit)
        row.addStretch(1)
        row.addWidget(self.quota_total)
        self.queue.body.addLayout(row)

    @cached_property
    def quotas(self) -> QuotaList:
        """The list of the quotas, below all else in the queue; made when there are any."""
        from annotator.ui.widgets.quota_list import QuotaList

        made = QuotaList(self.theme, self.queue)
        made.setMaximumHeight(self.theme.pixels(_QUOTAS_HEIGHT))
        made.chosen.connect(self._quota_chosen)
        made.hide()
        self.queue.body.addWidget(made)
        return made

    def activate(self) -> None:
        """Load the queue, the filters' counts, the quotas and the progress."""
        super().activate()
        # The candidates come first: counting a large project takes longer than reading what is on screen of it.
        self._timer.start()

    def refresh(self, changes: Changes) -> None:
        """Show the new state of what changed."""
        super().refresh(changes)
        self._timer.start()

    def show_view(self, view: SubjectView | None) -> None:
        """Show a candidate."""
        self.header.show_subject(view.row if view else None, writable=self.writable)
        self.kind.show_subject(view)
        self.prompt.setPlainText(view.prompt if view else "")
        self.prompt_card.set_trailing(_said(view))
        credit = attribution(view)
        self.credit.setText(credit)
        self.credit.setVisible(bool(credit))
        self.details.show_subject(view)
        self._mark_quotas(view)

    def actions(self) -> dict[str, Callable[[], object]]:  # type: ignore[override]  # see Page.actions
        """Return the decisions, the labels, and what looks at more than one candidate."""
        return {
            **super().actions(),
            "select.accept": partial(self.decide, Verdict.ACCEPT),
            "select.reject": self.reject,
            "select.skip": partial(self.decide, Verdict.SKIP),
            "select.flag": partial(self.decide, Verdict.FLAG),
            "select.reject_why": partial(self.decide_why, Verdict.REJECT),
            "select.skip_why": partial(self.decide_why, Verdict.SKIP),
            "select.flag_why": partial(self.decide_why, Verdict.FLAG),
            "select.easy": partial(self._label, ("difficulty", Difficulty.EASY.value)),
            "select.medium": partial(self._label, ("difficulty", Difficulty.MEDIUM.value)),
            "select.hard": partial(self._label, ("difficulty", Difficulty.HARD.value)),
            "select.type": self.kind.open_types,
            "select.compare": self.compare,
            "select.next_free": self.take_next_free,
            "select.quotas": self.edit_quotas,
            "select.mine": self.filters.toggle_mine,
            "select.give": self.turns.ask,
            "select.undo": self.session.undo,
        }

    # -- deciding -------------------------------------------------------------------------------------------------

    def reject(self) -> None:
        """Reject; for several at once, ask for a reason first."""
        if len(self.queue.selected_rows()) < 2:
            self.decide(Verdict.REJECT)
        else:
            self.decide_why(Verdict.REJECT)

    def decide_why(self, verdict: Verdict) -> None:
        """Ask for a reason, then decide."""
        from PySide6.QtWidgets import QInputDialog

        count = len(self.queue.selected_rows())
        what = tr("this candidate") if count == 1 else tr("{count} candidates", count=f"{count:,}")
        title = f"{tr_known(verdict.value.capitalize())} {what}"
        reason, agreed = QInputDialog.getText(self, title, tr("Reason (may stay empty)"))
        if agreed:
            self.decide(verdict, reason)

    def decide(self, verdict: Verdict, reason: str = "") -> None:
        """Decide on the selected candidates and go on to the next at once; the saving follows."""
        store, rows = self.session.store, self.queue.selected_rows()
        if store is not None and rows:
            self.session.act(partial(_decide, store, rows, verdict, reason))
            self.queue.select_next()

    def take_next_free(self) -> None:
        """Go to the next open candidate that nobody else works on; it is this person's until decided or passed over."""
        self.next_free.take(self.queue.filter)

    def _label(self, said: tuple[str, str]) -> None:
        store, rows = self.session.store, self.queue.selected_rows()
        if store is not None and rows:
            self.session.act(partial(_label_rows, store, rows, *said))

    # -- several candidates ---------------------------------------------------------------------------------------

    def compare(self) -> None:
        """Show two selected candidates side by side, or this one and the next."""
        store, rows = self.session.store, self.queue.selected_rows()
        if store is None or not rows:
            return
        if len(rows) == 1:
            rows += [row.row for row in self.queue.following(1)]
        if len(rows) != 2:
            self.session.say(tr("Select two candidates to compare them."))
            return
        self.session.run("read", partial(_two, store, rows), self._show_two, latest="select-compare")

    def _show_two(self, views: Sequence[SubjectView]) -> None:
        if len(views) == 2:
            from annotator.ui.pages.parts.compare_dialog import CompareDialog

            CompareDialog(self, self.theme, "", _side(views[0]), _side(views[1])).exec()

    # -- quotas ---------------------------------------------------------------------------------------------------

    def edit_quotas(self) -> None:
        """Let a person say how many of which kind are wanted."""
        from annotator.ui.pages.parts.quota_dialog import QuotaDialog

        rows = [{**dict(row.values), "wanted": row.wanted} for row in self.quotas.rows()]
        dialog = QuotaDialog(self, rows)
        store = self.session.store
        if dialog.exec() and store is not None:
            self.session.act(partial(_keep_quotas, store, dialog.rows))

    @property
    def _has_quotas(self) -> bool:
        return "quotas" in self.__dict__

    def _mark_quotas(self, view: SubjectView | None) -> None:
        if self._has_quotas:
            self.quotas.mark(view.row if view else None)

    def _quota_chosen(self, row: QuotaRow | None) -> None:
        self.filters.choose(row.shown if row is not None else QueueFilter())

    # -- filters --------------------------------------------------------------------------------------------------

    def show_everything(self) -> None:
        """Take back what narrows the queue, in the boxes too."""
        self.filters.show_everything()

    def _filtered(self, wanted: QueueFilter) -> None:
        self.queue.set_filter(wanted)
        self._count()

    def _searched(self, _wanted: QueueFilter) -> None:
        self._timer.start()

    def _keep_filter(self, name: str) -> None:
        store = self.session.store
        if store is not None:
            self.session.act(partial(_save_filter, store, name, self.queue.filter))

    def _drop_filter(self, name: str) -> None:
        store = self.session.store
        if store is not None:
            self.session.act(partial(_save_filter, store, name, None))

    def _count(self) -> None:
        store = self.session.store
        if store is not None:
            self.session.run(
                "read", partial(_counts, store, self.queue.filter), self._take_counts, latest="select-counts"
            )

    def _take_counts(self, found: _Counted) -> None:
        facets, counts, quotas, kept = found
        self.filters.set_facets(facets)
        self.filters.set_kept(kept)
        self.queue.set_progress(tr("Decided"), counts.subjects - counts.open, counts.subjects)
        if quotas or self._has_quotas:
            self.quotas.set_rows(quotas)
            self._mark_quotas(self.view)
            self.quotas.setVisible(bool(quotas))
        filled, wanted = sum(min(row.filled, row.wanted) for row in quotas), sum(row.wanted for row in quotas)
        self.quota_total.setText(
            tr("{filled} / {wanted} filled", filled=filled, wanted=wanted) if quotas else tr("none set")
        )


def _status(row: SubjectRow) -> tuple[str, str] | None:
    return _CHIPS.get(row.verdict or "")


def _said(view: SubjectView | None) -> str:
    parts = [tr("{holder}'s turn", holder=view.holder)] if view is not None and view.holder else []
    # What a restored project had not decided is a decision, too: "open", of which nobody need be told.
    if view is not None and view.decisions and view.decisions[0].verdict in _CHIPS:
        last = view.decisions[0]
        reason = f": {last.reason}" if last.reason else ""
        parts.append(
            tr(
                "{decision} by {annotator}{reason}",
                decision=tr_known(_CHIPS[last.verdict][0]),
                annotator=last.annotator,
                reason=reason,
            )
        )
    return " · ".join(parts)


def _side(view: SubjectView) -> Side:
    from annotator.ui.pages.parts.compare_dialog import Side

    row = view.row
    facts = " · ".join(part for part in (row.key, row.language, row.domain or row.area, view.licence) if part)
    code = "markdown" if "```" in view.reference else row.language
    return Side(row.title, facts, ((tr("Prompt"), view.prompt, "markdown"), (tr("Reference"), view.reference, code)))


# The store's type would load SQLModel before the first paint, so these take it as an object.


def _decide(store: Any, rows: list[int], verdict: Verdict, reason: str) -> Changes:
    from annotator.services import selecting

    return selecting.decide_rows(store, rows, verdict, reason)


def _label_rows(store: Any, rows: list[int], name: str, value: str) -> Changes:
    from annotator.services import selecting

    return selecting.label_rows(store, rows, name, value)


def _two(store: Any, rows: list[int]) -> list[SubjectView]:
    from annotator.services import selecting

    return [selecting.subject(store, row.id) for row in selecting.rows_at(store, rows)]


def _keep_quotas(store: Any, rows: list[dict[str, Any]]) -> Changes:
    from annotator.mining.quotas import parse_quotas
    from annotator.services import quotas

    return quotas.keep(store, parse_quotas(rows))


def _save_filter(store: Any, name: str, wanted: QueueFilter | None) -> Changes:
    from annotator.services import selecting

    return selecting.save_filter(store, name, wanted)


def _counts(store: Any, wanted: QueueFilter) -> _Counted:
    from annotator.services import projects, quotas, selecting

    return (
        selecting.facets(store, wanted),
        projects.stage_counts(store),
        quotas.progress(store),
        selecting.saved_filters(store),
    )
