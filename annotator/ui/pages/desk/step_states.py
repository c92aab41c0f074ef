"""How far an item is, step by step, with what is saved of it."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.model.rows.views import SubjectView
from annotator.services.consensus import review_progress
from annotator.services.consensus.review_progress import ReviewProgress
from annotator.services.prompt import paraphrases
from annotator.services.prompt.paraphrase_guard import UNDESCRIBED, is_undescribed
from annotator.services.prompt.paraphrases import PromptState
from annotator.services.select import triage
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.translation import tr, tr_count, tr_message
from annotator.ui.pages.criterion.proof_panel import describe_failure, describe_success
from annotator.ui.pages.desk.steps import Step, StepState


@dataclass(frozen=True, slots=True)
class SavedItem:
    """An item as it is saved: what is shown of it, what the guard says of its paraphrase, how far others are."""

    view: SubjectView
    prompt: PromptState | None
    reviewed: ReviewProgress


def read_item(store: ProjectFile, subject_id: str) -> SavedItem:
    """Read an item with what its steps say."""
    view = triage.subject(store, subject_id)
    return SavedItem(view, paraphrases.prompt_state(store, view), review_progress.of_subject(store, subject_id))


def saved_states(item: SavedItem | None) -> dict[Step, StepState]:
    """Return how far an item is, with what is saved of it."""
    if item is None:
        return dict.fromkeys(Step, StepState(False))
    view = item.view
    accepted = view.row.verdict == "accept"
    written = view.criterion.source if view.criterion else ""
    return {
        Step.ACCEPTED: StepState(accepted, "" if accepted else tr("not accepted")),
        Step.PARAPHRASED: paraphrase_state(view, item.prompt),
        Step.CRITERION: criterion_state(view, written),
        Step.PROVEN: proof_state(view),
        Step.REVIEWED: review_state(item.reviewed),
    }


def paraphrase_state(view: SubjectView, found: PromptState | None) -> StepState:
    """Say whether a paraphrase is saved, and what is wrong with it."""
    if found is None:
        return unwritten_state(view)
    return StepState(found.ready, "" if found.ready else tr_message(found.problems[0]))


def unwritten_state(view: SubjectView) -> StepState:
    """Say that there is no paraphrase; of a function that nothing describes, what is to be written."""
    return StepState(False, tr_message(UNDESCRIBED) if is_undescribed(view) else tr("not written yet"))


def criterion_state(view: SubjectView, source: str) -> StepState:
    """Say whether there is something that judges answers: a criterion's text, else the item's own tests."""
    if source.strip():
        return StepState(True)
    return StepState(True, tr("by its tests")) if has_tests(view) else StepState(False, tr("no rule yet"))


def proof_state(view: SubjectView) -> StepState:
    """Say whether the newest proof holds, and of what is saved now."""
    if view.proof is None:
        return StepState(False, tr("not proven yet"))
    if not view.proof.holds:
        return StepState(False, tr("proven with an earlier text"))
    passed = view.proof.outcome == "pass"
    return StepState(passed, (describe_success if passed else describe_failure)(view.proof.checks))


def review_state(found: ReviewProgress | None) -> StepState:
    """Say how many have reviewed an item or voted on it; nothing that is sealed."""
    if found is None:
        return StepState(False)
    if found.kept is not None:
        return StepState(found.kept, tr("kept by the panel") if found.kept else tr("not kept by the panel"))
    if found.cast:
        return StepState(False, tr("{cast} of {voters} have voted", cast=found.cast, voters=found.voters))
    if found.reviews:
        return StepState(True, tr_count("{count} review", "{count} reviews", found.reviews))
    return StepState(False, tr("of an earlier text") if found.stale else tr("not reviewed yet"))


def has_tests(view: SubjectView | None) -> bool:
    """Whether a subject came with tests that judge answers without a rule."""
    return view is not None and any(test.code.strip() for test in view.tests)
