"""Tables that need the answers themselves, or what their rules gave: points by metric, signs of leakage."""

from __future__ import annotations

from collections.abc import Sequence

from annotator.base.messages import Message
from annotator.criteria.metrics.extraction import extract
from annotator.metrics.comparison.leakage import LEAK_CAVEATS, clean_completion, judge_peak, leak_report, original_leak
from annotator.metrics.comparison.paired_models import compare
from annotator.metrics.scores.difficulty_levels import metric_scores
from annotator.model.rows.results import Cell, Table, Target, count_cell, number_cell, percent_cell, text_cell
from annotator.services.release.suggested_version import comparable_subjects
from annotator.services.results.score_data import Entry, ResultData
from annotator.services.results.tables import TableOptions
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import score_columns as stored
from annotator.text.distance import words

_TOKENS = 2000


def metrics(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Points earned of points available by metric type, summed over each item's best response (section 1.11)."""
    found = [_best_points(store, entry.run.id) for entry in data.entries]
    scores = [metric_scores(list(best.values())) for best, _ in found]
    names = sorted({name for row in scores for name in row})
    rows = tuple(
        (
            text_cell(entry.label, Target("items", entry.run.id)),
            *(percent_cell(row.get(name)) for name in names),
            count_cell(len(best)),
        )
        for entry, row, (best, _) in zip(data.entries, scores, found, strict=True)
    )
    without = sum(count for _, count in found)
    notes = [
        Message("Points earned of points available, summed over each item's best response; an item can feed several.")
    ]
    if without:
        notes.append(
            Message(
                "{without} responses were scored without attainable points by rule, and are left out.",
                without=without,
            )
        )
    headers = ("model", *names, "items")
    title = Message("Scores by metric, release {version}", version=data.version)
    return Table("metric", title, headers, rows,
                 (False, *(True,) * (len(headers) - 1)), tuple(notes))  # fmt: skip


def _best_points(store: ProjectFile, run_id: str) -> tuple[dict[str, dict[str, tuple[float, float]]], int]:
    """Return subject -> metric -> (earned, available) of its best response, and how many could not be used."""
    best: dict[str, tuple[float, dict[str, tuple[float, float]]]] = {}
    without = 0
    with store.read() as db:
        for subject, _, score, detail in stored.rule_points(db, run_id):
            if score is None:
                continue
            rules = detail.get("rules", ())
            points: dict[str, tuple[float, float]] = {}
            for rule in rules:
                if isinstance(rule.get("total"), (int, float)):
                    earned, available = points.get(str(rule["metric"]), (0.0, 0.0))
                    # Rules that only take points away have nothing to earn.
                    points[str(rule["metric"])] = (earned + rule["points"], available + max(0.0, rule["total"]))
            without += bool(rules) and not points
            if points and (subject not in best or score > best[subject][0]):
                best[subject] = (score, points)
    return {subject: points for subject, (_, points) in best.items()}, without


def leakage(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Two signs of leakage for every model: peaked samples (CDD, section 1.14) and likeness to the originals (1.15)."""

    with store.read() as db:
        references = stored.references(db, data.release_id)
    rows = []
    for entry in data.entries:
        greedy = _greedy_beside(entry, data)
        peak = _peaks(store, entry, greedy) if greedy is not None else (None, None, 0)
        likeness = _likeness(store, entry, data, references)
        rows.append(
            (
                text_cell(entry.label, Target("items", entry.run.id)),
                percent_cell(peak[0]),
                number_cell(peak[1], 3),
                count_cell(peak[2]),
                *likeness,
            )
        )
    headers = ("model", "leak ratio %", "mean peak", "items judged", "solutions compared", "like the original",
               "limit", "most alike")  # fmt: skip
    notes = (
        Message(
            "Leak ratio: share of items whose samples lie within 5 % edits of the greedy answer more often than 1 %; "
            "it needs a run at temperature 0 beside one with samples."
        ),
        *LEAK_CAVEATS,
        Message(
            "Like the original: tokens more alike than .8, or than 99 % of pairs with other items' originals. "
            "For reading."
        ),
    )
    title = Message("Signs of leakage, release {version}", version=data.version)
    return Table("leakage", title, headers, tuple(rows),
                 (False, *(True,) * 6, False), notes)  # fmt: skip


def _greedy_beside(entry: Entry, data: ResultData) -> Entry | None:
    """Return the run of the same model with one sample, if this one has several."""
    if entry.run.samples < 2:
        return None
    for other in data.entries:
        if other.run.model == entry.run.model and other.run.samples == 1:
            return other
    return None


def _peaks(store: ProjectFile, entry: Entry, greedy: Entry) -> tuple[float | None, float | None, int]:

    with store.read() as db:
        first = {subject: text for subject, _, text in stored.texts_of(db, greedy.run.id)}
        samples: dict[str, list[list[str]]] = {}
        for subject, _, text in stored.texts_of(db, entry.run.id):
            if text:
                samples.setdefault(subject, []).append(_tokens(text))
    peaks = {
        subject: judge_peak(_tokens(first[subject]), found).value for subject, found in samples.items()
        if first.get(subject)
    }  # fmt: skip
    report = leak_report(peaks)
    return report.ratio, report.mean_peak, report.judged


def _likeness(
    store: ProjectFile, entry: Entry, data: ResultData, references: dict[str, str]
) -> tuple[Cell, Cell, Cell, Cell]:

    with store.read() as db:
        firsts: dict[str, str] = {}
        for subject, _, text in stored.texts_of(db, entry.run.id, tuple(references)):
            if text:
                firsts.setdefault(subject, text)
    facts = {item.subject_id: item for item in data.items}
    compared, flagged = 0, []
    limits: list[float] = []
    for language in sorted({facts[subject].language for subject in firsts if subject in facts}):
        chosen = [subject for subject in firsts if subject in facts and facts[subject].language == language]
        solutions = {subject: _tokens(firsts[subject], language) for subject in chosen}
        originals = {subject: _tokens(references[subject], language) for subject in chosen}
        found = original_leak(solutions, originals, null_pairs=2000)
        compared += len(found.matches)
        flagged += [match for match in found.matches if match.flagged]
        limits += [found.limit] if found.limit is not None else []
    flagged.sort(key=lambda match: -match.similarity)
    first = facts[flagged[0].problem] if flagged else None
    return (
        count_cell(compared),
        count_cell(len(flagged)),
        number_cell(max(limits) if limits else None, 3),
        text_cell(f"{first.title} ({flagged[0].similarity:.2f})", Target("item", id=first.subject_id))
        if first
        else text_cell(""),
    )


def _tokens(text: str, language: str = "python") -> list[str]:
    """Return the tokens of an answer's code, as words and signs."""
    code = extract(text, language) if "```" in text else text
    return words(clean_completion(code))[:_TOKENS]


def releases(store: ProjectFile, data: ResultData, other: ResultData) -> Table:
    """Every model's score on two releases, on all items and on those asked and judged alike, as a paired difference."""
    same = comparable_subjects(store, data.release_id, other.release_id)
    rows = []
    places = {(entry.run.model, entry.run.protocol): at for at, entry in enumerate(other.entries)}
    for at, entry in enumerate(data.entries):
        there = places.get((entry.run.model, entry.run.protocol))
        ours = data.by_item(at)
        theirs = other.by_item(there) if there is not None else {}
        shared = [key for key in ours if key in theirs and key in same]
        found = compare({key: ours[key] for key in shared}, {key: theirs[key] for key in shared})
        rows.append(
            (
                text_cell(entry.label, Target("items", entry.run.id)),
                percent_cell(_mean(list(ours.values()))),
                percent_cell(_mean(list(theirs.values()))),
                count_cell(len(shared)),
                percent_cell(_mean([ours[key] for key in shared])),
                percent_cell(_mean([theirs[key] for key in shared])),
                percent_cell(found.mean if found else None),
                percent_cell(found.low if found else None),
                percent_cell(found.high if found else None),
                number_cell(found.p if found else None, 4),
            )
        )
    headers = ("model", f"{data.version} %", f"{other.version} %", "comparable items", f"{data.version} shared %",
               f"{other.version} shared %", "difference", "from", "to", "p")  # fmt: skip
    notes = (
        Message(
            "{count} items are asked and judged alike in both releases; only these are comparable.", count=len(same)
        ),
    )
    title = Message("Release {version} against {other}", version=data.version, other=other.version)
    return Table("releases", title, headers, tuple(rows),
                 (False, *(True,) * 9), notes)  # fmt: skip


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
