"""Run setups: endpoints, prices, prompt templates and protocols, stored in the project with their revisions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from annotator.base.errors import BadInputError
from annotator.base.resources import resource_path
from annotator.base.secrets import redact
from annotator.evaluation.item_prompts import TEMPLATES
from annotator.evaluation.presets import PRESETS, Protocol, find_protocol_preset, parse_protocol
from annotator.llm.prices import Price, PriceTable, parse_prices
from annotator.llm.requests import ENDPOINT_PRESETS, Endpoint
from annotator.llm.templates import Template, parse_template
from annotator.model.changes import Changes
from annotator.model.rows.run_rows import SetupRow
from annotator.model.vocabulary import SETUP_KINDS
from annotator.services import suggestion_replies
from annotator.services.edit_conflicts import EditConflictError
from annotator.store.file.project_file import ProjectFile
from annotator.store.runs import stored_runs

KINDS = SETUP_KINDS
_MAX_NAME_CHARACTERS = 200


def list_own_setups(store: ProjectFile, kind: str) -> tuple[SetupRow, ...]:
    """Return the project's own setups of a kind (endpoint, price, template, protocol), by name."""
    _check_kind(kind)
    return tuple(_load_own_setups(store, kind).values())


def _load_own_setups(store: ProjectFile, kind: str) -> dict[str, SetupRow]:
    with store.read() as db:
        return stored_runs.current_setups(db, kind)


def setup_history(store: ProjectFile, kind: str, name: str) -> tuple[SetupRow, ...]:
    """Return the revisions of one setup, newest first."""
    _check_kind(kind)
    with store.read() as db:
        return stored_runs.setup_revisions(db, kind, name)


def save_run_setup(
    store: ProjectFile, kind: str, name: str, content: Mapping[str, Any], *, seen_version: int | None = None
) -> Changes:
    """Save a revision of a setup; it can be undone. A template gets the revision's number as its version.

    ``seen_version`` is the revision that the editor started from. Raises `BadInputError` naming an invalid field, and
    for anything that looks like a key; `EditConflictError` if there is a newer one.
    """
    _check_kind(kind)
    name = name.strip()
    if not name or len(name) > _MAX_NAME_CHARACTERS:
        raise BadInputError(f"A {kind} needs a name of at most {_MAX_NAME_CHARACTERS} characters. Nothing was saved.")
    if redact(str(dict(content))) != str(dict(content)) or redact(name) != name:
        raise BadInputError(
            f"This {kind} contains something that looks like a key, so it was not saved. Keys belong in an environment "
            "variable or the system's keyring; give the variable's name."
        )
    with store.write() as db:
        theirs = stored_runs.current_setups(db, kind).get(name)
        if (
            theirs is not None
            and seen_version is not None
            and theirs.version > seen_version
            and theirs.content != dict(content)
        ):
            text = json.dumps(theirs.content, indent=2, ensure_ascii=False)
            raise EditConflictError(str(theirs.version), text, theirs.annotator, theirs.created_at)
        version = stored_runs.next_setup_version(db, kind, name)
        row = _validate_content(kind, name, dict(content), version)
        return stored_runs.add_setup(db, store.annotator.id, kind, name, version, row)


def remove_setup(store: ProjectFile, kind: str, name: str) -> Changes:
    """Remove a setup, so that the built-in one of that name applies again; its revisions stay in the history."""
    _check_kind(kind)
    with store.write() as db:
        setup = stored_runs.current_setups(db, kind).get(name)
        if setup is None:
            raise BadInputError(f"There is no {kind} {name} in this project. Nothing was changed.")
        version = stored_runs.next_setup_version(db, kind, name)
        return stored_runs.add_setup(db, store.annotator.id, kind, name, version, setup.content, removed=True)


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise BadInputError(f"There is no kind of setup named {kind}. Choose from: {', '.join(KINDS)}.")


def _validate_content(kind: str, name: str, content: dict[str, Any], version: int) -> dict[str, Any]:
    if kind == "endpoint":
        own_prices = parse_prices(content.pop("prices", None) or [])
        endpoint = asdict(parse_endpoint({**content, "name": content.get("name") or name}))
        return endpoint | ({"prices": own_prices.as_json()} if own_prices.prices else {})
    if kind == "price":
        return parse_prices([{**content, "model": name}]).as_json()[0]
    if kind == "template":
        template = parse_template({**content, "name": name, "version": str(version)})
        original = next((item for item in _list_built_in_templates() if item.name == name), None)
        if original is None:
            names = ", ".join(item.name for item in _list_built_in_templates())
            raise BadInputError(f"No protocol uses a template named {name}. Choose from: {names}.")
        known_places = set(original.places) | {"title", "language", "name", "context"}
        unknown_places = set(template.places) - (known_places if original in TEMPLATES else suggestion_replies.PLACES)
        if unknown_places:
            raise BadInputError(
                f"The template {name} has a place for {', '.join(sorted(unknown_places))}, which is never filled. "
                f"Choose from: {', '.join(original.places)}."
            )
        return template.as_json()
    return parse_protocol({**content, "name": name}).as_json()


def parse_endpoint(row: Any) -> Endpoint:
    """Parse an endpoint from a JSON object. Raises `BadInputError` naming an invalid field."""
    if not isinstance(row, Mapping):
        raise BadInputError("An endpoint must be an object with base_url.")
    field_types = {item.name: item.type for item in fields(Endpoint)}
    for field, value in row.items():
        if field not in field_types:
            raise BadInputError(f"An endpoint has no field {field}; there are: {', '.join(field_types)}.")
        kinds: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "float": (int, float), "int": (int,)}
        # A bool is an int too, but not a number here.
        is_misplaced_bool = isinstance(value, bool) and field_types[field] != "bool"
        if is_misplaced_bool or not isinstance(value, kinds[str(field_types[field])]):
            raise BadInputError(f"The endpoint's {field} must be of type {field_types[field]}.")
    if not row.get("base_url"):
        raise BadInputError("The endpoint has no base_url, such as http://localhost:8000/v1.")
    return Endpoint(**row)


def list_endpoints(store: ProjectFile) -> tuple[SetupRow, ...]:
    """Return all endpoints: the project's own, then the presets (version 0) whose names it does not use."""
    own = _load_own_setups(store, "endpoint")
    presets = (
        SetupRow(kind="endpoint", name=preset.name, version=0, content=preset.as_json(), removed=False, annotator="",
                 created_at="")
        for preset in ENDPOINT_PRESETS
        if preset.name not in own
    )  # fmt: skip
    return (*own.values(), *presets)


def endpoint_named(store: ProjectFile, name: str) -> Endpoint:
    """Return an endpoint of the project or a preset by name. Raises `BadInputError` if there is none."""
    contents = {row.name: row.content for row in list_endpoints(store)}
    if name not in contents:
        raise BadInputError(
            f"There is no endpoint {name} in this project; there are: {', '.join(contents)}. Give --base-url instead."
        )
    content = {field: value for field, value in contents[name].items() if field != "prices"}
    return parse_endpoint({"name": name, **content})


def project_prices(store: ProjectFile) -> PriceTable:
    """Return the project's price table."""
    return parse_prices([row.content for row in _load_own_setups(store, "price").values()])


def list_prices() -> PriceTable:
    """Return the list prices shipped with the application; each has the date it was looked up."""
    text = resource_path("prices", "prices.json").read_text(encoding="utf-8")
    return parse_prices(json.loads(text))


def price_of(store: ProjectFile, model: str, endpoint: str = "") -> Price | None:
    """Return the price of a model: the endpoint's own, else the project's, else the list price, else None.

    A list price may be outdated; the forecast shows its date.
    """
    setup = _load_own_setups(store, "endpoint").get(endpoint)
    endpoint_prices = parse_prices(setup.content.get("prices", [])) if setup else PriceTable()
    return endpoint_prices.price_of(model) or project_prices(store).price_of(model) or list_prices().price_of(model)


def currency_of(store: ProjectFile) -> str:
    """Return the currency of the project's prices, which is the default for prices that people enter."""
    return next((price.currency for price in project_prices(store).prices), "USD")


def list_templates(store: ProjectFile) -> tuple[Template, ...]:
    """Return every prompt template: the project's revision of it, else the built-in one."""
    own_templates = {name: parse_template(row.content) for name, row in _load_own_setups(store, "template").items()}
    return tuple(own_templates.get(item.name, item) for item in _list_built_in_templates())


def _list_built_in_templates() -> tuple[Template, ...]:
    """Return the built-in templates of runs and of suggestions."""
    return (*TEMPLATES, *suggestion_replies.suggestion_templates())


def list_protocols(store: ProjectFile) -> tuple[Protocol, ...]:
    """Return all protocols: the project's own, then the presets whose names it does not use."""
    own_protocols = {name: parse_protocol(row.content) for name, row in _load_own_setups(store, "protocol").items()}
    return (*own_protocols.values(), *(item for item in PRESETS if item.name not in own_protocols))


def protocol_named(store: ProjectFile, name: str) -> Protocol:
    """Return a protocol of the project or a preset by name, with the project's own templates in it.

    Raises `BadInputError` if there is none.
    """
    own = _load_own_setups(store, "protocol")
    protocol = parse_protocol(own[name].content) if name in own else find_protocol_preset(name)
    return add_templates(store, protocol)


def adjust_protocol(
    protocol: Protocol,
    *,
    samples: int | None = None,
    form: str | None = None,
    decoding: Mapping[str, Any] | None = None,
    test_timeout_s: float | None = None,
) -> Protocol:
    """Return a protocol with changed samples, form, decoding (in all passes) or default time limit for tests.

    None leaves a value unchanged. A batch size that no longer divides the samples is dropped. Raises `BadInputError`
    for an invalid value.
    """
    row = protocol.as_json()
    for sample_pass in row["passes"]:
        sample_pass["decoding"] |= {name: value for name, value in (decoding or {}).items() if value is not None}
        sample_pass["samples"] = samples or sample_pass["samples"]
    row["form"] = form or row["form"]
    row["test_timeout_s"] = row["test_timeout_s"] if test_timeout_s is None else test_timeout_s
    if protocol.batch and sum(sample_pass["samples"] for sample_pass in row["passes"]) % protocol.batch:
        row["batch"] = None
    return parse_protocol(row)


def add_templates(store: ProjectFile, protocol: Protocol) -> Protocol:
    """Return a protocol with those of the project's templates added that its builder uses and that it lacks."""
    own_templates = [parse_template(row.content) for row in _load_own_setups(store, "template").values()]
    needed = [
        item for item in own_templates if _uses_template(protocol, item.name) and protocol.template(item.name) is None
    ]
    return replace(protocol, templates=(*protocol.templates, *needed)) if needed else protocol


def _uses_template(protocol: Protocol, template: str) -> bool:
    if protocol.builder == "evocodebench":
        return template == f"evocodebench-{protocol.context}"
    if protocol.builder == "coco":
        return template.startswith("coco-")
    if protocol.builder == "question":
        return template in ("question", "question-short")
    return template == protocol.builder
