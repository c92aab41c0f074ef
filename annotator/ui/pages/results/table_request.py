"""The table that the controls of the results page ask for, made from a release or a published table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.model.rows.results import ResultRun, Table
from annotator.services.release.release_list import list_releases
from annotator.services.results import comparisons, named_tables, published_tables, score_data
from annotator.services.results.score_data import ResultData
from annotator.services.results.tables import TableOptions
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.translation import tr

PUBLISHED = "published:"
# Enough for intervals of two digits while somebody waits; the command's default is ten thousand.
_DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """What is asked for; empty texts mean the page's own choice.

    ``version`` is a release, or `PUBLISHED` and the name of a published table; ``scores`` is a file of another
    benchmark's scores, ``frontier`` the models a scaling line goes through (empty: the upper envelope).
    """

    version: str = ""
    protocol: str = ""
    table: str = "leaderboard"
    by: str = "domain"
    threshold: float = 10.0
    a: str = ""
    b: str = ""
    other: str = ""
    scores: Path | None = None
    frontier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """What the page shows: a table, or why there is none, and what can be chosen beside it.

    ``data`` are the results of the release shown, None for a published table. ``older`` are runs that they do not
    count, newest first: they can be compared; ``compared`` are the results of two runs of which one is such a run.
    """

    table: Table | None
    problem: str
    version: str
    versions: tuple[str, ...]
    protocols: tuple[str, ...]
    labels: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]
    published: tuple[str, ...]
    data: ResultData | None
    older: tuple[ResultRun, ...] = ()
    compared: ResultData | None = None
    pair: tuple[str, str] = ("", "")
    """The ids of the two runs that are compared, or would be."""

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        """The models and the older runs that can be compared, by name and id of the run."""
        counted = tuple((entry.label, entry.run.id) for entry in self.data.entries) if self.data else ()
        return (*counted, *((_older_name(run), run.id) for run in self.older))

    @property
    def listed(self) -> ResultData | None:
        """The results whose answers stand behind the table's cells."""
        return self.compared or self.data

    def run_before(self, run_id: str) -> tuple[str, str]:
        """Return a counted run's label, and the id of the run before it of its model and protocol; empty for none."""
        for entry in self.data.entries if self.data else ():
            if entry.run.id == run_id:
                asked = entry.run.model, entry.run.protocol
                before = next((run.id for run in self.older if (run.model, run.protocol) == asked), "")
                return entry.label, before
        return "", ""


def load_view(store: ProjectFile, wanted: TableRequest, known: ResultData | None) -> ResultView | None:
    """Make the table that is asked for; None without a release. ``known`` is used again if it is what is asked for."""
    versions = tuple(row.version for row in list_releases(store))
    names = tuple(published_tables.published_tables(store))
    if wanted.version.startswith(PUBLISHED) or (names and not versions):
        return _show_published(store, wanted, versions, names)
    if not versions:
        return None
    data = known
    if data is None or (wanted.version and data.version != wanted.version) or not _fits(wanted, data):
        protocol = wanted.protocol or None
        try:
            data = score_data.load(store, wanted.version or None, protocol=protocol)
        except BadInputError:
            data = score_data.load(store, wanted.version or None)
    older = score_data.older_runs(store, data)
    wanted = _choose_pair(wanted, data, {run.id for run in older})
    compared = _load_compared(store, wanted, data)
    table, problem = None, ""
    if data.entries:
        try:
            table = named_tables.make_table(store, compared or data, wanted.table, _options(wanted))
        except BadInputError as error:
            problem = _next_step(wanted, error.message)
    labels = tuple(entry.label for entry in data.entries)
    runs = tuple((entry.label, entry.run.id) for found in (data, compared) if found for entry in found.entries)
    return ResultView(
        table=table,
        problem=problem,
        version=data.version,
        versions=versions,
        protocols=data.protocols,
        labels=labels,
        runs=runs,
        published=names,
        data=data,
        older=older,
        compared=compared,
        pair=(wanted.a, wanted.b),
    )


def _older_name(run: ResultRun) -> str:
    return f"{run.model} · {run.protocol} · {run.created_at[:16].replace('T', ' ')} · {run.id[-6:]}"


def _choose_pair(wanted: TableRequest, data: ResultData, older: set[str]) -> TableRequest:
    """Name the two runs to compare by their ids: those asked for, else the first ones that differ."""
    counted = [entry.run.id for entry in data.one_protocol().entries]
    known = {*older, *(entry.run.id for entry in data.entries)}
    a = wanted.a if wanted.a in known else next((run for run in counted if run != wanted.b), "")
    b = wanted.b if wanted.b in known - {a} else next((run for run in counted if run != a), "")
    return replace(wanted, a=a, b=b)


def _load_compared(store: ProjectFile, wanted: TableRequest, data: ResultData) -> ResultData | None:
    """Load the two runs of a comparison if one of them is older than those that count."""
    counted = {entry.run.id for entry in data.entries}
    if wanted.table != "compare" or not (wanted.a and wanted.b) or {wanted.a, wanted.b} <= counted:
        return None
    return score_data.load(store, data.version, runs=(wanted.a, wanted.b))


def _show_published(
    store: ProjectFile, wanted: TableRequest, versions: tuple[str, ...], names: tuple[str, ...]
) -> ResultView:
    chosen = wanted.version.removeprefix(PUBLISHED)
    name = chosen if chosen in names else names[0]
    found = published_tables.published_named(store, name)
    table, problem = None, ""
    try:
        table = published_tables.make_published_table(
            found, wanted.table, TableOptions(threshold=wanted.threshold, scores=_scores(wanted))
        )
    except BadInputError as error:
        problem = error.message
    return ResultView(
        table=table,
        problem=problem,
        version=PUBLISHED + name,
        versions=versions,
        protocols=(),
        labels=found.models(),
        runs=(),
        published=names,
        data=None,
    )


def _next_step(wanted: TableRequest, sentence: str) -> str:
    """Return what to do on the page about a table that needs something else; commands name their options instead."""
    if wanted.table == "ranks" and wanted.scores is None:
        return tr("Choose the scores of the other benchmark above: a CSV or JSON file with model and score.")
    if wanted.table == "releases" and not wanted.other:
        return tr("There is one release so far. Freeze another and run the models on it to compare the two.")
    if wanted.table in ("audit", "quotas"):
        return tr("This is made of a published table. Import some (annotator import published), then choose one above.")
    return sentence


def _scores(wanted: TableRequest) -> dict[str, float]:
    return comparisons.read_scores(wanted.scores) if wanted.scores is not None else {}


def _fits(wanted: TableRequest, data: ResultData) -> bool:
    shown = {entry.run.protocol for entry in data.entries}
    return shown == {wanted.protocol} if wanted.protocol else shown == set(data.protocols)


def _options(wanted: TableRequest) -> TableOptions:
    return TableOptions(
        by=wanted.by,
        threshold=wanted.threshold,
        draws=_DRAWS,
        a=wanted.a,
        b=wanted.b,
        other_version=wanted.other,
        scores=_scores(wanted) if wanted.table == "ranks" else {},
        frontier=wanted.frontier,
    )
