"""Human judgements of models over all unblinded studies: results by pair of models, and Bradley-Terry scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotator.base.messages import Message
from annotator.base.records import record_from
from annotator.metrics.agreement import blind_comparisons
from annotator.metrics.agreement.blind_comparisons import RaterJudgement, WinTieLose
from annotator.metrics.agreement.bradley_terry import ComparedPair, bradley_terry_strengths
from annotator.metrics.metric_values import Estimate, format_percent
from annotator.services.judge import blind_judging
from annotator.services.judge.agreement import TextTable, as_rater_judgement, format_p_value, interval_text
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import driver_connection
from annotator.store.judging import rulings, studies

_FILE_SIDES = {"a", "b"}
"""The names of the sides in a study whose pairs come from a file, which name no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPair:
    """Two models: the number of judgements, the majority's results over pairs, and the first model's win rate.

    Pairs with identical answers are ties and have no judgements.
    """

    first: str
    second: str
    judgements: int
    result: WinTieLose
    rate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScore:
    """A model's Bradley-Terry score (0 is the mean, 400 points are odds of ten to one) with its interval."""

    model: str
    pairs: int
    score: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """All comparisons of models; ``left_out`` names studies that are still blind to the annotator.

    ``scores`` is empty if wins and ties do not connect all models in both directions.
    """

    studies: tuple[str, ...]
    left_out: tuple[str, ...]
    pairs: tuple[ModelPair, ...]
    scores: tuple[ModelScore, ...]


def compare_models(store: ProjectFile) -> ModelComparison:
    """Compare models over the studies of responses that the annotator has unblinded."""
    used_studies = []
    left_out = []
    by_pair: dict[tuple[str, str], list[RaterJudgement]] = {}
    with store.read() as db:
        me = store.annotator.id
        for row in reversed(rulings.fetch_studies(driver_connection(db), me)):
            if row.kind != "response":
                continue
            if row.names is None:
                left_out.append(row.name)
                continue
            name_a, name_b = (name.removeprefix("model:") for name in row.names)
            if name_a == name_b or {name_a, name_b} <= _FILE_SIDES:
                continue
            used_studies.append(row.name)
            study = studies.find_study(db, row.id)
            rows = studies.fetch_judgements(db, study, studies.key_of(db, study).sides)
            first_servings = [as_rater_judgement(item) for item in rows if item.serving == 1 and not item.late]
            for judgement in (*first_servings, *blind_judging.identical_ties(study)):
                names, judged = _sort_names(name_a, name_b, judgement)
                by_pair.setdefault(names, []).append(judged)
    pairs = [_summarise_pair(names, judged) for names, judged in sorted(by_pair.items())]
    return ModelComparison(tuple(used_studies), tuple(left_out), tuple(pairs), _rank_models(by_pair))


def _sort_names(name_a: str, name_b: str, judged: RaterJudgement) -> tuple[tuple[str, str], RaterJudgement]:
    """Return two names sorted, and the judgement with the first of them as candidate A."""
    if name_a < name_b:
        return (name_a, name_b), judged
    return (name_b, name_a), replace(
        judged, a_first=not judged.a_first, length_a=judged.length_b, length_b=judged.length_a
    )


def _summarise_pair(names: tuple[str, str], judged: list[RaterJudgement]) -> ModelPair:
    rate = blind_comparisons.win_rate(judged)
    assert rate is not None, "each pair of models has judgements"
    judgement_count = sum(bool(item.rater) for item in judged)
    result = blind_comparisons.panel_result(judged)
    return ModelPair(first=names[0], second=names[1], judgements=judgement_count, result=result, rate=rate)


def _rank_models(by_pair: dict[tuple[str, str], list[RaterJudgement]]) -> tuple[ModelScore, ...]:
    models = sorted({name for names in by_pair for name in names})
    compared = [
        ComparedPair(models.index(first), models.index(second), share)
        for (first, second), judged in sorted(by_pair.items())
        # Sorted, because the bootstrap draws by index: the order of judging must not change an interval.
        for share in sorted(blind_comparisons.item_shares(judged).values())
    ]
    # Not strict: without wins that connect all models there are no strengths.
    strengths = zip(models, bradley_terry_strengths(len(models), compared) or (), strict=False)
    rows = [
        record_from(
            ModelScore,
            strength,
            model=name,
            pairs=sum(number in (pair.first, pair.second) for pair in compared),
        )
        for number, (name, strength) in enumerate(strengths)
    ]
    return tuple(sorted(rows, key=lambda row: (-row.score, row.model)))


def model_pair_tables(comparison: ModelComparison) -> tuple[TextTable, ...]:
    """Return the table of model pairs and the table of Bradley-Terry scores."""
    rows = tuple(
        (f"{pair.first} against {pair.second}", str(pair.result.n), str(pair.judgements), str(pair.result.wins),
         str(pair.result.ties), str(pair.result.losses), format_percent(pair.rate.value),
         interval_text(pair.rate.low, pair.rate.high), format_p_value(pair.result.p))
        for pair in comparison.pairs
    )  # fmt: skip
    headers = ("models", "pairs", "judgements", "wins", "tie", "losses", "win rate %", "95 % interval", "sign test p")
    scored = tuple(
        (row.model, str(row.pairs), f"{row.score:+.0f}",
         "n/a" if row.low is None or row.high is None else f"{row.low:+.0f} to {row.high:+.0f}")
        for row in comparison.scores
    )  # fmt: skip
    return (
        TextTable(
            Message("Models compared with each other, all unblinded studies"), headers, rows, (1, 2, 3, 4, 5, 6, 7, 8)
        ),
        TextTable(Message("Bradley-Terry scores"), ("model", "pairs", "score", "95 % interval"), scored, (1, 2, 3)),
    )


def model_pair_notes(comparison: ModelComparison) -> list[str]:
    """Return notes on how to read the tables."""
    lines: list[str] = []
    if not comparison.pairs:
        lines.append(Message("No study of two models has been judged and unblinded yet."))
    elif not comparison.scores:
        lines.append(Message("No Bradley-Terry scores yet: a model that wins or loses every pair has none."))
    else:
        lines.append(Message("Scores: 0 is the mean; 400 points more mean odds of ten to one. A tie is half a win."))
    if comparison.left_out:
        lines.append(Message("Left out because still blind: {list}.", list=", ".join(comparison.left_out)))
    return lines
