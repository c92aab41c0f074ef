"""Subjects of a project: show them, decide on and label them."""

from dataclasses import asdict, dataclass
from typing import Annotated

from annotator.cli.command import Anyway, OneOf, Option, Reason, Subject, Texts, command, subjects_option
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes
from annotator.model.rows.view_rows import ProofRow
from annotator.model.vocabulary import Verdict
from annotator.services.select import triage

VERDICTS = ("accept", "reject", "skip", "flag")
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
    verdict: Annotated[str, Option(choices=VERDICTS)],
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
    domain: Annotated[str | None, Option("V", among=_LABEL)] = None
    area: Annotated[str | None, Option("V", among=_LABEL)] = None
    licence: Annotated[str | None, Option("NAME", "its SPDX name, such as MIT", among=_LABEL)] = None


@command("label", "annotator label p.annotator --subject HumanEval/0 --difficulty hard")
def label_subject(store: Project, *, subject: _Subjects, labels: LabelOptions) -> CommandAnswer:
    """Set a subject's difficulty, question type or licence."""
    name, value = next((name, value) for name, value in asdict(labels).items() if value is not None)
    rows = [triage.queue_row_of(store, item) for item in subject]
    changes = triage.label_rows(store, rows, name, value)
    return CommandAnswer(changes, changes.label)
