"""Inspect runs, label failed responses, and store endpoints, prices, templates and protocols."""

from pathlib import Path
from typing import Annotated

from annotator.base.addresses import Place
from annotator.base.errors import BadInputError, UsageError
from annotator.cli.command import Argument, Note, OneOf, Option, Reason, Texts, command, parse_whole
from annotator.cli.open_project import Project, open_project
from annotator.cli.output import CommandAnswer, answer_changes, answer_list, percent_text, read_json, text_table
from annotator.evaluation.presets import PRESETS, find_protocol_preset
from annotator.model.rows.run_rows import lost_answers, state_word
from annotator.model.vocabulary import SETUP_KINDS
from annotator.services.results import error_labels, responses
from annotator.services.results.score_data import load_results
from annotator.services.runs import run_list, run_log, run_setups
from annotator.services.select import triage

_SETUP_ACTION = OneOf()
_MAX_EXAMPLE_CHARACTERS = 160
_Run = Annotated[str, Argument("RUN", "id of the run, or its first characters")]


@command("run show", "annotator run show p.annotator 0198")
def show_run(store: Project, *, run: _Run) -> CommandAnswer:
    """Show a run item by item."""
    row = run_list.find_run(store, run)
    items = run_log.load_run_items(store, row.id)
    settings = run_log.describe_settings(store, row.id)
    failures = run_log.failure_causes(store, row.id)
    head = [f"{row.model} on {row.version}: {state_word(row)}", *([row.reason] if row.reason else [])]
    head += [f"{name}: {text}" for name, text in settings]
    usage = run_log.token_usage_of_run(store, row.id)
    if usage.prompt or usage.completion:
        head.append(f"Paid for: {run_log.describe_tokens(usage)}")
    if row.currency:
        head.append(f"Cost: {row.cost:.4f} {row.currency}")
    if lost_answers(row):
        head.append(f"Unreadable but possibly charged: {lost_answers(row)} answers")
    if failures:
        causes = [(item.kind, item.cause, item.count, item.example[:_MAX_EXAMPLE_CHARACTERS]) for item in failures]
        head += ["", text_table(("why", "cause", "count", "example"), causes)]
    lines = [
        (item.key, f"{item.answered}/{item.expected}", item.failed or "",
         ", ".join(f"{count} {name}" for name, count in sorted(item.outcomes.items())), percent_text(item.score),
         item.mode)
        for item in items
    ]  # fmt: skip
    headers = ("item", "answered", "failed", "outcomes", "score %", "mode")
    text = "\n".join([*head, "", text_table(headers, lines, (1, 2, 4))])
    return CommandAnswer(
        {"run": row, "settings": dict(settings), "tokens": usage, "failures": failures, "items": items}, text
    )


@command("run log", "annotator run log p.annotator 0198 --subject HumanEval/0", rows=True)
def show_log(
    store: Project,
    *,
    run: _Run,
    subject: Annotated[str | None, Option("ID", "id or key of an item")] = None,
    sample: Annotated[
        int | None, Option("N", "show this sample of --subject in full, from 1", parse=parse_whole)
    ] = None,
    outcome: Annotated[str, Option("O", "only requests with this outcome, such as failed or machinery")] = "",
    search: Annotated[str, Option("WORDS", "only requests with these words in item, answer or reason")] = "",
) -> CommandAnswer:
    """Show a full request, or list requests."""
    run_id = run_list.find_run(store, run).id
    subject_id = triage.load_subject(store, subject).row.id if subject else ""
    if sample is not None:
        if not subject_id:
            raise UsageError("Give --subject with --sample.")
        log = run_log.request_log(store, run_id, subject_id, sample - 1)
        facts = "\n".join(f"{name}: {text}" for name, text in log.facts)
        parts = (facts, log.problem, run_log.body_text(log.request), f"[answer]\n{log.text}" if log.text else "")
        return CommandAnswer(log, "\n\n".join(part for part in parts if part))
    rows = run_log.list_requests(store, run_id, subject_id, outcome, words=search)
    lines = [
        (row.key, row.sample + 1, row.outcome, row.cause, "" if row.seconds is None else f"{row.seconds:.2f}",
         row.tokens or "", row.retries or "")
        for row in rows
    ]  # fmt: skip
    heads = ("item", "sample", "outcome", "cause", "seconds", "tokens", "retries")
    return answer_list("requests", rows, heads, lines, (4, 5, 6))


@command("run compare", "annotator run compare p.annotator 0198 0199")
def compare_runs(
    store: Project, *, runs: Annotated[Texts, Argument("RUN", "id of a run, or its first characters")]
) -> CommandAnswer:
    """Compare the settings of runs."""
    rows = [run_list.find_run(store, run_id) for run_id in runs]
    compared = run_log.compare_settings(store, [row.id for row in rows])
    lines = [(name, *texts, "differs" if differs else "") for name, texts, differs in compared]
    text = text_table(("setting", *(f"{row.model} {row.id[:13]}" for row in rows), ""), lines)
    data = [{"setting": name, "values": texts, "differs": differs} for name, texts, differs in compared]
    return CommandAnswer({"runs": [row.id for row in rows], "settings": data}, text)


@command("run label", "annotator run label p.annotator 0198 --response ID --label 'logic error'")
def label_responses(
    store: Project,
    *,
    run: _Run,
    response: Annotated[Texts, Option("ID", "id of a response; may be repeated")] = (),
    label: Annotated[str | None, Option("L", "logic error, missing context, vague requirement, or your own")] = None,
    note: Note = "",
    open: Annotated[bool, Option(help="list responses without a label")] = False,
) -> CommandAnswer:
    """Label why responses failed."""
    run_id = run_list.find_run(store, run).id
    if label is not None:
        error_labels.label_failed_responses(store, list(response), label, note)
    elif response:
        raise UsageError("Give --label with --response.")
    failed = error_labels.failed_responses_of_run(store, run_id, unlabelled=open)
    counts = error_labels.count_labels(store, run_id)
    lines = [
        (item.response_id, item.key, item.sample + 1, item.outcome, ", ".join(row.label for row in item.labels))
        for item in failed
    ]
    labels = ", ".join(f"{count} {name}" for name, count in counts.counts) or "none yet"
    text = f"{counts.labelled} of {counts.failed} failed responses are labelled: {labels}"
    text += f"\n{text_table(('response', 'item', 'sample', 'outcome', 'labels'), lines)}"
    return CommandAnswer({"failed": failed, "counts": counts}, text)


@command("run settle", 'annotator run settle p.annotator 0198 --response ID --verdict pass --reason "equal sets"')
def settle_response(
    store: Project,
    *,
    run: _Run,
    response: Annotated[str, Option("ID", "id of a response with a doubtful verdict")] = "",
    verdict: Annotated[str, Option(help="your verdict", choices=responses.VERDICTS)] = "",
    reason: Reason = "",
) -> CommandAnswer:
    """List answers with a doubtful verdict, or settle one."""
    row = run_list.find_run(store, run)
    if bool(response) != bool(verdict):
        raise UsageError("Give --response and --verdict together.")
    if response:
        changes = responses.settle_answer(store, response, verdict, reason)
        return answer_changes(changes, f"{changes.label}.")
    rows = responses.doubtful_responses(store, load_results(store, row.version, runs=(row.id,)))
    settled = {item.response_id: responses.settlements_of_answer(store, item.response_id) for item in rows}
    lines = [
        (item.response_id, item.key, item.outcome,
         ", ".join(f"{settlement.verdict} by {settlement.annotator} ({settlement.reason})"
                   for settlement in settled[item.response_id]))
        for item in rows
    ]  # fmt: skip
    text = text_table(("response", "item", "outcome", "settled"), lines) if rows else "No verdict is doubtful."
    data = [{"response": item, "settled": settled[item.response_id]} for item in rows]
    return CommandAnswer({"in_doubt": data}, text)


@command("run presets", "annotator run presets --show infibench")
def list_presets(
    *,
    project: Annotated[Place | None, Option("P", "include the protocols of this project")] = None,
    show: Annotated[str | None, Option("P", "print this protocol as JSON, to edit and give to --protocol")] = None,
) -> CommandAnswer:
    """List protocols, or print one."""
    if project is None:
        protocols = PRESETS
        protocol = find_protocol_preset(show) if show else None
    else:
        with open_project(project, read_only=True) as store:
            protocols = run_setups.list_protocols(store)
            protocol = run_setups.protocol_named(store, show) if show else None
    if protocol is not None:
        return CommandAnswer(protocol.as_json())
    lines = [(item.name, item.title, item.samples) for item in protocols]
    text = f"{text_table(('name', 'what', 'samples'), lines)}\ncdd:NAME measures leakage with the requests of NAME."
    return CommandAnswer({"presets": [item.as_json() for item in protocols]}, text)


@command("run setup", "annotator run setup p.annotator endpoint local --set endpoint.json")
def save_setup(
    store: Project,
    *,
    kind: Annotated[str, Argument("KIND", ", ".join(SETUP_KINDS), choices=SETUP_KINDS)],
    name: Annotated[str, Argument("NAME", "for a price: the model; * and ? are wildcards")] = "",
    file: Annotated[Path | None, Option("F.json", "save a revision", flag="--set", among=_SETUP_ACTION)] = None,
    remove: Annotated[bool, Option(help="remove it; its history stays", among=_SETUP_ACTION)] = False,
    history: Annotated[bool, Option(help="list all revisions", among=_SETUP_ACTION)] = False,
) -> CommandAnswer:
    """List, show and save endpoints, prices, templates and protocols of the project."""
    if (file or remove or history) and not name:
        raise UsageError("Give a name with --set, --remove and --history.")
    if file:
        content = read_json(file)
        if not isinstance(content, dict):
            raise BadInputError(f"{file.name} must contain one JSON object. Nothing was changed.")
        run_setups.save_run_setup(store, kind, name, content)
    elif remove:
        run_setups.remove_setup(store, kind, name)
    if history:
        rows = run_setups.setup_history(store, kind, name)
    else:
        rows = run_setups.list_endpoints(store) if kind == "endpoint" else run_setups.list_own_setups(store, kind)
    lines = [
        (row.name, row.version, "removed" if row.removed else "", row.annotator, row.created_at[:16]) for row in rows
    ]
    return answer_list("setup", rows, (kind, "version", "", "by", "when"), lines, none=f"There is no {kind} yet.")
