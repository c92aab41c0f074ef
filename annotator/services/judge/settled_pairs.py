"""Final verdicts on pairs that raters judged differently and somebody settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from annotator.metrics.agreement.blind_comparisons import Choice, RaterJudgement
from annotator.model.rows.judging_rows import JudgementRow
from annotator.model.tables.judging_tables import PAIR
from annotator.store.file.writer import Session
from annotator.store.judging import stored_consensus

# Settlements speak of left and right, so that the person who settles does not need the key.
SETTLED_AS: Mapping[str, str] = MappingProxyType(
    {"win": "left is better", "lose": "right is better", "tie": "tie", "both bad": "both bad"}
)
_CHOICES: Mapping[tuple[str, str], Choice] = MappingProxyType(
    {
        ("left is better", "left"): "1", ("left is better", "right"): "2",
        ("right is better", "left"): "2", ("right is better", "right"): "1",
        ("both bad", "left"): "both_bad", ("both bad", "right"): "both_bad",
    }
)  # fmt: skip


def settled_verdicts(db: Session, rows: Iterable[JudgementRow], sides: Mapping[str, str]) -> dict[str, RaterJudgement]:
    """Return pair id -> the settled verdict on candidate A, unless a newer judgement reopened the disagreement.

    ``sides`` is pair id -> side of candidate A, from the key.
    """
    judged_at: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.serving == 1:
            judged_at.setdefault((row.subject_id, row.pair_id), []).append(row.created_at)
    resolutions = stored_consensus.newest_resolutions(db)
    verdicts = {}
    for (subject, pair), times in judged_at.items():
        settlement = stored_consensus.in_force(resolutions.get((subject, PAIR + pair)), times)
        if settlement is not None:
            choice = _CHOICES.get((settlement.outcome, sides[pair]), "tie")
            verdicts[pair] = RaterJudgement(item=pair, rater="", choice=choice, a_first=True)
    return verdicts
