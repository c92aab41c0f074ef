"""A release's results as pages: the report with every table and figure, and the site with every answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from annotator import __version__
from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.secrets import redact
from annotator.figures.chart_data import Heat
from annotator.figures.drawing import draw_chart
from annotator.formats.write import site_writer
from annotator.formats.write.export_folder import ExportResult, Head, Item, write_file
from annotator.formats.write.site_writer import SiteAnswer, SiteForm
from annotator.formats.write.table_writer import ReportSection, report_page
from annotator.jobs.progress import Progress
from annotator.services.release.authors import ReleaseNames
from annotator.services.results import figures, named_tables, result_tables, score_data
from annotator.services.results.figures import build_chart
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.runs import run_views, stored_answers, stored_releases

# The other tables need an option, such as another release or benchmark.
_STANDARD_TABLES = (
    "leaderboard", "domains", "weighted", "coco-score", "dsi", "correlation", "rank-intervals", "passes", "scaling",
    "compare", "pairs", "cost", "context", "decoding", "metric", "items", "difficulty", "skill", "leakage", "diversity",
    "recall", "labels", "errors",
)  # fmt: skip
_MAX_DRAWN_ROWS = 400


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """The tables in a report, and those left out with the reason."""

    tables: tuple[str, ...]
    left_out: tuple[str, ...]


def write_report(
    store: ProjectFile,
    path: Path,
    version: str | None = None,
    options: TableOptions | None = None,
    *,
    protocol: str | None = None,
    progress: Progress | None = None,
) -> WrittenReport:
    """Write a release's results as one HTML page. Raises `BadInputError` if it has no finished run."""
    table_options = options or TableOptions()
    work = progress or Progress()
    data = score_data.load_results(store, version, protocol=protocol)
    if not data.entries:
        raise BadInputError(f"Release {data.version} has no finished run, so there is nothing to report.")
    names = [
        *_STANDARD_TABLES,
        *(["ranks"] if table_options.scores else []),
        *(["releases"] if table_options.other_version else []),
    ]
    sections: list[ReportSection] = []
    left_out: list[str] = []
    for number, name in enumerate(names):
        work.report(number, len(names), f"writing {name}")
        try:
            table = named_tables.make_table(store, data, name, table_options)
        except BadInputError as error:
            left_out.append(f"{name}: {error.message}")
            continue
        has_figure = figures.has_chart(name) and 0 < len(table.rows) <= _MAX_DRAWN_ROWS
        drawing = draw_chart(figures.build_chart(table), "svg", title=False) if has_figure else b""
        sections.append(ReportSection(table, drawing))
    text = report_page(
        f"Results of {store.project_name} {data.version}",
        _describe_release(store, data, table_options),
        sections,
        left_out,
    )
    write_file(path, text)
    work.report(len(names), len(names), "done")
    return WrittenReport(tuple(section.table.name for section in sections), tuple(left_out))


def _describe_release(store: ProjectFile, data: ResultData, options: TableOptions) -> dict[str, str]:
    with store.read() as db:
        release = stored_releases.fetch_release(db, data.version)
    facts = {
        "Project": store.project_name,
        "Release": f"{data.version}, frozen {release.created_at}, content {release.content_hash}",
        "Items": str(len(data.items)),
        "Made with": f"Annotator {__version__}, {now_text()}",
        "Resampling": f"{options.draws:,} draws, seed {options.seed}",
        "Groups": f"by {options.by}; fewer than {options.minimum} items leave the mean",
    }
    with store.read() as db:
        settlements = run_views.fetch_settlements(db)
    if settlements:
        names = ReleaseNames(store)
        verdict_texts = (
            f"{key} {row.verdict} by {names.for_name(row.annotator)} ({names.public_text(row.reason)})"
            for key, row in settlements
        )
        facts["Verdicts settled by people"] = redact("; ".join(verdict_texts))
    for entry in data.entries:
        run = entry.run
        settings = ", ".join(f"{name} {value}" for name, value in sorted(run.settings.items()))
        facts[entry.label] = redact(
            f"run {run.id} of {run.created_at}, protocol {run.protocol}, {run.samples} samples, item score: "
            f"{entry.estimator}{'; ' + settings if settings else ''}"
        )
    return facts


def write_release_site(
    store: ProjectFile, head: Head, items: Sequence[Item], folder: Path, form: SiteForm | None = None
) -> ExportResult:
    """Write the site of a release to a new or empty folder. Raises `BadInputError` if it has no finished run."""
    data = score_data.load_results(store, str(head["version"]))
    board = result_tables.make_leaderboard(data)
    answers = _load_answers(store, data)
    figures: list[ReportSection] = []
    notes: list[str] = []
    try:
        figures = _draw_figures(store, data)
    except MissingEnvironmentError as error:
        notes.append(error.message)
    return site_writer.export_site(
        head, board=board, items=items, answers=answers, folder=folder, figures=figures, form=form, notes=notes
    )


def _draw_figures(store: ProjectFile, data: ResultData) -> list[ReportSection]:
    """Return the figures that have data. Raises `MissingEnvironmentError` if the drawing library is missing."""
    names = ["leaderboard", "domains"]
    names += ["passes"] if any(entry.run.samples > 1 for entry in data.entries) else []
    names += ["rank-intervals"] if len(data.entries) > 1 else []
    sections = []
    for name in names:
        try:
            table = named_tables.make_table(store, data, name, TableOptions())
        except BadInputError:
            # This release has no data for the table.
            continue
        chart = build_chart(table)
        if table.rows and (not isinstance(chart, Heat) or len(chart.columns) > 1):
            sections.append(ReportSection(table, draw_chart(chart, "svg")))
    return sections


def _load_answers(store: ProjectFile, data: ResultData) -> list[SiteAnswer]:
    """Return the answers of the runs that count, with their scores."""
    with store.read() as db:
        rows = stored_answers.answer_records(db, [entry.run.id for entry in data.entries])
        studies.refuse_blind(db, store.annotator.id, {row[0] for row in rows})
    return [
        SiteAnswer(subject_id=subject, run_id=run, sample=sample, outcome=outcome, score=score, text=text or "")
        for subject, run, sample, outcome, score, text in rows
    ]
