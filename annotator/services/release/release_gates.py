"""Release gates: the conditions that a project sets for a release, and the items that fail them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message, message_for_count
from annotator.criteria import parse_criterion
from annotator.criteria.document.criterion_document import CriterionDocument
from annotator.criteria.proof.proof_checks import STRENGTH
from annotator.evaluation.answer_scoring import grader_of
from annotator.evaluation.program_tests import can_run
from annotator.evaluation.repository_tests import GRADER
from annotator.formats.documents.attribution import missing_credit, missing_provenance
from annotator.formats.documents.licence_terms import may_be_passed_on
from annotator.formats.documents.personal_data import ItemFinding
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.rows.gate_numbers import BUG_REVIEWERS, MINED_PERCENT, NUMBERS, REVIEWS, SETTING
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.rows.release_rows import Gate, GateItem, OverriddenItem, PromptOverride
from annotator.model.rows.task_rows import is_of_rewrite, key_without_content
from annotator.model.tables.work_tables import Review
from annotator.sandbox import find_language
from annotator.services.consensus import disagreements
from annotator.services.consensus.aspect_reviews import reviewed_item_hash
from annotator.services.consensus.panel_votes import load_ballots, panel_size, why_not_kept
from annotator.services.consensus.three_experts import CONFIRMED, artefact_state
from annotator.services.prompt.paraphrase_guard import (
    UNDESCRIBED,
    find_item_problems,
    is_undescribed_item,
    join_problems,
    mined_row,
)
from annotator.services.release import datasheet, rewrite_gates
from annotator.services.release.authors import ReleaseNames
from annotator.services.release.exports import scan_draft
from annotator.services.select import quotas
from annotator.services.select.triage import queue_subjects
from annotator.services.tasks.listing import find_stale_items
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.judging import stored_consensus, studies
from annotator.store.runs import stored_releases as stored
from annotator.store.work import artefacts, stored_proofs

REQUIRED, SHOWN, OFF = "required", "shown", "off"
RULES = (REQUIRED, SHOWN, OFF)
_MAX_LISTED = 3
LOWEST_CORRECTNESS = 3
"""A lower correctness rating means that the reviewer considers the item wrong."""
_ALL_ITEMS = Message("all items")
Item = Mapping[str, Any]
Failing = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class GateRules:
    """A project's gate settings: the rule of every gate by its id, and the numbers of `model/rows/gate_numbers.py`.

    ``mined_percent`` is the highest share of a rewrite's tests that the mined code may pass.
    """

    rules: Mapping[str, str]
    reviews: int = REVIEWS.default
    bug_reviewers: int = BUG_REVIEWERS.default
    mined_percent: int = MINED_PERCENT.default

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers by their keys."""
        return {number.key: getattr(self, number.key) for number in NUMBERS}

    def is_on(self, gate: str) -> bool:
        """Return whether a gate is checked at all."""
        return self.rules[gate] != OFF

    def is_required(self, gate: str) -> bool:
        """Return whether a gate blocks a release if it is not met."""
        return self.rules[gate] == REQUIRED


def load_gate_rules(store: ProjectFile) -> GateRules:
    """Return the project's gate rules, with defaults for missing or invalid settings."""
    with store.read() as db:
        return _load_rules(db)


def _load_rules(db: Session) -> GateRules:
    stored = people.read_settings(db, SETTING)
    stored_rules = stored.get("rules")
    stored_rules = stored_rules if isinstance(stored_rules, Mapping) else {}
    rules = {}
    for kind in KINDS:
        rules[kind.id] = kind.rule or REQUIRED
        if kind.rule is not None and stored_rules.get(kind.id) in RULES:
            rules[kind.id] = stored_rules[kind.id]
    return GateRules(rules, REVIEWS.read(stored), BUG_REVIEWERS.read(stored), MINED_PERCENT.read(stored))


def set_gate_rules(
    store: ProjectFile,
    rules: Mapping[str, str],
    reviews: int | None = None,
    *,
    bug_reviewers: int | None = None,
    mined_percent: int | None = None,
) -> Changes:
    """Change the rules of some gates and the project's numbers; the history records who did.

    Raises `BadInputError` for an unknown gate or rule, and for a number out of range.
    """
    for gate, rule in rules.items():
        kind = _BY_ID.get(gate)
        if kind is None or kind.rule is None:
            names = ", ".join(item.id for item in KINDS if item.rule is not None)
            raise BadInputError(f"There is no gate {gate} to set. Choose from: {names}. Nothing was changed.")
        if rule not in RULES:
            raise BadInputError(f"The rule of a gate is {', '.join(RULES)}, not {rule}. Nothing was changed.")
    numbers = {}
    changes = [f"{gate} {rule}" for gate, rule in rules.items()]
    for number, value, refusal, words in (
        (REVIEWS, reviews, "From {0} to {1} people can review an item.", "reviews per item"),
        (BUG_REVIEWERS, bug_reviewers, "A bug needs {0} or {1} reviewers.", "reviewers per bug"),
        (MINED_PERCENT, mined_percent, "The mined code may pass {0} to {1} percent of the tests.",
         "percent of a rewrite's tests that the mined code may pass"),
    ):  # fmt: skip
        if value is not None and not number.allows(value):
            raise BadInputError(f"{refusal.format(number.least, number.most)} Nothing was changed.")
        if value is not None:
            numbers[number.key] = value
            changes.append(f"{value} {words}")
    label = Message("Release gates: {rules}", rules=", ".join(changes) or "as they were")
    with store.write() as db:
        current = _load_rules(db)
        people.set_setting(db, SETTING, {"rules": {**current.rules, **rules}, **current.numbers, **numbers})
        # The numbers decide about bugs and rewrites too.
        nouns = ["gates", *(["bug", "rewrite"] if numbers else [])]
        undo_log.record_event(db, store.annotator.id, label, nouns)
    return Changes(frozenset(nouns), label=label)


@dataclass(frozen=True, slots=True)
class _ReleaseDraft:
    """The release as it would be frozen now: accepted items, their criteria by subject id, and the gate rules."""

    store: ProjectFile
    items: Sequence[Item]
    documents: Mapping[str, CriterionDocument | None]
    rules: GateRules


@dataclass(frozen=True, slots=True)
class GateKind:
    """A condition of releases: ``rule`` is the default rule, None for a gate that is always required.

    ``find`` returns the failing items as subject id -> reason. ``what`` describes the failing items in a phrase after
    their number, ``met`` the items if all pass. ``count`` describes failures that are not items, given their number.
    """

    id: str
    name: str
    rule: str | None
    find: Callable[[_ReleaseDraft], Failing] = lambda _: {}
    _: KW_ONLY
    what: Message = _ALL_ITEMS
    met: Message = _ALL_ITEMS
    count: Callable[[int], Message] | None = None


def check_gates(store: ProjectFile, progress: Progress | None = None) -> tuple[Gate, ...]:
    """Check all gates that are not off against the current state; ``progress`` counts them."""
    with store.read() as db:
        items = stored.current_items(db)
    documents = {
        item["id"]: _parse_document(item["criterion"], tuple(sorted(item.get("files", {}).items())))
        for item in items
        if item["criterion"]
    }
    draft = _ReleaseDraft(store, items, documents, load_gate_rules(store))
    accepted, *others = KINDS
    reason = Message("{count} accepted", count=len(items)) if items else Message("No accepted subjects yet.")
    accepted_gate = Gate(id=accepted.id, name=accepted.name, ok=bool(items), reason=reason, items=(), required=True)
    kinds = [kind for kind in others if draft.rules.is_on(kind.id)]
    gates = [accepted_gate]
    work = progress or Progress()
    for number, kind in enumerate(kinds):
        work.report(number, len(kinds), f"checking the gate: {kind.name}")
        gates.append(_check_gate(kind, draft))
    return tuple(gates)


@lru_cache(maxsize=8192)
def _parse_document(source: str, files: tuple[tuple[str, str], ...]) -> CriterionDocument | None:
    """Parse a criterion; cached because the release page checks the gates often."""
    return parse_criterion(source, dict(files)).document


def gates_as_json(gate_rows: Sequence[Gate]) -> list[dict[str, Any]]:
    """Return gates in the form of a release's manifest: required, met, and the number of failing items."""
    return [
        {
            "id": gate.id,
            "name": gate.name,
            "required": gate.required,
            "met": gate.ok,
            "items": len(gate.items),
            **({"overridden": len(gate.overridden)} if gate.overridden else {}),
        }
        for gate in gate_rows
    ]


def overrides_as_json(gate_rows: Sequence[Gate], names: ReleaseNames) -> list[dict[str, str]]:
    """Return the overridden items in the form of a release's manifest: the problem, the reason, who, and when."""
    return [
        {
            "gate": gate.id,
            "key": item.key,
            "why": item.why,
            "reason": item.override.reason,
            "person": names.for_name(item.override.person),
            "at": item.override.created_at,
        }
        for gate in gate_rows
        for item in gate.overridden
    ]


def _check_gate(kind: GateKind, draft: _ReleaseDraft) -> Gate:
    by_id = {item["id"]: item for item in draft.items}
    failing = dict(kind.find(draft))
    overrides = _load_overrides(draft) if kind.id == _PARAPHRASES else {}
    overridden = tuple(
        OverriddenItem(
            subject_id=subject,
            key=by_id[subject]["key"],
            title=by_id[subject]["title"],
            why=failing.pop(subject),
            override=override,
        )
        for subject in by_id
        if subject in failing and (override := overrides.get(subject))
    )
    rows = []
    for subject, reason_of_item in failing.items():
        item = by_id.get(subject)
        rows.append(
            GateItem(subject, item["key"], item["title"], reason_of_item)
            if item
            else GateItem("", subject, subject, reason_of_item)
        )
    reason = kind.met if by_id or kind.count else Message("no items yet")
    if rows and kind.count:
        reason = kind.count(len(rows))
    elif rows:
        reason = message_for_count("{count} item {what}", "{count} items {what}", len(rows), what=kind.what)
    if overridden:
        reason = Message("{reason}, overridden: {count}", reason=reason, count=len(overridden))
    return Gate(
        id=kind.id,
        name=kind.name,
        ok=not rows,
        reason=reason,
        items=tuple(rows),
        required=draft.rules.is_required(kind.id),
        overridden=overridden,
    )


def _load_overrides(draft: _ReleaseDraft) -> dict[str, PromptOverride]:
    with draft.store.read() as db:
        return studies.prompt_overrides(db)


def _find_each(reason: Callable[[Item], str]) -> Callable[[_ReleaseDraft], Failing]:
    """Return a function that finds the items for which there is a reason to fail."""
    return lambda draft: {item["id"]: why for item in draft.items if (why := reason(item))}


def _find_unjudged(draft: _ReleaseDraft) -> Failing:
    failing = {}
    for item in draft.items:
        if item["criterion"] and draft.documents[item["id"]] is None:
            failing[item["id"]] = Message("its criterion has an error")
        elif not item["criterion"] and not grader_of(item) and not any(map(can_run, item["tests"])):
            failing[item["id"]] = Message("it has neither a criterion nor tests")
    return failing


def _find_unproven(draft: _ReleaseDraft) -> Failing:
    unjudged = _find_unjudged(draft)
    rows = queue_subjects(draft.store, QueueFilter(verdicts=("accept",), missing=("proof",)))
    return {row.id: Message("not proven as it is now") for row in rows if row.id not in unjudged}


def _find_weak_tests(draft: _ReleaseDraft) -> Failing:
    """Find items for which a proof has found a wrong answer that passes."""
    with draft.store.read() as db:
        checks = stored_proofs.checks_of_items(db)
    failing: dict[str, str] = {}
    for item in draft.items:
        for part in checks.get(item["id"], ()):
            if part["name"] in STRENGTH and part["outcome"] == "fail":
                failing[item["id"]] = part["summary"]
    return failing


def _find_unrunnable(draft: _ReleaseDraft) -> Failing:
    failing = {}
    for item in draft.items:
        missing = sorted(
            {name for name in _list_languages(item, draft.documents.get(item["id"])) if not _is_runnable(name)}
        )
        if missing:
            failing[item["id"]] = Message("the sandbox does not run {list}", list=", ".join(missing))
    return failing


def _list_languages(item: Item, document: CriterionDocument | None) -> Iterator[str]:
    if document is not None:
        yield from (test.language for test in document.tests)
    elif not item["criterion"]:
        yield from (test["language"] or item["language"] for test in item["tests"] if test["code"].strip())


def _is_runnable(name: str) -> bool:
    try:
        find_language(name)
    except BadInputError:
        return False
    return True


def _find_unreviewed(draft: _ReleaseDraft) -> Failing:
    """Find items with too few reviews of their current content, and items that a reviewer considers wrong.

    A review by an author of the content does not count, except when it rates the item as wrong.
    """
    required = draft.rules.reviews
    with draft.store.read() as db:
        rows = stored_consensus.newest_reviews(db)
        names = stored_consensus.fetch_annotator_names(db)
        authors_by_item = stored_consensus.fetch_authors(db)
    by_subject: dict[str, list[Review]] = {}
    for row in rows:
        by_subject.setdefault(row.subject_id, []).append(row)
    failing: dict[str, str] = {}
    for item in draft.items:
        digest = reviewed_item_hash(item)
        reviews = by_subject.get(item["id"], [])
        current = [row for row in reviews if row.content_hash == digest]
        wrong = [row for row in current if row.correctness is not None and row.correctness < LOWEST_CORRECTNESS]
        outdated = len(reviews) - len(current)
        item_authors = authors_by_item.get(item["id"], set())
        valid = [row for row in current if row.annotator_id not in item_authors]
        if wrong:
            failing[item["id"]] = Message(
                "{name} rated its correctness {number} of 5",
                name=names[wrong[0].annotator_id],
                number=wrong[0].correctness,
            )
        elif len(valid) < required:
            numbers = {"count": len(valid), "wanted": required}
            if len(valid) < len(current):
                failing[item["id"]] = Message("{count} of {wanted} reviews by people who did not write it", **numbers)
            elif outdated:
                failing[item["id"]] = Message(
                    "{count} of {wanted} reviews, {stale} of an earlier version", **numbers, stale=outdated
                )
            else:
                failing[item["id"]] = Message("{count} of {wanted} reviews", **numbers)
    return failing


def _find_unconfirmed(draft: _ReleaseDraft) -> Failing:
    """Find items whose solution or tests are not confirmed by three experts (sampling specification, 4.4)."""
    with draft.store.read() as db:
        rows = stored_consensus.fetch_artefact_rows(db)
        touched = {subject for subject, _ in rows}
        original = {subject: artefacts.original_digests(db, subject) for subject in touched}
    failing = {}
    for item in draft.items:
        missing = []
        for name, content in ((artefacts.SOLUTION, item["reference"].strip()), (artefacts.TESTS, item["tests"])):
            if not content:
                continue
            digest = original[item["id"]][name] if item["id"] in touched else ""
            state = artefact_state(rows.get((item["id"], name), ()), digest)
            if state.state != CONFIRMED:
                missing.append(f"{name}: {state.missing} more confirmations")
        if missing:
            failing[item["id"]] = "; ".join(missing)
    return failing


def _find_rejected_by_panel(draft: _ReleaseDraft) -> Failing:
    """Find items that the panel has not decided to keep; for sealed votes only the number is shown.

    Items made from rewrites are skipped: the panel votes on the rewrite, which has its own gate.
    """
    voters, _ = panel_size(draft.store)
    ballots = load_ballots(draft.store)
    failing: dict[str, str] = {}
    for item in draft.items:
        vote_problem = "" if is_of_rewrite(item["key"]) else why_not_kept(ballots.get(item["id"]), voters)
        if vote_problem:
            failing[item["id"]] = vote_problem
    return failing


def _find_disputed(draft: _ReleaseDraft) -> Failing:
    """Find items with an unsettled disagreement on selection or review marks."""
    topics_by_item = disagreements.open_disagreement_topics(draft.store)
    return {item["id"]: ", ".join(topics_by_item[item["id"]]) for item in draft.items if item["id"] in topics_by_item}


def undescribed_subjects(store: ProjectFile) -> frozenset[str]:
    """Return the ids of the accepted subjects whose prompt says too little, such as a bare function signature."""
    with store.read() as db:
        return frozenset(item["id"] for item in stored.current_items(db) if is_undescribed_item(item))


def _describe_paraphrase_problems(item: Item) -> str:
    """Describe the problems of an item's paraphrase: what it loses or reveals."""
    problems = find_item_problems(item)
    return join_problems(problems) if problems else ""


def _find_unfilled_quotas(draft: _ReleaseDraft) -> Failing:
    """Find the quotas that are not filled; the keys are their labels."""
    return {
        row.label: Message("{filled} of {wanted} accepted", filled=row.filled, wanted=row.target)
        for row in quotas.quota_progress(draft.store)
        if row.filled < row.target
    }


def _describe_forbidden_licence(item: Item) -> str:
    is_forbidden = item["licence"] and may_be_passed_on(item["licence"]) is False
    return Message("{licence} forbids it", licence=item["licence"]) if is_forbidden else ""


def _describe_unknown_licence(item: Item) -> str:
    if not item["licence"]:
        return Message("it has no licence")
    is_known = may_be_passed_on(item["licence"]) is not None
    return "" if is_known else Message("{licence} is unknown", licence=item["licence"])


def _describe_provenance_gaps(item: Item) -> str:
    names = missing_provenance(item["provenance"])
    if names == ("source",):
        return Message("its file names no source in the field provenance")
    return Message("there is no {list}", list=", no ".join(names)) if names else ""


def _describe_missing_credit(item: Item) -> str:
    names = missing_credit(item)
    return Message("{licence} requires its {list}", licence="CC BY-SA", list=" and ".join(names)) if names else ""


def _find_private_data(draft: _ReleaseDraft) -> Failing:
    ids = {item["key"]: item["id"] for item in draft.items}
    by_place: dict[str, list[ItemFinding]] = {}
    for item_finding in scan_draft(draft.store, draft.items):
        by_place.setdefault(ids.get(item_finding.key, item_finding.field), []).append(item_finding)
    return {
        subject: "; ".join(map(_describe_finding, findings[:_MAX_LISTED]))
        for subject, findings in by_place.items()
    }  # fmt: skip


def _describe_finding(item_finding: ItemFinding) -> str:
    finding = item_finding.finding
    return f"{finding.rule} in {item_finding.field}, line {finding.line} ({finding.masked_text})"


def _hash_question(item: Item) -> str:
    """Return a hash that is equal for items with the same question.

    For mined functions it includes the reference, since two of them can share a signature and a docstring such as
    "Remove all items.".
    """
    prompt = str(item.get("original_prompt", ""))
    text = f"{prompt} {item.get('reference', '')}" if mined_row(item) else prompt
    return content_hash(" ".join(text.casefold().split()))


def _find_duplicates(draft: _ReleaseDraft) -> Failing:
    """Find items with the same prompt under different keys, here or in an earlier release."""
    keys: dict[str, set[str]] = {}
    with draft.store.read() as db:
        for frozen in stored.items_of_all(db):
            keys.setdefault(_hash_question(frozen), set()).add(key_without_content(str(frozen.get("key", ""))))
    digests = {item["id"]: _hash_question(item) for item in draft.items}
    for item in draft.items:
        keys.setdefault(digests[item["id"]], set()).add(key_without_content(item["key"]))
    failing = {}
    for item in draft.items:
        others = sorted(keys[digests[item["id"]]] - {key_without_content(item["key"])})
        if others:
            failing[item["id"]] = Message("the same prompt as {list}", list=", ".join(others[:_MAX_LISTED]))
    return failing


def _find_outdated(draft: _ReleaseDraft) -> Failing:
    """Find items whose source subject or bug has changed since they were made."""
    if not any(grader_of(item) not in ("", GRADER) for item in draft.items):
        return {}
    accepted = {item["id"] for item in draft.items}
    stale = find_stale_items(draft.store)
    return {subject: Message("whose source subject or bug has changed") for subject in stale if subject in accepted}


def _count_quotas(count: int) -> Message:
    return message_for_count("{count} quota is not filled", "{count} quotas are not filled", count)


def _count_questions(count: int) -> Message:
    return message_for_count("{count} required question is open", "{count} required questions are open", count)


_PARAPHRASES = "paraphrases"
"""The gate that a person can override for single items."""
_NO_REWRITE = Message("every rewrite, or there are none")
KINDS: tuple[GateKind, ...] = (
    GateKind("accepted", "Accepted subjects", None),
    GateKind("judged", "Every item can be judged", REQUIRED, _find_unjudged,
             what=Message("without a readable criterion or tests")),
    GateKind("proofs", "Every item is proven", REQUIRED, _find_unproven, what=Message("not proven")),
    GateKind("strength", "No known wrong answer passes", SHOWN, _find_weak_tests,
             what=Message("that a wrong answer is known to pass"), met=Message("no proof found any")),
    GateKind("sandbox", "Every language runs in the sandbox", REQUIRED, _find_unrunnable,
             what=Message("in a language the sandbox does not run"), met=Message("every language that is needed")),
    GateKind("reviews", "Every item is reviewed", OFF, _find_unreviewed, what=Message("not reviewed well enough")),
    GateKind("experts", "Three experts confirmed each solution and its tests", OFF, _find_unconfirmed,
             what=Message("not confirmed by three experts")),
    GateKind("votes", "The panel keeps every item", OFF, _find_rejected_by_panel,
             what=Message("not kept by the panel (yet)")),
    GateKind("consensus", "No open disagreements", REQUIRED, _find_disputed, what=Message("with an open disagreement"),
             met=Message("all disagreements are settled")),
    GateKind("described", "Every prompt says what to write", REQUIRED,
             _find_each(lambda item: UNDESCRIBED if is_undescribed_item(item) else ""),
             what=Message("whose prompt does not")),
    GateKind(_PARAPHRASES, "Every paraphrase keeps what it must keep", REQUIRED,
             _find_each(_describe_paraphrase_problems), what=Message("whose paraphrase does not")),
    GateKind("quotas", "The quotas are met", REQUIRED, _find_unfilled_quotas,
             met=Message("every quota, or none are set"), count=_count_quotas),
    GateKind("licence", "Every licence allows redistribution", REQUIRED, _find_each(_describe_forbidden_licence),
             what=Message("with such a licence")),
    GateKind("licence-known", "Every licence is known", SHOWN, _find_each(_describe_unknown_licence),
             what=Message("whose licence is not known")),
    GateKind("provenance", "The provenance of every item is known", SHOWN, _find_each(_describe_provenance_gaps),
             what=Message("whose provenance is not complete")),
    GateKind("credit", "CC BY-SA items name author and source", REQUIRED, _find_each(_describe_missing_credit),
             what=Message("without author or source")),
    GateKind("private", "No secrets and no personal data", REQUIRED, _find_private_data,
             what=Message("with such findings")),
    GateKind("duplicates", "No duplicate items", REQUIRED, _find_duplicates,
             what=Message("with the same prompt as another item, here or in an earlier release")),
    GateKind("made", "Items made from code are up to date", REQUIRED, _find_outdated,
             what=Message("whose source subject or bug has changed"),
             met=Message("all items, or none are made from code")),
    GateKind("rewrites", "Every rewrite passes its own gates", REQUIRED,
             lambda draft: rewrite_gates.find_rewrite_problems(draft.store, draft.items),
             what=Message("blocked by its rewrite"),
             met=_NO_REWRITE),
    GateKind("rewrites-agreed", "Experts and panel approve every rewrite", REQUIRED,
             lambda draft: rewrite_gates.find_consensus_problems(draft.store, draft.items),
             what=Message("from a rewrite without agreement"), met=_NO_REWRITE),
    GateKind("datasheet", "The datasheet is complete", SHOWN,
             lambda draft: {question.id: question.text for question in datasheet.open_questions(draft.store)},
             met=Message("every required question is answered"), count=_count_questions),
)  # fmt: skip
_BY_ID = {kind.id: kind for kind in KINDS}
