"""Requests to a model: endpoint, decoding, messages, the hash that keys the cache, and presets of known services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf
from typing import Any, Literal
from urllib.parse import urlsplit

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.base.secrets import redact

Form = Literal["chat", "completion"]
FORMS: tuple[Form, ...] = ("chat", "completion")
TOKEN_FIELDS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """Sampling settings. A value of None (or an empty one) is not sent, so the endpoint's default applies.

    ``seed`` is that of the first sample: sample n is sent with ``seed + n``. ``extra`` is merged into the request's
    body, for settings of particular servers (``min_p``, ``repetition_penalty``, …).
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def body(self, sample: int, token_field: str = "max_tokens") -> dict[str, Any]:  # noqa: S107 - no password
        """Return the fields of a request's body for one sample."""
        body: dict[str, Any] = {
            "temperature": self.temperature,
            "top_p": self.top_p,
            "top_k": self.top_k,
            token_field: self.max_tokens,
            "stop": list(self.stop) or None,
            "seed": None if self.seed is None else self.seed + sample,
            "frequency_penalty": self.frequency_penalty,
            "presence_penalty": self.presence_penalty,
        }
        return {name: value for name, value in body.items() if value is not None} | dict(self.extra)

    def as_json(self) -> dict[str, Any]:
        """Return the values that are set as a JSON object, as `parse_decoding` reads it."""
        row = {setting.name: getattr(self, setting.name) for setting in fields(self)}
        row["stop"] = list(self.stop)
        row["extra"] = dict(self.extra)
        return {name: value for name, value in row.items() if value not in (None, [], {})}


_RANGES: dict[str, tuple[float, float]] = {
    "temperature": (0.0, 10.0),
    "top_p": (0.0, 1.0),
    "top_k": (-1, 1_000_000),
    "max_tokens": (1, 10_000_000),
    "seed": (-(2**62), 2**62),
    "frequency_penalty": (-100.0, 100.0),
    "presence_penalty": (-100.0, 100.0),
}
_WHOLE_NUMBERS = ("top_k", "max_tokens", "seed")


def parse_decoding(row: Any) -> Decoding:
    """Parse the result of `Decoding.as_json`. Raises `BadInputError` naming an invalid field."""
    if not isinstance(row, Mapping):
        raise BadInputError("The decoding must be an object such as {'temperature': 0.2, 'top_p': 0.95}.")
    field_names = {setting.name for setting in fields(Decoding)}
    for name, value in row.items():
        if name not in field_names:
            raise BadInputError(f"The decoding has the field {name}; there are: {', '.join(sorted(field_names))}.")
        if name in _RANGES and value is not None:
            _check_number(name, value)
    stop = row.get("stop") or ()
    extra = row.get("extra")
    extra = {} if extra is None else extra
    if isinstance(stop, str):
        stop = (stop,)
    if not isinstance(stop, (list, tuple)) or not all(isinstance(text, str) and text for text in stop):
        raise BadInputError("The decoding's stop must be a list of texts that are not empty.")
    if not isinstance(extra, Mapping) or redact(str(dict(extra))) != str(dict(extra)):
        raise BadInputError("The decoding's extra must be an object of settings, not a place for keys.")
    return Decoding(**{**row, "stop": tuple(stop), "extra": dict(extra)})


def _check_number(name: str, value: Any) -> None:
    low, high = _RANGES[name]
    number_types = (int,) if name in _WHOLE_NUMBERS else (int, float)
    if isinstance(value, bool) or not isinstance(value, number_types) or not low <= value <= high:
        description = "whole number" if name in _WHOLE_NUMBERS else "number"
        raise BadInputError(f"The decoding's {name} must be a {description} from {low:g} to {high:g}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A server with an OpenAI-compatible interface.

    ``key_name`` is the name of an environment variable or keyring entry, never a key; if empty, no key is sent.
    ``read_s`` bounds the silence between two pieces of an answer, ``total_s`` the whole answer. ``name`` identifies the
    endpoint in request hashes (default: its address), so that a server keeps its cache when it moves. ``batch_factor``
    is the price of a token in a batch, relative to its normal price. ``preset`` names the service; without it the
    address decides.
    """

    base_url: str
    key_name: str = ""
    name: str = ""
    stream: bool = False
    token_field: str = "max_tokens"  # noqa: S105 - no password
    connect_s: float = 10.0
    read_s: float = 300.0
    total_s: float = 900.0
    concurrency: int = 16
    batch_factor: float = 0.5
    preset: str = ""

    def __post_init__(self) -> None:
        """Raise `BadInputError` for invalid values, and for those that would put a secret into a file."""
        try:
            parts = urlsplit(self.base_url)
            _ = parts.port
        except ValueError as error:
            raise BadInputError(f"{redact(self.base_url)} is not an address ({error}).") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInputError(
                f"{redact(self.base_url)!r} is not an address of an endpoint. Give one such as http://localhost:8000/v1."
            )
        if parts.username or parts.password or redact(self.base_url) != self.base_url:
            raise BadInputError(
                "The endpoint's address contains a key or password. Put it in an environment variable or the keyring "
                "and give the variable's name."
            )
        if redact(self.key_name) != self.key_name or any(character.isspace() for character in self.key_name):
            raise BadInputError(
                "The key's name looks like a key itself. Give the name of an environment variable or keyring entry."
            )
        if self.token_field not in TOKEN_FIELDS:
            raise BadInputError(f"The token field must be one of {', '.join(TOKEN_FIELDS)}.")
        preset_names = [preset.name for preset in ENDPOINT_PRESETS]
        if self.preset and self.preset not in preset_names:
            raise BadInputError(
                f"There is no preset {self.preset} of endpoints. Choose from: {', '.join(preset_names)}."
            )
        if not 1 <= self.concurrency <= 1024:
            raise BadInputError("The number of parallel requests must be from 1 to 1024.")
        if not 0 <= self.batch_factor <= 1:
            raise BadInputError("The endpoint's batch_factor must be a number from 0 to 1, such as 0.5.")
        for name in ("connect_s", "read_s", "total_s"):
            if not 0 < getattr(self, name) <= 86_400:
                raise BadInputError(f"The endpoint's {name} must be a number of seconds above 0.")

    @property
    def identity(self) -> str:
        """The endpoint's part of a request's hash."""
        return self.name or self.base_url.rstrip("/")

    @property
    def service(self) -> EndpointPreset | None:
        """The preset of the service at this address, or None."""
        return find_preset(self.preset, self.base_url)

    def body_of(self, request: Request) -> dict[str, Any]:
        """Return the JSON body of a request without the fields that this service does not accept."""
        service = self.service
        body = request.body(self.token_field if request.form == "chat" else "max_tokens")
        return service.adapt(body) if service else body

    def left_out(self, form: Form, decoding: Decoding) -> tuple[str, ...]:
        """Return the names of a decoding's settings that the service does not accept.

        Raises `BadInputError` for settings that it would silently change.
        """
        service = self.service
        if service is None:
            return ()
        if form == "completion" and not service.completions:
            raise BadInputError(f"{service.title} has no plain completions. Use chat requests (--form chat).")
        if (decoding.temperature or 0.0) > service.most_temperature:
            raise BadInputError(
                f"{service.title} lowers every temperature to {service.most_temperature:g}, and the protocol asks for "
                f"{decoding.temperature:g}. Give at most {service.most_temperature:g}."
            )
        return service.left_out(decoding.body(0))


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat: ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to one model, for one sample. ``endpoint`` is `Endpoint.identity`.

    A chat has ``messages``, a plain completion ``prompt`` (and ``suffix``, if the server supports infilling).
    ``sample`` distinguishes equal questions; ``again`` is increased to pay for the same one once more.
    """

    endpoint: str
    model: str
    form: Form = "chat"
    messages: tuple[ChatMessage, ...] = ()
    prompt: str = ""
    suffix: str = ""
    decoding: Decoding = field(default_factory=Decoding)
    sample: int = 0
    again: int = 0
    _hash: str = field(default="", init=False, repr=False, compare=False)

    @property
    def hash(self) -> str:
        """The cache key: 64 hex digits over everything that determines the answer; computed once."""
        if self._hash:
            return self._hash
        parts: dict[str, Any] = {
            "endpoint": self.endpoint,
            "body": self.body(),
            "form": self.form,
            "sample": self.sample,
        }
        if self.again:
            parts["again"] = self.again
        digest = content_hash(parts)
        # The class is frozen, so an ordinary assignment would raise.
        object.__setattr__(self, "_hash", digest)
        return digest

    def body(self, token_field: str = "max_tokens") -> dict[str, Any]:  # noqa: S107 - no password
        """Return the JSON body that is sent."""
        if self.form == "chat":
            question: dict[str, Any] = {
                "messages": [{"role": message.role, "content": message.content} for message in self.messages]
            }
        else:
            question = {"prompt": self.prompt} | ({"suffix": self.suffix} if self.suffix else {})
        return {"model": self.model, **question, **self.decoding.body(self.sample, token_field)}

    @property
    def characters(self) -> int:
        """The length of the question in characters, for estimates."""
        return sum(len(message.content) for message in self.messages) + len(self.prompt) + len(self.suffix)


# From docs.claude.com/en/api/openai-sdk, ai.google.dev/gemini-api/docs/openai, platform.openai.com/docs/api-reference,
# and from Google's observed answers (github.com/Vali-98/ChatterUI/issues/227, MinLL/SkyrimNet-GamePlugin/77). System
# messages need no adapting: Anthropic moves them to the front, where our only one is already.
@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointPreset:
    """One service: its address, and the parts of OpenAI's interface that it lacks.

    ``unknown`` are request fields that it ignores or rejects with status 400; they are not sent. It silently lowers a
    ``temperature`` above ``most_temperature``. ``completions`` and ``batches`` say whether it has these interfaces,
    ``blank_stops`` whether it accepts a stop sequence of white space.
    """

    name: str
    title: str
    base_url: str
    key_name: str
    token_field: str = "max_tokens"  # noqa: S105 - no password
    unknown: tuple[str, ...] = ()
    most_temperature: float = inf
    completions: bool = False
    batches: bool = False
    blank_stops: bool = True

    def as_json(self) -> dict[str, Any]:
        """Return this service's endpoint as the project stores it."""
        names = ("base_url", "key_name", "token_field")
        return {name: getattr(self, name) for name in names} | {"preset": self.name}

    def left_out(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of a request body's fields that this service does not accept."""
        stops = body.get("stop") or ()
        blank = () if self.blank_stops or all(stop.strip() for stop in stops) else ("stop of white space",)
        return (*(name for name in self.unknown if name in body), *blank)

    def adapt(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request body without the fields and stop sequences that this service does not accept."""
        adapted = {name: value for name, value in body.items() if name not in self.unknown}
        if not self.blank_stops and "stop" in adapted:
            adapted["stop"] = [stop for stop in adapted["stop"] if stop.strip()]
        return {name: value for name, value in adapted.items() if name != "stop" or value}


_PENALTIES = ("frequency_penalty", "presence_penalty")
ENDPOINT_PRESETS: tuple[EndpointPreset, ...] = (
    EndpointPreset(name="anthropic", title="Anthropic", base_url="https://api.anthropic.com/v1",
        key_name="ANTHROPIC_API_KEY",
        unknown=("seed", "top_k", *_PENALTIES, "logprobs", "top_logprobs", "logit_bias", "response_format"),
        most_temperature=1.0, blank_stops=False),
    EndpointPreset(name="google", title="Google", base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_name="GEMINI_API_KEY", unknown=("seed", "top_k", *_PENALTIES, "logprobs", "top_logprobs", "logit_bias")),
    EndpointPreset(name="openai", title="OpenAI", base_url="https://api.openai.com/v1", key_name="OPENAI_API_KEY",
        token_field="max_completion_tokens",  # noqa: S106 - no password
        unknown=("top_k",), completions=True, batches=True),
)  # fmt: skip
_HOSTS = {urlsplit(preset.base_url).hostname: preset for preset in ENDPOINT_PRESETS}


def find_preset(name: str, base_url: str) -> EndpointPreset | None:
    """Return the preset with this name, else the one whose service has this address, else None."""
    preset_by_name = next((preset for preset in ENDPOINT_PRESETS if preset.name == name), None)
    return preset_by_name or _HOSTS.get(urlsplit(base_url).hostname)
