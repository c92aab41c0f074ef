"""Blind judging: make a study, take its pairs out to a rater and back, and say how far raters agree."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import BadInputError, ExitCode, MissingEnvironmentError, UsageError
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command, group

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.services.agreement import StudyReport

_KINDS = ("requirement", "paraphrase", "domain", "question_type", "response")


def add(commands: Commands) -> None:
    """Add the commands of judge."""
    inner = group(commands, "judge", "judge pairs blind")
    _add_new(inner)
    add_project(command(inner, "list", "list the studies", "annotator judge list p.annotator", _list))
    export = command(
        inner, "export", "write a rater's pairs, blind",
        "annotator judge export p.annotator --annotator Bo --out bo.jsonl", _export,
    )  # fmt: skip
    _study(export)
    export.add_argument("--out", type=Path, required=True, metavar="F.jsonl")
    export.add_argument("--open", action="store_true", help="only pairs that are still to be judged")
    reading = command(
        inner, "import", "read a rater's judgements",
        "annotator judge import p.annotator bo.jsonl --annotator Bo", _import,
    )  # fmt: skip
    add_project(reading)
    reading.add_argument(
        "file", type=Path, metavar="F.jsonl", help="lines with assignment, verdict, rationale, seconds"
    )
    report = command(
        inner, "agreement", "say what came of a study and how far raters agree",
        "annotator judge agreement p.annotator --rate 7.5", _agreement,
    )  # fmt: skip
    _study(report)
    report.add_argument("--margin", type=float, default=0.1, help="worse on at most this share is not inferior (0.1)")
    report.add_argument("--rate", type=float, default=0.0, metavar="MONEY", help="what an hour of a rater costs")
    report.add_argument("--currency", default="$", metavar="C")
    _study(command(inner, "verify", "check the map against its hash", "annotator judge verify p.annotator", _verify))
    _study(command(inner, "seal", "finish your batch for good", "annotator judge seal p.annotator", _seal))
    reveal = command(
        inner, "unblind", "reveal what was compared, and log it",
        'annotator judge unblind p.annotator --reason "all batches are sealed"', _unblind,
    )  # fmt: skip
    _study(reveal)
    reveal.add_argument("--reason", required=True, metavar="R")


def _add_new(inner: Commands) -> None:
    new = command(
        inner, "new", "make a study of pairs",
        "annotator judge new p.annotator --name first --kind response --a model:X --b model:Y --rater Ada", _new,
    )  # fmt: skip
    add_project(new)
    new.add_argument("--name", required=True, metavar="N")
    new.add_argument("--kind", required=True, choices=_KINDS)
    new.add_argument("--a", metavar="SIDE", help="original, paraphrase, human, llm, reference, label or model:NAME")
    new.add_argument("--b", metavar="SIDE")
    new.add_argument("--from", dest="pairs", type=Path, metavar="F.jsonl", help="lines with subject, a and b instead")
    new.add_argument("--rater", action="append", default=[], metavar="NAME", help="repeat it; a new name joins")
    new.add_argument("--subject", action="append", default=[], metavar="ID", help="default: all accepted subjects")
    new.add_argument("--plan", choices=("all", "balanced", "each", "overlap"), default="all")
    new.add_argument("--raters-per-pair", type=int, default=2, metavar="N", help="for balanced (2)")
    new.add_argument("--pairs-per-rater", type=int, default=0, metavar="N", help="for each")
    new.add_argument("--overlap", type=float, default=0.2, metavar="SHARE", help="for overlap (0.2)")
    new.add_argument("--repeats", type=float, default=0.05, metavar="SHARE", help="served again, swapped (0.05)")
    new.add_argument("--guidelines", type=Path, metavar="F", help="a text shown beside the pairs")


def _study(parser: argparse.ArgumentParser) -> None:
    add_project(parser)
    parser.add_argument("--study", metavar="NAME", help="default: the newest")


def _new(options: argparse.Namespace) -> int:
    from annotator.cli.commands.work import read_text
    from annotator.services import judging, judging_files, projects
    from annotator.services.serving import ServingPlan

    if bool(options.pairs) == bool(options.a and options.b):
        raise UsageError("Give either --a and --b, or a file of pairs with --from.")
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        if options.pairs:
            pairs = judging_files.candidates_from_file(store, options.pairs)
        elif options.subject:
            pairs = judging.candidates(store, options.kind, options.a, options.b, options.subject)
        else:
            pairs = judging.candidates_of_accepted(store, options.kind, options.a, options.b)
        wanted = judging.NewStudy(
            name=options.name,
            kind=options.kind,
            name_a=options.a or "a",
            name_b=options.b or "b",
            raters=tuple(options.rater) or (store.annotator.name,),
            plan=ServingPlan(
                options.plan, options.raters_per_pair, options.pairs_per_rater, options.overlap, options.repeats
            ),
            guidelines=read_text(options.guidelines) if options.guidelines else "",
        )
        study_id, _ = judging.create_study(store, wanted, pairs, add_raters=True)
        [row] = [item for item in judging.studies(store) if item.id == study_id]
    finally:
        store.close()
    text = f"{row.pairs} pairs for {', '.join(row.raters)}; commitment {row.commitment}"
    answer(options.json, row, text)
    return ExitCode.DONE


def _list(options: argparse.Namespace) -> int:
    from annotator.services import judging, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = judging.studies(store)
    finally:
        store.close()
    lines = [
        (row.name, row.kind, str(row.pairs), f"{row.done} of {row.mine}", f"{row.judged} of {row.total}",
         "yes" if row.sealed else "no", row.commitment[:16])
        for row in rows
    ]  # fmt: skip
    text = table(("study", "kind", "pairs", "yours", "all", "sealed", "commitment"), lines, (2,)) if rows else ""
    answer(options.json, {"studies": rows}, text or "There is no study yet.")
    return ExitCode.DONE


def _export(options: argparse.Namespace) -> int:
    from annotator.services import judging, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        pairs = judging.my_pairs(store, options.study, only_open=options.open)
        rater = store.annotator.name
    finally:
        store.close()
    rows = [
        {"assignment": item.assignment_id, "kind": item.kind, "question": item.question, "1": item.first,
         "2": item.second, "verdict": None, "rationale": "", "seconds": None}
        for item in pairs
    ]  # fmt: skip
    try:
        options.out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    except OSError as error:
        raise MissingEnvironmentError(f"{options.out.name} could not be written ({error.strerror}).") from error
    data = {"file": str(options.out), "rater": rater, "pairs": len(rows)}
    answer(options.json, data, f"{len(rows)} pairs for {rater} written to {options.out.name}.")
    return ExitCode.DONE


def _import(options: argparse.Namespace) -> int:
    from annotator.services import judging, judging_files, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows = judging_files.read_judgements(options.file)
        added, known = judging.import_judgements(store, rows)
    finally:
        store.close()
    answer(options.json, {"added": added, "known": known}, f"{added} judgements added, {known} known.")
    return ExitCode.DONE


def _agreement(options: argparse.Namespace) -> int:
    from annotator.services import agreement, projects

    if not 0 <= options.margin <= 1 or not options.rate >= 0:
        raise BadInputError("The margin lies between 0 and 1, and the rate is not negative.")
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        report = agreement.study_report(
            store, options.study, margin=options.margin, rate=options.rate, currency=options.currency
        )
    finally:
        store.close()
    answer(options.json, _plain(report), _text(report))
    return ExitCode.DONE


def _plain(report: StudyReport) -> Any:
    """Return the report as JSON has it; the confusion tables' labels become plain keys."""
    from annotator.cli.output import plain

    return plain(report)


def _text(report: StudyReport) -> str:
    from annotator.services import agreement_tables

    a, b = report.names
    parts = [
        f"{report.study} ({report.kind}): {a} against {b}, {report.judged_pairs} of {report.pairs} pairs judged",
        *(
            table(section.headers, section.rows, section.right)
            for section in agreement_tables.sections(report)
            if section.rows
        ),
        *agreement_tables.notes(report),
    ]
    return "\n\n".join(parts)


def _verify(options: argparse.Namespace) -> int:
    from annotator.services import judging, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        found = judging.verify(store, options.study)
    finally:
        store.close()
    words = {True: "holds", False: "does NOT hold"}
    text = (
        f"commitment {found.commitment}\nmap {words[found.map_ok]}, pairs {words[found.pairs_ok]}, "
        f"orders {words[found.orders_ok]}"
    )
    data = {name: getattr(found, name) for name in ("commitment", "map_ok", "pairs_ok", "orders_ok", "ok")}
    answer(options.json, data, text)
    return ExitCode.DONE if found.ok else ExitCode.BAD_INPUT


def _seal(options: argparse.Namespace) -> int:
    from annotator.services import judging, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        changes = judging.seal(store, options.study)
    finally:
        store.close()
    answer(options.json, {"done": changes.label, "change": changes.change_id}, changes.label)
    return ExitCode.DONE


def _unblind(options: argparse.Namespace) -> int:
    from annotator.services import judging, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        names, changes = judging.unblind(store, options.study, options.reason)
    finally:
        store.close()
    answer(
        options.json, {"a": names[0], "b": names[1], "change": changes.change_id}, f"A is {names[0]}, B is {names[1]}."
    )
    return ExitCode.DONE
