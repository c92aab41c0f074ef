"""Replace ``-`` in a command's arguments by standard input: as a file, or as the subjects its lines name."""

import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError

_STANDARD_INPUT = Path("-")


@contextmanager
def input_as_file(value: object, suffix: str) -> Iterator[object]:
    """Yield a path or a tuple of paths with ``-`` replaced by a temporary copy of standard input.

    The copy is named ``stdin`` plus ``suffix`` and is deleted after the block.
    """
    arguments = value if isinstance(value, tuple) else (value,)
    if _STANDARD_INPUT not in arguments:
        yield value
        return
    with tempfile.TemporaryDirectory(prefix="annotator-") as folder:
        copy = Path(folder) / f"stdin{suffix}"
        try:
            with copy.open("wb") as stream:
                shutil.copyfileobj(sys.stdin.buffer, stream)
        except OSError as error:
            reason = error.strerror or str(error)
            raise MissingEnvironmentError(
                f"Standard input could not be stored ({reason}). Nothing was changed."
            ) from error
        paths = tuple(copy if path == _STANDARD_INPUT else path for path in arguments)
        yield paths if isinstance(value, tuple) else paths[0]


def with_subjects(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return subject names with ``-`` replaced by those on standard input: per line, a name or a JSON row with a key.

    Raises `BadInputError` for malformed lines, or if there are none.
    """
    if "-" not in names:
        return names
    try:
        lines = [line.strip() for line in sys.stdin.buffer.read().decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise BadInputError("Standard input is not text in UTF-8, so no subject was read from it.") from error
    input_names = tuple(_subject_of(number, line) for number, line in enumerate(lines, start=1))
    if not input_names:
        raise BadInputError("Standard input names no subject. Write one per line, or pipe rows of list --jsonl.")
    return tuple(item for name in names for item in (input_names if name == "-" else (name,)))


def _subject_of(number: int, line: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"Line {number} of standard input starts like JSON but is not valid JSON.") from error
    key = row.get("key") or row.get("id")
    if not isinstance(key, str):
        raise BadInputError(f"Line {number} of standard input has neither a key nor an id of a subject.")
    return key
