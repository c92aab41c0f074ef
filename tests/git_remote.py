"""A git remote for tests: an empty repository on this machine, and git as a person would run it."""

from __future__ import annotations

import subprocess
from pathlib import Path


def run_git(*words: str | Path) -> str:
    """Run git and return what it says."""
    return subprocess.run(["git", *map(str, words)], check=True, capture_output=True, text=True, timeout=60).stdout


def make_remote(folder: Path) -> Path:
    """Make an empty bare repository in a folder."""
    path = folder / "remote.git"
    run_git("init", "-q", "--bare", "-b", "main", path)
    return path
