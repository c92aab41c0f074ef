"""Look into runs, label what failed, and keep what runs are set up with."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import BadInputError, ExitCode, UsageError
from annotator.cli.commands import run_options
from annotator.cli.output import answer, percent, table
from annotator.cli.parser import add_project, command, project_place

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.store.project_file import ProjectFile

_KINDS = ("endpoint", "price", "template", "protocol")


def add(run: Commands) -> None:
    """Add list, show, log, compare, label, presets and setup to the run commands."""
    add_project(command(run, "list", "list the runs", "annotator run list p.annotator", _list))
    parser = command(run, "show", "show one run item by item", "annotator run show p.annotator 0198", _show)
    add_project(parser)
    parser.add_argument("run", metavar="RUN", help="its id or the beginning of it")
    parser = command(
        run,
        "log",
        "show one request whole, or list them",
        "annotator run log p.annotator 0198 --subject HumanEval/0",
        _log,
    )
    add_project(parser)
    parser.add_argument("run", metavar="RUN", help="its id or the beginning of it")
    parser.add_argument("--subject", metavar="ID", help="an item: its key or id")
    parser.add_argument("--sample", type=int, metavar="N", help="which sample, from 0")
    parser.add_argument("--outcome", default="", metavar="O", help="only these, such as failed or machinery")
    parser = command(
        run, "compare", "compare what runs were set up with", "annotator run compare p.annotator 0198 0199", _compare
    )
    add_project(parser)
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser = command(
        run, "label", "say why responses failed",
        "annotator run label p.annotator 0198 --response ID --label 'logic error'", _label,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("run", metavar="RUN", help="its id or the beginning of it")
    parser.add_argument("--response", action="append", default=[], metavar="ID", help="a response; repeat it")
    parser.add_argument("--label", metavar="L", help="logic error, missing context, vague requirement, or your own")
    parser.add_argument("--note", default="", metavar="N")
    parser.add_argument("--open", action="store_true", help="list what nobody has labelled yet")
    parser = command(run, "presets", "list protocols, or print one", "annotator run presets --show infibench", _presets)
    parser.add_argument("--project", type=project_place, metavar="P", help="with the protocols of this project")
    parser.add_argument("--show", metavar="P", help="print this one as JSON, to edit and give to --protocol")
    parser = command(
        run, "setup", "keep endpoints, prices, templates and protocols in the project",
        "annotator run setup p.annotator endpoint local --set endpoint.json", _setup,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("kind", choices=_KINDS, metavar="KIND", help=", ".join(_KINDS))
    parser.add_argument("name", nargs="?", metavar="NAME", help="of a price: the model, * and ? fit any")
    act = parser.add_mutually_exclusive_group()
    act.add_argument("--set", type=Path, metavar="F.json", help="save a revision")
    act.add_argument("--remove", action="store_true", help="take it away; its history stays")
    act.add_argument("--history", action="store_true", help="all revisions")


def _open(options: argparse.Namespace) -> ProjectFile:
    from annotator.services import projects

    return projects.open_project(options.project, annotator=getattr(options, "annotator", None))


def _list(options: argparse.Namespace) -> int:
    from annotator.model.run_rows import state_word
    from annotator.services import running

    store = _open(options)
    try:
        rows = running.runs(store)
    finally:
        store.close()
    lines = [
        (
            row.id[:13],
            row.model,
            row.version,
            row.preset,
            state_word(row),
            f"{row.done}/{row.expected}",
            str(sum(row.failures.values()) or ""),
            f"{row.cost:.4f} {row.currency}" if row.currency else "",
            row.created_at[:16],
        )
        for row in rows
    ]
    text = table(
        ("run", "model", "release", "preset", "state", "scored", "failed", "cost", "started"), lines, (5, 6, 7)
    )
    answer(options.json, {"runs": rows}, text if rows else "There is no run yet.")
    return ExitCode.DONE


def _show(options: argparse.Namespace) -> int:
    from annotator.model.run_rows import state_word
    from annotator.services import run_log, running

    store = _open(options)
    try:
        row = running.find(store, options.run)
        items, settings = run_log.items(store, row.id), run_log.settings(store, row.id)
    finally:
        store.close()
    head = [f"{row.model} on {row.version}: {state_word(row)}", *([row.reason] if row.reason else [])]
    head += [f"{name}: {text}" for name, text in settings]
    if row.failures:
        head.append("No answer: " + ", ".join(f"{cause} {count}" for cause, count in sorted(row.failures.items())))
    lines = [
        (
            item.key,
            f"{item.answered}/{item.expected}",
            str(item.failed or ""),
            ", ".join(f"{count} {name}" for name, count in sorted(item.outcomes.items())),
            percent(item.score),
        )
        for item in items
    ]
    text = "\n".join([*head, "", table(("item", "answered", "failed", "outcomes", "score %"), lines, (1, 2, 4))])
    answer(options.json, {"run": row, "settings": dict(settings), "items": items}, text)
    return ExitCode.DONE


def _log(options: argparse.Namespace) -> int:
    from annotator.services import run_log, running, selecting

    store = _open(options)
    try:
        run_id = running.find(store, options.run).id
        subject = selecting.subject(store, options.subject).row.id if options.subject else ""
        if options.sample is not None:
            if not subject:
                raise UsageError("Give --subject with --sample.")
            log = run_log.request_log(store, run_id, subject, options.sample)
            facts = "\n".join(f"{name}: {text}" for name, text in log.facts)
            parts = (facts, log.problem, run_log.request_text(log), f"[answer]\n{log.text}" if log.text else "")
            answer(options.json, log, "\n\n".join(part for part in parts if part))
            return ExitCode.DONE
        rows = run_log.requests(store, run_id, subject, options.outcome)
    finally:
        store.close()
    lines = [
        (
            row.key,
            str(row.sample),
            row.outcome,
            row.cause,
            f"{row.seconds:.2f}" if row.seconds is not None else "",
            str(row.tokens or ""),
            str(row.retries or ""),
        )
        for row in rows
    ]
    text = table(("item", "sample", "outcome", "cause", "seconds", "tokens", "retries"), lines, (1, 4, 5, 6))
    answer(options.json, {"requests": rows}, text)
    return ExitCode.DONE


def _compare(options: argparse.Namespace) -> int:
    from annotator.services import run_log, running

    store = _open(options)
    try:
        rows = [running.find(store, run_id) for run_id in options.runs]
        compared = run_log.compare_settings(store, [row.id for row in rows])
    finally:
        store.close()
    lines = [(name, *texts, "differs" if differs else "") for name, texts, differs in compared]
    text = table(("setting", *(f"{row.model} {row.id[:13]}" for row in rows), ""), lines)
    data = [{"setting": name, "values": texts, "differs": differs} for name, texts, differs in compared]
    answer(options.json, {"runs": [row.id for row in rows], "settings": data}, text)
    return ExitCode.DONE


def _label(options: argparse.Namespace) -> int:
    from annotator.services import labelling, running

    store = _open(options)
    try:
        run_id = running.find(store, options.run).id
        if options.label is not None:
            labelling.label(store, options.response, options.label, options.note)
        elif options.response:
            raise UsageError("Give --label with --response.")
        found = labelling.failed(store, run_id, unlabelled=options.open)
        counts = labelling.counts(store, run_id)
    finally:
        store.close()
    lines = [
        (item.response_id, item.key, str(item.sample), item.outcome, ", ".join(row.label for row in item.labels))
        for item in found
    ]
    said = ", ".join(f"{count} {name}" for name, count in counts.counts) or "none yet"
    text = f"{counts.labelled} of {counts.failed} failed responses are labelled: {said}"
    answer(
        options.json,
        {"failed": found, "counts": counts},
        f"{text}\n{table(('response', 'item', 'sample', 'outcome', 'labels'), lines, (2,))}",
    )
    return ExitCode.DONE


def _presets(options: argparse.Namespace) -> int:
    from annotator.evaluation.presets import PRESETS, preset
    from annotator.services import projects, run_setup

    if options.project is None:
        found, shown = PRESETS, preset(options.show) if options.show else None
    else:
        store = projects.open_project(options.project, read_only=True)
        try:
            found = run_setup.protocols(store)
            shown = run_setup.protocol_named(store, options.show) if options.show else None
        finally:
            store.close()
    if shown is not None:
        answer(True, shown.as_json(), "")
        return ExitCode.DONE
    lines = [(item.name, item.title, str(item.samples)) for item in found]
    text = f"{table(('name', 'what', 'samples'), lines, (2,))}\ncdd:NAME asks for leakage as NAME asks."
    answer(options.json, {"presets": [item.as_json() for item in found]}, text)
    return ExitCode.DONE


def _setup(options: argparse.Namespace) -> int:
    from annotator.services import run_setup

    if (options.set or options.remove or options.history) and not options.name:
        raise UsageError("Give a name with --set, --remove and --history.")
    store = _open(options)
    try:
        if options.set:
            content = run_options.read_json(options.set)
            if not isinstance(content, dict):
                raise BadInputError(f"{options.set.name} must hold one JSON object. Nothing was changed.")
            run_setup.save(store, options.kind, options.name, content)
        elif options.remove:
            run_setup.remove(store, options.kind, options.name)
        rows = (
            run_setup.history(store, options.kind, options.name)
            if options.history
            else run_setup.current(store, options.kind)
        )
    finally:
        store.close()
    lines = [
        (row.name, str(row.version), "removed" if row.removed else "", row.annotator, row.created_at[:16])
        for row in rows
    ]
    text = (
        table((options.kind, "version", "", "by", "when"), lines, (1,)) if rows else f"There is no {options.kind} yet."
    )
    answer(options.json, {"setup": rows}, text)
    return ExitCode.DONE
