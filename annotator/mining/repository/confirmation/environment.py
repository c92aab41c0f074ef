"""Find the libraries that a repository requires, and install them with uv for use in the sandbox.

Only wheels are installed: building a source distribution would run its code here.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidName, canonicalize_name
from packaging.version import InvalidVersion, Version

from annotator.base.clock import now_text
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.resources import find_program
from annotator.mining.repository.confirmation.setup_file import groups_of_setup
from annotator.mining.repository.discovery.modules import ParsedProject
from annotator.mining.repository.discovery.repository_facts import (
    read_package_metadata,
    read_project_table,
    read_pyproject,
    read_setup_cfg,
)
from annotator.mining.repository.discovery.tree import UnreadableError, read_bytes
from annotator.mining.repository.rows import MinedSubject
from annotator.sandbox.libraries import PLATFORM, PYTHON, LibrarySet, library_set
from annotator.text.python_tree import imported_modules, tree_or_empty

UV_TIMEOUT_S = 600.0
EARLIEST_DAY = "2022-12-01"
"""The day by which most libraries had a wheel for Python 3.11, the sandbox's version."""
_MAX_FILE_BYTES = 512 * 1024
_TEST_GROUPS = {"test", "tests", "testing", "dev", "develop", "all"}
_TEST_LIBRARIES = {
    "hypothesis": "hypothesis", "pytest_mock": "pytest-mock", "parameterized": "parameterized", "mock": "mock",
    "freezegun": "freezegun", "ddt": "ddt", "pytest_asyncio": "pytest-asyncio", "six": "six", "pytz": "pytz",
    "pytest_lazyfixture": "pytest-lazy-fixture", "dateutil": "python-dateutil", "responses": "responses",
    "simplejson": "simplejson", "requests": "requests", "numpy": "numpy", "yaml": "pyyaml", "attr": "attrs",
    "pyquery": "pyquery", "flask": "flask", "lxml": "lxml", "html5lib": "html5lib", "ephemeral_port_reserve":
    "ephemeral-port-reserve", "watchdog": "watchdog", "cryptography": "cryptography",
}  # fmt: skip
_FIXTURE_LIBRARIES = {
    "mocker": "pytest-mock",
    "httpserver": "pytest-httpserver",
    "snapshot": "syrupy",
    "xprocess": "pytest-xprocess",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A folder of installed libraries; ``missing`` are requirements that no wheel was found for.

    ``searched`` is the day of the search (empty if unknown). Wheels published up to the day ``until`` were preferred
    (empty for no preference).
    """

    folder: Path
    requirements: tuple[str, ...]
    missing: tuple[str, ...]
    until: str = ""
    searched: str = ""

    @property
    def missing_text(self) -> str:
        """A message about the missing requirements: what was searched, and when; empty if nothing is missing."""
        if not self.missing:
            return ""
        until = f"published until {self.until} or later" if self.until else "of any date"
        day = f", searched on {self.searched}" if self.searched else ""
        return f"no wheel for Python {PYTHON} ({PLATFORM}), {until}, was found for {', '.join(self.missing)}{day}"

    @property
    def libraries(self) -> LibrarySet:
        """The installed libraries, with exact versions."""
        distributions = importlib.metadata.distributions(path=[str(self.folder)])
        return library_set(f"{item.name}=={item.version}" for item in distributions)


def requirements_of(root: Path, project: ParsedProject) -> tuple[str, ...]:
    """Return the requirements of a repository and its tests: metadata, requirement files, imported testing tools."""
    lines_by_name: dict[str, str] = {}
    setup = groups_of_setup(project)
    setup_lines = [text for name, texts in setup.items() if name in ("", *_TEST_GROUPS) for text in texts]
    for text in (
        *_read_pyproject_requirements(root),
        *_read_setup_cfg_requirements(root),
        *setup_lines,
        *_read_metadata_requirements(root),
        *_read_requirements_files(root),
    ):
        name, line = _parse_requirement(text)
        if name and name not in lines_by_name:
            lines_by_name[name] = line
    own_modules = {name for module in project.modules for name in (part.partition(".")[0] for part in module.names)}
    test_imports = set().union(*(imported_modules(module.tree) for module in project.modules if module.is_test))
    for text in (*_optional_requirements(root), *(text for texts in setup.values() for text in texts)):
        name, line = _parse_requirement(text)
        if name.replace("-", "_") in test_imports - own_modules:
            lines_by_name.setdefault(name, line)
    for name in sorted(test_imports - own_modules):
        if name in _TEST_LIBRARIES:
            lines_by_name.setdefault(_TEST_LIBRARIES[name], _TEST_LIBRARIES[name])
    for fixture in sorted(_test_parameters(project) & _FIXTURE_LIBRARIES.keys()):
        lines_by_name.setdefault(_FIXTURE_LIBRARIES[fixture], _FIXTURE_LIBRARIES[fixture])
    lines_by_name.setdefault("pytest", "pytest>=7,<9")
    return tuple(lines_by_name[name] for name in sorted(lines_by_name))


def _parse_requirement(text: str) -> tuple[str, str]:
    """Return a requirement's name and line, both empty if it is invalid or not for this platform."""
    try:
        requirement = Requirement(text.split(" #")[0].strip())
    except InvalidRequirement:
        return "", ""
    environment = {"python_version": PYTHON, "python_full_version": f"{PYTHON}.2", "sys_platform": "linux",
                   "platform_system": "Linux", "os_name": "posix", "extra": "",
                   "platform_python_implementation": "CPython", "implementation_name": "cpython"}  # fmt: skip
    # A requirement with an address may lead anywhere, even to files of this machine.
    if requirement.url or (requirement.marker is not None and not requirement.marker.evaluate(environment)):
        return "", ""
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return canonicalize_name(requirement.name), f"{requirement.name}{extras}{requirement.specifier}"


def check_requirement(text: str) -> str:
    """Return a requirement in the form for uv. Raises `BadInputError` if it is invalid or names an address."""
    _, line = _parse_requirement(text)
    if not line:
        raise BadInputError(f"{text.strip()[:100]} is not a library, such as rsa or rsa==4.9.")
    return line


def _text_items(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _read_pyproject_requirements(root: Path) -> list[str]:
    project = read_project_table(root)
    dependencies = project.get("dependencies")
    lines = _text_items(dependencies)
    if isinstance(dependencies, dict):
        lines += [_convert_poetry_requirement(name, value) for name, value in dependencies.items() if name != "python"]
    for groups in (project.get("optional-dependencies"), read_pyproject(root).get("dependency-groups")):
        for name, group in groups.items() if isinstance(groups, dict) else ():
            lines += _text_items(group) if name.lower() in _TEST_GROUPS else []
    return lines


def _optional_requirements(root: Path) -> list[str]:
    """Return the requirements of all optional groups in a repository's metadata, without their conditions."""
    optional = read_project_table(root).get("optional-dependencies")
    groups = optional.values() if isinstance(optional, dict) else ()
    extra_lines = [line for line in _read_metadata_requirements(root) if "extra ==" in line]
    return [
        text.partition(";")[0] for text in (*(text for group in groups for text in _text_items(group)), *extra_lines)
    ]


def _convert_poetry_requirement(name: str, value: Any) -> str:
    version = value.get("version") if isinstance(value, dict) else value
    if isinstance(value, dict) and value.get("optional"):
        return ""
    if not isinstance(version, str):
        return name
    if version.startswith("^"):
        major = version[1:].partition(".")[0]
        is_plain = major.isdecimal() and version[1:].replace(".", "").isdecimal()
        return f"{name}>={version[1:]},<{int(major) + 1}" if is_plain else name
    return f"{name}{version}" if version.startswith(("<", ">", "=", "!")) else name


def _read_setup_cfg_requirements(root: Path) -> list[str]:
    options = read_setup_cfg(root)
    lines = options.get("options", "install_requires", fallback="").splitlines()
    if options.has_section("options.extras_require"):
        for name, text in options.items("options.extras_require"):
            lines += text.splitlines() if name in _TEST_GROUPS else []
    return lines


def _read_metadata_requirements(root: Path) -> list[str]:
    return read_package_metadata(root).get_all("Requires-Dist", [])


def _read_requirements_files(root: Path) -> list[str]:
    lines: list[str] = []
    for folder in ("", "requirements", "tests", "test"):
        directory = root / folder
        if not directory.is_dir() or directory.is_symlink():
            continue
        for path in sorted(directory.iterdir()):
            words = set(path.stem.lower().replace("-", "_").split("_")) | ({folder} & {"requirements"})
            if path.suffix == ".txt" and "requirements" in words and words <= {"requirements", *_TEST_GROUPS}:
                try:
                    lines += read_bytes(directory, path.name, _MAX_FILE_BYTES).decode("utf-8", "replace").splitlines()
                except UnreadableError:
                    continue
    return [line for line in lines if not line.lstrip().startswith(("-", "#"))]


def _test_parameters(project: ParsedProject) -> set[str]:
    return {
        item.arg
        for module in project.modules
        if module.is_test
        for info in module.functions.values()
        for item in info.node.args.args
    }


def own_metadata(root: Path) -> dict[str, bytes]:
    """Return metadata files that make the repository look installed, for code that looks up its own version."""
    project, fields = read_project_table(root), read_package_metadata(root)
    name, version = fields.get("Name", project.get("name")), fields.get("Version", project.get("version"))
    name = name.strip() if isinstance(name, str) else ""
    try:
        folder_name = canonicalize_name(name, validate=True).replace("-", "_")
    except InvalidName:
        return {}
    try:
        version = str(Version(str(version)))
    except InvalidVersion:
        version = "0"
    folder = f"{folder_name}-{version}.dist-info"
    return {f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()}


# -- installing -------------------------------------------------------------------------------------------------------


def make_environment(requirements: Iterable[str], cache: Path, until: str = "") -> Environment:
    """Fetch libraries into a folder of the cache, once per set of requirements and day.

    With ``until`` (YYYY-MM-DD) they are the newest versions of that day, unless only later ones run on this Python. A
    requirement without a suitable wheel is left out and listed in ``missing``. Raises `MissingEnvironmentError` without
    uv, if the index cannot be reached, or if not even pytest can be installed.
    """
    requested = tuple(requirements)
    until = until and max(until, EARLIEST_DAY)
    digest = hashlib.sha256("\n".join((PYTHON, PLATFORM, until, *requested)).encode()).hexdigest()[:24]
    folder, note = cache / digest, cache / f"{digest}.note"
    if folder.is_dir() and note.is_file():
        stored = json.loads(note.read_text(encoding="utf-8"))
        missing, searched = tuple(stored["missing"]), stored["searched"]
        return Environment(folder=folder, requirements=requested, missing=missing, until=until, searched=searched)
    program = uv_program()
    cache.mkdir(parents=True, exist_ok=True)
    days = [("--exclude-newer", until), ()] if until else [()]
    with tempfile.TemporaryDirectory(dir=cache, prefix="making-") as temporary:
        install_folder = Path(temporary) / "made"
        installed = _install_most(program, requested, install_folder, days)
        shutil.rmtree(folder, ignore_errors=True)
        install_folder.rename(folder)
    missing = tuple(item for item in requested if item not in installed)
    searched = now_text()[:10]
    note.write_text(json.dumps({"missing": missing, "searched": searched}), encoding="utf-8")
    return Environment(folder=folder, requirements=requested, missing=missing, until=until, searched=searched)


def _install_most(
    program: str, requested: Sequence[str], install_folder: Path, days: Sequence[tuple[str, ...]]
) -> Sequence[str]:
    """Install the requirements, or as many as possible; ``days`` are the uv options to try, the preferred first.

    Returns the installed ones. Raises `MissingEnvironmentError` if not even pytest can be installed.
    """
    for day in days:
        if _reinstall(program, requested, install_folder, day):
            return requested
    installable = [([item for item in requested if _resolves(program, item, *day)], day) for day in days]
    best, day = max(installable, key=lambda item: len(item[0]))
    if _reinstall(program, best, install_folder, day):
        return best
    if _reinstall(program, ["pytest>=7,<9"], install_folder, ()):
        return [item for item in requested if item.startswith("pytest")]
    raise MissingEnvironmentError("The repository's libraries could not be fetched, not even pytest.")


def _reinstall(program: str, requested: Iterable[str], install_folder: Path, day: tuple[str, ...]) -> bool:
    shutil.rmtree(install_folder, ignore_errors=True)
    return install_libraries(program, requested, install_folder, *day)


def exact_environment(libraries: LibrarySet, cache: Path) -> Path:
    """Return a folder with exactly the libraries of a set, fetched once.

    Raises `MissingEnvironmentError` without uv or if a version is no longer available.
    """
    folder = cache / f"set-{libraries.digest}"
    if folder.is_dir():
        return folder
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="making-") as temporary:
        install_folder = Path(temporary) / "made"
        # A set is complete: a dependency that it does not list was not installed when the item was proven.
        if not install_libraries(uv_program(), libraries.requirements, install_folder, "--no-deps"):
            raise MissingEnvironmentError(
                f"The libraries {', '.join(libraries.requirements)[:300]} could not be fetched. Check the connection, "
                "or whether these versions are still published."
            )
        shutil.rmtree(folder, ignore_errors=True)
        install_folder.rename(folder)
    return folder


def wheel_folder(requirement: str, until: str, cache: Path) -> tuple[Path, str] | None:
    """Return a folder with one unpacked wheel, fetched once, and its ``name==version``.

    With ``until`` (YYYY-MM-DD) it is the newest one published up to that day. None if the index has no suitable wheel.
    Raises `MissingEnvironmentError` without uv.
    """
    _, line = _parse_requirement(requirement)
    if not line:
        return None
    digest = hashlib.sha256("\n".join((PYTHON, PLATFORM, line, until)).encode()).hexdigest()[:24]
    folder = cache / f"wheel-{digest}"
    if not folder.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="making-") as temporary:
            install_folder = Path(temporary) / "made"
            day = ("--exclude-newer", until) if until else ()
            if not install_libraries(uv_program(), [line], install_folder, "--no-deps", *day):
                return None
            install_folder.rename(folder)
    names = [f"{item.name}=={item.version}" for item in importlib.metadata.distributions(path=[str(folder)])]
    return (folder, names[0]) if names else None


def uv_program() -> str:
    """Return the path of uv. Raises `MissingEnvironmentError` without it."""
    program = find_program("uv")
    if program is None:
        raise MissingEnvironmentError(
            "uv is not installed, so the repository's libraries cannot be fetched. Install annotator again, or uv."
        )
    return program


def install_libraries(program: str, requirements: Iterable[str], target: Path, *options: str) -> bool:
    """Install libraries into a folder; return whether that succeeded for all."""
    target_options = ("--target", str(target), "--link-mode", "copy")
    return run_uv(program, "pip", "install", *target_options, *_INSTALL_OPTIONS, *options, "--", *requirements)


def _resolves(program: str, requirement: str, *options: str) -> bool:
    with tempfile.TemporaryDirectory() as target:
        return run_uv(
            program, "pip", "install", "--dry-run", "--target", target, *_INSTALL_OPTIONS, *options, "--", requirement
        )


_INSTALL_OPTIONS = (
    "--only-binary",
    ":all:",
    "--python-version",
    PYTHON,
    "--python-platform",
    PLATFORM,
    "--quiet",
    "--no-config",
)


_UNREACHABLE = ("error sending request", "operation timed out", "Connection reset", "HTTP status server error")
"""Parts of uv's messages about a failed connection or server; a missing file on the index has none of them."""


def run_uv(program: str, *arguments: str) -> bool:
    """Run uv in an empty folder; return whether it succeeded.

    Raises `MissingEnvironmentError` if it could not reach the index, as the failure then says nothing about wheels.
    """
    with tempfile.TemporaryDirectory() as temporary:
        try:
            process = subprocess.run(  # noqa: S603 - no shell; requirements are parsed and follow --
                [program, *arguments],
                capture_output=True,
                check=False,
                timeout=UV_TIMEOUT_S,
                cwd=temporary,
                env=dict(os.environ),
                stdin=subprocess.DEVNULL,
            )
        except OSError:
            return False
        except subprocess.TimeoutExpired as error:
            raise MissingEnvironmentError(f"Fetching libraries took more than {UV_TIMEOUT_S:.0f} seconds.") from error
    report = process.stderr.decode("utf-8", "replace")
    if process.returncode and any(words in report for words in _UNREACHABLE):
        raise MissingEnvironmentError("The package index could not be reached, so no libraries were searched.")
    return process.returncode == 0


_PROVIDED_MODULES = frozenset({"pytest", "_pytest"})
_PLUGIN_FIXTURES = frozenset({"mocker", "httpserver", "snapshot", "freezer", "requests_mock", "faker", "benchmark"})
"""Fixtures of pytest plugins, which a test uses by a parameter without an import."""


def imported_top_level(code: str) -> frozenset[str]:
    """Return the top-level modules that code imports; none if it does not parse."""
    return frozenset(imported_modules(tree_or_empty(code)))


def needs_libraries(row: MinedSubject) -> bool:
    """Return whether a row's context or standalone tests need more than the standard library and pytest."""
    for code in (row.context, *(test.code for test in row.tests)):
        if imported_top_level(code) - sys.stdlib_module_names - _PROVIDED_MODULES or _uses_plugin(code):
            return True
    return False


def _uses_plugin(code: str) -> bool:
    if not any(name in code for name in _PLUGIN_FIXTURES):
        return False
    nodes = ast.walk(tree_or_empty(code))
    functions = (node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return any(item.arg in _PLUGIN_FIXTURES for node in functions for item in node.args.args)


def with_libraries(rows: Sequence[MinedSubject], requirements: Sequence[str]) -> list[MinedSubject]:
    """Return the rows, with the libraries added to those whose standalone code needs some."""
    return [replace(row, libraries=tuple(requirements)) if needs_libraries(row) else row for row in rows]
