"""Choose a benchmark out of mined functions by targets."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from annotator.base.errors import ExitCode, UsageError
from annotator.cli.output import answer, table
from annotator.cli.parser import add_project, command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands


def add_subset(group: Commands) -> None:
    """Add ``mine subset`` to the commands of ``mine``."""
    parser = command(
        group,
        "subset",
        "choose a benchmark out of mined functions: size, standalone share, dependencies, domains",
        "annotator mine subset p.annotator --size 275 --domains network=0.4,system=0.6 --accept",
        _subset,
    )
    add_project(parser)
    parser.add_argument("--size", type=int, required=True, metavar="N", help="how many functions")
    parser.add_argument("--standalone", type=float, default=0.27, metavar="S", help="share without dependencies: 0.27")
    parser.add_argument("--dependencies", type=float, default=3.2, metavar="M", help="mean of the dependencies: 3.2")
    parser.add_argument("--domains", default="", metavar="D=S,D=S", help="shares that sum to 1 (default: as they come)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws the same choice everywhere; default: 0")
    parser.add_argument("--accept", action="store_true", help="accept what is chosen, as one act that can be undone")


def _shares(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, sign, share = part.rpartition("=")
        try:
            found[name.strip()] = float(share)
        except ValueError:
            sign = ""
        if not sign:
            raise UsageError(f"--domains wants names with shares such as network=0.4, not {part}.")
    return found


def _subset(options: argparse.Namespace) -> int:
    from annotator.services import projects, subset

    targets = subset.Targets(options.size, options.standalone, options.dependencies, _shares(options.domains))
    store = projects.open_project(options.project, annotator=options.annotator)
    try:
        chosen = subset.propose(store, targets, options.seed)
        changes = subset.accept(store, chosen) if options.accept else None
    finally:
        store.close()
    lines = [(row.name, f"{row.wanted:.4g}", f"{row.got:.4g}", f"{row.available:.4g}") for row in chosen.reached]
    text = table(("target", "wanted", "reached", "of all there are"), lines, right=(1, 2, 3))
    if changes is not None:
        text += f"\n\n{changes.label}."
    row = {"chosen": chosen.keys, "reached": chosen.reached, "change": changes.change_id if changes else None}
    answer(options.json, row, text)
    return ExitCode.DONE
