"""Packets: files with rows to merge, as compressed JSON lines, optionally sealed with a passphrase.

The first line is a header, each other line a table's name and a row. A sealed packet is encrypted with AES-256-GCM,
with a key derived from the passphrase by scrypt; without it only the size is visible, and any change is detected.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotator.base.errors import BadInputError, PassphraseError
from annotator.base.open_files import is_open_here, is_project_name, open_output, refuse_project

FORMAT = "annotator-packet"
VERSION = 1
_SEALED_MAGIC = b"ANNOTATOR-PACKET-SEALED-1\n"
_GZIP_MAGIC = b"\x1f\x8b"
_SALT_BYTES = 16
# The sizes of AES-256-GCM.
_NONCE_BYTES = 12
_KEY_BYTES = 32
# With blocks of 8, each guess of a passphrase takes 32 MB (128 · 8 · cost).
_SCRYPT_COST = 2**15
MIN_PASSPHRASE_LENGTH = 8
MAX_PACKET_BYTES = 1 << 30
MAX_CONTENT_BYTES = 4 << 30
"""Checked while unpacking, since a small gzip file can hold far more."""
MAX_PACKET_LINE_BYTES = 64 << 20

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """The content of a packet: its project, the recipient (empty: anybody), and rows by table.

    ``by_id`` is the author, empty if unknown. ``settings`` are the project settings that a person working on a separate
    copy needs.
    """

    project_id: str
    project_name: str
    schema: int
    for_id: str = ""
    for_name: str = ""
    by_id: str = ""
    made_at: str = ""
    tables: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows in all tables."""
        return sum(len(rows) for rows in self.tables.values())


def write_packet(path: Path, packet: Packet, passphrase: str = "") -> None:
    """Write a packet to a new file. Raises `BadInputError` if it exists or the passphrase is short."""
    if passphrase and len(passphrase) < MIN_PASSPHRASE_LENGTH:
        raise BadInputError(f"A passphrase needs at least {MIN_PASSPHRASE_LENGTH} characters.")
    data = _pack_rows(packet)
    if passphrase:
        data = _seal_bytes(data, passphrase)
    if os.path.lexists(path):
        raise BadInputError(f"{path.name} already exists. It was not changed; choose another name.")
    with open_output(path) as stream:
        stream.buffer.write(data)


def _pack_rows(packet: Packet) -> bytes:
    head = {
        "format": FORMAT,
        "version": VERSION,
        "project": {"id": packet.project_id, "name": packet.project_name},
        "for": {"id": packet.for_id, "name": packet.for_name},
        "by": {"id": packet.by_id},
        "schema": packet.schema,
        "made_at": packet.made_at,
        "rows": packet.rows,
        "settings": dict(packet.settings),
    }
    out = io.BytesIO()
    # Without a time in the compressed stream the same rows give the same bytes.
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as stream:
        stream.write(_json_line(head))
        for table, rows in packet.tables.items():
            for row in rows:
                stream.write(_json_line([table, row]))
    return out.getvalue()


def _json_line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def is_packet(path: Path) -> bool:
    """Return whether a file looks like a packet rather than a project; a file that is open here is not read."""
    if is_project_name(path.name) or is_open_here(path):
        return False
    head = _read_start(path, len(_SEALED_MAGIC))
    return head == _SEALED_MAGIC or head.startswith(_GZIP_MAGIC)


def _read_start(path: Path, length: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(length)
    except OSError as error:
        raise BadInputError(f"{path.name} cannot be read ({error.strerror}). Nothing was changed.") from error


def read_packet(path: Path, passphrase: str = "") -> Packet:
    """Read a packet. Raises `BadInputError` for a damaged or other file, or a wrong passphrase."""
    refuse_project(path)
    _read_start(path, 1)
    if path.stat().st_size > MAX_PACKET_BYTES:
        raise BadInputError(f"{path.name} is larger than a packet can be. Nothing was changed.")
    data = path.read_bytes()
    if data.startswith(_SEALED_MAGIC):
        data = _unseal_bytes(data, passphrase, path.name)
    if not data.startswith(_GZIP_MAGIC):
        raise BadInputError(f"{path.name} is not a packet. Nothing was changed.")
    try:
        return _unpack_rows(data, path.name)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{path.name} is damaged or cut off. Nothing was changed; ask for it again.") from error


def _unpack_rows(data: bytes, name: str) -> Packet:
    tables: dict[str, list[Row]] = {}
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        expected_count, packet = _parse_header(_parse_line(stream.readline(MAX_PACKET_LINE_BYTES), name), name)
        size = 0
        count = 0
        while line := stream.readline(MAX_PACKET_LINE_BYTES):
            size += len(line)
            count += 1
            if size > MAX_CONTENT_BYTES or not line.endswith(b"\n"):
                raise BadInputError(f"{name} is larger than a packet may be. Nothing was changed.")
            entry = _parse_line(line, name)
            is_pair = isinstance(entry, list) and len(entry) == 2
            if not (is_pair and isinstance(entry[0], str) and isinstance(entry[1], dict)):
                raise BadInputError(f"{name}: row {count} is not a row of a packet. Nothing was changed.")
            tables.setdefault(entry[0], []).append(entry[1])
    if count != expected_count:
        raise BadInputError(f"{name} has {count} rows instead of {expected_count}. Nothing was changed.")
    return replace(packet, tables=tables)


def _parse_line(line: bytes, name: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"{name} is not a packet: a line in it is not JSON. Nothing was changed.") from error


def _parse_header(head: Any, name: str) -> tuple[int, Packet]:
    """Return the number of rows that a header states, and the packet without its rows."""
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise BadInputError(f"{name} is not a packet. Nothing was changed.")
    if head.get("version") != VERSION:
        raise BadInputError(f"{name} was made by another version of Annotator. Update it; nothing was changed.")
    project = head.get("project")
    recipient = head.get("for")
    author = head.get("by", {"id": ""})
    texts: list[Any] = [head.get("made_at"), author.get("id") if isinstance(author, dict) else None]
    for part in (project, recipient):
        texts += [part.get("id"), part.get("name")] if isinstance(part, dict) else [None]
    numbers = (head.get("schema"), head.get("rows"))
    if not all(isinstance(text, str) for text in texts) or not all(type(number) is int for number in numbers):
        raise BadInputError(f"{name} has no valid header. Nothing was changed.")
    made_at, by_id, project_id, project_name, for_id, for_name = texts
    settings = head.get("settings", {})
    if not isinstance(settings, dict):
        raise BadInputError(f"{name} has no valid header. Nothing was changed.")
    return head["rows"], Packet(
        project_id=project_id,
        project_name=project_name,
        schema=head["schema"],
        for_id=for_id,
        for_name=for_name,
        by_id=by_id,
        made_at=made_at,
        settings=settings,
    )


def _derive_key(passphrase: str, salt: bytes) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=_KEY_BYTES, n=_SCRYPT_COST, r=8, p=1).derive(passphrase.encode())


def _seal_bytes(data: bytes, passphrase: str) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
    head = _SEALED_MAGIC + salt + nonce
    return head + AESGCM(_derive_key(passphrase, salt)).encrypt(nonce, data, head)


def _unseal_bytes(data: bytes, passphrase: str, name: str) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if not passphrase:
        raise PassphraseError(f"{name} is encrypted with a passphrase. Nothing was changed.")
    end = len(_SEALED_MAGIC) + _SALT_BYTES + _NONCE_BYTES
    head, body = data[:end], data[end:]
    salt, nonce = head[len(_SEALED_MAGIC) : -_NONCE_BYTES], head[-_NONCE_BYTES:]
    try:
        if len(head) < end:
            raise InvalidTag
        return AESGCM(_derive_key(passphrase, salt)).decrypt(nonce, body, head)
    except InvalidTag as error:
        raise BadInputError(
            f"The passphrase does not open {name}, or the file is damaged. Nothing was changed."
        ) from error
