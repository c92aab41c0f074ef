"""The page Criterion: the desk with the criterion as its own step."""

from __future__ import annotations

from annotator.model.rows.queue_rows import StageCounts, SubjectRow
from annotator.ui.app.translation import mark_for_translation, tr
from annotator.ui.pages.desk.page import TO_RELEASE, DeskPage
from annotator.ui.pages.desk.steps import DeskStep


class CriterionPage(DeskPage):
    """Accepted subjects and the criterion of one."""

    name = "Criterion"
    icon = "ph.target"
    queue_title = mark_for_translation("Criterion queue")
    empty = (
        "ph.target",
        mark_for_translation("No accepted subjects yet"),
        mark_for_translation(
            "Accept candidates on Select; then describe a good response here and try the rules right away."
        ),
        mark_for_translation("Go to Select"),
    )
    own_step = DeskStep.CRITERION
    next_page = TO_RELEASE

    def open_row(self) -> None:
        """Put the cursor into the criterion of the current subject."""
        self.context.actions.trigger("desk.criterion")

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the chip of a subject: written, proven or none."""
        written_chip = (tr("written"), "attention") if row.has_criterion else None
        return (tr("proven"), "good") if row.proven else written_chip

    def show_counts(self, counts: StageCounts) -> None:
        """Show how many subjects are proven."""
        self.queue.set_progress(tr("Proven"), counts.proven, counts.accepted)
