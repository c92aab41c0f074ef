"""Whose turn a candidate is."""

from typing import Annotated

from annotator.cli.command import Option, Texts, command
from annotator.cli.numbers import parse_whole
from annotator.cli.open_project import Project
from annotator.cli.output import Answer, answer_changes, table
from annotator.model.rows.queue import QueueFilter
from annotator.services.select import triage, turns
from annotator.services.select.turns import QueueShare


@command("queue show", "annotator queue show p.annotator --json")
def show_shares(store: Project) -> Answer:
    """Show how far everybody's share is."""
    found = turns.shares(store)
    return Answer({"shares": found}, _text(found))


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
) -> Answer:
    """Make open candidates that are nobody's turn the turn of some people."""
    wanted = QueueFilter(
        text=search, languages=language, tasks=task, domains=domain, areas=area, difficulties=difficulty
    )
    triage.refuse_unknown_values(store, wanted)
    changes, found = turns.allot(store, to, wanted, count=count)
    return answer_changes(changes, _text(found), shares=found)


@command("queue take-back", "annotator queue take-back p.annotator --from Lin")
def take_back(
    store: Project, *, people: Annotated[Texts, Option("NAME", "default: everybody", flag="--from")] = ()
) -> Answer:
    """Make what people have not decided on nobody's turn again."""
    return answer_changes(turns.take_back(store, people))


def _text(found: tuple[QueueShare, ...]) -> str:
    rows = [(item.person or "nobody", item.candidates, item.open, item.decided, item.later) for item in found]
    return table(("person", "candidates", "open", "decided", "skipped or flagged"), rows)
