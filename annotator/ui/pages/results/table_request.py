"""The request made with the controls of the Results page, and the content that is loaded for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.model.rows.result_rows import ResultRun, Table
from annotator.services.release.release_list import list_releases
from annotator.services.results import comparisons, named_tables, published_tables, result_tables, score_data
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.translation import tr

PUBLISHED = "published:"
# Enough for intervals of two digits while somebody waits; the command's default is ten thousand.
_BOOTSTRAP_DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """The choices of the controls; empty texts mean the default.

    ``version`` is a release, or `PUBLISHED` followed by the name of a published table; ``scores`` is a file with
    another benchmark's scores; ``frontier`` lists the models of the scaling line (empty: the upper envelope).
    """

    version: str = ""
    protocol: str = ""
    table: str = "leaderboard"
    by: str = "domain"
    group: str = ""
    k: int | None = None
    threshold: float = 10.0
    a: str = ""
    b: str = ""
    other: str = ""
    scores: Path | None = None
    frontier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """The content of the page: a table or the reason why there is none, and the available choices.

    ``data`` is the results of the release, None for a published table. ``older`` lists the runs that newer ones in
    ``data`` replace, newest first; ``compared`` is the results of the two compared runs if one of them is older.
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
    """The ids of the two runs to compare."""
    groups: tuple[str, ...] = ()
    """The groups of the items."""
    ks: tuple[int, ...] = ()
    """The values of k for which a best of k can be computed."""

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        """The (name, run id) of all runs that can be compared, older ones included."""
        counted_runs = tuple((entry.label, entry.run.id) for entry in self.data.entries) if self.data else ()
        return (*counted_runs, *((_older_name(run), run.id) for run in self.older))

    @property
    def table_data(self) -> ResultData | None:
        """The results that the table shows: those of the compared runs, or else of the release."""
        return self.compared or self.data

    def previous_run(self, run_id: str) -> tuple[str, str]:
        """Return a run's label, and the id of the previous run of its model and protocol; empty if there is none."""
        for entry in self.data.entries if self.data else ():
            if entry.run.id == run_id:
                model_and_protocol = entry.run.model, entry.run.protocol
                previous_run_id = next(
                    (run.id for run in self.older if (run.model, run.protocol) == model_and_protocol), ""
                )
                return entry.label, previous_run_id
        return "", ""


def load_result_view(store: ProjectFile, request: TableRequest, loaded_data: ResultData | None) -> ResultView | None:
    """Load the requested view; None without a release. ``loaded_data`` is reused if it fits the request."""
    versions = tuple(row.version for row in list_releases(store))
    published_names = tuple(published_tables.published_tables(store))
    if request.version.startswith(PUBLISHED) or (published_names and not versions):
        return _load_published_view(store, request, versions, published_names)
    if not versions:
        return None
    data = loaded_data
    if data is None or (request.version and data.version != request.version) or not _has_protocol(request, data):
        protocol = request.protocol or None
        try:
            data = score_data.load_results(store, request.version or None, protocol=protocol)
        except BadInputError:
            data = score_data.load_results(store, request.version or None)
    older = score_data.older_runs(data)
    request = _choose_pair(request, data, {run.id for run in older})
    compared = _load_compared(store, request, data)
    groups = _list_groups(request, data)
    ks = tuple(result_tables.available_ks(data)) if data.entries else ()
    request = replace(
        request, group=request.group if request.group in groups else "", k=request.k if request.k in ks else None
    )
    table = None
    problem = ""
    if data.entries:
        try:
            table = named_tables.make_table(store, compared or data, request.table, _table_options(request))
        except BadInputError as error:
            problem = _suggest_next_step(request, error.message)
    labels = tuple(entry.label for entry in data.entries)
    runs = tuple(
        (entry.label, entry.run.id) for result_data in (data, compared) if result_data for entry in result_data.entries
    )
    return ResultView(
        table=table,
        problem=problem,
        version=data.version,
        versions=versions,
        protocols=data.protocols,
        labels=labels,
        runs=runs,
        published=published_names,
        data=data,
        older=older,
        compared=compared,
        pair=(request.a, request.b),
        groups=groups,
        ks=ks,
    )


def _older_name(run: ResultRun) -> str:
    return f"{run.model} · {run.protocol} · {run.created_at[:16].replace('T', ' ')} · {run.id[-6:]}"


def _choose_pair(request: TableRequest, data: ResultData, older_ids: set[str]) -> TableRequest:
    """Fill in the ids of the two runs to compare: the requested ones, or else the first two distinct ones."""
    counted_ids = [entry.run.id for entry in data.one_protocol().entries]
    known_ids = {*older_ids, *(entry.run.id for entry in data.entries)}
    a = request.a if request.a in known_ids else next((run for run in counted_ids if run != request.b), "")
    b = request.b if request.b in known_ids - {a} else next((run for run in counted_ids if run != a), "")
    return replace(request, a=a, b=b)


def _list_groups(request: TableRequest, data: ResultData) -> tuple[str, ...]:
    if request.table != "domains" or request.by == "metric":
        return ()
    return tuple(sorted({name for name in data.groups(request.by) if name is not None}))


def _load_compared(store: ProjectFile, request: TableRequest, data: ResultData) -> ResultData | None:
    """Load the two runs of a comparison if one of them is an older run."""
    counted_ids = {entry.run.id for entry in data.entries}
    if request.table != "compare" or not (request.a and request.b) or {request.a, request.b} <= counted_ids:
        return None
    return score_data.load_results(store, data.version, runs=(request.a, request.b))


def _load_published_view(
    store: ProjectFile, request: TableRequest, versions: tuple[str, ...], published_names: tuple[str, ...]
) -> ResultView:
    requested_name = request.version.removeprefix(PUBLISHED)
    name = requested_name if requested_name in published_names else published_names[0]
    published_table = published_tables.published_named(store, name)
    table = None
    problem = ""
    try:
        table = published_tables.make_published_table(
            published_table,
            request.table,
            TableOptions(threshold=request.threshold, scores=_read_other_scores(request)),
        )
    except BadInputError as error:
        problem = error.message
    return ResultView(
        table=table,
        problem=problem,
        version=PUBLISHED + name,
        versions=versions,
        protocols=(),
        labels=published_table.models(),
        runs=(),
        published=published_names,
        data=None,
    )


def _suggest_next_step(request: TableRequest, sentence: str) -> str:
    """Return advice for the page if a table lacks input; the error itself names options of the command line."""
    if request.table == "ranks" and request.scores is None:
        return tr("Above, choose the scores of the other benchmark: a CSV or JSON file with model and score.")
    if request.table == "releases" and not request.other:
        return tr("There is only one release. Create another one and run the models on it to compare the two.")
    if request.table in ("audit", "quotas"):
        return tr("This table needs a published table. Import one (annotator import published), then choose it above.")
    return sentence


def _read_other_scores(request: TableRequest) -> dict[str, float]:
    return comparisons.read_other_scores(request.scores) if request.scores is not None else {}


def _has_protocol(request: TableRequest, data: ResultData) -> bool:
    protocols = {entry.run.protocol for entry in data.entries}
    return protocols == {request.protocol} if request.protocol else protocols == set(data.protocols)


def _table_options(request: TableRequest) -> TableOptions:
    return TableOptions(
        by=request.by,
        group=request.group,
        passes_k=request.k,
        threshold=request.threshold,
        draws=_BOOTSTRAP_DRAWS,
        a=request.a,
        b=request.b,
        other_version=request.other,
        scores=_read_other_scores(request) if request.table == "ranks" else {},
        frontier=request.frontier,
    )
