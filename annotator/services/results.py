"""Results: the leaderboard, and the way down to one response."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from annotator.base.errors import BadInputError
from annotator.model.results import ItemRow, ItemScoreRow, Leaderboard, LeaderboardRow, ResponseDetail, Table
from annotator.services import result_answers, result_difficulty, result_recall, result_relations, result_tables
from annotator.services.result_data import ResultData, load
from annotator.services.result_tables import TableOptions
from annotator.store import results as stored
from annotator.store import runs
from annotator.store.project_file import ProjectFile

Maker = Callable[[ResultData, TableOptions], Table]
AnswerMaker = Callable[[ProjectFile, ResultData, TableOptions], Table]
# Made from scores alone.
SCORE_TABLES: Mapping[str, Maker] = {
    "leaderboard": result_tables.leaderboard,
    "domains": result_tables.domains,
    "dsi": result_tables.dsi,
    "correlation": result_tables.correlation,
    "passes": result_tables.passes,
    "weighted": result_relations.weighted,
    "rank-intervals": result_relations.rank_intervals,
    "ranks": result_relations.ranks,
    "scaling": result_relations.scaling,
    "compare": result_relations.compare,
    "items": result_tables.items,
    "cost": result_relations.cost,
    "context": result_relations.context,
    "decoding": result_tables.spread_over_runs,
    "difficulty": result_difficulty.difficulty,
    "skill": result_difficulty.skill,
}
# Made from the answers or their rules, which takes longer.
ANSWER_TABLES: Mapping[str, AnswerMaker] = {
    "metric": result_answers.metrics,
    "leakage": result_answers.leakage,
    "recall": result_recall.recall,
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
    if name in SCORE_TABLES:
        return SCORE_TABLES[name](data, wanted)
    if name in ANSWER_TABLES:
        return ANSWER_TABLES[name](store, data, wanted)
    if name == "errors":
        from annotator.services import error_analysis

        return error_analysis.errors(store, data, wanted)
    if name == "releases":
        result_tables.need(wanted.other_version, "Name the release to compare with (--with).")
        return result_answers.releases(store, data, load(store, wanted.other_version))
    raise BadInputError(f"There is no table {name}. There is: {', '.join(TABLES)}.")


def leaderboard(store: ProjectFile, version: str | None = None, protocol: str | None = None) -> Leaderboard:
    """Rank the models that ran on a release (None: the newest with a run, else the newest), best first.

    A model's newest finished run under each protocol counts. Raises `BadInputError` if there is no such release.
    """
    return board_of(load(store, version, protocol=protocol))


def board_of(data: ResultData) -> Leaderboard:
    """Return the leaderboard of results that are loaded already."""
    from annotator.metrics.board import heat_map
    from annotator.metrics.board import leaderboard as ranked

    places = {entry.label: at for at, entry in enumerate(data.entries)}
    heats = {by: heat_map(data.scores, data.groups(by)) for by in _GROUPS}
    rows: list[LeaderboardRow] = []
    for row in ranked(data.scores):
        at = places[row.model]
        shown, told = row.estimate, data.outcomes(at)
        groups = {
            by: {
                name: (cell.value if (cell := heat.cell(at, place)) else None)
                for place, name in sorted(enumerate(heat.groups), key=_name)
            }
            for by, heat in heats.items()
        }
        made = LeaderboardRow(
            rank=row.rank,
            model=data.entries[at].run.model,
            score=shown.value if shown else None,
            low=shown.low if shown else None,
            high=shown.high if shown else None,
            passed=told["pass"],
            partial=told["partial"],
            failed=told["fail"],
            no_answer=told["empty"] + told["refusal"] + told["truncated"],
            machinery=told["machinery"],
            items=row.evaluated,
            samples=told.total(),
            groups=groups,
            run_id=data.entries[at].run.id,
            protocol=data.entries[at].run.protocol,
            se=row.se,
            label=row.model,
        )
        rows.append(made)
    return Leaderboard(data.version, tuple(rows), len(data.items))


def _name(pair: tuple[int, str]) -> str:
    return pair[1]


def items(store: ProjectFile, run_id: str, by: str = "", value: str = "") -> tuple[ItemScoreRow, ...]:
    """Return a run's responses with their outcomes, by item and sample; of one group if ``by`` names a grouping.

    Raises `BadInputError` for an unknown run.
    """
    data = load(store, _version_of(store, run_id), runs=(run_id,))
    return of_run(store, data, run_id, by, value)


def of_run(
    store: ProjectFile, data: ResultData, run_id: str, by: str = "", value: str = ""
) -> tuple[ItemScoreRow, ...]:
    """Return a run's responses as `items` does, from results that are loaded already."""
    wanted = data.items
    if by:
        wanted = tuple(item for item, group in zip(data.items, data.groups(by), strict=True) if group == value)
    facts = {item.subject_id: item for item in wanted}
    return _responses(store, (run_id,), facts, all_items=not by)


def of_item(store: ProjectFile, data: ResultData, subject_id: str) -> tuple[ItemScoreRow, ...]:
    """Return the responses of every run to one item, by model and sample."""
    chosen = {item.subject_id: item for item in data.items if item.subject_id == subject_id}
    rows = _responses(store, [entry.run.id for entry in data.entries], chosen)
    labels = {entry.run.id: entry.label for entry in data.entries}
    return tuple(sorted((replace(row, model=labels[row.run_id]) for row in rows), key=_model_order))


def _responses(
    store: ProjectFile, run_ids: Sequence[str], facts: Mapping[str, ItemRow], *, all_items: bool = False
) -> tuple[ItemScoreRow, ...]:
    with store.reader() as connection:
        found = stored.responses_at(connection, run_ids, () if all_items else tuple(facts)) if facts else []
    rows = [
        ItemScoreRow(
            subject_id=subject,
            key=facts[subject].key,
            title=facts[subject].title,
            language=facts[subject].language,
            domain=facts[subject].domain,
            sample=sample,
            outcome=outcome,
            score=score,
            response_id=response,
            run_id=run,
        )
        for run, subject, sample, outcome, score, response in found
        if subject in facts
    ]
    return tuple(sorted(rows, key=_item_order))


def _version_of(store: ProjectFile, run_id: str) -> str:
    with store.reader() as connection:
        version = stored.version_of(connection, run_id)
    if version is None:
        raise BadInputError("There is no such run in this project.")
    return version


def _model_order(row: ItemScoreRow) -> tuple[str, int]:
    return row.model, row.sample


def _item_order(row: ItemScoreRow) -> tuple[str, int]:
    return row.key, row.sample


def response_detail(store: ProjectFile, response_id: str) -> ResponseDetail:
    """Return one response with the released prompt, reference and criterion that explain its score."""
    with store.read() as db:
        response, score, model, item = runs.response(db, response_id)
    return ResponseDetail(
        key=item["key"],
        title=item["title"],
        model=model.name,
        sample=response.sample,
        outcome=score.outcome if score else "machinery",
        score=score.score if score else None,
        prompt=item["prompt"],
        text=response.text,
        reference=item["reference"],
        source=item["criterion"],
        files=item.get("files", {}),
        response_id=response.id,
    )
