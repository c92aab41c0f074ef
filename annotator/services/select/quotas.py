"""What the project wants of which kind, and how far it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotator.base.messages import Message, message_for_count
from annotator.mining import quotas as engine
from annotator.mining.quotas import Quota
from annotator.model.changes import Changes
from annotator.model.rows.queue import QueueFilter, QuotaRow
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page
from annotator.store.work import expert_work

_FILTERS = {
    "area": "areas",
    "language": "languages",
    "task": "tasks",
    "domain": "domains",
    "difficulty": "difficulties",
}


def keep(store: ProjectFile, found: Iterable[Quota]) -> Changes:
    """Make these the project's quotas, as an act that can be undone; an empty plan wants nothing."""
    chosen = tuple(found)
    rows = engine.quotas_json(chosen)
    engine.parse_quotas(rows)
    label = Message("Clear the quotas")
    if chosen:
        label = message_for_count("Set {count} quota", "Set {count} quotas", len(chosen))
    with store.write() as db:
        return expert_work.add_quota_plan(db, store.annotator.id, rows, label)


def progress(store: ProjectFile) -> tuple[QuotaRow, ...]:
    """Say how far every quota is: accepted subjects that count towards it, and open ones that still could.

    One query that groups by the dimensions in use answers all of them.
    """
    with store.reader() as connection:
        plan = first_page.quota_plan(connection)
        if not plan:
            # Most projects want nothing in particular, and their first page waits for this.
            return ()

        found = engine.parse_quotas(plan)
        if not found:
            return ()
        used = {name for quota in found for name, _ in quota.conditions}
        names = [name for name in engine.DIMENSIONS if name in used]
        groups = [
            (dict(zip(names, values, strict=True)), done, still)
            for values, done, still in first_page.group_counts(connection, names)
        ]
    spelled = {name: {group[name] for group, _, _ in groups} for name in names}
    return tuple(
        QuotaRow(
            label=item.quota.label,
            values=item.quota.conditions,
            wanted=item.quota.wanted,
            filled=item.filled,
            open=item.open,
            shown=_filter(item.quota, spelled),
        )
        for item in engine.filled(found, groups)
    )


def _filter(quota: Quota, spelled: dict[str, set[str]]) -> QueueFilter:
    """Return the filter that shows a quota's subjects, with the values as the subjects spell them."""
    chosen = {}
    for name, value in quota.conditions:
        same: Sequence[str] = sorted(word for word in spelled[name] if word.casefold() == value.casefold())
        chosen[_FILTERS[name]] = tuple(same or (value,))
    return QueueFilter(**chosen)  # type: ignore[arg-type]  # every one of these fields is a tuple of words
