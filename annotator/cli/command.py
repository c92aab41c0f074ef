"""Declare commands: one decorated function holds a command's name, example, typed arguments and body."""

import argparse
import dataclasses
import inspect
import json
import math
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar, get_args, get_origin

from annotator.base.addresses import Place, ServerAddress, parse_place
from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.cli.output import CommandAnswer
from annotator.cli.progress_display import ProgressDisplay

_STANDARD_INPUT = Path("-")
Body: TypeAlias = Callable[..., CommandAnswer | int]

HIDDEN = argparse.SUPPRESS
AS_LINES_HELP = "output one JSON line per row; lists are complete unless limited"
EXIT_STATUS = """exit status: 0 done, 2 usage, 3 bad input (nothing changed), 4 something is missing on this machine,
5 interrupted (run it again to continue)"""
PROJECT_HELP = "the project file, or the address of a project (postgresql+psycopg://user@host/database)"


class ArgumentContainer(Protocol):
    """A parser or an argument group."""

    def add_argument(self, *flags: str, **settings: Any) -> argparse.Action:
        """Add a positional argument or an option."""


@dataclasses.dataclass(frozen=True, eq=False)
class OneOf:
    """A group of mutually exclusive options: at most one, or exactly one if ``required``."""

    required: bool = False


FORM = OneOf()
"""The output formats of an answer: ``--json``, ``--jsonl`` and further ones of a command."""


@dataclasses.dataclass(frozen=True)
class Argument:
    """A positional argument; optional if it has a default, repeatable if it is a tuple.

    With ``stdin``, ``-`` means standard input, which the command gets as a file with that suffix. With ``piped``,
    ``-`` means the subjects named on standard input.
    """

    metavar: str | None = None
    help: str | None = None
    choices: Sequence[str] | None = None
    parse: Callable[[str], object] | None = None
    stdin: str = ""
    piped: bool = False


@dataclasses.dataclass(frozen=True)
class Option(Argument):
    """An option named after its parameter; required without a default, repeatable if a tuple, a switch if a bool."""

    flag: str = ""
    metavars: tuple[str, ...] = ()
    among: OneOf | None = None
    section: str = ""


def subjects_option(help: str) -> Option:
    """Return an option that takes subjects, from the command line or standard input."""
    return Option("ID", f"{help}; - reads them from standard input", piped=True)


@dataclasses.dataclass(frozen=True)
class OpenProject:
    """The project argument and ``--annotator``; the command gets the result of ``opener``, closed afterwards."""

    opener: Callable[[Place, str | None], AbstractContextManager[object]]
    option: bool = False


@dataclasses.dataclass(frozen=True)
class JsonSwitch:
    """Passes ``--json`` to a command that behaves differently with it; ``help`` describes how."""

    help: str = "output one JSON document"


Texts: TypeAlias = tuple[str, ...]
Subject = Annotated[str, Option("ID", "id or key of the subject")]
Note = Annotated[str, Option("N", "note to record with the change")]
Reason = Annotated[str, Option("R", "reason to record with the change")]
Anyway = Annotated[bool, Option(help="on a server: decide even if somebody else has reserved it or decided on it")]
AsEvents = Annotated[bool, JsonSwitch("report progress as JSON lines; the last one is the answer")]
Annotator = Annotated[str | None, Option("NAME", "work as this annotator of the project")]


@dataclasses.dataclass(frozen=True)
class CommandParameter:
    """An argument or option of a command, with the type and default of the function's parameter."""

    name: str
    type: object
    declared: Argument
    default: object

    @property
    def flag(self) -> str:
        """The option's name on the command line; empty for a positional argument."""
        if not isinstance(self.declared, Option):
            return ""
        return self.declared.flag or f"--{self.name.replace('_', '-')}"

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def switch(self) -> bool:
        """Whether it is an option without a value."""
        return self.type is bool

    @property
    def many(self) -> bool:
        """Whether it can be repeated."""
        return Ellipsis in get_args(_without_none(self.type))

    @property
    def metavar(self) -> str:
        """The placeholder of the value in help texts."""
        if self.switch:
            return ""
        if isinstance(self.declared, Option) and self.declared.metavars:
            return " ".join(self.declared.metavars)
        if self.declared.metavar is None and self.declared.choices is not None:
            return "|".join(self.declared.choices)
        return self.declared.metavar or self.name.upper()

    def add_to(self, container: ArgumentContainer) -> argparse.Action:
        """Add it to a parser or an argument group."""
        settings: dict[str, Any] = {"help": self.declared.help}
        if self.switch:
            return container.add_argument(self.flag, dest=self.name, action="store_true", **settings)
        # Choices are checked by the value parser and not by argparse, so that it can suggest the nearest one.
        metavar = self.declared.metavar
        choices = self.declared.choices
        if metavar is None and choices is not None:
            metavar = f"{{{','.join(choices)}}}"
        settings |= {"metavar": metavar, "type": _find_value_parser(self)}
        if not self.required:
            settings["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        if not isinstance(self.declared, Option):
            nargs = None if self.required else "?"
            if self.many:
                nargs = "+" if self.required else "*"
            return container.add_argument(self.name, nargs=nargs, **settings)
        if self.many:
            settings["action"] = "append"
        if self.declared.metavars:
            settings |= {"nargs": len(self.declared.metavars), "metavar": self.declared.metavars}
        return container.add_argument(self.flag, dest=self.name, required=self.required, **settings)


ParameterVisitor: TypeAlias = Callable[[CommandParameter, argparse.Action], None]


@dataclasses.dataclass(frozen=True)
class Command:
    """A declared command; ``name`` holds all its words, such as "queue deal".

    ``rows`` means that it answers with a list of rows; ``window`` that it shows a window, so it displays no progress.
    """

    name: str
    example: str
    body: Body
    json: bool
    rows: bool = False
    window: bool = False

    @property
    def summary(self) -> str:
        """The docstring of its function without the initial capital and the full stop, for lists of commands."""
        text = " ".join((self.body.__doc__ or self.name).split())
        return f"{text[0].lower()}{text[1:].removesuffix('.')}"

    @property
    def json_switch(self) -> JsonSwitch:
        """The command's own ``--json`` switch, or the standard one."""
        return next(_find_json_switches(self.body), JsonSwitch())

    @property
    def parameters(self) -> tuple[CommandParameter, ...]:
        """All arguments and options, including those of option bundles and of the project."""
        return tuple(
            item
            for name, kind, default in _list_parameters(self.body)
            for item in _expand_parameter(name, kind, default)
        )

    def add_to(
        self,
        add: Callable[..., argparse.ArgumentParser],
        visit: ParameterVisitor | None = None,
        subcommands: Sequence["Command"] = (),
    ) -> None:
        """Add the command's parser, which sets ``call``: a function from the parsed options to the exit status.

        ``visit`` is called with each parameter and its argparse action. ``subcommands`` are commands that begin with
        this one's name; the help lists them.
        """
        lines = "".join(f"  annotator {item.name:<20} {item.summary}\n" for item in subcommands)
        further_commands = f"further commands:\n{lines}\n" if lines else ""
        epilog = f"{further_commands}example:\n  {self.example}\n\n{EXIT_STATUS}"
        parser = add_parser(add, self.name.rpartition(" ")[2], self.summary, epilog)
        groups: dict[object, ArgumentContainer] = {}
        if self.json or self.rows:
            # Python 3.11.2 cannot write the usage of an empty group.
            output_formats = groups[FORM] = parser.add_mutually_exclusive_group()
            if self.json:
                output_formats.add_argument("--json", action="store_true", help=self.json_switch.help)
            if self.rows:
                output_formats.add_argument("--jsonl", action="store_true", help=AS_LINES_HELP)
        for item in self.parameters:
            container: ArgumentContainer = parser
            if isinstance(item.declared, Option) and item.declared.among is not None:
                among = item.declared.among
                if among not in groups:
                    groups[among] = parser.add_mutually_exclusive_group(required=among.required)
                container = groups[among]
            elif isinstance(item.declared, Option) and item.declared.section:
                section = item.declared.section
                container = groups[section] = groups.get(section) or parser.add_argument_group(section)
            action = item.add_to(container)
            if visit is not None:
                visit(item, action)
        files = [
            item.name for item in self.parameters if item.many and not item.flag and _find_value_parser(item) is Path
        ]
        parser.set_defaults(call=self.run, refuse=parser.error, repeatable="".join(files))

    def run(self, options: argparse.Namespace) -> int:
        """Open the project if the command takes one, run the body, and write its answer."""
        with ExitStack() as stack:
            if not self.window:
                stack.enter_context(_treat_sigterm_as_interrupt())
            stream = None if self.window else sys.stderr
            display = stack.enter_context(ProgressDisplay(stream, f"annotator {self.name}"))
            answer = self.body(
                **{
                    name: _resolve_argument(name, kind, options, stack, display)
                    for name, kind, _ in _list_parameters(self.body)
                }
            )
            if not isinstance(answer, CommandAnswer):
                return answer
            if sys.stdout.isatty():
                display.hide()
            answer.write(as_json=options.json, as_lines=self.rows and options.jsonl)
            if answer.follow_up is not None:
                sys.stdout.flush()
                answer.follow_up()
            return answer.status


def command(
    name: str, example: str, *, json: bool = True, rows: bool = False, window: bool = False
) -> Callable[[Body], Command]:
    """Declare a function as a command: its docstring is the summary, its parameters are the arguments.

    ``rows`` adds ``--jsonl``, for a command that answers with rows; ``window`` marks one that shows a window. A
    parameter of type `ProgressDisplay` adds nothing to the command line; it receives the display.
    """

    def declare(body: Body) -> Command:
        return Command(name, example, body, json, rows, window)

    return declare


def add_parser(
    add: Callable[..., argparse.ArgumentParser], name: str, summary: str, epilog: str = EXIT_STATUS
) -> argparse.ArgumentParser:
    """Add the parser of a command or of a group of commands."""
    return add(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def project_place(text: str) -> Place:
    """Parse the path or address of a project; a malformed address is a usage error."""
    try:
        return parse_place(text)
    except BadInputError as error:
        raise argparse.ArgumentTypeError(error.message) from error


def _list_parameters(declared: Callable[..., object]) -> list[tuple[str, object, object]]:
    """Return (name, annotation, default) of the parameters of a command's function or an option bundle."""
    return [(item.name, item.annotation, item.default) for item in inspect.signature(declared).parameters.values()]


def _find_json_switches(declared: Callable[..., object]) -> Iterator[JsonSwitch]:
    for _, kind, _ in _list_parameters(declared):
        if isinstance(kind, type):
            yield from () if kind is ProgressDisplay else _find_json_switches(kind)
        elif isinstance(get_args(kind)[1], JsonSwitch):
            yield get_args(kind)[1]


def _expand_parameter(name: str, kind: object, default: object) -> Iterator[CommandParameter]:
    """Yield the arguments and options that a parameter adds to the command line."""
    if kind is ProgressDisplay:
        return
    if isinstance(kind, type):
        for field in _list_parameters(kind):
            yield from _expand_parameter(*field)
        return
    value, declared = get_args(kind)
    if isinstance(declared, OpenProject):
        project = Option("P", PROJECT_HELP) if declared.option else Argument("PROJECT", PROJECT_HELP)
        yield CommandParameter("project", Place, project, inspect.Parameter.empty)
        yield from _expand_parameter("annotator", Annotator, None)
    elif isinstance(declared, Argument):
        yield CommandParameter(name, value, declared, default)


def _resolve_argument(
    name: str, kind: object, options: argparse.Namespace, stack: ExitStack, display: ProgressDisplay
) -> object:
    """Return the value of a parameter; an opened project is closed when ``stack`` exits."""
    if kind is ProgressDisplay:
        return display
    if isinstance(kind, type):
        return kind(
            **{
                field: _resolve_argument(field, annotation, options, stack, display)
                for field, annotation, _ in _list_parameters(kind)
            }
        )
    _, declaration = get_args(kind)
    if isinstance(declaration, OpenProject):
        return stack.enter_context(declaration.opener(options.project, options.annotator))
    value: object = getattr(options, "json" if isinstance(declaration, JsonSwitch) else name)
    value = tuple(value) if isinstance(value, list) else value
    if isinstance(declaration, Argument) and declaration.stdin:
        return stack.enter_context(_store_input(value, declaration.stdin))
    if isinstance(declaration, Argument) and declaration.piped and isinstance(value, tuple):
        return _read_piped_subjects(value)
    return value


def _parse_choice(choices: Sequence[str], default: object, text: str) -> str:
    """Return a word that is one of the choices, or the default, which argparse passes through the parser as well."""
    if text not in choices and text != default:
        matches = get_close_matches(text, choices, n=1)
        hint = f"; did you mean {matches[0]}?" if matches else ""
        raise argparse.ArgumentTypeError(f"{text} is not one of {', '.join(choices)}{hint}")
    return text


def _without_none(kind: object) -> object:
    """Return ``X`` of ``X | None``; unions of several other types stay as they are."""
    kinds = [item for item in get_args(kind) if item is not NoneType]
    return kinds[0] if NoneType in get_args(kind) and len(kinds) == 1 else kind


def _find_value_parser(item: CommandParameter) -> Callable[[str], object] | None:
    """Return the function that converts a word of the command line to the parameter's type."""
    if item.declared.parse is not None:
        return item.declared.parse
    if item.declared.choices is not None:
        return partial(_parse_choice, item.declared.choices, item.default)
    kind = _without_none(item.type)
    if get_origin(kind) is tuple:
        kind = get_args(kind)[0]
    if ServerAddress in get_args(kind):
        return project_place
    # Parameters that may be negative declare their own parser.
    if kind is int:
        return parse_count
    if kind is float:
        return parse_amount
    return Path if kind is Path else None


@contextmanager
def _store_input(value: object, suffix: str) -> Iterator[object]:
    """Yield a path or a tuple of paths with ``-`` replaced by a temporary copy of standard input.

    The copy is named ``stdin`` plus ``suffix`` and is deleted after the block.
    """
    arguments = value if isinstance(value, tuple) else (value,)
    if _STANDARD_INPUT not in arguments:
        yield value
        return
    with tempfile.TemporaryDirectory(prefix="annotator-") as folder:
        copy = Path(folder) / f"stdin{suffix}"
        try:
            with copy.open("wb") as stream:
                shutil.copyfileobj(sys.stdin.buffer, stream)
        except OSError as error:
            reason = error.strerror or str(error)
            raise MissingEnvironmentError(
                f"Standard input could not be stored ({reason}). Nothing was changed."
            ) from error
        paths = tuple(copy if path == _STANDARD_INPUT else path for path in arguments)
        yield paths if isinstance(value, tuple) else paths[0]


def _read_piped_subjects(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return subject names with ``-`` replaced by those on standard input: per line, a name or a JSON row with a key.

    Raises `BadInputError` for malformed lines, or if there are none.
    """
    if "-" not in names:
        return names
    try:
        lines = [line.strip() for line in sys.stdin.buffer.read().decode("utf-8-sig").splitlines() if line.strip()]
    except UnicodeDecodeError as error:
        raise BadInputError("Standard input is not text in UTF-8, so no subject was read from it.") from error
    input_names = tuple(_parse_subject_line(number, line) for number, line in enumerate(lines, start=1))
    if not input_names:
        raise BadInputError("Standard input names no subject. Write one per line, or pipe rows of list --jsonl.")
    return tuple(item for name in names for item in (input_names if name == "-" else (name,)))


def _parse_subject_line(number: int, line: str) -> str:
    if not line.startswith("{"):
        return line
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"Line {number} of standard input starts like JSON but is not valid JSON.") from error
    key = row.get("key") or row.get("id")
    if not isinstance(key, str):
        raise BadInputError(f"Line {number} of standard input has neither a key nor an id of a subject.")
    return key


@contextmanager
def _treat_sigterm_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM like Ctrl+C, so that a command keeps what arrived, cleans up and reports what was saved."""
    try:
        earlier_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not in the main thread, where signal handlers cannot be set
        earlier_handler = None
    try:
        yield
    finally:
        if earlier_handler is not None:
            signal.signal(signal.SIGTERM, earlier_handler)


Number = TypeVar("Number", int, float)
_MAX_INTEGER = 2**63 - 1
"""The largest integer of SQLite and PostgreSQL (signed 64 bits)."""


def parse_integer(text: str) -> int:
    """Parse a whole number, which may be negative."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text or 'an empty text'} is not a whole number") from None
    if abs(value) > _MAX_INTEGER:
        raise argparse.ArgumentTypeError(f"{text} is too large")
    return value


def parse_count(text: str) -> int:
    """Parse a whole number of at least 0."""
    return _check_range(text, parse_integer(text), 0, _MAX_INTEGER, "a whole number, 0 or more")


def parse_whole(text: str) -> int:
    """Parse a whole number above 0."""
    return _check_range(text, parse_integer(text), 1, _MAX_INTEGER, "a whole number above 0")


def parse_port(text: str) -> int:
    """Parse a port number."""
    return _check_range(text, parse_integer(text), 1, 65535, "a port, from 1 to 65535")


def parse_decimal(text: str) -> float:
    """Parse a number, which may be negative."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text or 'an empty text'} is not a number")
    return value


def parse_amount(text: str) -> float:
    """Parse a number of at least 0."""
    return _check_range(text, parse_decimal(text), 0, 1e9, "a number, 0 or more")


def parse_share(text: str) -> float:
    """Parse a share from 0 to 1."""
    return _check_range(text, parse_decimal(text), 0, 1, "a share from 0 to 1")


def _check_range(text: str, value: Number, minimum: float, maximum: float, description: str) -> Number:
    """Return a number if it is in the range; an error says that the text is not ``description``."""
    if not minimum <= value <= maximum:
        raise argparse.ArgumentTypeError(f"{text} is not {description}")
    return value
