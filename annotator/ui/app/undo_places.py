"""Maps the changes of an undo or redo to the page where that work is done."""

from __future__ import annotations

from collections.abc import Collection

from annotator.ui.app.translation import mark_for_translation

_PAGES = (
    (mark_for_translation("Select"), ("decision", "allotment", "label", "quotaplan", "quota")),
    (mark_for_translation("Prompt"), ("prompt", "rewriting", "coveragenote")),
    (mark_for_translation("Criterion"), ("criterion",)),
    (mark_for_translation("Bugs"), ("bug", "bug_review")),
    (mark_for_translation("Judge"), ("judgement", "study", "seal", "unblinding")),
    (
        mark_for_translation("Consensus"),
        ("review", "vote", "comment", "revision", "confirmation", "resolution", "lock"),
    ),
    (mark_for_translation("Results"), ("error_label", "settlement", "published_table")),
    (mark_for_translation("Runs"), ("setup",)),
    (mark_for_translation("Release"), ("audit", "audit_answer")),
    (mark_for_translation("Prompt"), ("suggestion_verdict",)),
    (mark_for_translation("Sources"), ("source", "subject")),
)
"""Pages with the nouns edited there; the first match counts, as an act may change several nouns."""


def page_of_changes(nouns: Collection[str]) -> str:
    """Return the page for the changed nouns, or an empty text."""
    # Almost every act changes "subject", so it counts only on its own.
    relevant = set(nouns) - {"subject"} or set(nouns)
    return next((page for page, page_nouns in _PAGES if relevant & set(page_nouns)), "")
