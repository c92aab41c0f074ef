"""Every table of results by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.model.rows.result_rows import Table
from annotator.services.results import (
    answer_tables,
    coco_score,
    comparisons,
    error_labels,
    health,
    leakage,
    result_tables,
)
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData, load_results
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies

ScoreTableMaker = Callable[[ResultData, TableOptions], Table]
AnswerTableMaker = Callable[[ProjectFile, ResultData, TableOptions], Table]
# Made from scores alone.
SCORE_TABLES: Mapping[str, ScoreTableMaker] = {
    "leaderboard": result_tables.leaderboard_table,
    "domains": result_tables.domain_table,
    "dsi": result_tables.dsi_score_table,
    "correlation": result_tables.group_correlation_table,
    "passes": result_tables.pass_table,
    "weighted": comparisons.weighted_table,
    "coco-score": coco_score.coco_score_table,
    "rank-intervals": comparisons.rank_interval_table,
    "ranks": comparisons.other_rank_table,
    "scaling": comparisons.model_scaling_table,
    "compare": comparisons.comparison_table,
    "pairs": comparisons.model_pair_table,
    "grid": result_tables.grid_table,
    "cost": comparisons.cost_table,
    "context": comparisons.context_table,
    "decoding": result_tables.decoding_table,
    "difficulty": health.difficulty_table,
    "skill": health.skill_table,
}
# Made from the project too: answers, their rules, proofs.
ANSWER_TABLES: Mapping[str, AnswerTableMaker] = {
    "items": health.health_table,
    "metric": answer_tables.metric_table,
    "labels": answer_tables.label_table,
    "leakage": leakage.leakage_table,
    "diversity": leakage.diversity_table,
    "recall": answer_tables.recall_table,
}
# Tables whose every figure is over all items of a run. The others show single items, or groups that may be one item.
_TABLES_OF_RUNS = frozenset(
    {"leaderboard", "rank-intervals", "passes", "ranks", "scaling", "pairs", "cost", "decoding", "diversity", "errors"}
)
TABLES = (*SCORE_TABLES, *ANSWER_TABLES, "errors", "releases")


def make_table(store: ProjectFile, data: ResultData, name: str, options: TableOptions | None = None) -> Table:
    """Return the table of a name in `TABLES`.

    Raises `BadInputError` for another name, if its data is missing, and to a rater of a blind study of these items for
    every table but those of whole runs.
    """
    options = options or TableOptions()
    if name == "domains" and options.by == "metric":
        name = "metric"
    if name not in _TABLES_OF_RUNS:
        # A study may have begun or been unblinded since the scores were loaded.
        with store.read() as db:
            studies.refuse_blind(db, store.annotator.id, {item.subject_id for item in data.items})
    if not data.entries and name != "items":
        raise BadInputError(f"Release {data.version} has no finished run yet.")
    table = _dispatch_table(store, data, name, options)
    return replace(table, notes=(*table.notes, *result_tables.table_caveats(data)))


def _dispatch_table(store: ProjectFile, data: ResultData, name: str, options: TableOptions) -> Table:
    if name in SCORE_TABLES:
        return SCORE_TABLES[name](data, options)
    if name in ANSWER_TABLES:
        return ANSWER_TABLES[name](store, data, options)
    if name == "errors":
        return error_labels.error_table(store, data, options)
    if name == "releases":
        result_tables.require_data(options.other_version, Message("Choose the release to compare with (--with)."))
        return answer_tables.release_table(store, data, load_results(store, options.other_version))
    raise BadInputError(f"There is no table {name}. Choose from: {', '.join(TABLES)}.")
