"""Take files that a repository only has after a build (extension modules, generated code) from its published wheel.

Nothing is built: that would run the repository's code here, or need its tool chain in the image.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotator.base.clock import now_text
from annotator.mining.repository.confirmation.environment import wheel_folder
from annotator.mining.repository.discovery.modules import Module, ParsedProject
from annotator.mining.repository.discovery.repository_facts import own_name, own_version
from annotator.mining.repository.discovery.tree import RepositoryTree, UnreadableError, read_bytes
from annotator.sandbox.libraries import PYTHON

SOURCES = (".pyx", ".c", ".cc", ".cpp", ".cxx", ".rs", ".f90")
"""Suffixes of source files of extension modules."""
MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_TOTAL_BYTES = 64 * 1024 * 1024
_MAX_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BuiltFiles:
    """Files by their path in the repository, and their wheel (``name==version``); ``note`` says where they come from,
    or why there are none."""

    files: dict[str, bytes]
    wheel: str = ""
    note: str = ""


def missing_modules(project: ParsedProject) -> list[str]:
    """Return the missing modules that the repository's code imports from its own packages, sorted."""
    names = {name for module in project.modules if not module.is_test for name in _missing_imports(project, module)}
    return sorted(names)


def _missing_imports(project: ParsedProject, module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names = [item.name for item in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            yield from _missing_siblings(project, module, node)
            continue
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            package, _, inner = name.partition(".")
            if inner and _is_package(project, package) and not _module_exists(project, name):
                yield name


def _is_package(project: ParsedProject, name: str) -> bool:
    return any(module.is_package and not module.is_test for module in project.by_name.get(name, ()))


def _module_exists(project: ParsedProject, name: str) -> bool:
    return name in project.by_name or any(module_name.startswith(f"{name}.") for module_name in project.by_name)


def _missing_siblings(project: ParsedProject, module: Module, node: ast.ImportFrom) -> Iterator[str]:
    """Yield the missing modules of ``from .name import …`` or ``from . import name``."""
    folders = module.path.split("/")[:-1]
    parent_folders = folders[: len(folders) - (node.level - 1)]
    if not parent_folders or node.level - 1 > len(folders) or project.at("/".join(parent_folders)) is None:
        return
    package = project.at("/".join(parent_folders))
    assert package is not None
    for name in [node.module] if node.module else [item.name for item in node.names]:
        path = "/".join([*parent_folders, *name.split(".")])
        is_folder = any(other.startswith(f"{path}/") for other in project.by_path)
        # The package itself may define the imported name.
        is_own_name = not node.module and (name == "*" or re.search(rf"\b{re.escape(name)}\b", package.text))
        if not is_folder and not is_own_name and project.at(path) is None:
            yield f"{package.dotted}.{name}"


def needs_building(tree: RepositoryTree, project: ParsedProject) -> bool:
    """Return whether a repository is incomplete without a build."""
    sources = any(path.endswith(SOURCES) and "test" not in path for path, _ in tree.others)
    return sources or bool(missing_modules(project))


def built_files(
    root: Path, tree: RepositoryTree, project: ParsedProject, cache: Path, *, version: str, day: str
) -> BuiltFiles:
    """Return the files that a build would add, from the wheel of the repository's version, else the newest of its day.

    ``version`` is the requested version of the package, ``day`` the date of the last commit (YYYY-MM-DD); either may be
    empty. No files if no build is needed. Raises `MissingEnvironmentError` without uv or the index.
    """
    if not needs_building(tree, project):
        return BuiltFiles({})
    name, version = own_name(root), version or own_version(root)
    wheel_match = wheel_folder(f"{name}=={version}", "", cache) if version else None
    if wheel_match is None and day:
        wheel_match = wheel_folder(name, day, cache)
    missing = missing_modules(project)
    parts = ", ".join(missing[:_MAX_SHOWN]) + (", …" if len(missing) > _MAX_SHOWN else "")
    if wheel_match is None:
        if not missing:
            return BuiltFiles({})
        requirement = f"{name} {version}".strip() + (f", nor one published until {day}," if day else "")
        searched = f"was found for Python {PYTHON} on {now_text()[:10]}"
        return BuiltFiles({}, note=f"{parts} must be built, and no wheel of {requirement} {searched}")
    folder, wheel = wheel_match
    files = files_of_wheel(folder, tree)
    if not files:
        return BuiltFiles(
            {}, note=f"{parts} must be built, and the wheel {wheel} does not contain it" if missing else ""
        )
    return BuiltFiles(files, wheel, f"built files were taken from the wheel {wheel}")


def files_of_wheel(folder: Path, tree: RepositoryTree) -> dict[str, bytes]:
    """Return the files of an unpacked wheel that the repository does not have, by their path in the repository.

    Empty for a wheel without any package of the repository: it belongs to another project.
    """
    paths = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    paths = [path for path in paths if not _is_wheel_metadata(path)]
    known_paths = {*(file.path for file in tree.files), *(path for path, _ in tree.others)}
    parent = _folder_above({path.partition("/")[0] for path in paths if "/" in path}, known_paths)
    if parent is None:
        return {}
    files: dict[str, bytes] = {}
    total = 0
    for path in paths:
        path_in_repository = f"{parent}{path}"
        if path_in_repository in known_paths:
            continue
        try:
            data = read_bytes(folder, path, MAX_FILE_BYTES)
        except UnreadableError:
            continue
        total += len(data)
        if total > MAX_TOTAL_BYTES:
            break
        files[path_in_repository] = data
    return files


def _is_wheel_metadata(path: str) -> bool:
    """Return whether a file is metadata or a script of the wheel and not part of its packages."""
    first = path.partition("/")[0]
    return first.endswith((".dist-info", ".data")) or first == "bin" or "__pycache__" in path.split("/")


def _folder_above(packages: set[str], known_paths: set[str]) -> str | None:
    """Return the repository folder that contains a wheel's packages (with a final slash), the topmost of several."""
    package_folders = [path.rpartition("/__init__.py")[0] for path in known_paths if path.endswith("/__init__.py")]
    parents = [path.rpartition("/") for path in package_folders if path.rpartition("/")[2] in packages]
    folders = sorted({folder + slash for folder, slash, _ in parents}, key=lambda folder: (folder.count("/"), folder))
    return folders[0] if folders else None
