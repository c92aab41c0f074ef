"""Show results: the same tables, figures and report as in the window."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, UsageError
from annotator.base.records import record_from
from annotator.cli.command import FORM, Anyway, Argument, OneOf, Option, Texts, command, parse_decimal, parse_whole
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer, answer_changes, columns_text, paint_difference, percent_text, text_table
from annotator.figures.drawing import COLUMNS
from annotator.formats.write.leaderboard_writer import leaderboard_tables
from annotator.formats.write.site_writer import SiteForm
from annotator.formats.write.table_writer import render_table, rows_as_csv
from annotator.formats.write.table_writer import table_document as table_json
from annotator.metrics.scores.domains import FEW_PROBLEMS
from annotator.model.rows.release_rows import summarize_overrides
from annotator.model.rows.result_rows import Column, Leaderboard, Target, ValueCell
from annotator.services.results import comparisons, figures, result_tables, score_data
from annotator.services.results.result_tables import TableOptions
from annotator.services.results.score_data import ResultData
from annotator.services.runs import run_list
from annotator.store.file.project_file import ProjectFile
from annotator.text.diff import DiffPart

TABLES = (
    "leaderboard", "domains", "weighted", "coco-score", "dsi", "correlation", "passes", "rank-intervals", "ranks",
    "scaling", "compare", "pairs", "grid", "items", "difficulty", "skill", "cost", "context", "decoding", "metric",
    "leakage", "diversity", "recall", "labels", "errors", "releases", "audit", "quotas",
)  # fmt: skip
GROUPINGS = ("domain", "language", "area", "type", "difficulty", "metric", "task", "repository")


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """Options that select results and their output."""

    release: Annotated[str | None, Option("V", "default: the newest with a run")] = None
    table: Annotated[str | None, Option("T", "table to show", tuple(TABLES))] = None
    by: Annotated[str | None, Option(help="how to group items (default: domain)", choices=GROUPINGS)] = None
    run: Annotated[Texts, Option("R", "only this run; without --table, list its responses")] = ()
    protocol: Annotated[str | None, Option("P", "only runs under this protocol")] = None
    k: Annotated[int | None, Option("K", "score each item by its best of k samples", parse=parse_whole)] = None
    a: Annotated[str, Option("M", "first side of a comparison: a model or run")] = ""
    b: Annotated[str, Option("M", "second side of the comparison")] = ""
    other_release: Annotated[str, Option("V", "the other release", flag="--with")] = ""
    against: Annotated[Path | None, Option("F", "another benchmark's scores: CSV or JSON, model, score")] = None
    cluster: Annotated[str, Option(help="treat items of a group as dependent", choices=GROUPINGS)] = ""
    threshold: Annotated[float, Option("T", "DSI above which a domain is comfort (10)", parse=parse_decimal)] = 10.0
    target: Annotated[float | None, Option("S", "extrapolate the scaling line to this score")] = None
    frontier: Annotated[Texts, Option("M", "draw the scaling line through this model; may be repeated")] = ()
    draws: Annotated[int, Option("N", "bootstrap draws (10000)", parse=parse_whole)] = 10_000
    seed: Annotated[int, Option("N", "seed of the draws (0)")] = 0
    published: Annotated[str | None, Option("NAME", "imported published table to use instead of runs")] = None
    csv: Annotated[bool, Option(help="output CSV", among=FORM)] = False
    latex: Annotated[bool, Option(help="output LaTeX (booktabs)", among=FORM)] = False
    markdown: Annotated[bool, Option(help="output Markdown", among=FORM)] = False
    figure: Annotated[Path | None, Option("F.svg", "draw the table: .svg, .pdf or .png")] = None
    dark: Annotated[bool, Option(help="draw for a dark background")] = False
    columns: Annotated[str, Option(help="width in columns of a paper: one or two", choices=tuple(COLUMNS))] = ""
    no_title: Annotated[bool, Option(help="draw without a title, for a caption below")] = False
    report: Annotated[Path | None, Option("F.html", "write all tables and figures to one page")] = None
    outcome: Annotated[str, Option(help="with --run: only answers with this outcome", choices=score_data.OUTCOMES)] = ""
    search: Annotated[
        str, Option("WORDS", "with --run: only answers with these words in text, log or failed rules")
    ] = ""
    changed: Annotated[bool, Option(help="with --run: only answers whose outcome differs from the previous run")] = (
        False
    )
    answers: Annotated[
        Path | None, Option("F.jsonl", "write the answers that --run lists to this file, with their texts")
    ] = None
    send_back: Annotated[Texts, Option("KEY", "reopen an item for a new decision; may be repeated")] = ()
    send_back_flagged: Annotated[bool, Option(help="reopen every item flagged by the health checks")] = False
    reason: Annotated[str, Option("TEXT", "why items are reopened (default: their health flags)")] = ""
    anyway: Anyway = False
    set_difficulty: Annotated[bool, Option(help="set the items' difficulty by pass rates")] = False

    @property
    def form(self) -> str:
        """The format of the table; empty for a plain-text one."""
        return next((name for name in ("csv", "latex", "markdown") if getattr(self, name)), "")

    def load(self, store: ProjectFile) -> ResultData:
        """Return the scores of the selected runs."""
        return score_data.load_results(store, self.release, protocol=self.protocol, runs=self.run, k=self.k)

    def table_options(self) -> TableOptions:
        """Return the options for building tables. Raises `UsageError` for invalid values."""
        if not 10 <= self.draws <= 1_000_000:
            raise UsageError("--draws must be between 10 and 1000000.")
        if self.k is not None and not 1 <= self.k <= 10_000:
            raise UsageError("--k must be between 1 and 10000.")
        return record_from(
            TableOptions,
            self,
            by=self.by or "domain",
            passes_by=self.by or "",
            passes_k=None,
            group="",
            minimum=FEW_PROBLEMS,
            other_version=self.other_release,
            scores=comparisons.read_other_scores(self.against) if self.against else {},
        )


@command(
    "results",
    "annotator results p.annotator --table domains --by language --latex\n"
    "  annotator results p.annotator --table compare --a aurora --b borealis --figure pair.svg\n"
    "  annotator results p.annotator --published coco --table correlation\n"
    "  annotator results p.annotator --run 0198 --jsonl",
    rows=True,
)
def show_results(store: Project, *, options: ResultOptions) -> CommandAnswer:
    """Show results: the leaderboard, further tables, figures, a report."""
    table_options = options.table_options()
    is_answer_list = bool(options.run) and not (options.table or options.figure or options.latex or options.markdown)
    if (options.outcome or options.search or options.changed or options.answers) and not is_answer_list:
        raise UsageError("--outcome, --search, --changed and --answers require --run without --table.")
    if options.send_back or options.send_back_flagged:
        return _reopen_items(store, options)
    if options.set_difficulty:
        from annotator.services.results import health

        count, changes = health.apply_difficulty(store, options.load(store))
        return answer_changes(changes, f"{changes.label}.", items=count)
    if options.report is not None:
        from annotator.services.results import report

        written = report.write_report(store, options.report, options.release, table_options, protocol=options.protocol)
        return CommandAnswer(written, f"{options.report.name} was written with {', '.join(written.tables)}.")
    if options.table or options.published or options.figure or options.latex or options.markdown:
        return _show_table(store, options, options.table or "leaderboard", table_options)
    if options.run:
        return _show_answers(store, options)
    by = options.by if options.by in ("language", "domain", "task", "difficulty") else None
    if options.by and by is None:
        return _show_table(store, options, "domains", table_options)
    data = score_data.load_results(store, options.release, protocol=options.protocol, k=options.k)
    board = result_tables.make_leaderboard(data, by)
    text = leaderboard_csv(board, by) if options.csv else leaderboard_text(board, by)
    return CommandAnswer(board, text, rows=board.rows)


def _reopen_items(store: ProjectFile, options: ResultOptions) -> CommandAnswer:
    from annotator.services.results import health

    data = options.load(store) if options.send_back_flagged or not options.reason else None
    flagged = health.flagged_items(data) if data is not None and options.send_back_flagged else ()
    if options.send_back_flagged and not (flagged or options.send_back):
        raise BadInputError("The health checks flag no item of this release, so nothing was reopened.")
    items = (*options.send_back, *flagged)
    changes = health.reopen_items(store, items, options.reason, data=data, anyway=options.anyway)
    return CommandAnswer({"opened": sorted(changes.subjects)}, f"{changes.label}.")


def _show_table(store: ProjectFile, options: ResultOptions, name: str, table_options: TableOptions) -> CommandAnswer:
    if options.published:
        from annotator.services.results import published_tables

        table = published_tables.published_named(store, options.published)
        result_table = published_tables.make_published_table(table, name, table_options)
    elif name in ("audit", "quotas"):
        raise UsageError(f"{name} requires a published table. Import one, then name it with --published.")
    else:
        from annotator.services.results import named_tables

        result_table = named_tables.make_table(store, options.load(store), name, table_options)
    if options.form:
        text = render_table(result_table, options.form)
    else:
        text = "\n".join([result_table.title, columns_text(result_table.columns), *result_table.notes])
    if options.figure is not None:
        figures.write_figure(
            result_table, options.figure, dark=options.dark, columns=options.columns, title=not options.no_title
        )
        if not (options.form or options.table):
            text = f"{options.figure.name} was written."
    data = table_json(result_table)
    return CommandAnswer(data, text, rows=data["rows"])


def _show_answers(store: ProjectFile, options: ResultOptions) -> CommandAnswer:
    """List the answers of the named finished runs."""
    from annotator.services.results import answer_list, responses

    ids = [row.id for row in run_list.list_runs(store) if row.id.startswith(options.run) and row.state == "done"]
    if not ids:
        raise BadInputError(f"There is no finished run {options.run[0]} in this project.")
    answer_filter = answer_list.AnswerFilter(options.outcome, options.search, options.changed)
    items = [
        item
        for run in ids
        for item in answer_list.read_answers(
            store, responses.load_run_data(store, run), Target("items", run), answer_filter
        )
    ]
    if options.answers is not None:
        answer_list.write_answers(store, items, options.answers)
        return CommandAnswer({"items": items}, f"{options.answers.name} was written with {len(items)} answers.")
    table = answer_list.answer_table(items)
    text = render_table(table, "csv") if options.csv else columns_text(table.columns)
    return CommandAnswer({"items": items}, text, rows=answer_list.read_answer_lines(store, items))


@command("results answer", "annotator results answer p.annotator 0192f0c4-7b3e --beside 0192f0c5-11aa")
def show_answer(
    store: ReadOnlyProject,
    *,
    response: Annotated[str, Argument("ID", "id of a response, or its first characters")],
    beside: Annotated[str, Option("ID", "another answer to the same item to compare with")] = "",
) -> CommandAnswer:
    """Show one answer: outcome, rules, test output, and the difference from the reference or another answer."""
    from annotator.services.results import response_explanation, responses

    explanation = response_explanation.explain_response(store, responses.find_response(store, response))
    detail = explanation.detail
    score = "not scored" if detail.score is None else f"{percent_text(detail.score)} %"
    head = f"{detail.key} · {detail.model} · sample {detail.sample + 1} · {detail.outcome} · {score}"
    data = {"response": detail, "rules": explanation.rules, "log": explanation.log, "compared": explanation.compared}
    if beside:
        pair = response_explanation.compare_answers(store, detail.response_id, responses.find_response(store, beside))
        lines = [
            "",
            f"--- {pair.detail.model}, sample {pair.detail.sample + 1}",
            f"+++ {detail.model}",
            *_diff_lines(pair.diff),
        ]
        return CommandAnswer(data | {"beside": pair}, "\n".join([head, *lines]), paint=paint_difference)
    rules = [
        ("not judged" if rule.matched is None else "yes" if rule.matched else "no", rule.label, f"{rule.points:g}",
         rule.why or rule.detail)
        for rule in explanation.rules
    ]  # fmt: skip
    lines = [head, "", detail.text.rstrip(), ""]
    how_found = explanation.compared.how
    lines += [f"How the answer was found: {how_found}", ""] if how_found else []
    lines += [text_table(("found", "rule", "points", "why"), rules, (2,)), ""] if rules else []
    lines += [explanation.log, ""] if explanation.log else []
    lines += ["--- reference", "+++ answer", *_diff_lines(explanation.diff)] if explanation.diff else []
    return CommandAnswer(data, "\n".join(lines))


def _diff_lines(parts: Sequence[DiffPart]) -> list[str]:
    signs = {"added": "+", "removed": "-"}
    return [f"{signs.get(part.kind, ' ')}{line}" for part in parts for line in part.text.splitlines()]


def leaderboard_columns(board: Leaderboard, by: str | None = None) -> tuple[Column, ...]:
    """Return the leaderboard's columns for display, with one per value of the grouping ``by``."""
    rank, model, score, low, high, *counts = leaderboard_tables(board)[0].columns
    intervals = (ValueCell(f"{start} to {end}") for start, end in zip(low.texts, high.texts, strict=True))
    columns = (rank, model, score, Column("95 % interval", tuple(intervals), numeric=True), *counts)
    names, groups = _find_groups(board, by)
    return (
        *(replace(column, title=column.title.lower()) for column in columns),
        *(Column.of_shares(name, [shares.get(name) for shares in groups]) for name in names),
    )


def _find_groups(board: Leaderboard, by: str | None) -> tuple[list[str], list[dict[str, float | None]]]:
    """Return the values of a grouping (none if ``by`` is None), and each row's score by value."""
    groups = [row.groups[by] if by else {} for row in board.rows]
    return sorted({name for shares in groups for name in shares}), groups


def leaderboard_csv(board: Leaderboard, by: str | None = None) -> str:
    """Return the leaderboard as CSV with one number per cell; undefined ones are empty."""
    names, groups = _find_groups(board, by)
    kinds = sorted({kind for row in board.rows for kind in row.unsettled})
    shared = ("shared items",) if board.shared else ()
    headers = ("rank", "model", "score %", "from", "to", "pass", "partial", "fail", "no answer", "machinery", "items",
               "of items", *kinds, *shared, *names)  # fmt: skip
    lines = (
        (
            row.rank,
            row.name,
            *(_format_percent(value) for value in (row.score, row.low, row.high)),
            *(row.passed, row.partial, row.failed, row.no_answer, row.machinery, row.items, board.items),
            *(row.unsettled.get(kind, 0) for kind in kinds),
            *([row.shared] if board.shared else []),
            *(_format_percent(shares.get(name)) for name in names),
        )
        for row, shares in zip(board.rows, groups, strict=True)
    )
    return rows_as_csv(headers, lines)


def _format_percent(value: float | None) -> str | None:
    return None if value is None else percent_text(value)


def leaderboard_text(board: Leaderboard, by: str | None = None) -> str:
    """Return the leaderboard as plain text, followed by notes on unscored responses."""
    if not board.rows:
        return f"Release {board.version} has no finished runs yet."
    text = f"Leaderboard of release {board.version}\n{columns_text(leaderboard_columns(board, by))}"
    failed = sum(row.machinery for row in board.rows)
    if failed:
        text += f"\n{failed} responses could not be scored here; they are left out of the scores."
    if board.shared:
        text += (
            f"\nThe tests of {board.shared} of {board.items} items run in the same process as the answer (mode "
            "shared), so an answer written to cheat could reach them."
        )
    if board.overrides:
        text += f"\nReleased with unmet gates: {summarize_overrides(board.overrides)}."
    return text


_SITE = OneOf()


@command("results site", "annotator results site p.annotator --out site")
def write_site(
    store: ReadOnlyProject,
    *,
    release: Annotated[str | None, Option("V", "default: the newest with a run")] = None,
    out: Annotated[Path, Option("DIR", "a new or empty folder")],
    without_prompts: Annotated[bool, Option(help="leave out prompts as well, for the public", among=_SITE)] = False,
    with_references: Annotated[
        bool, Option(help="include references and tests, for internal use", among=_SITE)
    ] = False,
) -> CommandAnswer:
    """Write results as a folder of pages that open without a server."""
    from annotator.services.release.exports import export_release

    form = SiteForm(prompts=not without_prompts, references=with_references)
    export = export_release(store, release or score_data.newest_version_with_run(store), "site", out, form)
    names = [str(path) for path in export.files]
    return CommandAnswer({"files": names, "items": export.items}, f"{len(names)} files were written to {out.name}.")
