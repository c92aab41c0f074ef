"""Diversity of a model's answers to the items that it never solves (section 1.15 b)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotator.base.messages import Message
from annotator.evaluation.released_items import text_of
from annotator.metrics.comparison.leakage_signs import Diversity
from annotator.metrics.comparison.leakage_signs import sample_diversity as diversity_of
from annotator.metrics.scores.score_board import heat_map, item_best_of_ks
from annotator.mining.generated_code.duplicates import normalise_code
from annotator.model.rows.result_rows import Column, Table
from annotator.services.results.response_explanation import compare_with_reference
from annotator.services.results.result_tables import TableOptions, mean_known, model_column
from annotator.services.results.score_data import ResultData, ResultEntry
from annotator.services.runs.run_plan import engine_item
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import score_columns as stored
from annotator.store.runs import stored_releases
from annotator.text.distance import code_words

_MAX_WORDS = 1000
_MAX_SAMPLES = 50
"""The most samples of an item to compare: the number of pairs grows with the square."""
_K = 5


def diversity_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return the diversity of every model's samples on items it never solves, and the gain of more samples."""
    with store.read() as db:
        items = {str(item["id"]): engine_item(item) for item in stored_releases.items_of(db, data.release_id)}
    never = [_never_solved(data, at) for at in range(len(data.entries))]
    per_entry = [
        [item_diversity(items[subject], texts) for subject, texts in _texts(store, entry, subjects).items()]
        for entry, subjects in zip(data.entries, never, strict=True)
    ]
    columns = (
        model_column(data.entries),
        Column.of_counts("items never solved", map(len, never)),
        Column.of_numbers("samples per item", [mean_known(item.samples for item in own) for own in per_entry], 1),
        Column.of_numbers("distance", [mean_known(item.distance for item in own) for own in per_entry], 3),
        Column.of_numbers("distinct", [mean_known(item.distinct for item in own) for own in per_entry], 1),
        Column.of_shares("exact copies %", [mean_known(item.duplicates for item in own) for own in per_entry]),
        Column.of_shares(f"gain of best@{_K} %", [_gain(data, at) for at in range(len(data.entries))]),
    )
    notes = (
        Message(
            "Items for which a model has several samples, all scored 0. Distance: the mean over pairs of samples, 0 "
            "for the same words. Distinct: samples that differ in more than names, comments and layout."
        ),
        Message(
            "Gain: best@{k} minus best@1 over all items. More samples seldom help when samples are much alike.", k=_K
        ),
    )
    title = Message("Samples of items never solved, release {version}", version=data.version)
    return Table(name="diversity", title=title, columns=columns, notes=notes)


def item_diversity(item: Mapping[str, Any], texts: Sequence[str]) -> Diversity:
    """Return the diversity of the answers in an item's responses."""
    language = text_of(item, "language").lower()
    answers = [compare_with_reference(item, text).answer for text in texts]
    forms = [normalise_code("", answer, language).exact for answer in answers]
    return diversity_of([code_words(answer, language)[:_MAX_WORDS] for answer in answers], forms)


def _never_solved(data: ResultData, at: int) -> tuple[str, ...]:
    values = data.cube.values[at]
    several = (~np.isnan(values)).sum(axis=1) > 1
    never = several & (np.nan_to_num(values) == 0).all(axis=1)
    return tuple(data.items[place].subject_id for place in np.flatnonzero(never))


def _texts(store: ProjectFile, entry: ResultEntry, subjects: Sequence[str]) -> dict[str, list[str]]:
    """Return subject -> its first `_MAX_SAMPLES` responses."""
    texts: dict[str, list[str]] = defaultdict(list)
    with store.read() as db:
        for subject, _, text in stored.texts_of(db, entry.run.id, subjects):
            if len(texts[subject]) < _MAX_SAMPLES:
                texts[subject].append(text)
    return texts


def _gain(data: ResultData, at: int) -> float | None:
    """Return best@k less best@1 of an entry, None without enough samples."""
    values = data.cube.values[at]
    if (~np.isnan(values)).sum(axis=1).max(initial=0) < _K:
        return None
    boards = item_best_of_ks(data.cube, (1, _K)).values()
    one, many = (heat_map(scores, [""] * len(data.items)).cell(at, 0) for scores in boards)
    if one is None or many is None or one.value is None or many.value is None:
        return None
    return many.value - one.value
