"""More ways to bugs: a model is asked, and several are combined."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode
from annotator.cli.commands.run_options import endpoint_from
from annotator.cli.commands.suggest import add_model
from annotator.cli.output import answer, progress_line, table
from annotator.cli.parser import add_project, command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.model.bug_rows import ProposedRow


def add(bugs: Commands) -> None:
    """Add bugs ask and bugs combine."""
    parser = command(
        bugs, "ask", "ask a model for bugs and keep those that are proven",
        "annotator bugs ask p.annotator --kind logic.index --base-url http://localhost:8000/v1 --model m", _ask,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument(
        "--subject", metavar="ID", action="append", default=[], help="default: all accepted subjects with code"
    )
    parser.add_argument("--kind", action="append", default=[], metavar="K", help="such as logic.index; repeat it")
    parser.add_argument("--count", type=int, default=3, metavar="N", help="how many of a kind and subject (3)")
    add_model(parser)
    parser = command(
        bugs, "combine", "put several proven bugs of a subject into one program",
        "annotator bugs combine p.annotator --count 2", _combine,
    )  # fmt: skip
    add_project(parser)
    parser.add_argument("--subject", metavar="ID", action="append", default=[], help="default: all that have bugs")
    parser.add_argument("--bug", metavar="ID", action="append", default=[], help="exactly these: repeat it")
    parser.add_argument("--count", type=int, default=2, metavar="N", help="how many bugs in one program (2)")
    parser.add_argument("--most", type=int, default=1, metavar="N", help="how many programs a subject at most (1)")


def _ask(options: argparse.Namespace) -> int:
    from annotator.llm import CachedAsker, Client, Helper
    from annotator.services import bug_asking, projects
    from annotator.services.run_sink import StoreCache

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        endpoint = endpoint_from(store, options)
        with Client(endpoint) as client:
            helper = Helper(CachedAsker(client, StoreCache(store)), endpoint, options.model)
            rows, _ = bug_asking.ask_bugs(
                store, helper, options.subject, options.kind or ("logic.condition",), progress_line("asking"),
                count=options.count,
            )  # fmt: skip
    finally:
        store.close()
    answer(options.json, rows, _shown(rows))
    return ExitCode.DONE


def _combine(options: argparse.Namespace) -> int:
    from annotator.services import bug_combining, projects

    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        rows, _ = bug_combining.combine_bugs(
            store, options.subject, options.bug, progress_line("combining"), count=options.count, most=options.most
        )
    finally:
        store.close()
    answer(options.json, rows, _shown(rows))
    return ExitCode.DONE


def _shown(rows: Sequence[ProposedRow]) -> str:
    lines = [
        (row.key, str(row.tried), str(row.proven), str(row.kept),
         row.reason or "; ".join(f"{count} {reason}" for reason, count in row.refused.items()))
        for row in rows
    ]  # fmt: skip
    text = table(("key", "tried", "proven", "kept", "reason"), lines, (1, 2, 3))
    return f"{text}\n{sum(row.kept for row in rows)} bugs in {len(rows)} subjects"
