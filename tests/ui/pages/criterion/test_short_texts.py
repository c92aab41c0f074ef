"""What parts of pages say in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from annotator.criteria.metrics.rule_results import RuleResult
from annotator.model.changes import Changes
from annotator.model.rows.view_rows import ProvedRow
from annotator.ui.pages.criterion.proof_panel import describe_failed_proof, describe_proofs
from annotator.ui.pages.shared.fact_texts import rule_detail
from annotator.ui.widgets.labels import join_list, shorten_end
from tests.windows import Wait, open_page

if TYPE_CHECKING:
    from annotator.ui.app.main_window import MainWindow


def _check(title: str, outcome: str, *, required: bool = True) -> dict[str, Any]:
    return {"title": title, "summary": f"summary of {title}", "required": required, "outcome": outcome}


def test_a_failed_proof_names_the_first_check_it_needs() -> None:
    checks = [
        _check("one", "pass"),
        _check("advice", "fail", required=False),
        _check("two", "fail"),
        _check("x", "fail"),
    ]
    assert describe_failed_proof(checks) == "Not proven. “two” failed: summary of two"
    assert describe_failed_proof(checks[:2]) == "Not proven: see what fails."


def test_a_finished_proof_says_what_came_of_it() -> None:
    good = ProvedRow(subject_id="1", key="k", title="Sort a list", outcome="pass", reason="")
    bad = ProvedRow(subject_id="2", key="k", title="Sort a list", outcome="fail", reason="the prompt, repeated passes")
    assert describe_proofs(((good,), Changes(frozenset()))) == "Proven: Sort a list"
    assert describe_proofs(((bad,), Changes(frozenset()))) == "Not proven: Sort a list · the prompt, repeated passes"


@pytest.mark.parametrize(("detail", "said"), [("found", ""), ("not found", ""), ("passed", "passed"), ("", "")])
def test_a_rule_does_not_say_twice_that_it_was_found(detail: str, said: str) -> None:
    assert (
        rule_detail(
            RuleResult(
                metric="keywords",
                label="x",
                matched=True,
                points=1.0,
                total=1.0,
                spans=(),
                why="",
                detail=detail,
                line=1,
            )
        )
        == said
    )


def test_titles_keep_their_beginning() -> None:
    assert shorten_end("short") == "short"
    assert shorten_end("a title that was cut before… and more", 30) == "a title that was cut before…"
    assert join_list(["1 pass", "2 fail"]) == "1 pass, 2 fail"


def test_a_recorded_run_is_not_said_to_be_of_earlier_runs(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Runs")
    wait(lambda: "recorded" in page.detail.numbers.text())
    assert "earlier" not in page.detail.numbers.text()


def test_sources_name_their_format_as_the_choice_does(window: MainWindow, wait: Wait) -> None:
    page = open_page(window, "Sources")
    wait(lambda: page.table.row_count() == 1)
    assert page.table.model().index(0, 1).data() == page.format.itemText(page.format.findData("jsonl"))


def test_nothing_waits_for_a_release_that_holds_it_already(window: MainWindow, wait: Wait) -> None:
    wait(lambda: window.session.facts is not None)
    assert window.sidebar.button("Release").count == 0
    assert window.sidebar.button("Prompt").count == 3
