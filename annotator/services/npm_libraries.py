"""Libraries of JavaScript and TypeScript: what npm fetches on this machine, without running any script of theirs."""

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

_SECONDS = 600
_CHOICE = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--legacy-peer-deps", "--loglevel=error",
           "--os=linux", "--cpu=x64", "--libc=glibc")  # fmt: skip


def find_npm_set(wanted: Sequence[str]) -> LibrarySet:
    """Return the set that some requirements (``npm:lodash``, ``npm:lodash==4.17.21``) make with all they need.

    Raises `BadInputError` for what npm cannot fetch or what needs one library twice, `MissingEnvironmentError` without
    npm.
    """
    with tempfile.TemporaryDirectory(prefix="annotator-npm-") as place:
        problem = _install(wanted, Path(place))
        if problem:
            raise BadInputError(f"npm did not find {', '.join(wanted)[:300]}: {problem} Nothing was changed.")
        return library_set(_installed(Path(place)))


def npm_environment(libraries: LibrarySet, cache: Path) -> Path:
    """Return a folder with just the libraries of a set, fetched once.

    Raises `MissingEnvironmentError` without npm or if a version is not to be had any more.
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


def _install(wanted: Sequence[str], place: Path) -> str:
    """Install libraries below a folder; returns what npm says where it cannot."""
    program = find_program("npm")
    if program is None:
        raise MissingEnvironmentError(
            "npm is not installed, so libraries of JavaScript cannot be fetched. Install Node.js with npm."
        )
    (place / "package.json").write_text("{}", encoding="utf-8")
    names = [item.removeprefix(NPM).replace("==", "@") for item in wanted]
    try:
        done = subprocess.run(  # noqa: S603 - a list; requirements were checked and stand behind --
            [program, "install", *_CHOICE, "--", *names],
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            cwd=place,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{type(error).__name__}."
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    return "" if done.returncode == 0 else next((line.removeprefix("npm error ") for line in lines[1:]), "it failed.")


def _installed(place: Path) -> list[str]:
    """Return what npm installed below a folder. Raises `BadInputError` where one library is there in two versions."""
    try:
        lock = json.loads((place / "node_modules" / ".package-lock.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    found = []
    for path, entry in lock["packages"].items():
        _, *names = path.split("node_modules/")
        if len(names) > 1:
            raise BadInputError(f"These libraries need {names[-1]} in two versions, which a set cannot hold yet.")
        if (place / path).is_dir():
            found.append(f"{NPM}{names[0]}=={entry['version']}")
    return found
