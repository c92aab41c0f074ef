"""A result as a static page, and as CSV and LaTeX.

The page is whole without scripts; where they run, its tables can be sorted and filtered. Nothing is loaded from
anywhere: style and script stand in the page, and its policy forbids everything else.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.formats.write.export_folder import Exported, Head, write_export
from annotator.formats.write.tables import csv_text, html_page, html_table, latex_text
from annotator.model.rows.releases import shown_overrides
from annotator.model.rows.results import Cell, Leaderboard, LeaderboardRow, Table

GROUPS = ("language", "domain", "task", "difficulty")


def export(head: Head, board: Leaderboard, folder: Path) -> Exported:
    """Write the page and the tables. Raises `BadInputError` if nothing has run on the release."""
    if not board.rows:
        raise BadInputError(f"Release {board.version} has no finished run, so there is no leaderboard to write.")
    tables = tables_of(board)
    texts = {"index.html": page(str(head["project"]), board, tables)}
    for table in tables:
        texts[f"{table.name}.csv"] = csv_text(table)
        texts[f"{table.name}.tex"] = latex_text(table)
    return write_export("leaderboard", head, folder, texts, len(board.rows))


def tables_of(board: Leaderboard) -> tuple[Table, ...]:
    """Return the leaderboard, and for every group with more than one value the mean scores by value."""
    shared = ("Shared items",) if board.shared else ()
    headers = (
        "Rank", "Model", "Score %", "From", "To", "Pass", "Partial", "Fail", "No answer", "Machinery", "Items", *shared,
    )  # fmt: skip
    rows = tuple(_main_row(row, board) for row in board.rows)
    numeric = (True, False, *(True,) * (len(headers) - 2))
    tables = [Table(name="leaderboard", title="All items", headers=headers, rows=rows, numeric=numeric)]
    for group in GROUPS:
        values = sorted({value for row in board.rows for value in row.groups.get(group, {})})
        if len(values) > 1:
            shown = tuple(
                (Cell(row.name), *(_share(row.groups.get(group, {}).get(value)) for value in values))
                for row in board.rows
            )
            columns = ("Model", *values)
            tables.append(
                Table(
                    name=f"by-{group}",
                    title=f"Score % by {group}",
                    headers=columns,
                    rows=shown,
                    numeric=(False, *(True,) * len(values)),
                )
            )
    return tuple(tables)


def _main_row(row: LeaderboardRow, board: Leaderboard) -> tuple[Cell, ...]:
    counts = (row.passed, row.partial, row.failed, row.no_answer, row.machinery)
    return (
        Cell("n/a" if row.rank is None else str(row.rank), row.rank),
        Cell(row.name),
        replace(_share(row.score), text=_share(row.score).text + row.unsettled_words),
        *(_share(value) for value in (row.low, row.high)),
        *(Cell(str(count), count) for count in counts),
        Cell(f"{row.items} of {board.items}", row.items),
        *([Cell(str(row.shared), row.shared)] if board.shared else []),
    )


def _share(value: float | None) -> Cell:
    return Cell("n/a") if value is None else Cell(f"{value * 100:.2f}", round(100 * value, 2))


def page(project: str, board: Leaderboard, tables: Sequence[Table]) -> str:
    """Return the page: all tables as HTML, with style and script inside."""
    title = f"Leaderboard of {project} {board.version}"
    machinery = sum(row.machinery for row in board.rows)
    about = f"{board.items} items, {len(board.rows)} models. Intervals are 95 %."
    if machinery:
        about += f" {machinery} responses could not be scored; they count neither for nor against a model."
    doubtful = sum(sum(row.unsettled.values()) for row in board.rows)
    if doubtful:
        about += f" The verdicts of {doubtful} responses are in doubt; they earn 0."
    if board.shared:
        about += (
            f" The tests of {board.shared} items share a process with the answer (mode shared), so an answer made to "
            "cheat could reach them."
        )
    if board.overrides:
        about += f" Released in spite of its gates: {shown_overrides(board.overrides)}."
    head = f'<h1>{html.escape(title)}</h1>\n<p class="about">{html.escape(about)}</p>'
    return html_page(title, [head, *(html_table(table) for table in tables)])
