"""Save pasted text as a file, so that it can be imported like any other file."""

from __future__ import annotations

from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError


def save_pasted_text(text: str, folder: Path) -> Path:
    """Write a pasted table, JSON lines or JSON array into a folder and return the file.

    Raises `BadInputError` for empty text, and `MissingEnvironmentError` if the file cannot be written.
    """
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if not start:
        raise BadInputError(
            "The clipboard contains no text. Copy the rows of a table with its header row, and paste them."
        )
    ending = {"{": "jsonl", "[": "json"}.get(start, "csv")
    path = folder / f"clipboard.{ending}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\ufeff"), "utf-8", newline="")
    except (OSError, UnicodeEncodeError) as error:
        raise MissingEnvironmentError(f"The pasted text could not be saved ({error}). Save it as a file.") from error
    return path
