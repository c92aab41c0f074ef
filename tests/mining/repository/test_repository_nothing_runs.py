"""Reading a repository runs none of it: watched in a fresh interpreter by an audit hook that misses nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.mining.repository.pipeline import mine_folder
from tests.samples import load_samples

from .conftest import Write

SAMPLES = load_samples(__file__)

HARM = "import os\nopen({mark!r}, 'w').close()\nraise SystemExit('it was run')\n"
WATCHED = SAMPLES["watched"]


def test_nothing_of_it_is_executed_imported_or_started(write: Write, tmp_path: Path) -> None:
    mark = tmp_path / "it-was-run"
    harm = HARM.format(mark=str(mark))
    names = (
        "setup.py", "conftest.py", "sitecustomize.py", "usercustomize.py", "ast.py", "json.py", "packaging/__init__.py",
        "annotator/__init__.py", "tests/conftest.py", "noxfile.py", "build_backend.py", "lib/__init__.py",
    )  # fmt: skip
    root = write(
        dict.fromkeys(names, harm)
        | {
            "lib/good.py": "def f(x):\n    y = x\n    y += 1\n    return y\n",
            "tests/test_good.py": f"{harm}\nfrom lib.good import f\n\n\ndef test_f():\n    assert f(1) == 2\n",
            "pyproject.toml": '[build-system]\nrequires = ["x"]\nbuild-backend = "build_backend"\n'
            'backend-path = ["."]\n[project]\nname = "good"\nversion = "1"\n'
            'dependencies = ["six", "evil @ file:///tmp/evil.whl"]\n',
            "uv.toml": 'index-url = "http://127.0.0.1:1/simple"\n',
            "pip.conf": "[global]\nindex-url = http://127.0.0.1:1/simple\n",
            "requirements.txt": "-e .\n--index-url http://127.0.0.1:1\ngit+https://127.0.0.1/x\nattrs\n",
            "evil.pth": f"import os; open({str(mark)!r}, 'w')\n",
            "tests/__init__.py": "",
        }
    )
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(root)], cwd=root.parent, capture_output=True, text=True, check=False,
        timeout=120, env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["seen"] == {"exec": [], "import": [], "started": [], "written": [], "away": []}
    assert told["rows"] == ["f"]
    assert [item.partition(">")[0] for item in told["requirements"]] == ["attrs", "pytest", "six"]
    assert not mark.exists()


def test_the_watch_itself_sees_what_is_run(tmp_path: Path) -> None:
    (tmp_path / "harm.py").write_text("x = 1\n")
    source = WATCHED.replace(
        "mined, session = mine_folder(Path(root))",
        "sys.path.insert(0, root); import harm; raise SystemExit(json.dumps(seen))",
    )
    done = subprocess.run(
        [sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, check=False, timeout=120,
        env={"PYTHONPATH": str(Path(__file__).parents[3]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert str(tmp_path / "harm.py") in json.loads(done.stderr)["exec"]


def test_modules_and_classes_that_lead_in_circles_are_mined(write: Write) -> None:
    chain = {
        f"pkg/m{n}.py": f"from pkg.m{(n + 1) % 30} import *\nfrom pkg import m{(n + 7) % 30}\n\n\n"
        f"class C{n}(m{(n + 7) % 30}.C{(n + 7) % 30}):\n    pass\n\n\n"
        f"def f{n}(x):\n    y = f{(n + 1) % 30}(x) if x else 0\n    y += 1\n    return y\n"
        for n in range(30)
    }
    root = write(
        chain
        | {
            "pkg/__init__.py": "from pkg.m0 import *\nfrom pkg import *\nfrom . import m1\n",
            "test_pkg.py": "from pkg.m3 import C3, f3\n\n\ndef test_f():\n    assert f3(0) == 1\n    C3().run()\n",
        }
    )
    rows = {row.qualified_name: row for row in mine_folder(root)[0].rows}
    assert set(rows) == {"f3"}
    assert rows["f3"].dependencies.cross_file == ("pkg.m4.f4",)


@pytest.mark.parametrize("depth", [30, 200, 3000])
def test_code_that_is_nested_deep_ends(write: Write, depth: int) -> None:
    nested = "".join(f"{' ' * n}if x:\n" for n in range(min(depth, 90)))
    root = write(
        {
            "lib.py": "def f(x):\n    y = x\n    y += 1\n    return y\n",
            "calls.py": f"def g(x):\n    return {'g(' * depth}x{')' * depth}\n",
            "tower.py": f"{nested}{' ' * min(depth, 90)}y = 1\n",
            "attributes.py": f"x = a{'.b' * depth}\n",
            "test_lib.py": "import attributes, calls, tower\nfrom lib import f\n\n\n"
            "def test_f():\n    assert f(1) == 2\n",
        }
    )
    mined, _ = mine_folder(root)
    assert [row.qualified_name for row in mined.rows] == ["f"]
    assert {item.path for item in mined.skipped} <= {"calls.py", "attributes.py", "tower.py"}
    assert bool(mined.skipped) == (depth > 1000)
