"""Commands for criteria: save, check, prove, write from tests, and score responses against a folder of them."""

import json
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.base.open_files import open_output
from annotator.cli.command import Argument, Note, Option, Subject, Texts, command, subjects_option
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, answer_changes, read_text, text_table, write_error
from annotator.cli.progress_display import ProgressDisplay
from annotator.criteria import load_criterion, parse_criterion
from annotator.criteria.document.document_schema import json_schema
from annotator.model.rows.view_rows import FailedTrial
from annotator.services.criterion import proofs, revisions
from annotator.services.criterion.batch_scoring import COLUMNS, BatchOptions, score_suite
from annotator.services.criterion.blast_radius import CriterionPreview, preview_criterion
from annotator.services.project.projects import stage_counts
from annotator.services.sandbox_sessions import workbench
from annotator.services.select import triage

_MAX_PROGRAM_LINES = 60


@command("criterion set", "annotator criterion set p.annotator --subject HumanEval/0 --file criterion.yaml")
def save_criterion(
    store: Project,
    *,
    subject: Subject,
    file: Annotated[Path, Option("F.yaml", "file with the criterion; - for stdin")],
    note: Note = "",
    dry_run: Annotated[bool, Option(help="show what it would change; save nothing")] = False,
    anyway: Annotated[bool, Option(help="save it even if the subject's own reference fails")] = False,
) -> CommandAnswer:
    """Save a subject's criterion and show the effects; refused if its own reference fails, unless --anyway is given."""
    source = read_text(file)
    view = triage.load_subject(store, subject)
    with workbench(store) as bench:
        effects = preview_criterion(store, view, load_criterion(source, name=file.name, files=view.files).source, bench)
    lines = _describe_preview(effects)
    if dry_run:
        return CommandAnswer({"done": "", "preview": effects}, "\n".join(lines or ("No existing score would change.",)))
    if effects.failing and not anyway:
        raise BadInputError(
            f"{lines[0]} Nothing was saved. Correct the criterion or the reference, or add --anyway.",
            details=tuple(lines[1:]),
        )
    changes = revisions.save_criterion(store, subject, source, note)
    return answer_changes(changes, "\n".join((changes.label, *lines)), preview=effects)


def _describe_preview(effects: CriterionPreview) -> tuple[str, ...]:
    lines = [f"{name[0].upper()}{name[1:]} does not earn the full score." for name in effects.failing]
    if effects.unscored:
        lines.append(f"The reference could not be scored: {effects.unscored}")
    if effects.radius is not None and effects.radius.changed:
        radius = effects.radius
        answers = "1 answer gets" if radius.changed == 1 else f"{radius.changed} answers get"
        lines.append(
            f"In the runs of release {radius.version}, {answers} a different score (of {radius.responses}); "
            f"{radius.flips} of them switch between passing and failing."
        )
        lines += [f"{move.model} would rank {move.after} instead of {move.before}." for move in radius.ranks]
    return tuple(lines)


@command("criterion check", "annotator criterion check c.yaml")
def check_criterion(
    *, file: Annotated[Path, Argument("F.yaml", "file with the criterion; - for stdin")]
) -> CommandAnswer:
    """Check that a criterion file is valid."""
    checked = parse_criterion(read_text(file))
    lines = [f"{file.name}:{item.line}:{item.column}: {item.severity}: {item.message}" for item in checked.problems]
    well_formed = checked.document is not None
    return CommandAnswer(
        {"well_formed": well_formed, "problems": checked.problems},
        "\n".join(lines) or "The criterion is valid. To check whether it judges correctly: annotator criterion prove",
        ExitCode.DONE if well_formed else ExitCode.BAD_INPUT,
    )


@command("criterion prove", "annotator criterion prove p.annotator")
def prove_criterion(
    store: Project,
    display: ProgressDisplay,
    *,
    subject: Annotated[Texts, subjects_option("default: accepted subjects not proven yet")] = (),
    again: Annotated[bool, Option(help="also retry subjects that failed before and have not changed")] = False,
) -> CommandAnswer:
    """Prove that a criterion judges correctly."""
    rows, _ = proofs.prove_subjects(store, subject, display.start("Proving"), again=again)
    outcome_labels = {"pass": "proven", "weak": "weak", "machinery": "not tried"}
    lines = [
        (
            row.key,
            outcome_labels.get("weak" if row.outcome == "pass" and row.weakness else row.outcome, "not proven"),
            row.mode,
            row.reason or row.weakness or row.mode_reason,
        )
        for row in rows
    ]
    if rows:
        parts = [text_table(("subject", "outcome", "mode", "reason"), lines)]
        parts += [_describe_failed_trial(row.key, trial) for row in rows for trial in row.failed]
        unchanged = sum(row.unchanged for row in rows)
        if unchanged:
            subjects = "1 subject has" if unchanged == 1 else f"{unchanged} subjects have"
            parts.append(
                f"{subjects} not changed since the proof failed, so the stored result is shown. To prove again: --again"
            )
        untried = sum(row.outcome == "machinery" for row in rows)
        if untried:
            write_error(f"Not tried: {untried} of {len(rows)}. annotator sandbox status shows what is missing.")
        return CommandAnswer({"proofs": rows}, "\n\n".join(parts), ExitCode.ENVIRONMENT if untried else ExitCode.DONE)
    accepted = stage_counts(store).accepted
    return CommandAnswer(
        {"proofs": rows}, "Every accepted subject is already proven." if accepted else "No accepted subjects yet."
    )


def _describe_failed_trial(key: str, trial: FailedTrial) -> str:
    """Return a failed trial as text: the rule and its outcome, then the program that ran, or the answer."""
    lines = (trial.program or trial.answer).rstrip().splitlines()
    omitted = [f"    … and {len(lines) - _MAX_PROGRAM_LINES} more lines"] if len(lines) > _MAX_PROGRAM_LINES else []
    noun = "the program that ran" if trial.program else "the answer"
    head = [f"{key}, {trial.check}: {trial.label}", f"  {trial.seen or 'no output'}", f"  {noun}:"]
    return "\n".join([*head, *(f"    {line}" for line in lines[:_MAX_PROGRAM_LINES]), *omitted])


@command("criterion schema", "annotator criterion schema > c.json")
def write_schema() -> CommandAnswer:
    """Write the JSON Schema of criteria."""
    return CommandAnswer(json_schema())


@command("criterion from-tests", "annotator criterion from-tests p.annotator")
def write_from_tests(
    store: Project, *, subject: Annotated[Texts, Option("ID", "default: accepted subjects without a criterion")] = ()
) -> CommandAnswer:
    """Write criteria from the subjects' own tests."""
    written, left_out = revisions.criteria_from_tests(store, subject)
    lines = [f"{key}: {reason}" for key, reason in left_out]
    text = "\n".join([f"{len(written)} criteria written from tests.", *lines])
    return CommandAnswer({"written": written, "left_out": dict(left_out)}, text)


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """Options for scoring with a folder of criteria."""

    metrics: Annotated[str, Option("M,M", "only these metrics: keywords, blank_filling, unit_test ...")] = ""
    jobs: Annotated[int, Option("N", "number of parallel jobs (default: one per processor)")] = 0
    compat: Annotated[
        bool, Option(help="drop a case if one of its responses cannot be scored, as published graders do")
    ] = False
    allow_local: Annotated[bool, Option(help="run without isolation if neither Docker nor bubblewrap is available")] = (
        False
    )

    def check(self) -> BatchOptions:
        """Return the options with the metrics by name. Raises `UsageError` for an unknown one."""
        metrics = tuple(name for name in self.metrics.split(",") if name.strip())
        unknown = [name for name in metrics if name not in COLUMNS]
        if unknown:
            raise UsageError(f"There is no metric {unknown[0]}. Choices: {', '.join(COLUMNS)}.")
        if not 0 <= self.jobs <= 256:
            raise UsageError("--jobs must be between 1 and 256.")
        return BatchOptions(metrics, self.jobs, self.compat, self.allow_local)


@command("criterion score", "annotator criterion score --cases suite --responses answers.jsonl --out scores.jsonl")
def score_responses(
    *,
    cases: Annotated[Path, Option("DIR", "folder with eval_*.yaml")],
    responses: Annotated[Path, Option("F", "JSON lines: case, idx, response; - for stdin", stdin=".jsonl")],
    out: Annotated[Path | None, Option("FILE", "file for the scores; default: stdout")] = None,
    options: ScoreOptions,
) -> ExitCode:
    """Score responses against a folder of criteria."""
    batch_options = options.check()
    unscored = 0
    reason = ""
    with open_output(out) if out is not None else nullcontext(sys.stdout) as stream:
        for row in score_suite(cases, responses, batch_options):
            if row["status"] != "scored":
                unscored += 1
                reason = reason or str(row["detail"])
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
    if unscored:
        write_error(f"{unscored} responses could not be scored. First reason: {reason}")
    return ExitCode.DONE
