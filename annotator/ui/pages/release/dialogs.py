"""The dialogs of the page Release: datasheet, audit, changes, publishing, power, authors and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from annotator.base.ids import content_hash
from annotator.formats.documents.datasheet_document import DatasheetAnswer
from annotator.model.rows.audit_rows import MET, NOT_APPLICABLE, NOT_MET, OPEN, Audit, AuditRow
from annotator.model.rows.release_rows import ReleaseDiff
from annotator.model.rows.result_rows import Table
from annotator.services.release import publishing
from annotator.services.release.authors import DEFAULT, LEFT_OUT, NAMED, AuthorRow
from annotator.services.release.power_plan import GROUPS, PowerQuestion
from annotator.services.release.publishing import BRANCH, TOKEN, Publication
from annotator.ui.app.session.draft_keeper import DraftKeeper
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.theme.look import Theme
from annotator.ui.app.translation import mark_for_translation, mark_words, tr, tr_count, tr_message, translate_word
from annotator.ui.widgets.code.code_view import CodeView
from annotator.ui.widgets.dialog import Dialog
from annotator.ui.widgets.draft_field import DraftBar, DraftDot, DraftField, ask_text
from annotator.ui.widgets.fields import TickList, choice_box, debounce, line_edit, number_box, real_box, text_field
from annotator.ui.widgets.labels import Segments, button, join_list, label
from annotator.ui.widgets.layouts import fill_column, make_column, make_form, make_row, make_scroll, make_stack
from annotator.ui.widgets.table import Cell, DataTable, count_cell

DATASHEET = "datasheet"
"""The item id of drafts in the datasheet."""
_TEXT_TITLES = (
    ("description", mark_for_translation("The benchmark in a paragraph")),
    ("url", mark_for_translation("Its address (URL)")),
    ("citation", mark_for_translation("How to cite it")),
)
_SECTION_TITLES = {
    "motivation": mark_for_translation("Motivation"),
    "composition": mark_for_translation("Composition"),
    "collection": mark_for_translation("Collection"),
    "preprocessing": mark_for_translation("Preprocessing"),
    "uses": mark_for_translation("Uses"),
    "distribution": mark_for_translation("Distribution"),
    "maintenance": mark_for_translation("Maintenance"),
}


class DatasheetDialog(Dialog):
    """Shows every question with the project's facts and the answer; emits the changed answers when they are saved."""

    written = Signal(str, str)
    """The id of a question or name of a text, and the new text."""

    def __init__(
        self,
        theme: Theme,
        drafts: DraftKeeper,
        answers: Sequence[DatasheetAnswer],
        texts: dict[str, Any],
        parent: QWidget,
    ) -> None:
        """``texts`` are the texts that answer no question, by name: description, address and citation."""
        super().__init__(parent, tr("Datasheet"), size=(theme.pixels(760), theme.pixels(640)))
        self._draft_keeper = drafts
        self.drafts: dict[str, DraftField] = {}
        self.draft_bar = DraftBar(theme)
        self.fields: dict[str, QPlainTextEdit] = {}
        inner = QWidget()
        column = QVBoxLayout(inner)
        column.setSpacing(6)
        column.addWidget(
            label(tr("Included in every export. Facts from the project are filled in automatically."), "dim", wrap=True)
        )
        for name, title in _TEXT_TITLES:
            column.addWidget(label(translate_word(title), "section"))
            column.addWidget(self._field(name, translate_word(title), str(texts.get(name, ""))))
        section = ""
        for answer in answers:
            if answer.question.section != section:
                section = answer.question.section
                column.addSpacing(8)
                column.addWidget(label(translate_word(_SECTION_TITLES[section]), "title"))
            required_suffix = tr(" (required)") if answer.question.required else ""
            column.addWidget(label(translate_word(answer.question.text) + required_suffix, "section", wrap=True))
            if answer.facts:
                facts_label = label(answer.facts, "dim", wrap=True)
                facts_label.setObjectName("datasheet-facts")
                column.addWidget(facts_label)
            column.addWidget(self._field(answer.question.id, translate_word(answer.question.text), answer.person))
        column.addStretch(1)
        area = make_scroll(inner)
        save_button = button(tr("Save"), "Ctrl+Return", primary=True, clicked=self.save)
        save_button.setShortcut("Ctrl+Return")
        close_button = button(tr("Close"), clicked=self.reject)
        foot = make_row(None, DraftDot(*self.drafts.values()), close_button, save_button)
        self.lay_out(self.draft_bar, (area, 1), foot)

    def _field(self, name: str, title: str, text: str) -> QPlainTextEdit:
        field = text_field(title)
        field.setTabChangesFocus(True)
        field.setFixedHeight(field.fontMetrics().lineSpacing() * 3 + 14)
        draft = self.drafts[name] = DraftField.for_text(self._draft_keeper, datasheet_draft_name(name), field)
        draft.show_item(DATASHEET, text, began_from=_revision(text))
        self.draft_bar.follow(draft)
        self.fields[name] = field
        return field

    def show_text(self, name: str, text: str) -> None:
        """Show another text in a field without emitting `written`."""
        self.drafts[name].finish(DATASHEET)
        self.drafts[name].show_item(DATASHEET, text, began_from=_revision(text))

    def mark_written(self, name: str, text: str) -> None:
        """Record a text as stored; text typed since then is a draft."""
        self.drafts[name].load_item(DATASHEET, text, began_from=_revision(text))

    def save(self) -> None:
        """Emit every text that differs from the stored one; until then it is a draft."""
        for name, draft in self.drafts.items():
            if draft.text != draft.stored:
                self.written.emit(name, draft.text)


def datasheet_draft_name(name: str) -> str:
    """Return a field's name in the journal of drafts."""
    return f"release.datasheet.{name}"


def _revision(text: str) -> str:
    return content_hash(text)[:16]


AUDIT = "release.audit"
"""The draft field of the statements."""
_STATE_WORDS = {
    MET: mark_for_translation("✓ met"),
    NOT_MET: mark_for_translation("✗ not met"),
    OPEN: mark_for_translation("? open"),
    NOT_APPLICABLE: mark_for_translation("not applicable"),
}


class AuditDialog(Dialog):
    """Lists every point with its evidence; people add statements on the points the program cannot check."""

    stated = Signal(str, str, str)
    """The id of a point, its new state, and the person's statement."""

    def __init__(self, theme: Theme, drafts: DraftKeeper, audit: Audit, parent: QWidget) -> None:
        super().__init__(parent, tr("Audit"), size=(theme.pixels(900), theme.pixels(620)))
        self._theme, self._drafts = theme, drafts
        self._row: AuditRow | None = None
        self.summary = label("", "dim", wrap=True)
        self.points = DataTable(tr("Points of the audit"), selected=self._choose)
        self.detail = label("", wrap=True)
        states = (MET, NOT_MET, NOT_APPLICABLE, OPEN)
        self.state = choice_box(tr("State"), [(translate_word(_STATE_WORDS[state]), state) for state in states])
        self.state_button = button(tr("Write statement…"), clicked=self.ask)
        foot = make_row(self.state, self.state_button, None, button(tr("Close"), primary=True, clicked=self.accept))
        self.lay_out(self.summary, (self.points, 1), self.detail, foot)
        self.show_audit(audit)

    def show_audit(self, audit: Audit) -> None:
        """Show an audit; the selected point stays selected."""
        shares = [
            tr("{phase}: {met} of {points}", phase=translate_word(share.phase), met=share.met, points=share.points)
            for share in audit.phases
        ]
        self.summary.setText(tr("Points met: {list}", list=join_list(shares)))
        rows = [
            (
                Cell(translate_word(_STATE_WORDS[row.state])),
                Cell(translate_word(row.point.phase)),
                Cell(translate_word(row.point.text)),
                Cell(tr_message(row.evidence.text) or (row.statement.text if row.statement else "")),
            )
            for row in audit.rows
        ]
        selected_id = self._row.point.id if self._row else ""
        headers = mark_words("state", "phase", "point", "evidence or statement")
        self.points.set_rows(headers, rows, list(audit.rows), stretch=(2, 3))
        selected_index = next((index for index, row in enumerate(audit.rows) if row.point.id == selected_id), 0)
        self.points.select(selected_index)
        self._choose(audit.rows[selected_index])

    def ask(self) -> None:
        """Ask for the statement on the selected state and emit both; reopening a point needs no statement."""
        if self._row is None:
            return
        point, state = self._row.point, str(self.state.currentData())
        text: str | None = ""
        if state != OPEN:
            question = translate_word(point.text)
            text = ask_text(
                self, self._theme, self._drafts, tr("Statement on a point"), question, name=AUDIT, item_id=point.id
            )
        if text is not None:
            self.stated.emit(point.id, state, text)

    def _choose(self, row: AuditRow) -> None:
        self._row = row
        lines = [translate_word(row.point.text)]
        if row.evidence.text:
            lines.append(tr_message(row.evidence.text))
        if row.statement:
            statement = row.statement
            lines.append(
                tr(
                    "{person}, {date}: {text}",
                    person=statement.person,
                    date=statement.created_at[:10],
                    text=statement.text,
                )
            )
        if len(lines) == 1:
            lines.append(tr("No statement on this point yet."))
        self.detail.setText("\n".join(lines))


PRESENT = mark_for_translation("the current state")


class ChangesDialog(Dialog):
    """Compares two selectable versions; the current state is the newest."""

    comparison_requested = Signal(str, str)
    """Older and newer version to compare; the newer is empty for the current state."""
    errata_edited = Signal(str)
    """The errata of the next release, one sentence per line."""

    def __init__(self, theme: Theme, versions: Sequence[str], old: str, parent: QWidget) -> None:
        """Offer ``versions``, newest first; at first, ``old`` is compared with the current state."""
        super().__init__(parent, tr("Changes between versions"), size=(theme.pixels(760), theme.pixels(560)))
        version_choices = [(version, version) for version in versions]
        self.old = choice_box(tr("Older version"), version_choices)
        self.old.setCurrentText(old)
        self.new = choice_box(tr("Newer version"), [(translate_word(PRESENT), ""), *version_choices])
        for box in (self.old, self.new):
            box.setMinimumContentsLength(14)
            box.currentIndexChanged.connect(self.ask)
        self.summary = label("", "section", wrap=True)
        self.items, self.runs = DataTable(tr("Items that differ")), DataTable(tr("Stored results"))
        self.errata = text_field(tr("Errata"))
        self.errata.textChanged.connect(self._write)
        self.about = label("", "dim", wrap=True)
        errata = QWidget()
        fill_column(errata, self.about, (self.errata, 1))
        self.stack = make_stack(self.items, self.runs, errata)
        parts = (tr("Items"), tr("Stored results"), tr("Errata"))
        self.faces = Segments(tr("Part"), parts, selected=self.stack.setCurrentIndex)
        head = make_row(label(tr("From"), "dim"), self.old, label(tr("to"), "dim"), self.new, None)
        foot = make_row(None, button(tr("Close"), primary=True, clicked=self.accept))
        self.lay_out(head, self.summary, self.faces, (self.stack, 1), foot)

    def ask(self) -> None:
        """Request the comparison of the selected versions."""
        self.comparison_requested.emit(self.old.currentText(), self.new.currentData())

    def show_diff(self, diff: ReleaseDiff, errata: str | None) -> None:
        """Show a comparison; ``errata`` is the text written for the next release, None for the generated draft."""
        self.summary.setText(summarize_diff(diff))
        item_cells = [(Cell(tr("added")), Cell(item.title or item.key), Cell(""), Cell("")) for item in diff.added]
        item_cells += [
            (Cell(tr("removed")), Cell(item.title or item.key), Cell(""), Cell(tr("dropped"))) for item in diff.removed
        ]
        item_cells += [
            (Cell(tr("changed")), Cell(item.title or item.key), Cell(join_list(map(translate_word, item.fields))),
             Cell(tr("no longer valid") if item.void else tr("still valid")))
            for item in diff.changed
        ]  # fmt: skip
        self.items.set_rows(mark_words("what", "item", "parts", "earlier scores"), item_cells, item_cells, stretch=1)
        run_cells = [
            (Cell(run.model),
             *map(count_cell, (run.responses, run.void - run.ask_again, run.ask_again, run.dropped)))
            for run in diff.runs
        ]  # fmt: skip
        headers = mark_words("run of", "responses", "to score again", "to request again", "dropped")
        self.runs.set_rows(headers, run_cells, list(diff.runs), stretch=0)
        is_present_state = not diff.new
        self.errata.setReadOnly(not is_present_state)
        self.about.setText(
            tr("Notes for users of the older version, published with the next release. You can edit them.")
            if is_present_state
            else tr("Suggested notes for users of the older version.")
        )
        self.errata.blockSignals(True)
        self.errata.setPlainText("\n".join(diff.errata) if errata is None or not is_present_state else errata)
        self.errata.blockSignals(False)

    def _write(self) -> None:
        if not self.errata.isReadOnly():
            self.errata_edited.emit(self.errata.toPlainText())


def summarize_diff(diff: ReleaseDiff) -> str:
    """Return a comparison in two sentences."""
    counts = (
        tr("{count} added", count=len(diff.added)),
        tr("{count} removed", count=len(diff.removed)),
        tr("{count} changed", count=len(diff.changed)),
        tr("{same} unchanged", same=diff.same),
    )
    return tr(
        "Since {old}: {list}. Results can be compared on {count} items.",
        old=diff.old,
        list=join_list(counts),
        count=len(diff.comparable),
    )


_MAX_REMARKS = 6


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """The target of a publication; an empty ``endpoint`` is the Hugging Face Hub."""

    place: str
    branch: str
    endpoint: str
    token: str


class PublishDialog(Dialog):
    """The form to publish a release; it requires a dry run first, so that only the listed files can be sent."""

    plan_requested = Signal(object)
    """Request a dry run, with a `PublishRequest`."""
    publish_requested = Signal(object)
    """Request to send the listed files, with the same `PublishRequest`."""

    def __init__(self, theme: Theme, version: str, parent: QWidget) -> None:
        super().__init__(
            parent, tr("Publish release {version}", version=version), size=(theme.pixels(680), theme.pixels(600))
        )
        self._planned_request: PublishRequest | None = None
        self.place = line_edit(tr("Place", "where to publish"), tr("hf:OWNER/NAME, or the address of a git repository"))
        self.branch = line_edit(tr("Branch"), BRANCH)
        self.endpoint = line_edit(tr("Server"), tr("if it is not the Hugging Face Hub"))
        self.token = line_edit(tr("Name of the key"), TOKEN)
        self.files = DataTable(tr("Files to send"))
        self.status_label = label("", "dim", wrap=True)
        self.plan_button = button(tr("Preview files"), clicked=self.ask)
        self.send_button = button(tr("Publish"), primary=True, clicked=self._confirm)
        about = tr(
            "A version is published once, as a commit with a tag. A new repository on the Hub is private; the key is "
            "read from the environment or the keyring."
        )
        lines = (self.place, self.branch, self.endpoint, self.token)
        form = make_form(*((line.accessibleName(), line) for line in lines))
        for line in lines:
            line.textChanged.connect(self._forget_plan)
        button_row = make_row(None, button(tr("Close"), clicked=self.reject), self.send_button)
        plan = make_column(make_row(None, self.plan_button), (self.files, 1), self.status_label)
        self.lay_out(label(about, "dim", wrap=True), form, (plan, 1), button_row)
        self.place.returnPressed.connect(self.ask)
        self._forget_plan()

    def read_request(self) -> PublishRequest:
        """Return the entered target."""
        return PublishRequest(
            self.place.text().strip(),
            self.branch.text().strip() or BRANCH,
            self.endpoint.text().strip(),
            self.token.text().strip() or TOKEN,
        )

    def ask(self, _checked: bool = False) -> None:
        """Request a dry run for the entered target."""
        if self.place.text().strip():
            self._planned_request = self.read_request()
            self.plan_requested.emit(self._planned_request)

    def show_plan(self, request: PublishRequest, publication: Publication) -> None:
        """List the files that would be sent; sending is enabled while the target is unchanged."""
        rows = [[Cell(name), Cell(f"{size:,}", size)] for name, size in publication.files]
        self.files.set_rows(mark_words("file", "bytes"), rows, list(publication.files), stretch=0)
        remarks = list(publication.remarks[:_MAX_REMARKS])
        if len(publication.remarks) > _MAX_REMARKS:
            remarks.append(tr("and {count} more", count=len(publication.remarks) - _MAX_REMARKS))
        count = tr_count(
            "{count} file would be sent to {place}.", "{count} files would be sent to {place}.", len(publication.files),
            place=publication.place,
        )  # fmt: skip
        self.status_label.setText("\n".join([count, *remarks]))
        self.send_button.setEnabled(request == self.read_request())

    def show_published(self, publication: Publication) -> None:
        """Show the report of the upload; sending again needs another dry run."""
        self._show_outcome(describe_publication(publication))

    def show_failure(self, failure: WorkFailure) -> None:
        """Show why nothing was sent; sending needs another dry run."""
        self._show_outcome("\n".join([failure.message, *failure.details[:6]]))

    def _show_outcome(self, text: str) -> None:
        self.status_label.setText(text)
        self.plan_button.setEnabled(bool(self.place.text().strip()))
        self.send_button.setEnabled(False)

    def _forget_plan(self, _text: str = "") -> None:
        self._planned_request = None
        self.plan_button.setEnabled(bool(self.place.text().strip()))
        self.send_button.setEnabled(False)

    def _confirm(self, _checked: bool = False) -> None:
        if self._planned_request == self.read_request():
            self.plan_button.setEnabled(False)
            self.send_button.setEnabled(False)
            self.publish_requested.emit(self._planned_request)


def describe_publication(publication: Publication) -> str:
    """Return a sentence with the place and the commit of a published version."""
    return tr(
        "Published {version} to {place} as {tag}, commit {commit}.", version=publication.version,
        place=publication.place, tag=publishing.version_tag(publication.version), commit=publication.commit[:12],
    )  # fmt: skip


_TYPING_MS = 200


class PowerDialog(Dialog):
    """Plans the size of a benchmark: the `PowerQuestion`, which `plan_requested` carries, above its answer by group."""

    plan_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, tr("Size and power"), size=(theme.pixels(640), theme.pixels(440)))
        self.difference = real_box(0.1, 99.0, 5.0, tr("Difference between two models in points"))
        self.difference.setSuffix(" %")
        self.samples = number_box(1, 1000, 1, tr("Samples of each item"))
        self.power = real_box(1.0, 99.9, 80.0, tr("Power: chance of detecting the difference"))
        self.power.setSuffix(" %")
        self.by = choice_box(tr("Group by"), [(tr("by {name}", name=translate_word(name)), name) for name in GROUPS])
        self.table = DataTable(tr("Size and power"))
        self.notes = label("", "dim", wrap=True)
        named_fields = (
            (tr("difference"), self.difference), (tr("samples"), self.samples), (tr("power"), self.power),
        )  # fmt: skip
        question = make_row(*(make_row(label(name, "dim"), field) for name, field in named_fields), self.by, None)
        foot = make_row(None, button(tr("Close"), primary=True, clicked=self.accept))
        self.lay_out(question, (self.table, 1), self.notes, foot)
        self._typing_timer = debounce(self, _TYPING_MS, self.ask)
        for box in (self.difference, self.samples, self.power):
            box.valueChanged.connect(self._typing_timer.start)
        self.by.currentIndexChanged.connect(self.ask)

    def ask(self, _choice: int = 0) -> None:
        """Emit the question."""
        self.plan_requested.emit(
            PowerQuestion(
                difference=self.difference.value() / 100,
                samples=self.samples.value(),
                power=self.power.value() / 100,
                by=str(self.by.currentData()),
            )
        )

    def show_plan(self, plan: Table) -> None:
        """Show the answer."""
        rows = [[Cell(tr_message(cell.text), cell.number) for cell in row] for row in plan.rows]
        self.table.set_rows(plan.headers, rows, list(plan.rows))
        self.notes.setText("\n".join(map(tr_message, plan.notes)))


class AuthorsDialog(Dialog):
    """Lists people to tick as authors; by default, those whose work is in the release are ticked."""

    def __init__(self, authors: Sequence[AuthorRow], parent: QWidget | None = None) -> None:
        super().__init__(parent, tr("Authors"))
        self._authors = authors
        self.people = TickList([row.name for row in authors], [row.name for row in authors if row.is_named], 200)
        self.people.setAccessibleName(tr("Authors"))
        hint = label(
            tr("The next release names the ticked people as authors: at first, those whose work is in it."),
            "dim", wrap=True,
        )  # fmt: skip
        buttons = self.make_buttons(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.lay_out(hint, (self.people, 1), buttons)
        self.setMinimumWidth(420)

    @property
    def choices(self) -> dict[str, str]:
        """The new choice for each person whose tick was changed."""
        ticked = set(self.people.ticked_names)
        choices = {}
        for row in self._authors:
            is_ticked = row.name in ticked
            if row.is_named == is_ticked:
                continue
            if row.has_work == is_ticked:
                choices[row.name] = DEFAULT
            else:
                choices[row.name] = NAMED if is_ticked else LEFT_OUT
        return choices


class ReportDialog(Dialog):
    """Shows one report, which is also part of a release's exports."""

    def __init__(self, theme: Theme, title: str, about: str, text: str, parent: QWidget) -> None:
        """``about`` is the sentence above the text."""
        super().__init__(parent, title, size=(theme.pixels(820), theme.pixels(560)))
        self.view = CodeView(theme, title, read_only=True)
        self.view.set_code(text, "markdown")
        foot = make_row(None, button(tr("Close"), primary=True, clicked=self.accept))
        self.lay_out(label(about, "dim", wrap=True), (self.view, 1), foot)
