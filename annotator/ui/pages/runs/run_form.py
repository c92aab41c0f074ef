"""The form that starts a run, with the forecast of its calls, time and cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QInputDialog, QSizePolicy, QWidget

from annotator.base.errors import BadInputError
from annotator.evaluation.answer_scoring import TEST_SECONDS
from annotator.evaluation.presets import Protocol
from annotator.jobs.progress import Progress
from annotator.llm.prices import Price
from annotator.llm.probe import ProbeReport, plain_question, probe_endpoint
from annotator.llm.requests import Endpoint
from annotator.model.changes import Changes
from annotator.model.rows.project_rows import ReleaseRow
from annotator.model.rows.queue_rows import RunRow
from annotator.model.rows.run_rows import SetupRow
from annotator.services.runs import run_control, run_log, run_plan, run_setups
from annotator.services.runs.run_plan import RunForecast, RunSpec
from annotator.store.file.project_file import ProjectFile
from annotator.ui.app.session.session import Session
from annotator.ui.app.session.session_notices import WorkFailure
from annotator.ui.app.translation import tr, tr_count, tr_message, translate_word
from annotator.ui.pages.runs.run_detail import format_duration
from annotator.ui.pages.shared.model_suggestions import offer_endpoints
from annotator.ui.widgets.card import Card
from annotator.ui.widgets.fields import choice_box, debounce, line_edit, make_editable, refill_box
from annotator.ui.widgets.labels import OptionalLabel, button, label
from annotator.ui.widgets.layouts import fill_column, fill_layout, keep_together, make_row, make_scroll

_TYPING_MS = 400
_MIN_WIDTH = 360
_MARGINS = 26
_MIN_WIDE_HEIGHT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInput:
    """The entered texts; an empty one means the default of the protocol or the endpoint."""

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
    test_timeout: str = ""
    price_in: str = ""
    price_out: str = ""
    cap: str = ""
    executor: str = ""
    batch: bool = False


class RunForm(Card):
    """The fields of a run; the forecast follows when typing pauses. `start_requested` carries the `RunInput`."""

    start_requested = Signal(object)
    replay_requested = Signal()

    def __init__(self, session: Session, store: ProjectFile, start_key: str) -> None:
        super().__init__(tr("Start a run"))
        self._session, self._store = session, store
        self._protocols: dict[str, Protocol] = {}
        self._choices: tuple[tuple[ReleaseRow, ...], tuple[SetupRow, ...], tuple[Protocol, ...]] | None = None
        self.release, self.protocol, self.endpoint = (
            choice_box(name, letters=8) for name in (tr("Release"), tr("Protocol"), tr("Endpoint"))
        )
        self.release.setPlaceholderText(tr("none yet"))
        make_editable(self.endpoint, "http://localhost:8000/v1").setAccessibleName(tr("Address of the endpoint"))
        self.model = line_edit(tr("Model"), tr("name of the model at the endpoint"))
        self.key_name = line_edit(tr("Name of the key"), tr("variable"))
        self.key_name.setToolTip(tr("Name of the environment variable that holds the key, never the key itself"))
        self.keep_button = button(tr("Keep"), clicked=self._save_endpoint, tip=tr("Keep this address in the project"))
        tip = tr("Ask the model for one word to check the key and the model's name")
        self.test_button = button(tr("Test connection"), clicked=self._test_connection, tip=tip)
        self.small_fields = {
            name: line_edit(words)
            for name, words in (
                ("samples", tr("Samples")), ("temperature", tr("Temperature")), ("top_p", tr("Top-p")),
                ("max_tokens", tr("Token limit")), ("jobs", tr("Parallel requests")),
                ("test_timeout", tr("Time limit")), ("price_in", tr("Price in")), ("price_out", tr("Price out")),
                ("cap", tr("Cost cap")),
            )
        }  # fmt: skip
        for name, hint in (("jobs", "16"), ("cap", tr("none")), ("price_in", tr("none")), ("price_out", tr("none"))):
            self.small_fields[name].setPlaceholderText(hint)
        for name in ("price_in", "price_out"):
            self.small_fields[name].setToolTip(tr("Per million tokens; empty: from the project's price table"))
        self.small_fields["test_timeout"].setToolTip(
            tr("Seconds for a test without its own limit; empty: from the protocol")
        )
        self.executor = line_edit(tr("Where responses are scored"), tr("local, or dask://HOST:PORT"))
        self.batch = QCheckBox(tr("Use batch requests: cheaper, answered within a day"))
        self.batch.setToolTip(
            tr(
                "The endpoint answers batches of requests when it has capacity; meanwhile you can close the "
                "project and resume the run later"
            )
        )
        self.forecast = label("", "dim", wrap=True)
        self.forecast.setAccessibleName(tr("Forecast"))
        self.problem = OptionalLabel("problem")
        self.start_button = button(tr("Start"), start_key, primary=True, clicked=self.request_start)
        self.set_up_button = button(
            tr("Set up…"), tip=tr("Endpoints, prices, prompt templates and protocols of this project")
        )
        tip = tr("Score a JSON Lines file with subject, model, sample and response; each model becomes a run")
        self.recorded_button = button(tr("Recorded…"), clicked=self.replay_requested, tip=tip)
        self._typing_timer = debounce(self, _TYPING_MS, self._request_forecast)
        self._lay_out()
        for widget in (self.model, self.key_name, self.executor, *self.small_fields.values()):
            widget.textChanged.connect(self._restart_timer)
        self.batch.toggled.connect(self._restart_timer)
        self.endpoint.editTextChanged.connect(self._restart_timer)
        self.release.currentIndexChanged.connect(self._restart_timer)
        self.protocol.currentIndexChanged.connect(self._protocol_chosen)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        address_acts = keep_together(self.test_button, self.keep_button, None)
        labelled_fields: tuple[tuple[str, QWidget], ...] = (
            (tr("Release"), self.release),
            (tr("Model"), self.model),
            (tr("Endpoint"), self.endpoint),
            (tr("Key"), self.key_name),
            ("", address_acts),
            (tr("Protocol"), self.protocol),
        )
        for row, (caption, widget) in enumerate(labelled_fields):
            grid.addWidget(label(caption, "dim"), row, 0)
            grid.addWidget(widget, row, 1, 1, 3)
        first_small_row = len(labelled_fields)
        for row, widget in enumerate(self.small_fields.values()):
            grid_row, column = first_small_row + row // 2, 2 * (row % 2)
            grid.addWidget(label(widget.accessibleName(), "dim"), grid_row, column)
            grid.addWidget(widget, grid_row, column + 1)
        score_row = first_small_row + (len(self.small_fields) + 1) // 2
        grid.addWidget(label(tr("Score", "where to score responses"), "dim"), score_row, 0)
        grid.addWidget(self.executor, score_row, 1, 1, 3)
        grid.addWidget(self.batch, score_row + 1, 0, 1, 4)
        self.problem.setText("")
        self._fields = QWidget()
        fill_column(self._fields, grid, self.forecast, self.problem, None)
        # On a low screen the fields scroll, so that the Start button stays in view.
        self._area = make_scroll(self._fields)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName(tr("Start a run"))
        button_row = make_row(self.set_up_button, self.recorded_button, None, self.start_button)
        fill_layout(self.body, (self._area, 1), button_row)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def set_wide(self, is_wide: bool) -> None:
        """Fill the available width and show at least the first fields, or go back to the minimum width."""
        policy = QSizePolicy.Policy
        self.setSizePolicy(policy.Expanding if is_wide else policy.Fixed, policy.Expanding)
        self.setMinimumHeight(_MIN_WIDE_HEIGHT if is_wide else 0)

    def sizeHint(self) -> QSize:
        """Return a width at which no label is cut off, with room for the scroll bar if the text is large."""
        fields_width = self._fields.minimumSizeHint().width() + _MARGINS
        bar_width = self._area.verticalScrollBar().sizeHint().width() if fields_width > _MIN_WIDTH else 0
        return QSize(
            max(_MIN_WIDTH, fields_width + bar_width, super().minimumSizeHint().width()), super().sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        """Return the preferred width as the minimum."""
        return QSize(self.sizeHint().width(), super().minimumSizeHint().height())

    def set_choices(
        self, releases: tuple[ReleaseRow, ...], endpoints: tuple[SetupRow, ...], protocols: tuple[Protocol, ...]
    ) -> None:
        """Fill the lists of choices; current choices stay."""
        if self._choices == (releases, endpoints, protocols):
            return  # Unchanged; a new forecast would read the whole release.
        self._choices = (releases, endpoints, protocols)
        versions = [
            (
                tr_count("{version} ({count} item)", "{version} ({count} items)", row.item_count, version=row.version),
                row.version,
            )
            for row in releases
        ]
        refill_box(self.release, versions, self.release.currentData())
        self._protocols = {item.name: item for item in protocols}
        titles = [(translate_word(item.title), item.name) for item in protocols]
        refill_box(self.protocol, titles, self.protocol.currentData())
        offer_endpoints(self.endpoint, endpoints)
        for widget in (self.start_button, self.recorded_button):
            widget.setEnabled(bool(releases))
        self._protocol_chosen()

    def read_input(self) -> RunInput:
        """Return the entered run."""
        small_texts = {name: widget.text().strip() for name, widget in self.small_fields.items()}
        return RunInput(
            release=str(self.release.currentData() or ""),
            model=self.model.text().strip(),
            endpoint=self.endpoint.currentText().strip(),
            key_name=self.key_name.text().strip(),
            protocol=str(self.protocol.currentData() or "plain"),
            executor=self.executor.text().strip(),
            batch=self.batch.isChecked(),
            **small_texts,
        )

    def request_start(self) -> None:
        """Request the start of the entered run if that is possible."""
        if self.start_button.isEnabled():
            self.problem.setText("")
            self.start_requested.emit(self.read_input())

    def show_failure(self, failure: WorkFailure) -> None:
        """Show why a run cannot start, below the fields."""
        self.problem.setText(failure.message)
        if self.forecast.text() == failure.message:
            # The forecast failed for the same reason and would repeat it.
            self.forecast.setText("")

    def show_forecast(self, run_forecast: RunForecast) -> None:
        """Show the forecast of calls, time and cost."""
        forecast = run_forecast.forecast
        self.problem.setText("")
        time = _with_range(
            format_duration(forecast.seconds), *(format_duration(seconds) for seconds in forecast.seconds_range)
        )
        cost = tr("unknown: no price is set")
        if forecast.cost_texts is not None:
            value, low, high = forecast.cost_texts
            cost = _with_range(f"{value} {forecast.currency}", low, high)
            cost += tr(" at prices of {priced}", priced=forecast.priced) if forecast.priced else ""
        if run_forecast.batch_factor is not None:
            time = tr("within a day, in batches")
            cost += tr(" in batches ({factor} times the price)", factor=f"{run_forecast.batch_factor:g}")
        known_text = tr(", {known} already answered", known=f"{run_forecast.known:,}") if run_forecast.known else ""
        names = ", ".join(run_forecast.left_out)
        left_out = tr(" Left out, because the endpoint does not support it: {names}.", names=names) if names else ""
        self.forecast.setText(
            tr(
                "{calls} calls ({items} items, {samples} each{known}), about {prompt_tokens} tokens, {time}. Cost: "
                "{cost}. Based on {basis}.",
                calls=f"{forecast.calls:,}",
                items=run_forecast.items,
                samples=run_forecast.samples,
                known=known_text,
                prompt_tokens=f"{forecast.prompt_tokens + forecast.completion_tokens:,}",
                time=time,
                cost=cost,
                basis=tr_message(forecast.basis),
            )
            + left_out
        )

    def show_probe(self, report: ProbeReport) -> None:
        """Show the outcome of the connection test."""
        self.problem.setText("")
        self.forecast.setText("\n".join(tr_message(line) for line in run_log.describe_probe(report)))

    def refresh_forecast(self) -> None:
        """Request the forecast again, because answers received in the meantime are free."""
        self._typing_timer.start()

    def clear_forecast(self, failure: WorkFailure) -> None:
        """Show why there is no forecast."""
        self.forecast.setText(failure.message)

    def _protocol_chosen(self, _index: int = 0) -> None:
        protocol = self._protocols.get(str(self.protocol.currentData()))
        if protocol is not None:
            decoding = protocol.passes[0].decoding
            hints = {
                "samples": protocol.samples, "temperature": decoding.temperature, "top_p": decoding.top_p,
                "max_tokens": decoding.max_tokens,
            }  # fmt: skip
            for name, value in hints.items():
                self.small_fields[name].setPlaceholderText(tr("server's") if value is None else f"{value:g}")
            self.small_fields["test_timeout"].setPlaceholderText(f"{protocol.test_timeout_s or TEST_SECONDS:g}")
        self._restart_timer()

    def _restart_timer(self, _what: object = None) -> None:
        self._typing_timer.start()

    def _request_forecast(self) -> None:
        run_input = self.read_input()
        if not (run_input.release and run_input.model and run_input.endpoint):
            self.forecast.setText(
                tr("Choose a model and an endpoint; the forecast of calls, time and cost appears here.")
            )
            return
        work = partial(forecast_entered_run, self._store, run_input)
        self._session.run("cpu", work, self.show_forecast, self.clear_forecast, latest="run-forecast")

    def _test_connection(self) -> None:
        self.problem.setText("")
        self.forecast.setText(tr("Testing the endpoint…"))
        work = partial(test_connection, self._store, self.read_input())
        self._session.run("net", work, self.show_probe, self.clear_forecast, latest="run-test")

    def _save_endpoint(self) -> None:
        """Save the address in the project."""
        run_input = self.read_input()
        if not run_input.endpoint:
            return
        name, agreed = QInputDialog.getText(self, tr("Keep the endpoint"), tr("Name of this endpoint in the project:"))
        if agreed and name.strip():
            work = partial(save_entered_endpoint, self._store, name.strip(), run_input)
            self._session.act(work, None, self.show_failure)


def _build_spec(store: ProjectFile, run_input: RunInput) -> RunSpec:
    """Return the specification of the entered run. Raises `BadInputError` naming an invalid field."""
    if not run_input.model:
        raise BadInputError(tr("Enter the model's name as the endpoint uses it."))
    names = {row.name for row in run_setups.list_endpoints(store)}
    endpoint = (
        run_setups.endpoint_named(store, run_input.endpoint)
        if run_input.endpoint in names
        else Endpoint(base_url=run_input.endpoint)
    )
    if run_input.key_name:
        endpoint = replace(endpoint, key_name=run_input.key_name)
    jobs = _parse_whole(run_input.jobs, tr("Parallel requests"))
    endpoint = replace(endpoint, concurrency=jobs or endpoint.concurrency)
    decoding = {
        "temperature": _parse_number(run_input.temperature, tr("The temperature")) if run_input.temperature else None,
        "top_p": _parse_number(run_input.top_p, tr("Top-p")) if run_input.top_p else None,
        "max_tokens": _parse_whole(run_input.max_tokens, tr("The limit of tokens")),
    }
    protocol = run_setups.adjust_protocol(
        run_setups.protocol_named(store, run_input.protocol),
        samples=_parse_whole(run_input.samples, tr("The samples")),
        decoding=decoding,
        test_timeout_s=_parse_time_limit(run_input),
    )
    price = run_setups.price_of(store, run_input.model, endpoint.name)
    if run_input.price_in or run_input.price_out:
        price = Price(
            model=run_input.model,
            input=_parse_number(run_input.price_in, tr("The price in")),
            output=_parse_number(run_input.price_out, tr("The price out")),
            currency=price.currency if price else run_setups.currency_of(store),
        )
    return RunSpec(
        model=run_input.model,
        protocol=protocol,
        endpoint=endpoint,
        version=run_input.release or None,
        price=price,
        cap=_parse_number(run_input.cap, tr("The cap")) if run_input.cap else None,
        executor=run_input.executor or "local",
        batch=run_input.batch,
    )


def _with_range(estimate: str, low: str, high: str) -> str:
    """Return an estimate with its range, without the range if that has no width."""
    return estimate if low == high else tr("{estimate} ({low} to {high})", estimate=estimate, low=low, high=high)


def test_connection(store: ProjectFile, run_input: RunInput) -> ProbeReport:
    """Send one short request to the entered endpoint, in the protocol's form."""
    spec = _build_spec(store, run_input)
    protocol = spec.protocol
    decoding = protocol.passes[0].decoding
    return probe_endpoint(spec.endpoint, plain_question(spec.endpoint, spec.model, protocol.form, decoding))


def _parse_number(text: str, field_name: str, *, whole: bool = False) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9 or (whole and (value < 1 or not value.is_integer())):
        raise BadInputError(
            tr(
                "{field} must be a {kind}.",
                field=field_name,
                kind=tr("whole number above 0") if whole else tr("number, 0 or more"),
            )
        )
    return value


def _parse_whole(text: str, field_name: str) -> int | None:
    """Return a whole number above 0, None for an empty text."""
    return int(_parse_number(text, field_name, whole=True)) if text else None


def _parse_time_limit(run_input: RunInput) -> float | None:
    """Return the time limit in seconds of tests without their own, None for the protocol's."""
    return _parse_number(run_input.test_timeout, tr("The time limit")) if run_input.test_timeout else None


def forecast_entered_run(store: ProjectFile, run_input: RunInput) -> RunForecast:
    """Return the forecast of the entered run."""
    return run_plan.forecast_run(store, _build_spec(store, run_input))


def queue_entered_run(store: ProjectFile, run_input: RunInput) -> tuple[str, Changes]:
    """Queue the entered run."""
    return run_plan.plan_run(store, _build_spec(store, run_input))


def score_recorded_file(
    store: ProjectFile, run_input: RunInput, path: Path, progress: Progress
) -> tuple[tuple[RunRow, ...], Changes]:
    """Score a file of responses against the entered release, in one run per model."""
    options = run_control.ReplayOptions(
        name=run_input.model,
        executor=run_input.executor or "local",
        test_timeout_s=_parse_time_limit(run_input),
    )
    return run_control.start_replay(store, run_input.release or None, path, options, progress=progress)


def save_entered_endpoint(store: ProjectFile, name: str, run_input: RunInput) -> Changes:
    """Save the entered endpoint and key name in the project, and the price if one is given."""
    jobs = _parse_whole(run_input.jobs, tr("Parallel requests")) or 16
    row: dict[str, Any] = {"base_url": run_input.endpoint, "key_name": run_input.key_name, "concurrency": jobs}
    saved_content = next(
        (item.content for item in run_setups.list_own_setups(store, "endpoint") if item.name == name), {}
    )
    price = _build_spec(store, run_input).price if run_input.price_in or run_input.price_out else None
    others = [item for item in saved_content.get("prices", []) if price is None or item["model"] != price.model]
    row["prices"] = [*others, *([asdict(price)] if price else [])]
    return run_setups.save_run_setup(store, "endpoint", name, row)
