"""Signs of leakage: samples peaked around the greedy answer (CDD), and answers like the original code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.evaluation.items import text_of
from annotator.evaluation.presets import Pass, Protocol, parse_protocol
from annotator.metrics.comparison.leakage import (
    LEAK_CAVEATS,
    LeakMatch,
    clean_completion,
    judge_peak,
    leak_report,
    original_leak,
)
from annotator.model.rows.results import Cell, Column, ResultRun, Table, Target, text_cell
from annotator.services.results.response_explanation import compare_with_reference
from annotator.services.results.score_data import Entry, ResultData
from annotator.services.results.tables import TableOptions, mean_known, model_column
from annotator.services.runs.run_plan import engine_item
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import releases
from annotator.store.runs import score_columns as stored
from annotator.text.code_words import code_words
from annotator.text.distance import words

_TOKENS = 2000
_FENCED = re.compile(r"^[ \t]*```[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
# What decides a request besides decoding, where the answers do not say what was asked.
_ASKED = ("builder", "form", "context", "similar", "context_tokens", "infilling", "short_answers", "direction",
          "templates", "shots")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What must be equal for a greedy and a sampled answer to be compared: item, prompt and limit of length."""

    subject: str
    prompt: str
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class LabelledAnswers:
    """A run's answers by what was asked: the greedy one, and those that were sampled."""

    greedy: dict[Asked, str]
    sampled: dict[Asked, list[str]]


def leakage(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Two signs of leakage for every model: peaked samples (CDD, section 1.14) and likeness to the originals (1.15)."""
    with store.read() as db:
        known = stored.finished(db, data.version)
        items = {str(item["id"]): engine_item(item) for item in releases.items_of(db, data.release_id)}
    runs = known[2] if known else ()
    peaks = [item_peaks(store, entry.run, runs) for entry in data.entries]
    reports = [leak_report({subject: peak for subject, (peak, _) in found.items()}) for found in peaks]
    alike = [_likeness(store, entry, items) for entry in data.entries]
    untold = sum(not any(_roles(entry.run)) for entry in data.entries)
    columns = (
        model_column(data.entries),
        Column.of_shares("leak ratio %", [report.ratio for report in reports]),
        Column.of_numbers("mean peak", [report.mean_peak for report in reports], 3),
        Column.of_counts("items judged", [report.judged for report in reports]),
        Column.of_numbers(
            "samples per item",
            [mean_known(count for peak, count in found.values() if peak is not None) for found in peaks],
            1,
        ),
        Column.of_counts("solutions compared", [likeness.compared for likeness in alike]),
        Column.of_counts("like the original", [likeness.flagged for likeness in alike]),
        Column.of_numbers("limit", [likeness.limit for likeness in alike], 3),
        Column("most alike", tuple(likeness.most_alike for likeness in alike)),
    )
    notes = [
        Message(
            "Leak ratio: share of items whose samples lie within 5 % edits of the greedy answer more often than 1 %. "
            "Answers at temperature 0 are set against samples of the same model to the same prompt, in one run or two."
        ),
        *LEAK_CAVEATS,
        Message(
            "Like the original: the words of both programs, without comments, more alike than .8, or than 99 % of "
            "pairs with other items' originals. For reading."
        ),
    ]
    if untold:
        notes.append(Message("Runs that do not say how they were decoded ({untold}) have no leak ratio.",
                             untold=untold))  # fmt: skip
    return Table(
        name="leakage",
        title=Message("Signs of leakage, release {version}", version=data.version),
        columns=columns,
        notes=tuple(notes),
    )


# Peaks ----------------------------------------------------------------------------------------------------------------


def item_peaks(store: ProjectFile, run: ResultRun, runs: Sequence[ResultRun]) -> dict[str, tuple[float | None, int]]:
    """Return subject -> its peak (None: the greedy answer is too short) and how many samples it is made of.

    What the run lacks of greedy and sampled answers is taken from the newest other of ``runs`` of its model that was
    asked the same.
    """
    if not any(_roles(run)):
        return {}
    own = labelled_answers(store, run)
    greedy, sampled = dict(own.greedy), dict(own.sampled)
    for other in runs:
        lacks_greedy, lacks_samples = own.sampled.keys() - greedy.keys(), own.greedy.keys() - sampled.keys()
        has_greedy, has_samples = _roles(other)
        if other.id == run.id or other.model != run.model:
            continue
        if (lacks_greedy and has_greedy) or (lacks_samples and has_samples):
            found = labelled_answers(store, other)
            greedy |= {asked: text for asked, text in found.greedy.items() if asked in lacks_greedy}
            sampled |= {asked: texts for asked, texts in found.sampled.items() if asked in lacks_samples}
    peaks = {}
    for asked in greedy.keys() & sampled.keys():
        judged = judge_peak(completion_words(greedy[asked]), [completion_words(text) for text in sampled[asked]])
        peaks[asked.subject] = judged.value, judged.samples
    return peaks


def labelled_answers(store: ProjectFile, run: ResultRun) -> LabelledAnswers:
    """Return a run's answers by their pass: at temperature 0 the first is greedy, above they are sampled."""
    protocol = _protocol(run)
    greedy: dict[Asked, str] = {}
    sampled: dict[Asked, list[str]] = {}
    if protocol is None:
        return LabelledAnswers(greedy, sampled)
    row = protocol.as_json()
    recorded = content_hash({name: row[name] for name in _ASKED})
    with store.read() as db:
        found = stored.asked_texts(db, run.id)
    for subject, sample, question, text in found:
        if sample >= protocol.samples:
            continue
        chosen = protocol.pass_of(sample)
        asked = Asked(subject, question or recorded, chosen.decoding.max_tokens)
        if _is_greedy(chosen):
            greedy.setdefault(asked, text)
        elif _is_sampled(chosen):
            sampled.setdefault(asked, []).append(text)
    return LabelledAnswers(greedy, sampled)


def completion_words(text: str) -> list[str]:
    """Return the words and signs of an answer's code: of its first fence, open or closed, else of the whole text."""
    fenced = _FENCED.search(text)
    return words(clean_completion(fenced[1] if fenced else text))[:_TOKENS]


def _protocol(run: ResultRun) -> Protocol | None:
    row = run.settings.get("protocol")
    if not row:
        return None
    try:
        return parse_protocol(row)
    except BadInputError:
        return None


def _roles(run: ResultRun) -> tuple[bool, bool]:
    """Tell whether a run has greedy answers, and whether it has sampled ones."""
    protocol = _protocol(run)
    passes = protocol.passes if protocol else ()
    return any(map(_is_greedy, passes)), any(map(_is_sampled, passes))


def _is_greedy(chosen: Pass) -> bool:
    return chosen.decoding.temperature == 0


def _is_sampled(chosen: Pass) -> bool:
    return (chosen.decoding.temperature or 0) > 0


# Likeness to the original ---------------------------------------------------------------------------------------------


class _Likeness(NamedTuple):
    """How many solutions were compared with the originals and are like them, the limit, and the most alike."""

    compared: int
    flagged: int
    limit: float | None
    most_alike: Cell


def _likeness(store: ProjectFile, entry: Entry, items: Mapping[str, Mapping[str, Any]]) -> _Likeness:
    with store.read() as db:
        firsts: dict[str, str] = {}
        for subject, _, text in stored.texts_of(db, entry.run.id):
            if text and subject in items and text_of(items[subject], "reference"):
                firsts.setdefault(subject, text)
    matches, limits = likenesses(firsts, items)
    flagged = [match for match in matches if match.flagged]
    most_alike = text_cell("")
    if flagged:
        first = items[flagged[0].problem]
        words = f"{first.get('title') or first.get('key')} ({flagged[0].similarity:.2f})"
        most_alike = text_cell(words, Target("item", id=flagged[0].problem))
    return _Likeness(len(matches), len(flagged), max(limits, default=None), most_alike)


def likenesses(
    answers: Mapping[str, str], items: Mapping[str, Mapping[str, Any]]
) -> tuple[tuple[LeakMatch, ...], tuple[float, ...]]:
    """Compare answers (subject -> text) with their items' references, both as whole programs, language by language.

    Returns the matches, most alike first, and each language's limit.
    """
    by_language: dict[str, list[str]] = {}
    for subject in answers:
        by_language.setdefault(text_of(items[subject], "language").lower(), []).append(subject)
    matches: list[LeakMatch] = []
    limits = []
    for language, subjects in sorted(by_language.items()):
        solutions, originals = {}, {}
        for subject in subjects:
            compared = compare_with_reference(items[subject], answers[subject])
            entry_point = text_of(items[subject], "entry_point")
            # What is no program stays as it was answered, perhaps in fences.
            answer, reference = (
                fenced[1] if (fenced := _FENCED.search(text)) else text
                for text in (compared.answer, compared.reference)
            )
            solutions[subject] = code_words(answer, language, entry_point)[:_TOKENS]
            originals[subject] = code_words(reference, language, entry_point)[:_TOKENS]
        found = original_leak(solutions, originals, null_pairs=2000)
        matches += found.matches
        limits += [found.limit] if found.limit is not None else []
    return tuple(sorted(matches, key=lambda match: -match.similarity)), tuple(limits)
