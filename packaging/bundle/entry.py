"""Where the bundle starts: the program itself, or one of its worker processes."""

import multiprocessing
import os
import sys

# The window of Windows has no terminal, and so no streams; what is written to them goes nowhere there.
if sys.stdout is None:
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the program
if sys.stderr is None:
    sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - open as long as the program

from annotator.__main__ import main

if __name__ == "__main__":
    # A worker of a frozen program is the program started again with arguments of multiprocessing's own.
    multiprocessing.freeze_support()
    sys.exit(main())
