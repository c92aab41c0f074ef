"""Write tables of results as CSV, JSON, LaTeX, Markdown and HTML, and HTML pages with tables and figures."""

from __future__ import annotations

import base64
import csv
import hashlib
import html
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from annotator.base.errors import MissingEnvironmentError, UsageError
from annotator.base.resources import resource_path
from annotator.formats.write.export_folder import markdown_line, write_file
from annotator.model.rows.result_rows import Column, Table, ValueCell

FORMATS = ("csv", "json", "latex", "markdown")
SUFFIXES: Mapping[str, str] = MappingProxyType({"csv": ".csv", "json": ".json", "latex": ".tex", "markdown": ".md"})
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
# Includes the full-width signs that East Asian spreadsheets read as formulas.
_FORMULA_SIGNS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
_CELL_BREAKS = frozenset("\t\n")


def render_table(table: Table, form: str) -> str:
    """Return a table in one of the `FORMATS`. Raises `UsageError` for another."""
    if form == "json":
        return json.dumps(table_document(table), ensure_ascii=False, indent=2) + "\n"
    makers = {"csv": csv_text, "latex": latex_text, "markdown": markdown_text}
    if form not in makers:
        raise UsageError(f"Tables cannot be written as {form}. Choose from: {', '.join(FORMATS)}.")
    return makers[form](table)


def table_document(table: Table) -> dict[str, Any]:
    """Return a table as one JSON object; numbers are unrounded, in the unit of their column, null if undefined."""
    values = [[_json_value(cell, column) for cell in column.cells] for column in table.columns]
    rows = [dict(zip(table.headers, row, strict=True)) for row in zip(*values, strict=True)]
    overall = {"overall": table.overall._asdict()} if table.overall is not None else {}
    return {
        "table": table.name,
        "title": table.title,
        "columns": list(table.headers),
        "rows": rows,
        **overall,
        "notes": list(table.notes),
    }


def _json_value(cell: ValueCell, column: Column) -> str | float | None:
    return cell.number if column.numeric and (cell.number is not None or cell.text == "n/a") else cell.text


def csv_text(table: Table) -> str:
    """Return a table as CSV, with only the number of numeric cells; other columns have the text beside it."""
    values = (map(_csv_value, column.cells) if column.numeric else column.texts for column in table.columns)
    return rows_as_csv(table.headers, zip(*values, strict=True))


def rows_as_csv(headers: Iterable[str], rows: Iterable[Iterable[str | float | None]]) -> str:
    """Return rows as CSV (RFC 4180) with ``\\n`` line ends; all our CSV files are written here.

    Texts are escaped so that spreadsheets do not read them as formulas; None is an empty cell.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in (headers, *rows):
        writer.writerow([_without_formula(value) if isinstance(value, str) else value for value in row])
    return out.getvalue()


def _csv_value(cell: ValueCell) -> str | float:
    """Return a cell's displayed number, or its text if it has none."""
    if cell.number is None or _NUMBER.fullmatch(cell.text):
        return cell.text
    return int(cell.number) if float(cell.number).is_integer() else cell.number


def _without_formula(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula; a number may begin with a sign."""
    # The csv module does not quote a lone carriage return, which readers take for the end of the row.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _NUMBER.fullmatch(text) or not (text[:1] in _CELL_BREAKS or text.lstrip()[:1] in _FORMULA_SIGNS):
        return text
    return f"'{text}"


def latex_text(table: Table) -> str:
    """Return a table as LaTeX for the package booktabs, with its notes as comments above."""
    columns = "".join("r" if column.numeric else "l" for column in table.columns)
    lines = ["% " + " ".join(note.split()) for note in table.notes]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(table.headers), r"\midrule"]
    lines += [_latex_row([cell.text for cell in row]) for row in table.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _latex_row(texts: Sequence[str]) -> str:
    return " & ".join(
        "".join(_LATEX_ESCAPES.get(letter, letter) for letter in " ".join(text.split())) for text in texts
    ) + (r" \\")


def markdown_text(table: Table) -> str:
    """Return a table as Markdown with its title above and its notes below."""
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    lines = [_markdown_row(table.headers), f"| {' | '.join(rules)} |"]
    lines += [_markdown_row([cell.text for cell in row]) for row in table.rows]
    notes = [f"- {markdown_line(note)}" for note in table.notes]
    return "\n".join([f"### {markdown_line(table.title)}", "", *lines, *(["", *notes] if notes else []), ""])


def _markdown_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(markdown_line(text) for text in texts)} |"


def html_table(table: Table) -> str:
    """Return a table as HTML with heading and notes; scripts may sort it."""
    kinds = [' class="number"' if column.numeric else "" for column in table.columns]
    head = "".join(
        f'<th scope="col"{kind}>{html.escape(header)}</th>' for header, kind in zip(table.headers, kinds, strict=True)
    )
    rows = "\n".join("<tr>" + "".join(map(_html_cell, row, kinds, table.headers)) + "</tr>" for row in table.rows)
    notes = "".join(f'\n<p class="about">{html.escape(note)}</p>' for note in table.notes)
    return (
        f'<h2 id="{table.name}">{html.escape(table.title)}</h2>\n<div class="scroll">\n'
        f'<table class="board" aria-labelledby="{table.name}">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>{notes}"
    )


def _html_cell(cell: ValueCell, kind: str, header: str) -> str:
    sorting = "" if cell.number is None else f' data-value="{cell.number!r}"'
    return f'<td data-head="{html.escape(header)}"{kind}{sorting}>{html.escape(cell.text)}</td>'


def html_page(
    title: str, parts: Iterable[str], *, more_style: str = "", more_script: str = "", pictures: bool = False
) -> str:
    """Return a page with a title and HTML parts as its body; ``pictures`` allows inline pictures."""
    style = resource_path("formats", "leaderboard.css").read_text("utf-8") + more_style
    script = resource_path("formats", "leaderboard.js").read_text("utf-8") + more_script
    images = "img-src data:; " if pictures else ""
    sources = f"style-src '{_policy_digest(style)}'; script-src '{_policy_digest(script)}'"
    policy = f"default-src 'none'; {images}{sources}; base-uri 'none'"
    lines = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>",
        *parts,
        f"</main>\n<script>{script}</script>\n</body>\n</html>\n",
    ]
    return "\n".join(line for line in lines if line)


def _policy_digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def write_table(table: Table, path: Path) -> None:
    """Write a table to a file in the format of its suffix: .csv, .json, .tex or .md (otherwise CSV)."""
    form = next((name for name, suffix in SUFFIXES.items() if suffix == path.suffix.lower()), "csv")
    write_file(path, render_table(table, form))


Kind = Literal["text", "number", "count", "truth"]


def arrow_table(kinds: Mapping[str, Kind], rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as a `pyarrow.Table` with columns of the given names and kinds; None becomes null.

    Raises `MissingEnvironmentError` without pyarrow.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingEnvironmentError(
            "Arrow tables need pyarrow, which is not installed. Install benchmark-annotator[parquet]."
        ) from error
    types = {"text": pa.string(), "number": pa.float64(), "count": pa.int64(), "truth": pa.bool_()}
    columns = list(zip(*rows, strict=True)) or [()] * len(kinds)
    arrays = [pa.array(values, types[kind]) for values, kind in zip(columns, kinds.values(), strict=True)]
    return pa.table(arrays, names=list(kinds))


FIGURE_STYLE = "figure{margin:1rem 0;overflow-x:auto}figure img{max-width:100%;background:#fff;border-radius:8px}"
# Names and sentences wrap, numbers do not: a long name must not push the numbers off the page.
_TEXT_STYLE = "td:not(.number){white-space:normal;overflow-wrap:break-word;max-width:20rem}"


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A table of the report with its figure as SVG (empty if there is none)."""

    table: Table
    svg: bytes = b""


def report_page(
    title: str, facts: Mapping[str, str], sections: Sequence[ReportSection], left_out: Sequence[str] = ()
) -> str:
    """Return the page; ``facts`` are its provenance, ``left_out`` are the reasons for missing tables."""
    fact_rows = "\n".join(
        f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(value)}</td></tr>'
        for name, value in facts.items()
    )
    contents = "\n".join(
        f'<li><a href="#{section.table.name}">{html.escape(section.table.title)}</a></li>' for section in sections
    )
    missing_html = "".join(f'<p class="about">{html.escape(reason)}</p>\n' for reason in left_out)
    parts = [
        f"<h1>{html.escape(title)}</h1>\n<ul>\n{contents}\n</ul>",
        *(_section_html(section) for section in sections),
        f'<h2 id="left-out">Not in this report</h2>\n{missing_html}' if left_out else "",
        f'<h2 id="provenance">Where these numbers come from</h2>\n<table class="board">\n{fact_rows}\n</table>',
    ]
    return html_page(title, parts, more_style=FIGURE_STYLE + _TEXT_STYLE, pictures=True)


def _section_html(section: ReportSection) -> str:
    table = html_table(section.table)
    return f"{table}\n{html_figure(section)}" if section.svg else table


def html_figure(section: ReportSection) -> str:
    """Return a table's figure as HTML with an inline picture."""
    data = base64.b64encode(section.svg).decode()
    alt = html.escape(f"Figure: {section.table.title}")
    return f'<figure><img alt="{alt}" src="data:image/svg+xml;base64,{data}"></figure>'
