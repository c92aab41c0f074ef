"""Evaluation protocols: the published ones are presets with fields to edit, and a sweep varies their decoding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal

from annotator.base.errors import BadInputError
from annotator.base.ids import content_hash
from annotator.llm.requests import FORMS, Decoding, Form, parse_decoding
from annotator.llm.templates import Template, parse_template

Builder = Literal["plain", "domaineval", "evocodebench", "realisticcodebench", "question", "coco"]
BUILDERS: tuple[Builder, ...] = ("plain", "domaineval", "evocodebench", "realisticcodebench", "question", "coco")
ContextKind = Literal["none", "above", "infilling", "similar"]
CONTEXTS: tuple[ContextKind, ...] = ("none", "above", "infilling", "similar")
CHOICES: dict[str, tuple[str, ...]] = {
    "builder": BUILDERS,
    "form": FORMS,
    "context": CONTEXTS,
    "infilling": ("server", "starcoder", "codellama", "deepseek", "qwen"),
    "short_answers": ("never", "by criterion", "always"),
    "direction": ("by item", "forward", "reverse"),
}
_WHOLE_NUMBER_FIELDS = ("similar", "batch", "context_tokens")
_MAX_SHOTS = 100


@dataclass(frozen=True, slots=True)
class Pass:
    """One way of decoding and how many samples are drawn with it."""

    decoding: Decoding
    samples: int = 1
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """The way models are asked about a release, and the results that are reported.

    Samples are numbered through the ``passes``: the first pass has 0 to n-1, the next continues. ``batch`` groups them
    for best@k over batches. ``context`` and ``similar`` apply to functions of a repository; ``context_tokens`` bounds
    the file above and below together. ``infilling`` is how a gap is marked for base models: the tokens of the model
    family, or the server's own ``suffix``. ``short_answers`` chooses the shorter system prompt where similarity is
    scored. ``direction`` is that of understanding tasks. ``templates`` override those of the same name; ``shots`` is
    the number of a template's examples shown before the question. ``test_timeout_s`` is the limit of tests without
    their own (None: 10 s, or that of a criterion's language). ``ks`` and ``reports`` configure the summary.
    """

    name: str
    title: str
    builder: Builder = "plain"
    passes: tuple[Pass, ...] = (Pass(Decoding(temperature=0.0)),)
    form: Form = "chat"
    context: ContextKind = "none"
    similar: int = 5
    context_tokens: int | None = None
    infilling: str = "server"
    short_answers: str = "never"
    direction: str = "by item"
    batch: int | None = None
    complete_imports: bool = False
    ks: tuple[int, ...] = (1,)
    reports: tuple[str, ...] = ()
    templates: tuple[Template, ...] = ()
    shots: int = 0
    test_timeout_s: float | None = None

    @property
    def samples(self) -> int:
        """The number of answers per item."""
        return sum(decoding_pass.samples for decoding_pass in self.passes)

    @property
    def hash(self) -> str:
        """A digest of everything that determines the requests and the report."""
        return content_hash(self.as_json())

    def pass_of(self, sample: int) -> Pass:
        """Return the pass that a sample belongs to. Raises ValueError if the number is out of range."""
        first = 0
        for decoding_pass in self.passes:
            if first <= sample < first + decoding_pass.samples:
                return decoding_pass
            first += decoding_pass.samples
        raise ValueError(f"sample {sample} of {first}")

    def template(self, name: str) -> Template | None:
        """Return this protocol's own template of that name, if it has one."""
        return next((template for template in self.templates if template.name == name), None)

    def as_json(self) -> dict[str, Any]:
        """Return the protocol as a JSON object that `parse_protocol` reads."""
        row: dict[str, Any] = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        row["passes"] = [
            {
                "decoding": decoding_pass.decoding.as_json(),
                "samples": decoding_pass.samples,
                "label": decoding_pass.label,
            }
            for decoding_pass in self.passes
        ]
        row["templates"] = [template.as_json() for template in self.templates]
        return row | {"ks": list(self.ks), "reports": list(self.reports)}


def parse_protocol(row: Any) -> Protocol:
    """Read a protocol from the JSON of `Protocol.as_json`, possibly edited. Raises `BadInputError` naming the field."""
    if not isinstance(row, Mapping):
        raise BadInputError("A protocol must be an object with name, title, builder and passes.")
    field_names = {attribute.name for attribute in fields(Protocol)}
    for name in row:
        if name not in field_names:
            raise BadInputError(f"A protocol has no field {name}; there are: {', '.join(sorted(field_names))}.")
    for name in ("name", "title"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise BadInputError(f"The protocol has no {name}.")
    for name, choices in CHOICES.items():
        if name in row and row[name] not in choices:
            raise BadInputError(f"The protocol's {name} must be one of {', '.join(choices)}.")
    for name in _WHOLE_NUMBER_FIELDS:
        value = row.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**7):
            raise BadInputError(f"The protocol's {name} must be a whole number above 0.")
    shots = row.get("shots", 0)
    if isinstance(shots, bool) or not isinstance(shots, int) or not 0 <= shots <= _MAX_SHOTS:
        raise BadInputError(f"The protocol's shots must be a whole number from 0 to {_MAX_SHOTS}.")
    limit = row.get("test_timeout_s")
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, float)) or not 0 < limit <= 3600):
        raise BadInputError("The protocol's test_timeout_s must be a number of seconds above 0, at most 3,600.")
    if row.get("similar", 5) is None or not isinstance(row.get("complete_imports", False), bool):
        raise BadInputError("The protocol's similar must be a number, and complete_imports yes or no.")
    values = {**row, "ks": _parse_ks(row.get("ks", (1,))), "reports": _parse_reports(row.get("reports", ()))}
    if "passes" in row:
        values["passes"] = _parse_passes(row["passes"])
    templates = row.get("templates", ())
    if not isinstance(templates, (list, tuple)):
        raise BadInputError("The protocol's templates must be a list.")
    values["templates"] = tuple(parse_template(template) for template in templates)
    protocol = Protocol(**values)
    if protocol.batch is not None and protocol.samples % protocol.batch:
        raise BadInputError(
            f"{protocol.samples} samples do not make whole batches of {protocol.batch}. Change one of the two."
        )
    return protocol


def _parse_passes(rows: Any) -> tuple[Pass, ...]:
    if not isinstance(rows, (list, tuple)) or not rows:
        raise BadInputError("A protocol needs at least one pass: a decoding and a number of samples.")
    passes = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping) or not set(row) <= {"decoding", "samples", "label"}:
            raise BadInputError(f"Pass {number} of the protocol must have decoding, samples and label.")
        samples = row.get("samples", 1)
        if isinstance(samples, bool) or not isinstance(samples, int) or not 1 <= samples <= 10_000:
            raise BadInputError(f"Pass {number} of the protocol: samples must be a whole number from 1 to 10,000.")
        if not isinstance(row.get("label", ""), str):
            raise BadInputError(f"Pass {number} of the protocol: the label must be text.")
        passes.append(Pass(parse_decoding(row.get("decoding") or {}), samples, row.get("label", "")))
    return tuple(passes)


def _parse_ks(value: Any) -> tuple[int, ...]:
    is_valid = isinstance(value, (list, tuple)) and all(
        isinstance(k, int) and not isinstance(k, bool) and k > 0 for k in value
    )
    if not is_valid:
        raise BadInputError("The protocol's ks must be a list of whole numbers above 0.")
    return tuple(value)


def _parse_reports(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise BadInputError("The protocol's reports must be a list of names.")
    return tuple(value)


def _greedy_passes(max_tokens: int | None = None) -> tuple[Pass, ...]:
    return (Pass(Decoding(temperature=0.0, max_tokens=max_tokens), 1, "greedy"),)


def _sampled_passes(
    temperature: float, top_p: float | None, samples: int, max_tokens: int | None = None
) -> tuple[Pass, ...]:
    return (Pass(Decoding(temperature=temperature, top_p=top_p, max_tokens=max_tokens), samples, "sampled"),)


def _evocodebench_protocols() -> tuple[Protocol, ...]:
    titles = {
        "none": "without context",
        "above": "file above",
        "infilling": "file above and below",
        "similar": "functions of similar name",
    }
    protocols = []
    for context in CONTEXTS:
        name, title = f"evocodebench-{context}", f"EvoCodeBench, {titles[context]}"
        base = Protocol(
            name=name,
            title=title,
            builder="evocodebench",
            context=context,
            reports=("pass@k", "recall@k", "domains", "dsi"),
        )
        protocols.append(replace(base, name=f"{name}-greedy", title=f"{title}, pass@1", passes=_greedy_passes(500)))
        protocols.append(
            replace(
                base,
                name=f"{name}-sampled",
                title=f"{title}, pass@3/5/10",
                passes=_sampled_passes(0.4, 0.95, 20, 500),
                ks=(3, 5, 10),
            )
        )
    return tuple(protocols)


def _difficulty_protocol(name: str, description: str, temperature: float, samples: int) -> Protocol:
    return Protocol(
        name=f"difficulty-{name}",
        title=f"Difficulty levels: {description}",
        builder="question",
        passes=_sampled_passes(temperature, 0.9, samples),
        short_answers="by criterion",
        reports=("levels",),
    )


_DOMAINEVAL = Protocol(
    name="domaineval-pass1",
    title="DomainEval pass@1",
    builder="domaineval",
    passes=_greedy_passes(),
    complete_imports=True,
    ks=(1,),
    reports=("pass@k", "domains", "mean", "std"),
)
_REALISTIC = Protocol(
    name="realisticcodebench-greedy",
    title="RealisticCodeBench pass@1",
    builder="realisticcodebench",
    passes=_greedy_passes(512),
    reports=("pass@k", "languages"),
)
_COCO = Protocol(
    name="cocobench",
    title="CoCo-Bench",
    builder="coco",
    passes=_greedy_passes(),
    reports=("families", "coco score", "correlation"),
)
_BACKWARDS = f"{_COCO.title}, understanding backwards"
_AFTER_EXAMPLES = "after three examples"

PRESETS: tuple[Protocol, ...] = (
    Protocol(name="plain", title="The item's own prompt, greedy", reports=("score",)),
    _DOMAINEVAL,
    replace(
        _DOMAINEVAL, name="domaineval-pass5", title="DomainEval pass@5", passes=_sampled_passes(0.2, 0.95, 5), ks=(5,)
    ),
    *_evocodebench_protocols(),
    _REALISTIC,
    replace(
        _REALISTIC,
        name="realisticcodebench-sampled",
        title="RealisticCodeBench pass@3/5",
        passes=_sampled_passes(0.8, 0.95, 10, 512),
        ks=(3, 5),
    ),
    Protocol(
        name="infibench",
        title="InfiCoder-Eval best@10",
        builder="question",
        passes=_sampled_passes(0.2, 0.9, 30),
        batch=10,
        short_answers="by criterion",
        ks=(10,),
        reports=("best@k", "sub-scores"),
    ),
    _COCO,
    replace(_COCO, name="cocobench-reverse", title=_BACKWARDS, direction="reverse"),
    replace(_COCO, name="cocobench-few-shot", title=f"{_COCO.title}, {_AFTER_EXAMPLES}", shots=3),
    replace(
        _COCO, name="cocobench-reverse-few-shot", title=f"{_BACKWARDS}, {_AFTER_EXAMPLES}", direction="reverse", shots=3
    ),
    _difficulty_protocol("weak", "weaker model, 30 samples", 0.2, 30),
    _difficulty_protocol("strong", "stronger model, 30 samples", 0.2, 30),
    _difficulty_protocol("hot", "stronger model, 10 samples at temperature 1", 1.0, 10),
    _difficulty_protocol("many", "stronger model, 100 samples", 0.2, 100),
)


def find_protocol_preset(name: str) -> Protocol:
    """Return a preset; "cdd" or "cdd:NAME" is the leakage run of one. Raises `BadInputError` if there is none."""
    kind, _, base = name.partition(":")
    if kind == "cdd":
        return leakage_protocol(find_protocol_preset(base or "evocodebench-none-greedy"))
    protocol = next((preset for preset in PRESETS if preset.name == name), None)
    if protocol is None:
        names = ", ".join(preset.name for preset in PRESETS)
        raise BadInputError(f"There is no preset {name}. Choose from: {names}, and cdd:NAME for leakage.")
    return protocol


def leakage_protocol(base: Protocol) -> Protocol:
    """Return the leakage run of a protocol (CDD): asked as the protocol does, greedy once and 50 times at T .8.

    Answers are cut at 100 tokens (metrics specification, 1.14). Sample 0 is the greedy one.
    """
    first_decoding = base.passes[0].decoding
    greedy = replace(first_decoding, temperature=0.0, top_p=None, top_k=None, max_tokens=100)
    return replace(
        base,
        name=f"cdd:{base.name}",
        title=f"Leakage (CDD) as {base.title}",
        passes=(Pass(greedy, 1, "greedy"), Pass(replace(greedy, temperature=0.8), 50, "sampled")),
        batch=None,
        ks=(),
        reports=("leak ratio",),
    )


def describe_protocol(protocol: Protocol) -> tuple[tuple[str, str], ...]:
    """Return the settings of a protocol as (label, text) pairs, for a summary."""
    rows = [("Protocol", protocol.title), ("Form", protocol.form)]
    if protocol.builder == "evocodebench":
        rows.append(("Context", protocol.context))
    for decoding_pass in protocol.passes:
        decoding = decoding_pass.decoding.as_json()
        settings = ", ".join(f"{name} {value}" for name, value in decoding.items()) or "server's defaults"
        label = f"Decoding ({decoding_pass.label})" if decoding_pass.label else "Decoding"
        rows.append((label, f"{settings}; {decoding_pass.samples} per item"))
    if protocol.batch:
        rows.append(("Batches", f"{protocol.samples // protocol.batch} of {protocol.batch}"))
    if protocol.shots:
        rows.append(("Examples", f"{protocol.shots} shown before each question"))
    if protocol.complete_imports:
        rows.append(("Missing imports", "completed before scoring"))
    if protocol.test_timeout_s:
        rows.append(("Time limit", f"{protocol.test_timeout_s:g} s for a test that names none"))
    rows += [(f"Template {template.name}", f"edited, version {template.version}") for template in protocol.templates]
    return tuple(rows)


SWEPT = ("temperature", "top_p", "top_k", "max_tokens")


def sweep_protocol(
    base: Protocol, values: Mapping[str, Sequence[float]], *, grid: bool = False
) -> tuple[Protocol, ...]:
    """Return one protocol per setting of temperature, top_p, top_k and max_tokens.

    One setting is varied at a time, the others keep the value of ``base``; ``grid`` makes every combination. Duplicates
    are left out. Raises `BadInputError` for a setting that is not swept, or a value outside its range.
    """
    unknown = [name for name in values if name not in SWEPT]
    if unknown or not any(values.values()):
        raise BadInputError(
            f"A sweep needs values of some of {', '.join(SWEPT)}; {', '.join(unknown)} is none of them."
        )
    if grid:
        names = list(values)
        changes = [dict(zip(names, combination, strict=True)) for combination in product(*values.values())]
    else:
        changes = [{name: value} for name, column in values.items() for value in column]
    protocols = {label: _with_decoding(base, change, label) for change in changes if (label := _setting_label(change))}
    return tuple(protocols.values())


def _setting_label(change: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in change.items())


def _with_decoding(base: Protocol, change: Mapping[str, Any], label: str) -> Protocol:
    passes = tuple(
        Pass(parse_decoding({**decoding_pass.decoding.as_json(), **change}), decoding_pass.samples, decoding_pass.label)
        for decoding_pass in base.passes
    )
    return replace(base, name=f"{base.name} [{label}]", title=f"{base.title} ({label})", passes=passes)
