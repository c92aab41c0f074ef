"""Choose a benchmark out of a project's mined functions: targets, what was reached, and accepting the choice."""

from __future__ import annotations

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, message_for_count
from annotator.mining.repository.discovery.subset import Chosen, Entry, Reached, Targets, choose
from annotator.model.changes import Changes
from annotator.model.vocabulary import Verdict
from annotator.services.select.others import refuse_others
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import bulk_acts, subjects
from annotator.store.work import expert_work

__all__ = ["Chosen", "Entry", "Reached", "Targets", "accept", "choose", "entries", "propose"]


def entries(store: ProjectFile) -> tuple[Entry, ...]:
    """Return the functions of a project whose dependencies are known, those turned down left out."""
    with store.read() as db:
        return tuple(Entry(key, domain, count) for key, domain, count in subjects.dependency_counts(db))


def propose(store: ProjectFile, targets: Targets, seed: int = 0) -> Chosen:
    """Choose among a project's functions; nothing is changed.

    Raises `BadInputError` if there is none whose dependencies are known, and for targets that cannot be meant.
    """
    found = entries(store)
    if not found:
        raise BadInputError(Message("No function here has dependencies that are known. Mine a repository first."))
    return choose(found, targets, seed)


def accept(store: ProjectFile, chosen: Chosen, *, anyway: bool = False) -> Changes:
    """Accept what was chosen as one act that can be undone; what was accepted before stays. Raises `BadInputError`.

    Unless it is done ``anyway``, raises `OthersWorkError` for what others hold or have decided on.
    """
    with store.write() as db:
        ids = [subjects.find(db, key).id for key in chosen.keys]
        if not ids:
            raise BadInputError("Nothing was chosen, so nothing was changed.")
        many = bulk_acts.choose_ids(db.connection(), ids)
        if not anyway:
            refuse_others(store, db, None)
        reason = "chosen to meet the targets of the benchmark"
        label = message_for_count(
            "Accept {count} subject chosen to targets", "Accept {count} subjects chosen to targets", len(ids)
        )
        return expert_work.decide_chosen(db, store.annotator.id, many, Verdict.ACCEPT, reason, label)
