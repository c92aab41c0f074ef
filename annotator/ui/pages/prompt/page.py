"""The page Prompt: the desk with the paraphrase as its own step."""

from __future__ import annotations

from annotator.model.rows.queue_rows import StageCounts, SubjectRow
from annotator.ui.app.translation import mark_for_translation, tr
from annotator.ui.pages.desk.page import TO_CRITERION, TO_RELEASE, DeskPage
from annotator.ui.pages.desk.steps import DeskStep


class PromptPage(DeskPage):
    """Accepted subjects and the paraphrased prompt of one."""

    name = "Prompt"
    icon = "ph.pencil-line"
    queue_title = mark_for_translation("Prompt queue")
    empty = (
        "ph.pencil-line",
        mark_for_translation("No accepted subjects yet"),
        mark_for_translation(
            "Accept candidates on the Select page; then paraphrase their prompts here, beside the public original."
        ),
        mark_for_translation("Go to Select"),
    )
    own_step = DeskStep.PARAPHRASED
    next_page = TO_CRITERION

    def open_row(self) -> None:
        """Put the cursor into the paraphrase of the current subject."""
        self.context.actions.trigger("desk.paraphrased")

    def status(self, row: SubjectRow) -> tuple[str, str] | None:
        """Return the guard's chip of a subject's paraphrase."""
        return self.paraphrase.guard.status(row)

    def show_counts(self, counts: StageCounts) -> None:
        """Show how many subjects have a prompt."""
        # Proofs can be made on this page too, which may leave nothing to do on Criterion.
        self.next_page = TO_RELEASE if counts.proven == counts.accepted else TO_CRITERION
        self.queue.set_progress(tr("Paraphrased"), counts.accepted - counts.without_prompt, counts.accepted)
