"""List the subjects of a project. A separate module, which loads no SQLModel."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from annotator.cli.command import Option, Texts, command
from annotator.cli.numbers import parse_whole
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, text_table, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.rows.queue_rows import SORTS, QueueFilter, SubjectRow
from annotator.services.select import queue_lists
from annotator.store.file.project_file import ProjectFile

_VERDICTS = ("accept", "reject", "skip", "flag", "open")
_SHOWN, _PAGE = 50, 5_000


@command("list", "annotator list p.annotator --verdict open", rows=True)
def list_subjects(
    store: Project,
    display: ProgressDisplay,
    *,
    search: Annotated[str, Option("TEXT", "search words, matched at the start of words of the subject")] = "",
    verdict: Annotated[Texts, Option(choices=_VERDICTS)] = (),
    language: Annotated[Texts, Option("L")] = (),
    task: Annotated[Texts, Option("T")] = (),
    domain: Annotated[Texts, Option("D")] = (),
    area: Annotated[Texts, Option("A")] = (),
    difficulty: Annotated[Texts, Option("D")] = (),
    turn: Annotated[Texts, Option(help="only candidates assigned to you, or to nobody", choices=("me", "nobody"))] = (),
    sort: Annotated[str, Option(help="default: the order of import", choices=SORTS)] = "",
    limit: Annotated[int | None, Option("N", "maximum number (50; with --jsonl all)", parse=parse_whole)] = None,
    after: Annotated[int | None, Option("ROW", "continue after this row")] = None,
) -> CommandAnswer:
    """List the subjects of a project."""
    queue_filter = QueueFilter(
        text=search,
        verdicts=verdict,
        languages=language,
        tasks=task,
        domains=domain,
        areas=area,
        difficulties=difficulty,
        sort=sort,
        holders=turn,
    )
    queue_lists.refuse_unknown_values(store, queue_filter)
    if queue_filter.text.strip():
        # Loads SQLModel, which a list without words does without.
        from annotator.services.project import search_index

        # An import that was killed may have left the search index incomplete.
        search_index.complete_search_index(store, display.start("Indexing for search"))
    page = queue_lists.queue_page(store, queue_filter, after, limit or _SHOWN)
    rows = [
        (row.row, row.key, row.title, row.task, row.language, row.domain, row.verdict or "open") for row in page.rows
    ]
    total = f"more than {page.total}" if page.capped else str(page.total)
    text = text_table(("row", "key", "title", "task", "language", "domain", "verdict"), rows)
    if page.unsearched:
        write_error(f"Search is not complete yet: {page.unsearched} candidates of a long import are not indexed.")
    return CommandAnswer(
        page, f"{text}\n{len(rows)} of {total} subjects", rows=islice(_read_all(store, queue_filter, after), limit)
    )


def _read_all(store: ProjectFile, queue_filter: QueueFilter, after: int | None) -> Iterator[SubjectRow]:
    """Yield all subjects that match a filter, reading a page at a time."""
    while rows := queue_lists.queue_page(store, queue_filter, after, _PAGE).rows:
        yield from rows
        after = rows[-1].row
