"""The location of a project: a file, or a database on a PostgreSQL server. Addresses never contain a password."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from annotator.base.errors import BadInputError

SCHEME = "postgresql+psycopg"
_SCHEMES = (SCHEME, "postgresql", "postgres")
_OPTIONS = ("host", "sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout")
_ANNOTATOR = "annotator"
_EXAMPLE = f"{SCHEME}://mei@server.example.org/benchmark"
_NO_PASSWORD = (
    "The address holds a password, which would be stored with it. Remove it, and put it into the file that PGPASSFILE "  # noqa: S105 - a sentence
    "names, into PGPASSWORD, or into the keyring (service annotator, name: the address)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """A database on a server. An empty ``host`` means libpq's default; ``annotator`` is the name of the user."""

    database: str
    user: str = ""
    host: str = ""
    port: int | None = None
    options: tuple[tuple[str, str], ...] = ()
    annotator: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The name to show in messages."""
        return self.database

    @property
    def stem(self) -> str:
        """The name without a suffix, like `Path.stem`."""
        return self.database

    def __str__(self) -> str:
        """Return the address in the form in which a user types it."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port is not None else ""
        options = [*self.options, (_ANNOTATOR, self.annotator)] if self.annotator else list(self.options)
        query = f"?{urlencode(options, safe='/')}" if options else ""
        return f"{SCHEME}://{user}{host}{port}/{quote(self.database, safe='')}{query}"


Place: TypeAlias = Path | ServerAddress
"""The location of a project."""


def is_address(text: str) -> bool:
    """Return whether a text is a server's address, not a file's path."""
    scheme, separator, _ = text.partition("://")
    return bool(separator) and scheme.lower() in _SCHEMES


def parse_place(text: str) -> Place:
    """Parse the path of a project file or the address of a server.

    Raises `BadInputError` for an empty text or an incomplete address.
    """
    if not text.strip():
        raise BadInputError("The name of the project is empty.")
    return parse_server_address(text) if is_address(text) else Path(text)


def parse_server_address(text: str) -> ServerAddress:
    """Parse ``postgresql+psycopg://user@host:port/database?option=value``.

    Accepts libpq's connection options (``host`` may name the folder of a socket) and ``annotator``. Raises
    `BadInputError` for a password, an unknown option or a missing database; the message never quotes the text, which
    may hold a secret.
    """
    if not is_address(text):
        raise BadInputError(f"This is not a server address. It must look like {_EXAMPLE}.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadInputError(f"The address of the server cannot be read. It must look like {_EXAMPLE}.") from error
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.password is not None or "password" in options:
        raise BadInputError(_NO_PASSWORD)
    unknown = sorted(set(options) - {*_OPTIONS, _ANNOTATOR})
    if unknown:
        raise BadInputError(f"Unknown address option {unknown[0]}. Choose from: {', '.join((*_OPTIONS, _ANNOTATOR))}.")
    database = unquote(parts.path).strip("/")
    if not database or "/" in database or "\0" in database:
        raise BadInputError(f"The address names no database. It must look like {_EXAMPLE}.")
    annotator = options.pop(_ANNOTATOR, "")
    libpq_options = tuple(sorted(options.items()))
    return ServerAddress(
        database=database,
        user=unquote(parts.username or ""),
        host=parts.hostname or "",
        port=port,
        options=libpq_options,
        annotator=annotator,
    )
