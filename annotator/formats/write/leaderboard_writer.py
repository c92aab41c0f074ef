"""Write a leaderboard as a static page, and as CSV and LaTeX.

The page is complete without scripts; with them its tables can be sorted and filtered. It loads nothing: style and
script are inline, and its content security policy forbids everything else.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.formats.write.export_folder import ExportResult, Head, write_export
from annotator.formats.write.table_writer import csv_text, html_page, html_table, latex_text
from annotator.model.rows.release_rows import summarize_overrides
from annotator.model.rows.result_rows import Column, Leaderboard, LeaderboardRow, Table, ValueCell

GROUPS = ("language", "domain", "task", "difficulty")


def export_leaderboard(head: Head, board: Leaderboard, folder: Path) -> ExportResult:
    """Write the page and the tables. Raises `BadInputError` if nothing has run on the release."""
    if not board.rows:
        raise BadInputError(f"Release {board.version} has no finished run, so there is no leaderboard to write.")
    tables = leaderboard_tables(board)
    texts = {"index.html": leaderboard_page(str(head["project"]), board, tables)}
    for table in tables:
        texts[f"{table.name}.csv"] = csv_text(table)
        texts[f"{table.name}.tex"] = latex_text(table)
    return write_export("leaderboard", head, folder, texts, len(board.rows))


def leaderboard_tables(board: Leaderboard) -> tuple[Table, ...]:
    """Return the leaderboard table, and a table of mean scores by value for every group with more than one value."""
    rows = board.rows
    limits = [row.test_timeout_s for row in rows]
    columns = (
        Column(
            "Rank",
            tuple(ValueCell("n/a" if row.rank is None else str(row.rank), row.rank) for row in rows),
            numeric=True,
        ),
        Column.of_texts("Model", [row.name for row in rows]),
        Column("Score %", tuple(map(_score_cell, rows)), numeric=True),
        _share_column("From", [row.low for row in rows]),
        _share_column("To", [row.high for row in rows]),
        _count_column("Pass", [row.passed for row in rows]),
        _count_column("Partial", [row.partial for row in rows]),
        _count_column("Fail", [row.failed for row in rows]),
        _count_column("No answer", [row.no_answer for row in rows]),
        _count_column("Not scored", [row.machinery for row in rows]),
        Column("Items", tuple(ValueCell(f"{row.items} of {board.items}", row.items) for row in rows), numeric=True),
        *([_count_column("Shared items", [row.shared for row in rows])] if board.shared else []),
        *([Column.of_numbers("Test limit s", limits, 1)] if any(limits) else []),
    )
    tables = [Table(name="leaderboard", title="All items", columns=columns)]
    for group in GROUPS:
        values = sorted({value for row in rows for value in row.groups.get(group, {})})
        if len(values) > 1:
            value_columns = (
                _share_column(value, [row.groups.get(group, {}).get(value) for row in rows]) for value in values
            )
            columns = (Column.of_texts("Model", [row.name for row in rows]), *value_columns)
            tables.append(Table(name=f"by-{group}", title=f"Score % by {group}", columns=columns))
    return tuple(tables)


def _score_cell(row: LeaderboardRow) -> ValueCell:
    cell = _share_cell(row.score)
    return replace(cell, text=cell.text + row.unsettled_words)


def _share_column(title: str, shares: Iterable[float | None]) -> Column:
    return Column(title, tuple(map(_share_cell, shares)), numeric=True)


def _count_column(title: str, counts: Iterable[int]) -> Column:
    return Column(title, tuple(ValueCell(str(count), count) for count in counts), numeric=True)


def _share_cell(value: float | None) -> ValueCell:
    return ValueCell("n/a") if value is None else ValueCell(f"{value * 100:.2f}", round(100 * value, 2))


def leaderboard_page(project: str, board: Leaderboard, tables: Sequence[Table]) -> str:
    """Return the page with all tables as HTML, and inline style and script."""
    title = f"Leaderboard of {project} {board.version}"
    unscored_count = sum(row.machinery for row in board.rows)
    summary = f"{board.items} items, {len(board.rows)} models. Intervals are 95 %."
    if unscored_count:
        summary += f" {unscored_count} responses could not be scored; they are left out of the scores."
    doubtful_count = sum(sum(row.unsettled.values()) for row in board.rows)
    if doubtful_count:
        summary += f" The verdicts of {doubtful_count} responses are in doubt; they earn 0."
    if board.shared:
        summary += (
            f" The tests of {board.shared} items run in the same process as the answer (mode shared), so an answer "
            "written to cheat could reach them."
        )
    if board.overrides:
        summary += f" Released with unmet gates: {summarize_overrides(board.overrides)}."
    head = f'<h1>{html.escape(title)}</h1>\n<p class="about">{html.escape(summary)}</p>'
    return html_page(title, [head, *(html_table(table) for table in tables)])
