"""Deal candidates to people, and take them back."""

from typing import Annotated

from annotator.cli.command import Option, Texts, command
from annotator.cli.numbers import parse_whole
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, text_table
from annotator.model.rows.queue import QueueFilter
from annotator.services.select import triage, turns
from annotator.services.select.turns import QueueShare


@command("queue show", "annotator queue show p.annotator --json")
def show_shares(store: Project) -> CommandAnswer:
    """Show how far everybody's share is."""
    shares = turns.list_shares(store)
    return CommandAnswer({"shares": shares}, _share_table(shares))


@command("queue deal", "annotator queue deal p.annotator --to Mei --to Lin --count 150 --language python")
def deal_candidates(
    store: Project,
    *,
    to: Annotated[Texts, Option("NAME", "repeat it to deal to several")],
    count: Annotated[
        int | None, Option("N", "how many everybody gets at most; default: all there are", parse=parse_whole)
    ] = None,
    search: Annotated[str, Option("TEXT", "words that start some word of the candidate")] = "",
    language: Annotated[Texts, Option("L")] = (),
    task: Annotated[Texts, Option("T")] = (),
    domain: Annotated[Texts, Option("D")] = (),
    area: Annotated[Texts, Option("A")] = (),
    difficulty: Annotated[Texts, Option("D")] = (),
) -> CommandAnswer:
    """Make open candidates that are nobody's turn the turn of some people."""
    queue_filter = QueueFilter(
        text=search, languages=language, tasks=task, domains=domain, areas=area, difficulties=difficulty
    )
    triage.refuse_unknown_values(store, queue_filter)
    changes, shares = turns.allot_candidates(store, to, queue_filter, count=count)
    return answer_changes(changes, _share_table(shares), shares=shares)


@command("queue take-back", "annotator queue take-back p.annotator --from Lin")
def take_back(
    store: Project, *, people: Annotated[Texts, Option("NAME", "default: everybody", flag="--from")] = ()
) -> CommandAnswer:
    """Make what people have not decided on nobody's turn again."""
    return answer_changes(turns.take_back_candidates(store, people))


def _share_table(shares: tuple[QueueShare, ...]) -> str:
    rows = [(item.person or "nobody", item.candidates, item.open, item.decided, item.later) for item in shares]
    return text_table(("person", "candidates", "open", "decided", "skipped or flagged"), rows)
