"""Make understanding, completion, modification and review items from accepted subjects.

Every item is checked before it is saved: its reference must get the full score and the unchanged code 0.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.construction.bugs.bug_proofs import Baseline, check_reference
from annotator.construction.completion.blanks import find_blanks, function_item, prove_blanks, sentence_items
from annotator.construction.completion.descriptions import (
    missing_reference,
    undescribed_parameters,
    undescribed_results,
)
from annotator.construction.interface_changes import InterfaceChange, update_item
from annotator.construction.task_material import PYTHON, ConstructionError, Material
from annotator.construction.understanding.captured_calls import CaptureLimits, capture_calls
from annotator.construction.understanding.understanding_items import make_understanding_items
from annotator.formats.read.import_records import Candidate
from annotator.jobs.lanes import map_in_order
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes, combine_changes
from annotator.model.rows.task_rows import MADE_KEY, TASK_FAMILIES, MadeRow, is_made
from annotator.model.rows.view_rows import SubjectView
from annotator.sandbox import Runner
from annotator.sandbox.libraries import runner_with_libraries
from annotator.services.bugs import implanted_bugs
from annotator.services.bugs.material import bug_material
from annotator.services.bugs.proving import select_families
from annotator.services.sandbox_sessions import workbench
from annotator.services.select.triage import accepted_subjects
from annotator.services.sources.imports import add_made_candidates
from annotator.services.tasks.grading import DeduplicatingRunner, start_validation
from annotator.services.tasks.items import (
    bug_candidate,
    completion_candidate,
    plain_item,
    understanding_candidate,
    update_candidate,
)
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import stored_subjects
from annotator.store.queue.stored_candidates import SourceInfo

SOURCE = "construction"
MAX_ITEMS_PER_KIND = 2
_SAVE_EVERY_S = 120.0
"""Interval between saves. If the process is killed, work of this duration and on one subject is lost at most."""


@dataclass
class _SubjectItems:
    """The items made from one subject so far, and why others were dropped."""

    view: SubjectView
    candidates: list[Candidate] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    reasons: list[str] = field(default_factory=list)

    def row(self) -> MadeRow:
        counts = Counter(item.task for item in self.candidates)
        row = self.view.row
        return MadeRow(
            subject_id=row.id,
            key=row.key,
            title=row.title,
            kept=dict(counts),
            dropped=dict(self.dropped.most_common()),
            reason="; ".join(dict.fromkeys(self.reasons)),
        )


def make_task_items(
    store: ProjectFile,
    ids: Sequence[str] = (),
    families: Sequence[str] = TASK_FAMILIES,
    progress: Progress | None = None,
    *,
    most: int = MAX_ITEMS_PER_KIND,
) -> tuple[tuple[MadeRow, ...], Changes]:
    """Make items of some families from the given subjects (default: all accepted ones with code and tests).

    Each subject gets at most ``most`` items per direction and per number of blanks, and an item for every accepted bug.
    Existing items are not made twice. The items are added as candidates in one change that can be undone; on
    cancellation, finished items are saved. Raises `BadInputError` for an unknown family and `MissingEnvironmentError`
    without a sandbox.
    """
    requested_families = select_families(families, TASK_FAMILIES)
    if most < 1:
        raise BadInputError("Ask for at least one item per kind. Nothing was changed.")
    work = progress or Progress()
    finished: list[_SubjectItems] = []
    saved_count = 0
    changes = Changes()
    last_save_s = time.monotonic()
    try:
        with workbench(store) as bench:
            runner = bench.runner()
            if runner is None:
                raise MissingEnvironmentError(
                    f"Items are made by running code, which is not possible here. {bench.problem}"
                )
            views = _load_subjects(store, ids)
            work.report(0, len(views), "making items")
            with closing(
                map_in_order(lambda view: _make_from_subject(store, view, requested_families, runner, most), views)
            ) as pending:
                for subject_items in pending:
                    finished.append(subject_items)
                    if time.monotonic() - last_save_s > _SAVE_EVERY_S:
                        changes = combine_changes(changes, _save_all(store, finished[saved_count:]))
                        saved_count = len(finished)
                        last_save_s = time.monotonic()
                    work.report(len(finished), len(views), f"made items from {subject_items.view.row.title}")
    finally:
        changes = combine_changes(changes, _save_all(store, finished[saved_count:]))
    work.report(len(finished), len(finished), "made")
    return tuple(subject_items.row() for subject_items in finished), changes


def _save_all(store: ProjectFile, finished: Sequence[_SubjectItems]) -> Changes:
    items = [item for subject_items in finished for item in subject_items.candidates]
    return save_task_items(
        store, items, {subject_items.view.row.key for subject_items in finished if subject_items.candidates}
    )


def _load_subjects(store: ProjectFile, ids: Sequence[str]) -> list[SubjectView]:
    subject_ids = ids or [row.id for row in accepted_subjects(store) if not is_made(row.key)]
    with store.read() as db:
        views = [stored_subjects.load_subject_view(db, subject) for subject in subject_ids]
    for view in views:
        if is_made(view.row.key):
            raise BadInputError(f"{view.row.key} was itself made from code. Give the subject it was made from.")
    return views if ids else [view for view in views if any(test.code.strip() for test in view.tests)]


def _make_from_subject(
    store: ProjectFile, view: SubjectView, families: Sequence[str], runner: Runner, most: int
) -> _SubjectItems:
    subject_items = _SubjectItems(view)
    runner = runner_with_libraries(runner, view.extra)
    try:
        material = bug_material(view)
        # Items cannot be made from a reference that fails its own tests.
        baseline = check_reference(material, runner) if set(families) & {"understanding", "completion"} else None
    except ConstructionError as error:
        subject_items.reasons.append(error.message)
        return subject_items
    # The items of a function have the same reference, which is run once for all of them.
    validation_runner = DeduplicatingRunner(runner)
    steps: dict[str, Callable[[], list[Candidate]]] = {
        "understanding": lambda: _make_understanding(view, material, runner, most, subject_items.dropped),
        "completion": lambda: _make_completion(view, baseline, runner, most, subject_items.dropped),
        "modification": lambda: _make_bug_items(store, view, "modification", subject_items.dropped),
        "review": lambda: _make_bug_items(store, view, "review", subject_items.dropped),
    }
    for family in families:
        try:
            subject_items.candidates += _drop_failing(steps[family](), validation_runner, subject_items.dropped)
        except ConstructionError as error:
            subject_items.reasons.append(error.message)
    return subject_items


def _make_understanding(
    view: SubjectView, material: Material, runner: Runner, most: int, dropped: Counter[str]
) -> list[Candidate]:
    captured = capture_calls(material, runner, CaptureLimits(iterators=True))
    dropped.update(captured.dropped)
    items = make_understanding_items(material, captured, runner, most=most, dropped=dropped)
    return [understanding_candidate(view, material, item) for item in items]


def _make_completion(
    view: SubjectView, baseline: Baseline | None, runner: Runner, most: int, dropped: Counter[str]
) -> list[Candidate]:
    assert baseline is not None
    material = baseline.material
    if referenced_text := missing_reference(material):
        dropped[f"the description only refers to {referenced_text}"] += 1
        return []
    function_task = function_item(material)
    items = []
    if undescribed_parameters(function_task):
        dropped["the description does not mention an optional parameter"] += 1
    elif undescribed := undescribed_results(function_task):
        dropped[f"the description does not mention {undescribed[0]}"] += 1
    else:
        items.append(function_task)
    places = find_blanks(material)
    proven = prove_blanks(baseline, places, runner)
    if len(proven) < len(places):
        dropped["blank does not affect the tests"] += len(places) - len(proven)
    items += sentence_items(material, proven, most=most)
    return [completion_candidate(view, material, item) for item in items]


def _make_bug_items(store: ProjectFile, view: SubjectView, task: str, dropped: Counter[str]) -> list[Candidate]:
    """Return an item for each accepted bug of a subject."""
    candidates = []
    for row in implanted_bugs.find_bugs(store, ("accepted",), subject=view.row.id):
        try:
            item = implanted_bugs.bug_item_of(store, implanted_bugs.load_bug(store, row.id))
        except ConstructionError:
            dropped["bug not proven on the current version of the subject"] += 1
            continue
        candidates.append(bug_candidate(view, item, task, row.id))
    return candidates


def _drop_failing(candidates: Sequence[Candidate], runner: Runner, dropped: Counter[str]) -> list[Candidate]:
    """Return the candidates whose reference passes and whose unchanged code does not; count the others in dropped."""
    controls = [start_validation(plain_item(candidate), runner) for candidate in candidates]
    passing = []
    for candidate, control in zip(candidates, controls, strict=True):
        reason = control()
        if reason:
            dropped[reason.partition(" (")[0]] += 1
        else:
            passing.append(candidate)
    return passing


def save_task_items(store: ProjectFile, candidates: Sequence[Candidate], parents: Collection[str]) -> Changes:
    """Add made items as candidates in one change; ``parents`` are the keys of the subjects they were made from."""
    if not candidates:
        return Changes()
    parents_text = Message("1 subject") if len(parents) == 1 else Message("{count} subjects", count=len(parents))
    source = SourceInfo(
        SOURCE, f"items from {parents_text}", content_hash([MADE_KEY, *sorted(item.key for item in candidates)])
    )
    counts = Counter(item.task for item in candidates)
    items = Message("1 item") if len(candidates) == 1 else Message("{count} items", count=len(candidates))
    label = Message("Make {items} from {subjects}", items=items, subjects=parents_text)
    return add_made_candidates(store, source, candidates, dict(counts), label)


def make_update_item(
    store: ProjectFile, subject: str, change: InterfaceChange, progress: Progress | None = None
) -> tuple[str, Changes]:
    """Add a task to update code to the call ``change.new``, which the subject's reference uses.

    Returns the item's key (specification, task construction, 2.6). The item is proven first: with the subject's
    libraries the reference must pass its tests, and the old code must not. An existing item is not added twice. Raises
    `BadInputError` if the proof fails, and `MissingEnvironmentError` without a sandbox.
    """
    names = {name: text.strip() for name, text in change.names().items()}
    for name, text in names.items():
        if not text:
            field_text = f"{name} call" if name in ("old", "new") else name
            raise BadInputError(f"The {field_text} is empty. Nothing was changed.")
    with store.read() as db:
        view = stored_subjects.load_subject_view(db, subject)
    if is_made(view.row.key):
        raise BadInputError(f"{view.row.key} was itself made from code. Give the subject it was made from.")
    material = bug_material(view)
    if material.language != PYTHON:
        raise BadInputError("Items on changed interfaces are made from Python. Nothing was changed.")
    work = progress or Progress()
    work.report(0, 1, Message("proving the change in {title}", title=view.row.title))
    with workbench(store) as bench:
        bench_runner = bench.runner()
        if bench_runner is None:
            raise MissingEnvironmentError(
                f"Items are made by running code, which is not possible here. {bench.problem}"
            )
        runner = runner_with_libraries(bench_runner, view.extra)
        change = InterfaceChange(code=change.code.rstrip() + "\n", **names)
        item = update_item(material, change, runner)
        candidate = update_candidate(view, item)
        if reason := start_validation(plain_item(candidate), runner)():
            raise ConstructionError(f"The item is not valid: {reason}. Nothing was changed.")
    work.report(1, 1, "made")
    return candidate.key, save_task_items(store, [candidate], {view.row.key})
