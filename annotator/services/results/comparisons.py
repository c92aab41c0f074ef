"""Tables that compare scores: with size, cost and length, between models, and with another benchmark."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import quantiles

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.base.open_files import refuse_project
from annotator.metrics.comparison.correlation import rank_difference
from annotator.metrics.comparison.paired_models import compare_pairwise as compare_models
from annotator.metrics.comparison.paired_models import holm_adjusted
from annotator.metrics.comparison.score_intervals import board_draws, bootstrap_interval, resampled_means
from annotator.metrics.scores.scaling import (
    Bin,
    ScalingPoint,
    Size,
    mean_by_bins,
    pareto_front,
    parse_size,
    scaling_fit,
    scaling_frontier,
    size_interval,
)
from annotator.metrics.scores.score_board import heat_map
from annotator.metrics.scores.weighted_scores import own_weights, weighted_score
from annotator.model.rows.result_rows import Column, Overall, Table, Target, ValueCell
from annotator.services.results.result_tables import (
    TableOptions,
    best_first_key,
    estimate_columns,
    model_column,
    require_data,
    run_targets,
)
from annotator.services.results.score_data import ResultData, ResultEntry

# A fitted line is not extrapolated to models larger than this.
_MAX_BILLIONS = 100_000
_SIGNIFICANCE = 0.05
_MIN_SHOWN_P = 0.0001
_MAX_SCORES_BYTES = 16 * 1024 * 1024
_SIZE_IN_NAME = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?[BbMm])(?![a-zA-Z\d])")


def other_rank_table(data: ResultData, options: TableOptions) -> Table:
    """Return every model's rank here and on another benchmark, and the difference (section 1.9)."""
    require_data(
        options.scores, Message("Choose the scores of the other benchmark: a file with model and score (--against).")
    )
    data = data.one_protocol()
    means = ((entry.run.model, data.mean(index)) for index, entry in enumerate(data.entries))
    ours = {model: 100 * mean for model, mean in means if mean is not None}
    title = Message("Ranks here and in another benchmark, release {version}", version=data.version)
    return rank_table(title, ours, options.scores)


def rank_table(title: str, ours: dict[str, float], other: dict[str, float], name: str = "other") -> Table:
    """Return the ranks of common models on two benchmarks, the largest differences first."""
    comparison = rank_difference(ours, other)
    rows = sorted(comparison.rows, key=lambda row: -abs(row.difference))
    columns = (
        Column.of_texts("model", [row.name for row in rows]),
        Column.of_numbers("ours", [row.ours for row in rows]),
        Column.of_numbers(name, [row.other for row in rows]),
        Column.of_numbers("rank ours", [row.rank_ours for row in rows], 1),
        Column.of_numbers(f"rank {name}", [row.rank_other for row in rows], 1),
        Column("difference", tuple(ValueCell(f"{row.difference:+.1f}", row.difference) for row in rows), numeric=True),
        Column.of_marks("flagged", [row.flagged for row in rows]),
    )
    rho = comparison.spearman
    notes = [
        Message(
            "{count} common models. Spearman {rho}, Kendall's tau-b {tau}, Pearson {r}.",
            count=len(comparison.rows),
            rho=_format_four_decimals(rho.value),
            tau=_format_four_decimals(comparison.kendall),
            r=_format_four_decimals(comparison.pearson),
        ),
        Message(
            "Positive: relatively better here. Flagged from a difference of {number} ranks (5, or a quarter of the "
            "models).",
            number=f"{comparison.flag_at:g}",
        ),
    ]
    if rho.reason:
        notes.append(Message("No Spearman correlation: {reason}.", reason=rho.reason))
    return Table(name="ranks", title=title, columns=columns, notes=tuple(notes))


def _format_four_decimals(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"


def model_scaling_table(data: ResultData, options: TableOptions) -> Table:
    """Return scores against model size, with a line fitted through the frontier (section 1.12)."""
    data = data.one_protocol()
    points = []
    unknown = []
    targets = {}
    for index, entry in enumerate(data.entries):
        mean = data.mean(index)
        size = _find_size(entry.run.model, entry.run.about)
        if size is None or mean is None:
            unknown.append(entry.label)
            continue
        points.append(ScalingPoint(entry.label, size.total, 100 * mean, size.active))
        targets[entry.label] = Target("items", entry.run.id)
    title = Message("Score against size, release {version}", version=data.version)
    return scaling_table(title, points, unknown, options.target, targets, options.frontier)


def _find_size(model: str, about: dict[str, object]) -> Size | None:
    stated_size = about.get("size") or about.get("parameters")
    if stated_size is not None:
        return parse_size(str(stated_size))
    sizes = _SIZE_IN_NAME.findall(model)
    return parse_size(sizes[-1]) if sizes else None


def scaling_table(
    title: str,
    points: Sequence[ScalingPoint],
    unknown: Sequence[str],
    target: float | None,
    targets: dict[str, Target] | None = None,
    line_models: Sequence[str] = (),
) -> Table:
    """Return a table of scores and sizes that marks the frontier, with the fitted line in the notes.

    The line is fitted to ``line_models``, by default to the upper envelope.
    """
    line_points = [point for point in points if point.name in line_models] or scaling_frontier(points)
    names = {point.name for point in line_points}
    notes: list[str] = []
    if len({point.size for point in line_points}) >= 2:
        fit = scaling_fit(line_points)
        target_score = max(point.score for point in points) if target is None else target
        size_estimate = size_interval(fit, target_score)
        r2 = "n/a" if fit.r2 is None else f"{fit.r2:.3f}"
        notes.append(
            f"score = {fit.a:.2f} + {fit.b:.2f} · log10(size in billions), R² {r2}, {len(line_points)} points."
        )
        if size_estimate.size is not None:
            interval = f"{_format_billions(size_estimate.low)} to {_format_billions(size_estimate.high)}"
            size = _format_billions(size_estimate.size)
            notes.append(f"It reaches {target_score:.2f} at {size} (95 % {interval}); an extrapolation.")
    else:
        notes.append(Message("A line requires models of at least two known sizes."))
    if any(point.name in line_models for point in points):
        notes.append(Message("The points on the line were chosen by hand."))
    if unknown:
        unknown_text = f"{', '.join(unknown[:20])}{' and more' if len(unknown) > 20 else ''}"
        notes.append(Message("Size not known: {list}.", list=unknown_text))
    ordered = sorted(points, key=lambda point: (point.size, point.name))
    columns = (
        Column.of_texts(
            "model", [point.name for point in ordered], [(targets or {}).get(point.name) for point in ordered]
        ),
        Column.of_numbers("size B", [point.size for point in ordered]),
        Column.of_numbers("active B", [point.active for point in ordered]),
        Column.of_numbers("score %", [point.score for point in ordered]),
        Column.of_marks("on the frontier", [point.name in names for point in ordered]),
    )
    return Table(name="scaling", title=title, columns=columns, notes=tuple(notes))


def _format_billions(size: float | None) -> str:
    if size is None:
        return "no end"
    return f"{size:.1f}B" if size < _MAX_BILLIONS else f"beyond {_MAX_BILLIONS:,}B"


def cost_table(data: ResultData, _: TableOptions) -> Table:
    """Return tokens, price and time of every run with its score, and mark the Pareto front."""
    entries = data.entries
    totals = [part.totals for part in data.columns]
    means = map(data.mean, range(len(entries)))
    scores = [None if mean is None else 100 * mean for mean in means]
    has_costs = any(row.get("cost") for row in totals)
    costs = [row.get("cost" if has_costs else "completion_tokens") for row in totals]
    points = {
        entry.label: (float(cost), score)
        for entry, score, cost in zip(entries, scores, costs, strict=True)
        if score is not None and cost
    }
    front = set(pareto_front(points))
    columns = (
        model_column(entries),
        Column.of_numbers("score %", scores),
        Column.of_numbers("prompt tokens", [row.get("prompt_tokens") for row in totals], 0),
        Column.of_numbers("completion tokens", [row.get("completion_tokens") for row in totals], 0),
        Column.of_numbers("cost", [row.get("cost") for row in totals], 4),
        Column.of_numbers("seconds", [row.get("seconds") for row in totals], 1),
        Column.of_marks("on the front", [entry.label in front for entry in entries]),
    )
    measure = mark_word("cost" if has_costs else "completion tokens")
    notes = (
        Message("Front by {what}: no other run is both cheaper and better.", what=measure)
        if points
        else Message("No run has recorded tokens or a price."),
    )
    title = Message("Cost against score, release {version}", version=data.version)
    return Table(name="cost", title=title, columns=columns, notes=notes)


def context_table(data: ResultData, _: TableOptions) -> Table:
    """Return the mean score by quartiles of the length of prompt and context."""
    lengths = [float(item.length) for item in data.items]
    # quantiles() needs at least two values.
    quartiles = quantiles(lengths, n=4, method="inclusive") if len(lengths) > 1 else []
    edges = sorted({min(lengths, default=0.0), *quartiles, max(lengths, default=0.0)})
    if len(edges) == 1:
        edges = [edges[0], edges[0] + 1]
    entries: list[ResultEntry] = []
    bins: list[Bin] = []
    for index, entry in enumerate(data.entries):
        row = data.row(index)
        scored_items = [item_index for item_index, value in enumerate(row.tolist()) if value == value]
        own_bins = mean_by_bins(
            [lengths[item_index] for item_index in scored_items],
            [float(row[item_index]) for item_index in scored_items],
            edges,
        )
        entries += [entry] * len(own_bins)
        bins += own_bins
    columns = (
        model_column(entries),
        Column.of_counts("characters from", [round(part.low) for part in bins]),
        Column.of_counts("characters to", [round(part.high) for part in bins]),
        *estimate_columns("score %", [part.estimate for part in bins]),
        Column.of_counts("items", [part.estimate.n if part.estimate else 0 for part in bins]),
    )
    notes = (Message("Length of prompt and context together, in characters."),)
    title = Message("Scores by length, release {version}", version=data.version)
    return Table(name="context", title=title, columns=columns, notes=notes)


def comparison_table(data: ResultData, options: TableOptions) -> Table:
    """Compare two models on their shared items: difference with interval, tests, and the items that differ."""
    if not (options.a and options.b):
        data = data.one_protocol()
    require_data(len(data.entries) >= 2, Message("A comparison needs two models or runs."))
    a = data.place(options.a) if options.a else 0
    b = data.place(options.b) if options.b else next(index for index in range(len(data.entries)) if index != a)
    require_data(a != b, Message("A model cannot be compared with itself. Choose two."))
    ours = data.by_item(a)
    theirs = data.by_item(b)
    clusters = _find_clusters(data, options)
    difference = compare_models(ours, theirs, clusters)
    require_data(difference, Message("The two have no scored items in common."))
    assert difference is not None
    names = data.entries[a].label, data.entries[b].label
    gaps = [ours[key] - theirs[key] for key in ours if key in theirs]
    notes = [
        f"{names[0]} less {names[1]} on {difference.n} shared items: {100 * difference.mean:+.2f} points"
        + (
            f" (95 % {100 * difference.low:+.2f} to {100 * difference.high:+.2f})"
            if difference.low is not None and difference.high is not None
            else ""
        )
        + (f", {_format_p(difference.p)}." if difference.p is not None else "."),
        _make_bootstrap_note(gaps, options, clusters, [key for key in ours if key in theirs]),
    ]
    if difference.mcnemar:
        test = difference.mcnemar
        notes.append(
            Message(
                "Exact McNemar: only the first {first}, only the second {second}, {p}.",
                first=test.only_a,
                second=test.only_b,
                p=_format_p(test.p),
            )
        )
    columns = _make_flip_columns(data, names, ours, theirs, (*difference.better, *difference.worse))
    title = Message("{one} against {other}, release {version}", one=names[0], other=names[1], version=data.version)
    low, high = (None if end is None else 100 * end for end in (difference.low, difference.high))
    return Table(
        name="compare",
        title=title,
        columns=columns,
        notes=tuple(notes),
        overall=Overall(100 * difference.mean, low, high, difference.n),
    )


def model_pair_table(data: ResultData, options: TableOptions) -> Table:
    """Compare every pair of models on their shared items, with p-values adjusted by Holm's method (section 1.13)."""
    data = data.one_protocol()
    require_data(len(data.entries) >= 2, Message("A comparison needs two models or runs."))
    clusters = _find_clusters(data, options)
    scores = [data.by_item(index) for index in range(len(data.entries))]
    compared = [
        (a, b, result)
        for a, b in combinations(range(len(scores)), 2)
        if (result := compare_models(scores[a], scores[b], clusters)) is not None
    ]
    tested = [
        result.mcnemar.p if result.mcnemar is not None and clusters is None else result.p for *_, result in compared
    ]
    defined = [p for p in tested if p is not None]
    adjusted_values = iter(holm_adjusted(defined))
    adjusted = [next(adjusted_values) if p is not None else None for p in tested]
    results = [result for *_, result in compared]
    columns = (
        _make_pair_column("one", [data.entries[a] for a, *_ in compared]),
        _make_pair_column("other", [data.entries[b] for _, b, _ in compared]),
        _make_points_column("difference", [result.mean for result in results]),
        _make_points_column("from", [result.low for result in results]),
        _make_points_column("to", [result.high for result in results]),
        _make_p_column("p", tested),
        _make_p_column("p of all", adjusted),
        Column.of_counts("items", [result.n for result in results]),
        Column.of_marks("differs", [p is not None and p < _SIGNIFICANCE for p in adjusted]),
    )
    notes = (
        Message(
            "Difference in points (first minus second) with its 95 % interval. p: exact McNemar for scores of 0 and "
            "1, else Student's t of the paired difference."
        ),
        Message(
            "p of all: Holm's correction over the {count} pairs shown. Differs: p of all is below .05.",
            count=len(defined),
        ),
    )
    title = Message("Every pair of models, release {version}", version=data.version)
    return Table(name="pairs", title=title, columns=columns, notes=notes)


def _make_pair_column(title: str, entries: Sequence[ResultEntry]) -> Column:
    return Column.of_texts(title, [entry.label for entry in entries], run_targets(entries))


def _make_points_column(title: str, shares: Sequence[float | None]) -> Column:
    points = (None if share is None else 100 * share for share in shares)
    cells = (ValueCell("" if value is None else f"{value:+.2f}", value) for value in points)
    return Column(title, tuple(cells), numeric=True)


def _find_clusters(data: ResultData, options: TableOptions) -> dict[str, str] | None:
    """Return item -> cluster; an item without one is its own cluster. None if clustering is off."""
    if not options.cluster:
        return None
    groups = data.groups(options.cluster)
    return {item.subject_id: name or item.subject_id for item, name in zip(data.items, groups, strict=True)}


def _make_p_column(title: str, ps: Sequence[float | None]) -> Column:
    return Column(title, tuple(map(_make_p_cell, ps)), numeric=True)


def _make_p_cell(p: float | None) -> ValueCell:
    if p is None:
        return ValueCell("", p)
    return ValueCell("< .0001" if p < _MIN_SHOWN_P else f"{p:.3g}", p)


def _format_p(value: float) -> str:
    return f"p = {value:.3g}" if value >= _MIN_SHOWN_P else "p < .0001"


def _make_bootstrap_note(
    gaps: Sequence[float], options: TableOptions, clusters: dict[str, str] | None, keys: Sequence[str]
) -> Message:
    interval = bootstrap_interval(
        gaps, draws=options.draws, seed=options.seed, clusters=[clusters[key] for key in keys] if clusters else None
    )
    if interval.low is None or interval.high is None:
        return Message("The bootstrap gives no interval for a single item.")
    return Message(
        "Bootstrap over items, {draws} draws: {low} to {high} points.",
        draws=f"{interval.draws:,}",
        low=f"{100 * interval.low:+.2f}",
        high=f"{100 * interval.high:+.2f}",
    )


def _make_flip_columns(
    data: ResultData, names: tuple[str, str], ours: dict[str, float], theirs: dict[str, float], changed: Sequence[str]
) -> tuple[Column, ...]:
    facts = {item.subject_id: item for item in data.items}
    ordered = sorted(changed, key=lambda key: (-abs(ours[key] - theirs[key]), facts[key].key))
    targets = [Target("item", id=key) for key in ordered]
    return (
        Column.of_texts("key", [facts[key].key for key in ordered], targets),
        Column.of_texts("title", [facts[key].title for key in ordered], targets),
        Column.of_shares(names[0], [ours[key] for key in ordered]),
        Column.of_shares(names[1], [theirs[key] for key in ordered]),
        _make_points_column("difference", [ours[key] - theirs[key] for key in ordered]),
        Column.of_texts("better", [names[0] if ours[key] > theirs[key] else names[1] for key in ordered]),
    )


def weighted_table(data: ResultData, options: TableOptions) -> Table:
    """Return scores over groups weighted by their difficulty for these models (section 1.7, own weights)."""
    data = data.one_protocol()
    heat = heat_map(data.scores, data.groups(options.by))
    # A group without any score has no weight; a model without a score in a group gives the weight to its other groups.
    scored_groups = [group_index for group_index in range(len(heat.groups)) if heat.count[:, group_index].any()]
    shares = {
        entry.label: {
            heat.groups[group_index]: (cell.value if (cell := heat.cell(index, group_index)) else None)
            for group_index in scored_groups
        }
        for index, entry in enumerate(data.entries)
    }
    complete = {
        label: {name: value for name, value in row.items() if value is not None}
        for label, row in shares.items()
        if row and None not in row.values()
    }
    require_data(complete, f"Weights need a model with a score in every {options.by}.")
    own_weighting = own_weights(f"{data.version}, {len(complete)} models", complete, seed=options.seed)
    names = sorted(heat.groups[group_index] for group_index in scored_groups)
    scores = {entry.label: weighted_score(shares[entry.label], own_weighting.weights) for entry in data.entries}
    entries = sorted(data.entries, key=lambda entry: best_first_key(scores[entry.label].value))
    columns = (
        model_column(entries),
        Column.of_shares("weighted %", [scores[entry.label].value for entry in entries]),
        *(Column.of_shares(name, [shares[entry.label][name] for entry in entries]) for name in names),
        Column.of_texts("groups", [scores[entry.label].badge for entry in entries]),
    )
    weights = ", ".join(f"{name} {own_weighting.weights[name]:.3f}" for name in names)
    notes = [Message("Weights ({version}): {weights}.", version=own_weighting.version, weights=weights)]
    if unweighted := sorted(set(heat.groups) - set(names)):
        notes.append(Message("Without a weight, because no item there was scored: {list}.", list=", ".join(unweighted)))
    title = Message("Weighted by difficulty of {by}, release {version}", by=mark_word(options.by), version=data.version)
    return Table(name="weighted", title=title, columns=columns, notes=(*notes, *own_weighting.caveats[:3]))


def rank_interval_table(data: ResultData, options: TableOptions) -> Table:
    """Return every model's rank with its 95 % interval and its share of first ranks, by bootstrap over items (1.13)."""
    data = data.one_protocol()
    require_data(len(data.items) and len(data.entries), Message("There are no scores yet."))
    means = [data.mean(index) for index in range(len(data.entries))]
    draws = board_draws(means, resampled_means(data.scores.values, draws=options.draws, seed=options.seed))
    ranks_or_last = [part.rank if part else len(means) + 1 for part in draws.ranks]
    order = sorted(range(len(means)), key=ranks_or_last.__getitem__)
    ranks = [draws.ranks[index] for index in order]
    columns = (
        model_column([data.entries[index] for index in order]),
        Column.of_shares("score %", [means[index] for index in order]),
        Column.of_shares("from", [draws.low[index] for index in order]),
        Column.of_shares("to", [draws.high[index] for index in order]),
        Column.of_numbers("rank", [part.rank if part else None for part in ranks], 0),
        Column.of_numbers("rank from", [part.low if part else None for part in ranks], 0),
        Column.of_numbers("rank to", [part.high if part else None for part in ranks], 0),
        Column.of_shares("best %", [part.best if part else None for part in ranks]),
    )
    notes = (
        Message(
            "Bootstrap over items, {draws} draws shared by all models, seed {seed}.",
            draws=f"{draws.draws:,}",
            seed=options.seed,
        ),
    )
    title = Message("Ranks with intervals, release {version}", version=data.version)
    return Table(name="rank-intervals", title=title, columns=columns, notes=notes)


def read_other_scores(path: Path) -> dict[str, float]:
    """Read another benchmark's scores: JSON (model -> score) or CSV with the model first and its score second.

    Raises `BadInputError` saying which line is wrong.
    """
    refuse_project(path)
    try:
        if path.stat().st_size > _MAX_SCORES_BYTES:
            raise BadInputError(f"{path.name} is too large for a list of scores.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path.name} could not be read ({error}).") from error
    if text.lstrip().startswith("{"):
        try:
            pairs = list(json.loads(text).items())
        except (ValueError, RecursionError) as error:
            raise BadInputError(f"{path.name} is not JSON ({error}).") from error
    else:
        rows = [row for row in csv.reader(text.splitlines()) if row]
        # A first line without a number is a header.
        pairs = [(row[0], row[1] if len(row) > 1 else "") for row in rows]
        if pairs and _parse_number(pairs[0][1]) is None:
            del pairs[0]
    scores: dict[str, float] = {}
    for name, value in pairs:
        number = _parse_number(value)
        if number is None:
            raise BadInputError(f"{path.name} has no number as the score of {name}.")
        scores[str(name).strip()] = number
    if not scores:
        raise BadInputError(f"{path.name} contains no scores. Give a line per model: name, score.")
    return scores


def _parse_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
