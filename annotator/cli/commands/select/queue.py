"""Deal candidates to people, and take them back."""

from typing import Annotated

from annotator.cli.command import Option, Texts, command
from annotator.cli.numbers import parse_whole
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, text_table
from annotator.model.rows.queue_rows import QueueFilter
from annotator.services.select import triage, turns
from annotator.services.select.turns import QueueShare


@command("queue show", "annotator queue show p.annotator --json")
def show_shares(store: Project) -> CommandAnswer:
    """Show the progress of each person's share."""
    shares = turns.list_shares(store)
    return CommandAnswer({"shares": shares}, _share_table(shares))


@command("queue deal", "annotator queue deal p.annotator --to Mei --to Lin --count 150 --language python")
def deal_candidates(
    store: Project,
    *,
    to: Annotated[Texts, Option("NAME", "may be repeated for several people")],
    count: Annotated[int | None, Option("N", "maximum number per person; default: all", parse=parse_whole)] = None,
    search: Annotated[str, Option("TEXT", "search words, matched at the start of words of the candidate")] = "",
    language: Annotated[Texts, Option("L")] = (),
    task: Annotated[Texts, Option("T")] = (),
    domain: Annotated[Texts, Option("D")] = (),
    area: Annotated[Texts, Option("A")] = (),
    difficulty: Annotated[Texts, Option("D")] = (),
) -> CommandAnswer:
    """Assign unassigned open candidates to people."""
    queue_filter = QueueFilter(
        text=search, languages=language, tasks=task, domains=domain, areas=area, difficulties=difficulty
    )
    triage.refuse_unknown_values(store, queue_filter)
    changes, shares = turns.allot_candidates(store, to, queue_filter, count=count)
    return answer_changes(changes, _share_table(shares), shares=shares)


@command("queue take-back", "annotator queue take-back p.annotator --from Lin")
def take_back(
    store: Project, *, people: Annotated[Texts, Option("NAME", "default: everyone", flag="--from")] = ()
) -> CommandAnswer:
    """Unassign candidates that people have not decided on."""
    return answer_changes(turns.take_back_candidates(store, people))


def _share_table(shares: tuple[QueueShare, ...]) -> str:
    rows = [(item.person or "nobody", item.candidates, item.open, item.decided, item.later) for item in shares]
    return text_table(("person", "candidates", "open", "decided", "skipped or flagged"), rows)
