"""Write how long each folder and the slowest tests took: ``-p tests.durations --durations-file FILE``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

SLOWEST = 100
"""How many tests the table names."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the file."""
    parser.addoption("--durations-file", metavar="FILE", help="write seconds by folder and the slowest tests to a file")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the table, once, in the process that has all reports."""
    target = config.getoption("--durations-file")
    if not target:
        return
    by_folder: Counter[str] = Counter()
    by_test: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            # Errors of collection and warnings have neither a duration nor a test; a test's parts are in its duration.
            if isinstance(report, pytest.TestReport) and not isinstance(report, pytest.SubtestReport):
                by_folder[_folder_of(report.nodeid)] += report.duration
                by_test[report.nodeid] += report.duration
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_table(by_folder, by_test), encoding="utf-8")
    terminalreporter.write_line(f"Durations of folders and of the {SLOWEST} slowest tests: {target}")


def _folder_of(node_id: str) -> str:
    """Return the folder that a test is counted for: two names for the wide folders ``services`` and ``ui``."""
    parts = Path(node_id.partition("::")[0]).parts
    depth = 3 if parts[1] in {"services", "ui"} and len(parts) > 3 else 2
    return "/".join(parts[:depth])


def _table(by_folder: Counter[str], by_test: Counter[str]) -> str:
    total = by_folder.total()
    lines = [f"{total:8.1f} s in all, added up over the workers", ""]
    lines += [
        f"{seconds:8.1f} s  {100 * seconds / max(total, 1e-9):3.0f} %  {name}"
        for name, seconds in by_folder.most_common()
    ]
    lines += ["", f"The {SLOWEST} slowest tests, with their fixtures"]
    lines += [f"{seconds:8.1f} s  {name}" for name, seconds in by_test.most_common(SLOWEST)]
    return "\n".join(lines) + "\n"
