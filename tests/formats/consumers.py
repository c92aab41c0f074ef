"""Programs of others that load what we export, each in a virtual environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGES = {
    # EvalPlus itself without what it needs to ask models, which is most of it.
    "evalplus": (("evalplus==0.3.1", "--no-deps"),
                 ("numpy", "tempdir", "wget", "appdirs", "multipledispatch", "tqdm", "fire", "termcolor", "rich",
                  "psutil", "tree-sitter", "tree-sitter-python", "datasets")),
    "inspect": (("inspect-ai>=0.3.200", "openai", "ruamel.yaml", "regex", "numpy", "rouge-score", "rapidfuzz"),
                # Later versions need a package of their own that not every registry has.
                ("inspect-evals<0.26", "--no-deps"),
                # What our own criteria need, which the exported task imports.
                ("pygments", "tree-sitter", *(f"tree-sitter-{language}" for language in (
                    "c", "c-sharp", "cpp", "go", "java", "javascript", "php", "ruby", "rust", "typescript")))),
    "lm-eval": (("lm-eval[api]>=0.4.9",),),
}  # fmt: skip


def consumer(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of programs of a consumer's environment; skips where it cannot be made.

    ``ANNOTATOR_CONSUMERS`` names a folder to keep the environments in.
    """
    kept = os.environ.get("ANNOTATOR_CONSUMERS")
    folder = (Path(kept) if kept else tmp_path_factory.getbasetemp()) / f"consumer-{name}"
    programs = folder / "bin"
    if (folder / "ready").exists():
        return programs
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    for packages in PACKAGES[name]:
        tool = [uv, "pip", "install", "--quiet", "--python"] if Path(uv).exists() else []
        command = (
            [*tool, str(programs / "python")] if tool else [str(programs / "python"), "-m", "pip", "install", "-q"]
        )
        done = subprocess.run([*command, *packages], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"{name} cannot be installed here: {done.stderr.strip().splitlines()[-1:]}")
    (folder / "ready").touch()
    return programs
