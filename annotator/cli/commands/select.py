"""Choose candidates: show, decide on and label subjects, set quotas, deal candidates to people, reserve subjects."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from annotator.base.errors import UsageError
from annotator.cli.command import Anyway, OneOf, Option, Reason, Subject, Texts, command, parse_whole, subjects_option
from annotator.cli.commands.overview import FineKindOptions, KindOptions
from annotator.cli.commands.project.sharing import EXAMPLE_URL
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list, read_json, text_table
from annotator.mining.quota_plan import parse_quotas
from annotator.model.rows.view_rows import ProofRow
from annotator.model.vocabulary import Verdict
from annotator.services.select import leases, quotas, triage, turns
from annotator.services.select.turns import QueueShare
from annotator.store.file.project_file import ProjectFile

_VERDICTS = ("accept", "reject", "skip", "flag")
_LABEL = OneOf(required=True)
_Subjects = Annotated[Texts, subjects_option("id or key of the subject; may be repeated")]


@command("show", "annotator show p.annotator --subject HumanEval/0")
def show_subject(store: Project, *, subject: Subject) -> CommandAnswer:
    """Show one subject."""
    view = triage.load_subject(store, subject)
    row = view.row
    length = f" · context of {view.context_lines:,} lines" if view.context_lines else ""
    parts = [
        f"{row.title}\n{row.key} · {row.task} · {row.language} · {row.domain} · {row.verdict or 'open'}{length}",
        f"prompt\n{view.prompt}",
    ]
    if view.paraphrase:
        parts.append(f"paraphrase by {view.paraphrase.annotator}\n{view.paraphrase.text}")
    if view.reference:
        parts.append(f"reference\n{view.reference}")
    if view.criterion:
        parts.append(f"criterion by {view.criterion.annotator}\n{view.criterion.source}")
    if view.proof:
        parts.append(f"proof\n{_describe_proof(view.proof)}")
    if view.blind_study:
        parts.append(f"responses\nHidden from you until the blind study {view.blind_study} is unblinded.")
    return CommandAnswer(view, "\n\n".join(parts))


def _describe_proof(proof: ProofRow) -> str:
    """Return the outcome of a proof, and the mode in which the tests run, as text."""
    state = "proven" if proof.outcome == "pass" else "not proven"
    outcome = state if proof.holds else f"{state}, but what judges it has changed since"
    reason = f" ({proof.mode_reason})" if proof.mode_reason else ""
    return f"{outcome} · mode: {proof.mode}{reason}" if proof.mode else outcome


@command("select", 'annotator select p.annotator --subject HumanEval/0 --verdict reject --reason "too simple"')
def decide_on_subjects(
    store: Project,
    *,
    subject: _Subjects,
    verdict: Annotated[str, Option(help="your verdict", choices=_VERDICTS)],
    reason: Reason = "",
    anyway: Anyway = False,
) -> CommandAnswer:
    """Decide on a candidate."""
    return answer_changes(triage.decide_subjects(store, subject, Verdict(verdict), reason, anyway=anyway))


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """The one label to set."""

    difficulty: Annotated[str | None, Option("V", "easy, medium, hard", among=_LABEL)] = None
    question_type: Annotated[str | None, Option("V", "one of the known types, or your own", among=_LABEL)] = None
    domain: Annotated[str | None, Option("V", "one of the project's domains, or another", among=_LABEL)] = None
    area: Annotated[str | None, Option("V", "one of the project's areas, or another", among=_LABEL)] = None
    licence: Annotated[str | None, Option("NAME", "its SPDX name, such as MIT", among=_LABEL)] = None


@command("label", "annotator label p.annotator --subject HumanEval/0 --difficulty hard")
def label_subject(store: Project, *, subject: _Subjects, labels: LabelOptions) -> CommandAnswer:
    """Set a subject's difficulty, question type or licence."""
    label_name, value = next((key, text) for key, text in asdict(labels).items() if text is not None)
    rows = [triage.queue_row_of(store, item) for item in subject]
    changes = triage.label_rows(store, rows, label_name, value)
    return CommandAnswer(changes, changes.label)


_QUOTA_SOURCE = OneOf(required=True)


@command("quotas show", "annotator quotas show p.annotator --json")
def show_quotas(store: Project) -> CommandAnswer:
    """Show the progress of the quotas."""
    return _describe_quotas(store)


@command(
    "quotas set", "annotator quotas set p.annotator --quota language=python,difficulty=hard:20 --quota language=go:10"
)
def set_quotas(
    store: Project,
    *,
    quota: Annotated[
        Texts,
        Option(
            "K=V,K=V:N",
            "N subjects with these values of area, language, task, domain, difficulty; may be repeated",
            among=_QUOTA_SOURCE,
        ),
    ] = (),
    file: Annotated[
        Path | None, Option("F.json", 'a list of quotas like {"language": "go", "wanted": 10}', among=_QUOTA_SOURCE)
    ] = None,
    none: Annotated[bool, Option(help="clear all quotas", among=_QUOTA_SOURCE)] = False,
) -> CommandAnswer:
    """Set the quotas of a project."""
    rows = [] if none else read_json(file) if file else [parse_quota(text) for text in quota]
    quotas.save_quotas(store, parse_quotas(rows))
    return _describe_quotas(store)


def parse_quota(text: str) -> dict[str, object]:
    """Parse a quota such as "language=python,difficulty=hard:20". Raises `UsageError` if it is malformed."""
    conditions, _, number = text.rpartition(":")
    if not number.strip().isdecimal():
        raise UsageError(f"{text} does not end with a colon and a number, such as language=python:20.")
    row: dict[str, object] = {"wanted": int(number)}
    for part in filter(None, conditions.split(",")):
        name, sign, value = part.partition("=")
        if not sign or name.strip() in row:
            raise UsageError(f"{text}: each condition must be name=value, such as language=python.")
        row[name.strip()] = value.strip()
    return row


def _describe_quotas(store: ProjectFile) -> CommandAnswer:
    rows = quotas.quota_progress(store)
    missing = [max(0, row.target - row.filled) for row in rows]
    lines = [(row.label, row.filled, row.target, count, row.open) for row, count in zip(rows, missing, strict=True)]
    total = ("all", sum(row.filled for row in rows), sum(row.target for row in rows), sum(missing), "")
    text = text_table(("quota", "filled", "target", "missing", "open"), [*lines, total])
    data = [{**dict(row.values), "wanted": row.target, "filled": row.filled, "open": row.open} for row in rows]
    return CommandAnswer(data, text if rows else "No quotas are set. annotator quotas set --help shows how.")


@command("queue show", "annotator queue show p.annotator --json")
def show_shares(store: Project) -> CommandAnswer:
    """Show the progress of each person's share."""
    shares = turns.list_shares(store)
    return CommandAnswer({"shares": shares}, _make_share_table(shares))


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
    return answer_changes(changes, _make_share_table(shares), shares=shares)


@command("queue take-back", "annotator queue take-back p.annotator --from Lin")
def take_back(
    store: Project, *, people: Annotated[Texts, Option("NAME", "default: everyone", flag="--from")] = ()
) -> CommandAnswer:
    """Unassign candidates that people have not decided on."""
    return answer_changes(turns.take_back_candidates(store, people))


def _make_share_table(shares: tuple[QueueShare, ...]) -> str:
    rows = [(item.person or "nobody", item.candidates, item.open, item.decided, item.later) for item in shares]
    return text_table(("person", "candidates", "open", "decided", "skipped or flagged"), rows)


@command("lease take", f"annotator lease take {EXAMPLE_URL} --annotator Mei")
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


@command("lease decide", f"annotator lease decide {EXAMPLE_URL} --annotator Mei --subject HumanEval/0 --verdict accept")
def decide_on_lease(
    store: Project,
    *,
    subject: Subject,
    verdict: Annotated[str, Option(help="your verdict", choices=_VERDICTS)],
    reason: Reason = "",
) -> CommandAnswer:
    """Decide on a subject that you have reserved."""
    return answer_changes(leases.decide_leased(store, subject, Verdict(verdict), reason))


@command("lease return", f"annotator lease return {EXAMPLE_URL} --annotator Mei --subject HumanEval/0")
def return_leases(
    store: Project, *, subject: Annotated[Texts, subjects_option("id or key of the subject; may be repeated")]
) -> CommandAnswer:
    """Release subjects that you have reserved."""
    returned_count = leases.return_subjects(store, subject)
    return CommandAnswer({"returned": returned_count}, f"{returned_count} released.")


@command("lease list", f"annotator lease list {EXAMPLE_URL} --annotator Mei")
def list_leases(store: Project) -> CommandAnswer:
    """List the reserved subjects."""
    rows = leases.current_leases(store)
    lines = [(row.key, row.annotator, round(row.seconds_left / 60), row.title) for row in rows]
    heads = ("key", "who", "minutes left", "title")
    return answer_list("leases", rows, heads, lines, none="No subject is reserved.")
