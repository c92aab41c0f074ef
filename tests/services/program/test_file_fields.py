"""The examples on the page of file fields are read by what reads such files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from annotator.base.resources import resource_path
from annotator.criteria.document.loader import parse_criterion
from annotator.formats.interchange import infibench
from annotator.formats.interchange.response_files import read_responses
from annotator.formats.read.import_records import Candidate, ImportedResponse, RowError
from annotator.formats.read.jsonl import read_jsonl
from annotator.formats.read.outcomes import RecordedOutcome, read_outcomes
from annotator.formats.read.published_table_files import read_published
from annotator.llm.prices import parse_prices
from annotator.llm.requests import Endpoint
from annotator.mining.repository.discovery.repository_facts import read_facts, read_metadata
from annotator.mining.stackexchange.tags import parse_tag_tree
from annotator.sandbox import parse_job
from annotator.services.sources.stackexchange_survey import read_shares


@pytest.fixture(scope="module")
def examples() -> dict[str, str]:
    """Return the example of each section, by its title."""
    text = resource_path("help", "file-fields.md").read_text(encoding="utf-8")
    found = re.findall(r"^## (.+)\n(?:(?!^## ).*\n)*?```\w+\n((?:.*\n)*?)```", text, re.MULTILINE)
    return dict(found)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "example.jsonl"


@pytest.mark.parametrize("title", ["Your own questions", "A test of a question"])
def test_questions(examples: dict[str, str], file: Path, title: str) -> None:
    file.write_text(examples[title])
    [found] = read_jsonl(file, {})
    assert isinstance(found, Candidate) and found.tests and found.reference and found.entry_point
    assert not set(json.loads(examples[title])) - {item for item in Candidate.__dataclass_fields__ if item} - {"id"}


def test_answers_and_verdicts(examples: dict[str, str], file: Path) -> None:
    file.write_text(examples["Answers of models"])
    [answer] = read_responses(file)
    assert isinstance(answer, ImportedResponse) and not isinstance(answer, RowError)
    file.write_text(examples["Verdicts made elsewhere"])
    [verdict] = read_outcomes(file)
    assert isinstance(verdict, RecordedOutcome) and len(verdict.outcomes) == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_published_table(examples: dict[str, str], file: Path, encoding: str) -> None:
    file.write_text(examples["A published table"], encoding)
    [table] = read_published(file)
    assert table.models() == ("careful", "hasty")


def test_jobs(examples: dict[str, str]) -> None:
    jobs = [parse_job(json.loads(line)) for line in examples["Jobs for the sandbox"].splitlines()]
    assert [job.id for job in jobs] == ["one", "two"] and jobs[0].tests and jobs[1].tests is None
    assert json.loads(examples["Results of the sandbox"])["id"] == jobs[0].id


def test_what_mining_is_told(examples: dict[str, str], file: Path, tmp_path: Path) -> None:
    assert parse_tag_tree(examples["A tag tree"])
    assert sum(read_shares(examples["Shares of areas"]).values()) == pytest.approx(1)
    file.write_text(examples["Facts of a repository"])
    folder = tmp_path / "repository"
    folder.mkdir()
    facts = read_facts(folder, read_metadata(file))
    assert (facts.stars, facts.forks, facts.is_fork, facts.licence) == (1200, 40, False, "MIT")
    assert facts.address and facts.description and facts.topics and facts.created and facts.name == "mei/tools"


def test_endpoint_and_price(examples: dict[str, str]) -> None:
    assert Endpoint(**json.loads(examples["An endpoint"])).concurrency == 8
    assert parse_prices([json.loads(examples["A price"])]).price_of("careful-2") is not None


def test_suite(examples: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "eval_np-where.yaml").write_text(examples["A suite of criteria"])
    (tmp_path / "prompt_np-where.txt").write_text("Why does np.where return a tuple?")
    [case] = infibench.read_infibench(tmp_path, {})
    assert isinstance(case, Candidate) and parse_criterion(case.criterion).document is not None
