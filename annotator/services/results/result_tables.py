"""Result tables made from columns of scores, shared by window, commands and report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.metrics.comparison.correlation import spearman_matrix
from annotator.metrics.comparison.score_intervals import DRAWS, few_clusters, mean_estimate
from annotator.metrics.metric_values import Estimate
from annotator.metrics.scores.domains import DSI_THRESHOLD, FEW_PROBLEMS, DsiCell, dsi_table
from annotator.metrics.scores.score_board import HeatMap, LeaderRow, block_report, heat_map, item_best_of_ks
from annotator.metrics.scores.score_board import leaderboard as board
from annotator.model.rows.release_rows import summarize_overrides
from annotator.model.rows.result_rows import (
    Column,
    Leaderboard,
    LeaderboardRow,
    ResultRun,
    Table,
    Target,
    ValueCell,
    percent_cell,
    text_cell,
)
from annotator.model.vocabulary import NO_ANSWER, NOT_SCORED, UNSETTLED
from annotator.services.results.score_data import ResultData, ResultEntry, load_results
from annotator.store.file.project_file import ProjectFile

KS = (1, 3, 5, 10)
_SAMPLES_PER_BATCH = 10
_MAX_NAMES_LISTED = 20
# Name in a run's totals -> column title of what a run used.
_USAGE_TITLES: Mapping[str, str] = MappingProxyType(
    {"completion_tokens": "tokens per answer", "cost": "cost", "seconds": "seconds per answer"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """Options of result tables; each table uses those that apply to it.

    ``minimum`` is the fewest items a group needs, ``a`` and ``b`` are the models to compare, ``scores`` another
    benchmark's model -> score to compare ranks with. ``target`` is the score to extrapolate a scaling line to (None:
    the best score), ``frontier`` the models it is fitted to (empty: the upper envelope), ``other_version`` the release
    to compare with. ``passes_by`` splits the best of k by groups, ``passes_k`` leaves one k of it. ``group`` is the
    one group of ``by`` to show.
    """

    by: str = "domain"
    group: str = ""
    passes_k: int | None = None
    passes_by: str = ""
    threshold: float = DSI_THRESHOLD
    minimum: int = FEW_PROBLEMS
    draws: int = DRAWS
    seed: int = 0
    cluster: str = ""
    a: str = ""
    b: str = ""
    other_version: str = ""
    scores: dict[str, float] = field(default_factory=dict)
    target: float | None = None
    frontier: tuple[str, ...] = ()


def run_targets(entries: Sequence[ResultEntry]) -> list[Target]:
    """Return link targets to the items of each run."""
    return [Target("items", entry.run.id) for entry in entries]


def model_column(entries: Sequence[ResultEntry]) -> Column:
    """Return the column that names the run of each row."""
    return Column.of_texts("model", [entry.label for entry in entries], run_targets(entries))


def estimate_columns(
    title: str,
    estimates: Sequence[Estimate | None],
    end_titles: tuple[str, str] = ("from", "to"),
    targets: Sequence[Target] = (),
) -> tuple[Column, Column, Column]:
    """Return three columns in percent: the values of estimates, linked to ``targets``, and both interval ends, which
    get ``end_titles``."""
    return (
        Column.of_shares(title, [estimate.value if estimate else None for estimate in estimates], targets),
        Column.of_shares(end_titles[0], [estimate.low if estimate else None for estimate in estimates]),
        Column.of_shares(end_titles[1], [estimate.high if estimate else None for estimate in estimates]),
    )


def mean_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None, None if there are none."""
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None


def best_first_key(score: float | None) -> float:
    """Return a sort key that puts the best score first and undefined scores last."""
    return 1.0 if score is None else -score


def leaderboard_table(data: ResultData, options: TableOptions) -> Table:
    """Return models ranked by mean score with 95 % interval, standard error, sample outcomes and evaluated items."""
    clusters = [name or "" for name in data.groups(options.cluster)] if options.cluster else None
    ranked = board(data.scores, clusters)
    indices = {entry.label: index for index, entry in enumerate(data.entries)}
    order = [indices[row.model] for row in ranked]
    entries = [data.entries[index] for index in order]
    outcomes = [data.outcomes(index) for index in order]
    totals = [data.columns[index].totals for index in order]
    targets = run_targets(entries)
    columns = (
        Column.of_numbers("rank", [row.rank for row in ranked], 0),
        Column.of_texts("model", [entry.run.model for entry in entries], targets),
        Column.of_texts("protocol", [entry.run.protocol for entry in entries]),
        *estimate_columns("score %", [row.estimate for row in ranked], targets=targets),
        Column.of_shares("SE", [row.se for row in ranked]),
        *(_make_outcome_column(kind, outcomes) for kind in ("pass", "partial", "fail")),
        Column.of_counts("no answer", [sum(counts[name] for name in NO_ANSWER) for counts in outcomes]),
        Column.of_counts(NOT_SCORED, [counts["machinery"] for counts in outcomes]),
        Column("items", tuple(map(_make_evaluated_cell, ranked)), numeric=True),
        Column.of_counts("samples", [counts.total() for counts in outcomes]),
        Column.of_texts("item score", [entry.estimator for entry in entries]),
        *(_make_outcome_column(kind, outcomes) for kind in UNSETTLED if any(counts[kind] for counts in outcomes)),
        *([Column.of_counts("shared items", map(data.shared_of, order))] if data.shared else []),
        *_test_limit_columns([entry.run for entry in entries]),
        *(
            _make_usage_column(name, totals)
            for name in _USAGE_TITLES
            if any(part.totals.get(name) for part in data.columns)
        ),
    )
    notes = [_make_interval_note(options.cluster, clusters)]
    rank_counts = Counter(row.rank for row in ranked if row.rank is not None)
    if any(count > 1 for count in rank_counts.values()):
        notes.append(Message("Equal scores share the better rank: 1, 1, 3."))
    failed = sum(data.outcomes(index)["machinery"] for index in range(len(data.entries)))
    if failed:
        notes.append(
            Message(
                "{failed} samples could not be scored here; their items are left out and never counted as 0.",
                failed=failed,
            )
        )
    title = Message("Leaderboard of release {version}", version=data.version)
    return Table(name="leaderboard", title=title, columns=columns, notes=tuple(notes))


def _test_limit_columns(runs: Sequence[ResultRun]) -> list[Column]:
    """Return a column of the runs' default test time limits if any run set one, since the limit affects scores."""
    limits = [run.test_timeout_s for run in runs]
    return [Column.of_numbers("test limit s", limits, 1)] if any(limits) else []


def _make_outcome_column(kind: str, outcomes: Sequence[Counter[str]]) -> Column:
    return Column.of_counts(kind, [counts[kind] for counts in outcomes])


def _make_evaluated_cell(row: LeaderRow) -> ValueCell:
    return ValueCell(Message("{number} of {count}", number=row.evaluated, count=row.items), float(row.evaluated))


def _make_usage_column(name: str, totals: Sequence[Mapping[str, float | None]]) -> Column:
    """Return a usage column: the total cost of each run, or the mean tokens or seconds per answer."""
    if name == "cost":
        return Column.of_numbers(_USAGE_TITLES[name], [row.get(name) for row in totals], 4)
    pairs = ((row.get(name), row.get("responses")) for row in totals)
    means = [total / answers if total is not None and answers else None for total, answers in pairs]
    return Column.of_numbers(_USAGE_TITLES[name], means, 1)


def grid_table(data: ResultData, _: TableOptions) -> Table:
    """Return every item's score under every model, in release order; cells link to that model's answers."""
    values = data.scores.values
    targets = [Target("item", id=item.subject_id) for item in data.items]
    scored = [column[column == column] for column in values.T]
    columns = (
        Column.of_texts("key", [item.key for item in data.items], targets),
        Column.of_texts("title", [item.title for item in data.items], targets),
        Column.of_texts("domain", [item.domain for item in data.items], targets),
        *(_make_grid_column(data, entry, row) for entry, row in zip(data.entries, values, strict=True)),
        Column.of_shares("mean", [float(column.mean()) if len(column) else None for column in scored]),
    )
    notes = (Message("Percent: each model's score on each item, by its estimator."),)
    title = Message("Items and models, release {version}", version=data.version)
    return Table(name="grid", title=title, columns=columns, notes=notes)


def _make_grid_column(data: ResultData, entry: ResultEntry, scores: NDArray[np.float64]) -> Column:
    cells = (
        percent_cell(None if value != value else float(value), Target("item", entry.run.id, id=item.subject_id))
        for item, value in zip(data.items, scores, strict=True)
    )
    return Column(entry.label, tuple(cells), numeric=True)


def table_caveats(data: ResultData) -> tuple[Message, ...]:
    """Return the caveats for every table of scores: doubtful verdicts, shared mode, other criteria, overrides."""
    doubts = []
    for index, entry in enumerate(data.entries):
        counts = data.outcomes(index)
        kinds = ", ".join(f"{counts[kind]} {kind}" for kind in UNSETTLED if counts[kind])
        if kinds:
            doubts.append(f"{entry.label}: {kinds}")
    notes = []
    if doubts:
        labels_text = "; ".join(doubts[:_MAX_NAMES_LISTED])
        notes.append(Message("Answers with a doubtful verdict earn 0 ({list}).", list=labels_text))
    if data.shared:
        notes.append(
            Message(
                "The tests of {shared} of {count} items run in the same process as the answer (mode shared), so an "
                "answer written to cheat could reach them.",
                shared=data.shared,
                count=len(data.items),
            )
        )
    rules = Counter(item.mining_rules for item in data.items)
    if rules["published"] or rules["own"]:
        notes.append(
            Message(
                "Mined from repositories: {published} items as published, {own} by our own rules.",
                published=rules["published"],
                own=rules["own"],
            )
        )
    others = [entry.label for entry in data.entries if entry.run.criteria not in ("release", f"release {data.version}")]
    if others:
        labels_text = ", ".join(others[:_MAX_NAMES_LISTED])
        notes.append(Message("Scored again with other criteria than this release's: {list}.", list=labels_text))
    if data.overrides:
        notes.append(Message("Released with unmet gates: {list}.", list=summarize_overrides(data.overrides)))
    return tuple(notes)


def _make_interval_note(cluster: str, clusters: Sequence[str] | None) -> Message:
    if clusters is None:
        return Message(
            "Intervals are 95 %: Wilson's for scores of 0 and 1, else the mean ± 1.96 standard errors "
            "(below 30 items, Student's t)."
        )
    word = mark_word(cluster)
    count = len(set(clusters))
    if few_clusters(clusters):
        return Message(
            "Errors are clustered by {cluster} ({count} clusters; fewer than ten, so not reliable).",
            cluster=word,
            count=count,
        )
    return Message("Errors are clustered by {cluster} ({count} clusters).", cluster=word, count=count)


def domain_table(data: ResultData, options: TableOptions) -> Table:
    """Return every model's mean in every group, passed items for binary scores, macro mean and spread, and micro mean.

    Groups with too few items are shown but excluded from the macro mean (specification, section 1.4). With ``group``,
    return every model's mean in that group with its interval.
    """
    heat = heat_map(data.scores, data.groups(options.by))
    if options.group:
        return _group_table(data, options, heat)
    order = sorted(range(len(heat.groups)), key=heat.groups.__getitem__)
    minimum = _choose_minimum(heat.count.max(axis=0).tolist() if len(heat.models) else [], options.minimum)
    macro = heat.macro(minimum)
    names = [heat.groups[group] for group in order]
    cells = [[heat.cell(index, group) for index in range(len(data.entries))] for group in order]
    targets = [[Target("items", entry.run.id, options.by, name) for entry in data.entries] for name in names]
    scored = [row[row == row] for row in map(data.row, range(len(data.entries)))]
    groups = list(zip(names, cells, targets, strict=True))
    columns = (
        model_column(data.entries),
        *(
            Column.of_shares(name, [cell.value if cell else None for cell in group_cells], column_targets)
            for name, group_cells, column_targets in groups
        ),
        Column.of_shares("mean", [mean for mean, _ in macro]),
        Column.of_shares("std", [std for _, std in macro]),
        Column.of_shares("all items", [float(row.mean()) if len(row) else None for row in scored]),
        Column("total", tuple(_make_total_cell(float(row.sum()), len(row)) for row in scored), numeric=True),
        *(
            Column(f"{name} passed", tuple(map(_make_passed_cell, group_cells, column_targets)), numeric=True)
            for name, group_cells, column_targets in groups
        ),
    )
    small_groups = [
        name for name, group in zip(names, order, strict=True) if heat.count[:, group].max(initial=0) < minimum
    ]
    by = mark_word(options.by)
    notes = [
        Message(
            "Percent. Mean and sample standard deviation are over {by} groups, unweighted; all items is the mean over "
            "items.",
            by=by,
        )
    ]
    if small_groups:
        groups_text = ", ".join(small_groups)
        notes.append(
            Message(
                "Left out of the mean, because fewer than {minimum} items were scored: {list}.",
                minimum=minimum,
                list=groups_text,
            )
            if minimum > 1
            else Message("Left out of the mean, because no item was scored: {list}.", list=groups_text)
        )
    for k in sorted({entry.k for entry in data.entries if entry.k is not None}):
        notes.append(
            Message("Each item's score is the best of {k} samples, which is pass@{k} for scores of 0 and 1.", k=k)
        )
    title = Message("Scores by {by}, release {version}", by=mark_word(options.by), version=data.version)
    return Table(name="domains", title=title, columns=columns, notes=tuple(notes))


def _make_total_cell(total: float, count: int) -> ValueCell:
    return ValueCell(f"{_number_text(total)}/{count}", total)


def _make_passed_cell(cell: Estimate | None, target: Target) -> ValueCell:
    """Return the number of passed items of a group; the cell is numeric only if the sum is a whole number."""
    if cell is None:
        return text_cell("n/a", target)
    total = cell.value * cell.n
    if abs(total - round(total)) < 1e-9:
        return ValueCell(f"{round(total)}/{cell.n}", float(round(total)), target)
    return text_cell(f"{total:.2f}/{cell.n}", target)


def _choose_minimum(sizes: Sequence[int], minimum: int) -> int:
    """Return the minimum group size to apply: ``minimum``, or 1 if no group is that large."""
    return minimum if any(size >= minimum for size in sizes) else 1


def _number_text(value: float) -> str:
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{value:.2f}"


def dsi_score_table(data: ResultData, options: TableOptions) -> Table:
    """Return the domain-specific improvement of every model in every group, with interval and label (section 1.5)."""
    data = data.one_protocol()
    groups = data.groups(options.by)
    values = data.scores.values
    blocks = {
        name: values[:, [index for index, group in enumerate(groups) if group == name]].tolist()
        for name in sorted({group for group in groups if group is not None})
    }
    labels = [entry.label for entry in data.entries]
    largest = [len(block[0]) if block else 0 for block in blocks.values()]
    report = dsi_table(
        labels,
        blocks,
        threshold=options.threshold,
        minimum=_choose_minimum(largest, options.minimum),
        draws=options.draws,
        seed=options.seed,
    )
    runs = {entry.label: entry.run.id for entry in data.entries}
    cells = report.cells
    targets = [Target("items", runs[cell.model], options.by, cell.domain) for cell in cells]
    columns = (
        Column.of_texts("model", [cell.model for cell in cells], targets),
        Column.of_texts(options.by, [cell.domain for cell in cells], targets),
        Column.of_numbers("DSI %", [cell.value for cell in cells], targets=targets),
        Column.of_numbers("from", [cell.low for cell in cells]),
        Column.of_numbers("to", [cell.high for cell in cells]),
        Column.of_texts("label", [_describe_dsi(cell, options.minimum) for cell in cells]),
        Column.of_counts("items", [cell.problems for cell in cells]),
        Column.of_texts("why", [cell.reason for cell in cells]),
    )
    notes = [
        compared_models(labels),
        Message(
            "Comfort above {threshold}, strange below -{low}; tentative if the 95 % interval (bootstrap over items, "
            "{draws} draws) is not clearly on one side, or with fewer than {minimum} items.",
            threshold=f"{options.threshold:g}",
            low=f"{options.threshold:g}",
            draws=f"{options.draws:,}",
            minimum=options.minimum,
        ),
    ]
    if report.left_out:
        notes.append(
            Message(
                "Left out, because every model was scored on too few of their items: {list}.",
                list=", ".join(report.left_out),
            )
        )
    title = Message("Comfort and strange {by}s, release {version}", by=mark_word(options.by), version=data.version)
    return Table(name="dsi", title=title, columns=columns, notes=tuple(notes))


def _describe_dsi(cell: DsiCell, minimum: int) -> str:
    # A few identical items have no spread in the bootstrap, but are too few for a firm label.
    is_tentative = cell.tentative or cell.problems < minimum
    return f"{cell.label}, tentative" if is_tentative and cell.value is not None else cell.label


def group_correlation_table(data: ResultData, options: TableOptions) -> Table:
    """Return Spearman's correlation between groups over models (section 1.8)."""
    data = data.one_protocol()
    heat = heat_map(data.scores, data.groups(options.by))
    columns: dict[str, list[float | None]] = {}
    for group_index, name in sorted(enumerate(heat.groups), key=lambda pair: pair[1]):
        cells = [heat.cell(index, group_index) for index in range(len(heat.models))]
        columns[name] = [cell.value if cell else None for cell in cells]
    title = Message("Correlation between {by}s, release {version}", by=mark_word(options.by), version=data.version)
    return correlation_table(title, columns)


def correlation_table(title: str, columns: dict[str, list[float | None]]) -> Table:
    """Return the correlations between columns over the same models, a row per pair."""
    pairs = spearman_matrix(columns).cells
    cells = pairs.values()
    table_columns = (
        Column.of_texts("one", [first for first, _ in pairs]),
        Column.of_texts("other", [second for _, second in pairs]),
        Column.of_numbers("Spearman", [cell.value for cell in cells], 4),
        Column.of_numbers("from", [cell.low for cell in cells], 4),
        Column.of_numbers("to", [cell.high for cell in cells], 4),
        Column(
            "p",
            tuple(ValueCell("n/a") if cell.p is None else ValueCell(f"{cell.p:.2g}", cell.p) for cell in cells),
            True,
        ),
        Column.of_counts("models", [cell.n for cell in cells]),
        Column.of_texts("p < .05", [cell.reason or ("yes" if cell.significant else "no") for cell in cells]),
    )
    notes = (Message("Rank correlation over models; the interval is Fisher's z with standard error 1.03/√(n - 3)."),)
    return Table(name="correlation", title=title, columns=table_columns, notes=notes)


def _group_table(data: ResultData, options: TableOptions, heat: HeatMap) -> Table:
    if options.group not in heat.groups:
        raise BadInputError(f"There is no group {options.group}. Choose from: {', '.join(sorted(heat.groups))}.")
    group_index = heat.groups.index(options.group)
    cells = [heat.cell(index, group_index) for index in range(len(data.entries))]
    order = sorted(range(len(cells)), key=lambda index: best_first_key(cell.value if (cell := cells[index]) else None))
    entries = [data.entries[index] for index in order]
    cells = [cells[index] for index in order]
    targets = [Target("items", entry.run.id, options.by, options.group) for entry in entries]
    columns = (
        Column.of_texts("model", [entry.label for entry in entries], targets),
        *estimate_columns("score %", cells, targets=targets),
        Column.of_counts("items", [cell.n if cell else 0 for cell in cells]),
    )
    title = Message("{group}, release {version}", group=mark_word(options.group), version=data.version)
    return Table(name="leaderboard", title=title, columns=columns)


def available_ks(data: ResultData) -> list[int]:
    """Return each k for which some run has enough samples."""
    values = data.cube.values
    most = int((values == values).sum(axis=2).max(initial=1))
    return sorted({k for k in (*KS, most) if k <= most})


def pass_table(data: ResultData, options: TableOptions) -> Table:
    """Return every model's best of k, for each k that its samples allow; for binary scores it is pass@k (1.1, 1.2).

    With ``passes_by`` there is a row for every model and group.
    """
    cube = data.cube
    ks = [k for k in available_ks(data) if options.passes_k in (None, k)]
    by = options.passes_by
    groups = data.groups(by) if by else [""] * len(data.items)
    names = sorted({name for name in groups if name is not None})
    best = item_best_of_ks(cube, ks)
    boards = {k: heat_map(scores, groups) for k, scores in best.items()} if groups else {}
    lines = [(index, name) for index in range(len(data.entries)) for name in names or [""]]
    entries = [data.entries[index] for index, _ in lines]
    columns = [model_column(entries)]
    if by:
        targets = [Target("items", data.entries[index].run.id, by, name) for index, name in lines]
        columns.append(Column.of_texts(by, [name for _, name in lines], targets))
    columns.append(Column.of_counts("samples", [entry.run.samples for entry in entries]))
    for k in ks:
        heat = boards.get(k) if names else None
        estimates = [heat.cell(index, heat.groups.index(name)) if heat else None for index, name in lines]
        columns += estimate_columns(f"best@{k} %", estimates, (f"best@{k} from", f"best@{k} to"))
        columns.append(Column.of_counts(f"best@{k} items", [cell.n if cell else 0 for cell in estimates]))
    # The array is as wide as the run with the most samples.
    item_indices = {
        name: [item_index for item_index, other in enumerate(groups) if other == name] for name in names or [""]
    }
    blocks = [
        block_report(cube.values[index, item_indices[name], : entry.run.samples], _SAMPLES_PER_BATCH)
        for (index, name), entry in zip(lines, entries, strict=True)
    ]
    # Two sources of error: decoding (between batches) and the choice of items (1.10).
    columns += [
        Column.of_shares("avg_max_10 %", [block.share if block else None for block in blocks]),
        Column.of_shares("std of batches", [block.decoding_std if block else None for block in blocks]),
        Column.of_shares("SE of items", [block.question_se if block else None for block in blocks]),
    ]
    notes = (
        Message(
            "best@k is the expected best of k samples, which is pass@k for scores of 0 and 1; a model with fewer "
            "samples has none. With as many samples as k it is 'any of k'."
        ),
        *_warn_of_different_items({f"best@{k}": ~np.isnan(scores.values) for k, scores in best.items()}),
        Message("avg_max_10 is the mean over batches of ten of each item's best; whole batches only."),
    )
    title = (
        Message("Best of k by {by}, release {version}", by=mark_word(by), version=data.version)
        if by
        else Message("Best of k, release {version}", version=data.version)
    )
    return Table(name="passes", title=title, columns=tuple(columns), notes=notes)


def _warn_of_different_items(scored: Mapping[str, NDArray[np.bool_]]) -> list[Message]:
    """Return a warning for columns whose models were scored on different items; ``scored`` is models by items."""
    shared = {}
    for name, is_scored in scored.items():
        rows = is_scored[is_scored.any(axis=1)]
        if (rows != rows[:1]).any():
            shared[name] = int(rows.all(axis=0).sum())
    if not shared:
        return []
    names = ", ".join(f"{name} ({count:,})" for name, count in shared.items())
    return [
        Message(
            "Not a ranking: models have {names} on different items; in brackets, the number of items all of them "
            "share. The tables pairs and compare use the items that both models have.",
            names=names,
        )
    ]


def decoding_table(data: ResultData, _: TableOptions) -> Table:
    """Return a row per run with its decoding settings, samples and mean score, for sweeps."""
    runs = [entry.run for entry in data.entries]
    rows = map(data.row, range(len(runs)))
    settings = [_find_numeric_settings(run.settings) for run in runs]
    columns = (
        Column.of_texts("model", [run.model for run in runs], run_targets(data.entries)),
        Column.of_texts("protocol", [run.protocol for run in runs]),
        Column.of_numbers("temperature", [decoding.get("temperature") for decoding in settings]),
        Column.of_numbers("top_p", [decoding.get("top_p") for decoding in settings]),
        Column.of_numbers("max tokens", [decoding.get("max_tokens") for decoding in settings]),
        Column.of_counts("samples", [run.samples for run in runs]),
        *_test_limit_columns(runs),
        *estimate_columns("score %", [mean_estimate([float(value) for value in row[row == row]]) for row in rows]),
    )
    return Table(
        name="decoding", title=Message("Scores by decoding, release {version}", version=data.version), columns=columns
    )


def _find_numeric_settings(settings: object) -> dict[str, float]:
    """Return all numeric settings, including nested ones; the outermost value of a name wins."""
    decoding: dict[str, float] = {}
    if isinstance(settings, dict):
        for name, value in settings.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                decoding.setdefault(str(name), float(value))
            elif isinstance(value, dict):
                decoding = {**_find_numeric_settings(value), **decoding}
    return decoding


def compared_models(names: Sequence[str]) -> Message:
    """Return a note that names the compared models, since the DSI depends on the set of models."""
    names_text = ", ".join(names[:_MAX_NAMES_LISTED])
    more = f" and {len(names) - _MAX_NAMES_LISTED} more" if len(names) > _MAX_NAMES_LISTED else ""
    if len(names) == 1:
        return Message("DSI compares 1 model: {shown}. It depends on which models are compared.", shown=names_text)
    return Message(
        "DSI compares {count} models: {shown}. It depends on which models are compared.",
        count=len(names),
        shown=f"{names_text}{more}",
    )


def require_data(condition: object, sentence: str) -> None:
    """Raise `BadInputError` with a sentence unless a condition holds."""
    if not condition:
        raise BadInputError(sentence)


_LEADERBOARD_GROUPINGS = ("language", "domain", "task", "difficulty")


def load_leaderboard(store: ProjectFile, version: str | None = None) -> Leaderboard:
    """Rank the models that ran on a release (None: the newest with a run, else the newest), best first.

    A model's newest finished run under each protocol counts. Raises `BadInputError` if there is no such release.
    """
    return make_leaderboard(load_results(store, version))


def make_leaderboard(data: ResultData, by: str | None = None) -> Leaderboard:
    """Return the leaderboard of loaded results, without groups for a rater of a blind study of its items.

    Raises `BadInputError` if such a rater asks for the scores by a group.
    """
    indices = {entry.label: index for index, entry in enumerate(data.entries)}
    groupings = () if data.blind_study and not by else _LEADERBOARD_GROUPINGS
    heats = {name: heat_map(data.scores, data.groups(name)) for name in groupings}
    rows: list[LeaderboardRow] = []
    for row in board(data.scores):
        index = indices[row.model]
        estimate = row.estimate
        counts = data.outcomes(index)
        groups = {
            by: {
                name: (cell.value if (cell := heat.cell(index, group_index)) else None)
                for group_index, name in sorted(enumerate(heat.groups), key=lambda pair: pair[1])
            }
            for by, heat in heats.items()
        }
        board_row = LeaderboardRow(
            rank=row.rank,
            model=data.entries[index].run.model,
            score=estimate.value if estimate else None,
            low=estimate.low if estimate else None,
            high=estimate.high if estimate else None,
            passed=counts["pass"],
            partial=counts["partial"],
            failed=counts["fail"],
            no_answer=sum(counts[name] for name in NO_ANSWER),
            machinery=counts["machinery"],
            items=row.evaluated,
            samples=counts.total(),
            groups=groups,
            run_id=data.entries[index].run.id,
            protocol=data.entries[index].run.protocol,
            se=row.se,
            label=row.model,
            unsettled={kind: counts[kind] for kind in UNSETTLED if counts[kind]},
            shared=data.shared_of(index),
            test_timeout_s=data.entries[index].run.test_timeout_s,
        )
        rows.append(board_row)
    return Leaderboard(
        version=data.version, rows=tuple(rows), items=len(data.items), shared=data.shared, overrides=data.overrides
    )
