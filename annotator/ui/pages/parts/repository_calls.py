"""What the repository panel asks of the services, and how it puts their answers into words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.services.importing import ImportReport
    from annotator.services.repository_mining import Outcome


def summary_of(outcome: Outcome) -> str:
    """Say how many functions of a repository are kept, or why it could not be mined."""
    if outcome.mined is None:
        return outcome.problem
    return tr(
        "{count} of {count2} functions of {name} are kept.",
        count=f"{len(outcome.mined.selected):,}",
        count2=f"{len(outcome.mined.rows):,}",
        name=outcome.path.name,
    )


def taken_words(report: ImportReport) -> str:
    """Say how many functions were taken into the project."""
    return tr(
        "{added} functions added, {known} known.", added=f"{report.added:,}", known=f"{report.known + report.changed:,}"
    )


# The services would load SQLModel before the first paint, so these import them when they run.


def mine(path: Path, options: dict[str, Any], static_only: bool, progress: Any) -> Outcome:
    """Mine one repository; ``options`` are those of `repository_mining.Options` by name."""
    from annotator.services import repository_mining

    return repository_mining.mine_apart(path, repository_mining.Options(**options), progress, static_only=static_only)


def take(store: Any, outcome: Outcome, chosen: frozenset[str], progress: Any) -> ImportReport:
    """Take the chosen functions into the project."""
    from annotator.services import repository_mining

    progress.check()
    rows = repository_mining.exactly(outcome, chosen)
    return repository_mining.import_rows(store, outcome.path, rows)


def facts_in(path: Path) -> dict[str, Any]:
    """Read a file of facts about a repository."""
    from annotator.mining.repository.facts import read_metadata

    return dict(read_metadata(path))
