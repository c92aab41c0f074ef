"""Write what a bundle is made of: a bill of materials (CycloneDX), and the licences of all packages as one text.

notices.py PYTHON FOLDER: PYTHON is that of the environment the bundle is frozen from. The environment that runs this
has the packages of requirements-notices.lock.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r'__version__ = "([^"]+)"', (ROOT / "annotator" / "__init__.py").read_text("utf-8"))[1]
LICENCES = Path(__file__).parent / "licences"
HEAD = """Annotator is free software under the Apache License 2.0; see LICENSE.

It contains the packages below under their own licences. Where a package names several licences, it is used under the
first. PySide6 and Qt are used under the LGPL 3.0, whose text ends this file, with the GPL 3.0 it refers to: their
libraries are separate files, and you may exchange them. Packages whose entry has no text have the licence they name.
The program was frozen with PyInstaller, whose start code may be used under any licence.
"""


def write_notices(python: str, folder: Path) -> None:
    """Write ``annotator.cdx.json`` and ``NOTICES.txt``."""
    folder.mkdir(parents=True, exist_ok=True)
    project = str(ROOT / "pyproject.toml")
    _run(
        "cyclonedx_py", "environment", "--output-reproducible", "--pyproject", project, "--output-file",
        str(folder / "annotator.cdx.json"), python,
    )  # fmt: skip
    materials = json.loads((folder / "annotator.cdx.json").read_text("utf-8"))
    # The version is not in pyproject.toml, where the tool looks for it.
    materials["metadata"]["component"]["version"] = VERSION
    (folder / "annotator.cdx.json").write_text(json.dumps(materials, indent=2) + "\n", "utf-8")
    packages = _run(
        "piplicenses", "--python", python, "--format", "plain-vertical", "--with-urls", "--with-license-file",
        "--no-license-path", "--with-notice-file", "--ignore-packages", "benchmark-annotator",
    )  # fmt: skip
    parts = [HEAD, packages, *(path.read_text("utf-8") for path in sorted(LICENCES.glob("*.txt"), reverse=True))]
    (folder / "NOTICES.txt").write_text(f"\n\n{'-' * 80}\n\n".join(parts), "utf-8")


def _run(module: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"The packages of the bundle could not be listed: {done.stderr.strip()[-500:]}")
    return done.stdout


if __name__ == "__main__":
    write_notices(sys.argv[1], Path(sys.argv[2]))
