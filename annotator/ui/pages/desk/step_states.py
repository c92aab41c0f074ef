"""The progress of an item, step by step, as saved."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.model.rows.view_rows import SubjectView
from annotator.services.consensus import review_progress
from annotator.services.consensus.review_progress import ReviewProgress
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrase_guard import UNDESCRIBED, is_undescribed
from annotator.services.prompt.paraphrases import PromptState
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.translation import tr, tr_count, tr_message
from annotator.ui.pages.criterion.proof_panel import describe_failed_proof, describe_passed_proof
from annotator.ui.pages.desk.steps import DeskStep, StepState


@dataclass(frozen=True, slots=True)
class SavedItem:
    """A saved item: its view, the guard's state of its paraphrase, and the progress of its reviews."""

    view: SubjectView
    prompt: PromptState | None
    reviews: ReviewProgress


def read_item(store: ProjectFile, subject_id: str) -> SavedItem:
    """Read an item with the states its steps depend on."""
    view = triage.load_subject(store, subject_id)
    return SavedItem(
        view, paraphrases.prompt_state(store, view), review_progress.load_review_progress(store, subject_id)
    )


def saved_step_states(item: SavedItem | None) -> dict[DeskStep, StepState]:
    """Return the state of each step of a saved item."""
    if item is None:
        return dict.fromkeys(DeskStep, StepState(False))
    view = item.view
    accepted = view.row.verdict == "accept"
    criterion_source = view.criterion.source if view.criterion else ""
    return {
        DeskStep.ACCEPTED: StepState(accepted, "" if accepted else tr("not accepted")),
        DeskStep.PARAPHRASED: paraphrase_state(view, item.prompt),
        DeskStep.CRITERION: criterion_state(view, criterion_source),
        DeskStep.PROVEN: proof_state(view),
        DeskStep.REVIEWED: review_state(item.reviews),
    }


def paraphrase_state(view: SubjectView, prompt_state: PromptState | None) -> StepState:
    """Return whether the saved paraphrase passes, and its first problem if not."""
    if prompt_state is None:
        return unwritten_paraphrase_state(view)
    return StepState(prompt_state.ready, "" if prompt_state.ready else tr_message(prompt_state.problems[0]))


def unwritten_paraphrase_state(view: SubjectView) -> StepState:
    """Return the state of a missing paraphrase; an undescribed function gets a hint what to write."""
    return StepState(False, tr_message(UNDESCRIBED) if is_undescribed(view) else tr("not written yet"))


def criterion_state(view: SubjectView, source: str) -> StepState:
    """Return whether answers can be judged, by a criterion or else by the item's own tests."""
    if source.strip():
        return StepState(True)
    return StepState(True, tr("by its tests")) if has_tests(view) else StepState(False, tr("no rule yet"))


def proof_state(view: SubjectView) -> StepState:
    """Return whether the newest proof passed and still matches the saved texts."""
    if view.proof is None:
        return StepState(False, tr("not proven yet"))
    if not view.proof.holds:
        return StepState(False, tr("proven with an earlier text"))
    passed = view.proof.outcome == "pass"
    return StepState(passed, (describe_passed_proof if passed else describe_failed_proof)(view.proof.checks))


def review_state(progress: ReviewProgress | None) -> StepState:
    """Return the counts of reviews and votes, without sealed information."""
    if progress is None:
        return StepState(False)
    if progress.kept is not None:
        return StepState(progress.kept, tr("kept by the panel") if progress.kept else tr("not kept by the panel"))
    if progress.cast:
        return StepState(False, tr("{cast} of {voters} have voted", cast=progress.cast, voters=progress.voters))
    if progress.reviews:
        return StepState(True, tr_count("{count} review", "{count} reviews", progress.reviews))
    return StepState(False, tr("of an earlier text") if progress.stale else tr("not reviewed yet"))


def has_tests(view: SubjectView | None) -> bool:
    """Whether a subject has its own tests, which judge answers without a criterion."""
    return view is not None and any(test.code.strip() for test in view.tests)
