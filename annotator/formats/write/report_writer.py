"""Write results as one self-contained HTML page: tables, figures and the provenance of the numbers."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.formats.write.table_writer import html_page, html_table
from annotator.model.rows.result_rows import Table

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
    missing = "".join(f'<p class="about">{html.escape(reason)}</p>\n' for reason in left_out)
    parts = [
        f"<h1>{html.escape(title)}</h1>\n<ul>\n{contents}\n</ul>",
        *(_section(section) for section in sections),
        f'<h2 id="left-out">Not in this report</h2>\n{missing}' if left_out else "",
        f'<h2 id="provenance">Where these numbers come from</h2>\n<table class="board">\n{fact_rows}\n</table>',
    ]
    return html_page(title, parts, more_style=FIGURE_STYLE + _TEXT_STYLE, pictures=True)


def _section(section: ReportSection) -> str:
    table = html_table(section.table)
    return f"{table}\n{html_figure(section)}" if section.svg else table


def html_figure(section: ReportSection) -> str:
    """Return a table's figure as HTML with an inline picture."""
    data = base64.b64encode(section.svg).decode()
    alt = html.escape(f"Figure: {section.table.title}")
    return f'<figure><img alt="{alt}" src="data:image/svg+xml;base64,{data}"></figure>'
