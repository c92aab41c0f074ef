"""Assign pairs to raters: who judges which pair, in what order and with which side first.

Everything is derived from the study's secret, so that the order can be verified later and raters can be added.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.model.contents import hash_pair, hash_study
from annotator.model.tables.judging_tables import Assignment

PLANS = ("all", "balanced", "each", "overlap")
LEFT_FIRST, RIGHT_FIRST = "left-right", "right-left"
REPEAT_GAP = 10
"""The least number of pairs between the two showings of a repeated pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingPlan:
    """The plan for assigning pairs to raters.

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
        """Return the plan if it is feasible for these numbers. Raises `BadInputError` otherwise."""
        if self.plan not in PLANS:
            raise BadInputError(f"There is no plan {self.plan}. Choose from: {', '.join(PLANS)}.")
        if not raters or not pairs:
            raise BadInputError("A study needs at least one pair and one rater.")
        if self.plan == "balanced" and not 1 <= self.raters_per_pair <= raters:
            raise BadInputError(f"There are {raters} raters, so a pair can have 1 to {raters} of them.")
        if self.plan == "each" and not 1 <= self.pairs_per_rater <= pairs:
            raise BadInputError(f"A rater can get 1 to {pairs} pairs, because the study has {pairs}.")
        for name, share in (("overlap", self.overlap), ("repeats", self.repeats)):
            if not 0 <= share <= 1:
                raise BadInputError(f"The share for {name} must lie between 0 and 1.")
        return self


def first_side(secret: str, rater_id: str, pair_id: str, serving: int) -> str:
    """Return the order by a coin toss from the secret, swapped at the second serving. Also draws A's side of a pair."""
    coin = hashlib.sha256(f"{secret}|{rater_id}|{pair_id}".encode()).digest()[0] & 1
    return LEFT_FIRST if (coin + serving) % 2 else RIGHT_FIRST


BALANCED = "balanced"
"""The value of "sides" in a study's plan if `draw_a_first` drew them; older studies tossed a coin for each serving."""


def draw_a_first(served: Iterable[tuple[str, str]], secret: str) -> frozenset[tuple[str, str]]:
    """Return the half of the served (rater, pair) in which candidate A comes first, drawn from the secret.

    Balanced within one: every rater sees A first in half of their pairs, and half of every pair's raters see A first.
    The servings are the edges of a bipartite graph of raters and pairs. A dummy node on each side makes all degrees
    even, so the graph splits into closed walks; A comes first on every second edge of a walk, where it goes from a
    rater to a pair or the other way round, drawn for each walk.
    """
    rng = random.Random(f"{secret}|sides")
    edges = [((_RATER, rater), (_PAIR, pair)) for rater, pair in sorted(served)]
    degrees = Counter(node for edge in edges for node in edge)
    for kind, dummy in ((_RATER, (_PAIR, "")), (_PAIR, (_RATER, ""))):
        odd = sorted(node for node, count in degrees.items() if node[0] == kind and count % 2)
        edges += [(node, dummy) if kind == _RATER else (dummy, node) for node in odd]
        # If the first dummy's degree is odd, the second round pairs it up, so that both become even.
        degrees[dummy] = len(odd)
    rng.shuffle(edges)
    edges_by_node: dict[tuple[str, str], list[int]] = {}
    for number, edge in enumerate(edges):
        for node in edge:
            edges_by_node.setdefault(node, []).append(number)
    unused = set(range(len(edges)))
    a_first: set[tuple[str, str]] = set()
    for start in list(edges_by_node):
        while walk := _walk_unused_edges(start, edges_by_node, edges, unused):
            a_first.update(walk[rng.randrange(2) :: 2])
    return frozenset(edge for edge in a_first if all(edge))


_RATER, _PAIR = "rater", "pair"
_Edge = tuple[tuple[str, str], tuple[str, str]]


def _walk_unused_edges(
    start: tuple[str, str], edges_by_node: Mapping[tuple[str, str], list[int]], edges: Sequence[_Edge], unused: set[int]
) -> list[tuple[str, str]]:
    """Follow unused edges until there is none; this ends at the start, since every node has an even degree."""
    walk: list[tuple[str, str]] = []
    node = start
    while True:
        while edges_by_node[node] and edges_by_node[node][-1] not in unused:
            edges_by_node[node].pop()
        if not edges_by_node[node]:
            return walk
        number = edges_by_node[node].pop()
        unused.discard(number)
        rater_node, pair_node = edges[number]
        walk.append((rater_node[1], pair_node[1]))
        node = pair_node if node == rater_node else rater_node


def served_order(side_of_a: str, a_first: bool, serving: int) -> str:
    """Return the order of sides for a serving; ``a_first`` is about the first one, the second swaps the sides."""
    is_left = ((side_of_a == "left") == a_first) == (serving % 2 == 1)
    return LEFT_FIRST if is_left else RIGHT_FIRST


def assign_servings(
    study_id: str,
    pairs: Sequence[str],
    raters: Sequence[str],
    plan: ServingPlan,
    secret: str,
    sides: Mapping[str, str],
) -> list[Assignment]:
    """Return all raters' assignments in order, from position 0; ``sides`` is pair -> side of candidate A.

    Raises `BadInputError` for a plan that is not feasible.
    """
    plan.checked(len(pairs), len(raters))
    rng = random.Random(f"{secret}|plan")
    shuffled = list(pairs)
    rng.shuffle(shuffled)
    by_rater = _assign_pairs(shuffled, list(raters), plan)
    a_first = draw_a_first(((rater, pair) for rater, rater_pairs in by_rater.items() for pair in rater_pairs), secret)
    return [
        Assignment(study_id=study_id, pair_id=pair, annotator_id=rater, position=position,
                   order=served_order(sides[pair], (rater, pair) in a_first, serving), serving=serving)
        for rater in raters
        for position, (pair, serving) in enumerate(_order_servings(rater, by_rater[rater], plan.repeats, secret))
    ]  # fmt: skip


def _assign_pairs(pairs: Sequence[str], raters: Sequence[str], plan: ServingPlan) -> Mapping[str, list[str]]:
    by_rater: dict[str, list[str]] = {rater: [] for rater in raters}
    if plan.plan == "all":
        return {rater: list(pairs) for rater in raters}
    if plan.plan == "each":
        # Each rater gets the next window around the circle of pairs, so coverage differs by one at most.
        for number, rater in enumerate(raters):
            start = number * plan.pairs_per_rater
            by_rater[rater] = [pairs[(start + step) % len(pairs)] for step in range(plan.pairs_per_rater)]
        return by_rater
    shared = round(plan.overlap * len(pairs)) if plan.plan == "overlap" else 0
    per_pair = 1 if plan.plan == "overlap" else plan.raters_per_pair
    turn = 0
    for number, pair in enumerate(pairs):
        if number < shared:
            pair_raters = list(raters)
        else:
            pair_raters = [raters[(turn + step) % len(raters)] for step in range(per_pair)]
            turn += per_pair
        for rater in pair_raters:
            by_rater[rater].append(pair)
    return by_rater


def _order_servings(rater: str, pairs: Sequence[str], repeats: float, secret: str) -> list[tuple[str, int]]:
    """Return a rater's (pair, serving) in serving order."""
    rng = random.Random(f"{secret}|{rater}")
    order = [(pair, 1) for pair in pairs]
    rng.shuffle(order)
    repeated = [pair for pair, _ in order[: round(repeats * len(order))]]
    # The first pairs are repeated at random places, at least REPEAT_GAP later.
    for pair in repeated:
        earliest = order.index((pair, 1)) + REPEAT_GAP
        order.insert(rng.randint(min(earliest, len(order)), len(order)), (pair, 2))
    return order


def pair_commitment(secret: str, pair_id: str, side_of_a: str, left_text: str, right_text: str) -> str:
    """Return the hash that binds a pair's texts to candidate A's side."""
    return hash_pair(secret, pair_id, side_of_a, left_text, right_text)


def study_commitment(secret: str, names: tuple[str, str], pairs: Mapping[str, str]) -> str:
    """Return a study's hash over its secret, the names of A and B, and every pair's commitment."""
    return hash_study(secret, names, pairs)
