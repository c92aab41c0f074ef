"""Commands for working together: reviews, votes, comments, the three experts, settlements, locks."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from annotator.base.errors import BadInputError, UsageError
from annotator.cli.command import Note, Option, Reason, Subject, command
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list, read_text, text_table
from annotator.cli.progress_display import ProgressDisplay
from annotator.model.rows.judging_rows import ConflictRow
from annotator.services.consensus import aspect_reviews, disagreements, panel_votes, three_experts
from annotator.services.select import triage

_ANSWERS = ("yes", "no", "abstain")
_Mark = Annotated[int | None, Option("1..5", "your rating of this aspect, 5 is best")]


@dataclass(frozen=True, kw_only=True)
class AspectMarks:
    """The marks of a subject's four aspects."""

    correctness: _Mark = None
    difficulty: _Mark = None
    applicability: _Mark = None
    readability: _Mark = None


@command("team review", "annotator team review p.annotator --subject HumanEval/0 --correctness 5")
def review_subject(store: Project, *, subject: Subject, marks: AspectMarks, note: Note = "") -> CommandAnswer:
    """Rate a subject's four aspects."""
    rated = {name: mark for name, mark in asdict(marks).items() if mark is not None}
    return answer_changes(aspect_reviews.add_review(store, subject, rated, note))


@command("team vote", "annotator team vote p.annotator --subject HumanEval/0 --realistic yes --uses-llm no")
def vote_on_subject(
    store: Project,
    *,
    subject: Subject,
    realistic: Annotated[str, Option(help=panel_votes.QUESTIONS["realistic"], choices=_ANSWERS)],
    uses_llm: Annotated[str, Option(help=panel_votes.QUESTIONS["uses_llm"], choices=_ANSWERS)],
) -> CommandAnswer:
    """Vote on a subject as a panel member."""
    answers = {"realistic": realistic, "uses_llm": uses_llm}
    return answer_changes(panel_votes.cast_vote(store, subject, answers))


@command("team votes", "annotator team votes p.annotator --subject HumanEval/0")
def show_votes(store: Project, *, subject: Subject) -> CommandAnswer:
    """Show the votes on a subject once they are open."""
    votes = panel_votes.vote_state(store, subject)
    text = f"{votes.cast} of {votes.voters} votes are cast; {votes.needed} approvals are needed."
    text += " The votes are sealed." if votes.sealed else f" {votes.approvals} approve."
    if votes.lacks_people:
        text += (
            f" The panel needs {votes.voters} people, but the project has {votes.people}. To change the number, use "
            "annotator team panel --voters."
        )
    for question, counts in (votes.tally or {}).items():
        text += f"\n{panel_votes.QUESTIONS[question]} {', '.join(f'{count} {vote}' for vote, count in counts.items())}."
    return CommandAnswer(votes, text)


@command("team close-vote", 'annotator team close-vote p.annotator --subject HumanEval/0 --reason "two are away"')
def close_vote(store: Project, *, subject: Subject, reason: Reason) -> CommandAnswer:
    """Close the vote on a subject early, as the panel's chair; this cannot be undone."""
    return answer_changes(panel_votes.close_panel_vote(store, subject, reason))


@command("team comment", 'annotator team comment p.annotator --subject HumanEval/0 --text "@Bo look"')
def add_comment(
    store: Project,
    *,
    subject: Subject,
    text: Annotated[str, Option("T", "text of the comment")],
    reply_to: Annotated[str | None, Option("ID", "id of the comment you reply to; see annotator team comments")] = None,
) -> CommandAnswer:
    """Write a comment; @name mentions a person."""
    return answer_changes(aspect_reviews.add_comment(store, subject, text, reply_to))


@command("team comments", "annotator team comments p.annotator --subject HumanEval/0")
def list_comments(store: Project, *, subject: Subject) -> CommandAnswer:
    """List the comments on a subject and the people they mention."""
    rows = aspect_reviews.load_comments(store, subject)
    lines = [(row.id, row.annotator, ", ".join(row.mentions), row.reply_to or "", row.text) for row in rows]
    heads = ("id", "who", "mentions", "reply to", "comment")
    return answer_list("comments", rows, heads, lines, none="No comments.")


@command("team panel", "annotator team panel p.annotator --voters 13 --keep 10")
def show_panel(
    store: Project,
    *,
    voters: Annotated[int | None, Option("N", "number of voters")] = None,
    keep: Annotated[
        int | None, Option("K", "number of approvals needed; default: 10 of 13, scaled to the number of voters")
    ] = None,
    chair: Annotated[str | None, Option("NAME", "the person who may close votes early and change the panel")] = None,
    show: Annotated[str | None, Option(help="how releases name the voters", choices=panel_votes.SHOWN)] = None,
) -> CommandAnswer:
    """Show the panel's votes, or set its size and chair, as the chair."""
    if keep is not None and voters is None:
        raise UsageError("Give --voters with --keep.")
    if voters is not None:
        panel_votes.set_panel(store, voters, keep)
    if chair is not None:
        panel_votes.set_chair(store, chair)
    if show is not None:
        panel_votes.set_voter_names(store, show)
    rows = panel_votes.panel_rows(store)
    voters, needed = panel_votes.panel_size(store)
    try:
        report = panel_votes.panel_report(store)
        hidden = ""
    except BadInputError as error:
        # The report stays hidden until the votes are open to the person.
        report = None
        hidden = error.message
    lines = [
        (row.key, f"{row.cast} of {row.voters}", row.mine,
         "hidden" if row.approvals is None else str(row.approvals), _describe_result(row.approvals, is_kept=row.kept))
        for row in rows
    ]  # fmt: skip
    chair = panel_votes.chair_name(store)
    text = f"{needed} of {voters} must approve. {chair} is the chair.\n\n"
    text += (
        text_table(("subject", "votes", "yours", "approve", "result"), lines) if rows else "No accepted subjects yet."
    )
    if report is not None and report.subjects:
        text += f"\n\n{report.kept} of {report.subjects} subjects are kept."
        text += "".join(f"\n{count} with {approvals} approvals" for approvals, count in report.distribution.items())
        ac1 = report.agreement.ac1
        text += f"\nagreement (Gwet's AC1): {ac1.reason if ac1.value is None else f'{ac1.value:.3f}'}"
    data = {"voters": voters, "needed": needed, "chair": chair, "subjects": rows, "report": report, "hidden": hidden}
    return CommandAnswer(data, f"{text}\n\n{hidden}" if hidden else text)


@command("team mentions", "annotator team mentions p.annotator")
def list_mentions(store: Project) -> CommandAnswer:
    """List the comments that mention you and that you have not answered."""
    rows = aspect_reviews.unanswered_mentions(store)
    lines = [(row.annotator, row.key, row.text) for row in rows]
    return answer_list(
        "mentions",
        rows,
        ("who", "subject", "comment"),
        lines,
        none="You have answered every comment that mentions you.",
    )


@command("team edit", "annotator team edit p.annotator --subject HumanEval/0 --artefact solution --file s.py")
def edit_artefact(
    store: Project,
    *,
    subject: Subject,
    file: Annotated[Path, Option("F", "the new content; - for stdin")],
    artefact: Annotated[str, Option(help="which part of the subject", choices=("solution", "tests"))],
    note: Note = "",
) -> CommandAnswer:
    """Edit a subject's solution or tests."""
    content = read_text(file)
    return answer_changes(three_experts.save_artefact_edit(store, subject, artefact, content, note))


@command("team confirm", "annotator team confirm p.annotator --subject HumanEval/0 --artefact tests")
def confirm_artefact(
    store: Project,
    display: ProgressDisplay,
    *,
    subject: Subject,
    reject: Annotated[bool, Option(help="reject it instead; requires --note")] = False,
    artefact: Annotated[str, Option(help="which part of the subject", choices=("solution", "tests"))],
    note: Note = "",
) -> CommandAnswer:
    """Confirm a subject's solution or tests; runs them first."""
    verdict = "reject" if reject else "confirm"
    progress = display.start("Confirming")
    return answer_changes(three_experts.record_confirmation(store, subject, artefact, verdict, note, progress))


@command("team disagreements", "annotator team disagreements p.annotator", rows=True)
def list_disagreements(
    store: Project, *, settled: Annotated[bool, Option(help="include settled disagreements")] = False
) -> CommandAnswer:
    """List disagreements."""
    rows = disagreements.load_disagreements(store, settled=settled)
    lines = [
        (
            row.key,
            row.about,
            "; ".join(f"{opinion.annotator}: {opinion.said}" for opinion in row.opinions),
            row.outcome or "open",
        )
        for row in rows
    ]
    heads = ("subject", "about", "opinions", "outcome")
    return answer_list("disagreements", rows, heads, lines, none="No disagreements.")


@command("team conflicts", "annotator team conflicts p.annotator", rows=True)
def list_conflicts(store: Project) -> CommandAnswer:
    """List contradictions between merged files."""
    rows = disagreements.load_conflicts(store)
    lines = [
        (row.key or row.row_id, row.table, row.people[0], _describe_side(row, row.ours), row.people[1],
         _describe_side(row, row.theirs))
        for row in rows
    ]  # fmt: skip
    heads = ("subject", "kind", "earlier", "opinion", "later", "opinion")
    return answer_list("conflicts", rows, heads, lines, none="No conflicts.")


def _describe_side(row: ConflictRow, content: Mapping[str, Any]) -> str:
    return "; ".join(f"{name}: {content.get(name)}" for name in row.differing)


@command("team settle", "annotator team settle p.annotator --subject HumanEval/0 --about decision --method majority")
def settle_disagreement(
    store: Project,
    *,
    subject: Subject,
    about: Annotated[str, Option("WHAT", "see annotator team disagreements")],
    method: Annotated[str, Option(help="how it was settled", choices=("discussion", "majority", "adjudicator"))],
    outcome: Annotated[str, Option("O", "the opinion that counts; not needed for a majority")] = "",
    reason: Reason = "",
) -> CommandAnswer:
    """Settle a disagreement and record how."""
    return answer_changes(disagreements.resolve_disagreement(store, subject, about, method, outcome, reason))


@command("team lock", "annotator team lock p.annotator --subject HumanEval/0")
def lock_subject(
    store: Project,
    *,
    subject: Subject,
    open: Annotated[bool, Option(help="unlock it; requires --reason")] = False,
    reason: Reason = "",
) -> CommandAnswer:
    """Lock a subject against further work."""
    return answer_changes(aspect_reviews.set_locked(store, subject, not open, reason))


@command("team history", "annotator team history p.annotator --subject HumanEval/0")
def show_history(store: Project, *, subject: Subject) -> CommandAnswer:
    """Show the full history of a subject."""
    rows = triage.load_subject_history(store, subject)
    lines = [
        (row.created_at[:19], row.annotator, row.act + ("" if row.active else " (undone)"), row.detail) for row in rows
    ]
    return answer_list("history", rows, ("when", "who", "what", "detail"), lines)


def _describe_result(approvals: int | None, *, is_kept: bool | None) -> str:
    if approvals is None:
        return "hidden"
    return {True: "kept", False: "not kept", None: "open"}[is_kept]
