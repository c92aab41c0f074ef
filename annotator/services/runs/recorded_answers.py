"""Import recorded answers of models, and verdicts on answers without their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.formats.interchange import domaineval
from annotator.formats.interchange.response_files import read_responses
from annotator.formats.read.import_records import ImportedResponse, RowError
from annotator.formats.read.outcomes import RecordedOutcome, read_outcomes
from annotator.formats.write.export_folder import safe_name
from annotator.jobs.progress import Progress
from annotator.model.changes import Changes
from annotator.model.vocabulary import Outcome, RunState
from annotator.services.release import verdict_release
from annotator.services.results import score_data
from annotator.services.runs.replayed_runs import item_order
from annotator.services.sources.imports import ERRORS_SHOWN
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log as changes
from annotator.store.queue import stored_subjects
from annotator.store.runs import stored_releases, stored_runs

_Row = TypeVar("_Row")
_OUTCOMES_SETTING = "outcomes"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReport:
    """The result of an import: numbers of rows added, already present, left out (unknown subject) and bad."""

    added: int
    already_present: int
    left_out: int
    bad: int
    errors: tuple[RowError, ...]
    runs: int
    changes: Changes


def import_answers(
    store: ProjectFile,
    format_name: str,
    paths: Sequence[Path],
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> AnswerReport:
    """Import files of responses (samples, inspect-log) or of verdicts (outcomes); known rows are skipped.

    Raises `BadInputError` naming file, line and reason of bad rows unless ``skip_bad``; nothing is changed then.
    """
    missing = [path.name for path in paths if not path.is_file()]
    if missing or not paths:
        raise BadInputError(f"There is no file {missing[0] if missing else ''}. Nothing was imported.")
    work = progress or Progress()
    if format_name == "outcomes":
        rows, errors = _collect_rows(((path.name, read_outcomes(path)) for path in paths), skip_bad, work)
        return _import_outcomes(store, paths[0], rows, errors, work)
    order = partial(item_order, store)
    answers, errors = _collect_rows(((path.name, read_responses(path, order)) for path in paths), skip_bad, work)
    return _import_samples(store, answers, errors)


def count_answers(store: ProjectFile, format_name: str, path: Path, skip_bad: bool = False) -> tuple[int, int]:
    """Return how many answers or verdicts are in a file, and how many of them an import would take.

    Raises as `import_answers` does.
    """
    if format_name == "outcomes":
        rows, _ = _collect_rows([(path.name, read_outcomes(path))], skip_bad, Progress())
        with store.read() as db:
            if not stored_releases.fetch_release_rows(db):
                return len(rows), len(rows)
            release = stored_releases.fetch_release(db, None)
            return len(rows), len(_match_outcomes(rows, release.version, stored_releases.items_of(db, release.id)))
    answers, _ = _collect_rows([(path.name, read_responses(path, partial(item_order, store)))], skip_bad, Progress())
    with store.read() as db:
        return len(answers), len(_match_samples(db, answers))


def _collect_rows(
    files: Iterable[tuple[str, Iterable[_Row | RowError]]], skip_bad: bool, work: Progress
) -> tuple[list[_Row], list[RowError]]:
    good: list[_Row] = []
    bad: list[RowError] = []
    for name, rows in files:
        for row in rows:
            if isinstance(row, RowError):
                bad.append(row)
            else:
                good.append(row)
            if (len(good) + len(bad)) % 500 == 0:
                work.report(len(good) + len(bad), text=f"{len(good)} rows of {name}")
    if bad and not skip_bad:
        raise BadInputError(
            f"There are {len(bad)} bad rows, so nothing was imported. "
            "Correct the file. To import only the good rows: --skip-bad.",
            details=tuple(str(error) for error in bad[:ERRORS_SHOWN]),
        )
    return good, bad


def _import_samples(
    store: ProjectFile, answers: Sequence[ImportedResponse], errors: Sequence[RowError]
) -> AnswerReport:
    """Store responses to subjects of the project as samples to try criteria on."""
    with store.write(durable=False) as db:
        samples = _match_samples(db, answers) if answers or not errors else []
        added = stored_runs.store_samples(db, samples)
    subject_ids = frozenset(subject for subject, *_ in samples)
    return AnswerReport(
        added=added,
        already_present=len(samples) - added,
        left_out=len(answers) - len(samples),
        bad=len(errors),
        errors=tuple(errors[:ERRORS_SHOWN]),
        runs=0,
        changes=Changes(frozenset({"response"}), subject_ids) if added else Changes(),
    )


def _match_samples(db: Session, answers: Sequence[ImportedResponse]) -> list[tuple[str, str, int, str]]:
    """Return subject id, model, sample and text of the responses to subjects of the project.

    Raises `BadInputError` if there are none.
    """
    if not answers:
        raise BadInputError("The file contains no answers. Nothing was imported.")
    ids: dict[str, str] = {}
    for key in dict.fromkeys(answer.subject for answer in answers):
        with suppress(BadInputError):
            ids[key] = stored_subjects.find_subject(db, key).id
    if not ids:
        raise BadInputError(
            f"None of the responses is for a subject of this project; the first is for {answers[0].subject}. "
            "Import the items first. Nothing was imported."
        )
    return [(ids[item.subject], item.model, item.sample, item.text) for item in answers if item.subject in ids]


def _import_outcomes(
    store: ProjectFile, path: Path, rows: Sequence[RecordedOutcome], errors: Sequence[RowError], work: Progress
) -> AnswerReport:
    """Make a finished run per model and protocol on the newest release, with verdicts but without texts.

    If the project has no release, one is made of stand-ins for the rows' subjects.
    """
    with store.read() as db:
        has_no_release = not stored_releases.fetch_release_rows(db)
    if has_no_release and rows:
        verdict_release.make_verdict_release(store, path, rows)
    with store.read() as db:
        release = stored_releases.fetch_release(db, None)
        frozen = stored_releases.items_of(db, release.id)
    subjects_and_rows = _match_outcomes(rows, release.version, frozen)
    subjects_and_rows.sort(key=lambda pair: (pair[1].model, pair[1].protocol, pair[0]))
    added = known_count = run_count = processed = 0
    for (model, protocol), group in groupby(subjects_and_rows, key=lambda pair: (pair[1].model, pair[1].protocol)):
        verdicts = {subject: row.outcomes for subject, row in group}
        digest = content_hash([model, protocol, {subject: list(outcomes) for subject, outcomes in verdicts.items()}])
        count = sum(len(outcomes) for outcomes in verdicts.values())
        processed += count
        work.report(processed, text=f"{model}, {protocol}")
        if _write_outcome_run(store, release.id, model, protocol, verdicts, digest):
            added += count
            run_count += 1
        else:
            known_count += count
    if run_count:
        with store.write(durable=False) as db:
            changes.record_event(
                db, store.annotator.id, Message("Import verdicts of {count} runs", count=run_count), ["run"]
            )
    return AnswerReport(
        added=added,
        already_present=known_count,
        left_out=len(rows) - len(subjects_and_rows),
        bad=len(errors),
        errors=tuple(errors[:ERRORS_SHOWN]),
        runs=run_count,
        changes=Changes(frozenset({"run", "response", "score", "release", "subject"})) if run_count else Changes(),
    )


def _match_outcomes(
    rows: Sequence[RecordedOutcome], version: str, frozen: Sequence[Mapping[str, Any]]
) -> list[tuple[str, RecordedOutcome]]:
    """Return the verdicts on items of a release, each after its subject's id. Raises if none is."""
    items = {item["key"]: item["id"] for item in frozen}
    mined = _index_mined_functions(frozen)
    subject_by_key = {
        row.key: items.get(row.key) or items.get(verdict_release.stand_in_key(row)) or _find_mined(row, mined)
        for row in rows
    }
    subjects_and_rows = [(subject, row) for row in rows if (subject := subject_by_key[row.key]) is not None]
    if rows and not subjects_and_rows:
        raise BadInputError(f"None of the verdicts is on an item of release {version}. Nothing was imported.")
    return subjects_and_rows


def _index_mined_functions(items: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    """Return (repository as a file name, path, function) -> item, for items mined from repositories."""
    functions = {}
    for item in items:
        provenance = item["provenance"]
        if item["key"].startswith("repository:") and provenance.get("repository"):
            functions[safe_name(str(provenance["repository"])), str(provenance.get("path")), item["entry_point"]] = item
    return functions


def _find_mined(row: RecordedOutcome, mined: Mapping[tuple[str, str, str], Mapping[str, Any]]) -> str | None:
    """Return the id of the mined item of a row; if the row has a mask, it must match the item's code."""
    # The path may or may not start with the repository's name, and a repository can contain a folder of that name.
    candidate_locations = ((safe_name(row.repository), path, row.function) for path in (row.path, row.path_below))
    item = next((mined[location] for location in candidate_locations if location in mined), None)
    return str(item["id"]) if item is not None and row.mask in ("", *domaineval.item_masks(item)) else None


def _write_outcome_run(
    store: ProjectFile,
    release_id: str,
    model: str,
    protocol: str,
    verdicts: Mapping[str, Sequence[Outcome]],
    digest: str,
) -> bool:
    """Write a finished run with these verdicts; returns False if the release has this run already."""
    samples = max(len(words) for words in verdicts.values())
    preset = f"outcomes {protocol}".strip()
    with store.write(durable=False) as db:
        if digest in {
            settings.get(_OUTCOMES_SETTING) for settings in stored_runs.settings_of(db, release_id=release_id)
        }:
            return False
        run = stored_runs.insert_run(
            db,
            annotator_id=store.annotator.id,
            release_id=release_id,
            model=model,
            preset=preset,
            samples=samples,
            settings={_OUTCOMES_SETTING: digest},
        )
        stored_runs.store_verdicts(db, run, _OUTCOMES_SETTING, verdicts)
        stored_runs.store_run_end(db, run.id, RunState.DONE)
    score_data.cache_columns(store, run.id)
    return True
