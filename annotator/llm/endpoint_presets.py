"""The differences between the OpenAI-compatible interfaces of Anthropic, Google and OpenAI.

From docs.claude.com/en/api/openai-sdk, ai.google.dev/gemini-api/docs/openai and platform.openai.com/docs/api-reference,
and from Google's observed answers (github.com/Vali-98/ChatterUI/issues/227, MinLL/SkyrimNet-GamePlugin/77). System
messages need no adapting: Anthropic moves them to the front, where our only one is already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any
from urllib.parse import urlsplit


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
        fields = ("base_url", "key_name", "token_field")
        return {name: getattr(self, name) for name in fields} | {"preset": self.name}

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
    EndpointPreset(
        name="anthropic",
        title="Anthropic",
        base_url="https://api.anthropic.com/v1",
        key_name="ANTHROPIC_API_KEY",
        unknown=("seed", "top_k", *_PENALTIES, "logprobs", "top_logprobs", "logit_bias", "response_format"),
        most_temperature=1.0,
        blank_stops=False,
    ),
    EndpointPreset(
        name="google",
        title="Google",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_name="GEMINI_API_KEY",
        unknown=("seed", "top_k", *_PENALTIES, "logprobs", "top_logprobs", "logit_bias"),
    ),
    EndpointPreset(
        name="openai",
        title="OpenAI",
        base_url="https://api.openai.com/v1",
        key_name="OPENAI_API_KEY",
        token_field="max_completion_tokens",  # noqa: S106 - no password
        unknown=("top_k",),
        completions=True,
        batches=True,
    ),
)
_HOSTS = {urlsplit(preset.base_url).hostname: preset for preset in ENDPOINT_PRESETS}


def find_preset(name: str, base_url: str) -> EndpointPreset | None:
    """Return the preset with this name, else the one whose service has this address, else None."""
    preset_by_name = next((preset for preset in ENDPOINT_PRESETS if preset.name == name), None)
    return preset_by_name or _HOSTS.get(urlsplit(base_url).hostname)
