"""All input of the rewrite dialog as one text, valid or not, so that it can be kept as a draft."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from annotator.mining.parity import table_json
from annotator.mining.rewriting import TaskSignature, signature_text
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


def replace_parts(typed: RewriteTexts, suggested: RewriteTexts, parts: Sequence[str]) -> RewriteTexts:
    """Return typed texts with those parts of a suggestion (default: all) in their place; the mined signature stays."""

    def is_chosen(part: str) -> bool:
        return not parts or part in parts

    return RewriteTexts(
        requirement=suggested.requirement if is_chosen("requirement") else typed.requirement,
        signatures=[typed.signatures[0], *suggested.signatures[1:]] if is_chosen("signatures") else typed.signatures,
        twists=suggested.twists if is_chosen("signatures") else typed.twists,
        rows=suggested.rows if is_chosen("tests") else typed.rows,
        references=suggested.references if is_chosen("references") else typed.references,
    )


def drop_blank_references(references: Mapping[str, str]) -> dict[str, str]:
    """Return the references that are not blank, sorted by name."""
    return {name: code for name, code in sorted(references.items()) if code.strip()}
