"""Arguments to the app or a command; everything else is imported only when it is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path

from annotator.base.resources import other_package_advice


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status (see `annotator.base.errors.ExitCode`)."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is not None and sys.stderr is not None:
        return _run(argv)
    # A shell's ``>&-``: what is written goes nowhere.
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, ExitStack() as stack:
        if sys.stdout is None:
            stack.enter_context(redirect_stdout(nowhere))
        if sys.stderr is None:
            stack.enter_context(redirect_stderr(nowhere))
        return _run(argv)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        from annotator import __version__

        sys.stdout.write(f"annotator {__version__}\n")
        return 0
    advice = other_package_advice(Path(__file__).parents[1])
    if advice:
        sys.stderr.write(f"{advice}\n")
    from annotator.cli.run import run_command_line

    return run_command_line(arguments)


if __name__ == "__main__":
    sys.exit(main())
