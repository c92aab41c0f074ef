"""Score a file of responses against a suite of criteria, without a project."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from annotator.base.errors import ExitCode, MissingEnvironmentError, UsageError
from annotator.cli.parser import command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands


def add_score(criterion: Commands) -> None:
    """Add ``criterion score``."""
    parser = command(
        criterion,
        "score",
        "score responses against a folder of criteria",
        "annotator criterion score --cases suite --responses answers.jsonl --out scores.jsonl",
        _score,
    )
    parser.add_argument("--cases", type=Path, required=True, metavar="DIR", help="the folder with eval_*.yaml")
    parser.add_argument("--responses", type=Path, required=True, metavar="F", help="JSON lines: case, idx, response")
    parser.add_argument("--out", type=Path, metavar="G", help="where the scores go; default: stdout")
    parser.add_argument(
        "--metrics", default="", metavar="M,M", help="only these: keywords, blank_filling, unit_test ..."
    )
    parser.add_argument(
        "--jobs", type=int, default=0, metavar="N", help="how many at a time (default: one per processor)"
    )
    parser.add_argument(
        "--compat",
        action="store_true",
        help="drop a case with a response that cannot be scored, as published graders do",
    )
    parser.add_argument(
        "--allow-local", action="store_true", help="without Docker and bubblewrap, run without isolation"
    )


def _score(options: argparse.Namespace) -> int:
    from annotator.services.batch_scoring import COLUMNS, BatchOptions, score_suite

    only = tuple(name for name in options.metrics.split(",") if name.strip())
    unknown = [name for name in only if name not in COLUMNS]
    if unknown:
        raise UsageError(f"There is no metric {unknown[0]}. There are: {', '.join(COLUMNS)}.")
    if not 0 <= options.jobs <= 256:
        raise UsageError("--jobs must be between 1 and 256.")
    wanted = BatchOptions(only, options.jobs, options.compat, options.allow_local)
    unscored = 0
    reason = ""
    with _output(options.out) as out:
        for row in score_suite(options.cases, options.responses, wanted):
            if row["status"] != "scored":
                unscored += 1
                reason = reason or str(row["detail"])
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    if unscored:
        sys.stderr.write(f"{unscored} responses could not be scored. The first: {reason}\n")
    return ExitCode.DONE


@contextmanager
def _output(path: Path | None) -> Iterator[IO[str]]:
    """Give stdout, or a file that gets its name when everything is in it."""
    if path is None:
        yield sys.stdout
        return
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        part.replace(path)
    except OSError as error:
        raise MissingEnvironmentError(f"{path.name} could not be written ({error.strerror}).") from error
    finally:
        part.unlink(missing_ok=True)
