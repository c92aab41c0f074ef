"""JavaScript and TypeScript libraries: npm downloads them on this machine, without running their install scripts."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.programs import find_program
from annotator.sandbox.libraries import NPM, LibrarySet, library_set

_TIMEOUT_S = 600
_OPTIONS = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--legacy-peer-deps", "--loglevel=error",
           "--os=linux", "--cpu=x64", "--libc=glibc")  # fmt: skip


def find_npm_set(requirements: Sequence[str]) -> LibrarySet:
    """Resolve requirements (``npm:lodash``, ``npm:lodash==4.17.21``) to a set that includes their dependencies.

    Raises `BadInputError` if npm cannot download one or a library is needed in two versions, and
    `MissingEnvironmentError` without npm.
    """
    with tempfile.TemporaryDirectory(prefix="annotator-npm-") as place:
        problem = _install(requirements, Path(place))
        if problem:
            raise BadInputError(f"npm did not find {', '.join(requirements)[:300]}: {problem} Nothing was changed.")
        return library_set(_installed(Path(place)))


def npm_environment(libraries: LibrarySet, cache: Path) -> Path:
    """Return a folder with exactly the libraries of a set, downloaded once and then cached.

    Raises `MissingEnvironmentError` without npm or if a version is no longer available.
    """
    folder = cache / f"set-{libraries.digest}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="making-") as name:
        place = Path(name)
        problem = _install(libraries.requirements, place)
        if problem or sorted(_installed(place)) != list(libraries.requirements):
            raise MissingEnvironmentError(
                f"The libraries {', '.join(libraries.requirements)[:300]} could not be fetched. Check the connection, "
                "or whether these versions are still published."
            )
        shutil.rmtree(folder, ignore_errors=True)
        (place / "node_modules").rename(folder)
    return folder


def _install(requirements: Sequence[str], place: Path) -> str:
    """Install libraries below a folder; return npm's error message, or an empty string on success."""
    program = find_program("npm")
    if program is None:
        raise MissingEnvironmentError(
            "npm is not installed, so libraries of JavaScript cannot be fetched. Install Node.js with npm."
        )
    (place / "package.json").write_text("{}", encoding="utf-8")
    names = [item.removeprefix(NPM).replace("==", "@") for item in requirements]
    try:
        done = subprocess.run(  # noqa: S603 - a list; requirements were checked and stand behind --
            [program, "install", *_OPTIONS, "--", *names],
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_S,
            cwd=place,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}."
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    return "" if done.returncode == 0 else next((line.removeprefix("npm error ") for line in lines[1:]), "it failed.")


def _installed(place: Path) -> list[str]:
    """List what npm installed below a folder. Raises `BadInputError` if a library was installed in two versions."""
    try:
        lock = json.loads((place / "node_modules" / ".package-lock.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    requirements = []
    for path, entry in lock["packages"].items():
        _, *names = path.split("node_modules/")
        if len(names) > 1:
            raise BadInputError(f"These libraries need {names[-1]} in two versions, which a set cannot hold yet.")
        if (place / path).is_dir():
            requirements.append(f"{NPM}{names[0]}=={entry['version']}")
    return requirements
