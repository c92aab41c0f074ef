"""Errors that a user can act on, as opposed to bugs, and the exit codes of commands."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit statuses of commands; scripts depend on them."""

    DONE = 0
    BUG = 1
    USAGE = 2
    BAD_INPUT = 3
    ENVIRONMENT = 4
    INTERRUPTED = 5


class KnownError(Exception):
    """An error that is not a bug: a sentence saying what happened, what was kept and what to do.

    Anything else that escapes is a bug and is reported with a stack trace.
    """

    exit_code: ExitCode = ExitCode.BAD_INPUT

    def __init__(self, message: str, *, details: tuple[str, ...] = ()) -> None:
        """Store the message; ``details`` has one line per cause if there are several."""
        super().__init__(message)
        self.message = message
        self.details = details


class UsageError(KnownError):
    """The command line or an argument is wrong; nothing was started."""

    exit_code = ExitCode.USAGE


class BadInputError(KnownError):
    """A file, row or value given by the user cannot be used; nothing was changed."""

    exit_code = ExitCode.BAD_INPUT


class DamagedFileError(BadInputError):
    """A project file is damaged. It was left unchanged; its readable parts may be recovered."""


class PassphraseError(BadInputError):
    """A file is encrypted and needs a passphrase."""


class OthersActsError(BadInputError):
    """A file contains acts of people other than its author, which must be accepted explicitly."""


class FutureDateError(BadInputError):
    """A file contains rows dated in the future, which must be accepted explicitly."""


class MissingEnvironmentError(KnownError):
    """Something this machine needs is missing (no Docker, full disk, read-only file, locked file)."""

    exit_code = ExitCode.ENVIRONMENT


class CollisionError(MissingEnvironmentError):
    """Two people changed the same data on a server at once; nothing was saved, and a retry may succeed."""


class InterruptedWorkError(KnownError):
    """The work was cancelled or cut off and can be resumed."""

    exit_code = ExitCode.INTERRUPTED
