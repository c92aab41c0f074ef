"""Display words for a bug's kind, state and origin."""

from __future__ import annotations

from annotator.model.rows.bug_rows import SEVERAL, BugRow
from annotator.ui.app.translation import mark_for_translation, tr, translate_word
from annotator.ui.widgets.chip import Kind
from annotator.ui.widgets.queue_card import QueueLine

KIND_WORDS: dict[str, str] = {
    "logic.condition": mark_for_translation("Wrong condition"),
    "logic.operation": mark_for_translation("Wrong operation"),
    "logic.offbyone": mark_for_translation("Off by one"),
    "logic.control": mark_for_translation("Wrong control flow"),
    "logic.missing": mark_for_translation("Missing step"),
    "logic.variable": mark_for_translation("Wrong variable"),
    "logic.index": mark_for_translation("Wrong index"),
    "performance.complexity": mark_for_translation("Unnecessary complexity"),
    "performance.invariant": mark_for_translation("Work repeated in a loop"),
    "performance.datastructure": mark_for_translation("Slow data structure"),
    "performance.memo": mark_for_translation("Results not kept"),
    "performance.io": mark_for_translation("Slow input or output"),
    "security.injection": mark_for_translation("Injection"),
    "security.deserialisation": mark_for_translation("Unsafe deserialisation"),
    "security.crypto": mark_for_translation("Weak cryptography"),
    "security.secrets": mark_for_translation("Secret in the code"),
    "security.transport": mark_for_translation("Unsafe transport"),
    "security.filesystem": mark_for_translation("Unsafe use of files"),
    "security.config": mark_for_translation("Unsafe configuration"),
    "syntax.parse": mark_for_translation("Syntax error"),
    "syntax.name": mark_for_translation("Name that does not exist"),
    "naming.case": mark_for_translation("Name in the wrong case"),
    "naming.misleading": mark_for_translation("Misleading name"),
    SEVERAL: mark_for_translation("Several bugs"),
}
_STATES: dict[str, tuple[str, Kind]] = {
    "unproven": (mark_for_translation("unproven"), "attention"),
    "proven": (mark_for_translation("proven"), "neutral"),
    "in_review": (mark_for_translation("in review"), "neutral"),
    "disputed": (mark_for_translation("disputed"), "attention"),
    "accepted": (mark_for_translation("accepted"), "good"),
    "rejected": (mark_for_translation("rejected"), "bad"),
}


def bug_kind_word(kind: str) -> str:
    """Return the word for a kind of bug; an unknown kind is shown by its name."""
    return translate_word(KIND_WORDS.get(kind, without_underscores(kind)))


def bug_state_chip(state: str) -> tuple[str, Kind]:
    """Return the word for a bug's state and the kind of its chip."""
    return _STATES.get(state, (state, "neutral"))


def bug_origin_text(row: BugRow) -> str:
    """Return a sentence on a bug's origin, and whether it was edited since."""
    name = row.origin.removesuffix(", edited")
    origin_text = _describe_origin(row, name)
    return origin_text if name == row.origin else tr("{made} Edited since then.", made=origin_text)


def _describe_origin(row: BugRow, name: str) -> str:
    if name == "operator":
        return tr("Made by the rule “{rule}”.", rule=translate_word(without_underscores(row.operator)))
    return tr("Combined from several proven bugs.") if name == "combination" else tr("Proposed by {name}.", name=name)


def bug_line(row: BugRow) -> QueueLine:
    """Return a bug's row in the queue; its kind comes first to tell the bugs of one subject apart."""
    return QueueLine(f"{bug_kind_word(row.kind)} · {row.title}", _review_counts_text(row), bug_state_chip(row.state))


def _review_counts_text(row: BugRow) -> str:
    if not row.accepts and not row.rejects:
        return tr("not reviewed yet")
    counts_text = tr("{accepts} accept, {rejects} reject", accepts=row.accepts, rejects=row.rejects)
    is_waiting = row.state in ("in_review", "disputed")
    return tr("{said}; one more review is needed", said=counts_text) if is_waiting else counts_text


def review_label_word(key: str) -> str:
    """Return the word for a label of review items, for use inside a sentence."""
    return translate_word(without_underscores(key).capitalize()).lower()


def without_underscores(name: str) -> str:
    """Return a name with spaces in place of underscores."""
    return name.replace("_", " ")
