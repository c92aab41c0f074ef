"""Import published result tables, recompute their derived numbers, and audit them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from annotator.base.errors import BadInputError
from annotator.formats.read.published_table_files import PrintedTable, read_published
from annotator.metrics.comparison.correlation import board_ranks
from annotator.metrics.comparison.published_audit import AuditTable, share_count, table_audit
from annotator.metrics.scores.domains import average_row, domain_label, macro_mean, micro_mean
from annotator.metrics.scores.domains import dsi as compute_dsi
from annotator.metrics.scores.scaling import ScalingPoint, parse_size
from annotator.metrics.scores.weighted_scores import coco_score
from annotator.mining.quota_plan import divide_quotas
from annotator.model.changes import Changes
from annotator.model.rows.result_rows import Column, Table, ValueCell, text_cell
from annotator.services.results.comparisons import rank_table, scaling_table
from annotator.services.results.result_tables import TableOptions, compared_models, correlation_table, require_data
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_answers as stored

# Both printed numbers and the numbers they were computed from are rounded.
_ROUNDING_SLACK = 0.015
# A printed mean, deviation or sum with a smaller error is reported as a probable mistake.
_MAX_SLIP = 0.05
TableMaker = Callable[[PrintedTable, TableOptions], Table]


@dataclass(frozen=True, slots=True)
class PublishedReport:
    """The result of importing a file of published tables."""

    added: int
    already_present: int
    names: tuple[str, ...]
    changes: Changes


def import_published(store: ProjectFile, path: Path) -> PublishedReport:
    """Import the published tables of a file as one undoable change; tables already in the project are skipped.

    Raises `BadInputError` for an invalid file; nothing is changed then.
    """
    tables = read_published(path)
    names = [table.name for table in tables]
    if len(set(names)) != len(names):
        raise BadInputError(f"{path.name} has two tables with the same name. Nothing was imported.")
    with store.write() as db:
        added, changed = stored.add_published(
            db, store.annotator.id, [table.model_dump(mode="json") for table in tables]
        )
    return PublishedReport(added, len(tables) - added, tuple(names), changed)


def published_tables(store: ProjectFile) -> dict[str, PrintedTable]:
    """Return the project's published tables by name."""
    with store.read() as db:
        contents = stored.fetch_published_tables(db)
    return {name: PrintedTable.model_validate(content) for name, content in contents.items()}


def published_named(store: ProjectFile, name: str) -> PrintedTable:
    """Return a table by its name or an unambiguous prefix. Raises `BadInputError` listing all names."""
    tables = published_tables(store)
    if name in tables:
        return tables[name]
    close = [table for key, table in tables.items() if key.startswith(name)]
    if len(close) == 1:
        return close[0]
    names = ", ".join(tables) or "none; import them with annotator import published"
    raise BadInputError(f"There is no published table {name} in this project. Choose from: {names}.")


def make_published_table(published: PrintedTable, name: str, options: TableOptions) -> Table:
    """Return one of the `TABLES` for a published table. Raises `BadInputError` if it lacks the data."""
    if name not in TABLES:
        raise BadInputError(f"A published table has no table {name}. Choose from: {', '.join(TABLES)}.")
    return replace(TABLES[name](published, options), name=name)


def _make_title(published: PrintedTable, what: str) -> str:
    return f"{published.title or published.name}: {what}"


def _make_agreement_cell(computed: float | None, printed: float | None, slack: float = _ROUNDING_SLACK) -> ValueCell:
    if computed is None or printed is None:
        return text_cell("n/a" if computed is printed else "no")
    return text_cell("yes" if abs(computed - printed) <= slack else "no")


def _make_leaderboard_table(published: PrintedTable, _: TableOptions) -> Table:
    column = published.score or published.columns[0]
    scores = published.column(column)
    ranks = dict(zip(scores, board_ranks(list(scores.values())), strict=True))
    models = sorted(scores, key=lambda name: ranks[name] or len(scores) + 1)
    columns = (
        Column.of_numbers("rank", [ranks[model] for model in models], 0),
        Column.of_texts("model", models),
        Column.of_numbers(column, [scores[model] for model in models]),
        Column.of_texts("kind", [published.kinds.get(model, "") for model in models]),
        Column.of_texts("size", [published.model_sizes.get(model, "") for model in models]),
    )
    return Table(name="leaderboard", title=_make_title(published, "ranking"), columns=columns)


def _make_domain_table(published: PrintedTable, options: TableOptions) -> Table:
    """Return recomputed columns next to the printed ones, and micro mean and counts if sizes are known."""
    groups = published.groups or published.columns
    models = published.models()
    rows = [published.values(model) for model in models]
    known_values = [[value for group in groups if (value := values[group]) is not None] for values in rows]
    means = [macro_mean(values) if values else (None, None) for values in known_values]
    columns = [
        Column.of_texts("model", models),
        *(Column.of_numbers(group, [values[group] for values in rows]) for group in groups),
        Column.of_numbers("mean", [mean for mean, _ in means]),
        Column.of_numbers("std", [std for _, std in means]),
    ]
    derived = {
        name: [_compute_derived(published, name, values) for values in rows]
        for name in (*published.mean_of, *published.std_of, *published.weighted)
    }
    for name, computed in derived.items():
        printed = [values[name] for values in rows]
        columns += (
            Column.of_numbers(f"{name} computed", computed),
            Column.of_numbers(f"{name} printed", printed),
            Column(f"{name} agrees", tuple(map(_make_agreement_cell, computed, printed))),
        )
    if all(group in published.sizes for group in groups):
        columns += _make_passed_columns(published, groups, rows)
    notes = ["Mean and sample standard deviation are over the groups, unweighted."]
    if published.average:
        block = [[values[group] or 0.0 for group in groups] for values in rows]
        averages, deviation = average_row(block)
        averages_text = ", ".join(f"{group} {mean:.2f}" for group, mean in zip(groups, averages, strict=True))
        notes.append(f"Average row: {averages_text}; mean of the deviations {deviation:.2f}.")
    for name in derived:
        agreement = next(column for column in columns if column.title == f"{name} agrees")
        agreeing = sum(cell.text == "yes" for cell in agreement.cells)
        notes.append(f"{name}: {agreeing} of {len(rows)} rows agree with the printed numbers.")
    return Table(
        name="domains", title=_make_title(published, f"by {options.by}"), columns=tuple(columns), notes=tuple(notes)
    )


def _make_passed_columns(
    published: PrintedTable, groups: Sequence[str], rows: Sequence[Mapping[str, float | None]]
) -> list[Column]:
    """Return columns of the passed items in each group, and of the mean over all items."""
    sizes = [published.sizes[group] for group in groups]
    passed = [
        Column(f"{group} passed", tuple(_count_cell(values[group], size) for values in rows), numeric=True)
        for group, size in zip(groups, sizes, strict=True)
    ]
    shares = [
        [number / size for number, size in zip(numbers, sizes, strict=True) if number is not None]
        for numbers in zip(*(column.numbers for column in passed), strict=True)
    ]
    micro_means = [micro_mean(row_shares, sizes) if len(row_shares) == len(groups) else None for row_shares in shares]
    return [*passed, Column.of_shares("all items", micro_means)]


def _compute_derived(published: PrintedTable, name: str, values: Mapping[str, float | None]) -> float | None:
    """Compute a derived number of a row from its parts; None if a part is missing."""
    if name in published.weighted:
        weights = published.weighted[name]
        return coco_score({part: values[part] for part in weights}, weights)
    parts = [values[part] for part in (published.mean_of.get(name) or published.std_of[name])]
    present = [value for value in parts if value is not None]
    if len(present) < len(parts) or not present:
        return None
    return macro_mean(present).mean if name in published.mean_of else macro_mean(present).std


def _count_cell(value: float | None, n: int) -> ValueCell:
    count = None if value is None else share_count(value, n)
    return text_cell("n/a") if count is None else ValueCell(f"{count}/{n}", float(count))


def _make_dsi_table(published: PrintedTable, options: TableOptions) -> Table:
    """Return every model's DSI and label in every group, next to the printed DSI and that by the paper's convention."""
    models = published.models()
    cells: list[_PublishedDsiCell] = []
    for group in published.groups:
        column = published.column(group)
        scores = [value for model in models if (value := column[model]) is not None]
        require_data(len(scores) == len(models), f"{group} has no number for some models, so it has no DSI.")
        printed = published.dsi.get(group, (None,) * len(models))
        cells += [
            _PublishedDsiCell(
                model, group, compute_dsi(scores, index), compute_dsi(scores, index, paper=True), printed[index]
            )
            for index, model in enumerate(models)
        ]
    defined = sum(cell.own is not None for cell in cells)
    agreeing = sum(_make_agreement_cell(cell.own, cell.printed).text == "yes" for cell in cells)
    columns = (
        Column.of_texts("model", [cell.model for cell in cells]),
        Column.of_texts("group", [cell.group for cell in cells]),
        Column.of_numbers("DSI %", [cell.own for cell in cells]),
        Column.of_numbers("DSI % by the convention", [cell.paper for cell in cells]),
        Column.of_numbers("printed", [cell.printed for cell in cells]),
        Column("agrees", tuple(_make_agreement_cell(cell.paper, cell.printed) for cell in cells)),
        Column.of_texts("label", [domain_label(cell.own, options.threshold) for cell in cells]),
    )
    notes = [
        compared_models(models),
        f"{defined} of {len(cells)} cells are defined.",
        *([f"{agreeing} of these agree with the number printed in their place."] if published.dsi else []),
        *_find_swapped_columns(published, models),
        "With the published convention an unsolved group is -100 (0 if nobody solves it).",
    ]
    return Table(
        name="dsi", title=_make_title(published, "comfort and strange domains"), columns=columns, notes=tuple(notes)
    )


class _PublishedDsiCell(NamedTuple):
    """A model's DSI in a group: by definition, by the paper's convention for unsolved groups, and as printed."""

    model: str
    group: str
    own: float | None
    paper: float | None
    printed: float | None


def _find_swapped_columns(published: PrintedTable, models: tuple[str, ...]) -> list[str]:
    """Return notes on columns of a printed DSI table that agree better when swapped."""
    pairs: dict[tuple[int, int], int] = {}
    for group in published.dsi:
        column = published.column(group)
        own_values = [compute_dsi([column[model] or 0.0 for model in models], index) for index in range(len(models))]
        printed = published.dsi[group]
        wrong = [
            index
            for index, value in enumerate(own_values)
            if _make_agreement_cell(value, printed[index]).text == "no" and value is not None
        ]
        if len(wrong) == 2:
            a, b = wrong
            if (
                _make_agreement_cell(own_values[a], printed[b]).text == "yes"
                and _make_agreement_cell(own_values[b], printed[a]).text == "yes"
            ):
                pairs[a, b] = pairs.get((a, b), 0) + 2
    return [
        f"{count} more agree if the columns {models[a]} and {models[b]} are swapped in the printed table."
        for (a, b), count in pairs.items()
    ]


def _make_correlation_table(published: PrintedTable, _: TableOptions) -> Table:
    require_data(len(published.groups) > 1, f"{published.name} does not say which columns are groups.")
    columns = {group: list(published.column(group).values()) for group in published.groups}
    table = correlation_table(_make_title(published, "rank correlations"), columns)
    pairs = zip(table.column("one").texts, table.column("other").texts, strict=True)
    printed = [published.spearman.get(f"{a}-{b}", published.spearman.get(f"{b}-{a}")) for a, b in pairs]
    computed = table.column("Spearman").numbers
    agrees = tuple(_make_agreement_cell(own, other, 0.00006) for own, other in zip(computed, printed, strict=True))
    return replace(table, columns=(*table.columns, Column.of_numbers("printed", printed, 4), Column("agrees", agrees)))


def _rank_table(published: PrintedTable, options: TableOptions) -> Table:
    name, other = next(iter(published.other.items()), ("other", {}))
    other = options.scores or other
    require_data(other, f"{published.name} has no scores of another benchmark; name some with --against.")
    column = published.other_column or published.score or published.columns[0]
    ours = {model: value for model, value in published.column(column).items() if value is not None}
    return rank_table(_make_title(published, f"ranks here and on {name}"), ours, dict(other), name)


def _make_scaling_table(published: PrintedTable, options: TableOptions) -> Table:
    """Return score against size for the models of one kind (``options.a``; default: code models if there are kinds)."""
    column = published.score or published.columns[0]
    kinds = sorted(set(published.kinds.values()))
    kind = options.a
    if not kind and kinds:
        kind = "Code" if "Code" in kinds else kinds[0]
    require_data(not kind or kind in kinds, f"There is no kind {kind}. Choose from: {', '.join(kinds) or 'none'}.")
    points = []
    unknown = []
    scores = published.column(column)
    for model, score in scores.items():
        if score is None or (kind and published.kinds.get(model) != kind):
            continue
        size = parse_size(published.model_sizes.get(model, ""))
        if size is None:
            unknown.append(model)
        else:
            points.append(ScalingPoint(model, size.total, score, size.active))
    require_data(points, f"{published.name} does not say how large its models are.")
    best = max(value for value in scores.values() if value is not None)
    subject = f"score against size, {kind} models" if kind else "score against size"
    target_score = best if options.target is None else options.target
    return scaling_table(_make_title(published, subject), points, unknown, target_score, line_models=options.frontier)


def _audit_table(published: PrintedTable, _: TableOptions) -> Table:
    rows = {name: values for name, values in published.rows.items() if name != published.average}
    audit = table_audit(
        AuditTable(
            columns=published.columns,
            rows=rows,
            sizes=published.sizes,
            mean_of=published.mean_of,
            std_of=published.std_of,
            rising=published.rising,
            total_of=published.total_of,
        )
    )
    findings = audit.findings
    columns = (
        Column.of_texts("model", [finding.row for finding in findings]),
        Column.of_texts("column", [finding.column for finding in findings]),
        Column.of_texts("check", [finding.check for finding in findings]),
        Column.of_numbers("printed", [finding.printed for finding in findings]),
        Column.of_numbers("expected", [finding.expected for finding in findings]),
        Column.of_texts("why", [finding.sentence for finding in findings]),
    )
    counts_text = ", ".join(f"{name} {count}" for name, count in audit.checked.items() if count) or "none"
    notes = [f"{len(findings)} numbers are inconsistent. Numbers checked: {counts_text}."]
    close = [
        f"{finding.row} {finding.column} by {abs(finding.printed - finding.expected):.3f}"
        for finding in findings
        if finding.check in ("mean", "std", "total")
        and finding.printed is not None
        and finding.expected is not None
        and abs(finding.printed - finding.expected) < _MAX_SLIP
    ]
    if close:
        notes.append(f"Off by slightly more than rounding explains, so probably a mistake: {', '.join(close)}.")
    return Table(name="audit", title=_make_title(published, "audit"), columns=columns, notes=tuple(notes))


def _make_quota_table(published: PrintedTable, _: TableOptions) -> Table:
    require_data(published.seeds, f"{published.name} does not say how its questions were divided.")
    cells = divide_quotas(published.wanted, published.seeds)
    printed = [published.quotas.get(cell.language) for cell in cells]
    agrees = Column(
        "agrees", tuple(_make_agreement_cell(cell.quota, own, 0.5) for cell, own in zip(cells, printed, strict=True))
    )
    columns = (
        Column.of_texts("area", [cell.area for cell in cells]),
        Column.of_texts("language", [cell.language for cell in cells]),
        Column.of_counts("candidates", [cell.candidate_count for cell in cells]),
        Column.of_numbers("share", [cell.share for cell in cells]),
        Column.of_counts("quota", [cell.quota for cell in cells]),
        Column.of_numbers("printed", printed, 0),
        agrees,
    )
    agreeing = agrees.texts.count("yes")
    total = sum(cell.quota for cell in cells)
    notes = (f"{agreeing} of {len(cells)} agree; the quotas sum to {total}, printed {sum(published.quotas.values())}.",)
    return Table(name="quotas", title=_make_title(published, "quotas"), columns=columns, notes=notes)


TABLES: Mapping[str, TableMaker] = {
    "leaderboard": _make_leaderboard_table,
    "domains": _make_domain_table,
    "dsi": _make_dsi_table,
    "correlation": _make_correlation_table,
    "ranks": _rank_table,
    "scaling": _make_scaling_table,
    "audit": _audit_table,
    "quotas": _make_quota_table,
}
