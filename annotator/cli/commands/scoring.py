"""Score a file of responses against a suite of criteria, without a project."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import BadInputError, ExitCode, MissingEnvironmentError
from annotator.cli.parser import command

if TYPE_CHECKING:
    from annotator.cli.parser import Commands
    from annotator.criteria import CriterionDocument, Scored

METRICS = {
    "keywords": "keywords",
    "blank_filling": "blank_filling",
    "unit_test": "unit_test",
    "similarity": "similarity",
    "custom": "customized",
}


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


def _score(options: argparse.Namespace) -> int:
    documents = dict(_documents(options.cases))
    if not documents:
        raise BadInputError(f"{options.cases.name} has no eval_*.yaml, so nothing was scored.")
    lines = [_row(documents, response) for response in _responses(options.responses)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    if options.out is None:
        sys.stdout.write(text)
        return ExitCode.DONE
    try:
        options.out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise MissingEnvironmentError(f"{options.out.name} could not be written ({error.strerror}).") from error
    return ExitCode.DONE


def _documents(folder: Path) -> Iterator[tuple[str, CriterionDocument]]:
    from annotator.criteria import load

    if not folder.is_dir():
        raise BadInputError(f"There is no folder {folder.name}, so nothing was scored.")
    for path in sorted(folder.rglob("eval_*.yaml")):
        yield path.stem.removeprefix("eval_"), load(path, name=path.name)


def _responses(path: Path) -> Iterator[tuple[str, int, str]]:
    from annotator.formats.candidate import RowError
    from annotator.formats.responses import read_responses

    for row in read_responses(path):
        if isinstance(row, RowError):
            raise BadInputError(f"{row}. Nothing was scored.")
        yield row.subject, row.sample, row.text


def _row(documents: dict[str, CriterionDocument], response: tuple[str, int, str]) -> dict[str, Any]:
    from annotator.criteria import score

    case, index, text = response
    if case not in documents:
        raise BadInputError(f"The responses name a case {case} that the folder does not have. Nothing was scored.")
    result = score(documents[case], text)
    row: dict[str, Any] = {"case": case, "idx": index}
    row.update({name: _metric(result, metric) for name, metric in METRICS.items()})
    row["score"] = result.score
    row["status"] = result.status
    row["detail"] = result.reason or [
        {"rule": rule.label, "matched": rule.matched, "points": rule.points} for rule in result.rules
    ]
    return row


def _metric(result: Scored, metric: str) -> list[float] | None:
    rules = [rule for rule in result.rules if rule.metric == metric and rule.matched is not None]
    return [sum(rule.points for rule in rules), sum(rule.total for rule in rules)] if rules else None
