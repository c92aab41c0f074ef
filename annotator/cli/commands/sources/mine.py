"""Mine candidates into a project or a file."""

import argparse
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from annotator.base.addresses import Place
from annotator.base.errors import UsageError
from annotator.base.records import record_from
from annotator.cli.command import Annotator, Argument, OneOf, Option, command, parse_decimal, parse_whole
from annotator.cli.open_project import open_project
from annotator.cli.output import CommandAnswer, Value, percent_text, read_text, text_table
from annotator.cli.progress_display import ProgressDisplay
from annotator.formats.read.import_records import Candidate
from annotator.mining.quota_plan import PUBLISHED_SHARES, LanguageQuota, area_quotas, to_project_quotas
from annotator.mining.quota_plan import divide_quotas as language_quotas
from annotator.mining.stackexchange.survey import FilterLine
from annotator.mining.stackexchange.tags import EXCLUDED, read_tag_tree
from annotator.services.select import quotas
from annotator.services.sources import generated_code, imports, stackexchange_survey
from annotator.services.sources.stackexchange_survey import read_shares

_FILTER_LINE_LAST_DAY = 3000
_POOL_SECTION = "inspection pool"
_TARGET = OneOf(required=True)
_Line = Annotated[
    tuple[float, float] | None,
    Option(metavars=("A", "B"), help="filter line: ln(views) at day 0 and 3000; default: 5 15.5", parse=parse_decimal),
]


@dataclass(frozen=True)
class MiningTarget:
    """The destination of mined candidates: a project or a file."""

    project: Annotated[Place | None, Option("P", "the project file", among=_TARGET)] = None
    out: Annotated[Path | None, Option("F.jsonl", "write JSON lines instead", among=_TARGET)] = None
    annotator: Annotator = None

    def deliver(
        self,
        kind: str,
        path: Path,
        candidates: Iterable[Candidate],
        counts: Mapping[str, int],
        cells: Iterable[LanguageQuota] = (),
    ) -> tuple[dict[str, object], str]:
        """Import candidates into the project or write them to the file; return the outcome as data and as text."""
        if self.out is not None:
            written = imports.write_rows(self.out, candidates)
            return {"out": str(self.out), "written": written}, f"{written} written to {self.out.name}"
        assert self.project is not None
        with open_project(self.project, self.annotator) as store:
            report = imports.import_candidates(store, kind, path, candidates, counts)
            if new_quotas := to_project_quotas(cells):
                quotas.save_quotas(store, new_quotas)
        text = f"{report.added} added, {report.known} known"
        if report.changed:
            text += f", {report.changed} known with different content (left unchanged)"
        return {name: getattr(report, name) for name in ("added", "known", "changed")}, text


@dataclass(frozen=True, kw_only=True)
class InspectionPoolOptions:
    """Options of the inspection pool: the number of questions to draw per language."""

    pool: Annotated[
        bool, Option(help="draw twice each language's quota and save the quotas", section=_POOL_SECTION)
    ] = False
    size: Annotated[
        int, Option("N", "items of the benchmark; default: 200", section=_POOL_SECTION, parse=parse_whole)
    ] = 200
    minimum: Annotated[int, Option("N", "items per language; default: 10", section=_POOL_SECTION)] = 10
    shares: Annotated[Path | None, Option("F.json", "shares by area; default: as published", section=_POOL_SECTION)] = (
        None
    )
    seed: Annotated[int, Option("N", "seed of the draw; default: 1", section=_POOL_SECTION)] = 1

    def find_quotas(self, candidate_counts: dict[str, dict[str, int]]) -> tuple[LanguageQuota, ...]:
        """Return the quotas of areas and languages, or none without a pool."""
        if not self.pool:
            return ()
        by_area = area_quotas(read_shares(read_text(self.shares)) if self.shares else PUBLISHED_SHARES, self.size)
        return language_quotas(by_area, candidate_counts, self.minimum)


def parse_day(text: str) -> date:
    """Parse a date such as 2023-06-14."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a day such as 2023-06-14") from None


@dataclass(frozen=True, kw_only=True)
class DumpFileOptions:
    """Options for reading a dump and selecting questions."""

    as_of: Annotated[
        date | None, Option("DATE", "date for the ages of questions; default: that of the newest post", parse=parse_day)
    ] = None
    line: _Line = None
    answers: Annotated[int, Option("N", "minimum number of answers with a positive score; default: 3")] = 3
    tags: Annotated[Path | None, Option("F.json", "your tag tree; default: the built-in one")] = None
    site: Annotated[str, Option("HOST", "host of the site, for links; default: from the file name")] = ""
    member: Annotated[str | None, Option("NAME", "member of an archive to read; default: Posts.xml")] = None

    def read(self) -> stackexchange_survey.DumpOptions:
        """Return the options with the tag tree read."""
        line = self.line
        return record_from(
            stackexchange_survey.DumpOptions,
            self,
            line=FilterLine.through((0, line[0]), (_FILTER_LINE_LAST_DAY, line[1])) if line else FilterLine(),
            tree=read_tag_tree(self.tags) if self.tags else None,
            excluded=EXCLUDED,
        )


@command("mine stackexchange", "annotator mine stackexchange stackoverflow.com-Posts.7z --project p.annotator")
def mine_stackexchange(
    display: ProgressDisplay,
    *,
    dump: Annotated[Path, Argument("DUMP", "Posts.xml, plain or compressed (7z, zip, gz, xz, zst, bz2)")],
    target: MiningTarget,
    reading: DumpFileOptions,
    work: Annotated[Path | None, Option("DIR", "folder for intermediate files, to reuse in later calls")] = None,
    inspection: InspectionPoolOptions,
) -> CommandAnswer:
    """Sample questions from a Stack Exchange dump."""
    options = reading.read()
    folder = work or stackexchange_survey.survey_folder(dump)
    survey = stackexchange_survey.mine_stackexchange(dump, options, folder, display.start("Mining"))
    tally = survey.funnel_counter.count(options.line, max_tags=20)
    counts = {stage.name: stage.count or 0 for stage in tally.funnel.stages}
    cells = inspection.find_quotas(tally.by_area)
    quotas = cells if inspection.pool else None
    candidates = stackexchange_survey.pool_candidates(survey, options.line, quotas, inspection.seed)
    delivered, outcome = target.deliver("stackexchange", dump, candidates, counts, cells)
    if not work:
        shutil.rmtree(folder, ignore_errors=True)
    text = [
        f"ages as of {survey.as_of}",
        text_table(("stage", "questions"), [(stage.label, f"{stage.count:,}") for stage in tally.funnel.stages], (1,)),
        f"the tag tree places {percent_text(tally.share.fraction)} % of the questions above the line; "
        f"{tally.funnel.ambiguous} selected questions name several languages",
    ]
    if survey.counts.bad:
        reasons = ", ".join(f"{count} with {reason}" for reason, count in survey.counts.bad.items())
        text.append(f"unusable rows: {reasons}")
    if cells:
        rows = [(cell.area, cell.language, cell.candidate_count, cell.quota, cell.pool_size) for cell in cells]
        text.append(text_table(("area", "language", "questions", "quota", "pool"), rows))
    data = {
        "as_of": survey.as_of.isoformat(),
        "stages": {stage.name: stage.count for stage in tally.funnel.stages},
        "languages": dict(tally.funnel.languages),
        "share_resolved": tally.share.fraction,
        "unplaced_tags": dict(tally.share.unplaced),
        "rows": survey.counts.rows,
        "bad": survey.counts.bad,
        "quotas": [cell.as_json() for cell in cells],
        **delivered,
    }
    return CommandAnswer(data, "\n".join([*text, outcome]))


@command("mine generated-code", "annotator mine generated-code clones/ tool-1.0.zip --out found.jsonl")
def mine_generated_code(
    display: ProgressDisplay,
    *,
    paths: Annotated[tuple[Path, ...], Argument("PATH", "a folder, a zip or tar archive, or a file")],
    target: MiningTarget,
    strict: Annotated[bool, Option(help="only the 120 known phrases exactly, no variants")] = False,
    any_licence: Annotated[bool, Option(help="include code whose licence is not permissive or unknown")] = False,
    all: Annotated[bool, Option(help="include code that the filters reject, with the reasons")] = False,
) -> CommandAnswer:
    """Find code whose comments say that a model wrote it."""
    if target.project and len(paths) > 1:
        raise UsageError("With a project, give one path at a time: each path becomes a separate source.")
    mined = generated_code.mine_generated_code(paths, display.start("Mining"), strict=strict, any_licence=any_licence)
    counts: dict[str, int] = {}
    for row in mined.counts:
        counts[row.stage] = counts.get(row.stage, 0) + row.remaining
    candidates = mined.candidates(everything=all)
    delivered, outcome = target.deliver("generated-code", paths[0], candidates, counts)
    stages = list(counts)
    languages = list(dict.fromkeys(row.language for row in mined.counts))
    remaining = {(row.stage, row.language): row.remaining for row in mined.counts}
    rows: list[tuple[Value, ...]] = [(name, *(remaining[stage, name] for stage in stages)) for name in languages]
    if rows:
        lines = ["left after each filter:", text_table(("language", *stages), rows)]
    else:
        lines = ["No comment says that a model wrote its code. 'annotator manual sources' lists the phrases."]
    lines += [f"{count} rejected: {reason}" for reason, count in mined.dropped().items()]
    if not any_licence and any(reason.startswith("licence:") for reason in mined.dropped()):
        lines.append("--any-licence includes code whose licence is not permissive or unknown")
    lines += [f"skipped {count} files: {reason}" for reason, count in mined.skipped]
    if mined.clusters:
        lines.append(f"{len(mined.clusters)} groups solve the same task; check them before you accept")
    data = {
        "stages": {language: {stage: remaining[stage, language] for stage in stages} for language in languages},
        "dropped": mined.dropped(),
        "licences": mined.licences(),
        "skipped": dict(mined.skipped),
        "clusters": mined.clusters,
        "duplicates": [item.pair for item in mined.judged if item.pair],
        **delivered,
    }
    return CommandAnswer(data, "\n".join([*lines, outcome]))
