"""List the subjects, releases, runs and studies of a project, and what is to be done. The lists load no SQLModel."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from annotator.cli.command import Option, Texts, command, parse_whole
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import CommandAnswer, answer_list, text_table, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.rows.queue_rows import SORTS, QueueFilter, StudyRow, SubjectRow
from annotator.model.rows.run_rows import state_word
from annotator.services.project import projects
from annotator.services.release import release_list
from annotator.services.runs import run_list
from annotator.services.select import queue_lists
from annotator.store.file.project_file import ProjectFile

_VERDICTS = ("accept", "reject", "skip", "flag", "open")
_DEFAULT_LIMIT = 50
_PAGE_SIZE = 5_000


@dataclass(frozen=True, kw_only=True)
class KindOptions:
    """Options that select subjects by language, task and domain."""

    language: Annotated[Texts, Option("L", "only this language; may be repeated")] = ()
    task: Annotated[Texts, Option("T", "only this task; may be repeated")] = ()
    domain: Annotated[Texts, Option("D", "only this domain; may be repeated")] = ()

    def queue_filter(self, search: str, **more: Any) -> QueueFilter:
        """Return the filter for subjects of these kinds that match a search."""
        return QueueFilter(text=search, languages=self.language, tasks=self.task, domains=self.domain, **more)


@dataclass(frozen=True, kw_only=True)
class FineKindOptions(KindOptions):
    """Options that select subjects also by area and difficulty."""

    area: Annotated[Texts, Option("A", "only this area; may be repeated")] = ()
    difficulty: Annotated[Texts, Option("D", "only this difficulty; may be repeated")] = ()

    def queue_filter(self, search: str, **more: Any) -> QueueFilter:
        """Return the filter for subjects of these kinds that match a search."""
        return super().queue_filter(search, areas=self.area, difficulties=self.difficulty, **more)


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Which part of the list to show, and in which order."""

    turn: Annotated[Texts, Option(help="only candidates assigned to you, or to nobody", choices=("me", "nobody"))] = ()
    sort: Annotated[str, Option(help="default: the order of import", choices=SORTS)] = ""
    limit: Annotated[int | None, Option("N", "maximum number (50; with --jsonl all)", parse=parse_whole)] = None
    after: Annotated[int | None, Option("ROW", "continue after this row")] = None


@command("list", "annotator list p.annotator --verdict open", rows=True)
def list_subjects(
    store: Project,
    display: ProgressDisplay,
    *,
    search: Annotated[str, Option("TEXT", "search words, matched at the start of words of the subject")] = "",
    verdict: Annotated[Texts, Option(help="only this verdict; may be repeated", choices=_VERDICTS)] = (),
    kinds: FineKindOptions,
    page: PageOptions,
) -> CommandAnswer:
    """List the subjects of a project."""
    queue_filter = kinds.queue_filter(search, verdicts=verdict, sort=page.sort, holders=page.turn)
    queue_lists.refuse_unknown_values(store, queue_filter)
    if queue_filter.text.strip():
        # Imported late: it loads SQLModel, which a list without a search does not need.
        from annotator.services.project import search_index

        # An import that was killed may have left the search index incomplete.
        search_index.complete_search_index(store, display.start("Indexing for search"))
    first_page = queue_lists.queue_page(store, queue_filter, page.after, page.limit or _DEFAULT_LIMIT)
    rows = [
        (row.row, row.key, row.title, row.task, row.language, row.domain, row.verdict or "open")
        for row in first_page.rows
    ]
    total = f"more than {first_page.total}" if first_page.capped else str(first_page.total)
    text = text_table(("row", "key", "title", "task", "language", "domain", "verdict"), rows)
    if first_page.unsearched:
        write_error(f"Search is not complete yet: {first_page.unsearched} candidates of a long import are not indexed.")
    subjects = islice(_read_all(store, queue_filter, page.after), page.limit)
    return CommandAnswer(first_page, f"{text}\n{len(rows)} of {total} subjects", rows=subjects)


def _read_all(store: ProjectFile, queue_filter: QueueFilter, after: int | None) -> Iterator[SubjectRow]:
    """Yield all subjects that match a filter, reading a page at a time."""
    while rows := queue_lists.queue_page(store, queue_filter, after, _PAGE_SIZE).rows:
        yield from rows
        after = rows[-1].row


@command("status", "annotator status p.annotator")
def show_status(store: Project) -> CommandAnswer:
    """Show what is to be done in a project."""
    counts = projects.stage_counts(store)
    disk = projects.disk_status(store)
    rows = [
        ("subjects", counts.subjects),
        ("open", counts.open),
        ("accepted", counts.accepted),
        ("rejected", counts.rejected),
        ("skipped", counts.skipped),
        ("flagged", counts.flagged),
        ("accepted, without a paraphrase", counts.without_prompt),
        ("accepted, without a criterion", counts.without_criterion),
        ("proven, but not in the newest release in their current state", counts.to_release),
        ("releases", counts.releases),
        ("runs", counts.runs),
        ("decisions saved", counts.decisions),
    ]
    data = {"name": store.project_name, "annotator": store.annotator, "counts": counts, "disk": disk}
    return CommandAnswer(
        data, f"{store.project_name}, as {store.annotator.name}\n{text_table(('what', 'count'), rows)}"
    )


@command("run list", "annotator run list p.annotator", rows=True)
def list_runs(store: Project) -> CommandAnswer:
    """List the runs."""
    rows = run_list.list_runs(store)
    lines = [
        (row.id[:13], row.model, row.version, row.preset, state_word(row), f"{row.done}/{row.expected}",
         sum(row.failures.values()) or "", f"{row.cost:.4f} {row.currency}" if row.currency else "",
         row.created_at[:16])
        for row in rows
    ]  # fmt: skip
    heads = ("run", "model", "release", "preset", "state", "scored", "failed", "cost", "started")
    return answer_list("runs", rows, heads, lines, (5, 6, 7), none="No runs yet.")


@command("release list", "annotator release list p.annotator")
def list_releases(store: Project) -> CommandAnswer:
    """List the releases."""
    rows = release_list.list_releases(store)
    lines = [
        (row.version, row.item_count, len(row.overrides), row.created_at[:10], row.annotator, row.notes) for row in rows
    ]
    heads = ("version", "items", "overrides", "created", "by", "notes")
    return answer_list("releases", rows, heads, lines, none="No releases yet.")


@command("release show", "annotator release show p.annotator --version 0.1")
def show_release(
    store: ReadOnlyProject, *, version: Annotated[str | None, Option("V", "default: the newest")] = None
) -> CommandAnswer:
    """Show a release with its gates and overrides."""
    row, gates = release_list.find_release(store, version)
    lines = [
        f"{row.version}: {row.item_count} items, created {row.created_at[:10]} by {row.annotator}. {row.notes}".rstrip()
    ]
    rows = [
        ("met" if gate["met"] else "not met", str(gate.get("overridden") or ""), gate["id"], gate["name"])
        for gate in gates
    ]
    lines += ["", text_table(("state", "overridden", "id", "gate"), rows, (1,))] if rows else []
    lines += ["", "Overridden:", *(f"  {override}" for override in row.overrides)] if row.overrides else []
    return CommandAnswer({"release": row, "gates": gates}, "\n".join(lines))


@command("judge list", "annotator judge list p.annotator")
def list_studies(store: Project) -> CommandAnswer:
    """List the studies."""
    rows = projects.list_studies(store)
    lines = [
        (row.name, row.kind, row.pairs, _describe_progress(row), f"{row.judged} of {row.total}",
         f"{row.raters_done} of {len(row.raters)}", row.sealed, row.unblinded, row.commitment[:16])
        for row in rows
    ]  # fmt: skip
    heads = ("study", "kind", "pairs", "yours", "all", "raters finished", "sealed", "unblinded", "commitment")
    return answer_list("studies", rows, heads, lines, none="No studies yet.")


def _describe_progress(row: StudyRow) -> str:
    return f"{row.done} of {row.mine}" + (f", {row.skipped} skipped" if row.skipped else "")
