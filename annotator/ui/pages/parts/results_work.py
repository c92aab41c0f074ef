"""What the results page has done off the main thread; services are imported when they are called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.model.results import ItemScoreRow, ResponseDetail, Table, Target
from annotator.model.rows import Changes
from annotator.ui.pages.parts.results_bar import PUBLISHED, Wanted
from annotator.ui.words import tr

if TYPE_CHECKING:
    from annotator.jobs.progress import Progress
    from annotator.services.labelling import LabelChoice
    from annotator.services.result_data import ResultData
    from annotator.services.result_detail import Explanation
    from annotator.services.result_tables import TableOptions
    from annotator.store.project_file import ProjectFile

# Enough for intervals of two digits while somebody waits; the command's default is ten thousand.
_DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page shows: a table, or why there is none, and what can be chosen beside it.

    ``data`` are the results of the release shown, None for a published table.
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


def show(store: ProjectFile, wanted: Wanted, known: ResultData | None) -> Shown | None:
    """Make the table that is asked for; None without a release. ``known`` is used again if it is what is asked for."""
    from annotator.base.errors import BadInputError
    from annotator.services import published, releasing, result_data, results

    versions = tuple(row.version for row in releasing.releases(store))
    names = tuple(published.published_tables(store))
    if wanted.version.startswith(PUBLISHED) or (names and not versions):
        return _show_published(store, wanted, versions, names)
    if not versions:
        return None
    data = known
    shown_protocol = {entry.run.protocol for entry in data.entries} if data else set()
    if data is None or (wanted.version and data.version != wanted.version) or not _fits(wanted, data, shown_protocol):
        protocol = wanted.protocol or None
        try:
            data = result_data.load(store, wanted.version or None, protocol=protocol)
        except BadInputError:
            data = result_data.load(store, wanted.version or None)
    table, problem = None, ""
    if data.entries:
        try:
            table = results.table(store, data, wanted.table, _options(wanted, data))
        except BadInputError as error:
            problem = _next_step(wanted, error.message)
    labels = tuple(entry.label for entry in data.entries)
    runs = tuple((entry.label, entry.run.id) for entry in data.entries)
    return Shown(table, problem, data.version, versions, data.protocols, labels, runs, names, data)


def _show_published(store: ProjectFile, wanted: Wanted, versions: tuple[str, ...], names: tuple[str, ...]) -> Shown:
    from annotator.base.errors import BadInputError
    from annotator.services import published
    from annotator.services.result_tables import TableOptions

    chosen = wanted.version.removeprefix(PUBLISHED)
    name = chosen if chosen in names else names[0]
    found = published.published_named(store, name)
    table, problem = None, ""
    try:
        table = published.table(found, wanted.table, TableOptions(threshold=wanted.threshold, scores=_scores(wanted)))
    except BadInputError as error:
        problem = error.message
    return Shown(table, problem, PUBLISHED + name, versions, (), found.models(), (), names, None)


def _next_step(wanted: Wanted, sentence: str) -> str:
    """Return what to do on the page about a table that needs something else; commands name their options instead."""
    if wanted.table == "ranks" and wanted.scores is None:
        return tr("Choose the scores of the other benchmark above: a CSV or JSON file with model and score.")
    if wanted.table == "releases" and not wanted.other:
        return tr("There is one release so far. Freeze another and run the models on it to compare the two.")
    if wanted.table in ("audit", "quotas"):
        return tr("This is made of a published table. Import some (annotator import published), then choose one above.")
    return sentence


def _scores(wanted: Wanted) -> dict[str, float]:
    from annotator.services import result_acts

    return result_acts.read_scores(wanted.scores) if wanted.scores is not None else {}


def _fits(wanted: Wanted, data: ResultData, shown: set[str]) -> bool:
    return shown == {wanted.protocol} if wanted.protocol else shown == set(data.protocols)


def _options(wanted: Wanted, data: ResultData) -> TableOptions:
    from annotator.services.result_tables import TableOptions

    labels = {entry.label for entry in data.entries}
    a, b = (name if name in labels else "" for name in (wanted.a, wanted.b))
    if a == b:
        b = ""
    return TableOptions(
        by=wanted.by,
        threshold=wanted.threshold,
        draws=_DRAWS,
        a=a,
        b=b,
        other_version=wanted.other,
        scores=_scores(wanted) if wanted.table == "ranks" else {},
        frontier=wanted.frontier,
    )


def items_of(store: ProjectFile, data: ResultData, target: Target) -> tuple[ItemScoreRow, ...]:
    """Return the responses a cell stands for."""
    from annotator.services import results

    if target.kind == "failed":
        from annotator.services import error_analysis

        return error_analysis.failed_rows(store, data, target)
    if target.kind == "item":
        return results.of_item(store, data, target.id)
    return results.of_run(store, data, target.run_id, target.by, target.value)


def explain(
    store: ProjectFile, response_id: str, data: ResultData | None
) -> tuple[Explanation, tuple[LabelChoice, ...]]:
    """Return one response with everything that explains its score, and the labels to choose from."""
    from annotator.services import labelling, result_detail

    return result_detail.explain(store, response_id, data), labelling.choices(store)


def answer_of(store: ProjectFile, response_id: str) -> ResponseDetail:
    """Return one response, to be read beside another."""
    from annotator.services import results

    return results.response_detail(store, response_id)


def label_response(store: ProjectFile, response_id: str, word: str, note: str) -> Changes:
    """Say why a response failed; an empty word takes one's own label back."""
    from annotator.services import labelling

    return labelling.label(store, [response_id], word, note)


def send_back(store: ProjectFile, subject_id: str) -> Changes:
    """Flag an item so that it waits in the queue again."""
    from annotator.services import result_acts

    return result_acts.send_back(store, [subject_id])


def export(store: ProjectFile, table: Table, path: Path, wanted: Wanted, progress: Progress) -> None:
    """Write a table, its figure, or the report of everything, by the file's ending."""
    from annotator.services import result_figures, result_report
    from annotator.services.result_tables import TableOptions

    kind = path.suffix.lower()
    if kind in (".html", ".htm"):
        options = TableOptions(by=wanted.by if wanted.by != "metric" else "domain", threshold=wanted.threshold)
        result_report.write(
            store, path, wanted.version or None, options, protocol=wanted.protocol or None, progress=progress
        )
    elif kind in (".svg", ".pdf", ".png"):
        result_figures.write(table, path)
    else:
        result_report.write_table(table, path)
