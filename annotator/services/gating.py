"""What a release must meet: every gate with its reason and the subjects that do not meet it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from annotator.base.ids import content_hash
from annotator.criteria import check
from annotator.evaluation.tasks import grader_of
from annotator.formats.licences import may_be_passed_on
from annotator.formats.scan import scan_item
from annotator.model.rows import Gate, QueueFilter
from annotator.services import datasheet
from annotator.store import queue
from annotator.store import releases as stored
from annotator.store.project_file import ProjectFile

_SHOWN = 3


def gates(store: ProjectFile) -> tuple[Gate, ...]:
    """Return the gates of a release of the present state."""
    with store.read() as db:
        items = stored.current_items(db)
        earlier = stored.prompts_of_all(db)
    return (
        Gate("Accepted subjects", bool(items), _count(len(items)), (), True),
        *_judging(store, items),
        *_rights(items),
        _private(items),
        _duplicates(items, earlier),
        *_made(store, items),
        _datasheet(store),
    )


def _count(items: int) -> str:
    return f"{items} accepted" if items else "No subject is accepted yet."


def _judging(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> Iterable[Gate]:
    documents = {
        item["id"]: check(item["criterion"], item.get("files", {})).document for item in items if item["criterion"]
    }
    unjudged = [item["id"] for item in items if not _is_judged(item, documents)]
    with store.reader() as connection:
        wanted = QueueFilter(verdicts=("accept",), missing=("proof",))
        rows = queue.rows_at(connection, queue.ids(connection, wanted))
    unproven = [row.id for row in rows if row.id not in unjudged]
    yield _gate("Every item can be judged", unjudged, "without a sound criterion or tests", required=True)
    yield _gate("Every item is proven", unproven, "not proven", required=True)


def _is_judged(item: Mapping[str, Any], documents: Mapping[str, Any]) -> bool:
    """Tell whether answers to an item can be scored: by its criterion, without one by its grader or its tests."""
    if item["criterion"]:
        return documents.get(item["id"]) is not None
    if grader_of(item):
        return True
    return any(test["code"].strip() for test in item["tests"])


def _rights(items: Sequence[Mapping[str, Any]]) -> Iterable[Gate]:
    """Licences that forbid passing on block; what is not known is a question to a person."""
    verdicts = {item["id"]: may_be_passed_on(item["licence"]) if item["licence"] else None for item in items}
    forbidden = [item["id"] for item in items if verdicts[item["id"]] is False]
    unknown = [item["id"] for item in items if verdicts[item["id"]] is None]
    no_origin = [item["id"] for item in items if not item["provenance"]]
    yield _gate("No licence forbids passing on", forbidden, "with such a licence", required=True)
    yield _gate("The licence is known", unknown, "whose licence is not known", required=False)
    yield _gate("The provenance is known", no_origin, "without provenance", required=False)


def _private(items: Sequence[Mapping[str, Any]]) -> Gate:
    found = {item["id"]: scan_item(item) for item in items}
    failing = [subject for subject, findings in found.items() if findings]
    shown = [str(finding) for subject in failing[:_SHOWN] for finding in found[subject][:1]]
    gate = _gate("No secret and no personal data", failing, "where some was found", required=True)
    return gate if not shown else Gate(gate.name, False, f"{gate.reason}: {'; '.join(shown)}", gate.subject_ids, True)


def prompt_digest(text: str) -> str:
    """Return what two prompts share that say the same: case and white space do not count."""
    return content_hash(" ".join(text.casefold().split()))


def _duplicates(items: Sequence[Mapping[str, Any]], earlier: Mapping[str, set[str]]) -> Gate:
    """Find items with the same prompt under different keys, here or in an earlier release."""
    keys: dict[str, set[str]] = {}
    for prompt, known in earlier.items():
        keys.setdefault(prompt_digest(prompt), set()).update(known)
    for item in items:
        keys.setdefault(prompt_digest(item["original_prompt"]), set()).add(item["key"])
    twice = [item["id"] for item in items if len(keys[prompt_digest(item["original_prompt"])]) > 1]
    return _gate("No item is there twice", twice, "whose prompt another item has, here or earlier", required=True)


def _made(store: ProjectFile, items: Sequence[Mapping[str, Any]]) -> Iterable[Gate]:
    """What was made from a subject or a bug must be made of what that is now; no gate where nothing was made."""
    if not any(grader_of(item) for item in items):
        return
    from annotator.services.task_listing import stale

    accepted = {item["id"] for item in items}
    failing = [subject for subject in stale(store) if subject in accepted]
    yield _gate("What was made from code still fits", failing, "whose subject or bug has changed", required=True)


def _datasheet(store: ProjectFile) -> Gate:
    missing = datasheet.open_questions(store)
    reason = (
        f"{len(missing)} required questions are open: {missing[0].text}"
        if missing
        else "every required question is answered"
    )
    return Gate("The datasheet is complete", not missing, reason, (), False)


def _gate(name: str, failing: Sequence[str], what: str, *, required: bool) -> Gate:
    count = len(failing)
    items = "item" if count == 1 else "items"
    return Gate(name, not failing, f"{count} {items} {what}" if failing else "all items", tuple(failing), required)
