"""The tables of results: from columns of scores to what page, command and report show alike."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError
from annotator.metrics.domains import DSI_THRESHOLD, FEW_PROBLEMS
from annotator.metrics.resampling import DRAWS
from annotator.model.results import (
    Cell,
    Table,
    Target,
    count_cell,
    number_cell,
    percent_cell,
    text_cell,
)
from annotator.services.result_data import ResultData

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KS = (1, 3, 5, 10)
_BATCH = 10
_NAMED = 20


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a table may be asked for: grouping, DSI threshold, fewest problems of a group, draws, cluster, opponents.

    ``scores`` are another benchmark's (model -> score) to compare ranks with; ``target`` is the score a scaling line
    is followed to (None: the best score there is), ``frontier`` the models it goes through (empty: the upper
    envelope); ``other_version`` the release to compare with.
    """

    by: str = "domain"
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
    from annotator.metrics.board import leaderboard as board
    from annotator.metrics.intervals import few_clusters

    clusters = [name or "" for name in data.groups(options.cluster)] if options.cluster else None
    found = {row.model: row for row in board(data.scores, clusters)}
    places = {entry.label: at for at, entry in enumerate(data.entries)}
    rows = []
    for label, row in found.items():
        at = places[label]
        entry, told, shown = data.entries[at], data.outcomes(at), row.estimate
        no_answer = told["empty"] + told["refusal"] + told["truncated"]
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
                *(count_cell(told[kind]) for kind in ("pass", "partial", "fail")),
                count_cell(no_answer),
                count_cell(told["machinery"]),
                Cell(f"{row.evaluated} of {row.items}", float(row.evaluated)),
                count_cell(told.total()),
                text_cell(entry.estimator),
            )
        )
    headers = (
        "rank", "model", "protocol", "score %", "from", "to", "SE", "pass", "partial", "fail", "no answer",
        "machinery", "items", "samples", "item score",
    )  # fmt: skip
    notes = ["Intervals are 95 %: Wilson's for scores of 0 and 1, else the mean ± 1.96 standard errors."]
    if clusters is not None:
        few = "; fewer than ten, so do not trust it" if few_clusters(clusters) else ""
        notes = [f"Errors are clustered by {options.cluster} ({len(set(clusters))} clusters{few})."]
    shared = Counter(row.rank for row in found.values() if row.rank is not None)
    if any(count > 1 for count in shared.values()):
        notes.append("Equal scores share the better rank, and the next models keep their place: 1, 1, 3.")
    failed = sum(data.outcomes(at)["machinery"] for at in range(len(data.entries)))
    if failed:
        notes.append(f"{failed} samples could not be scored here; their items are left out, never counted as 0.")
    numeric = (True, False, False, *(True,) * 11, False)
    return Table("leaderboard", f"Leaderboard of release {data.version}", headers, tuple(rows), numeric, tuple(notes))


def domains(data: ResultData, options: TableOptions) -> Table:
    """Every model's mean in every group, with passes where scores are 0 and 1, macro mean and spread, and micro mean.

    Groups with too few items are shown but leave the macro mean (specification, section 1.4).
    """
    from annotator.metrics.board import heat_map

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
    notes = [
        f"Percent. Mean and sample standard deviation are over {options.by} groups, unweighted; all items is the mean "
        "over items."
    ]
    if grey:
        listed = ", ".join(grey)
        notes.append(
            f"Left out of the mean, with fewer than {minimum} items scored: {listed}."
            if minimum > 1
            else f"Left out of the mean, with no item scored: {listed}."
        )
    numeric = (False, *(True,) * (len(headers) - 1))
    return Table("domains", f"Scores by {options.by}, release {data.version}", headers, tuple(rows), numeric,
                 tuple(notes))  # fmt: skip


def _fewest(sizes: Sequence[int], wanted: int) -> int:
    """Return the fewest items of a group that counts: as asked, unless that would leave no group at all."""
    return wanted if any(size >= wanted for size in sizes) else 1


def _plain(value: float) -> str:
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{value:.2f}"


def dsi(data: ResultData, options: TableOptions) -> Table:
    """Domain-specific improvement of every model in every group, with interval and label (section 1.5)."""
    from annotator.metrics.comfort import dsi_table

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
        compared(labels),
        f"Comfort above {options.threshold:g}, strange below -{options.threshold:g}; tentative where the 95 % interval "
        f"(bootstrap over items, {options.draws:,} draws) does not settle it, or with fewer than {options.minimum} "
        "items.",
    ]
    if found.left_out:
        notes.append(f"Left out, with too few items that every model was scored on: {', '.join(found.left_out)}.")
    headers = ("model", options.by, "DSI %", "from", "to", "label", "items", "why")
    numeric = (False, False, True, True, True, False, True, False)
    return Table("dsi", f"Comfort and strange {options.by}s, release {data.version}", headers, tuple(rows), numeric,
                 tuple(notes))  # fmt: skip


def correlation(data: ResultData, options: TableOptions) -> Table:
    """Spearman's correlation between groups over models (section 1.8)."""
    from annotator.metrics.board import heat_map

    data = data.one_protocol()
    heat = heat_map(data.scores, data.groups(options.by))
    columns: dict[str, list[float | None]] = {}
    for place, name in sorted(enumerate(heat.groups), key=_second):
        cells = [heat.cell(at, place) for at in range(len(heat.models))]
        columns[name] = [cell.value if cell else None for cell in cells]
    return correlation_table(f"Correlation between {options.by}s, release {data.version}", columns)


def _second(pair: tuple[int, str]) -> str:
    return pair[1]


def correlation_table(title: str, columns: dict[str, list[float | None]]) -> Table:
    """Return the correlations of columns over the same models, a row per pair."""
    from annotator.metrics.correlation import spearman_matrix

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
    notes = ("Rank correlation over models; the interval is Fisher's z with standard error 1.03/√(n - 3).",)
    return Table("correlation", title, headers, tuple(rows), (False, False, *(True,) * 5, False), notes)


def passes(data: ResultData, _: TableOptions) -> Table:
    """Best of k of every model, for each k that its samples allow; for scores of 0 and 1 it is pass@k (1.1, 1.2)."""
    from annotator.metrics.board import heat_map, item_best_of_ks

    cube = data.cube
    most = int((cube.values == cube.values).sum(axis=2).max(initial=1))
    ks = sorted({k for k in (*KS, most) if k <= most})
    together = [""] * len(data.items)
    boards = {k: heat_map(scores, together) for k, scores in item_best_of_ks(cube, ks).items()} if together else {}
    rows = []
    for at, entry in enumerate(data.entries):
        cells = [text_cell(entry.label, Target("items", entry.run.id)), count_cell(entry.run.samples)]
        for k in ks:
            found = boards[k].cell(at, 0) if k in boards else None
            cells += [percent_cell(value) for value in ((found.value, found.low, found.high) if found else (None,) * 3)]
        # Beside a run with more samples the array is wider than this run.
        cells += _batched(cube.values[at, :, : entry.run.samples])
        rows.append(tuple(cells))
    headers = ["model", "samples"]
    for k in ks:
        headers += [f"best@{k} %", f"best@{k} from", f"best@{k} to"]
    headers += ["avg_max_10 %", "std of batches", "SE of items"]
    notes = (
        "best@k is the expected best of k samples, which is pass@k for scores of 0 and 1; a model with fewer samples "
        "has none. With as many samples as k it is 'any of k'.",
        "avg_max_10 is the mean over batches of ten of each item's best; whole batches only.",
    )
    return Table("passes", f"Best of k, release {data.version}", tuple(headers), tuple(rows),
                 (False, *(True,) * (len(headers) - 1)), notes)  # fmt: skip


def _batched(block: NDArray[np.float64]) -> list[Cell]:
    """Return avg_max_10 with both its errors: of decoding (over batches) and of the choice of items (1.10)."""
    from annotator.metrics.batches import block_report

    found = block_report(block, _BATCH)
    shown = (found.share, found.decoding_std, found.question_se) if found else (None,) * 3
    return [percent_cell(value) for value in shown]


def items(data: ResultData, _: TableOptions) -> Table:
    """Every item's statistics and what may be wrong with it; the flagged ones first."""
    from annotator.metrics.items import FLAG_TEXTS, item_health

    data = data.one_protocol()
    health = item_health([item.subject_id for item in data.items], data.scores.values)
    facts = {item.subject_id: item for item in data.items}
    rows = []
    for found in sorted(health, key=_most_flags):
        item, to = facts[found.item], Target("item", id=found.item)
        words = ", ".join(flag.replace("_", " ") for flag in found.flags)
        evidence = " ".join(FLAG_TEXTS[flag] for flag in found.flags)
        rows.append(
            (
                text_cell(item.key, to),
                text_cell(item.title, to),
                text_cell(f"{words} (a hint)" if words and found.tentative else words, to),
                count_cell(found.models),
                percent_cell(found.mean),
                *(number_cell(value) for value in (found.spread, found.correlation, found.discrimination)),
                text_cell(evidence),
            )
        )
    headers = ("key", "title", "flags", "models", "mean %", "spread", "correlation", "discrimination", "evidence")
    flagged = sum(bool(found.flags) for found in health)
    notes = [f"{flagged} of {len(health)} items are flagged."]
    if health and health[0].tentative:
        notes.append("With fewer than ten models flags are hints.")
    numeric = (False, False, False, *(True,) * 5, False)
    return Table("items", f"Item health, release {data.version}", headers, tuple(rows), numeric, tuple(notes))


def _most_flags(found: object) -> tuple[int, float]:
    flags, discrimination = getattr(found, "flags", ()), getattr(found, "discrimination", None)
    return -len(flags), discrimination if discrimination is not None else math.inf


def spread_over_runs(data: ResultData, _: TableOptions) -> Table:
    """Scores by decoding: a row per run with its temperature, samples and mean, for sweeps."""
    from annotator.metrics.intervals import mean_estimate

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
    return Table("decoding", f"Scores by decoding, release {data.version}", headers, tuple(rows),
                 (False, False, *(True,) * 7))  # fmt: skip


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


def compared(names: Sequence[str]) -> str:
    """Say which models a DSI compares: it depends on the set."""
    shown = ", ".join(names[:_NAMED])
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    if len(names) == 1:
        return f"DSI compares 1 model: {shown}. It changes with them."
    return f"DSI compares {len(names)} models: {shown}{more}. It changes with them."


def need(condition: object, sentence: str) -> None:
    """Raise `BadInputError` with a sentence unless a condition holds."""
    if not condition:
        raise BadInputError(sentence)
