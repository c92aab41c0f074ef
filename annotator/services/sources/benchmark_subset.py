"""Choose a subset of a project's mined functions that meets targets, and accept it."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, message_for_count
from annotator.mining.repository.discovery.subset import (
    SubsetChoice,
    SubsetEntry,
    SubsetTargets,
    select_subset,
)
from annotator.model.changes import Changes
from annotator.model.vocabulary import Verdict
from annotator.services.select.triage import refuse_others
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import bulk_acts, stored_subjects
from annotator.store.work import expert_work

__all__ = ["SubsetChoice", "SubsetEntry", "SubsetTargets", "select_subset"]


def propose_subset(store: ProjectFile, targets: SubsetTargets, seed: int = 0) -> SubsetChoice:
    """Choose functions to meet the targets, without changing the project.

    Raises `BadInputError` if no function has known dependencies, and for invalid targets.
    """
    with store.read() as db:
        functions = [SubsetEntry(key, domain, count) for key, domain, count in stored_subjects.dependency_counts(db)]
    if not functions:
        raise BadInputError(Message("No function here has known dependencies. Mine a repository first."))
    return select_subset(functions, targets, seed)


def accept_subset(store: ProjectFile, selection: SubsetChoice, *, anyway: bool = False) -> Changes:
    """Accept the chosen functions in one undoable change; functions accepted earlier stay accepted.

    Raises `BadInputError` for an empty choice, and unless ``anyway`` `OthersWorkError` for functions that others hold
    or have decided on.
    """
    with store.write() as db:
        ids = [subject.id for subject in stored_subjects.find_subjects(db, selection.keys)]
        if not ids:
            raise BadInputError("Nothing was chosen, so nothing was changed.")
        count = bulk_acts.choose_ids(db.connection(), ids)
        if not anyway:
            refuse_others(store, db, None)
        reason = "chosen to meet the targets of the benchmark"
        label = message_for_count(
            "Accept {count} subject chosen by targets", "Accept {count} subjects chosen by targets", len(ids)
        )
        return expert_work.decide_chosen(db, store.annotator.id, count, Verdict.ACCEPT, reason, label)
