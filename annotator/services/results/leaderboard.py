"""The leaderboard of a release."""

from __future__ import annotations

from annotator.metrics.scores.score_board import heat_map
from annotator.metrics.scores.score_board import leaderboard as ranked
from annotator.model.rows.result_rows import Leaderboard, LeaderboardRow
from annotator.model.vocabulary import NO_ANSWER, UNSETTLED
from annotator.services.results.score_data import ResultData, load_results
from annotator.store.file.project_file import ProjectFile

_GROUPS = ("language", "domain", "task", "difficulty")


def load_leaderboard(store: ProjectFile, version: str | None = None) -> Leaderboard:
    """Rank the models that ran on a release (None: the newest with a run, else the newest), best first.

    A model's newest finished run under each protocol counts. Raises `BadInputError` if there is no such release.
    """
    return make_leaderboard(load_results(store, version))


def make_leaderboard(data: ResultData, by: str | None = None) -> Leaderboard:
    """Return the leaderboard of loaded results, without groups for a rater of a blind study of its items.

    Raises `BadInputError` if such a rater asks for the scores by a group.
    """
    places = {entry.label: at for at, entry in enumerate(data.entries)}
    groupings = () if data.blind_study and not by else _GROUPS
    heats = {name: heat_map(data.scores, data.groups(name)) for name in groupings}
    rows: list[LeaderboardRow] = []
    for row in ranked(data.scores):
        at = places[row.model]
        estimate, counts = row.estimate, data.outcomes(at)
        groups = {
            by: {
                name: (cell.value if (cell := heat.cell(at, place)) else None)
                for place, name in sorted(enumerate(heat.groups), key=lambda pair: pair[1])
            }
            for by, heat in heats.items()
        }
        board_row = LeaderboardRow(
            rank=row.rank,
            model=data.entries[at].run.model,
            score=estimate.value if estimate else None,
            low=estimate.low if estimate else None,
            high=estimate.high if estimate else None,
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
            test_timeout_s=data.entries[at].run.test_timeout_s,
        )
        rows.append(board_row)
    return Leaderboard(
        version=data.version, rows=tuple(rows), items=len(data.items), shared=data.shared, overrides=data.overrides
    )
