"""Files that are not somebody's own code kept by hand: tests, vendored, built and minified ones."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_TEST_FOLDERS = frozenset(("test", "tests", "__tests__", "spec", "specs", "e2e", "testing", "testdata", "__mocks__"))
_TEST_NAME = re.compile(
    r"^test_|_test\.|[._-](?:test|spec)\.[cm]?[jt]sx?$|(?:Test|Tests|TestCase|IT)\.java$|^conftest\.py$"
)
_VENDORED = frozenset((
    "node_modules", "vendor", "vendored", "third_party", "third-party", "thirdparty", "3rdparty", "external", "extern",
    "bower_components", "site-packages", "dist-packages", "jspm_packages", "pods",
))  # fmt: skip
_BUILT = frozenset(("dist", "build", "generated", "__generated__", ".next", "out"))
_BUILT_NAME = re.compile(r"_pb2(?:_grpc)?\.py$|\.pb\.(?:cc|h)$|\.g\.[jt]s$|^moc_|^ui_|\.designer\.", re.IGNORECASE)
_MACHINE = re.compile(
    r"@generated\b|\bdo not (?:edit|modify)\b|\bauto-?generated (?:file|by the protocol)", re.IGNORECASE
)
_LONG_LINE = 2000


def file_faults(path: str, text: str) -> list[tuple[str, str]]:
    """Return why a file is not somebody's own code kept by hand: (rule, what was seen) pairs, none for one that is."""
    pure = PurePosixPath(path)
    folders = [part.lower() for part in pure.parts[:-1]]
    faults = []
    for rule, names, pattern in (
        ("test code", _TEST_FOLDERS, _TEST_NAME),
        ("vendored code", _VENDORED, None),
        ("generated code", _BUILT, _BUILT_NAME),
    ):
        seen = next((part for part in folders if part in names), "")
        if not seen and pattern is not None and pattern.search(pure.name):
            seen = pure.name
        if seen:
            faults.append((rule, seen))
    if marked := _MACHINE.search(text[:4000]):
        faults.append(("generated code", marked[0]))
    if ".min." in pure.name or any(len(line) > _LONG_LINE for line in text.splitlines()):
        faults.append(("minified code", pure.name))
    return faults
