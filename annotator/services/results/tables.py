"""The tables of results: from columns of scores to what page, command and report show alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.metrics.comparison.bootstrap import DRAWS
from annotator.metrics.comparison.correlation import spearman_matrix
from annotator.metrics.comparison.intervals import few_clusters, mean_estimate
from annotator.metrics.scores.best_of_batches import block_report
from annotator.metrics.scores.domain_specific_improvement import dsi_table
from annotator.metrics.scores.domains import DSI_THRESHOLD, FEW_PROBLEMS
from annotator.metrics.scores.score_board import heat_map, item_best_of_ks
from annotator.metrics.scores.score_board import leaderboard as board
from annotator.model.rows.releases import shown_overrides
from annotator.model.rows.results import Cell, Table, Target, count_cell, number_cell, percent_cell, text_cell
from annotator.model.vocabulary import NO_ANSWER, UNSETTLED
from annotator.services.results.score_data import ResultData

KS = (1, 3, 5, 10)
_BATCH = 10
_NAMED = 20
# What runs took, by its name in a run's totals and as a column.
_USED: Mapping[str, str] = MappingProxyType(
    {"completion_tokens": "tokens per answer", "cost": "cost", "seconds": "seconds per answer"}
)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a table may be asked for: grouping, DSI threshold, fewest problems of a group, draws, cluster, opponents.

    ``scores`` are another benchmark's (model -> score) to compare ranks with; ``target`` is the score a scaling line
    is followed to (None: the best score there is), ``frontier`` the models it goes through (empty: the upper
    envelope); ``other_version`` the release to compare with. ``passes_by`` splits the best of k by groups.
    """

    by: str = "domain"
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


def leaderboard(data: ResultData, options: TableOptions) -> Table:
    """Models by mean score with 95 % interval, standard error, outcomes of samples and items evaluated."""
    clusters = [name or "" for name in data.groups(options.cluster)] if options.cluster else None
    found = {row.model: row for row in board(data.scores, clusters)}
    places = {entry.label: at for at, entry in enumerate(data.entries)}
    unsettled = [kind for kind in UNSETTLED if any(data.outcomes(at)[kind] for at in range(len(data.entries)))]
    used = [name for name in _USED if any(part.totals.get(name) for part in data.columns)]
    rows = []
    for label, row in found.items():
        at = places[label]
        entry, counts, shown = data.entries[at], data.outcomes(at), row.estimate
        no_answer = sum(counts[name] for name in NO_ANSWER)
        to = Target("items", entry.run.id)
        rows.append(
            (
                number_cell(row.rank, 0),
                text_cell(entry.run.model, to),
                text_cell(entry.run.protocol),
                percent_cell(shown.value if shown else None, to),
                percent_cell(shown.low if shown else None),
                percent_cell(shown.high if shown else None),
                percent_cell(row.se),
                *(count_cell(counts[kind]) for kind in ("pass", "partial", "fail")),
                count_cell(no_answer),
                count_cell(counts["machinery"]),
                Cell(Message("{number} of {count}", number=row.evaluated, count=row.items), float(row.evaluated)),
                count_cell(counts.total()),
                text_cell(entry.estimator),
                *(count_cell(counts[kind]) for kind in unsettled),
                *([count_cell(data.shared_of(at))] if data.shared else []),
                *_usage_cells(data.columns[at].totals, used),
            )
        )
    headers = (
        "rank", "model", "protocol", "score %", "from", "to", "SE", "pass", "partial", "fail", "no answer",
        "machinery", "items", "samples", "item score",
    )  # fmt: skip
    shared_items = ("shared items",) if data.shared else ()
    notes = [_interval_note(options.cluster, clusters)]
    shared = Counter(row.rank for row in found.values() if row.rank is not None)
    if any(count > 1 for count in shared.values()):
        notes.append(Message("Equal scores share the better rank, and the next models keep their place: 1, 1, 3."))
    failed = sum(data.outcomes(at)["machinery"] for at in range(len(data.entries)))
    if failed:
        notes.append(
            Message(
                "{failed} samples could not be scored here; their items are left out, never counted as 0.",
                failed=failed,
            )
        )
    more = (*unsettled, *shared_items, *(_USED[name] for name in used))
    numeric = (True, False, False, *(True,) * 11, False, *(True for _ in more))
    return Table(
        name="leaderboard",
        title=Message("Leaderboard of release {version}", version=data.version),
        headers=(*headers, *more),
        rows=tuple(rows),
        numeric=numeric,
        notes=tuple(notes),
    )


def _usage_cells(totals: Mapping[str, float | None], used: Sequence[str]) -> list[Cell]:
    """Return what a run took: its whole price, and tokens and seconds as the mean of its answers."""
    answers = totals.get("responses") or 0
    means = {name: total / answers for name in used if (total := totals.get(name)) is not None and answers}
    return [number_cell(totals.get(name), 4) if name == "cost" else number_cell(means.get(name), 1) for name in used]


def grid(data: ResultData, _: TableOptions) -> Table:
    """Every item's score under every model, in the order of the release; a cell leads to that model's answers."""
    values = data.scores.values
    rows = []
    for at, item in enumerate(data.items):
        column = values[:, at]
        known = column[column == column]
        rows.append(
            (
                text_cell(item.key, Target("item", id=item.subject_id)),
                text_cell(item.title, Target("item", id=item.subject_id)),
                text_cell(item.domain, Target("item", id=item.subject_id)),
                *(
                    percent_cell(
                        None if value != value else float(value), Target("item", entry.run.id, id=item.subject_id)
                    )
                    for entry, value in zip(data.entries, column, strict=True)
                ),
                percent_cell(float(known.mean()) if len(known) else None),
            )
        )
    labels = tuple(entry.label for entry in data.entries)
    headers = ("key", "title", "domain", *labels, "mean")
    notes = (Message("Percent: each model's score on each item, as its estimator gives it."),)
    title = Message("Items and models, release {version}", version=data.version)
    return Table(
        name="grid",
        title=title,
        headers=headers,
        rows=tuple(rows),
        numeric=(False, False, False, *(True,) * (len(labels) + 1)),
        notes=notes,
    )


def marks(data: ResultData) -> tuple[Message, ...]:
    """Return what must stand with every table of scores: verdicts in doubt, weaker ones, other criteria, overrides."""
    told = []
    for at, entry in enumerate(data.entries):
        counts = data.outcomes(at)
        kinds = ", ".join(f"{counts[kind]} {kind}" for kind in UNSETTLED if counts[kind])
        if kinds:
            told.append(f"{entry.label}: {kinds}")
    notes = []
    if told:
        shown = "; ".join(told[:_NAMED])
        notes.append(Message("Answers whose verdict is in doubt earn 0 ({list}).", list=shown))
    if data.shared:
        notes.append(
            Message(
                "The tests of {shared} of {count} items share a process with the answer (mode shared), so an answer "
                "made to cheat could reach them.",
                shared=data.shared,
                count=len(data.items),
            )
        )
    others = [entry.label for entry in data.entries if entry.run.criteria not in ("release", f"release {data.version}")]
    if others:
        shown = ", ".join(others[:_NAMED])
        notes.append(Message("Scored again, with criteria that are not this release's: {list}.", list=shown))
    if data.overrides:
        notes.append(Message("Released in spite of its gates: {list}.", list=shown_overrides(data.overrides)))
    return tuple(notes)


def _interval_note(cluster: str, clusters: Sequence[str] | None) -> Message:

    if clusters is None:
        return Message(
            "Intervals are 95 %: Wilson's for scores of 0 and 1, else the mean ± 1.96 standard errors "
            "(below 30 items, Student's t)."
        )
    word, count = mark_word(cluster), len(set(clusters))
    if few_clusters(clusters):
        return Message(
            "Errors are clustered by {cluster} ({count} clusters; fewer than ten, so do not trust it).",
            cluster=word,
            count=count,
        )
    return Message("Errors are clustered by {cluster} ({count} clusters).", cluster=word, count=count)


def domains(data: ResultData, options: TableOptions) -> Table:
    """Every model's mean in every group, with passes where scores are 0 and 1, macro mean and spread, and micro mean.

    Groups with too few items are shown but leave the macro mean (specification, section 1.4).
    """
    heat = heat_map(data.scores, data.groups(options.by))
    order = sorted(range(len(heat.groups)), key=heat.groups.__getitem__)
    minimum = _fewest(heat.count.max(axis=0).tolist() if len(heat.models) else [], options.minimum)
    macro = heat.macro(minimum)
    rows = []
    for at, entry in enumerate(data.entries):
        cells: list[Cell] = [text_cell(entry.label, Target("items", entry.run.id))]
        passed = []
        for group in order:
            to = Target("items", entry.run.id, options.by, heat.groups[group])
            cell = heat.cell(at, group)
            cells.append(percent_cell(cell.value if cell else None, to))
            whole = cell is not None and abs(cell.value * cell.n - round(cell.value * cell.n)) < 1e-9
            passed.append(
                Cell(f"{round(cell.value * cell.n)}/{cell.n}", float(round(cell.value * cell.n)), to)
                if cell and whole
                else text_cell("n/a" if cell is None else f"{cell.value * cell.n:.2f}/{cell.n}", to)
            )
        mean, std = macro[at]
        row = data.row(at)
        known = row[row == row]
        total = f"{_plain(float(known.sum()))}/{len(known)}"
        overall = [
            percent_cell(mean),
            percent_cell(std),
            percent_cell(float(known.mean()) if len(known) else None),
            Cell(total, float(known.sum())),
        ]
        rows.append((*cells, *overall, *passed))
    names = [heat.groups[group] for group in order]
    headers = ("model", *names, "mean", "std", "all items", "total", *(f"{name} passed" for name in names))
    grey = [name for name, group in zip(names, order, strict=True) if heat.count[:, group].max(initial=0) < minimum]
    by = mark_word(options.by)
    notes = [
        Message(
            "Percent. Mean and sample standard deviation are over {by} groups, unweighted; all items is the mean over "
            "items.",
            by=by,
        )
    ]
    if grey:
        listed = ", ".join(grey)
        notes.append(
            Message(
                "Left out of the mean, with fewer than {minimum} items scored: {list}.", minimum=minimum, list=listed
            )
            if minimum > 1
            else Message("Left out of the mean, with no item scored: {list}.", list=listed)
        )
    for k in sorted({entry.k for entry in data.entries if entry.k is not None}):
        notes.append(Message("Items count by the best of {k} samples, which is pass@{k} for scores of 0 and 1.", k=k))
    numeric = (False, *(True,) * (len(headers) - 1))
    title = Message("Scores by {by}, release {version}", by=by, version=data.version)
    return Table(name="domains", title=title, headers=headers, rows=tuple(rows), numeric=numeric, notes=tuple(notes))


def _fewest(sizes: Sequence[int], wanted: int) -> int:
    """Return the fewest items of a group that counts: as asked, unless that would leave no group at all."""
    return wanted if any(size >= wanted for size in sizes) else 1


def _plain(value: float) -> str:
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{value:.2f}"


def dsi(data: ResultData, options: TableOptions) -> Table:
    """Domain-specific improvement of every model in every group, with interval and label (section 1.5)."""
    data = data.one_protocol()
    groups = data.groups(options.by)
    values = data.scores.values
    blocks = {
        name: values[:, [at for at, group in enumerate(groups) if group == name]].tolist()
        for name in sorted({group for group in groups if group is not None})
    }
    labels = [entry.label for entry in data.entries]
    largest = [len(block[0]) if block else 0 for block in blocks.values()]
    found = dsi_table(labels, blocks, threshold=options.threshold, minimum=_fewest(largest, options.minimum),
                      draws=options.draws, seed=options.seed)  # fmt: skip
    runs = {entry.label: entry.run.id for entry in data.entries}
    rows = []
    for cell in found.cells:
        to = Target("items", runs[cell.model], options.by, cell.domain)
        # A handful of items all alike has no spread in the draws, and settles nothing all the same.
        tentative = cell.tentative or cell.problems < options.minimum
        word = f"{cell.label}, tentative" if tentative and cell.value is not None else cell.label
        ends = [number_cell(end) for end in (cell.low, cell.high)]
        rows.append(
            (
                text_cell(cell.model, to),
                text_cell(cell.domain, to),
                number_cell(cell.value, 2, to),
                *ends,
                text_cell(word),
                count_cell(cell.problems),
                text_cell(cell.reason),
            )
        )
    notes = [
        compared_models(labels),
        Message(
            "Comfort above {threshold}, strange below -{low}; tentative where the 95 % interval (bootstrap over items, "
            "{draws} draws) does not settle it, or with fewer than {minimum} items.",
            threshold=f"{options.threshold:g}",
            low=f"{options.threshold:g}",
            draws=f"{options.draws:,}",
            minimum=options.minimum,
        ),
    ]
    if found.left_out:
        notes.append(
            Message(
                "Left out, with too few items that every model was scored on: {list}.", list=", ".join(found.left_out)
            )
        )
    headers = ("model", options.by, "DSI %", "from", "to", "label", "items", "why")
    numeric = (False, False, True, True, True, False, True, False)
    title = Message("Comfort and strange {by}s, release {version}", by=mark_word(options.by), version=data.version)
    return Table(name="dsi", title=title, headers=headers, rows=tuple(rows), numeric=numeric, notes=tuple(notes))


def correlation(data: ResultData, options: TableOptions) -> Table:
    """Spearman's correlation between groups over models (section 1.8)."""
    data = data.one_protocol()
    heat = heat_map(data.scores, data.groups(options.by))
    columns: dict[str, list[float | None]] = {}
    for place, name in sorted(enumerate(heat.groups), key=lambda pair: pair[1]):
        cells = [heat.cell(at, place) for at in range(len(heat.models))]
        columns[name] = [cell.value if cell else None for cell in cells]
    title = Message("Correlation between {by}s, release {version}", by=mark_word(options.by), version=data.version)
    return correlation_table(title, columns)


def correlation_table(title: str, columns: dict[str, list[float | None]]) -> Table:
    """Return the correlations of columns over the same models, a row per pair."""
    matrix = spearman_matrix(columns)
    rows = []
    for (a, b), cell in matrix.cells.items():
        word = cell.reason or ("yes" if cell.significant else "no")
        p = Cell("n/a") if cell.p is None else Cell(f"{cell.p:.2g}", cell.p)
        rows.append(
            (
                text_cell(a),
                text_cell(b),
                *(number_cell(value, 4) for value in (cell.value, cell.low, cell.high)),
                p,
                count_cell(cell.n),
                text_cell(word),
            )
        )
    headers = ("one", "other", "Spearman", "from", "to", "p", "models", "p < .05")
    notes = (Message("Rank correlation over models; the interval is Fisher's z with standard error 1.03/√(n - 3)."),)
    return Table(
        name="correlation",
        title=title,
        headers=headers,
        rows=tuple(rows),
        numeric=(False, False, *(True,) * 5, False),
        notes=notes,
    )


def passes(data: ResultData, options: TableOptions) -> Table:
    """Best of k of every model, for each k that its samples allow; for scores of 0 and 1 it is pass@k (1.1, 1.2).

    With ``passes_by`` there is a line for every model and group.
    """
    cube = data.cube
    most = int((cube.values == cube.values).sum(axis=2).max(initial=1))
    ks = sorted({k for k in (*KS, most) if k <= most})
    by = options.passes_by
    groups = data.groups(by) if by else [""] * len(data.items)
    names = sorted({name for name in groups if name is not None})
    boards = {k: heat_map(scores, groups) for k, scores in item_best_of_ks(cube, ks).items()} if groups else {}
    rows = []
    for at, entry in enumerate(data.entries):
        for name in names or [""]:
            group = [text_cell(name, Target("items", entry.run.id, by, name))] if by else []
            cells = [text_cell(entry.label, Target("items", entry.run.id)), *group, count_cell(entry.run.samples)]
            for k in ks:
                found = boards[k].cell(at, boards[k].groups.index(name)) if k in boards and names else None
                cells += [
                    percent_cell(part) for part in ((found.value, found.low, found.high) if found else [None] * 3)
                ]
            # Beside a run with more samples the array is wider than this run.
            of_group = [place for place, other in enumerate(groups) if other == name]
            cells += _batched(cube.values[at, of_group, : entry.run.samples])
            rows.append(tuple(cells))
    headers = ["model", *([by] if by else []), "samples"]
    for k in ks:
        headers += [f"best@{k} %", f"best@{k} from", f"best@{k} to"]
    headers += ["avg_max_10 %", "std of batches", "SE of items"]
    notes = (
        Message(
            "best@k is the expected best of k samples, which is pass@k for scores of 0 and 1; a model with fewer "
            "samples has none. With as many samples as k it is 'any of k'."
        ),
        Message("avg_max_10 is the mean over batches of ten of each item's best; whole batches only."),
    )
    title = (
        Message("Best of k by {by}, release {version}", by=mark_word(by), version=data.version)
        if by
        else Message("Best of k, release {version}", version=data.version)
    )
    texts = 2 if by else 1
    numeric = (*(False,) * texts, *(True,) * (len(headers) - texts))
    return Table(name="passes", title=title, headers=tuple(headers), rows=tuple(rows), numeric=numeric, notes=notes)


def _batched(block: NDArray[np.float64]) -> list[Cell]:
    """Return avg_max_10 with both its errors: of decoding (over batches) and of the choice of items (1.10)."""
    found = block_report(block, _BATCH)
    shown = (found.share, found.decoding_std, found.question_se) if found else (None,) * 3
    return [percent_cell(value) for value in shown]


def spread_over_runs(data: ResultData, _: TableOptions) -> Table:
    """Scores by decoding: a row per run with its temperature, samples and mean, for sweeps."""
    rows = []
    for at, entry in enumerate(data.entries):
        row = data.row(at)
        found = mean_estimate([float(value) for value in row[row == row]])
        settings = {**_decoding(entry.run.settings)}
        shown = (found.value, found.low, found.high) if found else (None, None, None)
        cells = [text_cell(entry.run.model, Target("items", entry.run.id)), text_cell(entry.run.protocol)]
        cells += [number_cell(settings.get(name)) for name in ("temperature", "top_p", "max_tokens")]
        rows.append((*cells, count_cell(entry.run.samples), *(percent_cell(value) for value in shown)))
    headers = ("model", "protocol", "temperature", "top_p", "max tokens", "samples", "score %", "from", "to")
    title = Message("Scores by decoding, release {version}", version=data.version)
    return Table(name="decoding", title=title, headers=headers, rows=tuple(rows),
                 numeric=(False, False, *(True,) * 7))  # fmt: skip


def _decoding(settings: object) -> dict[str, float]:
    """Find decoding settings wherever a run keeps them: at the top or one level down."""
    found: dict[str, float] = {}
    if isinstance(settings, dict):
        for name, value in settings.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                found.setdefault(str(name), float(value))
            elif isinstance(value, dict):
                found = {**_decoding(value), **found}
    return found


def compared_models(names: Sequence[str]) -> Message:
    """Say which models a DSI compares: it depends on the set."""
    shown = ", ".join(names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    if len(names) == 1:
        return Message("DSI compares 1 model: {shown}. It changes with them.", shown=shown)
    return Message(
        "DSI compares {count} models: {shown}. It changes with them.", count=len(names), shown=f"{shown}{more}"
    )


def require(condition: object, sentence: str) -> None:
    """Raise `BadInputError` with a sentence unless a condition holds."""
    if not condition:
        raise BadInputError(sentence)
