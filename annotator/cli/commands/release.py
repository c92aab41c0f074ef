"""Releases: create, list, compare, export, verify."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode, UsageError
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.model.release_rows import Gate, ReleaseDiff


LINES_SHOWN = 50


def add(commands: Commands) -> None:
    """Add the release commands."""
    release = group(commands, "release", "freeze, compare and export versions")
    parser = command(
        release, "create", "freeze the accepted subjects", "annotator release create p.annotator --version 0.1", _create
    )
    add_project(parser)
    parser.add_argument("--version", metavar="V", help="default: the one suggested")
    parser.add_argument("--notes", default="", metavar="N")
    parser.add_argument("--override", default="", metavar="REASON", help="release although a gate is not met; recorded")
    parser.add_argument(
        "--errata", type=Path, metavar="F", help="what was wrong before, a sentence a line; default: the draft of diff"
    )
    _add_gates(release)
    add_project(command(release, "list", "list the releases", "annotator release list p.annotator", _list))
    _add_comparing(release)
    parser = command(
        release,
        "export",
        "write a release to a folder",
        "annotator release export p.annotator --out release-0.1",
        _export,
    )
    add_project(parser)
    parser.add_argument("--version", metavar="V", help="default: the newest")
    parser.add_argument("--format", default="annotator", metavar="F", help="see annotator formats")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
    parser = command(
        release,
        "datasheet",
        "show the datasheet's questions, or answer one",
        'annotator release datasheet p.annotator --question purpose --text "To measure ..."',
        _datasheet,
    )
    add_project(parser)
    parser.add_argument("--question", metavar="ID", help="which question, or description, url, citation")
    parser.add_argument("--text", metavar="T", help="the answer; an empty one takes it away")
    parser = command(release, "verify", "check an exported release", "annotator release verify release-0.1", _verify)
    parser.add_argument("folder", type=Path, metavar="DIR")


def _add_gates(release: Commands) -> None:
    parser = command(
        release,
        "gates",
        "say what still blocks a release, or set what does",
        "annotator release gates p.annotator --set reviews=required --reviews 2 --set quotas=off",
        _gates,
    )
    add_project(parser)
    parser.add_argument(
        "--set", action="append", default=[], metavar="GATE=RULE", help="RULE is required, shown or off; repeat it"
    )
    parser.add_argument("--reviews", type=int, metavar="N", help="how many people review an item")
    parser = command(
        release,
        "scan",
        "look for personal data and secrets, and list them masked",
        "annotator release scan p.annotator --version 0.1",
        _scan,
    )
    add_project(parser)
    parser.add_argument("--version", metavar="V", help="default: the present state")


def _add_comparing(release: Commands) -> None:
    parser = command(
        release,
        "diff",
        "compare two versions: items, stored results, errata, the next version",
        "annotator release diff p.annotator --version 0.1 --to 0.2",
        _diff,
    )
    add_project(parser)
    parser.add_argument("--version", required=True, metavar="V", help="the older version")
    parser.add_argument("--to", metavar="W", help="the newer version; default: the present state")
    parser = command(
        release,
        "compare",
        "compare two exported releases from their folders alone",
        "annotator release compare release-0.1 release-0.2",
        _compare,
    )
    parser.add_argument("old", type=Path, metavar="OLD", help="the older folder")
    parser.add_argument("new", type=Path, metavar="NEW", help="the newer folder")


def _create(options: argparse.Namespace) -> int:
    from annotator.cli.commands.work import read_text
    from annotator.services import comparing, projects, releasing

    errata = None
    if options.errata is not None:
        errata = [line.strip() for line in read_text(options.errata).splitlines() if line.strip()]
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        version = options.version or comparing.suggest_version(store)
        row, _ = releasing.create_release(store, version, options.notes, options.override, errata)
    finally:
        store.close()
    answer(options.json, row, f"Release {row.version} with {row.item_count} items.")
    return ExitCode.DONE


def _rule(text: str) -> tuple[str, str]:
    """Return "reviews=required" as a pair. Raises `UsageError` for anything else."""
    gate, sign, rule = text.partition("=")
    if not sign:
        raise UsageError(f"{text} is not GATE=RULE, such as reviews=required.")
    return gate.strip(), rule.strip()


def _gates(options: argparse.Namespace) -> int:
    from annotator.services import gate_rules, gating, projects

    rules = dict(_rule(text) for text in options.set)
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if rules or options.reviews is not None:
            gate_rules.set_rules(store, rules, options.reviews)
        gates = gating.gates(store)
        now = gate_rules.rules_of(store)
    finally:
        store.close()
    rows = [(_state(gate), gate.id, gate.name, gate.reason) for gate in gates]
    lines = [table(("state", "id", "gate", "detail"), rows)]
    for gate in gates:
        if gate.items:
            lines += ["", f"{gate.name}:", *(f"  {item.key}: {item.why}" for item in gate.items[:LINES_SHOWN])]
        if len(gate.items) > LINES_SHOWN:
            lines.append(f"  and {len(gate.items) - LINES_SHOWN} more; --json lists all of them")
    off = [gate for gate, rule in now.rules.items() if rule == gate_rules.OFF]
    lines += ["", f"Off: {', '.join(off)}."] if off else []
    answer(options.json, {"gates": gates, "rules": now.rules, "reviews": now.reviews}, "\n".join(lines))
    return ExitCode.DONE


def _state(gate: Gate) -> str:
    return "met" if gate.ok else ("blocks" if gate.required else "open")


def _list(options: argparse.Namespace) -> int:
    from annotator.services import projects, releasing

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = releasing.releases(store)
    finally:
        store.close()
    lines = [(row.version, str(row.item_count), row.created_at[:10], row.annotator, row.notes) for row in rows]
    text = table(("version", "items", "made", "by", "notes"), lines, (1,)) if rows else "There is no release yet."
    answer(options.json, {"releases": rows}, text)
    return ExitCode.DONE


def _diff(options: argparse.Namespace) -> int:
    from annotator.services import comparing, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        diff = comparing.compare(store, options.version, options.to)
    finally:
        store.close()
    answer(options.json, diff, _told(diff))
    return ExitCode.DONE


def _compare(options: argparse.Namespace) -> int:
    from annotator.services import comparing

    diff = comparing.compare_folders(options.old, options.new)
    answer(options.json, diff, _told(diff))
    return ExitCode.DONE


def _told(diff: ReleaseDiff) -> str:
    """Return a comparison as text: items, what becomes of stored results, errata, the next version."""
    lines = [f"+ {item.key}  {item.title}".rstrip() for item in diff.added]
    lines += [f"- {item.key}  {item.title}".rstrip() for item in diff.removed]
    for item in diff.changed:
        void = "; earlier scores do not count" if item.void else ""
        lines.append(f"~ {item.key}  {item.title}".rstrip() + f" ({', '.join(item.fields)}{void})")
    lines.append(f"{diff.same} items are the same. Results can be compared on {len(diff.comparable)} items.")
    rows = [
        (run.model, str(run.responses), str(run.void - run.ask_again), str(run.ask_again), str(run.dropped))
        for run in diff.runs
    ]
    if rows:
        lines += ["", table(("run of", "responses", "to score again", "to ask again", "dropped"), rows, (1, 2, 3, 4))]
    if diff.errata:
        lines += ["", "Errata, as a draft:", *(f"  {line}" for line in diff.errata)]
    if not diff.new:
        lines += ["", f"Suggested version: {diff.suggested}"]
    return "\n".join(lines)


def _scan(options: argparse.Namespace) -> int:
    from annotator.cli.output import progress_line
    from annotator.services import exporting, projects

    store = projects.open_project(options.project, read_only=True)
    try:
        report = exporting.scan_release(store, options.version, progress_line("Looking"))
    finally:
        store.close()
    rows = [
        {"key": item.key, "field": item.field, "line": item.finding.line, "rule": item.finding.rule,
         "kind": item.finding.kind, "shown": item.finding.shown}
        for item in report.findings
    ]  # fmt: skip
    answer(options.json, {"items": report.items, "findings": rows}, report.text)
    return ExitCode.DONE


def _export(options: argparse.Namespace) -> int:
    from annotator.services import projects, releasing

    store = projects.open_project(options.project, read_only=True)
    try:
        done = releasing.export(store, options.version, options.format, options.out)
    finally:
        store.close()
    names = [str(path) for path in done.files]
    data = {"files": names, "items": done.items, "left_out": done.left_out, "notes": done.notes}
    answer(options.json, data, f"{len(names)} files were written to {options.out.name}.")
    if done.left_out:
        sys.stderr.write(f"{len(done.left_out)} items were left out, for the format cannot hold them:\n")
    said = (*done.left_out, *done.notes)
    for line in said[:LINES_SHOWN]:
        sys.stderr.write(f"  {line}\n")
    if len(said) > LINES_SHOWN:
        sys.stderr.write(f"  and {len(said) - LINES_SHOWN} more; all of them are in manifest.json\n")
    return ExitCode.DONE


def _datasheet(options: argparse.Namespace) -> int:
    from annotator.services import datasheet, projects

    if (options.question is None) != (options.text is None):
        raise UsageError("Give --question and --text together, or neither to see all questions.")
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if options.question is not None:
            datasheet.write(store, options.question, options.text)
        found = datasheet.answers(store)
    finally:
        store.close()
    rows = [
        (item.question.id, "open" if item.open else "known", "yes" if item.question.required else "",
         item.question.text)
        for item in found
    ]  # fmt: skip
    answer(options.json, {"answers": found}, table(("question", "state", "required", "text"), rows))
    return ExitCode.DONE


def _verify(options: argparse.Namespace) -> int:
    from annotator.formats.native import verify

    problems = verify(options.folder)
    text = "\n".join(problems) if problems else f"{options.folder.name} is as it was exported."
    answer(options.json, {"sound": not problems, "problems": problems}, text)
    return ExitCode.BAD_INPUT if problems else ExitCode.DONE
