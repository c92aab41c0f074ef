"""List the subjects of a project. A separate module, which loads no SQLModel."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from annotator.cli.command import Option, Texts, command
from annotator.cli.numbers import parse_whole
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, text_table, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.rows.queue_rows import SORTS, QueueFilter, SubjectRow
from annotator.services.select import queue_lists
from annotator.store.file.project_file import ProjectFile

_VERDICTS = ("accept", "reject", "skip", "flag", "open")
_DEFAULT_LIMIT, _PAGE_SIZE = 50, 5_000


@dataclass(frozen=True, kw_only=True)
class KindOptions:
    """Options that select subjects by language, task and domain."""

    language: Annotated[Texts, Option("L")] = ()
    task: Annotated[Texts, Option("T")] = ()
    domain: Annotated[Texts, Option("D")] = ()

    def queue_filter(self, search: str, **more: Any) -> QueueFilter:
        """Return the filter for subjects of these kinds that match a search."""
        return QueueFilter(text=search, languages=self.language, tasks=self.task, domains=self.domain, **more)


@dataclass(frozen=True, kw_only=True)
class FineKindOptions(KindOptions):
    """Options that select subjects also by area and difficulty."""

    area: Annotated[Texts, Option("A")] = ()
    difficulty: Annotated[Texts, Option("D")] = ()

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
    verdict: Annotated[Texts, Option(choices=_VERDICTS)] = (),
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
    first = queue_lists.queue_page(store, queue_filter, page.after, page.limit or _DEFAULT_LIMIT)
    rows = [
        (row.row, row.key, row.title, row.task, row.language, row.domain, row.verdict or "open") for row in first.rows
    ]
    total = f"more than {first.total}" if first.capped else str(first.total)
    text = text_table(("row", "key", "title", "task", "language", "domain", "verdict"), rows)
    if first.unsearched:
        write_error(f"Search is not complete yet: {first.unsearched} candidates of a long import are not indexed.")
    more = islice(_read_all(store, queue_filter, page.after), page.limit)
    return CommandAnswer(first, f"{text}\n{len(rows)} of {total} subjects", rows=more)


def _read_all(store: ProjectFile, queue_filter: QueueFilter, after: int | None) -> Iterator[SubjectRow]:
    """Yield all subjects that match a filter, reading a page at a time."""
    while rows := queue_lists.queue_page(store, queue_filter, after, _PAGE_SIZE).rows:
        yield from rows
        after = rows[-1].row
