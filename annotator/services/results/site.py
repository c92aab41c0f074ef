"""A release's results as a site: leaderboard, figures, and every answer with a permanent link."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.figures import Heat, draw_chart
from annotator.formats.write import site_writer
from annotator.formats.write.export_folder import ExportResult, Head, Item
from annotator.formats.write.site_writer import SiteAnswer, SiteForm
from annotator.formats.write.table_writer import ReportSection
from annotator.services.results import leaderboard, named_tables, score_data
from annotator.services.results.figures import chart_of
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.runs import notebook_rows


def write_release_site(
    store: ProjectFile, head: Head, items: Sequence[Item], folder: Path, form: SiteForm | None = None
) -> ExportResult:
    """Write the site of a release to a new or empty folder. Raises `BadInputError` if it has no finished run."""
    data = score_data.load_results(store, str(head["version"]))
    board = leaderboard.make_leaderboard(data)
    answers = _answers(store, data)
    figures: list[ReportSection] = []
    notes: list[str] = []
    try:
        figures = _figures(store, data)
    except MissingEnvironmentError as error:
        notes.append(error.message)
    return site_writer.export_site(
        head, board=board, items=items, answers=answers, folder=folder, figures=figures, form=form, notes=notes
    )


def _figures(store: ProjectFile, data: ResultData) -> list[ReportSection]:
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
        chart = chart_of(table)
        if table.rows and (not isinstance(chart, Heat) or len(chart.columns) > 1):
            sections.append(ReportSection(table, draw_chart(chart, "svg")))
    return sections


def _answers(store: ProjectFile, data: ResultData) -> list[SiteAnswer]:
    """Return the answers of the runs that count, with their scores."""
    with store.read() as db:
        rows = notebook_rows.answer_records(db, [entry.run.id for entry in data.entries])
        studies.refuse_blind(db, store.annotator.id, {row[0] for row in rows})
    return [
        SiteAnswer(subject_id=subject, run_id=run, sample=sample, outcome=outcome, score=score, text=text or "")
        for subject, run, sample, outcome, score, text in rows
    ]
