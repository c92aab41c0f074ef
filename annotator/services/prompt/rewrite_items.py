"""Make items from a rewrite: one subject per language, with the description, the reference and the tests.

An item's key contains a hash of its content. After a change, making items again adds new items and rejects the
outdated ones, which releases can thus distinguish.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.formats.read.import_records import Candidate, CandidateTest
from annotator.mining.rendering import LANGUAGES, render_tests
from annotator.mining.statements import render_statement
from annotator.mining.tests_in_one_file import file_of_tests
from annotator.model.changes import Changes, combine_changes
from annotator.model.rows.task_rows import REWRITE_KEY, RewriteItemRow, is_of_rewrite
from annotator.model.rows.view_rows import SubjectView
from annotator.model.vocabulary import Verdict
from annotator.sandbox import find_language
from annotator.services.prompt import rewrites
from annotator.services.prompt.rewrites import RewriteView
from annotator.services.sources.imports import add_made_candidates
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue.stored_candidates import SourceInfo
from annotator.store.work import expert_work
from annotator.store.work import stored_rewrites as stored

SOURCE = "rewrite"
OUTDATED = "made from an older state of its rewrite"
# Provenance that describes the mined subject's place in a published file, so an item does not inherit it.
_OWN_PROVENANCE = ("family", "task_id", "task")
_DIGEST_FIELDS = ("language", "original_prompt", "reference", "entry_point")


def make_rewrite_items(store: ProjectFile, id_or_key: str) -> tuple[tuple[RewriteItemRow, ...], Changes]:
    """Make an item of a rewrite for every language with a reference; return these and the outdated items.

    New items are added as candidates in one change, and outdated ones that are not rejected yet are rejected in
    another. Raises `BadInputError` listing the gates that fail; nothing is changed then.
    """
    view = rewrites.load_rewrite(store, id_or_key)
    parent = view.subject
    if is_of_rewrite(parent.row.key):
        raise BadInputError(f"{parent.row.key} was made from a rewrite itself. Name the subject that was rewritten.")
    if not view.saved or not view.passed:
        raise BadInputError(
            f"The rewrite of {parent.row.title} does not pass all its gates, so no items were made from it.",
            details=tuple(f"{gate.name}: {gate.detail}" for gate in view.gates if not gate.passed),
        )
    candidates = rewrite_candidates(view)
    with store.read() as db:
        existing = stored.rewrite_items_by_key(db).get(parent.row.key, [])
    keys = {item.key for item in candidates}
    outdated = [item for item in existing if item.key not in keys]
    changes = _reject_outdated(store, parent, [item.id for item in outdated if item.verdict != Verdict.REJECT])
    existing_keys = {item.key for item in existing}
    changes = combine_changes(
        changes, _add_items(store, parent, [item for item in candidates if item.key not in existing_keys])
    )
    rows = [
        RewriteItemRow(item.key, item.language, "known" if item.key in existing_keys else "new") for item in candidates
    ]
    rows += [RewriteItemRow(item.key, item.language, "outdated") for item in outdated]
    return tuple(rows), changes


def _reject_outdated(store: ProjectFile, parent: SubjectView, ids: Sequence[str]) -> Changes:
    if not ids:
        return Changes()
    label = Message("Reject outdated items of {title}", title=parent.row.title)
    with store.write() as db:
        return expert_work.add_decisions(db, store.annotator.id, ids, Verdict.REJECT, OUTDATED, label)


def _add_items(store: ProjectFile, parent: SubjectView, candidates: Sequence[Candidate]) -> Changes:
    if not candidates:
        return Changes()
    label = Message("Make items from the rewrite of {title}", title=parent.row.title)
    source = SourceInfo(SOURCE, f"rewrite of {parent.row.title}", content_hash([item.key for item in candidates]))
    counts = Counter(item.language for item in candidates)
    return add_made_candidates(store, source, candidates, dict(counts), label)


def rewrite_candidates(view: RewriteView) -> tuple[Candidate, ...]:
    """Return the items of a rewrite's current state, in the order of languages."""
    return tuple(_build_candidate(view, name) for name in LANGUAGES if name in view.work.references)


def _build_candidate(view: RewriteView, language_name: str) -> Candidate:
    parent, work = view.subject, view.work
    rewrite = work.rewrite
    name = work.function_name(language_name)
    provenance = {key: value for key, value in parent.provenance.items() if key not in _OWN_PROVENANCE}
    # The libraries are Python packages, so a rewrite in another language does not need them.
    needs_libraries = language_name == "python" and parent.extra.get("libraries")
    libraries = {"libraries": parent.extra["libraries"]} if needs_libraries else {}
    candidate = Candidate(
        key=REWRITE_KEY,
        title=f"{parent.row.title[:80]}: {find_language(language_name).title}",
        task="generation",
        language=language_name,
        domain=parent.row.domain,
        area=parent.row.area,
        difficulty=parent.row.difficulty,
        licence=parent.licence,
        prompt=render_statement(rewrite, work.table, language_name),
        reference=work.references[language_name],
        entry_point=name,
        provenance={**provenance, "made_from": parent.row.key, "rewrite": {"hash": view.content_hash}},
        extra={
            **libraries,
            "description": rewrite.requirement,
            "test_file": file_of_tests(work.table, language_name, name),
        },
        tests=tuple(
            CandidateTest(name=test.name, code=test.code, language=language_name)
            for test in render_tests(work.table, language_name, name)
        ),
    )
    return replace(candidate, key=_build_key(parent, candidate))


def _build_key(parent: SubjectView, candidate: Candidate) -> str:
    short_key = parent.row.key.partition(":")[2] or parent.row.key
    return (
        f"{REWRITE_KEY}{short_key}/{candidate.language}-{content_hash([parent.row.key, candidate.content_hash()])[:8]}"
    )


def item_digest(item: Mapping[str, Any]) -> str:
    """Return the hash of a frozen item's prompt, reference and tests, to compare with the rewrite's current state."""
    tests = [[test["name"], test["code"]] for test in item["tests"]]
    return content_hash({**{name: item[name] for name in _DIGEST_FIELDS}, "tests": tests})


def candidate_digests(view: RewriteView) -> dict[str, str]:
    """Return `item_digest` of a rewrite's current items by key; empty if they cannot be made."""
    try:
        candidates = rewrite_candidates(view)
    except BadInputError:
        return {}
    return {
        candidate.key: item_digest({**asdict(candidate), "original_prompt": candidate.prompt})
        for candidate in candidates
    }
