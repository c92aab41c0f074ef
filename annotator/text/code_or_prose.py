"""Whether a text is code or prose, by how its lines look."""

from __future__ import annotations

import re

from annotator.text.completions import read_completion

_CODE = re.compile(
    r"^\s*(?:(?:from\s+[\w.]+\s+)?import\s+(?:static\s+)?[\w.*]+(?:\s+as\s+\w+)?(?:\s*[,;{(].*)?$|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+.*[:{]$|function\s*\w*\s*\("
    r"|(?:public|private|static|const|let|var|#include|package|using|func|fn)\b.*[;{(>\"]|@\w+$)"
)
_FEW = 40


def looks_like_code(text: str) -> bool:
    """Whether a text opens as a program does, or is one to complete; comments at its top are passed over."""
    if read_completion(text) is not None:
        return True
    for line in text.split("\n")[:_FEW]:
        bare = line.strip()
        if not bare or bare.startswith(("#!", "//", "/*", "*", "--")) or (bare[0] == "#" and not _CODE.match(bare)):
            continue
        return _CODE.match(line) is not None
    return False
