"""Calls found by reading four packages, beside the calls that were seen when their tests ran in the sandbox.

What is compared are names that stand in a test: what they were when the test ran, and what reading found them to be. A
profiler alone cannot tell such calls from others: a generator that one function hands out, and a function that a
built-in iterator calls, seem to be called by the test that takes their items.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from annotator.mining.repository.confirmation import confirm
from annotator.mining.repository.confirmation.built_files import built_files
from annotator.mining.repository.confirmation.environment import make_environment, own_metadata, requirements_of
from annotator.mining.repository.discovery.modules import import_roots
from annotator.mining.repository.fetching.source_names import read_sources
from annotator.mining.repository.fetching.source_opening import open_source
from annotator.mining.repository.pipeline import MinedRepository, MiningOptions, MiningSession, mine_folder
from annotator.sandbox import Pool
from annotator.sandbox.layers import ensure_layer
from annotator.sandbox.sandbox_places import DockerPlace
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
        mined, session = mine_folder(
            opened.root, MiningOptions(with_contexts=False), None, opened.history, opened.origin
        )
        work = _run(opened.root, session, folder, place)
    found = shares(mined, session, work)
    goal = f"≥ {GOAL:g} %"
    return [
        Figure(_ROW, f"{name}: found calls that ran", found.precision, "%", goal, found.precision >= GOAL),
        Figure(_ROW, f"{name}: calls that ran and were found", found.recall, "%", goal, found.recall >= GOAL),
    ]


def _run(root: Path, session: MiningSession, folder: Path, place: DockerPlace) -> confirm.TestConfirmation:
    """Run a package's tests in the sandbox, watching what they call."""
    environment = make_environment(requirements_of(root, session.project), folder / "environments")
    built = built_files(root, session.tree, session.project, folder / "environments", version="", day="")
    texts = {
        "repository": {**confirm.repository_files(session.tree, root), **built.files},
        "environment": own_metadata(root),
    }
    layer = ensure_layer(place, "python", {"environment": environment.folder}, texts)
    with Pool(layer) as pool:
        runner = confirm.VariantRunner(pool, import_roots(session.tree))
        work = confirm.TestConfirmation(session.project, session.tree, runner)
        work.run_tests(session.node_ids())
    return work


@dataclass(frozen=True, slots=True)
class Shares:
    """In percent: found calls that ran, and calls that ran and were found."""

    precision: float
    recall: float


def shares(mined: MinedRepository, session: MiningSession, work: confirm.TestConfirmation) -> Shares:
    """Compare the calls that were found with those that ran, in tests that pass and by names that stand in them."""
    seen = {name: calls for name, calls in work.calls_by_test.items() if name in work.passing}
    written = {test.node_id: _names(test.info.node) for test in session.tests}
    every = session.with_observed_calls(mined.rows, seen)
    places = {(row.module_path, row.span[0]): row.key for row in every}
    ran: set[Pair] = set()
    called: set[Pair] = set()
    for test, calls in seen.items():
        for path, line, direct in calls:
            if (path, line) in places:
                pair = (places[path, line], test)
                ran.add(pair)
                if direct and pair[0][1].rpartition(".")[2] in written[test]:
                    called.add(pair)
    known = {(row.key, test.node_id): test.how for row in mined.rows for test in row.tests}
    found = {pair for pair, how in known.items() if how == "call" and pair[1] in seen}
    return Shares(_percent(found & ran, found), _percent(called & known.keys(), called))


def _names(node: ast.AST) -> set[str]:
    """Return the names that code writes."""
    return {
        item.id if isinstance(item, ast.Name) else item.attr
        for item in ast.walk(node)
        if isinstance(item, (ast.Name, ast.Attribute))
    }


def _percent(part: set[Pair], whole: set[Pair]) -> float:
    return 100 * len(part) / len(whole) if whole else 100.0
