"""The leaderboard of a release, and every table of results by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.metrics.scores.score_board import heat_map
from annotator.metrics.scores.score_board import leaderboard as ranked
from annotator.model.rows.results import Leaderboard, LeaderboardRow, Table
from annotator.model.vocabulary import NO_ANSWER, UNSETTLED
from annotator.services.results import (
    answer_tables,
    coco_score,
    comparisons,
    difficulty,
    diversity,
    error_labels,
    health,
    leakage,
    recall,
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
    "recall": recall.recall,
}
TABLES = (*SCORE_TABLES, *ANSWER_TABLES, "errors", "releases")
_GROUPS = ("language", "domain", "task", "difficulty")


def table(store: ProjectFile, data: ResultData, name: str, options: TableOptions | None = None) -> Table:
    """Return one of the `TABLES`. Raises `BadInputError` for another, or for one that needs what is not there."""
    wanted = options or TableOptions()
    if name == "domains" and wanted.by == "metric":
        name = "metric"
    if not data.entries and name != "items":
        raise BadInputError(f"Release {data.version} has no finished run yet.")
    made = _made(store, data, name, wanted)
    return replace(made, notes=(*made.notes, *tables.marks(data)))


def _made(store: ProjectFile, data: ResultData, name: str, wanted: TableOptions) -> Table:
    if name in SCORE_TABLES:
        return SCORE_TABLES[name](data, wanted)
    if name in ANSWER_TABLES:
        return ANSWER_TABLES[name](store, data, wanted)
    if name == "errors":
        return error_labels.errors(store, data, wanted)
    if name == "releases":
        tables.require(wanted.other_version, Message("Name the release to compare with (--with)."))
        return answer_tables.releases(store, data, load(store, wanted.other_version))
    raise BadInputError(f"There is no table {name}. There is: {', '.join(TABLES)}.")


def leaderboard(store: ProjectFile, version: str | None = None, protocol: str | None = None) -> Leaderboard:
    """Rank the models that ran on a release (None: the newest with a run, else the newest), best first.

    A model's newest finished run under each protocol counts. Raises `BadInputError` if there is no such release.
    """
    return board_of(load(store, version, protocol=protocol))


def board_of(data: ResultData) -> Leaderboard:
    """Return the leaderboard of results that are loaded already."""
    places = {entry.label: at for at, entry in enumerate(data.entries)}
    heats = {by: heat_map(data.scores, data.groups(by)) for by in _GROUPS}
    rows: list[LeaderboardRow] = []
    for row in ranked(data.scores):
        at = places[row.model]
        shown, counts = row.estimate, data.outcomes(at)
        groups = {
            by: {
                name: (cell.value if (cell := heat.cell(at, place)) else None)
                for place, name in sorted(enumerate(heat.groups), key=lambda pair: pair[1])
            }
            for by, heat in heats.items()
        }
        made = LeaderboardRow(
            rank=row.rank,
            model=data.entries[at].run.model,
            score=shown.value if shown else None,
            low=shown.low if shown else None,
            high=shown.high if shown else None,
            passed=counts["pass"],
            partial=counts["partial"],
            failed=counts["fail"],
            no_answer=sum(counts[name] for name in NO_ANSWER),
            machinery=counts["machinery"],
            items=row.evaluated,
            samples=counts.total(),
            groups=groups,
            run_id=data.entries[at].run.id,
            protocol=data.entries[at].run.protocol,
            se=row.se,
            label=row.model,
            unsettled={kind: counts[kind] for kind in UNSETTLED if counts[kind]},
            shared=data.shared_of(at),
        )
        rows.append(made)
    return Leaderboard(data.version, tuple(rows), len(data.items), data.shared, data.overrides)
