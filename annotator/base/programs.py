"""Find the programs that are installed together with this one, such as ruff and uv."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig


def find_program(name: str) -> str | None:
    """Return the path of a program, or None; this installation's own programs come before the search path."""
    # A frozen bundle keeps programs among its own files, a virtual environment in its scripts folder.
    folders = (getattr(sys, "_MEIPASS", ""), sysconfig.get_path("scripts"))
    return shutil.which(name, path=os.pathsep.join(folder for folder in folders if folder)) or shutil.which(name)
