"""Evidence for the release audit from items, their sources and their proofs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotator.base.messages import Message, join_messages, mark_word
from annotator.evaluation.program_tests import can_run
from annotator.formats.documents.attribution import missing_provenance
from annotator.formats.documents.licence_terms import may_be_passed_on
from annotator.formats.documents.personal_data import scan_item
from annotator.formats.documents.release_facts import SourceFact
from annotator.metrics.comparison.score_intervals import wilson_interval
from annotator.mining.generated_code.duplicates import find_duplicates, normalise_code
from annotator.model.rows.audit_rows import MET, NOT_APPLICABLE, NOT_MET, OPEN, AuditEvidence, AuditPoint
from annotator.services.prompt.paraphrase_guard import find_item_problems
from annotator.services.release.power_plan import OMEGA2, PowerQuestion, Variances, detectable_difference
from annotator.text.distance import word_distance
from annotator.text.leaks import leaked_lines

Item = Mapping[str, Any]
_DATE_FIELDS = (
    "date", "created", "created_at", "creation_date", "last_updated", "published", "year", "function_first_commit",
    "function_last_commit", "repository_created", "repository_last_commit",
)  # fmt: skip
_VERSION_FIELDS = ("revision", "version", "post_id", "question_id", "commit")
_POPULARITY_FIELDS = ("stars", "views", "score", "downloads")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFacts:
    """The facts from which evidence about items is computed.

    ``checks`` are those of the newest proof of the items' exact content, by subject. ``candidates`` counts the labels
    of all candidates (field -> value -> count), ``rejected`` the rejections by reason. ``readers`` are the people who
    reviewed or decided on an item. Of the ``shared`` items that several people decided on, ``agreed`` got one verdict.
    """

    items: Sequence[Item]
    checks: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    sources: Sequence[SourceFact] = ()
    candidates: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    candidate_count: int = 0
    rejected: Mapping[str, int] = field(default_factory=dict)
    readers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    agreed: int = 0
    shared: int = 0
    unsettled: int = 0


def judge_value(point: AuditPoint, value: float, text: str, place: str = "") -> AuditEvidence:
    """Return evidence with a number, met or not met according to the point's threshold."""
    limit = point.threshold if point.threshold is not None else 0.0
    is_met = value <= limit + 1e-12 if point.at_most else value >= limit - 1e-12
    return AuditEvidence(MET if is_met else NOT_MET, text, place, round(value, 6))


def judge_part(judged: AuditEvidence, examined: int, total: int) -> AuditEvidence:
    """Return the evidence, but leave the point open if it is met and only part of the total was examined."""
    is_partly_examined = judged.state == MET and examined < total
    return unknown_evidence(judged.text, judged.place) if is_partly_examined else judged


def unknown_evidence(text: str, place: str = "") -> AuditEvidence:
    """Return evidence that leaves a point open, with the reason."""
    return AuditEvidence(OPEN, text, place)


def _judge_share(point: AuditPoint, good: int, total: int, place: str) -> AuditEvidence:
    text = Message("{count} of {total} items", count=good, total=total)
    return judge_value(point, good / total, text, place)


def _count_texts(pairs: Iterable[tuple[str, int | str]]) -> Iterator[Message]:
    return (Message("{name} {count}", name=mark_word(name), count=count) for name, count in pairs)


def _judge_scope(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    good = sum(bool(item["language"] and item["task"]) for item in facts.items)
    languages = Counter(item["language"] for item in facts.items if item["language"])
    tasks = Counter(item["task"] for item in facts.items if item["task"])
    text = Message(
        "{count} of {total} items have language and task: {list}",
        count=good,
        total=len(facts.items),
        list=join_messages(_count_texts((*languages.most_common(), *tasks.most_common()))),
    )
    return judge_value(point, good / len(facts.items), text, "Select")


def _judge_origin(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    """Count the items with known source, version, date and licence; the source by the rule of the provenance gate."""
    parts = {
        "source": [not missing_provenance(item["provenance"]) for item in facts.items],
        "version": [any(item["provenance"].get(name) for name in _VERSION_FIELDS) for item in facts.items],
        "date": list(map(_has_date, facts.items)),
        "licence": [bool(item["licence"]) for item in facts.items],
    }
    good = sum(map(all, zip(*parts.values(), strict=True)))
    total = len(facts.items)
    text = Message(
        "{count} of {total} items; known for: source {source}, version {version}, date {date}, licence {licence}",
        count=good,
        total=total,
        **{name: sum(flags) for name, flags in parts.items()},
    )
    return judge_value(point, good / total, text, "Sources")


def _has_date(item: Item) -> bool:
    credit = item["provenance"].get("credit")
    return any(origin.get(name) for origin in (item["provenance"], credit) if isinstance(origin, Mapping)
               for name in _DATE_FIELDS)  # fmt: skip


def _judge_selection(_: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    dropped = sum(facts.rejected.values())
    if not dropped:
        return unknown_evidence(
            Message("No candidate was rejected here, so there is no record of how items were chosen."), "Select"
        )
    rules = Counter(facts.rejected).most_common(5)
    text = Message("Rejected candidates: {count} ({list})", count=dropped,
                   list=", ".join(f"{reason or '-'} {count}" for reason, count in rules))  # fmt: skip
    if any(not reason for reason in facts.rejected):
        return AuditEvidence(NOT_MET, Message("{text}; some without a reason", text=text), "Select")
    return AuditEvidence(MET, text, "Select")


def _judge_representative(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    """Compare items with candidates by total variation distance, for each label."""
    total = len(facts.items)
    if facts.candidate_count <= total:
        return unknown_evidence(
            Message("The project contains no other candidates to compare the items with."), "Select"
        )
    distances = {}
    for name, counts in facts.candidates.items():
        item_counts = Counter(item[name] for item in facts.items)
        if len(counts) > 1:
            candidate_total = sum(counts.values())
            difference = sum(
                abs(item_counts[value] / total - count / candidate_total) for value, count in counts.items()
            )
            distances[name] = difference / 2
    if not distances:
        return unknown_evidence(Message("The candidates have no labels to compare."), "Select")
    distances_text = join_messages(_count_texts((name, f"{value:.2f}") for name, value in distances.items()))
    text = Message("Distance from {count} candidates: {list}", count=facts.candidate_count, list=distances_text)
    return judge_value(point, max(distances.values()), text, "Select")


def _judge_recency(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    are_known = [
        _has_date(item)
        and (bool(item.get("views")) or any(item["provenance"].get(name) for name in _POPULARITY_FIELDS))
        for item in facts.items
    ]
    return _judge_share(point, sum(are_known), len(are_known), "Sources")


def _judge_duplicates(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    with_code = [item for item in facts.items if item["reference"].strip()]
    pairs = find_duplicates([normalise_code(item["id"], item["reference"], item["language"]) for item in with_code])
    prompts = Counter(" ".join(item["prompt"].casefold().split()) for item in facts.items)
    duplicate_prompts = sum(count - 1 for count in prompts.values())
    names = {item["id"]: item["key"] for item in facts.items}
    pairs_text = ", ".join(f"{names[pair.first]} = {names[pair.second]}" for pair in pairs[:3])
    text = Message(
        "{count} pairs of nearly identical references, {same} duplicate prompts",
        count=len(pairs),
        same=duplicate_prompts,
    )
    if pairs_text:
        text = Message("{text}: {list}", text=text, list=pairs_text)
    return judge_value(point, len(pairs) + duplicate_prompts, text, "Release")


def _judge_prompts(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    wrong = [item["key"] for item in facts.items if find_item_problems(item) or not _names_entry_point(item)]
    good = len(facts.items) - len(wrong)
    text = Message("{count} of {total} prompts name what is called and keep every requirement", count=good,
                   total=len(facts.items))  # fmt: skip
    return judge_value(point, good / len(facts.items), text, "Prompt")


def _names_entry_point(item: Item) -> bool:
    name = str(item["entry_point"]).rpartition(".")[2]
    return bool(item["prompt"].strip()) and (not name or name in item["prompt"])


def _judge_second_reading(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    if not facts.readers:
        return unknown_evidence(Message("Nobody has reviewed an item in this project."), "Consensus")
    good = sum(len(facts.readers.get(item["id"], ())) >= 2 for item in facts.items)
    return _judge_share(point, good, len(facts.items), "Consensus")


def _answer_leaks(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    with_code = [item for item in facts.items if item["reference"].strip()]
    if not with_code:
        return AuditEvidence(NOT_APPLICABLE, Message("No item has a reference."))
    leaking_keys = [item["key"] for item in with_code if leaked_lines(item["reference"], "", item["prompt"])]
    text = Message(
        "{count} of {total} prompts contain a line of their reference", count=len(leaking_keys), total=len(with_code)
    )
    if leaking_keys:
        text = Message("{text}: {list}", text=text, list=", ".join(leaking_keys[:3]))
    return judge_value(point, len(leaking_keys), text, "Prompt")


def _judge_private_data(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    affected = sum(bool(scan_item(item)) for item in facts.items)
    text = Message("{count} of {total} items contain such text", count=affected, total=len(facts.items))
    return judge_value(point, affected, text, "Release")


def _judge_power(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    value = detectable_difference(len(facts.items), Variances(OMEGA2, 0.0, 0), PowerQuestion())
    text = Message(
        "{total} items can detect a difference of {percent} points (5 % level, 80 % power, variance of "
        "differences 1/9)",
        total=len(facts.items),
        percent=f"{100 * value:.1f}",
    )
    return judge_value(point, value, text, "Results")


def _judge_proof_check(name: str) -> Callable[[AuditPoint, ItemFacts], AuditEvidence]:
    """Return a function for the evidence of one proof check: the share of items that passed; all must have been run."""

    def evidence(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
        outcomes = Counter(_find_outcome(facts, item["id"], name) for item in facts.items)
        passed = outcomes["pass"]
        failed = outcomes["fail"]
        total = len(facts.items)
        text: str = Message(
            "{passed} pass, {failed} fail, {count} of {total} were not run",
            passed=passed, failed=failed, count=total - passed - failed, total=total,
        )  # fmt: skip
        if not passed + failed:
            return unknown_evidence(text, "Criterion")
        # The checks that did not run may fail, so a good share of a part does not meet the point.
        return judge_part(judge_value(point, passed / (passed + failed), text, "Criterion"), passed + failed, total)

    return evidence


def _find_outcome(facts: ItemFacts, subject: str, name: str) -> str:
    return next((str(part["outcome"]) for part in facts.checks.get(subject, ()) if part["name"] == name), "")


def _judge_coverage(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    executed = missing = partial = measured = 0
    for item in facts.items:
        parts = [part["facts"] for part in facts.checks.get(item["id"], ()) if part["name"] == "coverage"]
        for coverage in parts:
            executed_lines = len(coverage.get("executed", ()))
            missing_lines = len(coverage.get("missing", ()))
            measured += executed_lines + missing_lines > 0
            executed += executed_lines
            missing += missing_lines
            partial += len(coverage.get("partial", ()))
    if not measured:
        return unknown_evidence(
            Message("Coverage was measured for none of {total} items", total=len(facts.items)), "Criterion"
        )
    text = Message(
        "{count} of {lines} lines are run, {partial} lines have a branch that is not; measured for {measured} of "
        "{total} items", count=executed, lines=executed + missing, partial=partial, measured=measured,
        total=len(facts.items),
    )  # fmt: skip
    judged = judge_value(point, executed / (executed + missing), text, "Criterion")
    return judge_part(judged, measured, len(facts.items))


def _judge_difficulty(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    counts = Counter(item["difficulty"] for item in facts.items)
    if counts[""]:
        return unknown_evidence(Message("{count} of {total} items have no difficulty", count=counts[""],
                               total=len(facts.items)), "Select")  # fmt: skip
    text = join_messages(_count_texts(counts.most_common()))
    return judge_value(point, max(counts.values()) / len(facts.items), text, "Results")


def _judge_people(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    interval = wilson_interval(facts.agreed, facts.shared)
    if interval is None:
        return unknown_evidence(Message("No item was decided by two people."), "Consensus")
    low, high = interval
    text = Message(
        "People agreed on {count} of {total} items decided by several (95 %: {low} to {high}); {open} disagreements "
        "are open",
        count=facts.agreed, total=facts.shared, low=f"{low:.2f}", high=f"{high:.2f}", open=facts.unsettled,
    )  # fmt: skip
    judged = judge_value(point, facts.agreed / facts.shared, text, "Consensus")
    return AuditEvidence(NOT_MET, text, "Consensus", judged.value) if facts.unsettled else judged


def _judge_rewriting(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    distances = [word_distance(item["original_prompt"], item["prompt"]) for item in facts.items]
    good = sum(value >= (point.threshold or 0.0) for value in distances)
    text = Message("{count} of {total} prompts are far enough; the mean distance is {mean}", count=good,
                   total=len(distances), mean=f"{sum(distances) / len(distances):.2f}")  # fmt: skip
    return AuditEvidence(MET if good == len(distances) else NOT_MET, text, "Prompt", round(min(distances), 6))


def _judge_licences(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    # may_be_passed_on is None for a licence that is not known.
    good = sum(bool(item["licence"]) and may_be_passed_on(item["licence"]) is True for item in facts.items)
    return _judge_share(point, good, len(facts.items), "Sources")


def _judge_reproducible(point: AuditPoint, facts: ItemFacts) -> AuditEvidence:
    good = sum(_is_judged(item) for item in facts.items)
    runnable = [item["id"] for item in facts.items if item["reference"].strip()]
    ran = sum(_find_outcome(facts, subject, "reference") == "pass" for subject in runnable)
    text = Message(
        "{count} of {total} items have a prompt and a criterion or tests, and {ran} of {references} references ran "
        "and pass",
        count=good, total=len(facts.items), ran=ran, references=len(runnable),
    )  # fmt: skip
    judged = judge_value(point, good / len(facts.items), text, "Release")
    # Only a run shows that a library is missing from the release.
    return judge_part(judged, ran, len(runnable))


def _is_judged(item: Item) -> bool:
    tests: Iterable[Mapping[str, Any]] = item["tests"]
    has_judge = item["criterion"] or item["extra"].get("grader") or any(map(can_run, tests))
    return bool(item["prompt"].strip() and has_judge)


FROM_ITEMS: Mapping[str, Callable[[AuditPoint, ItemFacts], AuditEvidence]] = {
    "scope": _judge_scope,
    "origin": _judge_origin,
    "selection": _judge_selection,
    "representative": _judge_representative,
    "recency": _judge_recency,
    "duplicates": _judge_duplicates,
    "prompts": _judge_prompts,
    "second-reading": _judge_second_reading,
    "answer-leaks": _answer_leaks,
    "private": _judge_private_data,
    "power": _judge_power,
    "reference": _judge_proof_check("reference"),
    "coverage": _judge_coverage,
    "mutants": _judge_proof_check("mutants"),
    "impostors": _judge_proof_check("impostors"),
    "flakes": _judge_proof_check("flakes"),
    "limits": _judge_proof_check("time_limit"),
    "difficulty": _judge_difficulty,
    "people": _judge_people,
    "rewriting": _judge_rewriting,
    "licences": _judge_licences,
    "reproducible": _judge_reproducible,
}
