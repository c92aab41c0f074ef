"""What the Runs page has done in workers. Services are imported here late: the first paint must not wait for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotator.jobs.progress import Progress
from annotator.model.release_rows import ReleaseRow
from annotator.model.rows import Changes, RunRow
from annotator.model.run_rows import CauseRow, RequestLog, RequestRow, RunItemRow, ScoreSetRow, SetupRow
from annotator.ui.words import tr, tr_count

if TYPE_CHECKING:
    from annotator.evaluation.presets import Protocol
    from annotator.services.run_engine import RunLive
    from annotator.services.run_plan import RunForecast, RunSpec

# A store's type would load SQLModel before the first paint, so these take it as an object.
Store = Any


@dataclass(frozen=True, slots=True)
class Wish:
    """What the form says, as it was typed; empty means the protocol's or the endpoint's own value."""

    release: str
    model: str
    endpoint: str
    key_name: str
    protocol: str
    samples: str = ""
    temperature: str = ""
    top_p: str = ""
    max_tokens: str = ""
    jobs: str = ""
    cap: str = ""
    price_in: str = ""
    price_out: str = ""
    executor: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """What the page shows: releases, runs, and what runs can be set up with."""

    releases: tuple[ReleaseRow, ...]
    runs: tuple[RunRow, ...]
    endpoints: tuple[SetupRow, ...]
    protocols: tuple[Protocol, ...]


class LiveBox:
    """Where a worker leaves how far a run is, for the page to read when it is told to look."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self.live: RunLive | None = None

    def take(self, live: RunLive) -> None:
        """Replace what is held."""
        self.live = live


def state(store: Store) -> State:
    """Read what the page shows."""
    from annotator.services import releasing, run_setup, running

    endpoints = run_setup.current(store, "endpoint")
    return State(releasing.releases(store), running.runs(store), endpoints, run_setup.protocols(store))


def runs(store: Store) -> tuple[RunRow, ...]:
    """Read the runs alone: while one goes on, nothing else changes."""
    from annotator.services import running

    return running.runs(store)


def spec_of(store: Store, wish: Wish) -> RunSpec:
    """Return the run that a form asks for. Raises `BadInputError` naming the field that does not fit."""
    from dataclasses import replace

    from annotator.base.errors import BadInputError
    from annotator.llm import Endpoint, Price
    from annotator.services import run_setup
    from annotator.services.run_plan import RunSpec

    if not wish.model:
        raise BadInputError(tr("Give the model by the name the endpoint knows it by."))
    names = {row.name for row in run_setup.current(store, "endpoint")}
    kept = wish.endpoint in names
    endpoint = run_setup.endpoint_named(store, wish.endpoint) if kept else Endpoint(wish.endpoint)
    if wish.key_name:
        endpoint = replace(endpoint, key_name=wish.key_name)
    if wish.jobs:
        endpoint = replace(endpoint, concurrency=int(_number(wish.jobs, tr("Requests at once"), whole=True)))
    decoding = {
        "temperature": _number(wish.temperature, tr("The temperature")) if wish.temperature else None,
        "top_p": _number(wish.top_p, tr("Top-p")) if wish.top_p else None,
        "max_tokens": int(_number(wish.max_tokens, tr("The limit of tokens"), whole=True)) if wish.max_tokens else None,
    }
    protocol = run_setup.adjusted(
        run_setup.protocol_named(store, wish.protocol),
        samples=int(_number(wish.samples, tr("The samples"), whole=True)) if wish.samples else None,
        decoding=decoding,
    )
    price = run_setup.price_of(store, wish.model)
    if wish.price_in or wish.price_out:
        price = Price(
            wish.model, _number(wish.price_in, tr("The price in")), _number(wish.price_out, tr("The price out"))
        )
    cap = _number(wish.cap, tr("The cap")) if wish.cap else None
    return RunSpec(wish.model, protocol, endpoint, wish.release or None, price, cap, wish.executor or "local")


def _number(text: str, what: str, *, whole: bool = False) -> float:
    from annotator.base.errors import BadInputError

    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9 or (whole and (value < 1 or not value.is_integer())):
        raise BadInputError(
            tr(
                "{what} must be a {words}.",
                what=what,
                words=tr("whole number above 0") if whole else tr("number, 0 or more"),
            )
        )
    return value


def forecast(store: Store, wish: Wish) -> RunForecast:
    """Say what a run would take."""
    from annotator.services import run_plan

    return run_plan.forecast_run(store, spec_of(store, wish))


def plan(store: Store, wish: Wish) -> tuple[str, Changes]:
    """Put a run into the queue."""
    from annotator.services import run_plan

    return run_plan.plan_run(store, spec_of(store, wish))


def resume(store: Store, run_id: str, box: LiveBox, progress: Progress) -> tuple[RunRow, Changes]:
    """Carry out a run that waits, or go on with one."""
    from annotator.services import running

    return running.resume(store, run_id, progress, box.take)


def retry(store: Store, run_id: str, box: LiveBox, progress: Progress) -> tuple[RunRow, Changes]:
    """Complete what failed in machinery."""
    from annotator.services import running

    return running.retry(store, run_id, progress, box.take)


def replay(store: Store, version: str | None, path: Path, progress: Progress) -> tuple[tuple[RunRow, ...], Changes]:
    """Score a file of recorded responses."""
    from annotator.services import running

    return running.start_replay(store, version, path, (), progress)


def stop(store: Store, run_id: str) -> Changes:
    """Take a run out of the queue."""
    from annotator.services import running

    return running.stop(store, run_id)


def rescore(store: Store, run_id: str, progress: Progress) -> tuple[Any, Changes]:
    """Score a run again with the project's criteria."""
    from annotator.services import rescoring

    return rescoring.rescore(store, run_id, rescoring.PROJECT, progress)


def use_scores(store: Store, run_id: str, set_id: str) -> Changes:
    """Let other scores of a run count."""
    from annotator.services import rescoring

    return rescoring.use_scores(store, run_id, set_id)


def keep_endpoint(store: Store, name: str, wish: Wish) -> Changes:
    """Keep an address with its key's name in the project."""
    from annotator.services import run_setup

    jobs = int(_number(wish.jobs, tr("Requests at once"), whole=True)) if wish.jobs else 16
    row = {"base_url": wish.endpoint, "key_name": wish.key_name, "concurrency": jobs}
    return run_setup.save(store, "endpoint", name, row)


@dataclass(frozen=True, slots=True)
class Detail:
    """What is known of one run beside its row."""

    run_id: str
    items: tuple[RunItemRow, ...] = ()
    causes: tuple[CauseRow, ...] = ()
    requests: tuple[RequestRow, ...] = ()
    compared: tuple[tuple[str, tuple[str, ...], bool], ...] = ()
    sets: tuple[ScoreSetRow, ...] = ()


def detail(store: Store, run_id: str, face: str, other: str) -> Detail:
    """Read one face of a run: items, errors, requests, settings (beside another run's) or scores."""
    from annotator.services import rescoring, run_log

    if face == "Errors":
        return Detail(run_id, causes=run_log.causes(store, run_id))
    if face == "Requests":
        return Detail(run_id, requests=run_log.requests(store, run_id))
    if face == "Settings":
        return Detail(run_id, compared=run_log.compare_settings(store, [run_id, *([other] if other else [])]))
    if face == "Scores":
        return Detail(run_id, sets=rescoring.score_sets(store, run_id))
    return Detail(run_id, items=run_log.items(store, run_id))


def request_log(store: Store, run_id: str, subject_id: str, sample: int) -> tuple[RequestLog, str]:
    """Read one request whole, and as text."""
    from annotator.services import run_log

    found = run_log.request_log(store, run_id, subject_id, sample)
    return found, run_log.request_text(found)


@dataclass(frozen=True, slots=True)
class SetupEntry:
    """Something runs are set up with: the project's own revision, or as it came with the application."""

    kind: str
    name: str
    content: dict[str, Any]
    own: bool = False
    version: int = 1
    annotator: str = ""
    created_at: str = ""


def setups(store: Store, kind: str) -> tuple[SetupEntry, ...]:
    """Read everything of a kind that holds in the project."""
    from dataclasses import asdict

    from annotator.evaluation.presets import PRESETS
    from annotator.evaluation.prompt_texts import TEMPLATES
    from annotator.services import run_setup

    own = {row.name: row for row in run_setup.current(store, kind)}
    found = [
        SetupEntry(kind, row.name, row.content, True, row.version, row.annotator, row.created_at)
        for row in own.values()
    ]
    if kind == "price":
        shipped = ((item.model, asdict(item)) for item in run_setup.list_prices().prices if item.model not in own)
        found += [SetupEntry(kind, name, {key: row[key] for key in row if key != "model"}) for name, row in shipped]
    if kind == "template":
        found += [SetupEntry(kind, item.name, dict(item.as_json())) for item in TEMPLATES if item.name not in own]
    if kind == "protocol":
        found += [SetupEntry(kind, item.name, item.as_json()) for item in PRESETS if item.name not in own]
    return tuple(found)


def save_setup(store: Store, kind: str, name: str, content: dict[str, Any]) -> Changes:
    """Save a revision; a protocol goes by the name that is written in it."""
    from annotator.services import run_setup

    named = str(content.get("name") or name) if kind == "protocol" else name
    own = {"template": ("name", "version"), "price": ("model",), "protocol": ("name",)}.get(kind, ())
    return run_setup.save(store, kind, named, {key: value for key, value in content.items() if key not in own})


def remove_setup(store: Store, kind: str, name: str) -> Changes:
    """Take the project's own away; what came with the application holds again."""
    from annotator.services import run_setup

    return run_setup.remove(store, kind, name)


def summary(result: tuple[RunRow, Changes]) -> str:
    """Say how a run ended."""
    run = result[0]
    ending = f" {run.reason}" if run.reason else ""
    return tr(
        "Run of {model} {state}: {done} of {expected} responses scored.{ending}",
        model=run.model,
        state=run.state,
        done=f"{run.done:,}",
        expected=f"{run.expected:,}",
        ending=ending,
    )


def summary_of_all(result: tuple[tuple[RunRow, ...], Changes]) -> str:
    """Say how many recorded responses were scored."""
    count = sum(run.done for run in result[0])
    answers = tr_count("{count} response", "{count} responses", count)
    models = tr_count("{count} model", "{count} models", len(result[0]))
    return tr("{answers} of {models} scored.", answers=answers, models=models)


def rescored_words(result: tuple[Any, Changes]) -> str:
    """Say what scoring again changed."""
    report = result[0]
    before, after = ("n/a" if value is None else f"{value * 100:.2f} %" for value in (report.before, report.after))
    return tr(
        "Scored again: {before} before, {after} now; {count} of {responses} scores differ.",
        before=before,
        after=after,
        count=len(report.differing),
        responses=report.responses,
    )


RunAct = Callable[[Store, str, LiveBox, Progress], tuple[RunRow, Changes]]
