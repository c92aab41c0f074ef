"""What a release must meet: every gate with its reason and the items that do not meet it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.criteria import check
from annotator.criteria.document import CriterionDocument
from annotator.evaluation.in_place import GRADER
from annotator.evaluation.tasks import grader_of
from annotator.formats.attribution import missing_provenance
from annotator.formats.licences import may_be_passed_on
from annotator.formats.scan import scan_item
from annotator.model.release_rows import Gate, GateItem
from annotator.model.rows import QueueFilter
from annotator.services import datasheet, team_gates
from annotator.services.gate_rules import KINDS, GateRules, rules_of
from annotator.store import queue
from annotator.store import releases as stored
from annotator.store.project_file import ProjectFile

_SHOWN = 3
Item = Mapping[str, Any]
Failing = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Look:
    """What every gate looks at: the project, its accepted items as a release would freeze them, their criteria."""

    store: ProjectFile
    items: Sequence[Item]
    documents: Mapping[str, CriterionDocument | None]
    rules: GateRules


@dataclass(frozen=True, slots=True)
class _Found:
    """What does not meet a gate: why by the identifier of a subject, or of something else; ``what`` says it in all."""

    failing: Failing
    what: str
    met: str = "all items"
    of_items: bool = True


def gates(store: ProjectFile) -> tuple[Gate, ...]:
    """Return the gates of a release of the present state that the project has not turned off."""
    with store.read() as db:
        items = stored.current_items(db)
    documents = {
        item["id"]: _document(item["criterion"], tuple(sorted(item.get("files", {}).items())))
        for item in items
        if item["criterion"]
    }
    look = _Look(store, items, documents, rules_of(store))
    by_id = {item["id"]: item for item in items}
    made = [_accepted(items)]
    for kind in KINDS:
        if kind.id in _CHECKS and look.rules.is_on(kind.id):
            found = _CHECKS[kind.id](look)
            made.append(_gate(kind.id, kind.name, found, by_id, required=look.rules.is_required(kind.id)))
    return tuple(made)


@lru_cache(maxsize=8192)
def _document(source: str, files: tuple[tuple[str, str], ...]) -> CriterionDocument | None:
    """Read a criterion once, however often the page of a release is looked at."""
    return check(source, dict(files)).document


def as_json(found: Sequence[Gate]) -> list[dict[str, Any]]:
    """Return gates as a release keeps them: what was demanded, whether it was met, how many items did not meet it."""
    return [
        {"id": gate.id, "name": gate.name, "required": gate.required, "met": gate.ok, "items": len(gate.items)}
        for gate in found
    ]


def _accepted(items: Sequence[Item]) -> Gate:
    kind = KINDS[0]
    reason = f"{len(items)} accepted" if items else "No subject is accepted yet."
    return Gate(kind.id, kind.name, bool(items), reason, (), True)


def _gate(gate_id: str, name: str, found: _Found, by_id: Mapping[str, Item], *, required: bool) -> Gate:
    rows = []
    for subject, why in found.failing.items():
        item = by_id.get(subject)
        rows.append(GateItem(subject, item["key"], item["title"], why) if item else GateItem("", subject, subject, why))
    reason = found.met if by_id or not found.of_items else "no item yet"
    if rows:
        noun = ("item " if len(rows) == 1 else "items ") if found.of_items else ""
        reason = f"{len(rows)} {noun}{found.what}"
    return Gate(gate_id, name, not rows, reason, tuple(rows), required)


def _unjudged(look: _Look) -> _Found:
    failing = {}
    for item in look.items:
        if item["criterion"] and look.documents[item["id"]] is None:
            failing[item["id"]] = "its criterion has an error"
        elif not item["criterion"] and not grader_of(item) and not any(t["code"].strip() for t in item["tests"]):
            failing[item["id"]] = "it has neither a criterion nor tests"
    return _Found(failing, "without a sound criterion or tests")


def _unproven(look: _Look) -> _Found:
    unjudged = _unjudged(look).failing
    with look.store.reader() as connection:
        wanted = QueueFilter(verdicts=("accept",), missing=("proof",))
        rows = queue.rows_at(connection, queue.ids(connection, wanted))
    failing = {row.id: "not proven as it is now" for row in rows if row.id not in unjudged}
    return _Found(failing, "not proven")


def _cannot_run(look: _Look) -> _Found:
    failing = {}
    for item in look.items:
        missing = sorted({name for name in _languages(item, look.documents.get(item["id"])) if not _runs(name)})
        if missing:
            failing[item["id"]] = f"the sandbox does not run {', '.join(missing)}"
    return _Found(failing, "in a language the sandbox does not run", "every language that is needed")


def _languages(item: Item, document: CriterionDocument | None) -> Iterator[str]:
    if document is not None:
        yield from (test.language for test in document.tests)
    elif not item["criterion"]:
        yield from (test["language"] or item["language"] for test in item["tests"] if test["code"].strip())


def _runs(name: str) -> bool:
    from annotator.sandbox import language

    try:
        language(name)
    except BadInputError:
        return False
    return True


def _unreviewed(look: _Look) -> _Found:
    return _Found(team_gates.unreviewed(look.store, look.items, look.rules.reviews), "not reviewed well enough")


def _unconfirmed(look: _Look) -> _Found:
    return _Found(team_gates.unconfirmed(look.store, look.items), "not confirmed by three experts")


def _not_kept(look: _Look) -> _Found:
    return _Found(team_gates.not_kept(look.store, look.items), "not kept by the panel, or not yet")


def _disputed(look: _Look) -> _Found:
    return _Found(team_gates.disputed(look.store, look.items), "that people see differently", "everything is settled")


def _unfilled(look: _Look) -> _Found:
    failing = team_gates.unfilled(look.store)
    noun = "quota is not filled" if len(failing) == 1 else "quotas are not filled"
    return _Found(failing, noun, "every quota, or none is set", of_items=False)


def _forbidden(look: _Look) -> _Found:
    failing = {
        item["id"]: f"{item['licence']} forbids it"
        for item in look.items
        if item["licence"] and may_be_passed_on(item["licence"]) is False
    }
    return _Found(failing, "with such a licence")


def _unknown_licence(look: _Look) -> _Found:
    failing = {
        item["id"]: f"{item['licence']} is not one we know" if item["licence"] else "it has none"
        for item in look.items
        if not item["licence"] or may_be_passed_on(item["licence"]) is None
    }
    return _Found(failing, "whose licence is not known")


def _no_origin(look: _Look) -> _Found:
    missing = {item["id"]: missing_provenance(item["provenance"]) for item in look.items}
    failing = {subject: f"there is no {', no '.join(names)}" for subject, names in missing.items() if names}
    return _Found(failing, "whose provenance is not complete")


def _private(look: _Look) -> _Found:
    found = {item["id"]: scan_item(item) for item in look.items}
    failing = {
        subject: "; ".join(f"{one.finding.rule} in {one.field}, line {one.finding.line} ({one.finding.shown})"
                           for one in findings[:_SHOWN])
        for subject, findings in found.items() if findings
    }  # fmt: skip
    return _Found(failing, "where some was found")


def prompt_digest(text: str) -> str:
    """Return what two prompts share that say the same: case and white space do not count."""
    return content_hash(" ".join(text.casefold().split()))


def _duplicates(look: _Look) -> _Found:
    """Find items with the same prompt under different keys, here or in an earlier release."""
    with look.store.read() as db:
        earlier = stored.prompts_of_all(db)
    keys: dict[str, set[str]] = {}
    for prompt, known in earlier.items():
        keys.setdefault(prompt_digest(prompt), set()).update(known)
    digests = {item["id"]: prompt_digest(item["original_prompt"]) for item in look.items}
    for item in look.items:
        keys.setdefault(digests[item["id"]], set()).add(item["key"])
    failing = {}
    for item in look.items:
        others = sorted(keys[digests[item["id"]]] - {item["key"]})
        if others:
            failing[item["id"]] = f"the same prompt as {', '.join(others[:_SHOWN])}"
    return _Found(failing, "whose prompt another item has, here or earlier")


def _datasheet(look: _Look) -> _Found:
    failing = {question.id: question.text for question in datasheet.open_questions(look.store)}
    noun = "required question is open" if len(failing) == 1 else "required questions are open"
    return _Found(failing, noun, "every required question is answered", of_items=False)


def _outdated(look: _Look) -> _Found:
    """What was made from a subject or a bug must be made of what that is now."""
    what = "whose subject or bug has changed"
    if not any(grader_of(item) not in ("", GRADER) for item in look.items):
        return _Found({}, what, "nothing was made from code")
    from annotator.services.task_listing import stale

    accepted = {item["id"] for item in look.items}
    return _Found({subject: what for subject in stale(look.store) if subject in accepted}, what)


_CHECKS: Mapping[str, Callable[[_Look], _Found]] = {
    "judged": _unjudged,
    "proofs": _unproven,
    "sandbox": _cannot_run,
    "reviews": _unreviewed,
    "experts": _unconfirmed,
    "votes": _not_kept,
    "consensus": _disputed,
    "quotas": _unfilled,
    "licence": _forbidden,
    "licence-known": _unknown_licence,
    "provenance": _no_origin,
    "private": _private,
    "duplicates": _duplicates,
    "made": _outdated,
    "datasheet": _datasheet,
}
