"""Write a release's results as a folder of pages that open without a server: leaderboard, search, a page per item.

Pages of items contain only their own data and load nothing; every answer has a link that stays valid in a rebuilt site.
Answers are shown as text, never as markup. References and tests are left out by default, so that the site can be
public; prompts can be left out too.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.resources import resource_path
from annotator.formats.read.import_records import first_line
from annotator.formats.write.export_folder import ExportResult, Head, Item, safe_name, unique_names, write_export
from annotator.formats.write.leaderboard_writer import leaderboard_tables
from annotator.formats.write.table_writer import FIGURE_STYLE, ReportSection, html_figure, html_page, html_table
from annotator.model.rows.result_rows import Leaderboard, LeaderboardRow

_STYLE = """pre { overflow-x: auto; padding: 0.6rem; border: 1px solid var(--line); white-space: pre-wrap;
  overflow-wrap: anywhere; }
section:target { outline: 2px solid var(--mark); outline-offset: 6px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
h1, h2, h3, p { overflow-wrap: anywhere; }
td.title { max-width: 26rem; overflow: hidden; text-overflow: ellipsis; }
#search { display: block; margin: 0.5rem 0; } #search input { font: inherit; width: 24rem; max-width: 100%; }
"""
_MAX_TITLE_LENGTH = 80
_LABELS = ("language", "task", "domain", "difficulty", "licence")


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteAnswer:
    """One answer: the subject's id, the run, the sample number, the outcome, the score in 0..1, and the text."""

    subject_id: str
    run_id: str
    sample: int
    outcome: str
    score: float | None
    text: str


@dataclass(frozen=True, slots=True)
class SiteForm:
    """The data that item pages show besides the answers."""

    prompts: bool = True
    references: bool = False
    """References with their tests."""


def export_site(
    head: Head,
    board: Leaderboard,
    items: Sequence[Item],
    answers: Sequence[SiteAnswer],
    folder: Path,
    figures: Sequence[ReportSection] = (),
    form: SiteForm | None = None,
    notes: Sequence[str] = (),
) -> ExportResult:
    """Write the site; ``figures`` are shown on the first page, ``notes`` go into the manifest.

    Raises `BadInputError` if nothing has run yet.
    """
    form = form or SiteForm()
    if not board.rows:
        raise BadInputError(f"Release {board.version} has no finished run, so there is no site to write.")
    answers_by_run: dict[tuple[str, str], list[SiteAnswer]] = {}
    for answer in sorted(answers, key=lambda answer: answer.sample):
        answers_by_run.setdefault((answer.subject_id, answer.run_id), []).append(answer)
    pages = {key: f"items/{name}.html" for key, name in unique_names(item["key"] for item in items).items()}
    title = f"{head['project']} {board.version}"
    texts = {
        "index.html": _index_page(
            title, board=board, items=items, answers_by_run=answers_by_run, pages=pages, figures=figures, form=form
        )
    }
    for item in items:
        texts[pages[item["key"]]] = _item_page(title, board, item, answers_by_run, form)
    return write_export("site", head, folder, texts, len(items), notes=notes)


def answer_anchor(row: LeaderboardRow, sample: int) -> str:
    """Return an answer's anchor on its item's page from model, protocol and sample; the same in every build."""
    # Two models may have the same safe name; the hash distinguishes them.
    return f"{safe_name(row.model)}-{content_hash([row.model, row.protocol])[:6]}-{sample}"


def _index_page(
    title: str,
    board: Leaderboard,
    items: Sequence[Item],
    answers_by_run: Mapping[tuple[str, str], Sequence[SiteAnswer]],
    pages: Mapping[str, str],
    figures: Sequence[ReportSection],
    form: SiteForm,
) -> str:
    heads = "".join(f'<th scope="col">{html.escape(row.name)}</th>' for row in board.rows)
    table_rows = []
    search_texts = []
    for item in items:
        answers_by_model = [answers_by_run.get((item["id"], row.run_id), ()) for row in board.rows]
        cells = "".join(
            f'<td data-head="{html.escape(row.name)}" class="number">{_pass_count_text(answers)}</td>'
            for row, answers in zip(board.rows, answers_by_model, strict=True)
        )
        link = f'<a href="{html.escape(pages[item["key"]])}">{html.escape(item["key"])}</a>'
        title_text = html.escape(first_line(_visible_title(item, form), _MAX_TITLE_LENGTH))
        table_rows.append(f'<tr><td>{link}</td><td class="title">{title_text}</td>{cells}</tr>')
        prompt = item["prompt"] if form.prompts else ""
        answer_texts = (answer.text for answers in answers_by_model for answer in answers)
        search_texts.append("\n".join((item["key"], _visible_title(item, form), prompt, *answer_texts)).lower())
    # A "<" could end or change a script element.
    data = json.dumps(search_texts, ensure_ascii=False).replace("<", "\\u003c")
    search = (
        '<label id="search">Search in items and answers <input type="search"> <output></output></label>\n'
        '<div class="scroll">\n<table id="items">\n<thead><tr><th scope="col">Item</th><th scope="col">Title</th>'
        f"{heads}</tr></thead>\n<tbody>\n" + "\n".join(table_rows) + "\n</tbody>\n</table>\n</div>"
    )
    summary = f"{board.items} items, {len(board.rows)} models. Intervals are 95 %. {_protocol_sentence(board)}"
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f'<p class="about">{summary}</p>',
        *(html_table(table) for table in leaderboard_tables(board)),
        *(['<div class="figures">', *map(html_figure, figures), "</div>"] if figures else []),
        "<h2>Items</h2>",
        '<p class="about">How many of the samples pass. A link leads to the answers.</p>',
        search,
        f'<script type="application/json" id="words">{data}</script>',
    ]
    script = resource_path("formats", "site.js").read_text("utf-8")
    return html_page(title, parts, more_style=_STYLE + FIGURE_STYLE, more_script=script, pictures=bool(figures))


def _protocol_sentence(board: Leaderboard) -> str:
    """Return a sentence with the models' protocols, each protocol once."""
    models_by_protocol: dict[str, list[str]] = {}
    for row in board.rows:
        models_by_protocol.setdefault(row.protocol or "as recorded", []).append(row.name)
    if len(models_by_protocol) == 1:
        return f"Protocol: {html.escape(next(iter(models_by_protocol)))}."
    return html.escape(
        "Protocols: " + "; ".join(f"{name}: {', '.join(models)}" for name, models in models_by_protocol.items()) + "."
    )


def _visible_title(item: Item, form: SiteForm) -> str:
    """Return an item's title, but "" if it is the start of a prompt that the pages must not show."""
    return item["title"] if form.prompts or not item["prompt"].startswith(item["title"].rstrip("…. ")) else ""


def _pass_count_text(answers: Sequence[SiteAnswer]) -> str:
    return f"{sum(answer.outcome == 'pass' for answer in answers)} of {len(answers)}" if answers else "n/a"


def _item_page(
    title: str,
    board: Leaderboard,
    item: Item,
    answers_by_run: Mapping[tuple[str, str], Sequence[SiteAnswer]],
    form: SiteForm,
) -> str:
    labels = " · ".join(f"{name}: {item[name]}" for name in _LABELS if item.get(name))
    parts = [
        f'<p><a href="../index.html">{html.escape(title)}</a></p>',
        f"<h1>{html.escape(item['key'])}</h1>",
        f'<p class="about">{html.escape(_visible_title(item, form))}</p>\n<p class="about">{html.escape(labels)}</p>',
    ]
    if form.prompts:
        parts.append(f"<h2>Prompt</h2>\n{_text_html(item['prompt'])}")
    if form.references:
        tests = [test["code"] for test in item.get("tests") or () if test.get("code")]
        sections = (("Reference", item.get("reference") or ""), ("Tests", "\n\n".join(tests)))
        parts += [f"<h2>{name}</h2>\n{_text_html(text)}" for name, text in sections if text]
    for row in board.rows:
        answers = answers_by_run.get((item["id"], row.run_id), ())
        parts.append(f"<h2>{html.escape(row.name)}: {_pass_count_text(answers)}</h2>")
        parts += [_answer_html(answer_anchor(row, answer.sample), answer) for answer in answers]
    return html_page(f"{item['key']}, {title}", parts, more_style=_STYLE)


def _answer_html(name: str, answer: SiteAnswer) -> str:
    score = "" if answer.score is None else f", {100 * answer.score:.0f} %"
    head = f'<h3><a href="#{name}">Sample {answer.sample + 1}</a>: {html.escape(answer.outcome)}{score}</h3>'
    return f'<section id="{name}">\n{head}\n{_text_html(answer.text)}\n</section>'


def _text_html(text: str) -> str:
    # HTML drops a line end directly after the tag, so this one protects the text's own.
    return f'<pre tabindex="0">\n{html.escape(text)}</pre>'
