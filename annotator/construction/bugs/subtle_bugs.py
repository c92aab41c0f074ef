"""Select the proven bugs that become items: subtle, deep and of many kinds (specification, task construction, 2.5)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence

from annotator.construction.bugs.bug_proofs import ProposalVerdict
from annotator.construction.bugs.taxonomy import FAMILIES, Family
from annotator.construction.completion.blanks import find_entry_point
from annotator.construction.edits import changed_lines
from annotator.construction.task_material import PYTHON, ConstructionError, Material
from annotator.text.python_tree import read_tree

MAX_PER_OPERATOR = 2
MAX_PER_FUNCTION = 3
MAX_SUBTLE_SHARE = 0.5
PLAIN_FAMILIES: tuple[Family, ...] = ("syntax", "naming")
"""Families whose bugs a compiler or linter locates."""
PLAIN_SHARE = 0.2
"""Maximum share of syntax and naming bugs together."""


def is_plain_share_full(families: Mapping[str, int], plain_share: float = PLAIN_SHARE) -> bool:
    """Return whether one more syntax or naming bug would be too many; ``families`` counts the existing bugs."""
    plain = sum(families.get(name, 0) for name in PLAIN_FAMILIES)
    total = sum(families.get(name, 0) for name in FAMILIES)
    return plain + 1 > plain_share * (total + 1)


def select_bugs(
    material: Material,
    verdicts: Sequence[ProposalVerdict],
    *,
    per_operator: int = MAX_PER_OPERATOR,
    most: int = MAX_PER_FUNCTION,
    shares: Mapping[str, int] | None = None,
    plain_share: float = PLAIN_SHARE,
) -> tuple[ProposalVerdict, ...]:
    """Return the best proven bugs of a function: at most ``most``, of an operator ``per_operator`` and one on a line.

    Families take turns, starting with the smallest of the ``shares`` (how many bugs each family, and each operator,
    has elsewhere), and every family but logic fills a third at most, so that easily proven bugs do not crowd out the
    others. Syntax and naming together make up at most ``plain_share`` of all selected bugs, here and elsewhere.
    Within a family the order is: bugs in the function itself before those in its callees, which other subjects may
    share; subtle ones (up to half of the tests fail); those of a kind and a line not selected yet; deep ones (the
    changed line does more than return a constant); those of a rare operator.
    """
    remaining = [verdict for verdict in verdicts if verdict.proof is not None]
    counts_elsewhere = shares or {}
    operators: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    lines: Counter[int] = Counter()
    families: Counter[str] = Counter()
    selected: list[ProposalVerdict] = []
    own_lines = _own_lines(material)
    while len(selected) < most:
        family_counts: dict[str, int] = {name: counts_elsewhere.get(name, 0) + families[name] for name in FAMILIES}
        is_plain_full = is_plain_share_full(family_counts, plain_share)
        candidates = [item for item in remaining if not (is_plain_full and item.proposal.family in PLAIN_FAMILIES)]
        if not candidates:
            break
        next_family = min(
            (item.proposal.family for item in candidates),
            key=lambda name: (families[name], counts_elsewhere.get(name, 0)),
        )
        best = min(
            (item for item in candidates if item.proposal.family == next_family),
            key=lambda item: (
                *_rank_verdict(item, kinds, lines, own_lines, material),
                counts_elsewhere.get(item.proposal.operator, 0),
                item.proposal.id,
            ),
        )
        remaining.remove(best)
        families[next_family] += 1
        operators[best.proposal.operator] += 1
        kinds[best.proposal.kind] += 1
        best_lines = _find_changed_lines(best)
        lines.update(best_lines)
        selected.append(best)
        full_families = {name for name, count in families.items() if name != "logic" and count >= -(-most // 3)}
        remaining = [
            item
            for item in remaining
            if operators[item.proposal.operator] < per_operator
            and item.proposal.family not in full_families
            and not (item.proposal.operator == best.proposal.operator and best_lines & _find_changed_lines(item))
        ]
    return tuple(selected)


def _rank_verdict(
    verdict: ProposalVerdict, kinds: Counter[str], lines: Counter[int], own_lines: frozenset[int], material: Material
) -> tuple[bool, bool, int, int, bool, float]:
    assert verdict.proof is not None
    share = verdict.proof.share_failing
    changed = _find_changed_lines(verdict)
    return (
        not changed <= own_lines,
        share > MAX_SUBTLE_SHARE,
        kinds[verdict.proposal.kind],
        sum(lines[line] for line in changed),
        not _is_deep(material, changed),
        share,
    )


def _find_changed_lines(verdict: ProposalVerdict) -> frozenset[int]:
    return changed_lines(verdict.proposal.reference, verdict.proposal.code)


def _own_lines(material: Material) -> frozenset[int]:
    """Return the lines of the function that the tests call, or all lines if it is not found."""
    try:
        _, entry = find_entry_point(material)
    except ConstructionError:
        return frozenset(range(len(material.code.splitlines()) + 2))
    parent = entry.parent
    first = parent if parent is not None and parent.type == "decorated_definition" else entry
    return frozenset(range(first.start_point[0] + 1, entry.end_point[0] + 2))


def _is_deep(material: Material, changed: frozenset[int]) -> bool:
    """Return whether a changed line does more than return a constant."""
    if material.language != PYTHON:
        return True
    for node in ast.walk(read_tree(material.code)):
        if isinstance(node, ast.Return) and node.lineno in changed:
            return not isinstance(node.value, ast.Constant)
    return True
