"""From what a person wants to a run on disk: the forecast, the checks before the start, the plan itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.base.secrets import find_key
from annotator.evaluation.cost_cap import Budget
from annotator.evaluation.forecast import Forecast, forecast
from annotator.evaluation.items import Item, text_of
from annotator.evaluation.planning import PlannedRequest, plan
from annotator.evaluation.presets import Pass, Protocol, describe, parse_protocol, preset
from annotator.evaluation.scoring import grader_of
from annotator.llm.prices import Price, parse_prices
from annotator.llm.requests import Decoding, Endpoint
from annotator.model.changes import Changes
from annotator.model.tables.run import Run
from annotator.model.vocabulary import RunState
from annotator.sandbox.modes import read_mode
from annotator.services.runs.run_setups import parse_endpoint
from annotator.store.file.project_file import ProjectFile
from annotator.store.history import undo_log
from annotator.store.runs import releases, run_data, runs

RELEASED = "release"
"""The source of scores made with a run's own release."""
BATCH_S = 86_400.0
"""How long a batch may take at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """What a run is to be: one model behind one endpoint, one protocol, on one release (None: the newest).

    ``cap`` is the most it may cost, in the price's currency. ``again`` pays anew for what was answered before.
    ``executor`` is where responses are scored. ``batch`` asks by the endpoint's batch interface: cheaper, within a day.
    """

    model: str
    protocol: Protocol
    endpoint: Endpoint
    version: str | None = None
    price: Price | None = None
    cap: float | None = None
    executor: str = "local"
    again: bool = False
    batch: bool = False

    @property
    def paid(self) -> Price | None:
        """The price that is paid, which is lower in a batch."""
        return self.price.times(self.endpoint.batch_factor) if self.batch and self.price else self.price


@dataclass(frozen=True, slots=True, kw_only=True)
class RunForecast:
    """What a run will take. ``known`` requests have an answer already and cost nothing.

    ``batch_factor`` is the part of the price that is paid in a batch, None for single requests. ``left_out`` names what
    the protocol asks for and the endpoint's service does not take, such as a seed.
    """

    version: str
    items: int
    samples: int
    known: int
    forecast: Forecast
    protocol: tuple[tuple[str, str], ...]
    batch_factor: float | None = None
    left_out: tuple[str, ...] = ()


def engine_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return a released item as presets and scoring read it: its files lie in ``extra`` with the rest."""
    extra = item.get("extra") or {}
    return {**item, "extra": {**extra, "files": item.get("files") or extra.get("files") or {}}}


def score_hash(item: Item, protocol: Protocol) -> str:
    """Return what a score hangs on besides the response: the criterion with its files, else the tests.

    What tests make of an answer hangs on the protocol too (a base model's answer goes on from the prompt).
    """
    source = item.get("criterion") or ""
    mode = read_mode(item.get("mode"))
    forced: list[object] = [mode.name] if mode is not None and mode.forced else []
    if protocol.test_timeout_s:
        forced.append({"test_timeout_s": protocol.test_timeout_s})
    if source:
        files = (item.get("extra") or {}).get("files") or {}
        return content_hash([source, files, *forced]) if files or forced else content_hash(source)
    stops = sorted({stop for one in protocol.passes for stop in one.decoding.stop})
    parts = [text_of(item, "context"), text_of(item, "original_prompt", "prompt"), text_of(item, "entry_point")]
    # What a grader reads beside the tests counts as they do.
    made = [item.get("extra"), text_of(item, "reference")] if grader_of(item) else []
    tests = list(item.get("tests") or ())
    # Version 0.1 gave all tests of an item the longest of their limits.
    own = ["own limits"] if len({test.get("timeout") for test in tests}) > 1 else []
    rest = [*made, *forced, *own]
    return content_hash([tests, parts, protocol.form, protocol.complete_imports, stops, *rest])


def score_hashes(items: Iterable[Mapping[str, Any]], protocol: Protocol) -> dict[str, str]:
    """Return what the scores of each item hang on, by subject id."""
    return {str(item["id"]): score_hash(engine_item(item), protocol) for item in items}


def items_of_run(store: ProjectFile, run: Run) -> list[dict[str, Any]]:
    """Return the items of a run's release as the engine takes them."""
    with store.read() as db:
        return [engine_item(item) for item in releases.items_of(db, run.release_id)]


def protocol_of(run: Run) -> Protocol:
    """Return the protocol a run was started with; recorded responses have one that only counts samples."""
    row = run.settings.get("protocol")
    return parse_protocol(row) if row else recorded_protocol(run.samples)


def recorded_protocol(samples: int) -> Protocol:
    """Return the protocol of responses made elsewhere: how they were decoded is not known."""
    return replace(
        preset("plain"), name="recorded", title="Recorded responses", passes=(Pass(Decoding(), max(1, samples)),)
    )


def endpoint_of(run: Run) -> Endpoint | None:
    """Return the endpoint a run asks, None for one of recorded responses."""
    row = run.settings.get("endpoint")
    return parse_endpoint(row) if row else None


def price_of_run(run: Run) -> Price | None:
    """Return the price that a run's costs are counted with."""
    row, endpoint = run.settings.get("price"), endpoint_of(run)
    price = parse_prices([row]).prices[0] if row else None
    return price.times(endpoint.batch_factor) if price and endpoint and is_batch(run) else price


def is_batch(run: Run) -> bool:
    """Return whether a run asks by the endpoint's batch interface."""
    return bool(run.settings.get("batch"))


def planned_of(run: Run, model: str, items: Sequence[Item]) -> Iterator[PlannedRequest]:
    """Yield every request of a run. Raises `BadInputError` for a run that asks no endpoint."""
    endpoint = endpoint_of(run)
    if endpoint is None:
        raise BadInputError("This run is of recorded responses; it asks nobody.")
    return plan(items, protocol_of(run), model, endpoint, again=int(run.settings.get("again", 0)))


def forecast_run(store: ProjectFile, spec: RunSpec) -> RunForecast:
    """Say what a run will take: calls, tokens, time and cost of what has no answer yet (runs specification).

    Raises `BadInputError` for an empty release, an item that the protocol cannot ask, a cap without a price, and what
    the endpoint's service is known not to do.
    """
    Budget(spec.cap, spec.price)
    left_out = _find_left_out(spec)
    with store.read() as db:
        release = releases.find(db, spec.version)
        items = [engine_item(item) for item in releases.items_of(db, release.id)]
        model = runs.find_model(db, spec.model)
        known = run_data.known_hashes(db, model.id) if model else set[str]()
        history = run_data.answer_history(db, model.id if model else None)
        again = _again(runs.settings_of_model(db, model.id) if model and spec.again else ())
    wanted = list(plan(items, spec.protocol, spec.model, spec.endpoint, again=again))
    new = [item for item in wanted if item.hash not in known]
    found, factor = forecast(new, spec.paid, spec.endpoint.concurrency, history), None
    if spec.batch:
        found, factor = replace(found, seconds=BATCH_S, seconds_range=(0.0, BATCH_S)), spec.endpoint.batch_factor
    return RunForecast(
        version=release.version,
        items=len(items),
        samples=spec.protocol.samples,
        known=len(wanted) - len(new),
        forecast=found,
        protocol=describe(spec.protocol),
        batch_factor=factor,
        left_out=left_out,
    )


def _find_left_out(spec: RunSpec) -> tuple[str, ...]:
    service = spec.endpoint.service
    if spec.batch and service is not None and not service.batches:
        raise BadInputError(f"{service.title} takes no batches in OpenAI's way. Ask without a batch.")
    found = (spec.endpoint.left_out(spec.protocol.form, one.decoding) for one in spec.protocol.passes)
    return tuple(dict.fromkeys(name for names in found for name in names))


def _again(earlier: Iterable[Mapping[str, Any]]) -> int:
    """Return a number that none of a model's runs had: then no request is known. 0 without earlier runs."""
    return max((int(settings.get("again", 0)) + 1 for settings in earlier), default=0)


def plan_run(store: ProjectFile, spec: RunSpec) -> tuple[str, Changes]:
    """Write a run in state planned (it waits in the queue); returns its id. Nothing is asked yet.

    Raises what `forecast_run` raises, and `MissingEnvironmentError` if the key that is named is not there.
    """
    forecast_run(store, spec)
    if spec.endpoint.key_name and not find_key(spec.endpoint.key_name):
        raise MissingEnvironmentError(
            f"There is no key under the name {spec.endpoint.key_name}. Set the environment variable of that name, or "
            "store the key in the system's keyring, and try again. No run was made."
        )
    # The endpoint's name stands for it in the cache's keys, so a server that moves keeps what it answered.
    endpoint = replace(spec.endpoint, name=spec.endpoint.identity)
    label = Message("Run of {model} ({protocol})", model=spec.model, protocol=spec.protocol.name)
    with store.write(durable=False) as db:
        release = releases.find(db, spec.version)
        model = runs.find_model(db, spec.model)
        settings = {
            "protocol": spec.protocol.as_json(),
            "endpoint": asdict(endpoint),
            "price": asdict(spec.price) if spec.price else None,
            "cap": spec.cap,
            "executor": spec.executor,
            "batch": spec.batch,
            "again": _again(runs.settings_of_model(db, model.id) if model and spec.again else ()),
        }
        hashes = score_hashes(releases.items_of(db, release.id), spec.protocol)
        who, protocol = store.annotator.id, spec.protocol
        run = runs.start(
            db,
            annotator_id=who,
            release_id=release.id,
            model=spec.model,
            preset=protocol.name,
            samples=protocol.samples,
            settings=settings,
            state=RunState.PLANNED,
        )
        runs.choose_set(db, run.id, runs.new_set(db, run.id, who, RELEASED, hashes).id)
        undo_log.record_event(db, who, label, ["run"])
        run_id = run.id
    return run_id, Changes(frozenset({"run"}), label=label)


def change_settings(store: ProjectFile, run_id: str, **new: Any) -> Changes:
    """Change what may change between two parts of a run: base_url, key_name, concurrency, cap, price, executor.

    None leaves a setting as it is. Raises `BadInputError` for a value that does not fit.
    """
    with store.write(durable=False) as db:
        run = run_data.find(db, run_id)
        endpoint = endpoint_of(run)
        moved = {name: new[name] for name in ("base_url", "key_name", "concurrency") if new.get(name) is not None}
        settings = dict(run.settings)
        if moved:
            if endpoint is None:
                raise BadInputError("This run is of recorded responses, so it has no endpoint to change.")
            settings["endpoint"] = asdict(replace(endpoint, **moved))
        if new.get("price") is not None:
            settings["price"] = asdict(new["price"])
        settings |= {name: new[name] for name in ("cap", "executor") if new.get(name) is not None}
        run.settings = settings
        Budget(settings.get("cap"), price_of_run(run))
        db.add(run)
    return Changes(frozenset({"run"}))
