"""Deal candidates to people and take them back, or reserve the next subject that nobody else has."""

from typing import Annotated

from annotator.cli.command import Option, Reason, Subject, Texts, command, subjects_option
from annotator.cli.commands.project.server import URL
from annotator.cli.commands.select.list_subjects import FineKindOptions, KindOptions
from annotator.cli.commands.select.subjects import VERDICTS
from annotator.cli.numbers import parse_whole
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list, text_table
from annotator.model.vocabulary import Verdict
from annotator.services.select import leases, triage, turns
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
    kinds: FineKindOptions,
) -> CommandAnswer:
    """Assign unassigned open candidates to people."""
    queue_filter = kinds.queue_filter(search)
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


@command("lease take", f"annotator lease take {URL} --annotator Mei")
def take_leases(
    store: Project,
    *,
    count: Annotated[int, Option("N", "number of subjects (1)")] = 1,
    minutes: Annotated[float, Option("M", "minutes to reserve them for (30)")] = 30.0,
    kinds: KindOptions,
    search: Annotated[str, Option("TEXT", "search words, matched at the start of words of the subject")] = "",
) -> CommandAnswer:
    """Reserve the next open subjects that nobody else has."""
    queue_filter = kinds.queue_filter(search, verdicts=("open",))
    triage.refuse_unknown_values(store, queue_filter)
    rows = leases.take_next_subjects(store, queue_filter, count, seconds=60 * minutes)
    lines = [(row.key, row.language, row.title) for row in rows]
    none = "No free open subject is left."
    return answer_list("subjects", rows, ("key", "language", "title"), lines, none=none)


@command("lease decide", f"annotator lease decide {URL} --annotator Mei --subject HumanEval/0 --verdict accept")
def decide_on_lease(
    store: Project, *, subject: Subject, verdict: Annotated[str, Option(choices=VERDICTS)], reason: Reason = ""
) -> CommandAnswer:
    """Decide on a subject that you have reserved."""
    return answer_changes(leases.decide_leased(store, subject, Verdict(verdict), reason))


@command("lease return", f"annotator lease return {URL} --annotator Mei --subject HumanEval/0")
def return_leases(
    store: Project,
    *,
    subject: Annotated[Texts, subjects_option("id or key of the subject; may be repeated")],
) -> CommandAnswer:
    """Release subjects that you have reserved."""
    returned_count = leases.return_subjects(store, subject)
    return CommandAnswer({"returned": returned_count}, f"{returned_count} released.")


@command("lease list", f"annotator lease list {URL} --annotator Mei")
def list_leases(store: Project) -> CommandAnswer:
    """List the reserved subjects."""
    rows = leases.current_leases(store)
    lines = [(row.key, row.annotator, round(row.seconds_left / 60), row.title) for row in rows]
    heads = ("key", "who", "minutes left", "title")
    return answer_list("leases", rows, heads, lines, none="No subject is reserved.")
