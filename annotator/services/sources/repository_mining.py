"""Mine repositories: read, match, confirm by running, write rows or import them."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from annotator.base.errors import BadInputError, KnownError, MissingEnvironmentError
from annotator.base.paths import data_dir
from annotator.formats.read import mined_functions
from annotator.formats.read.candidates import Candidate
from annotator.jobs.progress import Cancelled, Progress
from annotator.jobs.worker_process import run_in_process
from annotator.mining.repository.confirmation import confirm
from annotator.mining.repository.confirmation.built_files import SOURCES, built_files
from annotator.mining.repository.confirmation.confirm_alone import confirm_alone
from annotator.mining.repository.confirmation.environment import (
    make_environment,
    own_metadata,
    requirements_of,
    uv_program,
    with_libraries,
)
from annotator.mining.repository.confirmation.journal import Journal
from annotator.mining.repository.confirmation.long_contexts import leave_long_in_place
from annotator.mining.repository.context.place import add_places, with_needed
from annotator.mining.repository.dates import with_dates
from annotator.mining.repository.discovery.filters import refusals
from annotator.mining.repository.discovery.modules import import_roots
from annotator.mining.repository.discovery.tree import Tree
from annotator.mining.repository.fetching.opening import open_source
from annotator.mining.repository.fetching.source_names import Source, read_sources, source_of
from annotator.mining.repository.pipeline import Options as Options
from annotator.mining.repository.pipeline import Session, mine
from annotator.mining.repository.rows import Mined, SubjectRow, failures
from annotator.sandbox import Pool
from annotator.sandbox.layers import ensure_layer, ensure_libraries
from annotator.sandbox.places import DockerPlace
from annotator.services.repository_snapshots import keep
from annotator.services.sources.imports import ImportReport, add_candidates, import_candidates
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue.candidates import SourceInfo

_log = logging.getLogger("annotator.mining")
_PART = 10
_ALONE = "self-contained"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one source: what was mined, or why nothing was.

    ``missing`` are libraries that no wheel was found for; ``note`` says what was left out although rows were made, or
    why none was.
    """

    source: Source
    mined: Mined | None
    problem: str = ""
    note: str = ""
    missing: tuple[str, ...] = ()


def mine_repositories(
    named: Sequence[Source | Path | str],
    options: Options,
    progress: Progress,
    *,
    static_only: bool = False,
    history: bool = True,
) -> Iterator[Outcome]:
    """Mine repositories one after the other; one that fails says why and does not stop the others.

    Without ``static_only`` the tests are run in the sandbox; without ``history`` only the commit itself is fetched from
    an address. Raises `MissingEnvironmentError` before anything is mined if the sandbox or uv is not there; `Cancelled`
    when asked to stop (the outcomes that were yielded hold).
    """
    place = None if static_only else mining_place()
    try:
        for source in sources_of(named):
            try:
                yield _mine_one(source, options, progress, place, history=history)
            except Cancelled:
                raise
            except KnownError as error:
                yield Outcome(source=source, mined=None, problem=" ".join((error.message, *error.details)))
            except Exception as error:  # noqa: BLE001 - a repository may bring about anything; the others are mined
                _log.exception("mining %s failed", source.name)
                yield Outcome(
                    source=source,
                    mined=None,
                    problem=f"Mining failed ({type(error).__name__}: {error}). The log says more.",
                )
    finally:
        if place is not None:
            place.close()


def sources_of(named: Sequence[Source | Path | str]) -> list[Source]:
    """Return the sources that are named, lists of them spelled out."""
    return [source for item in named for source in ([item] if isinstance(item, Source) else read_sources([item]))]


def mine_apart(source: Source, options: Options, progress: Progress, *, static_only: bool = False) -> Outcome:
    """Mine one repository in a process of its own, so that a window stays quick meanwhile.

    Raises what `mine_repositories` raises, and `InterruptedWorkError` if the process is killed.
    """
    whole: Outcome | None = None
    rows: list[SubjectRow] = []
    for part in run_in_process(_in_parts, (source, options, static_only), progress):
        if isinstance(part, Outcome):
            whole = part
        else:
            rows += part
    if whole is None:
        raise RuntimeError("the process gave no outcome")
    return replace(whole, mined=replace(whole.mined, rows=tuple(rows))) if whole.mined is not None else whole


def _in_parts(
    source: Source, options: Options, static_only: bool, progress: Progress
) -> Iterator[Outcome | tuple[SubjectRow, ...]]:
    """Mine one repository and yield the outcome without its rows, then these, a few at a time."""
    (outcome,) = mine_repositories([source], options, progress, static_only=static_only)
    if outcome.mined is None:
        yield outcome
        return
    yield replace(outcome, mined=replace(outcome.mined, rows=()))
    for start in range(0, len(outcome.mined.rows), _PART):
        yield outcome.mined.rows[start : start + _PART]


def _mine_one(
    source: Source, options: Options, progress: Progress, place: DockerPlace | None, *, history: bool
) -> Outcome:
    with open_source(source, progress, history=history) as opened:
        mined, session = mine(opened.root, options, progress, opened.history, opened.origin)
        if place is None:
            found = Outcome(source=source, mined=add_surroundings(mined, session))
        else:
            found = _confirmed(source, opened.root, mined, session, place, progress)
        assert found.mined is not None
        rows, undated = with_dates(found.mined.rows, opened.history, opened.root, progress)
        nothing = _why_nothing(mined) if not rows else ""
        notes = (opened.note, found.note, undated, nothing, _not_python(session.tree))
        mined = replace(found.mined, rows=tuple(rows))
        return replace(found, mined=mined, note="; ".join(dict.fromkeys(filter(None, notes))))


def _why_nothing(mined: Mined) -> str:
    """Say why a repository gave no function at all."""
    skipped = f" ({len(mined.skipped):,} files were not read)" if mined.skipped else ""
    if not mined.files:
        return f"it holds no Python files that can be read, so there is nothing to mine{skipped}"
    if not mined.tests:
        without = f"none of its {mined.files:,} Python files holds a test with an assertion{skipped}"
        return f"{without}; name the repository with its tests"
    return (
        f"none of its {mined.tests:,} tests calls a function of its own{skipped}; name the folder above code and tests"
    )


def _not_python(tree: Tree) -> str:
    """Say that functions of compiled languages are passed over, where a repository has some."""
    endings = sorted({path[path.rfind(".") :] for path, _ in tree.others if path.endswith(SOURCES)})
    return f"only functions in Python are mined, so none in its {', '.join(endings)} files" if endings else ""


def add_surroundings(mined: Mined, session: Session, digest: str = "", wheel: str = "") -> Mined:
    """Return what was mined with what stands around the functions, which every context setting of a run asks with.

    With the ``digest`` of the repository's content they are judged in it.
    """
    bare = [row for row in mined.rows if row.place is None]
    placed = {row.key: row for row in add_places(session, bare, digest, wheel)}
    return replace(mined, rows=tuple(placed.get(row.key, row) for row in mined.rows))


def mining_place() -> DockerPlace:
    """Return the sandbox that tests are run in, once all is there that mining needs."""
    uv_program()
    place = DockerPlace()
    if not place.has("python"):
        place.close()
        raise MissingEnvironmentError(
            "The sandbox image for python is not built yet. Run: annotator sandbox build --languages python, or mine "
            "with --static-only."
        )
    return place


def _confirmed(
    source: Source, path: Path, mined: Mined, session: Session, place: DockerPlace, progress: Progress
) -> Outcome:
    """Run the tests of what was mined and return it with the answers."""
    if not session.node_ids():
        note = "there are no tests that pytest collects, so nothing was run"
        return Outcome(source=source, mined=add_surroundings(mined, session), note=note)
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
        runner = confirm.Runner(pool, import_roots(session.tree), journal)
        work = confirm.Confirmation(session.project, session.tree, runner, progress)
        work.run_tests(session.node_ids())
        seen = {name: calls for name, calls in work.ran.items() if name in work.passing}
        rows = work.confirm(session.extended(mined.rows, seen))
        libraries = environment.libraries
        kept = {**files, **own_metadata(path)}
        alone = all(row.recipe == "domaineval" for row in rows)
        if alone:
            rows = leave_long_in_place(rows, session.project, work.reached())
            rows = with_libraries(confirm_alone(rows, runner, progress), libraries.requirements)
            rows = judge_in_place(session, rows, kept, libraries.requirements, built.wheel)
        else:
            rows = [replace(row, libraries=libraries.requirements) for row in rows]
        rows = work.weigh(rows)
    if any(row.libraries for row in rows):
        ensure_libraries(place, libraries, environment.folder)
    found = replace(mined, rows=tuple(rows))
    digest = "" if alone else keep(kept)
    found = add_surroundings(found, session, digest, built.wheel)
    found = replace(found, rows=tuple(with_needed(session, found.rows, work.ran)))
    return Outcome(source=source, mined=found, note=built.note, missing=environment.missing)


def judge_in_place(
    session: Session, rows: Sequence[SubjectRow], files: Mapping[str, bytes], libraries: Sequence[str], wheel: str = ""
) -> list[SubjectRow]:
    """Return the rows; what its tests confirm but what does not run alone is judged in its repository instead."""
    stuck = [row for row in rows if _ALONE in {item.name for item in row.filters if row.counts_against(item)}]
    if not stuck:
        return list(rows)
    digest = keep(files)
    bare = [replace(row, context="", libraries=tuple(libraries)) for row in stuck]
    placed = {row.key: row for row in add_places(session, bare, digest, wheel)}
    return [placed.get(row.key, row) for row in rows]


def chosen(outcome: Outcome, *, everything: bool, by_hand: Collection[str] = ()) -> tuple[SubjectRow, ...]:
    """Return the rows to be kept: those that passed and those taken by hand, or all with what turned them down.

    ``by_hand`` names functions as ``path::qualified name``; a person overrules the filters by naming one.
    """
    if outcome.mined is None:
        return ()
    return tuple(row for row in outcome.mined.rows if everything or row.selected or name_of(row) in by_hand)


def exactly(outcome: Outcome, names: Collection[str]) -> tuple[SubjectRow, ...]:
    """Return the rows of the functions that a person has chosen, and no other."""
    return tuple(row for row in (outcome.mined.rows if outcome.mined else ()) if name_of(row) in names)


def name_of(row: SubjectRow) -> str:
    """Return what a row's function is named by: its path and qualified name."""
    return "::".join(row.key)


def none_kept(outcome: Outcome) -> str:
    """Say why nothing of a repository is kept; call it where nothing is."""
    mined = outcome.mined
    if mined is None or not mined.rows:
        return outcome.problem or outcome.note
    refused = [f"{item.name.removeprefix('repository ')}: {item.reason}" for item in refusals(mined.repository_filters)]
    if refused:
        return f"the recipe turns the repository down ({'; '.join(refused)}), so none of its functions is kept"
    told = ", ".join(f"{name} {count:,}" for name, count in failures(mined.rows).items())
    return f"none of its {len(mined.rows):,} functions is kept; turned down by: {told}"


def lines(rows: Sequence[SubjectRow]) -> Iterator[str]:
    """Yield rows as JSON lines."""
    for row in rows:
        yield json.dumps(row.to_row(), ensure_ascii=False) + "\n"


def import_rows(store: ProjectFile, repository: Source | Path, rows: Sequence[SubjectRow]) -> ImportReport:
    """Import a repository's rows into a project as candidates; a function that is known already is left as it is.

    Raises `BadInputError` for no row.
    """
    if not rows:
        raise BadInputError("No function was chosen, so nothing was taken into the project.")
    source = repository if isinstance(repository, Source) else source_of(repository)
    counts = {"rows": len(rows)}
    if source.path is not None:
        return import_candidates(store, "repository", source.path, map(as_candidate, rows), counts)
    # What was fetched is gone by now; what was found in it tells it from another version.
    digest = hashlib.sha256("".join(lines(rows)).encode()).hexdigest()
    return add_candidates(store, SourceInfo("repository", source.name, digest), map(as_candidate, rows), counts)


def as_candidate(row: SubjectRow) -> Candidate:
    """Return a row as a candidate, the same as reading it from the file that ``--out`` writes."""
    return mined_functions.candidate(json.loads(json.dumps(row.to_row())))
