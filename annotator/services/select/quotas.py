"""Save the project's quotas (target numbers of items by label) and measure their progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from annotator.base.messages import Message, message_for_count
from annotator.mining import quota_plan as engine
from annotator.mining.quota_plan import Quota
from annotator.model.changes import Changes
from annotator.model.rows.queue_rows import QueueFilter, QuotaRow
from annotator.services.select.queue_lists import FILTER_FIELDS
from annotator.store.file.project_file import ProjectFile
from annotator.store.queue import first_page
from annotator.store.work import expert_work


def save_quotas(store: ProjectFile, quotas: Iterable[Quota]) -> Changes:
    """Replace the project's quotas in one change that can be undone; an empty sequence removes all quotas."""
    plan = tuple(quotas)
    rows = engine.quotas_json(plan)
    engine.parse_quotas(rows)
    label = Message("Clear the quotas")
    if plan:
        label = message_for_count("Set {count} quota", "Set {count} quotas", len(plan))
    with store.write() as db:
        return expert_work.add_quota_plan(db, store.annotator.id, rows, label)


def quota_progress(store: ProjectFile) -> tuple[QuotaRow, ...]:
    """Return each quota with the numbers of accepted subjects and of open ones that could still count towards it.

    A single query, grouped by the dimensions in use, counts for all quotas.
    """
    with store.reader() as connection:
        plan = first_page.quota_plan(connection)
        if not plan:
            # Most projects have no quotas, and their first page waits for this.
            return ()

        quotas = engine.parse_quotas(plan)
        if not quotas:
            return ()
        used = {name for quota in quotas for name, _ in quota.conditions}
        names = [name for name in engine.DIMENSIONS if name in used]
        groups = [
            (dict(zip(names, values, strict=True)), filled_count, open_count)
            for values, filled_count, open_count in first_page.count_by_group(connection, names)
        ]
    spellings = {name: {group[name] for group, _, _ in groups} for name in names}
    return tuple(
        QuotaRow(
            label=item.quota.label,
            values=item.quota.conditions,
            target=item.quota.target,
            filled=item.filled,
            open=item.open,
            queue_filter=_build_filter(item.quota, spellings),
        )
        for item in engine.measure_quotas(quotas, groups)
    )


def _build_filter(quota: Quota, known_spellings: dict[str, set[str]]) -> QueueFilter:
    """Return the filter for a quota's subjects, with each value in the subjects' spelling of upper and lower case."""
    values = {}
    for name, value in quota.conditions:
        spellings: Sequence[str] = sorted(word for word in known_spellings[name] if word.casefold() == value.casefold())
        values[FILTER_FIELDS[name]] = tuple(spellings or (value,))
    return QueueFilter(**values)  # type: ignore[arg-type]  # every one of these fields is a tuple of words
