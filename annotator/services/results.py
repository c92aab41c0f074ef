"""Results: the leaderboard, and the way down to one response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from annotator.base.errors import BadInputError
from annotator.evaluation.summary import Sample, Summary, summarise
from annotator.model.rows import ItemScoreRow, Leaderboard, LeaderboardRow, ResponseDetail, RunRow
from annotator.model.words import RunState
from annotator.store import releases, runs
from annotator.store.project_file import ProjectFile


def leaderboard(store: ProjectFile, version: str | None = None) -> Leaderboard:
    """Rank the models that ran on a release (None: the newest with a run, else the newest), best first.

    A model's newest finished run counts. Raises `BadInputError` if there is no such release.
    """
    with store.read() as db:
        listing = runs.listing(db)
        if version is None:
            version = next((run.version for run in listing if run.state == RunState.DONE), None)
        release = releases.find(db, version)
        items = releases.items_of(db, release.id)
        labels = {
            item["id"]: {name: item[name] for name in ("language", "domain", "task", "difficulty")} for item in items
        }
        newest: dict[str, RunRow] = {}
        for run in listing:
            if run.version == release.version and run.state == RunState.DONE:
                newest.setdefault(run.model, run)
        rows = [_row(run, summarise(_samples(runs.scored_samples(db, run.id)), labels)) for run in newest.values()]
    rows.sort(key=_order)
    return Leaderboard(release.version, tuple(_ranked(rows)), release.item_count)


def _samples(scored: Sequence[runs.ScoredSample]) -> list[Sample]:
    return [
        Sample(
            item.response.subject_id,
            item.score.outcome if item.score else "machinery",
            item.score.score if item.score else None,
        )
        for item in scored
    ]


def _row(run: RunRow, summary: Summary) -> LeaderboardRow:
    return LeaderboardRow(
        rank=0,
        model=run.model,
        score=summary.score,
        low=summary.low,
        high=summary.high,
        passed=summary.passed,
        partial=summary.partial,
        failed=summary.failed,
        no_answer=summary.no_answer,
        machinery=summary.machinery,
        items=summary.evaluated,
        samples=summary.samples,
        groups=summary.groups,
        run_id=run.id,
    )


def _order(row: LeaderboardRow) -> tuple[float, str]:
    return (-row.score if row.score is not None else 1.0, row.model)


def _ranked(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """Give equal scores the same rank (1, 2, 2, 4)."""
    ranked: list[LeaderboardRow] = []
    for place, row in enumerate(rows, start=1):
        same = ranked and ranked[-1].score == row.score
        ranked.append(replace(row, rank=ranked[-1].rank if same else place))
    return ranked


def items(store: ProjectFile, run_id: str) -> tuple[ItemScoreRow, ...]:
    """Return a run's responses with their outcomes, by item and sample. Raises `BadInputError` for an unknown run."""
    with store.read() as db:
        run = next((row for row in runs.listing(db) if row.id == run_id), None)
        if run is None:
            raise BadInputError("There is no such run in this project.")
        frozen = {item["id"]: item for item in releases.items_of(db, releases.find(db, run.version).id)}
        scored = runs.scored_samples(db, run_id)
    rows = [
        ItemScoreRow(
            subject_id=item.response.subject_id,
            key=frozen[item.response.subject_id]["key"],
            title=frozen[item.response.subject_id]["title"],
            language=frozen[item.response.subject_id]["language"],
            domain=frozen[item.response.subject_id]["domain"],
            sample=item.response.sample,
            outcome=item.score.outcome if item.score else "machinery",
            score=item.score.score if item.score else None,
            response_id=item.response.id,
        )
        for item in scored
    ]
    return tuple(sorted(rows, key=_item_order))


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
    )
