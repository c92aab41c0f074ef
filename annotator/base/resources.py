"""Find the files in ``resources/`` in a wheel, a checkout or a frozen bundle."""

from __future__ import annotations

import sys
from pathlib import Path

from annotator.base.errors import MissingEnvironmentError


def resource_path(*parts: str) -> Path:
    """Return the path of a file or folder under ``resources/``.

    A wheel carries the folder as ``annotator/_resources``; a checkout has it beside the package; a frozen
    bundle unpacks it below ``sys._MEIPASS``. Raises `MissingEnvironmentError` if it is in none of them.
    """
    package = Path(__file__).resolve().parent.parent
    roots = [package / "_resources", package.parent / "resources"]
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        roots.insert(0, Path(bundle) / "resources")
    for root in roots:
        candidate = root.joinpath(*parts)
        if candidate.exists():
            return candidate
    raise MissingEnvironmentError(
        f"The file {'/'.join(parts)} that belongs to this installation is missing. Install annotator again."
    )
