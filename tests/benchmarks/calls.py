"""Calls found by reading four packages, beside the calls that were seen when their tests ran in the sandbox."""

from __future__ import annotations

from pathlib import Path

from annotator.jobs.progress import Progress
from annotator.mining.repository.confirmation import confirm
from annotator.mining.repository.confirmation.built_files import built_files
from annotator.mining.repository.confirmation.environment import make_environment, own_metadata, requirements_of
from annotator.mining.repository.discovery.modules import import_roots
from annotator.mining.repository.fetching.opening import open_source
from annotator.mining.repository.fetching.source_names import read_sources
from annotator.mining.repository.pipeline import Mined, Options, Session, mine
from annotator.sandbox import Pool
from annotator.sandbox.libraries import ensure_layer
from annotator.sandbox.places import DockerPlace
from tests.benchmarks.figures import Figure

PACKAGES = ("prettytable==3.10.0", "more-itertools==10.5.0", "toolz==0.12.1", "ecdsa==0.19.0")
GOAL = 95.0
_ROW = "calls"
Pair = tuple[tuple[str, str], str]
"""A function (its file and qualified name) and a test that calls it."""


def measure(folder: Path, _subjects: int) -> list[Figure]:
    """Measure precision and recall on each package; needs the sandbox and an index of packages."""
    place = DockerPlace()
    try:
        return [figure for name in PACKAGES for figure in _of_package(name, folder, place)]
    finally:
        place.close()


def _of_package(name: str, folder: Path, place: DockerPlace) -> list[Figure]:
    (source,) = read_sources([name])
    with open_source(source, history=False) as opened:
        mined, session = mine(opened.root, Options(with_contexts=False), None, opened.history, opened.origin)
        work = _run(opened.root, session, folder, place)
    precision, recall = shares(mined, session, work)
    return [
        Figure(_ROW, f"{name}: found calls that ran", precision, "%", f"≥ {GOAL:g} %", precision >= GOAL),
        Figure(_ROW, f"{name}: calls that ran and were found", recall, "%", f"≥ {GOAL:g} %", recall >= GOAL),
    ]


def _run(root: Path, session: Session, folder: Path, place: DockerPlace) -> confirm.Confirmation:
    """Run a package's tests in the sandbox, watching what they call."""
    environment = make_environment(requirements_of(root, session.project), folder / "environments")
    built = built_files(root, session.tree, session.project, folder / "environments", version="", day="")
    texts = {
        "repository": {**confirm.repository_files(session.tree, root), **built.files},
        "environment": own_metadata(root),
    }
    layer = ensure_layer(place, "python", {"environment": environment.folder}, texts)
    with Pool(layer) as pool:
        runner = confirm.Runner(pool, import_roots(session.tree))
        work = confirm.Confirmation(session.project, session.tree, runner, Progress())
        work.run_tests(session.node_ids())
    return work


def shares(mined: Mined, session: Session, work: confirm.Confirmation) -> tuple[float, float]:
    """Return in percent how many of the found calls ran, and how many of the calls that ran were found.

    Only tests that pass are counted, and only calls that stand in a test itself: not what is called by a helper, by an
    operator, or by what a function is handed to.
    """
    seen = {name: calls for name, calls in work.ran.items() if name in work.passing}
    every = session.extended(mined.rows, seen)
    places = {(row.module_path, row.span[0]): row.key for row in every}
    ran: set[Pair] = set()
    called: set[Pair] = set()
    for test, calls in seen.items():
        for path, line, direct in calls:
            if (path, line) in places:
                pair = (places[path, line], test)
                ran.add(pair)
                called |= {pair} if direct else set()
    known = {(row.key, test.node_id) for row in mined.rows for test in row.tests}
    found = {
        (row.key, test.node_id)
        for row in mined.rows
        for test in row.tests
        if test.how == "call" and test.node_id in seen
    }
    return _percent(len(found & ran), len(found)), _percent(len(called & known), len(called))


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
