"""Take mined code into the project: what a person has chosen of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.services import importing
from annotator.services.importing import ImportReport
from annotator.services.mining import MinedCode
from annotator.store.project_file import ProjectFile


def take_code(store: ProjectFile, path: Path, found: MinedCode, chosen: Iterable[str]) -> ImportReport:
    """Take the chosen candidates (by id) into the project; a person overrules the filters by choosing.

    Raises `BadInputError` if nothing was chosen.
    """
    ids = frozenset(chosen)
    if not ids:
        raise BadInputError("No candidate was chosen, so nothing was taken into the project.")
    counts: dict[str, int] = {}
    for row in found.counts:
        counts[row.stage] = counts.get(row.stage, 0) + row.left
    return importing.import_candidates(store, "generated-code", path, found.candidates(chosen=ids), counts)
