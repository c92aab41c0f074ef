"""Numbers: pure functions over plain Python values.

The usual functions can be taken from here, the records they return and what is beside them from their modules. A module
is only imported when one of its names is asked for: the window must be on screen before any of this is needed.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotator.metrics.agreement import (
        agreement_report,
        cohen_kappa,
        fleiss_kappa,
        gwet_ac1,
        krippendorff_alpha,
        light_kappa,
        multi_kappa,
    )
    from annotator.metrics.audit import table_audit
    from annotator.metrics.batches import avg_max, batch_totals
    from annotator.metrics.board import heat_map, leaderboard, score_cube
    from annotator.metrics.comfort import dsi_table
    from annotator.metrics.comparisons import compare, mcnemar, paired_difference, sample_size
    from annotator.metrics.correlation import rank_difference, spearman_matrix
    from annotator.metrics.domains import domain_label, dsi, macro
    from annotator.metrics.intervals import standard_error, wilson
    from annotator.metrics.items import item_health
    from annotator.metrics.judging import sign_test, win_tie_lose
    from annotator.metrics.leakage import cdd_peak, diversity, leak_ratio, levenshtein_similarity, original_leak
    from annotator.metrics.levels import difficulty_levels, recalibrate
    from annotator.metrics.passes import best_of_k, pass_at_k
    from annotator.metrics.recall import expected_recall_at_k, recall_at_k
    from annotator.metrics.resampling import bootstrap
    from annotator.metrics.scaling import scaling_fit
    from annotator.metrics.weighting import coco_score, dapr, task_weights

__all__ = [
    "agreement_report",
    "avg_max",
    "batch_totals",
    "best_of_k",
    "bootstrap",
    "cdd_peak",
    "coco_score",
    "cohen_kappa",
    "compare",
    "dapr",
    "difficulty_levels",
    "diversity",
    "domain_label",
    "dsi",
    "dsi_table",
    "expected_recall_at_k",
    "fleiss_kappa",
    "gwet_ac1",
    "heat_map",
    "item_health",
    "krippendorff_alpha",
    "leaderboard",
    "leak_ratio",
    "levenshtein_similarity",
    "light_kappa",
    "macro",
    "mcnemar",
    "multi_kappa",
    "original_leak",
    "paired_difference",
    "pass_at_k",
    "rank_difference",
    "recalibrate",
    "recall_at_k",
    "sample_size",
    "scaling_fit",
    "score_cube",
    "sign_test",
    "spearman_matrix",
    "standard_error",
    "table_audit",
    "task_weights",
    "wilson",
    "win_tie_lose",
]

_MODULE_OF = MappingProxyType(
    {
        "agreement_report": "agreement",
        "cohen_kappa": "agreement",
        "fleiss_kappa": "agreement",
        "gwet_ac1": "agreement",
        "krippendorff_alpha": "agreement",
        "light_kappa": "agreement",
        "multi_kappa": "agreement",
        "table_audit": "audit",
        "avg_max": "batches",
        "batch_totals": "batches",
        "heat_map": "board",
        "leaderboard": "board",
        "score_cube": "board",
        "dsi_table": "comfort",
        "compare": "comparisons",
        "mcnemar": "comparisons",
        "paired_difference": "comparisons",
        "sample_size": "comparisons",
        "rank_difference": "correlation",
        "spearman_matrix": "correlation",
        "domain_label": "domains",
        "dsi": "domains",
        "macro": "domains",
        "standard_error": "intervals",
        "wilson": "intervals",
        "item_health": "items",
        "sign_test": "judging",
        "win_tie_lose": "judging",
        "cdd_peak": "leakage",
        "diversity": "leakage",
        "leak_ratio": "leakage",
        "levenshtein_similarity": "leakage",
        "original_leak": "leakage",
        "difficulty_levels": "levels",
        "recalibrate": "levels",
        "best_of_k": "passes",
        "pass_at_k": "passes",
        "expected_recall_at_k": "recall",
        "recall_at_k": "recall",
        "bootstrap": "resampling",
        "scaling_fit": "scaling",
        "coco_score": "weighting",
        "dapr": "weighting",
        "task_weights": "weighting",
    }
)


def __getattr__(name: str) -> object:
    """Import the module a public name stands in."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
