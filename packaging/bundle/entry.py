"""Where the bundle starts: the program itself, or one of its worker processes."""

import multiprocessing
import sys

from annotator.__main__ import main, open_streams

# The window of Windows has no terminal, and so no streams.
open_streams()

if __name__ == "__main__":
    # A worker of a frozen program is the program started again with arguments of multiprocessing's own.
    multiprocessing.freeze_support()
    sys.exit(main())
