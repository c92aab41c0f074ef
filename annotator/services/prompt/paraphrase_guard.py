"""Check paraphrases: what they must keep of the original, and what they must not reveal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotator.base.messages import Message
from annotator.evaluation.released_items import item_of, text_of
from annotator.model.rows.view_rows import SubjectView
from annotator.text.anchors import Anchor, check_anchors, find_anchors
from annotator.text.completions import compose_prompt, is_python, read_completion
from annotator.text.distance import word_distance
from annotator.text.examples import find_examples, keeps_example
from annotator.text.function_signatures import find_signature, has_further_words, keeps_signature
from annotator.text.hidden_characters import BIDI, find_hidden, name_hidden
from annotator.text.leaks import leaked_lines, leaked_names, leaked_values

MIN_PARAPHRASE_DISTANCE = 0.3
"""The minimum distance of a paraphrase from the public original; a smaller one only gives a warning."""
UNDESCRIBED = Message("its prompt is only a signature; describe what the function does")
_MIN_LETTERS = 12
_MAX_LISTED = 4
"""The number of problems of one kind that are listed one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMaterial:
    """The texts a paraphrase is compared with; ``expected`` are test results that are not in the tests' code."""

    original: str
    language: str = ""
    entry_point: str = ""
    context: str = ""
    reference: str = ""
    tests: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptCheck:
    """One check with its ``problems`` as sentences, empty if it passes. One that is not ``required`` only warns."""

    name: str
    problems: tuple[str, ...]
    required: bool = True

    @property
    def ok(self) -> bool:
        """Whether there are no problems."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class PromptChecks:
    """The results of all checks. ``distance`` is 0 for the same words and 1 for none in common.

    ``full_prompt`` is the paraphrase with its fixed code, as models get it.
    """

    anchors: tuple[tuple[Anchor, bool], ...]
    distance: float
    checks: tuple[PromptCheck, ...]
    full_prompt: str

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems that keep the paraphrase out of a release, in sentences."""
        return tuple(problem for check in self.checks if check.required for problem in check.problems)


def prompt_material(view: SubjectView) -> PromptMaterial:
    """Return the texts that a subject's paraphrase is compared with."""
    return _read_material(item_of(view))


def _read_material(item: Mapping[str, Any]) -> PromptMaterial:
    tests = tuple(test["code"] for test in item["tests"] if test["code"].strip())
    expected = tuple(test["expected"] for test in item["tests"] if test["expected"].strip())
    return PromptMaterial(
        original=item["original_prompt"],
        language=item["language"],
        entry_point=item["entry_point"],
        context=item["context"],
        reference=item["reference"],
        tests=tests,
        expected=expected,
    )


@lru_cache(maxsize=8192)
def check_paraphrase(material: PromptMaterial, paraphrase: str) -> PromptChecks:
    """Run all checks on a paraphrase.

    In a completion task only the description is paraphrased; the code to complete is fixed and added before the checks,
    unless the text already contains it.
    """
    original = material.original
    composed = compose_prompt(original, paraphrase, material.entry_point, material.language)
    full_prompt = composed.text
    kept_anchors = check_anchors(find_anchors(original), full_prompt)
    essential_lost, other_lost = _split_lost_anchors(material, kept_anchors)
    all_examples = find_examples(original, material.entry_point)
    lost_examples = [example for example in all_examples if not keeps_example(example, full_prompt)]
    # An anchor that is missing together with its example is reported once, with the example.
    reported_lost = [
        anchor
        for anchor in essential_lost
        if not any(is_kept for example in lost_examples for _, is_kept in check_anchors((anchor,), example))
    ]
    distance = word_distance(original, full_prompt)
    too_close = Message("It is too close to the public original: distance {distance}.", distance=f"{distance:.2f}")
    checks = (
        PromptCheck("prefix", (composed.problem,) if composed.problem else ()),
        PromptCheck("length", tuple(_find_short_text(material, full_prompt))),
        PromptCheck(
            "anchors",
            tuple(_describe_lost_anchors(reported_lost)),
        ),
        PromptCheck("other anchors", tuple(map(_describe_missing, other_lost)), required=False),
        PromptCheck("entry point", tuple(_find_lost_entry_point(material, full_prompt, kept_anchors))),
        PromptCheck("signature", tuple(_find_lost_signature(material, full_prompt))),
        PromptCheck("examples", tuple(_describe_lost_examples(lost_examples))),
        PromptCheck("answer", tuple(_find_leaks(material, full_prompt))),
        PromptCheck("hidden characters", tuple(_find_hidden_characters(full_prompt))),
        PromptCheck("distance", () if distance >= MIN_PARAPHRASE_DISTANCE else (too_close,), required=False),
    )
    return PromptChecks(kept_anchors, distance, checks, full_prompt)


def find_item_problems(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the problems of an item's prompt, in sentences; for an original prompt, only bidi control characters."""
    if item["prompt"] == item["original_prompt"]:
        return tuple(_find_hidden_characters(item["prompt"], only_bidi=True))
    return check_paraphrase(_read_material(item), item["prompt"]).problems


def find_subject_problems(view: SubjectView) -> tuple[str, ...]:
    """Return the problems of a subject's current prompt, as `find_item_problems` does."""
    return find_item_problems(item_of(view))


def is_undescribed_item(item: Mapping[str, Any]) -> bool:
    """Return whether an item's prompt is only a signature, as for a mined function without a docstring."""
    signature = text_of(item, "signature") or text_of(mined_row(item), "signature")
    return bool(signature) and not has_further_words(item["prompt"], text_of(item, "decorators") + signature)


def is_undescribed_subject(view: SubjectView) -> bool:
    """Return whether a subject's current prompt is only a signature."""
    return is_undescribed_item(item_of(view))


def mined_row(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the mined row of a function; empty for any other item."""
    row = (item.get("extra") or {}).get("row")
    return row if isinstance(row, Mapping) else {}


def join_problems(problems: Sequence[str]) -> str:
    """Join sentences into one text that the window can still translate."""
    joined = problems[0]
    for problem in problems[1:_MAX_LISTED]:
        joined = Message("{first} {second}", first=joined, second=problem)
    if len(problems) > _MAX_LISTED:
        joined = Message("{first} {count} more.", first=joined, count=len(problems) - _MAX_LISTED)
    return joined


def _split_lost_anchors(
    material: PromptMaterial, kept_anchors: Sequence[tuple[Anchor, bool]]
) -> tuple[list[Anchor], list[Anchor]]:
    """Return the essential lost anchors and the others.

    Anchors that the reference or a test uses are essential; if more than half of the anchors are lost, all are.
    """
    lost = [anchor for anchor, is_kept in kept_anchors if not is_kept]
    if len(lost) > 1 and 2 * len(lost) > len(kept_anchors):
        return lost, []
    used = "\n".join((material.reference, *material.tests, *material.expected))
    essential = [anchor for anchor, is_used in check_anchors(tuple(lost), used) if is_used]
    return essential, [anchor for anchor in lost if anchor not in essential]


def _describe_missing(anchor: Anchor) -> str:
    if anchor.kind == "name":
        return Message("The name `{text}` is missing.", text=anchor.text)
    if anchor.kind == "number":
        return Message("The number `{text}` is missing.", text=anchor.text)
    if anchor.kind == "version":
        return Message("The version `{text}` is missing.", text=anchor.text)
    return Message("`{text}` is missing.", text=anchor.text)


def _describe_lost_anchors(lost: Sequence[Anchor]) -> Iterator[str]:
    yield from map(_describe_missing, lost[:_MAX_LISTED])
    if len(lost) > _MAX_LISTED:
        yield Message("{count} more names and numbers are missing.", count=len(lost) - _MAX_LISTED)


def _find_short_text(material: PromptMaterial, full_prompt: str) -> Iterator[str]:
    letter_count = _count_letters(_cut_fixed_code(material, full_prompt))
    original_letter_count = _count_letters(_cut_fixed_code(material, material.original))
    if letter_count < min(_MIN_LETTERS, original_letter_count):
        yield Message("It is too short to be a question.")


def _cut_fixed_code(material: PromptMaterial, text: str) -> str:
    """Return a prompt without its fixed code."""
    completion = read_completion(text, material.entry_point) if is_python(material.language) else None
    return completion.description if completion is not None else text


def _count_letters(text: str) -> int:
    """Count letters and digits; a Chinese, Japanese or Korean character counts as three."""
    return sum(3 if ord(letter) > 0x2E7F else 1 for letter in text if letter.isalnum())


def _find_lost_entry_point(
    material: PromptMaterial, full_prompt: str, kept_anchors: Sequence[tuple[Anchor, bool]]
) -> Iterator[str]:
    name = material.entry_point.rpartition(".")[2]
    lost = {anchor.text.removesuffix("()") for anchor, is_kept in kept_anchors if not is_kept}
    if not name or name in lost:
        return
    ((_, is_in_original),) = check_anchors((Anchor(name, "name"),), material.original)
    ((_, is_in_prompt),) = check_anchors((Anchor(name, "name"),), full_prompt)
    if is_in_original and not is_in_prompt:
        yield Message("The name `{text}`, which the tests call, is missing.", text=name)


def _find_lost_signature(material: PromptMaterial, full_prompt: str) -> Iterator[str]:
    signature = find_signature(material.original, material.entry_point)
    is_composed = is_python(material.language) and read_completion(material.original, material.entry_point) is not None
    if signature and not is_composed and not keeps_signature(signature, full_prompt):
        yield Message("The signature `{text}` is missing.", text=signature)


def _describe_lost_examples(lost: Sequence[str]) -> Iterator[str]:
    for example in lost[:_MAX_LISTED]:
        yield Message("The example `{text}` is missing.", text=example)
    if len(lost) > _MAX_LISTED:
        yield Message("{count} more examples are missing.", count=len(lost) - _MAX_LISTED)


def _find_leaks(material: PromptMaterial, full_prompt: str) -> Iterator[str]:
    shown_text = f"{material.original}\n{material.context}"
    lines = leaked_lines(material.reference, shown_text, full_prompt)
    for line in lines:
        yield Message("It gives away part of the answer: `{text}`.", text=line)
    for name in leaked_names(material.reference, shown_text, full_prompt):
        if not any(name in line for line in lines):
            yield Message("It names something the answer uses: `{text}`.", text=name)
    for value in leaked_values(material.tests, material.expected, shown_text, full_prompt):
        yield Message("It gives away what a test expects: `{text}`.", text=value)


def _find_hidden_characters(text: str, *, only_bidi: bool = False) -> Iterator[str]:
    for letter, count in find_hidden(text):
        fields = {"name": name_hidden(letter), "count": count}
        if letter in BIDI:
            yield Message("A hidden character changes the reading order: {name}, {count} times.", **fields)
        elif not only_bidi:
            yield Message("It contains a hidden character: {name}, {count} times.", **fields)
