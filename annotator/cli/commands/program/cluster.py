"""Start a cluster of scoring workers, or join one."""

from typing import Annotated

from annotator.cli.command import Argument, Option, command
from annotator.cli.interruption import sigterm_as_interrupt
from annotator.cli.numbers import parse_port, parse_whole
from annotator.cli.output import CommandAnswer, write_error
from annotator.services.program.cluster import join_cluster, serve_cluster

_PORT = 8786
_Workers = Annotated[int, Option("N", "number of scoring processes on this machine", parse=parse_whole)]


@command("cluster start", "annotator cluster start --workers 4")
@sigterm_as_interrupt()
def start_cluster(
    *,
    workers: _Workers = 2,
    host: Annotated[
        str, Option("H", "address of this machine for others; anyone who can reach it can run programs here")
    ] = "127.0.0.1",
    port: Annotated[int, Option("N", "default: 8786", parse=parse_port)] = _PORT,
) -> CommandAnswer:
    """Start a scheduler with workers, until Ctrl+C."""
    serve_cluster(host, port, workers, _print_advice)
    return CommandAnswer({}, "")


@command("cluster join", "annotator cluster join 10.0.0.5:8786 --workers 4")
@sigterm_as_interrupt()
def join_scheduler(
    *, address: Annotated[str, Argument("HOST:PORT", "address of the scheduler")], workers: _Workers = 2
) -> CommandAnswer:
    """Start workers for a scheduler on another machine, until Ctrl+C."""
    join_cluster(address, workers, _print_advice)
    return CommandAnswer({}, "")


def _print_advice(address: str) -> None:
    write_error(f"Score here with: --executor dask://{address}")
