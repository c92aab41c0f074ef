"""CoCo-Score of a release's runs: five tasks, with the published weights and with one's own (metrics, 1.7).

Understanding counts as two tasks, forward and reverse: by the run's protocol, else by the item.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from statistics import fmean

from annotator.base.messages import Message
from annotator.metrics.scores.skill_rating import rate_items
from annotator.metrics.scores.weighted_scores import dapr, own_weights, published_weights, weighted_score
from annotator.model.rows.result_rows import Column, ItemRow, Table, Target
from annotator.services.results.result_tables import TableOptions, best_first_key, require_data
from annotator.services.results.score_data import ResultData, ResultEntry

_TASKS = {"generation": "CG", "completion": "CG", "modification": "CM", "review": "CR"}
_FORWARD_TASK, _REVERSE_TASK = "CUF", "CUR"
_MAX_CAVEATS = 3

ByTask = Mapping[str, Mapping[str, float]]
"""Task -> item -> score, of one model."""


def coco_score_table(data: ResultData, options: TableOptions) -> Table:
    """Return every model's score in each task, and the total with published weights, own weights and DAPR."""
    models = _collect_scores(data)
    require_data(any(models.values()), Message("No item of this release belongs to a task of CoCo-Bench."))
    weights = published_weights()
    shares = {model: _compute_task_means(tasks) for model, tasks in models.items()}
    scored_tasks = [task for task in weights.weights if any(row[task] is not None for row in shares.values())]
    complete = {}
    for model, row in shares.items():
        scored = {task: value for task in scored_tasks if (value := row[task]) is not None}
        # Own weights need a score of the model in every task.
        if len(scored) == len(scored_tasks):
            complete[model] = scored
    own_weighting = (
        own_weights(f"{data.version}, {len(complete)} models", complete, seed=options.seed) if complete else None
    )
    difficulty = _rate_difficulty(models, options.seed)
    scores = {model: weighted_score(row, weights.weights) for model, row in shares.items()}
    own_scores = {
        model: weighted_score({task: row[task] for task in scored_tasks}, own_weighting.weights)
        if own_weighting
        else None
        for model, row in shares.items()
    }
    rates = {
        model: {task: dapr(tasks.get(task, {}), difficulty) for task in weights.weights}
        for model, tasks in models.items()
    }
    models_best_first = sorted(models, key=lambda model: best_first_key(scores[model].value))
    columns = (
        Column.of_texts("model", models_best_first, [_find_target(data, model) for model in models_best_first]),
        Column.of_shares("CoCo-Score %", [scores[model].value for model in models_best_first]),
        Column.of_shares(
            "own weights %",
            [own_score.value if (own_score := own_scores[model]) else None for model in models_best_first],
        ),
        Column.of_shares(
            "DAPR %", [weighted_score(rates[model], weights.weights).value for model in models_best_first]
        ),
        *(Column.of_shares(task, [shares[model][task] for model in models_best_first]) for task in weights.weights),
        *(
            Column.of_shares(f"{task} DAPR", [rates[model][task] for model in models_best_first])
            for task in weights.weights
        ),
        Column.of_numbers("tasks", [scores[model].present for model in models_best_first], 0),
    )
    notes = [_describe_weights(weights.version, weights.weights)]
    notes.append(
        _describe_weights(own_weighting.version, own_weighting.weights)
        if own_weighting
        else Message(
            "No model has a score in each of {tasks}, so own weights cannot be computed.", tasks=", ".join(scored_tasks)
        )
    )
    notes.append(
        Message("The weight of a task without a score goes to the others; DAPR weights items by their skill rating.")
    )
    title = Message("CoCo-Score, release {version}", version=data.version)
    return Table(name="coco-score", title=title, columns=columns, notes=(*notes, *weights.caveats[:_MAX_CAVEATS]))


def _describe_weights(version: str, weights: Mapping[str, float]) -> Message:
    weights_text = ", ".join(f"{task} {weight:.6f}" for task, weight in weights.items())
    return Message("Weights ({version}): {weights}.", version=version, weights=weights_text)


def _collect_scores(data: ResultData) -> dict[str, dict[str, dict[str, float]]]:
    """Return model -> task -> item -> score; of several protocols the one that most models ran under counts.

    Item names include the task, since an understanding item can be asked in both directions.
    """
    protocol_ranks = {name: rank for rank, name in enumerate(data.protocols)}

    def protocol_rank(index: int) -> int:
        return protocol_ranks.get(data.entries[index].run.protocol, len(protocol_ranks))

    by_model: dict[str, dict[str, dict[str, float]]] = {}
    for index in sorted(range(len(data.entries)), key=protocol_rank):
        entry = data.entries[index]
        tasks = by_model.setdefault(entry.run.model, {})
        for item, value in zip(data.items, data.row(index), strict=True):
            task = coco_task(item, entry)
            if task and not math.isnan(value):
                tasks.setdefault(task, {}).setdefault(f"{task} {item.subject_id}", float(value))
    return by_model


def coco_task(item: ItemRow, entry: ResultEntry) -> str:
    """Return the CoCo-Bench task of an item in a run, "" for none."""
    if item.task != "understanding":
        return _TASKS.get(item.task, "")
    protocol = entry.run.settings.get("protocol")
    asked_direction = str(protocol.get("direction") or "") if isinstance(protocol, Mapping) else ""
    direction = asked_direction if asked_direction in ("forward", "reverse") else item.direction
    return _REVERSE_TASK if direction == "reverse" else _FORWARD_TASK


def _compute_task_means(tasks: ByTask) -> dict[str, float | None]:
    return {task: fmean(tasks[task].values()) if task in tasks else None for task in published_weights().weights}


def _rate_difficulty(models: Mapping[str, ByTask], seed: int) -> dict[str, float]:
    scores = {
        model: dict(chain.from_iterable(row.items() for row in tasks.values())) for model, tasks in models.items()
    }
    return {item: rating.mu for item, rating in rate_items(scores, seed=seed).items.items()}


def _find_target(data: ResultData, model: str) -> Target:
    return Target("items", next(entry.run.id for entry in data.entries if entry.run.model == model))
