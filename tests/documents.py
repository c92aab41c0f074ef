"""Follow a page of documentation: write the files it shows, and run its commands in order."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

from annotator.__main__ import main

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The last name in backticks before a block is the file that it shows.
_FILE = re.compile(r"`([\w./-]+\.(?:jsonl|json|csv|yaml|py|txt|xml))`[^`]*\Z")
_COMMANDS = "console"


def follow(text: str, told: Callable[[], str], instead: Mapping[str, str] | None = None) -> int:
    """Do in the working folder what a page says; return how many commands ran.

    ``told`` returns what was written since it was called before. ``instead`` replaces words of commands, such as the
    address of a server. A command that starts the window is left out.
    """
    ran = end = 0
    for block in _BLOCK.finditer(text):
        kind, content = block[1], block[2]
        named = _FILE.search(text[end : block.start()])
        end = block.end()
        if kind != _COMMANDS:
            if named is not None:
                path = Path(named[1])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            continue
        for line in content.splitlines():
            program, *words = shlex.split(line, comments=True)
            assert program == "annotator", line
            if words[0] == "open":
                continue
            told()
            status = main([(instead or {}).get(word, word) for word in words])
            assert status == 0, f"{line}: {told()}"
            ran += 1
    return ran
