"""Build what a model is asked about an item: pure functions over plain items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotator.base.errors import BadInputError
from annotator.evaluation.context import (
    Surroundings,
    first_lines,
    last_lines,
    similar_functions,
    surroundings_of,
    with_requirement,
)
from annotator.evaluation.items import Item, has_similarity, instance_of, requirement_of, text_of
from annotator.evaluation.presets import Protocol
from annotator.evaluation.prompt_texts import default_template
from annotator.llm import Message


@dataclass(frozen=True, slots=True)
class Infilling:
    """The marks with which a family of base models is told of a gap."""

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
class Question:
    """What is asked: ``messages`` for chat models, ``prompt`` (and ``suffix``) for base models.

    ``template`` names the text it was made from, with version and hash.
    """

    template: str
    messages: tuple[Message, ...] = ()
    prompt: str = ""
    suffix: str = ""

    @property
    def characters(self) -> int:
        """How long the question is."""
        return sum(len(message.content) for message in self.messages) + len(self.prompt) + len(self.suffix)


def build(item: Item, protocol: Protocol) -> Question:
    """Return the question a protocol asks about an item, the same every time.

    Raises `BadInputError` naming the item and what it lacks.
    """
    name, values = _BUILDERS[protocol.builder](item, protocol)
    template = protocol.template(name) or default_template(name)
    if template is None:
        raise BadInputError(f"There is no template {name}.")
    label = f"{template.name} {template.version} {template.hash[:12]}"
    if protocol.form == "chat":
        return Question(label, messages=template.messages(values))
    if name == "evocodebench-infilling" and protocol.infilling == "server":
        values = values | {"below": ""}
        return Question(label, prompt=template.prompt(values), suffix=_below(item, protocol))
    return Question(label, prompt=template.prompt(values))


def _need(item: Item, what: str, value: str) -> str:
    if value.strip():
        return value
    raise BadInputError(f"{item.get('key') or item.get('id') or 'An item'} has no {what}, so it cannot be asked.")


def _plain(item: Item, _: Protocol) -> tuple[str, dict[str, str]]:
    return "plain", {"prompt": _need(item, "prompt", text_of(item, "prompt")), **_common(item)}


def _common(item: Item) -> dict[str, str]:
    return {
        "title": text_of(item, "title"),
        "language": text_of(item, "language").lower(),
        "name": text_of(item, "entry_point", "qualified_name"),
        "context": text_of(item, "context"),
    }


def _domaineval(item: Item, _: Protocol) -> tuple[str, dict[str, str]]:
    instruction = _need(item, "instruction", text_of(item, "instruction", "prompt"))
    code = _need(item, "masked code", text_of(item, "masked", "method_code_mask", "context"))
    comment = "\n".join(f"# {line}".rstrip() for line in instruction.splitlines())
    return "domaineval", {**_common(item), "instruction": instruction, "instruction_comment": comment, "code": code}


def _evocodebench(item: Item, protocol: Protocol) -> tuple[str, dict[str, str]]:
    around = surroundings_of(item)
    language = text_of(item, "language").lower() or "python"
    values = {
        **_common(item),
        "name": around.name,
        "language": language,
        "signature": around.signature,
        "requirement": around.requirement,
        "head": with_requirement(around.signature, around.requirement, language),
    }
    if protocol.context == "similar":
        shown = similar_functions(_qualified(item, around), around.functions, protocol.similar, around.signature)
        values["functions"] = "\n".join(f"{function.code.rstrip()}\n" for function in shown)
    elif protocol.context != "none":
        above, below = _budgets(protocol)
        values["above"] = last_lines(around.above, above)
        values["below"] = first_lines(around.below, below)
        marks = INFILLING.get(protocol.infilling, Infilling("", "", ""))
        values |= {"prefix_mark": marks.prefix, "suffix_mark": marks.suffix, "middle_mark": marks.middle}
    return f"evocodebench-{protocol.context}", values


def _qualified(item: Item, around: Surroundings) -> str:
    return text_of(item, "qualified_name") or around.name


def _budgets(protocol: Protocol) -> tuple[int | None, int | None]:
    """Return the tokens for what is above and below: three quarters and one quarter where both are shown."""
    total = protocol.context_tokens
    if total is None or protocol.context == "above":
        return total, total
    return total - total // 4, total // 4


def _below(item: Item, protocol: Protocol) -> str:
    return first_lines(surroundings_of(item).below, _budgets(protocol)[1])


def _realistic(item: Item, _: Protocol) -> tuple[str, dict[str, str]]:
    signature = _need(item, "signature", text_of(item, "signature", "prompt"))
    return "realisticcodebench", {**_common(item), "signature": signature}


def _question(item: Item, protocol: Protocol) -> tuple[str, dict[str, str]]:
    short = protocol.short_answers == "always" or (protocol.short_answers == "by criterion" and has_similarity(item))
    prompt = _need(item, "prompt", text_of(item, "prompt"))
    return "question-short" if short else "question", {**_common(item), "prompt": prompt}


def _coco(item: Item, protocol: Protocol) -> tuple[str, dict[str, str]]:
    family = text_of(item, "task")
    code = _need(item, "code", text_of(item, "code", "bug_code", "incomplete_code", "context"))
    values = {**_common(item), "code": code.rstrip("\n")}
    if family == "understanding":
        given, result = instance_of(item)
        direction = text_of(item, "direction") if protocol.direction == "by item" else protocol.direction
        if direction == "reverse":
            return "coco-reverse", {**values, "output": _need(item, "output", result)}
        return "coco-forward", {**values, "input": _need(item, "input", given)}
    values["description"] = _need(item, "description", requirement_of(item))
    names = {"generation": "generation", "completion": "generation", "modification": "modification", "review": "review"}
    if family not in names:
        raise BadInputError(f"{item.get('key') or 'An item'} is of no family of CoCo-Bench (its task is {family!r}).")
    return f"coco-{names[family]}", values


_BUILDERS: Mapping[str, Callable[[Item, Protocol], tuple[str, dict[str, str]]]] = {
    "plain": _plain,
    "domaineval": _domaineval,
    "evocodebench": _evocodebench,
    "realisticcodebench": _realistic,
    "question": _question,
    "coco": _coco,
}
