"""Run one command: parse, call, and turn errors into messages and exit codes."""

from __future__ import annotations

import argparse
import errno
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path, PurePath

from annotator.base.collecting import without_garbage_collection
from annotator.base.errors import BadInputError, ExitCode, KnownError, MissingEnvironmentError, UsageError
from annotator.base.secrets import redact
from annotator.cli.interruption import no_interrupt_lost
from annotator.cli.misspellings import refuse_unknown
from annotator.cli.output import drop_output, json_text, write_error
from annotator.cli.parser import build_parser

_WRONG_NAMES = frozenset({errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL})
_NAME_SHOWN = 60


def run_command_line(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit status; all errors are reported, none is raised."""
    as_json = "--json" in arguments
    try:
        refuse_unknown(arguments)
    except UsageError as error:
        return _report(error, as_json)
    words = [word for word in arguments if word != "--"]
    parser = build_parser(words[0] if words else "open", second="".join(words[1:2]))
    parser.set_defaults(call=_open_window, refuse=parser.error, repeatable="")
    try:
        options, unknown = parser.parse_known_args(arguments)
        if unknown and options.repeatable and all(Path(word).exists() for word in unknown):
            # argparse fills a repeatable argument from the words before the first option, and leaves the later ones.
            getattr(options, options.repeatable).extend(map(Path, unknown))
        elif unknown:
            # An unquoted name with spaces arrives as several arguments.
            advice = "" if any(word.startswith("-") for word in unknown) else "; a name with spaces needs quotes"
            options.refuse(f"unknown arguments: {' '.join(unknown)}{advice}")
    except SystemExit as stop:
        return int(stop.code or 0)
    except UsageError as error:
        return _report(error, as_json)
    try:
        with no_interrupt_lost():
            status = int(options.call(options))
        sys.stdout.flush()
        return status
    except KnownError as error:
        return _report(error, as_json)
    except KeyboardInterrupt as stop:
        write_error(f"Interrupted. Saved work is kept; {str(stop) or 'run the command again to continue'}.")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader has finished (annotator ... | head); keep the interpreter from complaining at exit.
        drop_output()
        return ExitCode.DONE
    except Exception as error:  # noqa: BLE001 - the last resort, which reports a bug
        if isinstance(error, OSError) and error.filename and error.strerror:
            return _report(_system_refusal(error), as_json)
        write_error(redact(traceback.format_exc()).rstrip())
        write_error("This is a bug in annotator, not in what you did. Please report the lines above.")
        return ExitCode.BUG


def _system_refusal(error: OSError) -> KnownError:
    """Convert an OSError about a file to an error that names the file and the reason."""
    name = PurePath(str(error.filename)).name
    file_name = name if len(name) <= _NAME_SHOWN else f"{name[:_NAME_SHOWN]}…"
    error_class = BadInputError if error.errno in _WRONG_NAMES else MissingEnvironmentError
    return error_class(f"{file_name} cannot be used ({error.strerror}).")


def _open_window(_: argparse.Namespace) -> int:
    """Open the window without a project; called if there is no command."""
    from annotator.cli.commands.program import window  # imported late: commands do not need it

    with without_garbage_collection():
        return window.show_window(None)


def _report(error: KnownError, as_json: bool) -> int:
    message = redact(error.message)
    details = [redact(line) for line in error.details]
    if as_json:
        sys.stdout.write(json_text({"error": message, "details": details}) + "\n")
    write_error("\n".join([message, *(f"  {line}" for line in details)]) + "")
    return error.exit_code
