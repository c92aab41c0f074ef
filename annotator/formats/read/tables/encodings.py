"""Detect the encoding of a text file."""

from __future__ import annotations

import codecs
from itertools import pairwise
from pathlib import Path

from annotator.base.errors import BadInputError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPES = ((b"\x1b$)C", "iso2022_kr"), (b"\x1b$B", "iso2022_jp"), (b"\x1b$@", "iso2022_jp"))
"""Escape sequences that name an encoding, whose text is otherwise plain ASCII."""
# The encodings that spreadsheets write beside Unicode; the first of equally likely ones is used.
_OLD_ENCODINGS = ("cp1252", "gb18030", "shift_jis", "big5", "euc_kr", "cp1251", "cp1250", "cp1253", "koi8_r")
_BLOCK_BYTES = 1 << 20
_SAMPLE_BYTES = 1 << 16
# The share of implausible characters above which charset_normalizer rejects an encoding.
_MAX_MESS = 0.35


def find_encoding(path: Path) -> str:
    """Return Python's name of a file's encoding: by its byte order mark, UTF-8 if all of it decodes, else a guess.

    Raises `BadInputError` if the bytes are not text in any encoding that spreadsheets write.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    sample = b""
    with path.open("rb") as stream:
        start = stream.read(_SAMPLE_BYTES)
        encodings = [name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)]
        encodings += [name for escape, name in _ESCAPES if escape in start]
        if encodings:
            return encodings[0]
        if wide := _wide_encoding(start):
            return wide
        stream.seek(0)
        is_utf8 = True
        while block := stream.read(_BLOCK_BYTES):
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                is_utf8 = False
                sample = _non_ascii_lines(block + stream.readline(_SAMPLE_BYTES))
                break
        if is_utf8 and not decoder.getstate()[0]:
            return "utf-8"
    return _guess_encoding(path, sample or _non_ascii_lines(start))


def _wide_encoding(start: bytes) -> str:
    """Return UTF-16 with a byte order if nearly every other byte of the beginning is zero, else ""."""
    even = start[:64:2]
    odd = start[1:64:2]
    if even and odd.count(0) > len(odd) * 3 // 4 and not even.count(0):
        return "utf-16-le"
    if odd and even.count(0) > len(even) * 3 // 4 and not odd.count(0):
        return "utf-16-be"
    return ""


def _non_ascii_lines(data: bytes) -> bytes:
    """Return the first lines that are not plain ASCII."""
    return b"\n".join(line for line in data.splitlines() if not line.isascii())[:_SAMPLE_BYTES]


def _looks_polish(sample: bytes) -> bool:
    """Return whether there is a byte within a word that is ą or ł in cp1250, where cp1252 would have ¹ or ³."""
    text = sample.decode("cp1252", "replace")
    # Two letters before it, since x³y is a formula.
    indexes = (index for index, letter in enumerate(text) if letter in "¹³" and index > 1)
    return any(text[index - 2 : index].isalpha() and text[index + 1 : index + 2].isalpha() for index in indexes)


def _guess_encoding(path: Path, sample: bytes) -> str:
    import charset_normalizer

    if b"\x00" not in sample:
        if not any(byte > 127 and following > 127 for byte, following in pairwise(sample)):
            # Scripts other than Latin have their letters side by side, so these are single accents or signs.
            return "cp1250" if _looks_polish(sample) else _OLD_ENCODINGS[0]
        matches = charset_normalizer.from_bytes(
            sample, cp_isolation=list(_OLD_ENCODINGS), threshold=_MAX_MESS, explain=False
        )
        ranked = [(match.chaos, -match.coherence, match.could_be_from_charset) for match in matches]
        if ranked:
            lowest_rank = min(ranked)[:2]
            equally_likely = {name for *rank, names in ranked if tuple(rank) == lowest_rank for name in names}
            return next((name for name in _OLD_ENCODINGS if name in equally_likely), sorted(equally_likely)[0])
    raise BadInputError(
        f"{path.name} is not UTF-8, nor another known encoding. Name it, such as encoding=cp437, or save the file "
        "as CSV UTF-8."
    )
