"""The lists of the Consensus page: their names, what they say when they are empty, and their rows as cells."""

from __future__ import annotations

from typing import Any

from annotator.model.judging_rows import PanelRow
from annotator.ui.widgets.table import Cell

OPEN, SETTLED, SUBJECTS, MENTIONS, CONFLICTS = range(5)
FACES = ("Open", "Settled", "Subjects", "Mentions", "Conflicts")
NOTHING = {
    OPEN: (
        "Nobody disagrees",
        "Selections, marks, votes and judgements that differ are listed here. To review or vote, choose Subjects.",
    ),
    SETTLED: ("Nothing is settled yet", "Settled disagreements stay here with who settled them and why."),
    SUBJECTS: ("No accepted subject yet", "Accept candidates on the Select page; they are reviewed here."),
    MENTIONS: ("Nobody mentions you", "Comments with your @name that you have not answered are listed here."),
    CONFLICTS: ("No conflict of files", "Contents that a merged file brought and ours contradicts are listed here."),
}


def cells(face: int, rows: tuple[Any, ...]) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Return the headers of a list and its rows as cells."""
    headers, texts = {
        OPEN: (("subject", "about", "said"), _disagreement),
        SETTLED: (("subject", "about", "outcome"), _disagreement),
        SUBJECTS: (("subject", "votes", "panel"), _subject),
        MENTIONS: (("comment", "who", "subject"), _mention),
        CONFLICTS: (("differs in", "kind", "row"), _conflict),
    }[face]
    return headers, [tuple(Cell(text) for text in texts(row)) for row in rows]


def _disagreement(row: Any) -> tuple[str, ...]:
    return row.title, row.what, row.outcome or " / ".join(dict.fromkeys(item.said for item in row.opinions))


def _subject(row: PanelRow) -> tuple[str, ...]:
    told = {True: "kept", False: "not kept", None: "open"}[row.kept] if row.approvals is not None else "hidden"
    return row.title, f"{row.cast} of {row.voters}", told if row.cast else ""


def _mention(row: Any) -> tuple[str, ...]:
    return row.text, row.annotator, row.title


def _conflict(row: Any) -> tuple[str, ...]:
    names = [name for name in row.ours if row.ours[name] != row.theirs.get(name)]
    return ", ".join(names), row.table, str(row.row_id)[:8]
