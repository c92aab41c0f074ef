"""Take the next subject nobody else has, decide on it or give it back."""

from typing import Annotated

from annotator.cli.command import Option, Reason, Subject, Texts, command, subjects_option
from annotator.cli.commands.project.server import URL
from annotator.cli.commands.select.subjects import VERDICTS
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list
from annotator.model.rows.queue import QueueFilter
from annotator.model.vocabulary import Verdict
from annotator.services.select import leases, triage


@command("lease take", f"annotator lease take {URL} --annotator Mei")
def take_leases(
    store: Project,
    *,
    count: Annotated[int, Option("N", "how many (1)")] = 1,
    minutes: Annotated[float, Option("M", "for how long they are yours (30)")] = 30.0,
    language: Annotated[Texts, Option("L")] = (),
    task: Annotated[Texts, Option("T")] = (),
    domain: Annotated[Texts, Option("D")] = (),
    search: Annotated[str, Option("TEXT", "words that start some word of the subject")] = "",
) -> CommandAnswer:
    """Be given the next open subjects nobody has."""
    queue_filter = QueueFilter(text=search, verdicts=("open",), languages=language, tasks=task, domains=domain)
    triage.refuse_unknown_values(store, queue_filter)
    rows = leases.take_next_subjects(store, queue_filter, count, seconds=60 * minutes)
    lines = [(row.key, row.language, row.title) for row in rows]
    none = "There is no open subject that nobody has."
    return answer_list("subjects", rows, ("key", "language", "title"), lines, none=none)


@command("lease decide", f"annotator lease decide {URL} --annotator Mei --subject HumanEval/0 --verdict accept")
def decide_on_lease(
    store: Project, *, subject: Subject, verdict: Annotated[str, Option(choices=VERDICTS)], reason: Reason = ""
) -> CommandAnswer:
    """Decide on a subject that is yours."""
    return answer_changes(leases.decide_leased(store, subject, Verdict(verdict), reason))


@command("lease return", f"annotator lease return {URL} --annotator Mei --subject HumanEval/0")
def return_leases(
    store: Project,
    *,
    subject: Annotated[Texts, subjects_option("its id or key; repeat it")],
) -> CommandAnswer:
    """Let others have subjects that are yours."""
    returned_count = leases.return_subjects(store, subject)
    return CommandAnswer({"returned": returned_count}, f"{returned_count} returned.")


@command("lease list", f"annotator lease list {URL} --annotator Mei")
def list_leases(store: Project) -> CommandAnswer:
    """List who works on what."""
    rows = leases.current_leases(store)
    lines = [(row.key, row.annotator, round(row.seconds_left / 60), row.title) for row in rows]
    heads = ("key", "who", "minutes left", "title")
    return answer_list("leases", rows, heads, lines, none="Nobody has anything at the moment.")
