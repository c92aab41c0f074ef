"""Plan a run: forecast its cost, check its settings, and write it to the queue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotator.base.errors import BadInputError, MissingEnvironmentError
from annotator.base.ids import content_hash
from annotator.base.messages import Message
from annotator.base.secrets import find_key
from annotator.evaluation.answer_scoring import grader_of
from annotator.evaluation.forecast import Forecast, estimate_run
from annotator.evaluation.planning import PlannedRequest, plan_requests
from annotator.evaluation.presets import Pass, Protocol, describe_protocol, find_protocol_preset, parse_protocol
from annotator.evaluation.released_items import Item, text_of
from annotator.evaluation.request_queue import Budget
from annotator.llm.prices import Price, parse_prices
from annotator.llm.requests import Decoding, Endpoint
from annotator.model.changes import Changes
from annotator.model.tables.run_tables import Run
from annotator.model.vocabulary import RunState
from annotator.sandbox.modes import read_mode
from annotator.services.runs.run_setups import parse_endpoint
from annotator.store.file.project_file import ProjectFile
from annotator.store.file.writer import Session
from annotator.store.history import undo_log
from annotator.store.runs import run_data, stored_releases, stored_runs

RELEASED = "release"
"""The source of scores made with a run's own release."""
BATCH_S = 86_400.0
"""The longest time a batch may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """The settings of a new run: one model at one endpoint, one protocol, one release (None: the newest).

    ``cap`` is the most it may cost, in the price's currency. ``again`` ignores cached answers. ``executor`` is where
    responses are scored. ``batch`` uses the endpoint's batch interface, which is cheaper and takes up to a day.
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
    def effective_price(self) -> Price | None:
        """The price with the batch discount, if it applies."""
        return self.price.times(self.endpoint.batch_factor) if self.batch and self.price else self.price


@dataclass(frozen=True, slots=True, kw_only=True)
class RunForecast:
    """The forecast of a run; ``known`` requests have a cached answer and cost nothing.

    ``batch_factor`` is the share of the price to pay in a batch, None for single requests. ``left_out`` names the
    protocol's parameters that the endpoint's service does not support, such as a seed.
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
    """Return a released item in the engine's form, with its files moved into ``extra``."""
    extra = item.get("extra") or {}
    return {**item, "extra": {**extra, "files": item.get("files") or extra.get("files") or {}}}


def score_hash(item: Item, protocol: Protocol) -> str:
    """Return the hash of a score's inputs besides the response: the criterion with its files, else the tests.

    With tests it includes parts of the protocol, since a base model's answer continues the prompt.
    """
    source = item.get("criterion") or ""
    mode = read_mode(item.get("mode"))
    further_inputs: list[object] = [mode.name] if mode is not None and mode.forced else []
    if protocol.test_timeout_s:
        further_inputs.append({"test_timeout_s": protocol.test_timeout_s})
    if source:
        files = (item.get("extra") or {}).get("files") or {}
        return content_hash([source, files, *further_inputs]) if files or further_inputs else content_hash(source)
    stops = sorted({stop for sample_pass in protocol.passes for stop in sample_pass.decoding.stop})
    parts = [text_of(item, "context"), text_of(item, "original_prompt", "prompt"), text_of(item, "entry_point")]
    # A grader also reads these fields.
    grader_inputs = [item.get("extra"), text_of(item, "reference")] if grader_of(item) else []
    tests = list(item.get("tests") or ())
    # Version 0.1 gave all tests of an item the longest of their limits, so its scores need another hash.
    own_limits = ["own limits"] if len({test.get("timeout") for test in tests}) > 1 else []
    other_inputs = [*grader_inputs, *further_inputs, *own_limits]
    return content_hash([tests, parts, protocol.form, protocol.complete_imports, stops, *other_inputs])


def score_hashes(items: Iterable[Mapping[str, Any]], protocol: Protocol) -> dict[str, str]:
    """Return subject id -> `score_hash`."""
    return {str(item["id"]): score_hash(engine_item(item), protocol) for item in items}


def items_of_run(store: ProjectFile, run: Run) -> list[dict[str, Any]]:
    """Return the items of a run's release in the engine's form."""
    with store.read() as db:
        return [engine_item(item) for item in stored_releases.items_of(db, run.release_id)]


def protocol_of(run: Run) -> Protocol:
    """Return a run's protocol; for recorded responses without one, a stand-in with the number of samples."""
    row = run.settings.get("protocol")
    return parse_protocol(row) if row else recorded_protocol(run.samples)


def recorded_protocol(samples: int) -> Protocol:
    """Return a stand-in protocol for recorded responses, whose decoding is unknown."""
    return replace(
        find_protocol_preset("plain"),
        name="recorded",
        title="Recorded responses",
        passes=(Pass(Decoding(), max(1, samples)),),
    )


def endpoint_of(run: Run) -> Endpoint | None:
    """Return the endpoint of a run, None if it replays recorded responses."""
    row = run.settings.get("endpoint")
    return parse_endpoint(row) if row else None


def price_of_run(run: Run) -> Price | None:
    """Return the price used to compute a run's cost, with the batch discount if it applies."""
    row = run.settings.get("price")
    endpoint = endpoint_of(run)
    price = parse_prices([row]).prices[0] if row else None
    return price.times(endpoint.batch_factor) if price and endpoint and is_batch(run) else price


def is_batch(run: Run) -> bool:
    """Return whether a run uses the endpoint's batch interface."""
    return bool(run.settings.get("batch"))


def planned_requests(run: Run, model: str, items: Sequence[Item]) -> Iterator[PlannedRequest]:
    """Yield every request of a run. Raises `BadInputError` for a run of recorded responses."""
    endpoint = endpoint_of(run)
    if endpoint is None:
        raise BadInputError("This run replays recorded responses, so it has no requests.")
    return plan_requests(items, protocol_of(run), model, endpoint, again=int(run.settings.get("again", 0)))


def forecast_run(store: ProjectFile, spec: RunSpec) -> RunForecast:
    """Forecast calls, tokens, time and cost of a run's requests without a cached answer (runs specification).

    Raises `BadInputError` for an empty release, an item that the protocol does not support, a cap without a price, and
    features that the endpoint's service is known to lack.
    """
    Budget(spec.cap, spec.price)
    left_out = _find_left_out(spec)
    with store.read() as db:
        release = stored_releases.fetch_release(db, spec.version)
        items = [engine_item(item) for item in stored_releases.items_of(db, release.id)]
        model = stored_runs.find_model(db, spec.model)
        answered_hashes = run_data.known_hashes(db, model.id) if model else set[str]()
        history = run_data.load_answer_history(db, model.id if model else None)
        again = _choose_next_again(stored_runs.settings_of(db, model_id=model.id) if model and spec.again else ())
    requests = list(plan_requests(items, spec.protocol, spec.model, spec.endpoint, again=again))
    unanswered = [item for item in requests if item.hash not in answered_hashes]
    estimate = estimate_run(unanswered, spec.effective_price, spec.endpoint.concurrency, history)
    batch_factor = None
    if spec.batch:
        estimate = replace(estimate, seconds=BATCH_S, seconds_range=(0.0, BATCH_S))
        batch_factor = spec.endpoint.batch_factor
    return RunForecast(
        version=release.version,
        items=len(items),
        samples=spec.protocol.samples,
        known=len(requests) - len(unanswered),
        forecast=estimate,
        protocol=describe_protocol(spec.protocol),
        batch_factor=batch_factor,
        left_out=left_out,
    )


def _find_left_out(spec: RunSpec) -> tuple[str, ...]:
    service = spec.endpoint.service
    if spec.batch and service is not None and not service.batches:
        raise BadInputError(f"{service.title} does not support OpenAI's batches. Start the run without a batch.")
    ignored = (spec.endpoint.left_out(spec.protocol.form, sample_pass.decoding) for sample_pass in spec.protocol.passes)
    return tuple(dict.fromkeys(name for names in ignored for name in names))


def _choose_next_again(earlier: Iterable[Mapping[str, Any]]) -> int:
    """Return a cache-busting number that none of a model's earlier runs used, 0 if there are none."""
    return max((int(settings.get("again", 0)) + 1 for settings in earlier), default=0)


def plan_run(store: ProjectFile, spec: RunSpec) -> tuple[str, Changes]:
    """Add a run to the queue in state "planned" and return its id. No request is sent yet.

    Raises the errors of `forecast_run`, and `MissingEnvironmentError` if the endpoint's key is not set.
    """
    forecast_run(store, spec)
    if spec.endpoint.key_name and not find_key(spec.endpoint.key_name):
        raise MissingEnvironmentError(
            f"There is no key under the name {spec.endpoint.key_name}. Set the environment variable of that name, or "
            "store the key in the system's keyring, and try again. No run was created."
        )
    # Cache keys use the endpoint's name instead of its address, so a server that moves keeps its cached answers.
    endpoint = replace(spec.endpoint, name=spec.endpoint.identity)
    label = Message("Run of {model} ({protocol})", model=spec.model, protocol=spec.protocol.name)
    with store.write(durable=False) as db:
        release = stored_releases.fetch_release(db, spec.version)
        model = stored_runs.find_model(db, spec.model)
        settings = {
            "protocol": spec.protocol.as_json(),
            "endpoint": asdict(endpoint),
            "price": asdict(spec.price) if spec.price else None,
            "cap": spec.cap,
            "executor": spec.executor,
            "batch": spec.batch,
            "again": _choose_next_again(stored_runs.settings_of(db, model_id=model.id) if model and spec.again else ()),
        }
        hashes = score_hashes(stored_releases.items_of(db, release.id), spec.protocol)
        run_id = queue_run(
            db,
            annotator_id=store.annotator.id,
            release_id=release.id,
            model=spec.model,
            preset=spec.protocol.name,
            settings=settings,
            hashes=hashes,
        ).id
        undo_log.record_event(db, store.annotator.id, label, ["run"])
    return run_id, Changes(frozenset({"run"}), label=label)


def queue_run(
    db: Session,
    *,
    annotator_id: str,
    release_id: str,
    model: str,
    preset: str,
    settings: dict[str, Any],
    hashes: Mapping[str, str],
) -> Run:
    """Add a run to the queue; ``hashes`` are those of its release's own criteria, which score it at first."""
    run = stored_runs.insert_run(
        db,
        annotator_id=annotator_id,
        release_id=release_id,
        model=model,
        preset=preset,
        samples=parse_protocol(settings["protocol"]).samples,
        settings=settings,
        state=RunState.PLANNED,
    )
    score_set = stored_runs.add_score_set(db, run.id, annotator_id, RELEASED, hashes)
    stored_runs.choose_score_set(db, run.id, score_set.id)
    return run


def change_settings(store: ProjectFile, run_id: str, **new: Any) -> Changes:
    """Change settings of a run before it is resumed: base_url, key_name, concurrency, cap, price, executor.

    None leaves a setting unchanged. Raises `BadInputError` for an invalid value.
    """
    with store.write(durable=False) as db:
        run = run_data.fetch_run(db, run_id)
        endpoint = endpoint_of(run)
        endpoint_changes = {
            name: new[name] for name in ("base_url", "key_name", "concurrency") if new.get(name) is not None
        }
        settings = dict(run.settings)
        if endpoint_changes:
            if endpoint is None:
                raise BadInputError("This run replays recorded responses, so it has no endpoint to change.")
            settings["endpoint"] = asdict(replace(endpoint, **endpoint_changes))
        if new.get("price") is not None:
            settings["price"] = asdict(new["price"])
        settings |= {name: new[name] for name in ("cap", "executor") if new.get(name) is not None}
        run.settings = settings
        Budget(settings.get("cap"), price_of_run(run))
        db.add(run)
    return Changes(frozenset({"run"}))
