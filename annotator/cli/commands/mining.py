"""Mine candidates into a project or a file."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import ExitCode, UsageError
from annotator.cli.commands.mine_repository import add_repository
from annotator.cli.commands.mine_subset import add_subset
from annotator.cli.output import answer, percent, progress_line, table
from annotator.cli.parser import command, group, project_place

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.formats.candidate import Candidate
    from annotator.mining.quotas import Cell
    from annotator.services.mining import MinedQuestions

_LAST_DAY = 3000


def add(commands: Commands) -> None:
    """Add mine repository, mine subset, mine stackexchange and mine generated-code."""
    inner = group(commands, "mine", "mine candidates from other people's code and questions")
    add_repository(inner)
    add_subset(inner)
    parser = command(
        inner,
        "stackexchange",
        "sample questions from a Stack Exchange dump",
        "annotator mine stackexchange stackoverflow.com-Posts.7z --project p.annotator",
        _stackexchange,
    )
    parser.add_argument("dump", type=Path, metavar="DUMP", help="Posts.xml, or a 7z, zip, gz, xz, zst or bz2 of it")
    _add_target(parser)
    parser.add_argument("--as-of", type=_day, metavar="DATE", help="count ages to this day; default: the newest post's")
    parser.add_argument(
        "--line", type=float, nargs=2, metavar=("A", "B"), help="ln(views) at day 0 and day 3000; default: 5 15.5"
    )
    parser.add_argument("--answers", type=int, default=3, metavar="N", help="answers with a positive score; default: 3")
    parser.add_argument(
        "--tags", type=Path, metavar="F.json", help="your tag tree; default: the one that comes with us"
    )
    parser.add_argument("--site", default="", metavar="HOST", help="what links are made of; default: from the name")
    parser.add_argument("--member", metavar="NAME", help="which member of an archive; default: its Posts.xml")
    parser.add_argument("--work", type=Path, metavar="DIR", help="read into this folder and keep it, for another look")
    pool = parser.add_argument_group("inspection pool")
    pool.add_argument("--pool", action="store_true", help="draw twice each language's quota; keep the quotas as well")
    pool.add_argument("--size", type=int, default=200, metavar="N", help="items of the benchmark; default: 200")
    pool.add_argument("--minimum", type=int, default=10, metavar="N", help="items of a language; default: 10")
    pool.add_argument("--shares", type=Path, metavar="F.json", help="area: share; default: the published ones")
    pool.add_argument("--seed", type=int, default=1, metavar="N", help="draws the same pool everywhere; default: 1")
    parser = command(
        inner,
        "generated-code",
        "find code that says a model wrote it",
        "annotator mine generated-code clones/ tool-1.0.zip --out found.jsonl",
        _generated_code,
    )
    parser.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="a folder, a zip or tar archive, or a file")
    _add_target(parser)
    parser.add_argument("--strict", action="store_true", help="the 120 literal phrases alone")
    parser.add_argument("--all", action="store_true", help="also what the filters drop, with the reasons")


def _add_target(parser: argparse.ArgumentParser) -> None:
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--project", type=project_place, metavar="P", help="the project file")
    target.add_argument("--out", type=Path, metavar="F.jsonl", help="write JSON lines instead")
    parser.add_argument("--annotator", metavar="NAME", help="work as this annotator of the project")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a day such as 2023-06-14") from None


def _stackexchange(options: argparse.Namespace) -> int:
    from annotator.mining.stackexchange.line import FilterLine
    from annotator.mining.stackexchange.tags import read_tree
    from annotator.services import mining

    line = FilterLine()
    if options.line:
        line = FilterLine.through((0, options.line[0]), (_LAST_DAY, options.line[1]))
    wanted = mining.DumpOptions(
        as_of=options.as_of,
        line=line,
        answers=options.answers,
        site=options.site,
        tree=read_tree(options.tags) if options.tags else None,
        member=options.member,
    )
    work = options.work or mining.survey_folder(options.dump)
    found = mining.mine_stackexchange(options.dump, wanted, work, progress_line("mine"))
    counts = {stage.name: stage.count or 0 for stage in found.funnel.stages}
    cells = _cells(options, found) if options.pool else ()
    candidates = found.pool(cells, options.seed) if options.pool else found.candidates()
    target = _deliver(options, "stackexchange", options.dump, candidates, counts, cells)
    if not options.work:
        shutil.rmtree(work, ignore_errors=True)
    text = [
        f"ages as of {found.as_of}",
        table(("stage", "questions"), [(stage.label, f"{stage.count:,}") for stage in found.funnel.stages], (1,)),
        f"the tag tree resolves {percent(found.share.fraction)} % of those above the line; "
        f"{found.funnel.ambiguous} selected ones name several languages",
    ]
    if found.counts.bad:
        reasons = ", ".join(f"{count} with {reason}" for reason, count in found.counts.bad.items())
        text.append(f"rows that could not be used: {reasons}")
    if cells:
        rows = [(cell.area, cell.language, *map(str, (cell.seed, cell.quota, cell.pool))) for cell in cells]
        text.append(table(("area", "language", "questions", "quota", "pool"), rows, (2, 3, 4)))
    data = {
        "as_of": found.as_of.isoformat(),
        "stages": {stage.name: stage.count for stage in found.funnel.stages},
        "languages": dict(found.funnel.languages),
        "share_resolved": found.share.fraction,
        "unplaced_tags": dict(found.share.unplaced),
        "rows": found.counts.rows,
        "bad": found.counts.bad,
        "quotas": cells,
        **target,
    }
    answer(options.json, data, "\n".join([*text, _said(target)]))
    return ExitCode.DONE


def _cells(options: argparse.Namespace, found: MinedQuestions) -> tuple[Cell, ...]:
    from annotator.cli.commands.work import read_text
    from annotator.mining import quotas
    from annotator.services.surveying import read_shares

    shares = read_shares(read_text(options.shares)) if options.shares else quotas.PUBLISHED_SHARES
    return quotas.quotas(quotas.area_quotas(shares, options.size), found.by_area(), options.minimum)


def _generated_code(options: argparse.Namespace) -> int:
    from annotator.services import mining

    if options.project and len(options.paths) > 1:
        raise UsageError("Into a project, one path is mined at a time: each becomes a source of its own.")
    found = mining.mine_generated_code(options.paths, progress_line("mine"), strict=options.strict)
    counts: dict[str, int] = {}
    for row in found.counts:
        counts[row.stage] = counts.get(row.stage, 0) + row.left
    candidates = found.candidates(everything=options.all)
    target = _deliver(options, "generated-code", options.paths[0], candidates, counts)
    stages = list(counts)
    languages = list(dict.fromkeys(row.language for row in found.counts))
    left = {(row.stage, row.language): row.left for row in found.counts}
    rows = [(language, *(str(left[stage, language]) for stage in stages)) for language in languages]
    lines = [table(("language", *stages), rows, tuple(range(1, len(stages) + 1)))] if rows else ["Nothing was found."]
    lines += [f"skipped {count} files: {reason}" for reason, count in found.skipped]
    if found.clusters:
        lines.append(f"{len(found.clusters)} groups do the same task; look at them before you accept")
    data = {
        "stages": {language: {stage: left[stage, language] for stage in stages} for language in languages},
        "skipped": dict(found.skipped),
        "clusters": found.clusters,
        "duplicates": [item.pair for item in found.judged if item.pair],
        **target,
    }
    answer(options.json, data, "\n".join([*lines, _said(target)]))
    return ExitCode.DONE


def _deliver(
    options: argparse.Namespace,
    kind: str,
    path: Path,
    candidates: Iterable[Candidate],
    counts: Mapping[str, int],
    cells: Iterable[Cell] = (),
) -> dict[str, Any]:
    """Put candidates where they were asked for; returns what became of them."""
    from annotator.mining.quotas import from_cells
    from annotator.services import importing, mining, projects, quotas

    if options.out:
        return {"out": str(options.out), "written": mining.write_rows(options.out, candidates)}
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        report = importing.import_candidates(store, kind, path, candidates, counts)
        if wanted := from_cells(cells):
            quotas.keep(store, wanted)
    finally:
        store.close()
    return {name: getattr(report, name) for name in ("added", "known", "changed")}


def _said(target: Mapping[str, Any]) -> str:
    if "out" in target:
        return f"{target['written']} written to {Path(target['out']).name}"
    text = f"{target['added']} added, {target['known']} known"
    return f"{text}, {target['changed']} known with other content (left as they were)" if target["changed"] else text
