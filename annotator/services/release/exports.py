"""Export releases in other programs' formats, and gather the facts for their documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotator import __version__
from annotator.base.records import record_from
from annotator.evaluation.answer_scoring import ScoreJob, program_of
from annotator.evaluation.presets import Protocol, parse_protocol
from annotator.formats.documents.attribution import attribution_text
from annotator.formats.documents.personal_data import (
    ItemFinding,
    manifest_texts,
    name_rule,
    report_text,
    scan_item,
    scan_release_texts,
    scan_texts,
)
from annotator.formats.documents.release_facts import Contributor, FrozenFacts, SourceFact, VersionFact
from annotator.formats.format_registry import export_format
from annotator.formats.interchange import inspect_log
from annotator.formats.interchange.inspect_log import LoggedResponse, LoggedRun, LoggedScore
from annotator.formats.write import harness_tasks, leaderboard_writer, samples
from annotator.formats.write.export_folder import CannotHoldError, ExportResult
from annotator.formats.write.site_writer import SiteForm
from annotator.jobs.progress import Progress
from annotator.model.rows.gate_numbers import BUG_REVIEWERS, SETTING
from annotator.model.rows.queue_rows import RunRow
from annotator.model.vocabulary import RunState
from annotator.services.release import authors, rewrite_gates
from annotator.services.results import report
from annotator.services.results import result_tables as results
from annotator.services.results.score_data import load_results
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile
from annotator.store.judging import studies
from annotator.store.queue import first_page
from annotator.store.runs import stored_releases, stored_runs
from annotator.store.work import stored_rewrites


def export_release(
    store: ProjectFile, version: str | None, format_name: str, folder: Path, site_form: SiteForm | None = None
) -> ExportResult:
    """Export a release (None: the newest) to an empty or new folder; the result lists what the format cannot represent.

    ``site_form`` has the options of the site format. Raises `UsageError` for an unknown format, and `BadInputError` if
    there is nothing to write or the folder is not empty.
    """
    kind = export_format(format_name)
    with store.read() as db:
        release = stored_releases.fetch_release(db, version)
        items = stored_releases.items_of(db, release.id)
        # The project's name at the time: a later rename must not change the export of an old release.
        name = people.find_name_at(db, release.created_at)
    head = {
        "project": name,
        "version": release.version,
        "notes": release.notes,
        "created_at": release.created_at,
        "content_hash": release.content_hash,
        "manifest": release.manifest,
    }
    if kind.write is not None:
        return kind.write(head, items, folder)
    if kind.source == "leaderboard":
        board = results.make_leaderboard(load_results(store, release.version), "domain")
        return leaderboard_writer.export_leaderboard(head, board, folder)
    if kind.source == "site":
        return report.write_release_site(store, head, items, folder, site_form)
    logged = _load_logged_runs(store, head, items)
    if kind.name == "samples":
        runs_with_programs = [_add_programs(run, row, items) for row, run in logged]
        return samples.export_samples(head, runs_with_programs, items, folder)
    return inspect_log.export_inspect_logs(head, [run for _, run in logged], folder)


def _load_logged_runs(
    store: ProjectFile, head: Mapping[str, Any], items: list[dict[str, Any]]
) -> list[tuple[RunRow, LoggedRun]]:
    """Return the finished runs of a release with their responses, oldest first."""
    frozen = {item["id"]: item for item in items}
    with store.read() as db:
        finished = [
            row
            for row in stored_runs.fetch_run_rows(db)
            if row.version == head["version"] and row.state == RunState.DONE
        ]
        samples_by_run = [(row, stored_runs.scored_samples(db, row.id)) for row in reversed(finished)]
        subjects = {sample.response.subject_id for _, rows in samples_by_run for sample in rows}
        studies.refuse_blind(db, store.annotator.id, subjects)
        return [
            (
                row,
                _build_logged_run(
                    str(head["project"]), row, [_build_logged_response(sample, frozen) for sample in rows]
                ),
            )
            for row, rows in samples_by_run
        ]


def _build_logged_run(project: str, row: RunRow, responses: list[LoggedResponse]) -> LoggedRun:
    return record_from(
        LoggedRun,
        row,
        task=project,
        finished_at=row.finished_at or row.created_at,
        settings={"protocol": row.settings["protocol"]} if row.settings.get("protocol") else {},
        responses=tuple(sorted(responses, key=lambda item: (item.key, item.sample))),
    )


def _add_programs(run: LoggedRun, row: RunRow, items: Sequence[Mapping[str, Any]]) -> LoggedRun:
    """Return the run with each response's program, as it was executed."""
    by_key = {item["key"]: item for item in items}
    settings = row.settings.get("protocol")
    # Recorded responses have no protocol: each is read as a chat answer.
    protocol = parse_protocol(settings) if settings else None
    return replace(
        run,
        responses=tuple(
            replace(response, program=program_of(_build_score_job(by_key[response.key], response, protocol)).code)
            for response in run.responses
        ),
    )


def _build_score_job(item: Mapping[str, Any], response: LoggedResponse, protocol: Protocol | None) -> ScoreJob:
    if protocol is None:
        return ScoreJob(item=item, text=response.text, finish_reason=response.finish_reason)
    stops = protocol.pass_of(response.sample).decoding.stop
    continued = protocol.form == "completion"
    return ScoreJob(
        item=item,
        text=response.text,
        finish_reason=response.finish_reason,
        continued=continued,
        stops=stops,
        complete=protocol.complete_imports,
    )


def _build_logged_response(sample: stored_runs.ScoredSample, frozen: Mapping[str, Mapping[str, Any]]) -> LoggedResponse:
    response = sample.response
    score = sample.score
    item = frozen[response.subject_id]
    facts = score.detail if score else {}
    return LoggedResponse(
        key=item["key"],
        sample=response.sample,
        prompt=item["prompt"],
        reference=item["reference"],
        text=response.text,
        finish_reason=response.finish_reason,
        seconds=response.seconds,
        usage={name: value for name, value in response.usage.items() if isinstance(value, int)},
        score=LoggedScore(score.outcome, score.score, str(facts.get("reason", "")), tuple(facts.get("rules", ())))
        if score
        else None,
        metadata=_build_metadata(item),
    )


def _build_metadata(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata from which the Inspect task's scorer can score the answer again, as far as possible."""
    try:
        return harness_tasks.sample_metadata(item)
    except CannotHoldError:
        return {name: item[name] for name in ("language", "task", "domain", "difficulty")}


def gather_facts(store: ProjectFile, written_texts: Mapping[str, Any] | None = None) -> FrozenFacts:
    """Return the project's facts for a release in preparation.

    ``written_texts`` holds what people wrote for it: description, url, citation, errata, and answers by question.
    """
    texts = written_texts or {}
    with store.reader() as connection:
        sources = first_page.fetch_source_rows(connection)
    with store.read() as db:
        authors_and_contributors = [row for row in authors.fetch_authors(db) if row.is_named or row.has_work]
        decision_counts = people.count_decisions_by_annotator(db)
        versions = stored_releases.fetch_release_rows(db)
        rejections = people.count_rejections(db)
        bug_reviewers = BUG_REVIEWERS.read(people.read_setting(db, SETTING))
    return FrozenFacts(
        description=str(texts.get("description", "")),
        url=str(texts.get("url", "")),
        citation=str(texts.get("citation", "")),
        sources=tuple(SourceFact(row.kind, row.name, row.created_at, dict(row.counts)) for row in reversed(sources)),
        contributors=tuple(
            Contributor(row.name if row.is_named else "", row.role, decision_counts.get(row.id, 0))
            for row in authors_and_contributors
        ),
        versions=tuple(
            VersionFact(row.version, row.created_at, row.item_count, row.notes) for row in reversed(versions)
        ),
        filters=rejections,
        tools=(f"Annotator {__version__}",),
        errata=tuple(str(text) for text in texts.get("errata", ())),
        answers={str(name): str(text) for name, text in dict(texts.get("answers", {})).items()},
        bug_reviewers=bug_reviewers,
    )


def scan_draft(
    store: ProjectFile, items: Sequence[Mapping[str, Any]], progress: Progress | None = None
) -> tuple[ItemFinding, ...]:
    """Return the personal data and secrets that a release of these items would publish now.

    Everything it would freeze is searched, also for the names of people who are not its authors.
    """
    keys = {str(item["id"]): str(item["key"]) for item in items}
    with store.read() as db:
        sheet = people.read_settings(db, "datasheet")
        manifest: dict[str, Any] = {
            "reason for uncovered code": stored_rewrites.fetch_coverage_reasons(db),
            "reason to override": {
                keys.get(subject, subject): row.reason for subject, row in studies.prompt_overrides(db).items()
            },
            "audit": {point: row.text for point, row in stored_releases.current_audit_answers(db).items()},
        }
    manifest["facts"] = gather_facts(store, sheet).as_json()
    unnamed = name_rule(authors.ReleaseNames(store).unnamed)
    frozen = rewrite_gates.add_rewrite_facts(store, items)
    return (
        *scan_texts(manifest_texts(manifest), unnamed),
        *(finding for item in _report_each(frozen, progress) for finding in scan_item(item, unnamed)),
    )


def _report_each(items: Sequence[Mapping[str, Any]], progress: Progress | None) -> Iterator[Mapping[str, Any]]:
    """Yield items to search, and report how many have been searched."""
    work = progress or Progress()
    for number, item in enumerate(items, start=1):
        yield item
        work.report(number, len(items), "looking for personal data")


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    """Personal data and secrets found in a release; ``text`` is the full report with all of them masked."""

    items: int
    findings: tuple[ItemFinding, ...]
    text: str


def scan_release(store: ProjectFile, version: str | None = None, progress: Progress | None = None) -> PrivacyReport:
    """Search a release's items and texts (None: the current state) for personal data and secrets.

    Raises `BadInputError` for an unknown version.
    """
    with store.read() as db:
        release = stored_releases.fetch_release(db, version) if version else None
        items = stored_releases.items_of(db, release.id) if release else stored_releases.current_items(db)
    head = {"project": store.project_name, "version": version or "as it is now"}
    if release is None:
        findings = scan_draft(store, items, progress)
    else:
        frozen_head = {**head, "notes": release.notes, "manifest": release.manifest}
        findings = tuple(scan_release_texts(frozen_head, _report_each(items, progress)))
    return PrivacyReport(len(items), findings, report_text(head, findings, len(items)))


def sources_text(store: ProjectFile, version: str | None = None) -> str:
    """Return the attribution text of a release's items (None: the current state), as in its exports.

    Raises `BadInputError` for an unknown version.
    """
    with store.read() as db:
        items = (
            stored_releases.items_of(db, stored_releases.fetch_release(db, version).id)
            if version
            else stored_releases.current_items(db)
        )
    return attribution_text({"project": store.project_name, "version": version or "as it is now"}, items)
