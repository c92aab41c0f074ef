"""Check what works on this machine."""

from typing import Annotated

from annotator.base.addresses import Place
from annotator.base.errors import ExitCode
from annotator.cli.command import HIDDEN, Option, command
from annotator.cli.commands.program.window import describe_window
from annotator.cli.output import CommandAnswer, paint_finding, text_table, write_error
from annotator.services.program.doctor import run_checks


@command("doctor", "annotator doctor --json")
def examine_machine(
    *,
    project: Annotated[Place | None, Option("P", "also check this project")] = None,
    # Used by the doctor's own window check, which runs in a subprocess because a broken toolkit may abort it.
    window_only: Annotated[bool, Option(help=HIDDEN)] = False,
) -> CommandAnswer:
    """Check what works on this machine."""
    if window_only:
        return CommandAnswer(describe_window())
    findings = run_checks(project)
    rows = [(item.ok, item.name, item.detail) for item in findings]
    needed = [item for item in findings if item.needed and not item.ok]
    if needed:
        write_error(f"{needed[0].name} does not work here, but Annotator requires it.")
    return CommandAnswer(
        {"checks": findings},
        text_table(("works", "what", "detail"), rows),
        ExitCode.ENVIRONMENT if needed else ExitCode.DONE,
        paint=paint_finding,
    )
