"""What is shown of a request before there is a run is what a run sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.base.errors import BadInputError
from annotator.services.results import responses
from annotator.services.runs import run_log, run_setups
from annotator.services.runs.request_preview import preview_request
from annotator.store.file.project_file import ProjectFile
from tests.llm.server import Server
from tests.services.runs.conftest import spec, start_run

Serve = Callable[[Server], Server]


def test_it_is_what_a_run_sends(store: ProjectFile, serve: Serve) -> None:
    server = serve(Server())
    row, _ = start_run(store, spec(server, 1))
    subject = responses.load_run_responses(store, row.id)[0].subject_id
    sent = run_log.request_text(run_log.request_log(store, row.id, subject, 0))
    shown = preview_request(store, subject)
    assert shown.chosen == "plain" and not shown.problem
    assert shown.text.partition("[settings]")[0] == sent.partition("[settings]")[0] != ""


def test_the_projects_own_texts_are_in_it(store: ProjectFile) -> None:
    own = next(template for template in run_setups.list_templates(store) if template.name == "plain")
    changed = replace(own, version="2", system="Answer briefly.")
    run_setups.save_run_setup(store, "template", own.name, changed.as_json())
    text = preview_request(store, "q0000").text
    assert text.startswith("[system]\nAnswer briefly.\n\n[user]\nquestion 0")


def test_what_cannot_be_asked_says_why(store: ProjectFile) -> None:
    shown = preview_request(store, "q0000", "evocodebench-none-greedy")
    assert (shown.chosen, shown.text) == ("evocodebench-none-greedy", "") and "cannot be asked" in shown.problem
    assert preview_request(store, "q0000", "unheard-of").chosen == "plain"
    with pytest.raises(BadInputError):
        preview_request(store, "unheard-of")
