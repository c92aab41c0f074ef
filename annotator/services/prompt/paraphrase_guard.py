"""The guard of paraphrases: what one must keep of its original, and must not tell; one function for all who ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotator.base.messages import Message
from annotator.evaluation.items import item_of, text_of
from annotator.model.rows.views import SubjectView
from annotator.text.anchors import Anchor, anchors, kept
from annotator.text.completions import compose, is_python, read_completion
from annotator.text.distance import distance
from annotator.text.examples import find_examples, keeps_example
from annotator.text.hidden_characters import BIDI, find_hidden, name_hidden
from annotator.text.leaks import told_lines, told_names, told_values
from annotator.text.signatures import find_signature, keeps_signature, says_more

FAR = 0.3
"""From this distance on a paraphrase is far enough from the public original; nearer is shown, and blocks nothing."""
UNDESCRIBED = Message("its prompt is its signature alone; write what the function does")
_FEWEST_LETTERS = 12
_NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptMaterial:
    """What a paraphrase is compared with; ``expected`` are results of tests beside those their code names."""

    original: str
    language: str = ""
    entry_point: str = ""
    context: str = ""
    reference: str = ""
    tests: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptCheck:
    """One check: ``problems`` are sentences, none where it holds. One that is not ``required`` only tells."""

    name: str
    problems: tuple[str, ...]
    required: bool = True

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class PromptChecks:
    """What was found; ``distance`` is 0 for the same words, 1 for none shared; ``asked`` is what models are asked."""

    anchors: tuple[tuple[Anchor, bool], ...]
    distance: float
    checks: tuple[PromptCheck, ...]
    asked: str

    @property
    def problems(self) -> tuple[str, ...]:
        """What keeps the paraphrase out of a release, in sentences."""
        return tuple(problem for check in self.checks if check.required for problem in check.problems)


def material_of(view: SubjectView) -> PromptMaterial:
    """Return what a subject's paraphrase is compared with."""
    tests = tuple(test.code for test in view.tests if test.code.strip())
    expected = tuple(test.expected for test in view.tests if test.expected.strip())
    return PromptMaterial(
        original=view.prompt,
        language=view.row.language,
        entry_point=view.entry_point,
        context=view.context,
        reference=view.reference,
        tests=tests,
        expected=expected,
    )


def material_of_item(item: Mapping[str, Any]) -> PromptMaterial:
    """Return `material_of` for a subject as a release would freeze it."""
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
    """Check what a paraphrase keeps and tells; a description of a function is looked at below its fixed code.

    A text that was composed already gives the same result as what was typed.
    """
    original = material.original
    composed = compose(original, paraphrase, material.entry_point, material.language)
    asked = composed.text
    found = kept(anchors(original), asked)
    vital, others = _lost_anchors(material, found)
    examples = _lost_examples(material, asked)
    # What is missing with its example is said once.
    vital = [anchor for anchor in vital if not any(has for text in examples for _, has in kept((anchor,), text))]
    far = distance(original, asked)
    near = Message("It is close to the public original: distance {distance}.", distance=f"{far:.2f}")
    checks = (
        PromptCheck("prefix", (composed.problem,) if composed.problem else ()),
        PromptCheck("length", tuple(_too_short(material, asked))),
        PromptCheck("anchors", tuple(map(_missing, vital[:_NAMED])) + tuple(_more(vital))),
        PromptCheck("other anchors", tuple(map(_missing, others)), required=False),
        PromptCheck("entry point", tuple(_entry_point(material, asked, found))),
        PromptCheck("signature", tuple(_signature(material, asked))),
        PromptCheck("examples", tuple(_examples(examples))),
        PromptCheck("answer", tuple(_leaks(material, asked))),
        PromptCheck("hidden characters", tuple(_hidden(asked))),
        PromptCheck("distance", () if far >= FAR else (near,), required=False),
    )
    return PromptChecks(found, far, checks, asked)


def find_problems(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what is wrong with the prompt of an item, in sentences; of an original only that it reads otherwise."""
    if item["prompt"] == item["original_prompt"]:
        return tuple(_hidden(item["prompt"], only_bidi=True))
    return check_paraphrase(material_of_item(item), item["prompt"]).problems


def problems_of(view: SubjectView) -> tuple[str, ...]:
    """Return `find_problems` of a subject as it is now."""
    if view.paraphrase is None or view.paraphrase.text == view.prompt:
        return tuple(_hidden(view.prompt, only_bidi=True))
    return check_paraphrase(material_of(view), view.paraphrase.text).problems


def says_too_little(item: Mapping[str, Any]) -> bool:
    """Tell whether an item asks for a function by its signature alone, as one without a docstring does when mined."""
    signature = text_of(item, "signature") or text_of(mined_row(item), "signature")
    return bool(signature) and not says_more(item["prompt"], text_of(item, "decorators") + signature)


def is_undescribed(view: SubjectView) -> bool:
    """Return `says_too_little` of a subject as it is now."""
    return says_too_little(item_of(view))


def mined_row(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what mining wrote of a function, nothing for any other item."""
    row = (item.get("extra") or {}).get("row")
    return row if isinstance(row, Mapping) else {}


def join_problems(problems: Sequence[str]) -> str:
    """Return some sentences as one text, which the window can still translate."""
    joined = problems[0]
    for problem in problems[1:_NAMED]:
        joined = Message("{first} {second}", first=joined, second=problem)
    if len(problems) > _NAMED:
        joined = Message("{first} There is more: {count}.", first=joined, count=len(problems) - _NAMED)
    return joined


def _lost_anchors(material: PromptMaterial, found: Sequence[tuple[Anchor, bool]]) -> tuple[list[Anchor], list[Anchor]]:
    """Return the lost anchors that matter, and the others.

    Those the reference or a test uses matter; where most are lost, and more than one, all do.
    """
    lost = [anchor for anchor, is_kept in found if not is_kept]
    if len(lost) > 1 and 2 * len(lost) > len(found):
        return lost, []
    used = "\n".join((material.reference, *material.tests, *material.expected))
    vital = [anchor for anchor, is_used in kept(tuple(lost), used) if is_used]
    return vital, [anchor for anchor in lost if anchor not in vital]


def _missing(anchor: Anchor) -> str:
    if anchor.kind == "name":
        return Message("The name `{text}` is missing.", text=anchor.text)
    if anchor.kind == "number":
        return Message("The number `{text}` is missing.", text=anchor.text)
    if anchor.kind == "version":
        return Message("The version `{text}` is missing.", text=anchor.text)
    return Message("`{text}` is missing.", text=anchor.text)


def _more(lost: Sequence[Anchor]) -> Iterator[str]:
    if len(lost) > _NAMED:
        yield Message("More names and numbers are missing: {count}.", count=len(lost) - _NAMED)


def _too_short(material: PromptMaterial, asked: str) -> Iterator[str]:
    said, there = (_letters(_description(material, text)) for text in (asked, material.original))
    if said < min(_FEWEST_LETTERS, there):
        yield Message("It is too short to be a question.")


def _description(material: PromptMaterial, text: str) -> str:
    """Return a prompt without its fixed code."""
    found = read_completion(text, material.entry_point) if is_python(material.language) else None
    return found.description if found is not None else text


def _letters(text: str) -> int:
    """Count letters and digits; a sign of Chinese, Japanese or Korean says as much as three."""
    return sum(3 if ord(letter) > 0x2E7F else 1 for letter in text if letter.isalnum())


def _entry_point(material: PromptMaterial, asked: str, found: Sequence[tuple[Anchor, bool]]) -> Iterator[str]:
    name = material.entry_point.rpartition(".")[2]
    lost = {anchor.text.removesuffix("()") for anchor, is_kept in found if not is_kept}
    if not name or name in lost:
        return
    ((_, before),) = kept((Anchor(name, "name"),), material.original)
    ((_, now),) = kept((Anchor(name, "name"),), asked)
    if before and not now:
        yield Message("The name `{text}` is missing, which the tests call.", text=name)


def _signature(material: PromptMaterial, asked: str) -> Iterator[str]:
    signature = find_signature(material.original, material.entry_point)
    is_composed = is_python(material.language) and read_completion(material.original, material.entry_point) is not None
    if signature and not is_composed and not keeps_signature(signature, asked):
        yield Message("The signature `{text}` is missing.", text=signature)


def _lost_examples(material: PromptMaterial, asked: str) -> list[str]:
    found = find_examples(material.original, material.entry_point)
    return [example for example in found if not keeps_example(example, asked)]


def _examples(lost: Sequence[str]) -> Iterator[str]:
    for example in lost[:_NAMED]:
        yield Message("The example `{text}` is missing.", text=example)
    if len(lost) > _NAMED:
        yield Message("More examples are missing: {count}.", count=len(lost) - _NAMED)


def _leaks(material: PromptMaterial, asked: str) -> Iterator[str]:
    known = f"{material.original}\n{material.context}"
    lines = told_lines(material.reference, known, asked)
    for line in lines:
        yield Message("It tells part of the answer: `{text}`.", text=line)
    for name in told_names(material.reference, known, asked):
        if not any(name in line for line in lines):
            yield Message("It names what the answer uses: `{text}`.", text=name)
    for value in told_values(material.tests, material.expected, known, asked):
        yield Message("It tells what a test expects: `{text}`.", text=value)


def _hidden(text: str, *, only_bidi: bool = False) -> Iterator[str]:
    for letter, count in find_hidden(text):
        fields = {"name": name_hidden(letter), "count": count}
        if letter in BIDI:
            yield Message("A hidden character changes the order in which it is read: {name}, {count} times.", **fields)
        elif not only_bidi:
            yield Message("It holds a hidden character: {name}, {count} times.", **fields)
