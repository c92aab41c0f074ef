"""From a command line to what a run is to be: endpoint, protocol, price."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.base.errors import BadInputError, UsageError

if TYPE_CHECKING:
    from annotator.evaluation.presets import Protocol
    from annotator.llm import Endpoint, Price
    from annotator.services.run_plan import RunForecast, RunSpec
    from annotator.store.project_file import ProjectFile


def add_endpoint(parser: argparse.ArgumentParser) -> None:
    """Add where to ask."""
    parser.add_argument(
        "--base-url", metavar="U", help="an OpenAI-compatible endpoint, such as http://localhost:8000/v1"
    )
    parser.add_argument(
        "--key-name", metavar="NAME", help="the environment variable or keyring entry that holds the key; never a key"
    )
    parser.add_argument("--jobs", type=_whole, metavar="N", help="requests at a time; default: 16")


def add_money(parser: argparse.ArgumentParser) -> None:
    """Add prices and the cap."""
    parser.add_argument("--cap", type=amount, metavar="X", help="pause when the next request could cost more than this")
    parser.add_argument("--price-in", type=amount, metavar="X", help="price of a million prompt tokens")
    parser.add_argument("--price-out", type=amount, metavar="X", help="price of a million answer tokens")
    parser.add_argument("--currency", default="USD", metavar="C", help="default: USD")


def add_protocol(parser: argparse.ArgumentParser) -> None:
    """Add how to ask."""
    parser.add_argument("--preset", metavar="P", help="a protocol; annotator run presets lists them; default: plain")
    parser.add_argument("--protocol", type=Path, metavar="F.json", help="a protocol of your own, as run presets prints")
    parser.add_argument("--samples", type=_whole, metavar="N", help="answers per item, instead of the protocol's")
    for name in ("temperature", "top-p"):
        parser.add_argument(f"--{name}", type=amount, metavar="X", help="instead of the protocol's")
    for name in ("top-k", "max-tokens", "seed"):
        parser.add_argument(f"--{name}", type=int, metavar="N", help="instead of the protocol's")
    parser.add_argument("--form", choices=("chat", "completion"), help="completion asks a base model to go on")
    parser.add_argument(
        "--sweep", action="append", default=[], metavar="NAME=V,V",
        help="one run per value of temperature, top_p, top_k or max_tokens; repeat it",
    )  # fmt: skip
    parser.add_argument("--grid", action="store_true", help="sweep every combination")


def _whole(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return value


def amount(text: str) -> float:
    """Read a number that is not below 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not a number, 0 or more")
    return value


def read_json(path: Path) -> Any:
    """Return a JSON file's content. Raises `BadInputError` if it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BadInputError(f"{path.name} cannot be read as JSON ({error}). Nothing was changed.") from None


def protocol_from(store: ProjectFile, options: argparse.Namespace) -> Protocol:
    """Return the protocol that is asked for, with what was given on the command line in place of its own."""
    from annotator.evaluation.presets import parse_protocol
    from annotator.services import run_setup

    if options.preset and options.protocol:
        raise UsageError("Give either --preset or --protocol, not both.")
    if options.protocol:
        found = run_setup.with_templates(store, parse_protocol(read_json(options.protocol)))
    else:
        found = run_setup.protocol_named(store, options.preset or "plain")
    given = {name: getattr(options, name) for name in ("temperature", "top_p", "top_k", "max_tokens", "seed")}
    return run_setup.adjusted(found, samples=options.samples, form=options.form, decoding=given)


def protocols_from(store: ProjectFile, options: argparse.Namespace) -> tuple[Protocol, ...]:
    """Return one protocol, or one per setting of a sweep."""
    from annotator.evaluation.sweeps import sweep

    base = protocol_from(store, options)
    if not options.sweep:
        return (base,)
    values: dict[str, list[float]] = {}
    for text in options.sweep:
        name, equals, listed = text.partition("=")
        try:
            numbers = [float(item) for item in listed.split(",")]
        except ValueError:
            numbers = []
        if not equals or not numbers:
            raise UsageError(f"{text} is not a sweep such as temperature=0,0.2,0.8.")
        whole = name.replace("-", "_") in ("top_k", "max_tokens")
        values[name.replace("-", "_")] = [int(item) if whole and item.is_integer() else item for item in numbers]
    return sweep(base, values, grid=options.grid)


def endpoint_from(store: ProjectFile, options: argparse.Namespace, instead: str = "") -> Endpoint:
    """Return the endpoint that is asked for; ``instead`` names what else would do. Raises `UsageError` if none is."""
    from annotator.llm import Endpoint
    from annotator.services import run_setup

    if bool(options.base_url) == bool(options.endpoint):
        raise UsageError(f"Give either --base-url with an address, or --endpoint with the name of one{instead}.")
    found = Endpoint(options.base_url) if options.base_url else run_setup.endpoint_named(store, options.endpoint)
    # Only a run has all of these on its command line.
    timeout = getattr(options, "timeout", None)
    given = {
        "key_name": options.key_name,
        "concurrency": getattr(options, "jobs", None),
        "stream": getattr(options, "stream", None) or None,
        "token_field": getattr(options, "token_field", None),
        "read_s": timeout,
        "total_s": max(found.total_s, timeout) if timeout else None,
    }
    return replace(found, **{name: value for name, value in given.items() if value is not None})


def price_from(store: ProjectFile, options: argparse.Namespace, model: str) -> Price | None:
    """Return the price given, else that of the project's table, else None."""
    from annotator.llm import Price
    from annotator.services import run_setup

    if options.price_in is None and options.price_out is None:
        return run_setup.price_of(store, model)
    if options.price_in is None or options.price_out is None:
        raise UsageError("Give both --price-in and --price-out, or neither.")
    return Price(model, options.price_in, options.price_out, options.currency)


def specs_from(store: ProjectFile, options: argparse.Namespace) -> list[RunSpec]:
    """Return the runs that are asked for: each model with each protocol."""
    from annotator.services.run_plan import RunSpec

    if not options.model:
        raise UsageError("Give --model with the name the endpoint knows the model by.")
    endpoint, protocols = endpoint_from(store, options, ", or --replay"), protocols_from(store, options)
    return [
        RunSpec(
            model,
            protocol,
            endpoint,
            options.release,
            price_from(store, options, model),
            options.cap,
            options.executor,
            options.again,
        )
        for model in options.model
        for protocol in protocols
    ]


def forecast_text(spec: RunSpec, found: RunForecast) -> str:
    """Say before the start what a run will take."""
    one = found.forecast
    minutes = one.seconds / 60
    time = f"{minutes:.0f} min" if minutes >= 1 else f"{one.seconds:.0f} s"
    priced = f" (prices of {one.priced})" if one.priced else ""
    cost = f"{one.cost:.2f} {one.currency}{priced}" if one.cost is not None else "not known (no price)"
    lines = [
        f"{spec.model} on release {found.version}, {spec.protocol.title}",
        f"  {found.items} items, {found.samples} samples each: {one.calls:,} calls"
        + (f", {found.known:,} answered already" if found.known else ""),
        f"  about {one.prompt_tokens:,} prompt and {one.completion_tokens:,} answer tokens ({one.basis})",
        f"  about {time}; cost about {cost}" + (f", cap {spec.cap:g}" if spec.cap is not None else ""),
    ]
    return "\n".join(lines)
