"""What the Bugs page asks of the services that make items from code, ask models for bugs and combine bugs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.model.bug_rows import ProposedRow
from annotator.model.rows import Changes
from annotator.model.task_rows import MadeRow, TaskRow, TaskView
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.jobs.progress import Progress

# The store's type would load SQLModel before the first paint, so these take it as an object.


def list_tasks(store: object) -> tuple[TaskRow, ...]:
    """Return the items made from code."""
    from annotator.services import task_listing

    return task_listing.listing(store)  # type: ignore[arg-type]  # see above


def read_task(store: object, subject_id: str) -> TaskView:
    """Return one made item in full."""
    from annotator.services import task_listing

    return task_listing.item(store, subject_id)  # type: ignore[arg-type]  # see above


def make_tasks(store: object, progress: Progress) -> tuple[tuple[MadeRow, ...], Changes]:
    """Make items of all families from all accepted subjects."""
    from annotator.services import task_making

    return task_making.make(store, progress=progress)  # type: ignore[arg-type]  # see above


def decide_task(store: object, subject_id: str, verdict: str) -> Changes:
    """Record a decision on a made item."""
    from annotator.model.words import Verdict
    from annotator.services import selecting

    return selecting.decide(store, [subject_id], Verdict(verdict))  # type: ignore[arg-type]  # see above


def combine(store: object, progress: Progress) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Combine two bugs in every subject that has some of different labels."""
    from annotator.services import bug_combining

    return bug_combining.combine_bugs(store, progress=progress)  # type: ignore[arg-type]  # see above


def endpoint_names(store: object) -> tuple[str, ...]:
    """Return the names of the project's endpoints."""
    from annotator.services import run_setup

    return tuple(row.name for row in run_setup.current(store, "endpoint"))  # type: ignore[arg-type]  # see above


def ask_model(
    store: object, endpoint: str, model: str, kinds: Sequence[str], count: int, progress: Progress
) -> tuple[tuple[ProposedRow, ...], Changes]:
    """Ask a model for bugs in all accepted subjects."""
    from annotator.llm import CachedAsker, Client, Helper
    from annotator.services import bug_asking, run_setup
    from annotator.services.run_sink import StoreCache

    found = run_setup.endpoint_named(store, endpoint)  # type: ignore[arg-type]  # see above
    with Client(found) as client:
        helper = Helper(CachedAsker(client, StoreCache(store)), found, model)  # type: ignore[arg-type]  # see above
        return bug_asking.ask_bugs(store, helper, (), kinds, progress, count=count)  # type: ignore[arg-type]  # see above


def made_summary(result: tuple[tuple[MadeRow, ...], Changes]) -> str:
    """Return what a finished job of making items says."""
    return result[1].label or tr("Nothing new was made")
