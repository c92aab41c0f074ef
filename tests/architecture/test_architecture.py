"""The rules of annotator/ARCHITECTURE.md as tests."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from annotator.store.file.project_file import ProjectFile
from tests.architecture.trees import MODULES, PACKAGE, ROOT, tree_of

OWNERS = {
    "PySide6": {"ui"},
    "backports": {"formats", "mining"},
    "charset_normalizer": {"formats"},
    "compression": {"formats", "mining"},
    "cryptography": {"formats"},
    "distributed": {"evaluation"},
    "docker": {"sandbox"},
    "httpcore2": {"llm"},
    "httpx2": {"llm"},
    "huggingface_hub": {"services"},
    "identify": {"formats", "mining"},
    "keyring": {"base"},
    "libcst": {"construction"},
    "markdownify": {"text"},
    "matplotlib": {"figures"},
    "numpy": {"criteria", "metrics", "mining", "services", "store", "ui"},
    "openai": {"llm"},
    "openpyxl": {"formats"},
    "packaging": {"mining"},
    "platformdirs": {"base"},
    "psycopg": {"store"},
    "py7zr": {"mining"},
    "pyarrow": {"formats"},
    "pydantic": {"formats", "ui"},
    "pygments": {"text"},
    "rapidfuzz": {"metrics", "mining", "text"},
    "regex": {"criteria", "evaluation", "text"},
    "requests": {"sandbox"},
    "rouge_score": {"criteria"},
    "rstr": {"criteria"},
    "ruamel": {"criteria", "formats"},
    "shiboken6": {"ui"},
    "shtab": {"cli"},
    "sqlalchemy": {"model", "store"},
    "sqlglot": {"construction"},
    "sqlite3": {"store"},
    "sqlmodel": {"model", "store"},
    "tree_sitter": {"answers", "construction", "mining", "text"},
}
"""The packages that may import each outside library and SQLite's module. A new library needs an entry."""
DOCTOR = ("services/program/doctor.py", {"keyring", "sqlite3"})
"""The module that says what works on a machine, and the libraries of others that it tries for that."""


def _layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def _imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_modules_keep_the_rules() -> None:
    failures = [f"{path.relative_to(ROOT)}: {problem}" for path in MODULES for problem in _problems(path)]
    assert not failures, "\n".join(failures)


def _problems(path: Path) -> Iterator[str]:
    """Return what a module breaks of the rules."""
    source = path.read_text(encoding="utf-8")
    tree = tree_of(path)
    if not ast.get_docstring(tree):
        yield "a module says what it is for"
    nodes = list(ast.walk(tree))
    yield from (problem for name in _imports(nodes) if (problem := _problem_of_import(path, name.partition(".")[0])))
    lines = source.split("\n")
    count = source.count("\n")
    if count > 800 and not re.search(r"# long-module: \w+", source):
        yield f"{count} lines"
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _problems_of_function(node, lines)
        elif isinstance(node, ast.Call):
            may_parse = path.name == "python_tree.py"
            yield from (f"line {node.lineno}: {problem}" for problem in _problems_of_call(node, may_parse=may_parse))


def _problem_of_import(path: Path, library: str) -> str:
    """Return why a module may not import a library; an empty text if it may."""
    if library not in OWNERS:
        is_known = library == "annotator" or library in sys.stdlib_module_names
        return "" if is_known else f"{library} has no owner in OWNERS"
    doctor, tried = DOCTOR
    if _layer(path) in OWNERS[library] or (path.relative_to(PACKAGE).as_posix() == doctor and library in tried):
        return ""
    return f"{library} belongs to {sorted(OWNERS[library])}"


def _problems_of_function(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> Iterator[str]:
    last = node.end_lineno or node.lineno
    length = last - node.lineno + 1
    if length > 60 and not re.search(r"# long-function: \w+", "\n".join(lines[node.lineno - 1 : last])):
        yield f"{node.name} has {length} lines"


def _problems_of_call(node: ast.Call, *, may_parse: bool) -> Iterator[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = node.func.value.id if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) else ""
    if isinstance(node.func, ast.Name) and name in ("eval", "exec", "__import__"):
        yield name
    # Two threads that read Python at once make CPython fail: everybody takes turns in one place, which runs nothing.
    if not may_parse and ((owner, name) == ("ast", "parse") or getattr(node.func, "id", "") == "compile"):
        yield f"calls {name}"
    if (owner, name) in (("yaml", "load"), ("os", "system"), ("os", "popen")):
        yield f"{owner}.{name}"
    if owner in ("pickle", "marshal", "shelve"):
        yield owner
    for keyword in node.keywords:
        if keyword.arg == "shell" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True:
            yield "a shell string"
    if name == "connect" and any(isinstance(item, ast.Lambda) for item in node.args):
        yield "a lambda in connect"


def test_the_import_contracts_hold() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(tool)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_top_level_holds_what_it_may() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    done = subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = {line.partition("/")[0] for line in done.stdout.splitlines()}
    allowed = {"annotator", "resources", "tests", "packaging", "pyproject.toml", "README.md", "LICENSE"}
    assert {name for name in names if not name.startswith(".")} <= allowed


def test_everything_but_the_window_imports_without_qt() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
        if _layer(path) not in ("ui", "__main__.py")
    ]
    program = (
        "import sys, importlib\n"
        "class Wall:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('PySide6', 'shiboken6'): raise ImportError(name)\n"
        "sys.meta_path.insert(0, Wall())\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_small_commands_import_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom annotator.__main__ import main\n"
        f"main({arguments!r})\n"
        "heavy = {'sqlmodel', 'sqlalchemy', 'openai', 'docker', 'rouge_score', 'pydantic', 'PySide6', 'pygments'}\n"
        "sys.stderr.write(' '.join(sorted(heavy & set(sys.modules))))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""


@pytest.mark.parametrize("word", ["status", "list", "run list", "release list", "judge list"])
def test_commands_that_only_read_import_no_sqlmodel(word: str, tmp_path: Path) -> None:
    project = tmp_path / "p.annotator"
    ProjectFile.create(project, "Demo", "Ada").close()
    program = (
        "import sys\nfrom annotator.__main__ import main\n"
        f"main({[*word.split(), str(project)]!r})\n"
        "sys.stderr.write(' '.join(sorted({'sqlmodel', 'sqlalchemy'} & set(sys.modules))))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""


def test_no_required_package_is_under_the_gpl() -> None:
    try:
        required = importlib.metadata.requires("benchmark-annotator") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("benchmark-annotator is not installed as a package here")
    for requirement in required:
        if "extra ==" in requirement:
            continue
        name = re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0]
        try:
            facts = importlib.metadata.metadata(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        licence = " ".join([str(facts.get("License-Expression") or ""), *(facts.get_all("Classifier") or [])])
        choices = re.sub(r"LGPL|Lesser General Public License", "", licence)
        assert "GPL" not in choices or "LGPL" in licence or "LGPL" in str(facts.get("License")), f"{name}: {licence}"


LATE_LIBRARIES = {
    "backports", "charset_normalizer", "compression", "cryptography", "distributed", "docker", "huggingface_hub",
    "keyring", "libcst", "matplotlib", "openpyxl", "psycopg", "pyarrow", "rouge_score", "sqlalchemy.dialects",
    "sqlglot",
}  # fmt: skip
"""Optional packages, and those that take long to load: their one owner loads them when they are first used."""
LATE_MODULES = {
    "annotator.cli.run": "__main__.py",
    "annotator": "__main__.py",
    "annotator.cli.commands.program": "cli/run.py",
    "annotator.ui.app.application": "cli/commands/program/window.py",
    "annotator.llm.openai_api": "llm/client.py",
    "annotator.services.project": "cli/commands/overview.py",
    "annotator.services.release.exports": "cli/commands/results.py",
    "annotator.services.results": "cli/commands/results.py",
    "annotator.services.tasks.grading": "services/runs/execution.py",
    "annotator.store.soundness.project_checks": "store/file/backup_files.py",
    "annotator.store.file.writer": "store/file/project_file.py",
    "annotator.store.core_tables": "store/file/schema.py",
    "annotator.store.queue": "services/project/projects.py",
    "annotator.store.judging": "services/release/release_list.py",
    "annotator.store.runs": "services/runs/run_list.py, services/release/release_list.py",
    "annotator.store.runs.stored_answers": "services/results/score_data.py",
    "annotator.store.server.server_project": "services/project/projects.py, services/program/doctor.py",
}
"""Our own modules that functions import, and where: what is behind them is not needed, or not there, before."""


def _imports_of_functions(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _imports(ast.walk(child))
        elif not isinstance(child, ast.expr):
            yield from _imports_of_functions(child)


def _may_be_late(name: str, where: str) -> bool:
    if name.split(".")[0] == "annotator":
        return where in LATE_MODULES.get(name, "")
    return any(f"{name}.".startswith(f"{library}.") for library in LATE_LIBRARIES)


def test_imports_stand_at_the_top() -> None:
    scattered = []
    for path in MODULES:
        where = path.relative_to(PACKAGE).as_posix()
        for name in set(_imports_of_functions(tree_of(path))):
            if not _may_be_late(name, where):
                scattered.append(f"{where}: {name}")
    assert scattered == []
