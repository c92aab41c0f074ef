"""Releases: create, compare, export, verify."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from annotator.base.errors import ExitCode, UsageError
from annotator.cli.command import Argument, Note, Option, Texts, command, parse_whole
from annotator.cli.open_project import Project, ReadOnlyProject
from annotator.cli.output import (
    CommandAnswer,
    answer_list,
    columns_text,
    paint_difference,
    read_text,
    text_table,
    write_error,
)
from annotator.cli.progress_display import ProgressDisplay
from annotator.formats.documents.datasheet_document import audit_text
from annotator.formats.format_registry import EXPORTS
from annotator.formats.interchange.release_folder import verify_release_folder
from annotator.formats.write.table_writer import table_document as table_json
from annotator.model.rows.audit_rows import STATES, Audit
from annotator.model.rows.release_rows import ReleaseDiff
from annotator.services.release import audit as release_audit
from annotator.services.release import (
    authors,
    datasheet,
    exports,
    power_plan,
    publishing,
    release_gates,
    signatures,
    suggested_version,
    versions,
)
from annotator.store.file.project_file import ProjectFile

MAX_LINES_LISTED = 50


@command("release create", "annotator release create p.annotator --version 0.1")
def create_release(
    store: Project,
    display: ProgressDisplay,
    *,
    version: Annotated[str | None, Option("V", "default: the suggested one")] = None,
    notes: Note = "",
    override: Annotated[str, Option("REASON", "reason to release with unmet gates; recorded")] = "",
    errata: Annotated[
        Path | None,
        Option(
            "F", "errata of the previous version, one sentence per line; default: the text that release diff suggests"
        ),
    ] = None,
) -> CommandAnswer:
    """Freeze the accepted subjects."""
    lines = None
    if errata is not None:
        lines = [line.strip() for line in read_text(errata).splitlines() if line.strip()]
    progress = display.start("Creating the release")
    new_version = version or suggested_version.suggest_version(store)
    row, _ = versions.create_release(store, new_version, notes, override, lines, progress)
    return CommandAnswer(row, f"Release {row.version} with {row.item_count} items.")


@command("release gates", "annotator release gates p.annotator --set reviews=required --reviews 2 --set quotas=off")
def show_gates(
    store: Project,
    *,
    rules: Annotated[Texts, Option("GATE=RULE", "RULE is required, shown or off; may be repeated", flag="--set")] = (),
    reviews: Annotated[int | None, Option("N", "number of reviews required per item")] = None,
    bug_reviewers: Annotated[int | None, Option("N", "number of reviewers who must accept a bug: 2 or 1")] = None,
    mined_percent: Annotated[
        int | None, Option("N", "maximum share of a rewrite's tests that the mined code may pass, in percent (50)")
    ] = None,
) -> CommandAnswer:
    """Show what blocks a release, or set the gates."""
    numbers = {"reviews": reviews, "bug_reviewers": bug_reviewers, "mined_percent": mined_percent}
    changed_numbers = {name: value for name, value in numbers.items() if value is not None}
    if rules or changed_numbers:
        release_gates.set_gate_rules(store, dict(_parse_rule(text) for text in rules), **changed_numbers)
    gates = release_gates.check_gates(store)
    gate_rules = release_gates.load_gate_rules(store)
    rows = []
    for gate in gates:
        unmet_state = "blocks" if gate.required else "open"
        rows.append(("met" if gate.ok else unmet_state, gate.id, gate.name, gate.reason))
    lines = [text_table(("state", "id", "gate", "detail"), rows)]
    for gate in gates:
        lines += [
            f"{item.key} is overridden by {item.override.person}: {item.override.reason} ({item.why})"
            for item in gate.overridden[:MAX_LINES_LISTED]
        ]
        if gate.items:
            lines += ["", f"{gate.name}:", *(f"  {item.key}: {item.why}" for item in gate.items[:MAX_LINES_LISTED])]
        if len(gate.items) > MAX_LINES_LISTED:
            lines.append(f"  and {len(gate.items) - MAX_LINES_LISTED} more; --json lists all of them")
    off = [gate for gate, rule in gate_rules.rules.items() if rule == release_gates.OFF]
    lines += ["", f"Off: {', '.join(off)}."] if off else []
    lines += [
        "",
        f"Reviews per item: {gate_rules.reviews}; reviewers per bug: {gate_rules.bug_reviewers}; "
        f"share of a rewrite's tests that the mined code may pass: {gate_rules.mined_percent}%",
    ]
    return CommandAnswer({"gates": gates, "rules": gate_rules.rules, **gate_rules.numbers}, "\n".join(lines))


@command("release scan", "annotator release scan p.annotator --version 0.1")
def scan_release(
    store: ReadOnlyProject,
    display: ProgressDisplay,
    *,
    version: Annotated[str | None, Option("V", "default: the current state")] = None,
) -> CommandAnswer:
    """Find personal data and secrets, and list them masked."""
    report = exports.scan_release(store, version, display.start("Looking"))
    rows = [
        {"key": item.key, "field": item.field, "line": item.finding.line, "rule": item.finding.rule,
         "kind": item.finding.kind, "shown": item.finding.masked_text}
        for item in report.findings
    ]  # fmt: skip
    return CommandAnswer({"items": report.items, "findings": rows}, report.text)


@command("release diff", "annotator release diff p.annotator --version 0.1 --to 0.2")
def compare_versions(
    store: Project,
    *,
    version: Annotated[str, Option("V", "the older version")],
    to: Annotated[str | None, Option("W", "the newer version; default: the current state")] = None,
) -> CommandAnswer:
    """Compare two versions: items, stored results, errata, the next version."""
    diff = suggested_version.diff_versions(store, version, to)
    return CommandAnswer(diff, _describe_diff(diff), paint=paint_difference)


@command("release compare", "annotator release compare release-0.1 release-0.2")
def compare_folders(
    *,
    old: Annotated[Path, Argument("OLD", "the older folder")],
    new: Annotated[Path, Argument("NEW", "the newer folder")],
) -> CommandAnswer:
    """Compare two exported releases by their folders."""
    diff = suggested_version.compare_release_folders(old, new)
    return CommandAnswer(diff, _describe_diff(diff), paint=paint_difference)


@command("release export", "annotator release export p.annotator --out release-0.1")
def export_release(
    store: ReadOnlyProject,
    *,
    version: Annotated[str | None, Option("V", "default: the newest")] = None,
    format: Annotated[str, Option("F", "see annotator formats", [item.name for item in EXPORTS])] = "annotator",
    out: Annotated[Path, Option("DIR", "a new or empty folder")],
) -> CommandAnswer:
    """Write a release to a folder."""
    export = exports.export_release(store, version, format, out)
    names = [str(path) for path in export.files]
    data = {"files": names, "items": export.items, "left_out": export.left_out, "notes": export.notes}
    if export.left_out:
        write_error(f"{len(export.left_out)} items were left out because the format cannot represent them:")
    remarks = (*export.left_out, *export.notes)
    for line in remarks[:MAX_LINES_LISTED]:
        write_error(f"  {line}")
    if len(remarks) > MAX_LINES_LISTED:
        write_error(f"  and {len(remarks) - MAX_LINES_LISTED} more; all of them are in manifest.json")
    return CommandAnswer(data, f"{len(names)} files were written to {out.name}.")


@dataclass(frozen=True, kw_only=True)
class RemoteOptions:
    """The branch, server and key to publish with."""

    branch: Annotated[str, Option("B", "the branch (main)")] = publishing.BRANCH
    endpoint: Annotated[str, Option("URL", "server, if it is not the Hub")] = ""
    token: Annotated[str, Option("NAME", "name of the Hub's key in the environment or keyring (HF_TOKEN)")] = (
        publishing.TOKEN
    )


@command("release publish", "annotator release publish p.annotator --to hf:ada/benchmark --send")
def publish_release(
    store: ReadOnlyProject,
    *,
    version: Annotated[str | None, Option("V", "default: the newest")] = None,
    to: Annotated[str, Option("PLACE", "hf:OWNER/NAME, or the address of a git repository")],
    send: Annotated[bool, Option(help="send it; without this, only show what would be sent")] = False,
    remote: RemoteOptions,
) -> CommandAnswer:
    """Publish a release to the Hugging Face Hub or a git remote."""
    publication = publishing.send_release(store, version, to, send=send, **asdict(remote))
    for line in publication.remarks[:MAX_LINES_LISTED]:
        write_error(line)
    lines = [text_table(("file", "bytes"), publication.files), ""]
    if publication.commit:
        lines.append(
            f"Published {publication.version} to {publication.place} as {publishing.version_tag(publication.version)}, "
            f"{publication.commit}."
        )
    else:
        lines.append(
            f"Nothing was sent. With --send, {publication.version} is published to {publication.place} "
            f"({publication.form})."
        )
    return CommandAnswer(publication, "\n".join(lines))


@command("release datasheet", 'annotator release datasheet p.annotator --question purpose --text "To measure ..."')
def show_datasheet(
    store: Project,
    *,
    question: Annotated[str | None, Option("ID", "id of the question, or description, url, citation")] = None,
    text: Annotated[str | None, Option("T", "the answer; an empty one removes it")] = None,
) -> CommandAnswer:
    """Show the datasheet's questions, or answer one."""
    if (question is None) != (text is None):
        raise UsageError("Give --question and --text together, or neither to see all questions.")
    if question is not None and text is not None:
        datasheet.save_datasheet_text(store, question, text)
    answers = datasheet.datasheet_answers(store)
    rows = [
        (item.question.id, "open" if item.open else "known", "yes" if item.question.required else "",
         item.question.text)
        for item in answers
    ]  # fmt: skip
    return answer_list("answers", answers, ("question", "state", "required", "text"), rows)


@command("release authors", "annotator release authors p.annotator --person Bo --choice left-out")
def show_authors(
    store: Project,
    *,
    person: Annotated[str | None, Option("NAME", "choose whether the next release names this person")] = None,
    choice: Annotated[
        str | None, Option(help="default: named if the release contains their work", choices=authors.CHOICES)
    ] = None,
) -> CommandAnswer:
    """Show the people whom a release names as authors, or choose for one person."""
    if (person is None) != (choice is None):
        raise UsageError("Give --person and --choice together, or neither to see everybody.")
    if person is not None and choice is not None:
        authors.choose_authors(store, {person: choice})
    rows = authors.list_authors(store)
    lines = [(row.name, row.role, row.is_named, row.choice, row.has_work) for row in rows]
    return answer_list("people", rows, ("person", "role", "named", "choice", "work in it"), lines)


@dataclass(frozen=True, kw_only=True)
class StatementOptions:
    """Options for a statement on a point of the audit."""

    point: Annotated[str | None, Option("ID", "point of the checklist to answer")] = None
    state: Annotated[str, Option("STATE", "state of the point", choices=STATES)] = "met"
    text: Annotated[str | None, Option("T", "your statement on the point")] = None
    threshold: Annotated[float | None, Option("N", "stricter threshold for the point")] = None

    def save(self, store: ProjectFile) -> None:
        """Save the statement, if there is one."""
        if (self.point is None) != (self.text is None and self.threshold is None):
            raise UsageError("Give --point with --text or --threshold, or none of them to see the audit.")
        if self.point is not None and self.threshold is not None:
            release_audit.set_audit_threshold(store, self.point, self.threshold)
        if self.point is not None and self.text is not None:
            release_audit.save_statement(store, self.point, self.state, self.text)


@command("release audit", 'annotator release audit p.annotator --point audience --state met --text "Makers of models"')
def audit_release(
    store: Project,
    *,
    version: Annotated[str | None, Option("V", "default: the current state")] = None,
    to: Annotated[str | None, Option("W", "compare with another version")] = None,
    statement: StatementOptions,
    markdown: Annotated[bool, Option(help="print the audit as Markdown")] = False,
) -> CommandAnswer:
    """Show the audit checklist, or answer one of its points."""
    statement.save(store)
    audit = release_audit.load_audit(store, version)
    data = {"project": audit.project, "version": audit.version, "phases": audit.phases,
            "points": [row.as_json() for row in audit.rows]}  # fmt: skip
    if to is not None:
        pairs = release_audit.compare_audits(audit, release_audit.load_audit(store, to))
        rows = [(new.point.id, old.state, new.state, new.evidence.text) for old, new in pairs]
        return CommandAnswer(data | {"differs": rows}, text_table(("point", version or "now", to, "evidence"), rows))
    if markdown:
        return CommandAnswer(data, audit_text(audit.project, audit.version, [row.as_json() for row in audit.rows]))
    return CommandAnswer(data, _describe_audit(audit))


@dataclass(frozen=True, kw_only=True)
class PowerOptions:
    """The difference to detect, and the power and level of the test."""

    difference: Annotated[float, Option("POINTS", "the difference between two models (5)")] = 5.0
    samples: Annotated[int, Option("N", "samples per item (1)", parse=parse_whole)] = 1
    power: Annotated[float, Option("PERCENT", "power: the chance to detect it (80)")] = 80.0
    alpha: Annotated[float, Option("PERCENT", "level: the chance of a false alarm (5)")] = 5.0
    by: Annotated[str, Option(help="show one row per value of this field", choices=power_plan.GROUPS)] = "domain"


@command("release power", "annotator release power p.annotator --difference 5 --by domain")
def plan_power(
    store: ReadOnlyProject,
    *,
    version: Annotated[str | None, Option("V", "default: the current state")] = None,
    options: PowerOptions,
) -> CommandAnswer:
    """Show which difference the items can detect, and how many items a difference requires."""
    question = power_plan.PowerQuestion(
        difference=options.difference / 100,
        samples=options.samples,
        alpha=options.alpha / 100,
        power=options.power / 100,
        by=options.by,
    )
    plan = power_plan.plan_benchmark_size(store, version, question)
    return CommandAnswer(table_json(plan), "\n".join([columns_text(plan.columns), "", *plan.notes]))


@command("release sign", "annotator release sign release-0.1 --key ~/.ssh/id_ed25519")
def sign_release(
    *,
    folder: Annotated[Path, Argument("DIR", "folder of the exported release")],
    key: Annotated[Path, Option("K", "private SSH key, or the public key of one in an SSH agent")],
) -> CommandAnswer:
    """Sign an exported release with an SSH key."""
    signature = signatures.sign_release_folder(folder, key.expanduser())
    return CommandAnswer({"key": signature.key}, f"{folder.name} is signed with {signature.key}.")


@command("release verify", "annotator release verify release-0.1 --signer ada@example.org --allowed signers.txt")
def verify_release(
    *,
    folder: Annotated[Path, Argument("DIR", "folder of the exported release")],
    signer: Annotated[str, Option("ID", "name in --allowed that must have signed it")] = "",
    allowed: Annotated[Path | None, Option("F", "file of names and public keys, as in ssh-keygen(1)")] = None,
) -> CommandAnswer:
    """Verify an exported release and its signature."""
    if bool(signer) != (allowed is not None):
        raise UsageError("Give --signer and --allowed together: a name, and the file with that name's public key.")
    folder = folder.resolve()
    problems = list(verify_release_folder(folder))
    problem, signature = _read_signature(folder, signer, allowed)
    if signature is None and problem:
        problems.append(problem)
    summary = f"{folder.name} matches its manifest. {_describe_signature(folder, signature)}"
    data = {"sound": not problems, "problems": problems, "signature": signature}
    text = "\n".join(problems) or summary
    return CommandAnswer(data, text, ExitCode.BAD_INPUT if problems else ExitCode.DONE)


def _read_signature(folder: Path, signer: str, allowed: Path | None) -> tuple[str, signatures.ReleaseSignature | None]:
    """Return the problem with a release's signature, empty if there is none, and the signature if it is valid."""
    if not signatures.is_signed(folder):
        return (f"it has no signature of {signer}" if signer else ""), None
    if allowed is not None:
        signature = signatures.check_signer(folder, signer, allowed)
        other_signature = signatures.read_release_signature(folder) if signature is None else None
        remark = f"; it is signed with {other_signature.key}" if other_signature else ""
        return f"{signer} has not signed this manifest with a key that {allowed.name} lists{remark}", signature
    if not signatures.is_signing_available():
        return "", None
    return "manifest.json.sig does not match manifest.json", signatures.read_release_signature(folder)


def _describe_signature(folder: Path, signature: signatures.ReleaseSignature | None) -> str:
    if signature is not None and signature.signer:
        return f"It is signed by {signature.signer} with {signature.key}."
    if signature is not None:
        return f"It is signed with {signature.key}; --signer and --allowed show whose key that is."
    if signatures.is_signed(folder):
        return "Its signature was not checked because ssh-keygen is not installed here."
    return "It is not signed."


def _describe_audit(audit: Audit) -> str:
    shares = [(share.phase, f"{share.met} of {share.points}", share.not_met, share.open) for share in audit.phases]
    lines = [text_table(("phase", "met", "not met", "open"), shares, (1,)), ""]
    rows = [
        (row.state, row.point.id, row.by, row.evidence.text or (row.statement.text if row.statement else ""))
        for row in audit.rows
    ]
    return "\n".join([*lines, text_table(("state", "id", "by", "evidence or statement"), rows)])


def _parse_rule(text: str) -> tuple[str, str]:
    """Parse ``GATE=RULE`` into a pair. Raises `UsageError` for anything else."""
    gate, sign, rule = text.partition("=")
    if not sign:
        raise UsageError(f"{text} is not GATE=RULE, such as reviews=required.")
    return gate.strip(), rule.strip()


def _describe_diff(diff: ReleaseDiff) -> str:
    """Return a comparison as text: items, effects on stored results, errata, the next version."""
    lines = [f"+ {item.key}  {item.title}".rstrip() for item in diff.added]
    lines += [f"- {item.key}  {item.title}".rstrip() for item in diff.removed]
    for item in diff.changed:
        void = "; earlier scores are no longer valid" if item.void else ""
        lines.append(f"~ {item.key}  {item.title}".rstrip() + f" ({', '.join(item.fields)}{void})")
    lines.append(f"{diff.same} items are unchanged. Results can be compared on {len(diff.comparable)} items.")
    rows = [(run.model, run.responses, run.void - run.ask_again, run.ask_again, run.dropped) for run in diff.runs]
    if rows:
        lines += ["", text_table(("run of", "responses", "to score again", "to request again", "dropped"), rows)]
    if diff.errata:
        lines += ["", "Suggested errata:", *(f"  {line}" for line in diff.errata)]
    if not diff.new:
        advice = f"Suggested version: {diff.suggested}" if diff.suggested else f"Nothing has changed since {diff.old}."
        lines += ["", advice]
    return "\n".join(lines)
