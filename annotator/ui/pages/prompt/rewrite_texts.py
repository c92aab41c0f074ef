"""All input of the rewrite dialog as one text, valid or not, so that it can be kept as a draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from annotator.mining.parity import table_json
from annotator.mining.rewriting import TaskSignature, signature_text
from annotator.services.prompt.rewrite_parts import RewriteParts
from annotator.services.prompt.rewrites import RewriteWork
from annotator.ui.pages.prompt.rewrite_table import rewrite_table_cells

LANGUAGES = ("python", "javascript", "typescript", "java", "c++")


class RewriteTexts(BaseModel):
    """The texts of all fields; ``signatures`` and ``rows`` are cells, ``references`` are programs by language."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    requirement: str
    signatures: list[list[str]]
    twists: str
    rows: list[list[str]]
    references: dict[str, str]


def rewrite_texts(work: RewriteWork) -> RewriteTexts:
    """Return the texts of the fields for a rewrite."""
    rewrite = work.rewrite
    stated = [rewrite.signatures.get(name, TaskSignature(name="", parameters=())) for name in LANGUAGES]
    return RewriteTexts(
        requirement=rewrite.requirement,
        signatures=[
            [signature_text(item), item.objective, item.constraints]
            for item in (rewrite.before, rewrite.after, *stated)
        ],
        twists="; ".join(rewrite.twists),
        rows=rewrite_table_cells(table_json(work.table)),
        references=drop_blank_references(work.references),
    )


def replace_parts(
    typed: RewriteTexts, suggested: RewriteTexts, answer_parts: RewriteParts, parts: Sequence[str]
) -> RewriteTexts:
    """Return typed texts with those parts of a suggestion (default: all) in their place; the mined signature stays.

    What the suggestion does not give stays as it was typed: ``answer_parts`` are its parts, ``suggested`` their texts.
    """

    def is_taken(part: str, content: object) -> bool:
        return bool(content) and (not parts or part in parts)

    signatures, has_signatures = typed.signatures, is_taken("signatures", answer_parts.signatures)
    if has_signatures:
        stated = [True, *(name in answer_parts.signatures for name in LANGUAGES)]
        rows = zip(typed.signatures[1:], suggested.signatures[1:], stated, strict=True)
        signatures = [typed.signatures[0], *(new if is_new else old for old, new, is_new in rows)]
    references = typed.references
    if is_taken("references", answer_parts.references):
        references = {**references, **{name: suggested.references[name] for name in answer_parts.references}}
    return RewriteTexts(
        requirement=suggested.requirement if is_taken("requirement", answer_parts.requirement) else typed.requirement,
        signatures=signatures,
        twists=suggested.twists if has_signatures and answer_parts.twists else typed.twists,
        rows=suggested.rows if is_taken("tests", answer_parts.rows) else typed.rows,
        references=references,
    )


def drop_blank_references(references: Mapping[str, str]) -> dict[str, str]:
    """Return the references that are not blank, sorted by name."""
    return {name: code for name, code in sorted(references.items()) if code.strip()}
