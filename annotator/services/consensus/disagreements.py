"""Disagreements between people: find them, show all opinions side by side, and settle them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message, mark_word
from annotator.metrics.agreement.blind_comparisons import verdict_on_a
from annotator.model.changes import Changes
from annotator.model.rows.judging_rows import ConflictRow, Disagreement, Opinion
from annotator.model.tables.judging_tables import PAIR, Resolution
from annotator.model.tables.work_tables import Decision, Review
from annotator.model.vocabulary import ASPECTS, MARKS_APART
from annotator.services.consensus.panel_votes import QUESTION_LABELS, QUESTIONS, load_ballots_in
from annotator.services.judge.agreement import OUTCOME_NAMES
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session, driver_connection
from annotator.store.judging import rulings, stored_consensus, studies
from annotator.store.queue import stored_subjects

METHODS = ("discussion", "majority", "adjudicator")
_CHOICE_COLUMNS = ("choice", "verdict", "rationale")

_TOPIC_NAMES = {"decision": "selection"}
Differences = dict[tuple[str, str], tuple[str, list[Opinion]]]
"""(subject id, topic id) -> the displayed name of the topic, and the opinions."""


def load_disagreements(store: ProjectFile, *, settled: bool = False) -> tuple[Disagreement, ...]:
    """Return the disagreements that the annotator may see: the open ones, or all of them with ``settled``.

    A study's pairs appear once the annotator's batch is sealed, votes once they are open.
    """
    with store.read() as db:
        return _load_disagreements(db, store.annotator.id, settled=settled)


def _load_disagreements(db: Session, me: str, *, settled: bool) -> tuple[Disagreement, ...]:
    names = stored_consensus.fetch_annotator_names(db)
    resolutions = stored_consensus.fetch_newest_resolutions(db)
    differences = {
        **_find_differing_decisions(db, names), **_find_differing_reviews(db, names),
        **_find_differing_votes(db, names, resolutions), **_find_differing_pairs(db, me),
    }  # fmt: skip
    for subject, topic in resolutions if settled else ():
        # Settled disagreements on which people agree by now.
        differences.setdefault((subject, topic), (_TOPIC_NAMES.get(topic, topic), []))
    keys = stored_consensus.subject_keys(db, {subject for subject, _ in differences})
    rows = []
    for (subject, topic), (topic_name, opinions) in differences.items():
        if subject not in keys:
            continue
        settlement = stored_consensus.in_force(
            resolutions.get((subject, topic)), (item.created_at for item in opinions)
        )
        if settlement is None or settled:
            rows.append(_build_disagreement(subject, keys[subject], topic, topic_name, opinions, settlement))
    return tuple(sorted(rows, key=lambda row: (row.key, row.about)))


def open_disagreement_topics(store: ProjectFile) -> dict[str, tuple[str, ...]]:
    """Return subject -> the names of its unsettled disagreements on the selection and on review marks.

    Opinions are left out, so anybody may see the result. Votes and pairs are not included: votes are decided by the
    panel's rule, and disagreement on pairs is measured, not settled.
    """
    with store.read() as db:
        names = stored_consensus.fetch_annotator_names(db)
        resolutions = stored_consensus.fetch_newest_resolutions(db)
        differences = {**_find_differing_decisions(db, names), **_find_differing_reviews(db, names)}
    topics_by_subject: dict[str, list[str]] = {}
    for (subject, topic), (topic_name, opinions) in differences.items():
        if stored_consensus.in_force(resolutions.get((subject, topic)), (item.created_at for item in opinions)) is None:
            topics_by_subject.setdefault(subject, []).append(topic_name)
    return {subject: tuple(sorted(topic_names)) for subject, topic_names in topics_by_subject.items()}


def _build_disagreement(
    subject: str,
    key: tuple[str, str],
    about: str,
    what: str,
    opinions: Sequence[Opinion],
    resolution: Resolution | None,
) -> Disagreement:
    return Disagreement(
        subject_id=subject,
        key=key[0],
        title=key[1],
        about=about,
        what=what,
        opinions=tuple(opinions),
        majority=majority_opinion(opinions),
        outcome=resolution.outcome if resolution else None,
        method=resolution.method if resolution else "",
        rationale=resolution.rationale if resolution else "",
    )


def majority_opinion(opinions: Iterable[Opinion]) -> str | None:
    """Return the opinion of more than half, None if there is no majority."""
    counts = Counter(item.said for item in opinions)
    opinion, count = next(iter(counts.most_common(1)), (None, 0))
    return opinion if 2 * count > counts.total() else None


def _find_differing_decisions(db: Session, names: dict[str, str]) -> Differences:
    differences: Differences = {}
    for subject, person, decision, reason, decided_at in stored_consensus.fetch_differing_decisions(db):
        _, opinions = differences.setdefault((subject, "decision"), ("selection", []))
        opinions.append(Opinion(names[person], decision, reason, decided_at))
    return differences


def _find_differing_reviews(db: Session, names: dict[str, str]) -> Differences:
    by_subject: dict[str, list[Review]] = {}
    for row in stored_consensus.newest_reviews(db):
        by_subject.setdefault(row.subject_id, []).append(row)
    differences: Differences = {}
    for subject, rows in by_subject.items():
        for aspect in ASPECTS:
            marked = [(row, getattr(row, aspect)) for row in rows if getattr(row, aspect) is not None]
            marks = [mark for _, mark in marked]
            if len(marks) > 1 and max(marks) - min(marks) >= MARKS_APART:
                opinions = [
                    Opinion(names[row.annotator_id], str(mark), row.note, row.created_at) for row, mark in marked
                ]
                differences[subject, f"review:{aspect}"] = (f"review: {aspect}", opinions)
    return differences


def _find_differing_votes(
    db: Session, names: dict[str, str], settled_topics: Collection[tuple[str, str]]
) -> Differences:
    """Return the questions on which open votes differ. If the panel keeps the subject, only settled ones remain."""
    differences: Differences = {}
    for subject, ballot in load_ballots_in(db).items():
        if ballot.sealed:
            continue
        for question in QUESTIONS:
            choices = {person: answers[question] for person, answers in ballot.cast.items() if question in answers}
            topic = (subject, f"vote:{question}")
            if len(set(choices.values())) > 1 and (not ballot.is_kept or topic in settled_topics):
                opinions = [Opinion(names[person], choice, "", "") for person, choice in sorted(choices.items())]
                differences[topic] = (f"vote: {QUESTION_LABELS[question]}", opinions)
    return differences


def _find_differing_pairs(db: Session, me: str) -> Differences:
    """Return the pairs on which raters differ.

    Outcomes name the left or right answer, not the candidates: reading the key would unblind the reader.
    """
    differences: Differences = {}
    hidden = studies.find_hidden_studies(db, me)
    for study in rulings.fetch_studies(driver_connection(db), me):
        if study.id in hidden:
            continue
        by_pair: dict[str, list[tuple[str, Opinion]]] = {}
        # With every candidate A taken to be on the left, a verdict on A is one on the left answer.
        sides = defaultdict[str, str](lambda: "left")
        for row in studies.fetch_judgements(db, studies.find_study(db, study.id), sides):
            # A second serving measures whether a rater repeats a judgement; it is not another opinion.
            if row.serving == 1:
                outcome = OUTCOME_NAMES[
                    "both bad" if row.choice == "both_bad" else verdict_on_a(row.choice, row.a_first)
                ]
                opinion = Opinion(row.rater, outcome, row.rationale, row.created_at)
                by_pair.setdefault(row.pair_id, []).append((row.subject_id, opinion))
        for pair, by_rater in by_pair.items():
            if len({opinion.said for _, opinion in by_rater}) > 1:
                topic_name = f"pair of {study.name}"
                differences[by_rater[0][0], PAIR + pair] = (topic_name, [opinion for _, opinion in by_rater])
    return differences


def pair_texts(store: ProjectFile, pair_id: str) -> tuple[str, str, str]:
    """Return a pair's question, left text and right text."""
    with store.read() as db:
        pair = studies.find_pair(db, pair_id)
    return str(pair.left.get("question", "")), str(pair.left["text"]), str(pair.right["text"])


def resolve_disagreement(
    store: ProjectFile, subject_id: str, about: str, method: str, outcome: str = "", rationale: str = ""
) -> Changes:
    """Settle a disagreement and record how. The outcome of a settled selection becomes the subject's decision.

    Raises `BadInputError` if there is no such open disagreement, if there is no majority, or if the adjudicator is a
    party to it.
    """
    if method not in METHODS:
        raise BadInputError(f"There is no method {method} to settle a disagreement. Choose from: {', '.join(METHODS)}.")
    with store.write() as db:
        subject = stored_subjects.find_subject(db, subject_id)
        open_rows = _load_disagreements(db, store.annotator.id, settled=False)
        matching = [row for row in open_rows if row.subject_id == subject.id and row.about == about]
        if not matching:
            raise BadInputError(f"There is no open disagreement on {about} of this subject.")
        [row] = matching
        outcome = _check_outcome(row, method, outcome.strip(), store.annotator.name)
        if method != "majority" and not rationale.strip():
            raise BadInputError("Give a rationale, so that others understand the settlement.")
        stored_consensus.refuse_locked(db, [subject.id])
        settlement = Resolution(about=about, method=method, outcome=outcome, rationale=rationale.strip())
        rows: list[Resolution | Decision] = [settlement]
        if about == "decision":
            # With the settlement's own time: only a later decision opens the disagreement again.
            rows.append(Decision(verdict=outcome, reason=f"settled by {method}", created_at=settlement.created_at))
        label = Message("Settle {what} on {title}", what=mark_word(row.what), title=subject.title)
        return stored_consensus.add_subject_work(db, store.annotator.id, subject.id, rows, label)


def _check_outcome(row: Disagreement, method: str, outcome: str, my_name: str) -> str:
    if method == "majority":
        if row.majority is None:
            raise BadInputError("There is no majority; settle it by discussion or ask an adjudicator.")
        return row.majority
    if method == "adjudicator" and my_name in {item.annotator for item in row.opinions}:
        raise BadInputError("An adjudicator must not be a party to the disagreement.")
    choices = {item.said for item in row.opinions}
    if row.about.startswith(PAIR):
        choices |= set(OUTCOME_NAMES.values())
    if outcome not in choices:
        raise BadInputError(f"The outcome must be one of {', '.join(sorted(choices))}.")
    return outcome


def load_conflicts(store: ProjectFile) -> tuple[ConflictRow, ...]:
    """Return the conflicts of merged files with both sides: two contradictory rows, or two versions of one row.

    Judgements and votes of others are masked while they are hidden from the annotator.
    """
    me = store.annotator.id
    with store.read() as db:
        sealed_subjects = {subject for subject, ballot in load_ballots_in(db).items() if ballot.sealed}
        hidden_studies = studies.find_hidden_studies(db, me)

        def mask(content: Mapping[str, Any]) -> dict[str, Any]:
            is_hidden = content.get("subject_id") in sealed_subjects and "choice" in content
            if "serving" in content and "pair_id" in content:
                is_hidden = studies.find_pair(db, str(content["pair_id"])).study_id in hidden_studies
            hidden_columns = _CHOICE_COLUMNS if is_hidden and content.get("annotator_id") != me else ()
            return {name: "(hidden)" if name in hidden_columns else value for name, value in content.items()}

        rows = stored_consensus.fetch_conflicts(db)
        return tuple(replace(row, ours=mask(row.ours), theirs=mask(row.theirs)) for row in rows)
