"""Find the parts of this installation: its resources, its programs, and another package of the same name."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
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


def find_program(name: str) -> str | None:
    """Return the path of a program, or None; this installation's own programs come before the search path."""
    # A frozen bundle keeps programs among its own files, a virtual environment in its scripts folder.
    folders = (getattr(sys, "_MEIPASS", ""), sysconfig.get_path("scripts"))
    return shutil.which(name, path=os.pathsep.join(folder for folder in folders if folder)) or shutil.which(name)


ADVICE = (
    "Another package named annotator is installed beside this one, and both write the module annotator. "
    "Run: pip uninstall annotator, and then: pip install --force-reinstall benchmark-annotator."
)


def other_package_advice(site_packages: Path) -> str:
    """Return advice if a package named annotator is installed in a site-packages folder, else an empty text.

    Ours is named benchmark-annotator. Its early versions were named annotator and are reported as well.
    """
    is_installed = any(site_packages.glob("annotator-*.dist-info")) or any(site_packages.glob("annotator-*.egg-info"))
    return ADVICE if is_installed else ""
