"""Save revisions of paraphrases, list their problems, and override their checks with a reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.changes import Changes
from annotator.model.rows.release_rows import PromptOverride
from annotator.model.rows.view_rows import SubjectView
from annotator.services.edit_conflicts import refuse_unseen
from annotator.services.prompt.paraphrase_guard import find_subject_problems
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import stored_consensus, studies
from annotator.store.queue import stored_subjects
from annotator.store.work import expert_work


@dataclass(frozen=True, slots=True)
class PromptState:
    """The problems of a saved paraphrase, in sentences, and the override that lets it pass, if any."""

    problems: tuple[str, ...]
    override: PromptOverride | None = None

    @property
    def ready(self) -> bool:
        """Whether it can be released: it has no problems or an override."""
        return not self.problems or self.override is not None


def save_prompt(
    store: ProjectFile, subject_id: str, text: str, note: str = "", *, seen_ids: Collection[str] | None = None
) -> Changes:
    """Save a revision of a subject's paraphrase.

    Raises `BadInputError` for an empty text, and `EditConflictError` if the current revision is not in ``seen_ids``.
    """
    if not text.strip():
        raise BadInputError("The paraphrase is empty, so it was not saved. Write the prompt that models will be asked.")
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        current = expert_work.find_prompt(db, subject.prompt_id)
        refuse_unseen(db, current, seen_ids, theirs=current.text if current else "", mine=text)
        return expert_work.add_prompt(
            db, store.annotator.id, subject.id, text, note, Message("Paraphrase {title}", title=subject.title)
        )


def load_prompt_states(store: ProjectFile, subject_ids: Sequence[str]) -> dict[str, PromptState]:
    """Return the state of some subjects' saved paraphrases by subject id, without subjects that have none."""
    with store.read() as db:
        rows = stored_subjects.find_subjects(db, subject_ids)
        views = [stored_subjects.view_of(db, subject) for subject in rows if subject.prompt_id is not None]
        overrides = studies.prompt_overrides(db, [view.row.id for view in views])
    return {
        view.row.id: PromptState(find_subject_problems(view), overrides.get(view.row.id))
        for view in views
        if view.paraphrase
    }


def load_prompt_state(store: ProjectFile, view: SubjectView) -> PromptState | None:
    """Return the state of the saved paraphrase of a subject that is read already; None without one."""
    if view.paraphrase is None:
        return None
    with store.read() as db:
        overrides = studies.prompt_overrides(db, [view.row.id])
    return PromptState(find_subject_problems(view), overrides.get(view.row.id))


def override_checks(store: ProjectFile, subject_id: str, reason: str) -> Changes:
    """Override the failed checks of a subject's saved paraphrase; a later revision is checked again.

    Raises `BadInputError` without a reason, and if no check fails.
    """
    if not reason.strip():
        raise BadInputError("Nothing was overridden. Give the reason why this paraphrase is right as it is.")
    with store.write() as db:
        view = stored_subjects.load_subject_view(db, subject_id)
        if not find_subject_problems(view):
            raise BadInputError("This prompt passes its checks, so there is nothing to override.")
        stored_consensus.refuse_locked(db, [view.row.id])
        row = studies.build_override(view.paraphrase.id if view.paraphrase else None, reason.strip())
        label = Message("Override the checks of {title}", title=view.row.title)
        return stored_consensus.add_subject_work(db, store.annotator.id, view.row.id, [row], label)
