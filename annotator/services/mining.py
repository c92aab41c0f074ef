"""Mine candidates: questions from a Stack Exchange dump, functions that say a model wrote them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path

from annotator.base.errors import MissingEnvironmentError, UsageError
from annotator.base.ids import stable_id
from annotator.base.paths import data_dir
from annotator.formats.candidate import Candidate, first_line
from annotator.jobs.progress import Progress
from annotator.mining.generated_code.clusters import Cluster, Summarised, clusters
from annotator.mining.generated_code.files import Skipped
from annotator.mining.generated_code.filters import Judged, StageCount, counts, judge
from annotator.mining.generated_code.scanning import Found, scan
from annotator.mining.quotas import Cell, inspection_pool
from annotator.mining.stackexchange import funnel
from annotator.mining.stackexchange.funnel import Funnel
from annotator.mining.stackexchange.kept import Kept
from annotator.mining.stackexchange.line import FilterLine
from annotator.mining.stackexchange.posts import newest_day
from annotator.mining.stackexchange.questions import Question, guess_site, questions
from annotator.mining.stackexchange.survey import Counts, SurveyOptions, survey
from annotator.mining.stackexchange.tags import EXCLUDED, Share, TagTree, default_tree


@dataclass(frozen=True, slots=True)
class DumpOptions:
    """How a dump is mined; ``as_of`` None is the day of its newest post, ``tree`` None the default tag tree."""

    as_of: date | None = None
    line: FilterLine = field(default_factory=FilterLine)
    answers: int = 3
    site: str = ""
    tree: TagTree | None = None
    excluded: frozenset[str] = EXCLUDED
    member: str | None = None


@dataclass(frozen=True)
class MinedQuestions:
    """What a dump gave: its counts, the funnel, and how far the tag tree reaches above the line."""

    as_of: date
    counts: Counts
    funnel: Funnel
    share: Share
    site: str
    kept: Kept
    tree: TagTree
    excluded: frozenset[str]

    def candidates(self) -> Iterator[Candidate]:
        """Yield a candidate per question that passed the funnel, in the dump's order."""
        for item in questions(self.kept, self.tree, self.site, self.excluded):
            yield question_candidate(item, self.site)

    def by_area(self) -> dict[str, dict[str, int]]:
        """Return how many questions passed the funnel, by area and language."""
        areas: dict[str, dict[str, int]] = {}
        for language, count in self.funnel.languages:
            areas.setdefault(self.tree.areas.get(language, ""), {})[language] = count
        return areas

    def pool(self, cells: Iterable[Cell], seed: int) -> Iterator[Candidate]:
        """Yield the candidates of the inspection pool: drawn with a seed, as many of each language as its cell says."""
        keys: dict[str, list[str]] = {}
        for head in self.kept.heads():
            found = self.tree.resolve(head.tags)
            if found.language and found.language not in self.excluded:
                keys.setdefault(found.language, []).append(str(head.id))
        drawn = inspection_pool(keys, {cell.language: cell.pool for cell in cells}, seed)
        wanted = frozenset(int(key) for chosen in drawn.values() for key in chosen)
        for item in questions(self.kept, self.tree, self.site, self.excluded, wanted):
            yield question_candidate(item, self.site)


def survey_folder(dump: Path) -> Path:
    """Return where a dump is surveyed if nobody says otherwise: the same folder for the same path."""
    return data_dir() / "surveys" / stable_id("survey", str(dump.resolve()))


def mine_stackexchange(
    dump: Path, options: DumpOptions, work: Path, progress: Progress | None = None
) -> MinedQuestions:
    """Read a dump into the folder ``work``, or go on there, and count the funnel.

    Raises `KnownError` for what is not a dump, and when cancelled; then calling it again goes on.
    """
    as_of = options.as_of or date.fromisoformat(newest_day(dump, options.member, progress))
    tree = options.tree or default_tree()
    found = survey(dump, SurveyOptions(as_of, options.line, options.answers, options.member), work, progress)
    kept = Kept(work)
    heads = list(kept.heads())
    counted = funnel.count(kept, kept.points(), heads, tree, excluded=options.excluded)
    share = tree.share((head.tags for head in heads), shown=20)
    site = options.site or guess_site(dump)
    return MinedQuestions(as_of, found, counted, share, site, kept, tree, options.excluded)


def question_candidate(item: Question, site: str) -> Candidate:
    """Return a question as a candidate: the accepted answer is its reference, the others lie beside it."""
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


@dataclass(frozen=True)
class MinedCode:
    """What was found in code: every candidate with its reasons, counts by stage, files skipped, and like tasks."""

    judged: tuple[Judged, ...]
    counts: tuple[StageCount, ...]
    skipped: tuple[tuple[str, int], ...]
    clusters: tuple[Cluster, ...]

    def candidates(self, *, everything: bool = False, chosen: frozenset[str] | None = None) -> Iterator[Candidate]:
        """Yield the candidates nothing speaks against, ``everything`` that has code, or those a person has chosen."""
        alike = {member: cluster for cluster in self.clusters for member in cluster.members}
        for item in self.judged:
            wanted = item.kept or everything if chosen is None else item.id in chosen
            if wanted and item.found.code:
                yield code_candidate(item, alike.get(item.id))


def mine_generated_code(paths: Sequence[Path], progress: Progress | None = None, *, strict: bool = False) -> MinedCode:
    """Scan folders, archives and files for functions whose comments say that a model wrote them, and judge them.

    Raises `KnownError` for a path that is not there or a damaged archive, and when cancelled.
    """
    if not paths:
        raise UsageError("No file or folder was given.")
    found = list(scan(paths, progress, strict=strict))
    judged = judge([item for item in found if isinstance(item, Found)])
    skipped = Counter(item.reason for item in found if isinstance(item, Skipped))
    kept = [Summarised(item.id, item.found.summary, item.found.stars) for item in judged if item.kept]
    return MinedCode(judged, counts(judged), tuple(skipped.most_common()), clusters(kept))


def code_candidate(item: Judged, cluster: Cluster | None = None) -> Candidate:
    """Return mined code as a candidate: its summary is the first draft of a requirement, its code the reference."""
    found = item.found
    return Candidate(
        key=f"generated-code:{item.id}",
        title=found.summary or found.name,
        language=found.language,
        licence=found.licence,
        prompt=found.summary or found.name,
        reference=found.code,
        entry_point=found.name.rpartition(".")[2],
        extra={
            "kind": found.kind,
            "attributed": found.how,
            "logical_lines": item.logical_lines,
            "complexity": item.complexity,
            "reasons": [asdict(reason) for reason in item.reasons],
            "same_task": list(cluster.members) if cluster else [],
        },
        provenance={
            **asdict(found.tree),
            "path": found.path,
            "lines": [found.start, found.end],
            "comment": found.comment.text,
            "comment_line": found.comment.start,
            "phrase": f"{found.mention.verb} {found.mention.link} {found.mention.model}",
            "stars": found.stars,
        },
    )


def write_rows(path: Path, candidates: Iterable[Candidate]) -> int:
    """Write candidates as JSON lines that ``import jsonl`` reads; returns how many. The file is there whole or not."""
    fresh = path.with_name(f".{path.name}.new")
    number = 0
    try:
        with fresh.open("w", encoding="utf-8") as stream:
            for candidate in candidates:
                row = {name: value for name, value in asdict(candidate).items() if value not in ("", None, {}, ())}
                row["id"] = row.pop("key")
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                number += 1
        fresh.replace(path)
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} could not be written ({error.strerror}).") from error
    finally:
        fresh.unlink(missing_ok=True)
    return number
