"""Make a modification item from a changed interface: a subject's code uses the new one, the code given the old one."""

from __future__ import annotations

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.construction.material import PYTHON, ConstructionError
from annotator.jobs.progress import Progress
from annotator.model.rows import Changes
from annotator.model.task_rows import is_made
from annotator.sandbox.libraries import reaching
from annotator.services.bug_material import material_of
from annotator.services.task_grading import start_controls
from annotator.services.task_items import update_candidate
from annotator.services.task_making import keep, plain_item
from annotator.services.workbench import workbench
from annotator.store import subjects
from annotator.store.project_file import ProjectFile


def make_update(
    store: ProjectFile,
    subject: str,
    code: str,
    *,
    old: str,
    new: str,
    library: str,
    version: str,
    progress: Progress | None = None,
) -> tuple[str, Changes]:
    """Add the task of bringing ``code`` from the call ``old`` to ``new``, which the subject's reference uses.

    Returns the item's key (specification, task construction, 2.6). ``library`` is the module's name as tests import
    it, ``version`` the first that no longer has ``old``. Proven first: with the library that the subject runs with the
    reference passes its tests, and the old code does not. What is there already is not added twice. Raises
    `BadInputError` saying what does not hold, and `MissingEnvironmentError` without a sandbox.
    """
    from annotator.construction.updates import update_item

    for name, value in (("old call", old), ("new call", new), ("library", library), ("version", version)):
        if not value.strip():
            raise BadInputError(f"The {name} is empty. Nothing was changed.")
    with store.read() as db:
        view = subjects.view(db, subject)
    if is_made(view.row.key):
        raise BadInputError(f"{view.row.key} was made from code itself. Name the subject it was made from.")
    material = material_of(view)
    if material.language != PYTHON:
        raise BadInputError("Items on changed interfaces are made from Python. Nothing was changed.")
    work = progress or Progress()
    work.report(0, 1, f"proving the change in {view.row.title}")
    with workbench(store) as bench:
        found = bench.runner()
        if found is None:
            raise MissingEnvironmentError(f"Items are made by running code, and nothing can run it. {bench.problem}")
        runner = reaching(found, view.extra)
        item = update_item(
            material, code.rstrip() + "\n", old.strip(), new.strip(), library.strip(), version.strip(), runner
        )
        candidate = update_candidate(view, item)
        if reason := start_controls(plain_item(candidate), runner)():
            raise ConstructionError(f"The item does not hold: {reason}. Nothing was changed.")
    work.report(1, 1, "made")
    return candidate.key, keep(store, [candidate], {view.row.key})
