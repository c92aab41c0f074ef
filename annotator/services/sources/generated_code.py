"""Find functions whose comments say that a model wrote them, and import the chosen ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from annotator.base.errors import BadInputError, UsageError
from annotator.formats.read.import_records import Candidate
from annotator.jobs.progress import Progress
from annotator.mining.generated_code.candidate_filters import (
    JudgedCandidate,
    StageCount,
    count_stages,
    judge_candidates,
)
from annotator.mining.generated_code.duplicates import CandidateSummary, Cluster, cluster_candidates
from annotator.mining.generated_code.scanning import CodeMatch, scan_paths
from annotator.mining.generated_code.source_files import SkippedCodeFile
from annotator.mining.generated_code.standing_alone import shown_language, without_credits
from annotator.services.sources.imports import ImportReport, import_candidates
from annotator.store.file.project_file import ProjectFile


@dataclass(frozen=True)
class MinedCode:
    """The functions found, with their judgements, the counts by stage, skipped files, and clusters of similar tasks."""

    judged: tuple[JudgedCandidate, ...]
    counts: tuple[StageCount, ...]
    skipped: tuple[tuple[str, int], ...]
    clusters: tuple[Cluster, ...]

    def licences(self) -> dict[str, int]:
        """Count the functions by licence ("" if unknown), the most frequent first."""
        return dict(Counter(item.match.licence for item in self.judged).most_common())

    def dropped(self) -> dict[str, int]:
        """Count the reasons against functions by rule (licences by name), the most frequent first."""
        labels = (
            f"{reason.rule}: {reason.detail}" if reason.rule == "licence" else reason.rule
            for item in self.judged
            for reason in item.reasons
        )
        return dict(Counter(labels).most_common())

    def candidates(self, *, everything: bool = False, chosen_ids: frozenset[str] | None = None) -> Iterator[Candidate]:
        """Yield the accepted functions (with ``everything`` all that have code), or only those in ``chosen_ids``."""
        alike = {member: cluster for cluster in self.clusters for member in cluster.members}
        for item in self.judged:
            is_selected = item.is_kept or everything if chosen_ids is None else item.id in chosen_ids
            if is_selected and item.match.code:
                yield code_candidate(item, alike.get(item.id))


def mine_generated_code(
    paths: Sequence[Path], progress: Progress | None = None, *, strict: bool = False, any_licence: bool = False
) -> MinedCode:
    """Scan folders, archives and files for functions whose comments say that a model wrote them, and judge them.

    With ``any_licence``, functions under unknown or non-permissive licences are accepted too.

    Raises `KnownError` for a missing path or a damaged archive, and on cancellation.
    """
    if not paths:
        raise UsageError("No file or folder was given.")
    scanned = list(scan_paths(paths, progress, strict=strict))
    judged = judge_candidates([item for item in scanned if isinstance(item, CodeMatch)], any_licence=any_licence)
    skipped = Counter(item.reason for item in scanned if isinstance(item, SkippedCodeFile))
    summaries = [CandidateSummary(item.id, item.match.summary, item.match.stars) for item in judged if item.is_kept]
    return MinedCode(judged, count_stages(judged), tuple(skipped.most_common()), cluster_candidates(summaries))


def code_candidate(item: JudgedCandidate, cluster: Cluster | None = None) -> Candidate:
    """Return a mined function as a candidate: its summary is the prompt, its code the reference."""
    function = item.match
    whole = f"{function.head}\n\n{function.code}" if function.head else function.code
    return Candidate(
        key=f"generated-code:{item.id}",
        title=function.summary or function.name,
        language=shown_language(function.language, function.path, whole),
        licence=function.licence,
        prompt=function.summary or function.name,
        reference=without_credits(whole, function.language, function.path),
        entry_point=function.name.rpartition(".")[2],
        extra={
            "kind": function.kind,
            "attributed": function.how,
            "logical_lines": item.logical_lines,
            "complexity": item.complexity,
            "reasons": [asdict(reason) for reason in item.reasons],
            "same_task": list(cluster.members) if cluster else [],
        },
        provenance={
            **asdict(function.tree),
            "path": function.path,
            "lines": [function.start, function.end],
            "comment": function.comment.text,
            "comment_line": function.comment.start,
            "phrase": f"{function.mention.verb} {function.mention.link} {function.mention.model}",
            "stars": function.stars,
        },
    )


def take_code(store: ProjectFile, path: Path, mined_code: MinedCode, chosen_ids: Iterable[str]) -> ImportReport:
    """Import the functions in ``chosen_ids`` into the project, even those that the filters rejected.

    Raises `BadInputError` if nothing was chosen.
    """
    ids = frozenset(chosen_ids)
    if not ids:
        raise BadInputError("No candidate was chosen, so nothing was added to the project.")
    counts: dict[str, int] = {}
    for row in mined_code.counts:
        counts[row.stage] = counts.get(row.stage, 0) + row.remaining
    return import_candidates(store, "generated-code", path, mined_code.candidates(chosen_ids=ids), counts)
