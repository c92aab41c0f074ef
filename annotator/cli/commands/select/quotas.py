"""Show and set the quotas: how many subjects of each kind a project needs."""

from pathlib import Path
from typing import Annotated

from annotator.base.errors import UsageError
from annotator.cli.command import OneOf, Option, Texts, command
from annotator.cli.open_project import Project
from annotator.cli.output import CommandAnswer, read_json, text_table
from annotator.mining.quota_plan import parse_quotas
from annotator.services.select import quotas
from annotator.store.file.project_file import ProjectFile

_QUOTA_SOURCE = OneOf(required=True)


@command("quotas show", "annotator quotas show p.annotator --json")
def show_quotas(store: Project) -> CommandAnswer:
    """Show the progress of the quotas."""
    return _describe_progress(store)


@command(
    "quotas set", "annotator quotas set p.annotator --quota language=python,difficulty=hard:20 --quota language=go:10"
)
def set_quotas(
    store: Project,
    *,
    quota: Annotated[
        Texts,
        Option(
            "K=V,K=V:N",
            "N subjects with these values of area, language, task, domain, difficulty; may be repeated",
            among=_QUOTA_SOURCE,
        ),
    ] = (),
    file: Annotated[
        Path | None,
        Option("F.json", 'a list of quotas like {"language": "go", "wanted": 10}', among=_QUOTA_SOURCE),
    ] = None,
    none: Annotated[bool, Option(help="clear all quotas", among=_QUOTA_SOURCE)] = False,
) -> CommandAnswer:
    """Set the quotas of a project."""
    rows = [] if none else read_json(file) if file else [parse_quota(text) for text in quota]
    quotas.save_quotas(store, parse_quotas(rows))
    return _describe_progress(store)


def parse_quota(text: str) -> dict[str, object]:
    """Parse a quota such as "language=python,difficulty=hard:20". Raises `UsageError` if it is malformed."""
    conditions, _, number = text.rpartition(":")
    if not number.strip().isdecimal():
        raise UsageError(f"{text} does not end with a colon and a number, such as language=python:20.")
    row: dict[str, object] = {"wanted": int(number)}
    for part in filter(None, conditions.split(",")):
        name, sign, value = part.partition("=")
        if not sign or name.strip() in row:
            raise UsageError(f"{text}: each condition must be name=value, such as language=python.")
        row[name.strip()] = value.strip()
    return row


def _describe_progress(store: ProjectFile) -> CommandAnswer:
    rows = quotas.quota_progress(store)
    missing = [max(0, row.target - row.filled) for row in rows]
    lines = [(row.label, row.filled, row.target, count, row.open) for row, count in zip(rows, missing, strict=True)]
    total = ("all", sum(row.filled for row in rows), sum(row.target for row in rows), sum(missing), "")
    text = text_table(("quota", "filled", "target", "missing", "open"), [*lines, total])
    data = [{**dict(row.values), "wanted": row.target, "filled": row.filled, "open": row.open} for row in rows]
    return CommandAnswer(data, text if rows else "No quotas are set. annotator quotas set --help shows how.")
