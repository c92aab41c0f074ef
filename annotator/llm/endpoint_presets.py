"""What differs at the addresses that Anthropic, Google and OpenAI give for OpenAI's interface.

From docs.claude.com/en/api/openai-sdk, ai.google.dev/gemini-api/docs/openai and platform.openai.com/docs/api-reference,
and what Google's address answers in practice (github.com/Vali-98/ChatterUI/issues/227, MinLL/SkyrimNet-GamePlugin/77).
System messages need nothing: Anthropic's address moves them to the front, where our only one stands already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointPreset:
    """One service: where it is, and what of OpenAI's interface it lacks.

    ``unknown`` are fields of a request that it ignores or answers with status 400; they are left out.
    A ``temperature`` above ``most_temperature`` would be lowered without a word. ``completions`` and ``batches`` say
    whether it has these interfaces, ``blank_stops`` whether a text to stop at may be white space alone.
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
        """Return the endpoint of this service as a project keeps it."""
        fields = ("base_url", "key_name", "token_field")
        return {name: getattr(self, name) for name in fields} | {"preset": self.name}

    def left_out(self, body: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of what a request's body holds and this service does not take."""
        stops = body.get("stop") or ()
        blank = () if self.blank_stops or all(stop.strip() for stop in stops) else ("stop of white space",)
        return (*(name for name in self.unknown if name in body), *blank)

    def adapt(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a request's body without what this service does not take."""
        kept = {name: value for name, value in body.items() if name not in self.unknown}
        if not self.blank_stops and "stop" in kept:
            kept["stop"] = [stop for stop in kept["stop"] if stop.strip()]
        return {name: value for name, value in kept.items() if name != "stop" or value}


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
    """Return the preset of that name, else the one whose service is at the address; None if there is none."""
    named = next((preset for preset in ENDPOINT_PRESETS if preset.name == name), None)
    return named or _HOSTS.get(urlsplit(base_url).hostname)
