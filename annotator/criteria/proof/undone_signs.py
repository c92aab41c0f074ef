"""Signs in which the code of a right answer differs from the question's, such as a star: often all that was wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_CODE = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)|((?:^(?: {4}|\t)[^\n]*\n?)+)", re.DOTALL | re.MULTILINE)
_SIGN = r"[-+*/%<>=!&|^~?]+"
_TOKEN = re.compile(rf"\w+|{_SIGN}|[^\w\s]")
_SIGNS = re.compile(_SIGN)
_LEAST_ALIKE = 0.5
"""Code that has less in common with the question's was written anew."""


def undone_signs(prompt: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (sign, the question's sign, changed text) for each such sign of the answer; the question may have none.

    The sign is told with the word behind it.
    """
    asked, code = _CODE.search(prompt), _CODE.search(text)
    if asked is None or code is None:
        return
    start = code.start(1) if code[1] is not None else code.start(2)
    there = _TOKEN.findall(asked[1] or asked[2] or "")
    tokens = list(_TOKEN.finditer(code[1] or code[2] or ""))
    matcher = SequenceMatcher(None, there, [token[0] for token in tokens], autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        old, new = there[old_start:old_end], tokens[new_start:new_end]
        if tag not in ("insert", "replace") or len(new) != 1 or not _SIGNS.fullmatch(new[0][0]):
            continue
        if all(map(_SIGNS.fullmatch, old)):
            sign, behind = new[0], tokens[new_end][0] if new_end < len(tokens) else ""
            other = "".join(old)
            changed = text[: start + sign.start()] + other + text[start + sign.end() :]
            yield f"{sign[0]}{behind}", f"{other}{behind}", changed
