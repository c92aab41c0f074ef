"""Run one command: parse, call, and turn errors into messages and exit codes."""

from __future__ import annotations

import argparse
import errno
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath

from annotator.base.collecting import without_garbage_collection
from annotator.base.errors import BadInputError, ExitCode, KnownError, MissingEnvironmentError, UsageError
from annotator.base.secrets import redact
from annotator.cli.output import drop_output, json_text, write_error
from annotator.cli.parser import build_parser, refuse_unknown
from annotator.cli.progress_display import ProgressDisplay

_ERRNOS_OF_WRONG_NAMES = frozenset(
    {errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL}
)
_MAX_NAME_CHARACTERS = 60
_RESEND_DELAY_S = 0.05
"""The delay before a lost interrupt is sent again; the callback that swallowed it has returned by then."""


def run_command_line(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit status; all errors are reported, none is raised."""
    as_json = "--json" in arguments
    words = [word for word in arguments if word != "--"]
    try:
        # A command's modules take seconds to load on a busy machine.
        with ProgressDisplay(sys.stderr, "Loading annotator"):
            refuse_unknown(arguments)
            parser = build_parser(words[0] if words else "open", second="".join(words[1:2]))
    except UsageError as error:
        return _report(error, as_json)
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
        with resend_lost_interrupts():
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
            return _report(_explain_os_error(error), as_json)
        write_error(redact(traceback.format_exc()).rstrip())
        write_error("This is a bug in annotator, not in what you did. Please report the lines above.")
        return ExitCode.BUG


def _explain_os_error(error: OSError) -> KnownError:
    """Convert an OSError about a file to an error that names the file and the reason."""
    name = PurePath(str(error.filename)).name
    file_name = name if len(name) <= _MAX_NAME_CHARACTERS else f"{name[:_MAX_NAME_CHARACTERS]}…"
    error_class = BadInputError if error.errno in _ERRNOS_OF_WRONG_NAMES else MissingEnvironmentError
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


@contextmanager
def resend_lost_interrupts() -> Iterator[None]:
    """Resend a KeyboardInterrupt that was raised in a finalizer or a weak reference callback.

    Python only reports such an exception (`sys.unraisablehook`) and continues, so Ctrl+C would have no effect.
    """
    earlier_hook = sys.unraisablehook
    timers: list[threading.Timer] = []

    def resend_interrupt(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            earlier_hook(lost)
            return
        timer = threading.Timer(_RESEND_DELAY_S, _interrupt_main_thread)
        timer.daemon = True
        timers.append(timer)
        timer.start()

    sys.unraisablehook = resend_interrupt
    try:
        yield
    finally:
        sys.unraisablehook = earlier_hook
        for timer in timers:
            timer.cancel()


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if sys.platform == "win32" or main is None:
        signal.raise_signal(signal.SIGINT)
    else:  # only a signal to the main thread itself wakes it from a blocking call
        signal.pthread_kill(main, signal.SIGINT)
