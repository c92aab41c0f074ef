"""The report: every table and figure of a release on one page, with its provenance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from annotator import __version__
from annotator.base.clock import now_text
from annotator.base.errors import BadInputError
from annotator.base.secrets import redact
from annotator.figures import draw_chart
from annotator.formats.write.export_folder import write_file
from annotator.formats.write.table_writer import ReportSection, report_page
from annotator.jobs.progress import Progress
from annotator.services.release.authors import ReleaseNames
from annotator.services.results import figures, named_tables, score_data
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import run_views, stored_releases

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
    table_options, work = options or TableOptions(), progress or Progress()
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
        except BadInputError as problem:
            left_out.append(f"{name}: {problem.message}")
            continue
        drawn = figures.has_chart(name) and 0 < len(table.rows) <= _MAX_DRAWN_ROWS
        sections.append(ReportSection(table, draw_chart(figures.chart_of(table), "svg", title=False) if drawn else b""))
    text = report_page(
        f"Results of {store.project_name} {data.version}", _facts(store, data, table_options), sections, left_out
    )
    write_file(path, text)
    work.report(len(names), len(names), "done")
    return WrittenReport(tuple(section.table.name for section in sections), tuple(left_out))


def _facts(store: ProjectFile, data: ResultData, options: TableOptions) -> dict[str, str]:
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
