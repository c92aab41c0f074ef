"""The lists of the Consensus page: their names, what they say when they are empty, and their rows as cells."""

from __future__ import annotations

from typing import Any

from annotator.model.judging_rows import PanelRow
from annotator.ui.widgets.table import Cell
from annotator.ui.words import tr, tr_later

OPEN, SETTLED, SUBJECTS, MENTIONS, CONFLICTS = range(5)
FACES = (tr_later("Open"), tr_later("Settled"), tr_later("Subjects"), tr_later("Mentions"), tr_later("Conflicts"))
NOTHING = {
    OPEN: (
        tr_later("Nobody disagrees"),
        tr_later(
            "Selections, marks, votes and judgements that differ are listed here. To review or vote, choose Subjects."
        ),
    ),
    SETTLED: (
        tr_later("Nothing is settled yet"),
        tr_later("Settled disagreements stay here with who settled them and why."),
    ),
    SUBJECTS: (
        tr_later("No accepted subject yet"),
        tr_later("Accept candidates on the Select page; they are reviewed here."),
    ),
    MENTIONS: (
        tr_later("Nobody mentions you"),
        tr_later("Comments with your @name that you have not answered are listed here."),
    ),
    CONFLICTS: (
        tr_later("No conflict of files"),
        tr_later("Contents that a merged file brought and ours contradicts are listed here."),
    ),
}


def cells(face: int, rows: tuple[Any, ...]) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Return the headers of a list and its rows as cells."""
    headers, texts = {
        OPEN: ((tr("subject"), tr("about"), tr("said")), _disagreement),
        SETTLED: ((tr("subject"), tr("about"), tr("outcome")), _disagreement),
        SUBJECTS: ((tr("subject"), tr("votes"), tr("panel")), _subject),
        MENTIONS: ((tr("comment"), tr("who"), tr("subject")), _mention),
        CONFLICTS: ((tr("differs in"), tr("kind"), tr("row")), _conflict),
    }[face]
    return headers, [tuple(Cell(text) for text in texts(row)) for row in rows]


def _disagreement(row: Any) -> tuple[str, ...]:
    return row.title, row.what, row.outcome or " / ".join(dict.fromkeys(item.said for item in row.opinions))


def _subject(row: PanelRow) -> tuple[str, ...]:
    told = (
        {True: tr("kept"), False: tr("not kept"), None: tr("open")}[row.kept]
        if row.approvals is not None
        else tr("hidden")
    )
    return row.title, tr("{cast} of {voters}", cast=row.cast, voters=row.voters), told if row.cast else ""


def _mention(row: Any) -> tuple[str, ...]:
    return row.text, row.annotator, row.title


def _conflict(row: Any) -> tuple[str, ...]:
    names = [name for name in row.ours if row.ours[name] != row.theirs.get(name)]
    return ", ".join(names), row.table, str(row.row_id)[:8]
