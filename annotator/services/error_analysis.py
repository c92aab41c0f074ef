"""Why models fail, in the experts' words: labels counted per model, and the failed responses behind each count."""

from __future__ import annotations

from annotator.model.results import ItemScoreRow, Table, Target, count_cell, text_cell
from annotator.services import labelling, results
from annotator.services.result_data import ResultData
from annotator.services.result_tables import TableOptions
from annotator.store.project_file import ProjectFile

UNLABELLED = ""
"""The group of responses that nobody has labelled."""


def errors(store: ProjectFile, data: ResultData, _: TableOptions) -> Table:
    """Count every model's failed responses by label; a response with two labels counts under both."""
    told = [data.outcomes(at) for at in range(len(data.entries))]
    failures = [outcomes.total() - outcomes["pass"] - outcomes["machinery"] for outcomes in told]
    ids = [entry.run.id for entry in data.entries]
    counted = labelling.counts_of_runs(store, dict(zip(ids, failures, strict=True)))
    found = [counted[run_id] for run_id in ids]
    used: dict[str, int] = dict.fromkeys(labelling.LABELS, 0)
    for counts in found:
        for name, number in counts.counts:
            used[name] = used.get(name, 0) + number
    own = sorted((name for name in used if name not in labelling.LABELS), key=lambda name: (-used[name], name))
    names = (*labelling.LABELS, *own)
    rows = []
    for entry, counts in zip(data.entries, found, strict=True):
        run, by_label = entry.run.id, dict(counts.counts)
        rows.append(
            (
                text_cell(entry.label, Target("failed", run)),
                count_cell(counts.failed, Target("failed", run)),
                count_cell(counts.failed - counts.labelled, Target("failed", run, "label", UNLABELLED)),
                *(count_cell(by_label.get(name, 0), Target("failed", run, "label", name)) for name in names),
                count_cell(counts.disputed),
            )
        )
    headers = ("model", "failed", "not labelled", *names, "labelled differently")
    notes = ("Responses that did not pass; what failed in machinery is not among them.",)
    return Table("errors", f"Why responses failed, release {data.version}", headers, tuple(rows),
                 (False, *(True,) * (len(headers) - 1)), notes)  # fmt: skip


def failed_rows(store: ProjectFile, data: ResultData, target: Target) -> tuple[ItemScoreRow, ...]:
    """Return a run's failed responses that a cell of the table counts, by item and sample."""
    wanted = {item.response_id: item for item in labelling.failed(store, target.run_id)}
    if target.by:
        wanted = {
            key: item
            for key, item in wanted.items()
            if (any(row.label == target.value for row in item.labels) if target.value else not item.labels)
        }
    return tuple(row for row in results.of_run(store, data, target.run_id) if row.response_id in wanted)
