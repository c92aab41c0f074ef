"""All input of the rewrite dialog as one text, valid or not, so that it can be kept as a draft."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict

from annotator.mining.parity import table_json
from annotator.mining.rewriting import TaskSignature, signature_text
from annotator.services.prompt.rewrites import RewriteView
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


def stored_rewrite_texts(view: RewriteView) -> RewriteTexts:
    """Return the texts of the fields for a stored rewrite."""
    rewrite = view.work.rewrite
    stated = [rewrite.signatures.get(name, TaskSignature(name="", parameters=())) for name in LANGUAGES]
    return RewriteTexts(
        requirement=rewrite.requirement,
        signatures=[
            [signature_text(item), item.objective, item.constraints]
            for item in (rewrite.before, rewrite.after, *stated)
        ],
        twists="; ".join(rewrite.twists),
        rows=rewrite_table_cells(table_json(view.work.table)),
        references=drop_blank_references(view.work.references),
    )


def drop_blank_references(references: Mapping[str, str]) -> dict[str, str]:
    """Return the references that are not blank, sorted by name."""
    return {name: code for name, code in sorted(references.items()) if code.strip()}
