"""What a suggestion gives replaces typed texts; what it lacks stays as it was typed."""

from __future__ import annotations

from annotator.mining.rendering import LANGUAGES
from annotator.mining.rewriting import TaskSignature
from annotator.services.prompt.rewrite_parts import RewriteParts
from annotator.ui.pages.prompt.rewrite_dialog import RewriteTexts, replace_parts


def _texts(word: str) -> RewriteTexts:
    return RewriteTexts(
        requirement=f"{word} requirement",
        signatures=[[f"{word} {number}", "", ""] for number in range(2 + len(LANGUAGES))],
        twists=f"{word} twist",
        rows=[[f"{word} row"]],
        references={"python": f"{word} python", "java": f"{word} java"},
    )


def test_an_incomplete_suggestion_leaves_what_it_lacks() -> None:
    given = RewriteParts(references={"java": "class Solution {}"})
    taken = replace_parts(_texts("typed"), _texts("suggested"), given, ())
    assert taken.references == {"python": "typed python", "java": "suggested java"}
    assert taken.model_copy(update={"references": {}}) == _texts("typed").model_copy(update={"references": {}})


def test_only_the_chosen_part_is_taken() -> None:
    given = RewriteParts(requirement="r", rows=({"name": "row"},), references={"python": "p"})
    taken = replace_parts(_texts("typed"), _texts("suggested"), given, ("requirement",))
    assert taken == _texts("typed").model_copy(update={"requirement": "suggested requirement"})


def test_signatures_of_other_languages_and_of_the_mined_code_stay() -> None:
    given = RewriteParts(signatures={"java": TaskSignature(name="cut", parameters=())})
    taken = replace_parts(_texts("typed"), _texts("suggested"), given, ("signatures",))
    changed = [row[0] for row in taken.signatures if row[0].startswith("suggested")]
    assert changed == ["suggested 1", f"suggested {2 + LANGUAGES.index('java')}"] and taken.twists == "typed twist"
