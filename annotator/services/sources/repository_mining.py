"""Mine repositories: match functions with tests, confirm them by running the tests, write or import the rows.

A subset of a project's mined functions that meets targets is chosen and accepted here too.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.base.messages import Message, message_for_count
from annotator.base.paths import data_dir
from annotator.formats.read import mined_function_rows
from annotator.formats.read.import_records import Candidate
from annotator.jobs.progress import Cancelled, Progress
from annotator.jobs.worker_process import run_in_process
from annotator.mining.repository.confirmation import confirm
from annotator.mining.repository.confirmation.built_files import SOURCES, BuiltFiles, built_files
from annotator.mining.repository.confirmation.confirm_alone import confirm_alone
from annotator.mining.repository.confirmation.environment import (
    Environment,
    make_environment,
    own_metadata,
    requirements_of,
    uv_program,
    with_libraries,
)
from annotator.mining.repository.confirmation.journal import Journal
from annotator.mining.repository.confirmation.long_contexts import drop_long_contexts
from annotator.mining.repository.context.place import add_places, reduce_shown_contexts
from annotator.mining.repository.dates import with_dates
from annotator.mining.repository.discovery.discovery_filters import repository_refusals
from annotator.mining.repository.discovery.modules import import_roots
from annotator.mining.repository.discovery.subset import SubsetChoice as SubsetChoice
from annotator.mining.repository.discovery.subset import SubsetEntry, select_subset
from annotator.mining.repository.discovery.subset import SubsetTargets as SubsetTargets
from annotator.mining.repository.discovery.tree import RepositoryTree
from annotator.mining.repository.fetching.source_names import MiningSource, path_source, read_sources
from annotator.mining.repository.fetching.source_opening import OpenedSource, open_source
from annotator.mining.repository.pipeline import MiningOptions as MiningOptions
from annotator.mining.repository.pipeline import MiningSession, mine_folder
from annotator.mining.repository.published.mining import PublishedSession, mine_as_published
from annotator.mining.repository.rows import MinedRepository, MinedSubject, count_failures
from annotator.model.changes import Changes
from annotator.model.vocabulary import Verdict
from annotator.sandbox import Pool
from annotator.sandbox.layers import ensure_layer, ensure_libraries
from annotator.sandbox.sandbox_places import DockerPlace
from annotator.services.repository_snapshots import save_snapshot
from annotator.services.select.triage import refuse_others
from annotator.services.sources.imports import ImportReport, add_candidates, import_candidates
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import bulk_acts, stored_subjects
from annotator.store.queue.stored_candidates import SourceInfo
from annotator.store.work import expert_work

_log = logging.getLogger("annotator.mining")
_ROWS_PER_BATCH = 10
_ALONE = "self-contained"
_GATHERING = "gathering the code around functions"
_ONLY_PROPOSED = "nothing was run, so these functions are only proposed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningOutcome:
    """The result of mining one source, or the problem that prevented it.

    ``missing`` are libraries without a wheel; ``note`` describes what was left out, or why there are no rows.
    """

    source: MiningSource
    mined: MinedRepository | None
    problem: str = ""
    note: str = ""
    missing: tuple[str, ...] = ()


def mine_repositories(
    named_sources: Sequence[MiningSource | Path | str],
    options: MiningOptions,
    progress: Progress,
    *,
    static_only: bool = False,
    history: bool = True,
) -> Iterator[MiningOutcome]:
    """Mine repositories one after the other; a failure is reported in the outcome and does not stop the others.

    Without ``static_only`` the tests are run in the sandbox; without ``history`` only the commit itself is fetched from
    an address. Raises `MissingEnvironmentError` before anything is mined if the sandbox or uv is missing, and
    `Cancelled` on cancellation (outcomes yielded before remain valid).
    """
    place = None if static_only else mining_place()
    try:
        for source in expand_sources(named_sources):
            try:
                yield _mine_one(source, options, progress, place, history=history)
            except Cancelled:
                raise
            except KnownError as error:
                yield MiningOutcome(source=source, mined=None, problem=" ".join((error.message, *error.details)))
            except Exception as error:  # noqa: BLE001 - a repository can cause any error; the others are still mined
                _log.exception("mining %s failed", source.name)
                yield MiningOutcome(
                    source=source,
                    mined=None,
                    problem=f"Mining failed ({type(error).__name__}: {error}). See the log for details.",
                )
    finally:
        if place is not None:
            place.close()


def expand_sources(named_sources: Sequence[MiningSource | Path | str]) -> list[MiningSource]:
    """Return the named sources, with the entries of source lists in place of the lists."""
    return [
        source
        for item in named_sources
        for source in ([item] if isinstance(item, MiningSource) else read_sources([item]))
    ]


def mine_apart(
    source: MiningSource, options: MiningOptions, progress: Progress, *, static_only: bool = False
) -> MiningOutcome:
    """Mine one repository in a separate process, so that the window stays responsive.

    Raises what `mine_repositories` raises, and `InterruptedWorkError` if the process is killed.
    """
    outcome: MiningOutcome | None = None
    rows: list[MinedSubject] = []
    for part in run_in_process(_mine_in_batches, (source, options, static_only), progress):
        if isinstance(part, MiningOutcome):
            outcome = part
        else:
            rows += part
    if outcome is None:
        raise RuntimeError("the process gave no outcome")
    return replace(outcome, mined=replace(outcome.mined, rows=tuple(rows))) if outcome.mined is not None else outcome


def _mine_in_batches(
    source: MiningSource, options: MiningOptions, static_only: bool, progress: Progress
) -> Iterator[MiningOutcome | tuple[MinedSubject, ...]]:
    """Mine one repository; yield the outcome without its rows, then the rows in small batches."""
    (outcome,) = mine_repositories([source], options, progress, static_only=static_only)
    if outcome.mined is None:
        yield outcome
        return
    yield replace(outcome, mined=replace(outcome.mined, rows=()))
    for start in range(0, len(outcome.mined.rows), _ROWS_PER_BATCH):
        yield outcome.mined.rows[start : start + _ROWS_PER_BATCH]


def _mine_one(
    source: MiningSource, options: MiningOptions, progress: Progress, place: DockerPlace | None, *, history: bool
) -> MiningOutcome:
    with open_source(source, progress, history=history) as opened:
        mine = _mine_as_published if options.rules == "published" and options.recipe == "domaineval" else _mine_by_own
        outcome = mine(source, opened, options, place, progress)
        mined = outcome.mined
        assert mined is not None
        rows, undated = with_dates(mined.rows, opened.history, opened.root, progress)
        nothing = "" if rows else _explain_no_rows(mined, as_published=mine is _mine_as_published)
        proposed = _ONLY_PROPOSED if place is None and rows else ""
        notes = (opened.note, outcome.note, undated, nothing, proposed)
        return replace(
            outcome, mined=replace(mined, rows=tuple(rows)), note="; ".join(dict.fromkeys(filter(None, notes)))
        )


def _mine_by_own(
    source: MiningSource, opened: OpenedSource, options: MiningOptions, place: DockerPlace | None, progress: Progress
) -> MiningOutcome:
    """Mine a repository by our own rules."""
    mined, session = mine_folder(opened.root, options, progress, opened.history, opened.origin)
    if place is None:
        outcome = MiningOutcome(source=source, mined=add_surroundings(mined, session))
    else:
        outcome = _confirm(source, opened.root, mined, session, place, progress)
    return _with_note(outcome, _not_python(session.tree))


def _mine_as_published(
    source: MiningSource, opened: OpenedSource, options: MiningOptions, place: DockerPlace | None, progress: Progress
) -> MiningOutcome:
    """Mine a repository by the rules of DomainEval's scripts; without a sandbox, only the scripts that run nothing."""
    mined, session = mine_as_published(opened.root, options, progress, opened.history, opened.origin)
    outcome = MiningOutcome(source=source, mined=mined)
    if place is not None and mined.rows:
        with _repository_sandbox(source, opened.root, mined, session, place, progress) as sandbox:
            libraries = sandbox.environment.libraries
            rows = session.confirm(mined.rows, sandbox.runner, progress)
            rows = with_libraries(rows, libraries.requirements)
        if any(row.libraries for row in rows):
            ensure_libraries(place, libraries, sandbox.environment.folder)
        outcome = replace(outcome, mined=replace(mined, rows=tuple(rows)), missing=sandbox.environment.missing)
        outcome = _with_note(outcome, sandbox.environment.missing_text)
    return _with_note(outcome, _not_python(session.tree))


def _with_note(outcome: MiningOutcome, note: str) -> MiningOutcome:
    return replace(outcome, note="; ".join(filter(None, (outcome.note, note))))


def _explain_no_rows(mined: MinedRepository, *, as_published: bool) -> str:
    """Return why no function was mined from a repository."""
    skipped = f" ({len(mined.skipped):,} files were not read)" if mined.skipped else ""
    if not mined.files:
        return f"it contains no readable Python files, so there is nothing to mine{skipped}"
    if not mined.tests:
        without = f"none of its {mined.files:,} Python files contains a test with an assertion{skipped}"
        return f"{without}; name the repository with its tests"
    advice = (
        "the published scripts find no instance methods and no code in a folder such as src; our own rules do"
        if as_published
        else "name the folder above code and tests"
    )
    return f"none of its {mined.tests:,} tests calls a function of its own{skipped}; {advice}"


def _not_python(tree: RepositoryTree) -> str:
    """Return a note that files in other languages are skipped, if the repository has some."""
    endings = sorted({path[path.rfind(".") :] for path, _ in tree.others if path.endswith(SOURCES)})
    return f"only Python functions are mined, not those in its {', '.join(endings)} files" if endings else ""


def add_surroundings(
    mined: MinedRepository, session: MiningSession, digest: str = "", wheel: str = ""
) -> MinedRepository:
    """Add to the mined functions their surrounding code, which runs with a context setting add to the prompt.

    With the ``digest`` of a repository snapshot, answers are tested in that repository.
    """
    bare = [row for row in mined.rows if row.place is None]
    placed = {row.key: row for row in add_places(session, bare, digest, wheel)}
    return replace(mined, rows=tuple(placed.get(row.key, row) for row in mined.rows))


def mining_place() -> DockerPlace:
    """Return the sandbox for tests. Raises `MissingEnvironmentError` if uv or the Python image is missing."""
    uv_program()
    place = DockerPlace()
    if not place.has("python"):
        place.close()
        raise MissingEnvironmentError(
            "The sandbox image for python is not built yet. Run: annotator sandbox build --languages python, or mine "
            "with --static-only."
        )
    return place


def _confirm(
    source: MiningSource,
    path: Path,
    mined: MinedRepository,
    session: MiningSession,
    place: DockerPlace,
    progress: Progress,
) -> MiningOutcome:
    """Run the tests of the mined functions and return the outcome."""
    if not session.node_ids():
        note = "there are no tests that pytest collects, so nothing was run"
        return MiningOutcome(source=source, mined=add_surroundings(mined, session), note=note)
    with _repository_sandbox(source, path, mined, session, place, progress) as sandbox:
        runner, environment, built, files = sandbox.runner, sandbox.environment, sandbox.built, sandbox.files
        work = confirm.TestConfirmation(session.project, session.tree, runner)
        work.run_tests(session.node_ids())
        passing_calls = {name: calls for name, calls in work.calls_by_test.items() if name in work.passing}
        rows = work.confirm(session.with_observed_calls(mined.rows, passing_calls))
        libraries = environment.libraries
        snapshot = {**files, **own_metadata(path)}
        limit = session.maker.options.context_limit
        alone = all(row.recipe == "domaineval" for row in rows)
        if alone:
            rows = drop_long_contexts(rows, session.project, work.reached(), limit)
            rows = with_libraries(confirm_alone(rows, runner, limit), libraries.requirements)
            progress.report(0, 0, _GATHERING)
            rows = judge_in_place(session, rows, snapshot, libraries.requirements, built.wheel)
        else:
            rows = [replace(row, libraries=libraries.requirements) for row in rows]
        rows = work.check_noticing(rows)
        rows = work.measure_strength(rows)
    progress.report(0, 0, _GATHERING)
    if any(row.libraries for row in rows):
        ensure_libraries(place, libraries, environment.folder)
    confirmed = replace(mined, rows=tuple(rows))
    digest = "" if alone else save_snapshot(snapshot)
    confirmed = add_surroundings(confirmed, session, digest, built.wheel)
    confirmed = replace(confirmed, rows=tuple(reduce_shown_contexts(session, confirmed.rows, work.calls_by_test)))
    outcome = MiningOutcome(source=source, mined=confirmed, note=built.note, missing=environment.missing)
    return _with_note(outcome, environment.missing_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RepositorySandbox:
    """A sandbox that contains a repository and its libraries."""

    runner: confirm.VariantRunner
    environment: Environment
    built: BuiltFiles
    files: Mapping[str, bytes]


@contextmanager
def _repository_sandbox(
    source: MiningSource,
    path: Path,
    mined: MinedRepository,
    session: MiningSession | PublishedSession,
    place: DockerPlace,
    progress: Progress,
) -> Iterator[_RepositorySandbox]:
    """Fetch a repository's libraries and build its image, as a context manager that yields the sandbox."""
    progress.report(0, 0, f"{path.name}: fetching libraries")
    cache = data_dir() / "environments"
    version = source.revision if source.kind == "package" else ""
    day = mined.facts.last_commit[:10] or mined.facts.published
    environment = make_environment(requirements_of(path, session.project), cache, day)
    built = built_files(path, session.tree, session.project, cache, version=version, day=day)
    files = {**confirm.repository_files(session.tree, path), **built.files}
    texts = {"repository": files, "environment": own_metadata(path)}
    progress.report(0, 0, f"{path.name}: building its image")
    layer = ensure_layer(place, "python", {"environment": environment.folder}, texts)
    with Pool(layer) as pool:
        journal = Journal(data_dir() / "mining", f"{layer.image.rpartition(':')[2]}-{confirm.program_digest()}")
        runner = confirm.VariantRunner(pool, import_roots(session.tree), journal, progress)
        yield _RepositorySandbox(runner=runner, environment=environment, built=built, files=files)


def judge_in_place(
    session: MiningSession,
    rows: Sequence[MinedSubject],
    files: Mapping[str, bytes],
    libraries: Sequence[str],
    wheel: str = "",
) -> list[MinedSubject]:
    """Return the rows; those that only fail to run on their own are set to be tested in their repository."""
    dependent_rows = [row for row in rows if _ALONE in {item.name for item in row.filters if row.counts_against(item)}]
    if not dependent_rows:
        return list(rows)
    digest = save_snapshot(files)
    bare = [replace(row, context="", libraries=tuple(libraries)) for row in dependent_rows]
    placed = {row.key: row for row in add_places(session, bare, digest, wheel)}
    return [placed.get(row.key, row) for row in rows]


def select_mined_rows(
    outcome: MiningOutcome, *, everything: bool, by_hand: Collection[str] = ()
) -> tuple[MinedSubject, ...]:
    """Return the rows that passed the filters and those in ``by_hand``, or with ``everything`` all rows.

    ``by_hand`` names functions as ``path::qualified name``; a person overrides the filters by naming one.
    """
    if outcome.mined is None:
        return ()
    return tuple(row for row in outcome.mined.rows if everything or row.selected or mined_function_name(row) in by_hand)


def rows_of_functions(outcome: MiningOutcome, names: Collection[str]) -> tuple[MinedSubject, ...]:
    """Return only the rows of the functions in ``names``."""
    return tuple(row for row in (outcome.mined.rows if outcome.mined else ()) if mined_function_name(row) in names)


def mined_function_name(row: MinedSubject) -> str:
    """Return the name of a row's function: ``path::qualified name``."""
    return "::".join(row.key)


def explain_none_kept(outcome: MiningOutcome) -> str:
    """Return why no function of a repository is kept; call it only in that case."""
    mined = outcome.mined
    if mined is None or not mined.rows:
        return outcome.problem or outcome.note
    refused = [
        f"{item.name.removeprefix('repository ')}: {item.reason}"
        for item in repository_refusals(mined.repository_filters)
    ]
    if refused:
        return f"the recipe rejects the repository ({'; '.join(refused)}), so none of its functions is kept"
    counts_text = ", ".join(f"{name} {count:,}" for name, count in count_failures(mined.rows).items())
    return f"none of its {len(mined.rows):,} functions is kept; rejected by: {counts_text}"


def rows_as_json_lines(rows: Sequence[MinedSubject]) -> Iterator[str]:
    """Yield rows as JSON lines."""
    for row in rows:
        yield json.dumps(row.to_row(), ensure_ascii=False) + "\n"


def import_rows(store: ProjectFile, repository: MiningSource | Path, rows: Sequence[MinedSubject]) -> ImportReport:
    """Import a repository's rows into a project as candidates; existing candidates are not changed.

    Raises `BadInputError` without rows.
    """
    if not rows:
        raise BadInputError("No function was chosen, so nothing was added to the project.")
    source = repository if isinstance(repository, MiningSource) else path_source(repository)
    counts = {"rows": len(rows)}
    if source.path is not None:
        return import_candidates(store, "repository", source.path, map(candidate_of_mined_row, rows), counts)
    # The fetched files are deleted by now, so a hash of the rows identifies the version.
    digest = hashlib.sha256("".join(rows_as_json_lines(rows)).encode()).hexdigest()
    return add_candidates(
        store, SourceInfo("repository", source.name, digest), map(candidate_of_mined_row, rows), counts
    )


def candidate_of_mined_row(row: MinedSubject) -> Candidate:
    """Return a row as a candidate, equal to the one read back from the file that ``--out`` writes."""
    return mined_function_rows.mined_candidate(json.loads(json.dumps(row.to_row())))


def propose_subset(store: ProjectFile, targets: SubsetTargets, seed: int = 0) -> SubsetChoice:
    """Choose functions to meet the targets, without changing the project.

    Raises `BadInputError` if no function has known dependencies, and for invalid targets.
    """
    with store.read() as db:
        functions = [SubsetEntry(key, domain, count) for key, domain, count in stored_subjects.count_dependencies(db)]
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
