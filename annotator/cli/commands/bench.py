"""The performance goals, measured on this machine."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from annotator.base.errors import ExitCode, MissingEnvironmentError, UsageError
from annotator.cli.output import answer, table
from annotator.cli.parser import command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands

GROUPS = (
    "start", "store", "window", "text", "criteria", "results", "mining", "dump", "sandbox", "generation",
)  # fmt: skip
_LEAST = 1_000


def add(commands: Commands) -> None:
    """Add bench."""
    parser = command(
        commands,
        "bench",
        "measure the program against its performance goals on this machine",
        "annotator bench store --subjects 100000 --json",
        _bench,
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; default: all")
    parser.add_argument(
        "--subjects", type=int, default=100_000, metavar="N", help="the size of the project measured on (100000)"
    )


def _bench(options: argparse.Namespace) -> int:
    unknown = [name for name in options.groups if name not in GROUPS]
    if unknown:
        raise UsageError(f"There is no group {unknown[0]}; there are: {', '.join(GROUPS)}.")
    if options.subjects < _LEAST:
        raise UsageError(f"Measure on at least {_LEAST:,} subjects.")
    sys.stderr.write("This takes some minutes; leave the machine alone meanwhile.\n")
    # A program of its own, so that nothing this command has imported is measured along.
    words = [sys.executable, "-m", "annotator.bench", *options.groups, "--subjects", str(options.subjects)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise MissingEnvironmentError("The measurements could not be started.", details=(done.stderr[-500:],))
    found = json.loads(done.stdout.splitlines()[-1])
    lines = [_line(figure) for figure in found["figures"]]
    text = (
        table(("goal of", "what", "measured", "floor or peer", "ratio", "goal", "here"), lines, (2, 4)) if lines else ""
    )
    text += "".join(f"\n{group} could not be measured: {reason}" for group, reason in found["failed"].items())
    answer(options.json, found, text)
    return ExitCode.DONE if not found["failed"] else ExitCode.ENVIRONMENT


def _line(figure: dict[str, Any]) -> tuple[str, ...]:
    floor = f"{_number(figure['floor'])} {figure['unit']}, {figure['floor_name']}" if figure["floor"] else ""
    ratio = f"{figure['ratio']:.2f}" if figure["ratio"] else ""
    here = {True: "met", False: "missed", None: ""}[figure["met"]]
    value = f"{_number(figure['value'])} {figure['unit']}"
    return (figure["row"], figure["what"], value, floor, ratio, figure["goal"], here)


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
