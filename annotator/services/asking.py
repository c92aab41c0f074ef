"""Ask an endpoint of the project, or any address, for drafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError
from annotator.jobs.progress import Progress
from annotator.model.rows import Changes, SuggestionRow
from annotator.services import run_setup, suggesting
from annotator.services.suggestion_texts import TAXONOMIES
from annotator.store import suggestions as stored
from annotator.store.project_file import ProjectFile

if TYPE_CHECKING:
    from annotator.llm import Endpoint

_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking: the drafts, and (key, reason) of the subjects that got none."""

    rows: tuple[SuggestionRow, ...]
    left_out: tuple[tuple[str, str], ...]
    changes: Changes


@dataclass(frozen=True, slots=True)
class Choices:
    """Whom one can ask: names of the project's endpoints, and the models that were asked before, newest first."""

    endpoints: tuple[str, ...]
    models: tuple[str, ...]


def choices(store: ProjectFile) -> Choices:
    """Return whom one can ask."""
    with store.read() as db:
        models = dict.fromkeys(row.model for row in stored.listing(db))
    return Choices(tuple(row.name for row in run_setup.current(store, "endpoint")), tuple(models))


def endpoint_at(store: ProjectFile, place: str, key_name: str = "") -> Endpoint:
    """Return an endpoint by its name in the project, or by its address.

    ``key_name`` is where the key is, never a key. Raises `BadInputError` for a name that the project does not have.
    """
    from annotator.llm import Endpoint

    if not place:
        raise BadInputError("Give the name of an endpoint of this project, or an address.")
    found = Endpoint(place) if "://" in place else run_setup.endpoint_named(store, place)
    return replace(found, key_name=key_name) if key_name else found


def ask_for_drafts(
    store: ProjectFile,
    endpoint: Endpoint,
    model: str,
    kind: str,
    ids: Sequence[str],
    progress: Progress | None = None,
    *,
    domains: Sequence[str] = TAXONOMIES["domaineval"],
) -> Asked:
    """Ask a model for one draft of a kind for each subject; asking again makes another draft.

    Raises `BadInputError` without a model or subjects, and what stops every request (a wrong key, say).
    """
    from annotator.llm import Client, Helper, RetryPolicy

    if not model:
        raise BadInputError("Give the model by the name the endpoint knows it by.")
    if not ids:
        raise BadInputError("No subject is accepted yet, so there is nothing to ask about.")
    # Somebody waits for a single draft, and can ask again.
    policy = RetryPolicy(attempts=_PATIENCE) if len(ids) == 1 else RetryPolicy()
    with Client(endpoint, policy=policy) as client:
        helper = Helper(client, endpoint, model)
        rows, left_out, changes = suggesting.suggest(store, kind, ids, helper, progress, domains=domains)
    return Asked(rows, left_out, changes)


def ask_about_the_rest(
    store: ProjectFile, place: str, model: str, kind: str, repository: str = "", progress: Progress | None = None
) -> Asked:
    """Ask for a draft for every accepted subject (of a repository, if one is named) that has none of this kind.

    Raises as `endpoint_at` and `ask_for_drafts` do; where every subject has a draft, nobody is asked.
    """
    endpoint = endpoint_at(store, place)
    ids = suggesting.accepted(store, repository, kind)
    if not ids:
        return Asked((), (), Changes(frozenset()))
    return ask_for_drafts(store, endpoint, model, kind, ids, progress)
