"""Every table of results by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.rows.results import Table
from annotator.services.results import (
    answer_tables,
    coco_score,
    comparisons,
    difficulty,
    diversity,
    error_labels,
    health,
    leakage,
    tables,
)
from annotator.services.results.score_data import ResultData, load
from annotator.services.results.tables import TableOptions
from annotator.store.file.project_file import ProjectFile

Maker = Callable[[ResultData, TableOptions], Table]
AnswerMaker = Callable[[ProjectFile, ResultData, TableOptions], Table]
# Made from scores alone.
SCORE_TABLES: Mapping[str, Maker] = {
    "leaderboard": tables.leaderboard,
    "domains": tables.domains,
    "dsi": tables.dsi,
    "correlation": tables.correlation,
    "passes": tables.passes,
    "weighted": comparisons.weighted,
    "coco-score": coco_score.coco_score,
    "rank-intervals": comparisons.rank_intervals,
    "ranks": comparisons.ranks,
    "scaling": comparisons.scaling,
    "compare": comparisons.compare,
    "pairs": comparisons.pairs,
    "grid": tables.grid,
    "cost": comparisons.cost,
    "context": comparisons.context,
    "decoding": tables.spread_over_runs,
    "difficulty": difficulty.difficulty,
    "skill": difficulty.skill,
}
# Made from the project too: answers, their rules, proofs.
ANSWER_TABLES: Mapping[str, AnswerMaker] = {
    "items": health.items,
    "metric": answer_tables.metrics,
    "labels": answer_tables.labels,
    "leakage": leakage.leakage,
    "diversity": diversity.diversity,
    "recall": answer_tables.recall,
}
TABLES = (*SCORE_TABLES, *ANSWER_TABLES, "errors", "releases")


def make_table(store: ProjectFile, data: ResultData, name: str, options: TableOptions | None = None) -> Table:
    """Return the table of a name in `TABLES`. Raises `BadInputError` for another name, or if its data is missing."""
    options = options or TableOptions()
    if name == "domains" and options.by == "metric":
        name = "metric"
    if not data.entries and name != "items":
        raise BadInputError(f"Release {data.version} has no finished run yet.")
    table = _make_table(store, data, name, options)
    return replace(table, notes=(*table.notes, *tables.marks(data)))


def _make_table(store: ProjectFile, data: ResultData, name: str, options: TableOptions) -> Table:
    if name in SCORE_TABLES:
        return SCORE_TABLES[name](data, options)
    if name in ANSWER_TABLES:
        return ANSWER_TABLES[name](store, data, options)
    if name == "errors":
        return error_labels.errors(store, data, options)
    if name == "releases":
        tables.require(options.other_version, Message("Name the release to compare with (--with)."))
        return answer_tables.releases(store, data, load(store, options.other_version))
    raise BadInputError(f"There is no table {name}. There is: {', '.join(TABLES)}.")
