"""Who judges which pair, in what order and with which side first: plans drawn from a study's secret.

Everything follows from the secret, so that the order can be checked afterwards and a rater can be added later.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.model.contents import hash_pair, hash_study
from annotator.model.tables.judging import Assignment

PLANS = ("all", "balanced", "each", "overlap")
IMPORTED = "imported"
"""The plan of a study that was judged in another tool, which chose the sides and the order."""
LEFT_FIRST, RIGHT_FIRST = "left-right", "right-left"
REPEAT_GAP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingPlan:
    """How pairs are shared out.

    ``all``: every rater judges every pair. ``balanced``: every pair gets ``raters_per_pair`` raters, loads differ by
    one at most. ``each``: every rater gets ``pairs_per_rater``, every pair about equally often. ``overlap``: the share
    ``overlap`` of the pairs goes to everybody, the rest to one rater each. ``repeats`` is the share of a rater's pairs
    that comes a second time, sides swapped.
    """

    plan: str = "all"
    raters_per_pair: int = 2
    pairs_per_rater: int = 0
    overlap: float = 0.2
    repeats: float = 0.05

    def checked(self, pairs: int, raters: int) -> ServingPlan:
        """Return the plan if it can be carried out; raises `BadInputError` saying what does not fit."""
        if self.plan not in PLANS:
            raise BadInputError(f"A plan is {', '.join(PLANS)}, not {self.plan}.")
        if not raters or not pairs:
            raise BadInputError("A study needs at least one pair and one rater.")
        if self.plan == "balanced" and not 1 <= self.raters_per_pair <= raters:
            raise BadInputError(f"There are {raters} raters, so a pair can have 1 to {raters} of them.")
        if self.plan == "each" and not 1 <= self.pairs_per_rater <= pairs:
            raise BadInputError(f"A rater can get 1 to {pairs} pairs here, for there are no more.")
        for name, share in (("overlap", self.overlap), ("repeats", self.repeats)):
            if not 0 <= share <= 1:
                raise BadInputError(f"The share for {name} must lie between 0 and 1.")
        return self


def first_side(secret: str, rater_id: str, pair_id: str, serving: int) -> str:
    """Return which side a coin of the secret puts first, swapped at the second serving; it draws the sides of A."""
    coin = hashlib.sha256(f"{secret}|{rater_id}|{pair_id}".encode()).digest()[0] & 1
    return LEFT_FIRST if (coin + serving) % 2 else RIGHT_FIRST


BALANCED = "balanced"
"""How a study's plan says that sides were drawn by `draw_a_first`; older studies tossed a coin for each serving."""


def draw_a_first(served: Iterable[tuple[str, str]], secret: str) -> frozenset[tuple[str, str]]:
    """Return those (rater, pair) of what is served in which candidate A comes first: half, drawn by the secret.

    Every rater sees A first in half of their pairs and of every pair half of its raters do, give or take one. Raters
    and pairs are the two sides of a graph and servings its edges. Made even by one more node on each side, it falls
    into closed walks; walks alternate between raters and pairs, and A is first on the steps from a rater to a pair.
    """
    rng = random.Random(f"{secret}|sides")
    edges = [((_RATER, rater), (_PAIR, pair)) for rater, pair in sorted(served)]
    counts = Counter(node for edge in edges for node in edge)
    for kind, dummy in ((_RATER, (_PAIR, "")), (_PAIR, (_RATER, ""))):
        odd = sorted(node for node, count in counts.items() if node[0] == kind and count % 2)
        edges += [(node, dummy) if kind == _RATER else (dummy, node) for node in odd]
        # An odd first dummy is among the odd pairs of the second round, so that both become even.
        counts[dummy] = len(odd)
    rng.shuffle(edges)
    steps: dict[tuple[str, str], list[int]] = {}
    for number, edge in enumerate(edges):
        for node in edge:
            steps.setdefault(node, []).append(number)
    left, found = set(range(len(edges))), set[tuple[str, str]]()
    for start in list(steps):
        while walk := _closed_walk(start, steps, edges, left):
            found.update(walk[rng.randrange(2) :: 2])
    return frozenset(edge for edge in found if all(edge))


_RATER, _PAIR = "rater", "pair"
_Edge = tuple[tuple[str, str], tuple[str, str]]


def _closed_walk(
    start: tuple[str, str], steps: Mapping[tuple[str, str], list[int]], edges: Sequence[_Edge], left: set[int]
) -> list[tuple[str, str]]:
    """Walk along edges that are left until there is none: back at the start, as every node has an even number."""
    walk, node = list[tuple[str, str]](), start
    while True:
        while steps[node] and steps[node][-1] not in left:
            steps[node].pop()
        if not steps[node]:
            return walk
        number = steps[node].pop()
        left.discard(number)
        rater, pair = edges[number]
        walk.append((rater[1], pair[1]))
        node = pair if node == rater else rater


def served_order(side_of_a: str, a_first: bool, serving: int) -> str:
    """Return which side stands first where A does (or not) at the first serving; the second serving swaps them."""
    is_left = ((side_of_a == "left") == a_first) == (serving % 2 == 1)
    return LEFT_FIRST if is_left else RIGHT_FIRST


def share_out(
    study_id: str,
    pairs: Sequence[str],
    raters: Sequence[str],
    plan: ServingPlan,
    secret: str,
    sides: Mapping[str, str],
) -> list[Assignment]:
    """Return everybody's servings in order, from position 0; ``sides`` is pair -> side of candidate A.

    Raises `BadInputError` for a plan that does not fit.
    """
    plan.checked(len(pairs), len(raters))
    rng = random.Random(f"{secret}|plan")
    shuffled = list(pairs)
    rng.shuffle(shuffled)
    chosen = _chosen(shuffled, list(raters), plan)
    first = draw_a_first(((rater, pair) for rater, mine in chosen.items() for pair in mine), secret)
    return [
        Assignment(study_id=study_id, pair_id=pair, annotator_id=rater, position=position,
                   order=served_order(sides[pair], (rater, pair) in first, serving), serving=serving)
        for rater in raters
        for position, (pair, serving) in enumerate(_in_order(rater, chosen[rater], plan.repeats, secret))
    ]  # fmt: skip


def _chosen(pairs: Sequence[str], raters: Sequence[str], plan: ServingPlan) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {rater: [] for rater in raters}
    if plan.plan == "all":
        return {rater: list(pairs) for rater in raters}
    if plan.plan == "each":
        # A window that moves on by its own length, around the circle of pairs: coverage differs by one at most.
        for number, rater in enumerate(raters):
            start = number * plan.pairs_per_rater
            found[rater] = [pairs[(start + step) % len(pairs)] for step in range(plan.pairs_per_rater)]
        return found
    shared = round(plan.overlap * len(pairs)) if plan.plan == "overlap" else 0
    per_pair = 1 if plan.plan == "overlap" else plan.raters_per_pair
    turn = 0
    for number, pair in enumerate(pairs):
        takers = list(raters) if number < shared else [raters[(turn + step) % len(raters)] for step in range(per_pair)]
        turn += 0 if number < shared else per_pair
        for rater in takers:
            found[rater].append(pair)
    return found


def _in_order(rater: str, pairs: Sequence[str], repeats: float, secret: str) -> list[tuple[str, int]]:
    """Return a rater's pairs in turn, each with the number of its serving."""
    rng = random.Random(f"{secret}|{rater}")
    order = [(pair, 1) for pair in pairs]
    rng.shuffle(order)
    again = [pair for pair, _ in order[: round(repeats * len(order))]]
    # Those that came first come again, in a place of their own at least some pairs later.
    for pair in again:
        earliest = order.index((pair, 1)) + REPEAT_GAP
        order.insert(rng.randint(min(earliest, len(order)), len(order)), (pair, 2))
    return order


def pair_commitment(secret: str, pair_id: str, side_of_a: str, left: str, right: str) -> str:
    """Return the hash that binds a pair's texts to the side on which candidate A stands."""
    return hash_pair(secret, pair_id, side_of_a, left, right)


def commitment(secret: str, names: tuple[str, str], pairs: Mapping[str, str]) -> str:
    """Return a study's hash: of its secret, what A and B are, and every pair's own hash."""
    return hash_study(secret, names, pairs)
