"""Mine functions whose comments say that a model wrote them, and take chosen ones into the project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from annotator.base.errors import BadInputError, UsageError
from annotator.formats.read.candidates import Candidate
from annotator.jobs.progress import Progress
from annotator.mining.generated_code.duplicates import Cluster, Summarised, clusters
from annotator.mining.generated_code.files import Skipped
from annotator.mining.generated_code.filters import Judged, Reason, StageCount, counts, judge
from annotator.mining.generated_code.scanning import Found, scan
from annotator.services.sources.imports import ImportReport, import_candidates
from annotator.store.file.project_file import ProjectFile


@dataclass(frozen=True)
class MinedCode:
    """What was found in code: every candidate with its reasons, counts by stage, files skipped, and like tasks."""

    judged: tuple[Judged, ...]
    counts: tuple[StageCount, ...]
    skipped: tuple[tuple[str, int], ...]
    clusters: tuple[Cluster, ...]

    def licences(self) -> dict[str, int]:
        """Count what was found by its licence, "" where none is known; the most frequent first."""
        return dict(Counter(item.found.licence for item in self.judged).most_common())

    def dropped(self) -> dict[str, int]:
        """Count what speaks against candidates, rule by rule, the most frequent first; licences by their names."""
        return dict(Counter(_said(reason) for item in self.judged for reason in item.reasons).most_common())

    def candidates(self, *, everything: bool = False, chosen: frozenset[str] | None = None) -> Iterator[Candidate]:
        """Yield the candidates nothing speaks against, ``everything`` that has code, or those a person has chosen."""
        alike = {member: cluster for cluster in self.clusters for member in cluster.members}
        for item in self.judged:
            wanted = item.kept or everything if chosen is None else item.id in chosen
            if wanted and item.found.code:
                yield code_candidate(item, alike.get(item.id))


def _said(reason: Reason) -> str:
    return f"{reason.rule}: {reason.detail}" if reason.rule == "licence" else reason.rule


def mine_generated_code(
    paths: Sequence[Path], progress: Progress | None = None, *, strict: bool = False, any_licence: bool = False
) -> MinedCode:
    """Scan folders, archives and files for functions whose comments say that a model wrote them, and judge them.

    With ``any_licence`` those are kept too whose licence is not permissive or not known.

    Raises `KnownError` for a path that is not there or a damaged archive, and when cancelled.
    """
    if not paths:
        raise UsageError("No file or folder was given.")
    found = list(scan(paths, progress, strict=strict))
    judged = judge([item for item in found if isinstance(item, Found)], any_licence=any_licence)
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
        reference=f"{found.head}\n\n{found.code}" if found.head else found.code,
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


def take_code(store: ProjectFile, path: Path, found: MinedCode, chosen: Iterable[str]) -> ImportReport:
    """Take the chosen candidates (by id) into the project; a person overrules the filters by choosing.

    Raises `BadInputError` if nothing was chosen.
    """
    ids = frozenset(chosen)
    if not ids:
        raise BadInputError("No candidate was chosen, so nothing was taken into the project.")
    counts: dict[str, int] = {}
    for row in found.counts:
        counts[row.stage] = counts.get(row.stage, 0) + row.left
    return import_candidates(store, "generated-code", path, found.candidates(chosen=ids), counts)
