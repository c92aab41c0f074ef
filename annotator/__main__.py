"""Arguments to the app or a command; everything else is imported only when it is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from annotator.base.other_package import other_package


def open_streams() -> None:
    """Let what is written go nowhere where there is no stream: a window without a terminal, ``>&-`` of a shell."""
    # Open as long as the program.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status (see `annotator.base.errors.ExitCode`)."""
    open_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]):
        from annotator import __version__

        sys.stdout.write(f"annotator {__version__}\n")
        return 0
    advice = other_package(Path(__file__).parents[1])
    if advice:
        sys.stderr.write(f"{advice}\n")
    from annotator.cli.run import run

    return run(given)


if __name__ == "__main__":
    sys.exit(main())
