"""Build the prompts for an item: pure functions over plain items."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from annotator.base.errors import BadInputError
from annotator.base.resources import resource_path
from annotator.evaluation.presets import Protocol
from annotator.evaluation.released_items import Item, has_similarity, instance_of, requirement_of, text_of
from annotator.llm.prices import CHARACTERS_PER_TOKEN, estimate_tokens
from annotator.llm.requests import ChatMessage
from annotator.llm.templates import Template, parse_template
from annotator.text.function_signatures import extract_description


@dataclass(frozen=True, slots=True)
class Infilling:
    """The tokens with which a family of base models marks a gap."""

    prefix: str
    suffix: str
    middle: str


INFILLING: Mapping[str, Infilling] = {
    "starcoder": Infilling("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),
    "codellama": Infilling("<PRE> ", " <SUF>", " <MID>"),
    "deepseek": Infilling("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),  # noqa: RUF001 - the model's own marks
    "qwen": Infilling("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
}


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """The prompt for an item: ``messages`` for chat models, ``prompt`` (and ``suffix``) for base models.

    ``template`` names its prompt template, with version and hash.
    """

    template: str
    messages: tuple[ChatMessage, ...] = ()
    prompt: str = ""
    suffix: str = ""


def _read_templates() -> tuple[Template, ...]:
    texts = tomllib.loads(resource_path("prompts", "protocols.toml").read_text(encoding="utf-8"))
    return tuple(parse_template({**parts, "name": name}) for name, parts in texts.items())


TEMPLATES: tuple[Template, ...] = _read_templates()
"""The default prompt templates; a project may edit each, under a version of its own."""


def default_template(name: str) -> Template | None:
    """Return the template of that name as it comes with the application."""
    return next((template for template in TEMPLATES if template.name == name), None)


def build_question(item: Item, protocol: Protocol) -> ModelQuestion:
    """Return the question a protocol asks about an item; deterministic.

    Raises `BadInputError` naming the item and what it lacks.
    """
    name, values = _BUILDERS[protocol.builder](item, protocol)
    template = protocol.template(name) or default_template(name)
    if template is None:
        raise BadInputError(f"There is no template {name}.")
    label = f"{template.name} {template.version} {template.hash[:12]}"
    if protocol.shots:
        label += f", {protocol.shots} examples"
    if protocol.form == "chat":
        return ModelQuestion(label, messages=template.messages(values, protocol.shots))
    if name == "evocodebench-infilling" and protocol.infilling == "server":
        values = values | {"below": ""}
        return ModelQuestion(label, prompt=template.prompt(values, protocol.shots), suffix=_text_below(item, protocol))
    return ModelQuestion(label, prompt=template.prompt(values, protocol.shots))


def _require_text(item: Item, part: str, value: str) -> str:
    if value.strip():
        return value
    raise BadInputError(
        f"{item.get('key') or item.get('id') or 'An item'} has no {part}, so it cannot be sent to a model."
    )


def _build_plain(item: Item, _: Protocol) -> tuple[str, dict[str, str]]:
    return "plain", {"prompt": _require_text(item, "prompt", text_of(item, "prompt")), **_common_values(item)}


def _common_values(item: Item) -> dict[str, str]:
    return {
        "title": text_of(item, "title"),
        "language": text_of(item, "language").lower(),
        "name": text_of(item, "entry_point", "qualified_name"),
        "context": text_of(item, "context"),
    }


def _build_domaineval(item: Item, _: Protocol) -> tuple[str, dict[str, str]]:
    instruction = _require_text(item, "instruction", text_of(item, "instruction", "prompt"))
    code = _require_text(item, "masked code", text_of(item, "masked", "method_code_mask", "context"))
    comment = "\n".join(f"# {line}".rstrip() for line in instruction.splitlines())
    return "domaineval", {
        **_common_values(item),
        "instruction": instruction,
        "instruction_comment": comment,
        "code": code,
    }


def _build_evocodebench(item: Item, protocol: Protocol) -> tuple[str, dict[str, str]]:
    surroundings = surroundings_of(item)
    language = text_of(item, "language").lower() or "python"
    context: str = protocol.context
    # The file above already ends with the decorators; a gap in a file is indented like the function.
    has_context = context in ("above", "infilling")
    start = surroundings.decorators
    if has_context:
        start = surroundings.margin if protocol.form == "completion" else ""
    values = {
        **_common_values(item),
        "name": surroundings.name,
        "language": language,
        "signature": surroundings.signature,
        "requirement": surroundings.requirement,
        "head": with_requirement(start + surroundings.signature, surroundings.requirement, language, surroundings.step),
    }
    if context == "similar":
        similar = similar_functions(
            _qualified_name(item, surroundings), surroundings.functions, protocol.similar, surroundings.signature
        )
        values["functions"] = "\n".join(f"{function.code.rstrip()}\n" for function in similar)
        context = context if similar else "none"
    elif has_context:
        budgets = _split_budget(protocol)
        values["above"] = last_lines(surroundings.above, budgets[0])
        values["below"] = first_lines(surroundings.below, budgets[1])
        marks = INFILLING.get(protocol.infilling, Infilling("", "", ""))
        values |= {"prefix_mark": marks.prefix, "suffix_mark": marks.suffix, "middle_mark": marks.middle}
    return f"evocodebench-{context}", values


def _qualified_name(item: Item, surroundings: Surroundings) -> str:
    return text_of(item, "qualified_name") or surroundings.name


def _split_budget(protocol: Protocol) -> tuple[int | None, int | None]:
    """Return the token budgets for the file above and below: three quarters and one quarter if both are shown."""
    total = protocol.context_tokens
    if total is None or protocol.context == "above":
        return total, total
    return total - total // 4, total // 4


def _text_below(item: Item, protocol: Protocol) -> str:
    return first_lines(surroundings_of(item).below, _split_budget(protocol)[1])


def _build_realistic(item: Item, _: Protocol) -> tuple[str, dict[str, str]]:
    signature = _require_text(item, "signature", text_of(item, "signature", "prompt"))
    return "realisticcodebench", {**_common_values(item), "signature": signature}


def _build_question(item: Item, protocol: Protocol) -> tuple[str, dict[str, str]]:
    is_short = protocol.short_answers == "always" or (protocol.short_answers == "by criterion" and has_similarity(item))
    prompt = _require_text(item, "prompt", text_of(item, "prompt"))
    return "question-short" if is_short else "question", {**_common_values(item), "prompt": prompt}


def _build_coco(item: Item, protocol: Protocol) -> tuple[str, dict[str, str]]:
    family = text_of(item, "task")
    code = _require_text(item, "code", text_of(item, "code", "bug_code", "incomplete_code", "context"))
    values = {**_common_values(item), "code": code.rstrip("\n")}
    if family == "understanding":
        input_text, output_text = instance_of(item)
        direction = text_of(item, "direction") if protocol.direction == "by item" else protocol.direction
        if direction == "reverse":
            return "coco-reverse", {**values, "output": _require_text(item, "output", output_text)}
        return "coco-forward", {**values, "input": _require_text(item, "input", input_text)}
    values["description"] = _require_text(item, "description", requirement_of(item))
    template_names = {
        "generation": "generation",
        "completion": "generation",
        "modification": "modification",
        "review": "review",
    }
    if family not in template_names:
        raise BadInputError(
            f"{item.get('key') or 'An item'} belongs to no family of CoCo-Bench (its task is {family!r})."
        )
    return f"coco-{template_names[family]}", values


_BUILDERS: Mapping[str, Callable[[Item, Protocol], tuple[str, dict[str, str]]]] = {
    "plain": _build_plain,
    "domaineval": _build_domaineval,
    "evocodebench": _build_evocodebench,
    "realisticcodebench": _build_realistic,
    "question": _build_question,
    "coco": _build_coco,
}


_WORDS = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{L}+|\d+")


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function of the repository that can be shown as an example."""

    name: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """A function to write, and the code around it; texts are whole lines.

    ``margin`` is the white space before its signature, ``step`` the further indentation of its body.
    """

    name: str
    signature: str
    requirement: str
    above: str = ""
    below: str = ""
    functions: tuple[NamedFunction, ...] = ()
    decorators: str = ""
    margin: str = ""
    step: str = "    "


def name_tokens(name: str) -> tuple[str, ...]:
    """Split the last part of a name at underscores and camel case, in lower case.

    "parse_HTTPResponse2" → parse, http, response, 2.
    """
    return tuple(word.lower() for word in _WORDS.findall(name.rpartition(".")[2]))


def similar_functions(
    name: str, functions: Iterable[NamedFunction], count: int = 5, signature: str = ""
) -> tuple[NamedFunction, ...]:
    """Return the functions whose names share most tokens with ``name``, best first (repository mining, section 5).

    The target itself (the same qualified name, or the same ``signature`` in its code) is left out, as are functions
    that share nothing. Ties go to the name with fewer other tokens, then to the input order.
    """
    target_tokens = Counter(name_tokens(name))
    head = signature.strip()
    ranked = []
    for position, function in enumerate(functions):
        if function.name == name or (head and function.code.lstrip().startswith(head)):
            continue
        tokens = Counter(name_tokens(function.name))
        shared = (target_tokens & tokens).total()
        if shared:
            ranked.append((-shared, (tokens - target_tokens).total(), position, function))
    return tuple(function for *_, function in sorted(ranked, key=lambda entry: entry[:3])[:count])


def surroundings_of(item: Item) -> Surroundings:
    """Read an item's surroundings from its fields.

    ``signature``, ``context_above``, ``context_below``, ``functions`` (a list of {name, code}), ``decorators``,
    ``margin`` and ``step`` lie in the item or its ``extra``. A requirement that begins with the signature says it once.
    Raises `BadInputError` if there is no signature.
    """
    name = text_of(item, "entry_point", "qualified_name")
    signature = text_of(item, "signature")
    if not signature:
        raise BadInputError(
            f"{item.get('key') or item.get('id') or 'An item'} has no signature, so it cannot be asked as a function "
            "of a repository. Mine it again with its repository at hand."
        )
    extra = item.get("extra")
    rows = item.get("functions") or (extra.get("functions") if isinstance(extra, Mapping) else None) or ()
    return Surroundings(
        name=name,
        signature=signature,
        requirement=extract_description(
            requirement_of(item), name, text_of(item, "decorators"), signature, text_of(item, "language")
        ),
        above=text_of(item, "context_above"),
        below=text_of(item, "context_below"),
        functions=tuple(_read_functions(rows)),
        decorators=text_of(item, "decorators"),
        margin=_read_blank(extra, "margin", ""),
        step=_read_blank(extra, "step", "    "),
    )


def _read_blank(extra: Any, name: str, default: str) -> str:
    """Return a white-space value of an item's ``extra``, else the default."""
    value = extra.get(name) if isinstance(extra, Mapping) else None
    return value if isinstance(value, str) and not value.strip() else default


def _read_functions(rows: Any) -> Iterable[NamedFunction]:
    for row in rows if isinstance(rows, Sequence) else ():
        if isinstance(row, Mapping) and isinstance(row.get("code"), str):
            yield NamedFunction(str(row.get("name") or row.get("qualified_name") or ""), row["code"])


def with_requirement(signature: str, requirement: str, language: str = "python", indent: str = "    ") -> str:
    """Return a signature with its requirement as a docstring (Python) or as a comment above (other languages)."""
    text = requirement.strip()
    if not text:
        return signature.rstrip("\n") + "\n"
    if language.lower() != "python":
        comment = "\n".join(f"// {line}".rstrip() for line in text.splitlines())
        return f"{comment}\n{signature.rstrip()}\n"
    head = signature.rstrip()
    margin = head[: len(head) - len(head.lstrip())].rpartition("\n")[2] + indent
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = "\n".join(f"{margin}{line}".rstrip() for line in escaped.splitlines())
    return f'{head}\n{margin}"""\n{lines}\n{margin}"""\n'


def last_lines(text: str, tokens: int | None) -> str:
    """Return the end of a text that fits ``tokens`` tokens (4 characters each), in whole lines."""
    if tokens is None or estimate_tokens(len(text)) <= tokens:
        return text
    end = text[len(text) - tokens * CHARACTERS_PER_TOKEN :] if tokens > 0 else ""
    return end.partition("\n")[2]


def first_lines(text: str, tokens: int | None) -> str:
    """Return the beginning of a text that fits ``tokens`` tokens, in whole lines."""
    if tokens is None or estimate_tokens(len(text)) <= tokens:
        return text
    beginning = text[: tokens * CHARACTERS_PER_TOKEN] if tokens > 0 else ""
    return beginning[: beginning.rfind("\n") + 1]
