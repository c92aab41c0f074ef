"""Survey Stack Exchange dumps, count questions per filter stage, and import all questions or an inspection pool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path

from annotator.base.errors import BadInputError
from annotator.base.ids import stable_id
from annotator.base.paths import data_dir
from annotator.formats.read.import_records import Candidate, first_line
from annotator.jobs.progress import Progress
from annotator.mining.quota_plan import (
    MIN_LANGUAGE_QUOTA,
    PUBLISHED_SIZE,
    LanguageQuota,
    area_quotas,
    divide_quotas,
    draw_inspection_pools,
    to_project_quotas,
)
from annotator.mining.stackexchange.archives import detect_packing
from annotator.mining.stackexchange.funnel import FunnelCount, FunnelCounter
from annotator.mining.stackexchange.posts import find_newest_day
from annotator.mining.stackexchange.questions import ForumQuestion, guess_site, selected_questions
from annotator.mining.stackexchange.survey import DumpCounts, FilterLine, SurveyOptions, survey_posts
from annotator.mining.stackexchange.survey_result import SurveyResult
from annotator.mining.stackexchange.tags import EXCLUDED, TagTree, default_tag_tree, parse_tag_tree
from annotator.model.changes import Changes
from annotator.services.select import quotas as project_quotas
from annotator.services.sources import imports
from annotator.services.sources.imports import ImportReport
from annotator.store.file import people
from annotator.store.file.project_file import ProjectFile

SMALL_DUMP = 256 * 1024 * 1024
_EXTRA_ROOM = 0.7
_EVERYTHING = FilterLine(-1e6, 0.0)
_TREE_SETTING = "tag_tree"


@dataclass(frozen=True, kw_only=True)
class DumpSurvey:
    """The survey of a dump: its counts, and a counter of its filter stages for any filter line."""

    dump: Path
    site: str
    as_of: date
    counts: DumpCounts
    result: SurveyResult
    funnel_counter: FunnelCounter


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """Options for dividing an inspection pool: area shares, benchmark size, minimum per language, random seed."""

    shares: Mapping[str, float]
    size: int = PUBLISHED_SIZE
    minimum: int = MIN_LANGUAGE_QUOTA
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpOptions:
    """Options for mining a dump; ``as_of`` defaults to the day of its newest post, ``tree`` to the default tag tree."""

    as_of: date | None = None
    line: FilterLine = field(default_factory=FilterLine)
    answers: int = 3
    site: str = ""
    tree: TagTree | None = None
    excluded: frozenset[str] = EXCLUDED
    member: str | None = None


def survey_folder(dump: Path) -> Path:
    """Return the default folder for the survey of a dump; it depends on the dump's path only."""
    return data_dir() / "surveys" / stable_id("survey", str(dump.resolve()))


def mine_stackexchange(dump: Path, options: DumpOptions, work: Path, progress: Progress | None = None) -> DumpSurvey:
    """Read a dump into the folder ``work``, or resume reading there.

    Raises `KnownError` if it is not a dump, and on cancellation, after which another call resumes.
    """
    as_of = options.as_of or date.fromisoformat(find_newest_day(dump, options.member, progress))
    counts = survey_posts(dump, SurveyOptions(as_of, options.line, options.answers, options.member), work, progress)
    result, tree = SurveyResult(work), options.tree or default_tag_tree()
    funnel_counter = FunnelCounter(result, result.points(), tuple(result.heads()), tree, options.excluded)
    return DumpSurvey(
        dump=dump,
        site=options.site or guess_site(dump),
        as_of=as_of,
        counts=counts,
        result=result,
        funnel_counter=funnel_counter,
    )


def question_candidate(item: ForumQuestion, site: str) -> Candidate:
    """Return a question as a candidate: the accepted answer is the reference, and ``extra`` has all answers."""
    accepted = next((answer for answer in item.answers if answer.accepted), None)
    return Candidate(
        key=f"stackexchange:{site or 'dump'}:{item.id}",
        title=item.title or first_line(item.body),
        task="question",
        language=item.language,
        area=item.area,
        views=item.views,
        licence=item.credit.licence,
        prompt=f"{item.title}\n\n{item.body}" if item.title else item.body,
        reference=accepted.body if accepted else "",
        extra={
            "tags": list(item.tags),
            "score": item.score,
            "closed": item.closed,
            "language_by": item.how,
            "languages": list(item.languages),
            "answers": [
                {"id": answer.id, "score": answer.score, "accepted": answer.accepted, "body": answer.body}
                for answer in item.answers
            ],
        },
        provenance={
            **asdict(item.credit),
            "days": item.days,
            "answers": [{"id": answer.id, **asdict(answer.credit)} for answer in item.answers],
        },
    )


def survey_dump(dump: Path, options: DumpOptions, progress: Progress | None = None) -> DumpSurvey:
    """Read a dump, or resume reading, and keep questions below the filter line so that the line can be dragged.

    All questions of a small dump are kept; of a large one, those with at least half the views of the line. Raises
    `KnownError` if it is not a dump, and on cancellation.
    """
    detect_packing(dump)  # raises if the file does not exist
    widened = replace(options.line, intercept=options.line.intercept - _EXTRA_ROOM)
    read_line = _EVERYTHING if dump.stat().st_size <= SMALL_DUMP else widened
    return mine_stackexchange(dump, replace(options, line=read_line), survey_folder(dump), progress)


def survey_with_tree(surveyed: DumpSurvey, tree: TagTree) -> DumpSurvey:
    """Return the same survey with another tag tree."""
    return replace(surveyed, funnel_counter=surveyed.funnel_counter.with_tree(surveyed.result, tree))


def divide_pool(funnel_count: FunnelCount, options: PoolOptions) -> tuple[LanguageQuota, ...]:
    """Return the quota and pool size of every language. Raises `UsageError` for invalid shares."""
    return divide_quotas(area_quotas(options.shares, options.size), funnel_count.by_area, options.minimum)


def pool_candidates(
    surveyed: DumpSurvey, line: FilterLine, cells: tuple[LanguageQuota, ...] | None, seed: int
) -> Iterator[Candidate]:
    """Yield the candidates of the inspection pool, or without ``cells`` all questions that pass the funnel."""
    selected = surveyed.funnel_counter.selected(line)
    if cells is not None:
        sizes = {cell.language: cell.pool_size for cell in cells}
        keys = {language: [str(identity) for identity in ids] for language, ids in selected.items()}
        drawn = draw_inspection_pools(keys, sizes, seed)
        question_ids = frozenset(int(key) for keys in drawn.values() for key in keys)
    else:
        question_ids = frozenset(identity for ids in selected.values() for identity in ids)
    for item in selected_questions(
        surveyed.result, surveyed.funnel_counter.tree, surveyed.site, surveyed.funnel_counter.excluded, question_ids
    ):
        yield question_candidate(item, surveyed.site)


def take_pool(
    store: ProjectFile,
    surveyed: DumpSurvey,
    funnel_count: FunnelCount,
    options: PoolOptions | None,
    progress: Progress | None = None,
) -> ImportReport:
    """Import the inspection pool and set its quotas as the project's; without ``options`` import everything."""
    cells = divide_pool(funnel_count, options) if options is not None else None
    counts = {stage.name: stage.count or 0 for stage in funnel_count.funnel.stages}
    candidates = _reported(
        pool_candidates(surveyed, funnel_count.line, cells, options.seed if options else 0), progress
    )
    report = imports.import_candidates(store, "stackexchange", surveyed.dump, candidates, counts)
    if cells is not None:
        project_quotas.save_quotas(store, to_project_quotas(cells))
    return report


def project_tree(store: ProjectFile) -> TagTree:
    """Return the project's tag tree, or the built-in one."""
    with store.read() as db:
        document = people.read_setting(db, _TREE_SETTING)
    return parse_tag_tree(document, "The project's tag tree") if isinstance(document, str) else default_tag_tree()


def save_tree(store: ProjectFile, tree: TagTree | None) -> Changes:
    """Save a tag tree in the project; None restores the built-in one."""
    with store.write() as db:
        people.set_setting(db, _TREE_SETTING, tree.document() if tree is not None else None)
    return Changes(frozenset({"tags"}))


def read_shares(text: str) -> dict[str, float]:
    """Read area shares from a JSON object of numbers. Raises `BadInputError` for anything else."""
    try:
        shares = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"The shares are not valid JSON ({error}).") from error
    is_valid = isinstance(shares, dict) and all(
        isinstance(value, (int, float)) and not isinstance(value, bool) for value in shares.values()
    )
    if not is_valid:
        raise BadInputError(
            'The shares must be an object of area -> number, such as {"back-end": 0.5, "front-end": 0.5}.'
        )
    return {str(area): float(share) for area, share in shares.items()}


def _reported(candidates: Iterator[Candidate], progress: Progress | None) -> Iterator[Candidate]:
    for number, candidate in enumerate(candidates, start=1):
        if progress is not None and number % 20 == 0:
            progress.report(number, text=f"{number:,} questions taken")
        yield candidate
