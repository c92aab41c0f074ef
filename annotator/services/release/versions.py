"""Create a release: check its gates and freeze the current state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.messages import Message
from annotator.formats.documents.personal_data import name_rule, scan_texts
from annotator.formats.documents.release_facts import count_by, count_modes
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.contents import hash_item, hash_items
from annotator.model.rows.project_rows import ReleaseRow
from annotator.model.rows.release_rows import Gate
from annotator.model.tables.release_tables import Release
from annotator.services.release import audit, datasheet, release_gates, rewrite_gates, suggested_version
from annotator.services.release.authors import ReleaseNames
from annotator.services.release.exports import gather_facts
from annotator.services.release.release_gates import check_gates
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.runs import stored_releases as stored

_MAX_LISTED = 3
_VALID_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")


def freeze_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with the hash of its content."""
    return {**item, "content_hash": hash_item(item)}


def create_release(
    store: ProjectFile,
    version: str,
    notes: str = "",
    override_reason: str = "",
    errata: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> tuple[ReleaseRow, Changes]:
    """Freeze the current state as an immutable version, with its differences from the previous one.

    ``errata`` are sentences for users of the previous version about its mistakes; None takes those of the comparison.
    Raises `BadInputError` for an invalid or used version, if there is nothing to release, if items changed meanwhile,
    and if required gates are not met, unless ``override_reason`` is given. The reason and the state of every gate are
    stored in the release.
    """
    _refuse_invalid(version)
    with store.read() as db:
        # Checked before the gates, so that nobody writes an override reason for nothing.
        stored.refuse_used_version(db, version)
        accepted = stored.intact_items(db)
    if not accepted:
        raise BadInputError("No accepted subjects yet, so there is nothing to release.")
    items = [freeze_item(item) for item in rewrite_gates.add_rewrite_facts(store, accepted)]
    checked_gates = check_gates(store, progress)
    open_gates = _find_open_gates(checked_gates, override_reason)
    last = suggested_version.previous_version(store)
    diff = suggested_version.compare_with_version(store, last, items) if last else None
    if errata is None:
        errata = diff.errata if diff else ()
    own_errata = tuple(errata)
    _refuse_private(store, notes, override_reason, own_errata)
    facts = {**datasheet.load_datasheet_texts(store), "errata": own_errata + _load_earlier_errata(store, last)}
    manifest: dict[str, Any] = {
        "languages": count_by(items, "language"),
        "tasks": count_by(items, "task"),
        "domains": count_by(items, "domain"),
        "modes": count_modes(items),
        **_describe_gates(store, checked_gates),
        "overridden": [gate.name for gate in open_gates],
        "override_reason": override_reason.strip() if open_gates else "",
        "facts": gather_facts(store, facts).as_json(),
        **({"since": suggested_version.diff_summary(diff)} if diff else {}),
        **({"panel": votes} if (votes := rewrite_gates.panel_facts(store, items)) else {}),
    }
    release = Release(
        version=version,
        notes=notes,
        annotator_id=store.annotator.id,
        content_hash=hash_items([item["content_hash"] for item in items]),
        item_count=len(items),
        manifest=manifest,
    )
    release.manifest = {**manifest, "audit": _build_audit_rows(store, items, release, progress)}
    with store.write() as db:
        _refuse_changed(db, accepted)
        stored.freeze_release(db, release, items)
        label = Message("Release {version}", version=version)
        undo_log.record_event(db, store.annotator.id, label, ["release"])
        return stored.row_of(release, store.annotator.name), Changes(frozenset({"release"}), label=label)


def _find_open_gates(checked_gates: Sequence[Gate], override_reason: str) -> list[Gate]:
    """Return the required gates that are not met. Raises `BadInputError` for them without a reason to override."""
    open_gates = [gate for gate in checked_gates if gate.required and not gate.ok]
    if open_gates and not override_reason.strip():
        raise BadInputError(
            "The release was not created: required gates are not met. Correct the items, or give a reason to override.",
            details=tuple(_describe_gate(gate) for gate in open_gates),
        )
    return open_gates


def _refuse_invalid(version: str) -> None:
    if not _VALID_VERSION.fullmatch(version):
        raise BadInputError(
            f"{version!r} cannot be a version. Use letters, digits, dots, plus and minus signs, such as 0.1 or 2603."
        )


def _describe_gates(store: ProjectFile, checked_gates: Sequence[Gate]) -> dict[str, Any]:
    """Return the gates and the project's numbers for the manifest."""
    overrides = release_gates.overrides_as_json(checked_gates, ReleaseNames(store))
    return {
        "gates": release_gates.gates_as_json(checked_gates),
        "gate_numbers": release_gates.load_gate_rules(store).numbers,
        **({"item_overrides": overrides} if overrides else {}),
    }


def _build_audit_rows(
    store: ProjectFile, items: Sequence[Mapping[str, Any]], release: Release, progress: Progress | None
) -> list[dict[str, object]]:
    """Return the audit for the manifest; its statements are by authors of the release or by pseudonyms."""
    names = ReleaseNames(store)
    rows = audit.audit_frozen_items(store, items, release, items, has_runs=False, progress=progress).rows
    return [{**row.as_json(), "person": names.for_name(row.person)} for row in rows]


def _refuse_private(store: ProjectFile, notes: str, override_reason: str, errata: Sequence[str]) -> None:
    """Raise `BadInputError` for personal data or secrets in the texts written for this release."""
    texts = {"notes": notes, "reason to override": override_reason, "errata": "\n".join(errata)}
    if findings := scan_texts(texts, name_rule(ReleaseNames(store).unnamed)):
        raise BadInputError(
            "The release was not created: what it would publish contains personal data or a secret. Remove it.",
            details=tuple(
                f"{item_finding.field}: {item_finding.finding.rule} ({item_finding.finding.masked_text})"
                for item_finding in findings
            ),
        )


def _load_earlier_errata(store: ProjectFile, last: str | None) -> tuple[str, ...]:
    """Return the errata of earlier versions, each prefixed with the version that stated it first."""
    if not last:
        return ()
    with store.read() as db:
        prefixes = tuple(f"{row.version}: " for row in stored.fetch_release_rows(db))
        errata = stored.fetch_release(db, last).manifest.get("facts", {}).get("errata", ())
    return tuple(text if text.startswith(prefixes) else f"{last}: {text}" for text in map(str, errata))


def _refuse_changed(db: Session, accepted: Sequence[Mapping[str, Any]]) -> None:
    """Raise `BadInputError` if the accepted items have changed since the gates were checked, which can take 30 s."""
    if stored.current_items(db) != accepted:
        raise BadInputError(
            "Accepted items were changed while the gates were checked. Nothing was released; try again."
        )


def _describe_gate(gate: Gate) -> str:
    """Describe a gate that is not met, with its first failing items."""
    lines = [f"{item.key}: {item.why}" for item in gate.items[:_MAX_LISTED]]
    if len(gate.items) > _MAX_LISTED:
        lines.append(f"and {len(gate.items) - _MAX_LISTED} more")
    return f"{gate.name}: {gate.reason} ({'; '.join(lines)})" if lines else f"{gate.name}: {gate.reason}"
