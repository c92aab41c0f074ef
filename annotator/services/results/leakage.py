"""Signs of leakage: samples peaked around the greedy answer (CDD), answers like the original code, little diversity."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.evaluation.presets import Pass, Protocol, parse_protocol
from annotator.evaluation.released_items import text_of
from annotator.metrics.comparison.leakage_signs import (
    LEAK_CAVEATS,
    Diversity,
    LeakMatch,
    clean_completion,
    judge_peak,
    leak_report,
    original_leak,
)
from annotator.metrics.comparison.leakage_signs import sample_diversity as diversity_of
from annotator.metrics.scores.score_board import heat_map, item_best_of_ks
from annotator.mining.generated_code.duplicates import normalise_code
from annotator.model.rows.result_rows import Column, ResultRun, Table, Target, ValueCell, text_cell
from annotator.services.results.response_explanation import compare_with_reference
from annotator.services.results.result_tables import TableOptions, mean_known, model_column
from annotator.services.results.score_data import ResultData, ResultEntry
from annotator.services.runs.run_plan import engine_item
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_answers as stored
from annotator.store.runs import stored_releases
from annotator.text.distance import code_words, split_words

_MAX_ANSWER_TOKENS = 2000
_CODE_FENCE = re.compile(r"^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
# The protocol's fields that determine a prompt; they stand in for it where answers do not record their prompt.
_PROTOCOL_FIELDS = (
    "builder", "form", "context", "similar", "context_tokens", "infilling", "short_answers", "direction", "templates",
    "shots",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparableRequest:
    """The key under which greedy and sampled answers are comparable: item, prompt and token limit."""

    subject: str
    prompt: str
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class LabelledAnswers:
    """A run's answers by request: the greedy answer, and the sampled answers."""

    greedy: dict[ComparableRequest, str]
    sampled: dict[ComparableRequest, list[str]]


def leakage_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return two signs of leakage for every model: peaked samples (CDD, 1.14) and similarity to originals (1.15)."""
    with store.read() as db:
        items = {str(item["id"]): engine_item(item) for item in stored_releases.items_of(db, data.release_id)}
    peaks = [item_peaks(store, entry.run, data.finished) for entry in data.entries]
    reports = [leak_report({subject: peak for subject, (peak, _) in own_peaks.items()}) for own_peaks in peaks]
    likenesses = [_compare_with_originals(store, entry, items) for entry in data.entries]
    undecided_runs = sum(not any(_find_sampling_roles(entry.run)) for entry in data.entries)
    columns = (
        model_column(data.entries),
        Column.of_shares("leak ratio %", [report.ratio for report in reports]),
        Column.of_numbers("mean peak", [report.mean_peak for report in reports], 3),
        Column.of_counts("items judged", [report.judged for report in reports]),
        Column.of_numbers(
            "samples per item",
            [mean_known(count for peak, count in own_peaks.values() if peak is not None) for own_peaks in peaks],
            1,
        ),
        Column.of_counts("solutions compared", [likeness.compared for likeness in likenesses]),
        Column.of_counts("like the original", [likeness.flagged for likeness in likenesses]),
        Column.of_numbers("limit", [likeness.limit for likeness in likenesses], 3),
        Column("most alike", tuple(likeness.most_alike for likeness in likenesses)),
    )
    notes = [
        Message(
            "Leak ratio: share of items for which more than 1 % of samples are within 5 % edits of the greedy "
            "answer. Answers at temperature 0 are compared with samples of the same model for the same prompt, in "
            "one run or two."
        ),
        *LEAK_CAVEATS,
        Message(
            "Like the original: the words of both programs, without comments, are more than .8 alike, or more alike "
            "than 99 % of pairs with other items' originals. Read these answers yourself."
        ),
    ]
    if undecided_runs:
        notes.append(Message("Runs that do not say how they were decoded ({untold}) have no leak ratio.",
                             untold=undecided_runs))  # fmt: skip
    title = Message("Signs of leakage, release {version}", version=data.version)
    return Table(name="leakage", title=title, columns=columns, notes=tuple(notes))


# Peaks ----------------------------------------------------------------------------------------------------------------


def item_peaks(store: ProjectFile, run: ResultRun, runs: Sequence[ResultRun]) -> dict[str, tuple[float | None, int]]:
    """Return subject -> (peak, number of samples); the peak is None if the greedy answer is too short.

    Greedy or sampled answers that the run lacks are taken from the newest of ``runs`` with the same model and request.
    """
    if not any(_find_sampling_roles(run)):
        return {}
    own_answers = labelled_answers(store, run)
    greedy = dict(own_answers.greedy)
    sampled = dict(own_answers.sampled)
    for other in runs:
        without_greedy = own_answers.sampled.keys() - greedy.keys()
        without_samples = own_answers.greedy.keys() - sampled.keys()
        has_greedy, has_samples = _find_sampling_roles(other)
        if other.id == run.id or other.model != run.model:
            continue
        if (without_greedy and has_greedy) or (without_samples and has_samples):
            other_answers = labelled_answers(store, other)
            greedy |= {key: text for key, text in other_answers.greedy.items() if key in without_greedy}
            sampled |= {key: texts for key, texts in other_answers.sampled.items() if key in without_samples}
    peaks = {}
    for key in greedy.keys() & sampled.keys():
        peak = judge_peak(completion_words(greedy[key]), [completion_words(text) for text in sampled[key]])
        peaks[key.subject] = peak.value, peak.samples
    return peaks


def labelled_answers(store: ProjectFile, run: ResultRun) -> LabelledAnswers:
    """Return a run's answers as greedy (the first one at temperature 0) and sampled (temperature above 0)."""
    protocol = _parse_run_protocol(run)
    greedy: dict[ComparableRequest, str] = {}
    sampled: dict[ComparableRequest, list[str]] = {}
    if protocol is None:
        return LabelledAnswers(greedy, sampled)
    row = protocol.as_json()
    protocol_digest = content_hash({name: row[name] for name in _PROTOCOL_FIELDS})
    with store.read() as db:
        rows = stored.texts_with_questions(db, run.id)
    for subject, sample, question, text in rows:
        if sample >= protocol.samples:
            continue
        sample_pass = protocol.pass_of(sample)
        key = ComparableRequest(subject, question or protocol_digest, sample_pass.decoding.max_tokens)
        if _is_greedy(sample_pass):
            greedy.setdefault(key, text)
        elif _is_sampled(sample_pass):
            sampled.setdefault(key, []).append(text)
    return LabelledAnswers(greedy, sampled)


def completion_words(text: str) -> list[str]:
    """Return the tokens of an answer's first code fence, closed or not, or of the whole text if there is no fence."""
    return split_words(clean_completion(_strip_fence(text)))[:_MAX_ANSWER_TOKENS]


def _strip_fence(text: str) -> str:
    """Return the content of a text's first code fence, or the text if it has none."""
    fence = _CODE_FENCE.search(text)
    return fence[1] if fence else text


def _parse_run_protocol(run: ResultRun) -> Protocol | None:
    row = run.settings.get("protocol")
    if not row:
        return None
    try:
        return parse_protocol(row)
    except BadInputError:
        return None


def _find_sampling_roles(run: ResultRun) -> tuple[bool, bool]:
    """Return whether a run has greedy answers, and whether it has sampled ones."""
    protocol = _parse_run_protocol(run)
    passes = protocol.passes if protocol else ()
    return any(map(_is_greedy, passes)), any(map(_is_sampled, passes))


def _is_greedy(sample_pass: Pass) -> bool:
    return sample_pass.decoding.temperature == 0


def _is_sampled(sample_pass: Pass) -> bool:
    return (sample_pass.decoding.temperature or 0) > 0


# Likeness to the original ---------------------------------------------------------------------------------------------


class _Likeness(NamedTuple):
    """Similarity to the originals: solutions compared and flagged, the threshold, and a cell with the closest one."""

    compared: int
    flagged: int
    limit: float | None
    most_alike: ValueCell


def _compare_with_originals(
    store: ProjectFile, entry: ResultEntry, items: Mapping[str, Mapping[str, Any]]
) -> _Likeness:
    with store.read() as db:
        first_answers: dict[str, str] = {}
        for subject, _, text in stored.texts_of(db, entry.run.id):
            if text and subject in items and text_of(items[subject], "reference"):
                first_answers.setdefault(subject, text)
    matches, limits = match_originals(first_answers, items)
    flagged = [match for match in matches if match.flagged]
    most_alike = text_cell("")
    if flagged:
        first = items[flagged[0].problem]
        match_text = f"{first.get('title') or first.get('key')} ({flagged[0].similarity:.2f})"
        most_alike = text_cell(match_text, Target("item", id=flagged[0].problem))
    return _Likeness(len(matches), len(flagged), max(limits, default=None), most_alike)


def match_originals(
    answers: Mapping[str, str], items: Mapping[str, Mapping[str, Any]]
) -> tuple[tuple[LeakMatch, ...], tuple[float, ...]]:
    """Compare answers (subject -> text) with their items' references as whole programs, within each language.

    Returns the matches, the most similar first, and each language's threshold.
    """
    by_language: dict[str, list[str]] = {}
    for subject in answers:
        by_language.setdefault(text_of(items[subject], "language").lower(), []).append(subject)
    matches: list[LeakMatch] = []
    limits = []
    for language, subjects in sorted(by_language.items()):
        solutions = {}
        originals = {}
        for subject in subjects:
            compared = compare_with_reference(items[subject], answers[subject])
            entry_point = text_of(items[subject], "entry_point")
            # An answer that does not parse is unchanged and may still be in fences.
            answer = _strip_fence(compared.answer)
            reference = _strip_fence(compared.reference)
            solutions[subject] = code_words(answer, language, entry_point)[:_MAX_ANSWER_TOKENS]
            originals[subject] = code_words(reference, language, entry_point)[:_MAX_ANSWER_TOKENS]
        leaks = original_leak(solutions, originals, null_pairs=2000)
        matches += leaks.matches
        limits += [leaks.limit] if leaks.limit is not None else []
    return tuple(sorted(matches, key=lambda match: -match.similarity)), tuple(limits)


_MAX_DIVERSITY_WORDS = 1000
_MAX_SAMPLES = 50
"""Maximum number of samples per item to compare, since the number of pairs grows quadratically."""
_GAIN_K = 5


def diversity_table(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Return the diversity of every model's samples on items it never solves, and the gain of more samples."""
    with store.read() as db:
        items = {str(item["id"]): engine_item(item) for item in stored_releases.items_of(db, data.release_id)}
    never_solved = [_find_never_solved(data, index) for index in range(len(data.entries))]
    per_entry = [
        [item_diversity(items[subject], texts) for subject, texts in _load_sample_texts(store, entry, subjects).items()]
        for entry, subjects in zip(data.entries, never_solved, strict=True)
    ]
    columns = (
        model_column(data.entries),
        Column.of_counts("items never solved", map(len, never_solved)),
        Column.of_numbers(
            "samples per item", [mean_known(item.samples for item in diversities) for diversities in per_entry], 1
        ),
        Column.of_numbers(
            "distance", [mean_known(item.distance for item in diversities) for diversities in per_entry], 3
        ),
        Column.of_numbers(
            "distinct", [mean_known(item.distinct for item in diversities) for diversities in per_entry], 1
        ),
        Column.of_shares(
            "exact copies %", [mean_known(item.duplicates for item in diversities) for diversities in per_entry]
        ),
        Column.of_shares(
            f"gain of best@{_GAIN_K} %", [_compute_gain(data, index) for index in range(len(data.entries))]
        ),
    )
    notes = (
        Message(
            "Items for which a model has several samples, all scored 0. Distance: the mean over pairs of samples, 0 "
            "for the same words. Distinct: samples that differ in more than names, comments and layout."
        ),
        Message(
            "Gain: best@{k} minus best@1 over all items. More samples seldom help when samples are much alike.",
            k=_GAIN_K,
        ),
    )
    title = Message("Samples of items never solved, release {version}", version=data.version)
    return Table(name="diversity", title=title, columns=columns, notes=notes)


def item_diversity(item: Mapping[str, Any], texts: Sequence[str]) -> Diversity:
    """Return the diversity of the answers in an item's responses."""
    language = text_of(item, "language").lower()
    answers = [compare_with_reference(item, text).answer for text in texts]
    forms = [normalise_code("", answer, language).exact for answer in answers]
    return diversity_of([code_words(answer, language)[:_MAX_DIVERSITY_WORDS] for answer in answers], forms)


def _find_never_solved(data: ResultData, index: int) -> tuple[str, ...]:
    values = data.cube.values[index]
    several = (~np.isnan(values)).sum(axis=1) > 1
    never = several & (np.nan_to_num(values) == 0).all(axis=1)
    return tuple(data.items[place].subject_id for place in np.flatnonzero(never))


def _load_sample_texts(store: ProjectFile, entry: ResultEntry, subjects: Sequence[str]) -> dict[str, list[str]]:
    """Return subject -> its first `_MAX_SAMPLES` responses."""
    texts: dict[str, list[str]] = defaultdict(list)
    with store.read() as db:
        for subject, _, text in stored.texts_of(db, entry.run.id, subjects):
            if len(texts[subject]) < _MAX_SAMPLES:
                texts[subject].append(text)
    return texts


def _compute_gain(data: ResultData, index: int) -> float | None:
    """Return best@k less best@1 of an entry, None without enough samples."""
    values = data.cube.values[index]
    if (~np.isnan(values)).sum(axis=1).max(initial=0) < _GAIN_K:
        return None
    boards = item_best_of_ks(data.cube, (1, _GAIN_K)).values()
    best_of_1, best_of_k = (heat_map(scores, [""] * len(data.items)).cell(index, 0) for scores in boards)
    if best_of_1 is None or best_of_k is None or best_of_1.value is None or best_of_k.value is None:
        return None
    return best_of_k.value - best_of_1.value
