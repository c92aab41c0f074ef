"""Take the next subject nobody else has, decide on it or give it back."""

from typing import Annotated

from annotator.cli.command import Option, Reason, Subject, Texts, command, subjects_option
from annotator.cli.commands.project.server import URL
from annotator.cli.commands.select.subjects import VERDICTS
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list
from annotator.model.rows.queue_rows import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.select import leases, triage


@command("lease take", f"annotator lease take {URL} --annotator Mei")
def take_leases(
    store: Project,
    *,
    count: Annotated[int, Option("N", "number of subjects (1)")] = 1,
    minutes: Annotated[float, Option("M", "minutes to reserve them for (30)")] = 30.0,
    language: Annotated[Texts, Option("L")] = (),
    task: Annotated[Texts, Option("T")] = (),
    domain: Annotated[Texts, Option("D")] = (),
    search: Annotated[str, Option("TEXT", "search words, matched at the start of words of the subject")] = "",
) -> CommandAnswer:
    """Reserve the next open subjects that nobody else has."""
    queue_filter = QueueFilter(text=search, verdicts=("open",), languages=language, tasks=task, domains=domain)
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
