"""Options of run commands, and the endpoint, protocol and price that they select."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from annotator.base.errors import UsageError
from annotator.cli.command import Option, Texts, parse_amount, parse_integer, parse_whole
from annotator.cli.output import read_json
from annotator.evaluation.forecast import format_seconds
from annotator.evaluation.presets import Protocol, parse_protocol, sweep_protocol
from annotator.llm.prices import Price
from annotator.llm.requests import Endpoint
from annotator.services.runs import run_setups
from annotator.services.runs.run_plan import RunForecast, RunSpec
from annotator.store.file.project_file import ProjectFile


@dataclass(frozen=True)
class ServerOptions:
    """The server, and the number of concurrent requests."""

    base_url: Annotated[str | None, Option("U", "OpenAI-compatible endpoint, such as http://localhost:8000/v1")] = None
    key_name: Annotated[
        str | None, Option("NAME", "environment variable or keyring entry that holds the key; never the key itself")
    ] = None
    jobs: Annotated[int | None, Option("N", "parallel requests; default: 16", parse=parse_whole)] = None


@dataclass(frozen=True)
class WireOptions:
    """How to communicate with the server."""

    endpoint: Annotated[str | None, Option("NAME", "endpoint of the project, or anthropic, google, openai")] = None
    stream: Annotated[bool, Option(help="stream answers, for slow servers")] = False
    token_field: Annotated[
        Literal["max_tokens", "max_completion_tokens"] | None,
        Option(
            help="the field in which the server expects the token limit",
            choices=("max_tokens", "max_completion_tokens"),
        ),
    ] = None
    timeout: Annotated[float | None, Option("S", "seconds without a reply before a retry", parse=parse_amount)] = None


@dataclass(frozen=True)
class ModelOptions:
    """The model that makes suggestions, and its endpoint."""

    model: Annotated[str, Option("M", "name of the model at the endpoint")]
    base_url: Annotated[str | None, Option("U", "an OpenAI-compatible endpoint")] = None
    endpoint: Annotated[str | None, Option("NAME", "endpoint of the project to use instead")] = None
    key_name: Annotated[str | None, Option("NAME", "environment variable or keyring entry that holds the key")] = None

    def find_endpoint(self, store: ProjectFile) -> Endpoint:
        """Return the selected endpoint. Raises `UsageError` if none is given."""
        endpoint = _select_endpoint(store, self.base_url, self.endpoint)
        return replace(endpoint, key_name=self.key_name) if self.key_name is not None else endpoint


@dataclass(frozen=True, kw_only=True)
class MoneyOptions:
    """Prices and the cap."""

    cap: Annotated[
        float | None, Option("X", "pause when the next request could cost more than this", parse=parse_amount)
    ] = None
    price_in: Annotated[float | None, Option("X", "price of a million prompt tokens", parse=parse_amount)] = None
    price_out: Annotated[float | None, Option("X", "price of a million answer tokens", parse=parse_amount)] = None
    price_cached: Annotated[
        float | None, Option("X", "price of a million prompt tokens from the endpoint's cache", parse=parse_amount)
    ] = None
    currency: Annotated[str, Option("C", "default: USD")] = "USD"

    @property
    def has_price(self) -> bool:
        """Whether a price is given on the command line."""
        return any(price is not None for price in (self.price_in, self.price_out, self.price_cached))

    def price_of(self, store: ProjectFile, model: str, endpoint: str = "") -> Price | None:
        """Return the price on the command line, else that of the endpoint or the project's table, else None."""
        if not self.has_price:
            return run_setups.price_of(store, model, endpoint)
        if self.price_in is None or self.price_out is None:
            raise UsageError("Give both --price-in and --price-out, or neither.")
        return Price(
            model=model,
            input=self.price_in,
            output=self.price_out,
            currency=self.currency,
            cached_input=self.price_cached,
        )


@dataclass(frozen=True, kw_only=True)
class ProtocolOptions:
    """How to ask."""

    preset: Annotated[str | None, Option("P", "a protocol; annotator run presets lists them; default: plain")] = None
    protocol: Annotated[Path | None, Option("F.json", "a protocol of your own, as run presets prints")] = None
    samples: Annotated[int | None, Option("N", "answers per item, instead of the protocol's", parse=parse_whole)] = None
    temperature: Annotated[float | None, Option("X", "instead of the protocol's", parse=parse_amount)] = None
    top_p: Annotated[float | None, Option("X", "instead of the protocol's", parse=parse_amount)] = None
    top_k: Annotated[int | None, Option("N", "instead of the protocol's", parse=parse_integer)] = None
    max_tokens: Annotated[int | None, Option("N", "instead of the protocol's", parse=parse_whole)] = None
    seed: Annotated[int | None, Option("N", "instead of the protocol's", parse=parse_integer)] = None
    form: Annotated[
        str | None, Option(help="completion lets a base model continue the text", choices=("chat", "completion"))
    ] = None
    test_timeout: Annotated[
        float | None,
        Option("S", "seconds per test without its own limit, instead of the protocol's", parse=parse_amount),
    ] = None
    sweep: Annotated[
        Texts, Option("NAME=V,V", "one run per value of temperature, top_p, top_k or max_tokens; may be repeated")
    ] = ()
    grid: Annotated[bool, Option(help="sweep every combination")] = False

    def find(self, store: ProjectFile) -> Protocol:
        """Return the selected protocol with its values overridden by the command line."""
        if self.preset and self.protocol:
            raise UsageError("Give either --preset or --protocol, not both.")
        if self.protocol:
            protocol = run_setups.add_templates(store, parse_protocol(read_json(self.protocol)))
        else:
            protocol = run_setups.protocol_named(store, self.preset or "plain")
        decoding = {name: getattr(self, name) for name in ("temperature", "top_p", "top_k", "max_tokens", "seed")}
        return run_setups.adjust_protocol(
            protocol, samples=self.samples, form=self.form, decoding=decoding, test_timeout_s=self.test_timeout
        )

    def find_of_recorded(self, store: ProjectFile) -> Protocol | None:
        """Return the protocol that recorded responses were made with, or None if none is selected.

        Raises `UsageError` for an option that would change nothing.
        """
        if self.sweep or self.grid:
            raise UsageError("Recorded responses were made with one setting; leave out --sweep and --grid.")
        if self.preset or self.protocol:
            return self.find(store)
        if replace(self, test_timeout=None) != ProtocolOptions():
            raise UsageError(
                "--samples, --temperature, --top-p, --top-k, --max-tokens, --seed and --form change a protocol. "
                "Name the one that the responses were made with: --preset or --protocol."
            )
        return None

    def find_all(self, store: ProjectFile) -> tuple[Protocol, ...]:
        """Return one protocol, or one per setting of a sweep."""
        base = self.find(store)
        if not self.sweep:
            return (base,)
        values: dict[str, list[float]] = {}
        for text in self.sweep:
            name, equals, values_text = text.partition("=")
            try:
                numbers = [float(item) for item in values_text.split(",")]
            except ValueError:
                numbers = []
            if not equals or not numbers:
                raise UsageError(f"{text} is not a sweep such as temperature=0,0.2,0.8.")
            name = name.replace("-", "_")
            takes_integers = name in ("top_k", "max_tokens")
            values[name] = [int(item) if takes_integers and item.is_integer() else item for item in numbers]
        return sweep_protocol(base, values, grid=self.grid)


def find_endpoint(store: ProjectFile, server: ServerOptions, wire: WireOptions) -> Endpoint:
    """Return the selected endpoint with its overrides for a run. Raises `UsageError` if none is given."""
    endpoint = _select_endpoint(store, server.base_url, wire.endpoint, ", or --replay")
    return replace(
        endpoint,
        key_name=endpoint.key_name if server.key_name is None else server.key_name,
        concurrency=server.jobs or endpoint.concurrency,
        stream=wire.stream or endpoint.stream,
        token_field=wire.token_field or endpoint.token_field,
        read_s=endpoint.read_s if wire.timeout is None else wire.timeout,
        total_s=max(endpoint.total_s, wire.timeout or 0),
    )


def _select_endpoint(store: ProjectFile, base_url: str | None, name: str | None, instead: str = "") -> Endpoint:
    if base_url and not name:
        return Endpoint(base_url=base_url)
    if name and not base_url:
        return run_setups.endpoint_named(store, name)
    raise UsageError(f"Give either --base-url with an address, or --endpoint with the name of one{instead}.")


def describe_forecast(spec: RunSpec, plan: RunForecast) -> str:
    """Return a text on the expected calls, tokens, time and cost of a run."""
    forecast = plan.forecast
    low, high = (format_seconds(seconds) for seconds in forecast.seconds_range)
    time = format_seconds(forecast.seconds) + (f" ({low} to {high})" if low != high else "")
    batch = ""
    if plan.batch_factor is not None:
        time = "24 h at most, in batches"
        batch = f" in batches ({plan.batch_factor:g} times the price)"
    priced = f" (prices of {forecast.priced})" if forecast.priced else ""
    cost = "cost unknown (no price is set)"
    if forecast.cost_texts is not None:
        value, lowest, highest = forecast.cost_texts
        cost = f"cost about {value} {forecast.currency} ({lowest} to {highest}){batch}{priced}"
    lines = [
        f"{spec.model} on release {plan.version}, {spec.protocol.title}",
        f"  {plan.items} items, {plan.samples} sample{'s' * (plan.samples > 1)} each: {forecast.calls:,} calls"
        + (f", {plan.known:,} already answered" if plan.known else ""),
        f"  about {forecast.prompt_tokens:,} prompt and {forecast.completion_tokens:,} answer tokens"
        f" ({forecast.basis})",
        f"  about {time}; {cost}" + (f", cap {spec.cap:g}" if spec.cap is not None else ""),
    ]
    if plan.left_out:
        lines.append(f"  left out because the endpoint does not support it: {', '.join(plan.left_out)}")
    return "\n".join(lines)
