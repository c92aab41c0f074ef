"""Skill ratings from games (metrics specification, section 1.7).

The two-player update of a Gaussian skill model in closed form. A higher mean means more wins. The caller defines what
winning means, so results record whether a high mean is easiness, difficulty or ability.
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist, fmean
from typing import Literal, TypeVar

from annotator.metrics.metric_values import BadNumbersError

Player = TypeVar("Player", bound=Hashable)
Orientation = Literal["easiness", "difficulty", "ability"]
MEAN = 25.0
PASS_MARK = 0.5
_ROOT_PI = math.sqrt(2 * math.pi)
_ROOT_2 = math.sqrt(2)
# The published constants: spread of performances, drift between games, and the largest difference that is a draw (5 %).
_BETA = MEAN / 6
_TAU = MEAN / 300
_MARGIN = NormalDist().inv_cdf((0.05 + 1) / 2) * _ROOT_2 * _BETA


@dataclass(frozen=True, slots=True)
class Rating:
    """A skill: mean and variance."""

    mu: float = MEAN
    variance: float = (MEAN / 3) ** 2

    @property
    def sigma(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.variance)

    @property
    def interval(self) -> tuple[float, float]:
        """Mean ± 1.96 standard deviations."""
        return self.mu - 1.96 * self.sigma, self.mu + 1.96 * self.sigma


@dataclass(frozen=True, slots=True)
class ItemRatings:
    """Items rated against models: items win when models fail, so an item's mean is its difficulty."""

    items: Mapping[str, Rating]
    models: Mapping[str, Rating]
    games: int
    orientation: Orientation = "difficulty"


def play_game(winner: Rating, loser: Rating) -> tuple[Rating, Rating]:
    """Return both ratings after one game."""
    winner_variance = winner.variance + _TAU * _TAU
    loser_variance = loser.variance + _TAU * _TAU
    spread = 2 * _BETA * _BETA + winner_variance + loser_variance
    c = math.sqrt(spread)
    x = (winner.mu - loser.mu - _MARGIN) / c
    # The surprise of the result: the ratio of density to distribution, whose limit far on the left is -x.
    probability = math.erfc(-x / _ROOT_2) / 2
    v = math.exp(-x * x / 2) / _ROOT_PI / probability if probability > 1e-290 else -x
    w = v * (v + x)
    return (
        Rating(winner.mu + winner_variance / c * v, winner_variance * (1 - winner_variance / spread * w)),
        Rating(loser.mu - loser_variance / c * v, loser_variance * (1 - loser_variance / spread * w)),
    )


def rate_players(games: Iterable[tuple[Player, Player]]) -> dict[Player, Rating]:
    """Return every player's rating after games (winner, loser) played in order."""
    ratings: dict[Player, Rating] = {}
    start = Rating()
    for winner, loser in games:
        ratings[winner], ratings[loser] = play_game(ratings.get(winner, start), ratings.get(loser, start))
    return ratings


def task_games(accuracies: Mapping[str, Mapping[str, float]]) -> Iterable[tuple[str, str]]:
    """Yield the games of tasks: for each model in order, each easier task beats its harder neighbour.

    ``accuracies`` is model -> task -> share. Tasks are sorted by the model's accuracy; equals keep their order.
    """
    for shares in accuracies.values():
        ordered = sorted(shares, key=lambda task: -shares[task])
        yield from pairwise(ordered)


def task_ratings(accuracies: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return each task's mean rating, its *easiness*, from models in the order given (paper mode).

    The result depends on that order; see `averaged_task_ratings`. Raises `BadNumbersError` for no model, or models that
    differ in their tasks.
    """
    _check_tasks(accuracies)
    ratings = rate_players(task_games(accuracies))
    return {task: ratings.get(task, Rating()).mu for task in next(iter(accuracies.values()))}


def averaged_task_ratings(
    accuracies: Mapping[str, Mapping[str, float]], permutations: int = 200, seed: int = 0
) -> dict[str, float]:
    """Return each task's easiness averaged over seeded random orders of the models (app mode)."""
    _check_tasks(accuracies)
    if permutations < 1:
        raise BadNumbersError("At least one order of the models is needed.")
    # A seeded order for a repeatable number; nothing here needs to be secret.
    rng = random.Random(seed)
    models = list(accuracies)
    runs = []
    for _ in range(permutations):
        rng.shuffle(models)
        runs.append(task_ratings({model: accuracies[model] for model in models}))
    return {task: fmean(run[task] for run in runs) for task in runs[0]}


def _check_tasks(accuracies: Mapping[str, Mapping[str, float]]) -> None:
    if not accuracies:
        raise BadNumbersError("There is no model to rate tasks by.")
    if len({frozenset(shares) for shares in accuracies.values()}) != 1:
        raise BadNumbersError("Every model needs a value for every task.")


def rate_items(scores: Mapping[str, Mapping[str, float]], *, seed: int = 0, rounds: int = 1) -> ItemRatings:
    """Rate items and models by their games: an item wins against every model that scores below a half on it.

    ``scores`` is model -> item -> score. Games are shuffled with a seed, as their order matters; more ``rounds`` let
    ratings settle but make them look surer than they are. The cost is some microseconds a game.
    """
    games: list[tuple[tuple[bool, str], tuple[bool, str]]] = []
    for model, row in scores.items():
        for item, score in row.items():
            pair = ((True, item), (False, model))
            games.append(pair if score < PASS_MARK else pair[::-1])
    rng = random.Random(seed)
    played_games: list[tuple[tuple[bool, str], tuple[bool, str]]] = []
    for _ in range(rounds):
        rng.shuffle(games)
        played_games += games
    ratings = rate_players(played_games)
    return ItemRatings(
        items={name: rating for (is_item, name), rating in ratings.items() if is_item},
        models={name: rating for (is_item, name), rating in ratings.items() if not is_item},
        games=len(played_games),
    )
