"""Give a command its standard input as a file, where ``-`` stands for one."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotator.base.errors import MissingEnvironmentError

_STANDARD_INPUT = Path("-")


@contextmanager
def input_as_file(value: object, suffix: str) -> Iterator[object]:
    """Give an argument that is a path or a tuple of paths, in which ``-`` is a file of what standard input has.

    The file is called ``stdin`` and ends in ``suffix``; it is gone after the block.
    """
    wanted = value if isinstance(value, tuple) else (value,)
    if _STANDARD_INPUT not in wanted:
        yield value
        return
    with tempfile.TemporaryDirectory(prefix="annotator-") as folder:
        copy = Path(folder) / f"stdin{suffix}"
        try:
            with copy.open("wb") as stream:
                shutil.copyfileobj(sys.stdin.buffer, stream)
        except OSError as error:
            why = error.strerror or str(error)
            raise MissingEnvironmentError(f"Standard input could not be kept ({why}). Nothing was changed.") from error
        found = tuple(copy if path == _STANDARD_INPUT else path for path in wanted)
        yield found if isinstance(value, tuple) else found[0]
