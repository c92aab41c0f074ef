"""Connections to a project on a server: their settings, and the messages for their errors."""

from __future__ import annotations

import importlib.util
import ipaddress
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from annotator.base.addresses import ServerAddress
from annotator.base.errors import BadInputError, CollisionError, KnownError, MissingEnvironmentError
from annotator.base.secrets import find_key

if TYPE_CHECKING:
    import psycopg

SCHEMA = "annotator"
"""The schema of a project; nothing else in the database is used or changed."""
ROLE_SCHEMA = "annotator_role"
"""The schema with the views that logins of annotators use instead of tables, see `annotator_roles`."""
WRITING_LOCK = 0x414E4E54
"""The key of the advisory lock of the only writing session."""
WINDOW_LOCK = 0x414E4E57
"""The first key of the shared advisory locks that open windows hold; the second identifies the person."""
_WAIT_MS = 20_000
_IDLE_MS = 60_000
"""The time after which the server ends a writing transaction in which nothing happens."""
RULES = {
    "search_path": SCHEMA,
    "lock_timeout": str(_WAIT_MS),
    "timezone": "UTC",
    "standard_conforming_strings": "on",
}
"""The settings of each connection. Waiting longer than `lock_timeout` for the writing session's lock is an error."""


def connect_to_server(address: ServerAddress, *, read_only: bool, client: str = "") -> psycopg.Connection[Any]:
    """Open one connection in autocommit mode.

    A connection to another machine is encrypted unless the address or PGSSLMODE says otherwise.

    ``client`` identifies the writer, so that it can ignore its own notices. A password comes from libpq's own sources
    (PGPASSWORD, PGPASSFILE), or else from the keyring. Raises `MissingEnvironmentError` if there is no driver or the
    server cannot be reached, and `BadInputError` for an unknown database or role.
    """
    _require_driver()
    import psycopg

    rules = {
        **RULES,
        "default_transaction_read_only": "on" if read_only else "off",
        # A client that hangs while it holds the writing lock loses its session; readers block nobody, so they do not.
        "idle_in_transaction_session_timeout": "0" if read_only else str(_IDLE_MS),
    }
    parameters: dict[str, Any] = {
        "dbname": address.database,
        "user": address.user or None,
        "host": address.host or None,
        "port": address.port,
        "application_name": f"annotator {client}".strip(),
        "client_encoding": "utf8",
        "connect_timeout": 10,
        "keepalives_idle": 30,
        **({} if "PGSSLMODE" in os.environ or is_local(address) else {"sslmode": "require"}),
        "options": " ".join(f"-c {name}={value}" for name, value in rules.items()),
        **dict(address.options),
    }
    with translate_errors(address.name):
        try:
            connection = psycopg.connect(**parameters, autocommit=True, context=_adapters())
        except psycopg.OperationalError as error:
            if "password" not in str(error) or (secret := find_key(str(replace(address, annotator="")))) is None:
                raise
            connection = psycopg.connect(**parameters, password=secret, autocommit=True, context=_adapters())
        connection.execute(_CHOOSE_SCHEMA)
    return connection


def is_local(address: ServerAddress) -> bool:
    """Return whether each host to which libpq connects is this machine or the folder of a socket.

    PGHOSTADDR replaces every host, and PGSERVICE may name any host.
    """
    host = dict(address.options).get("host") or address.host
    if not host and "PGSERVICE" in os.environ:
        return False
    hosts = str(os.environ.get("PGHOSTADDR") or host or os.environ.get("PGHOST", ""))
    return all(_is_this_machine(host.strip()) for host in hosts.split(","))


def _is_this_machine(host: str) -> bool:
    if not host or host.startswith(("/", "@")) or host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _require_driver() -> None:
    if importlib.util.find_spec("psycopg") is None:
        raise MissingEnvironmentError(
            "A project on a server needs the extra postgres, which is not installed here. "
            "Install benchmark-annotator[postgres]."
        )


@lru_cache(maxsize=1)
def _adapters() -> Any:
    """Return psycopg's adapters: booleans are sent as 0 and 1, as tables store them; numerics are read as numbers."""
    from psycopg.adapt import AdaptersMap, Buffer, Dumper, Loader
    from psycopg.postgres import adapters, types

    class Truth(Dumper):
        oid = types["int2"].oid

        def dump(self, obj: bool) -> Buffer:
            return b"1" if obj else b"0"

    class Number(Loader):
        def load(self, data: Buffer) -> int | float:
            text = bytes(data).decode("ascii")
            return int(text) if text.lstrip("-").isdigit() else float(text)

    adapters_map = AdaptersMap(adapters)
    adapters_map.register_dumper(bool, Truth)
    adapters_map.register_loader("numeric", Number)

    class Context:
        adapters = adapters_map
        connection = None

    return Context()


# A login that may not read the table of votes uses the schema with the views, if there is one.
_CHOOSE_SCHEMA = f"""
SELECT set_config('search_path', '{ROLE_SCHEMA}, {SCHEMA}', false)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_namespace v ON v.nspname = '{ROLE_SCHEMA}'
WHERE n.nspname = '{SCHEMA}' AND c.relname = 'vote' AND NOT has_table_privilege(c.oid, 'SELECT')
"""
_COLLISIONS = ("40001", "40P01")
_ERRORS_BY_STATE: Mapping[str, str] = {
    "55P03": "Another client has been writing to {name} for too long, so nothing of this was saved. Try again in a "
    "moment.",
    "53100": "The disk of the server is full, so nothing of this was saved. Its administrator must free some space.",
    "53300": "The server of {name} takes no more connections. Close a window, or ask its administrator for more.",
    "25006": "The server of {name} is read-only at the moment, so nothing was changed. Ask its administrator.",
    # A view that nobody can write to has a state of its own.
    **dict.fromkeys(
        ("42501", "55000"),
        "Your role on the server may not see or do this in {name}, so nothing was changed. Ask its administrator.",
    ),
    "57014": "The server of {name} cancelled the request, so nothing of this was saved. Try again.",
    **dict.fromkeys(
        ("25P03", "57P01", "57P02", "57P03", "08000", "08003", "08006"),
        "The server of {name} ended the connection, so nothing of this was saved. Try again in a moment.",
    ),
    **dict.fromkeys(
        _COLLISIONS, "Two people changed the same thing in {name} at once, so nothing of this was saved. Try again."
    ),
}
_UNKNOWN_DATABASE = ("does not exist",)
_CONNECTION_ERRORS: Mapping[tuple[str, ...], str] = {
    ("does not support SSL",): "The server of {name} does not encrypt connections (TLS), so nothing was sent. Ask its "
    "administrator to turn TLS on. Only in a network that you trust, add ?sslmode=disable to the address.",
    ("SSL error", "certificate"): "No encrypted connection (TLS) to the server of {name} could be made: its "
    "certificate does not fit, or yours does not. Check sslmode, sslrootcert, sslcert and sslkey of the address with "
    "the server's administrator.",
    ("no password supplied", "password authentication failed", "fe_sendauth"): "The server of {name} requires a "
    "password, or rejected it. Put it into the file that PGPASSFILE names, into PGPASSWORD, or into the keyring "
    "(service annotator, name: the address).",
    ("no pg_hba.conf entry", "authentication failed"): "The server does not allow this role to connect to {name} from "
    "this machine. Ask its administrator.",
    _UNKNOWN_DATABASE: "There is no database {name} on that server, or no such role. Check the address; databases "
    "are made by the administrator (createdb).",
    ("too many connections", "too many clients", "remaining connection slots"): _ERRORS_BY_STATE["53300"],
}
_UNREACHABLE = "The server of {name} cannot be reached. Check the address and the network; saved work is safe there."


def as_known_server_error(error: BaseException, name: str) -> KnownError | None:
    """Return the `KnownError` for a failure of the server, or None if it is a bug."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return None
    if sentence := _ERRORS_BY_STATE.get(error.sqlstate or ""):
        error_class = CollisionError if error.sqlstate in _COLLISIONS else MissingEnvironmentError
        return error_class(sentence.format(name=name))
    if isinstance(error, psycopg.DataError) and "NUL" in str(error):
        return BadInputError(f"A text contains a null character, which {name} cannot store. Nothing was changed.")
    if not isinstance(error, psycopg.OperationalError):
        return None
    for fragments, sentence in _CONNECTION_ERRORS.items():
        if any(fragment in str(error) for fragment in fragments):
            error_type = BadInputError if fragments == _UNKNOWN_DATABASE else MissingEnvironmentError
            return error_type(sentence.format(name=name))
    return MissingEnvironmentError(_UNREACHABLE.format(name=name))


@contextmanager
def translate_errors(name: str) -> Iterator[None]:
    """Raise the driver's errors inside the block as `KnownError` where they are known; also if it is not installed."""
    _require_driver()
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        known_error = as_known_server_error(error, name)
        if known_error is None:
            raise
        raise known_error from error
