"""The commands of the manual and of README work as written, and are found by the words people ask with."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.base.addresses import ServerAddress
from annotator.base.resources import resource_path
from annotator.cli.parser import WORDS
from annotator.services.program import manual
from tests.documents import follow
from tests.git_remote import make_remote, run_git
from tests.samples import load_samples

SAMPLES = load_samples(__file__)
SERVER = "postgresql+psycopg://mei@server/benchmark"
GIT = "ssh://git@server/benchmark.git"
TUTORIALS = ("own-data", "stack-overflow", "team")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    return Path(shutil.copy(sample_file, tmp_path_factory.mktemp("sample") / "starter.annotator"))


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[[], str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return lambda: "\n".join(capfd.readouterr())


def page(name: str) -> str:
    return resource_path("help", f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_works_as_written(name: str, told: Callable[[], str]) -> None:
    assert follow(page(f"tutorial-{name}"), told) >= 4


@pytest.mark.sandbox
@pytest.mark.usefixtures("place")
def test_the_tutorial_of_a_repository_works_as_written(told: Callable[[], str]) -> None:
    assert follow(page("tutorial-repository"), told) >= 7


def test_results_are_read_as_written(sample: Path, tmp_path: Path, told: Callable[[], str]) -> None:
    shutil.copy(sample, tmp_path)
    assert follow(page("tutorial-results"), told) >= 9
    assert (tmp_path / "site" / "index.html").exists()


def test_every_short_answer_works_as_written(sample: Path, tmp_path: Path, told: Callable[[], str]) -> None:
    shutil.copy(sample, tmp_path)
    text = page("how-to")
    before, server, after = re.split(r"^(## Move to PostgreSQL\n.*?)(?=^## )", text, flags=re.MULTILINE | re.DOTALL)
    assert SERVER in server, "the part that needs a server is tried below"
    remote = make_remote(tmp_path)
    assert follow(before + after, told, {GIT: str(remote)}) >= 40
    assert run_git("-C", remote, "tag").split() == ["v0.1"]


def test_moving_to_a_server_works_as_written(
    sample: Path, tmp_path: Path, told: Callable[[], str], database: ServerAddress
) -> None:
    shutil.copy(sample, tmp_path)
    [section] = re.findall(r"^## Move to PostgreSQL\n.*?(?=^## )", page("how-to"), re.MULTILINE | re.DOTALL)
    assert follow(section, told, {SERVER: str(database)}) == 5


@pytest.mark.parametrize(("asked", "place"), SAMPLES["what_people_ask_for_is_among_the_first_three"])
def test_what_people_ask_for_is_among_the_first_three(asked: str, place: str) -> None:
    assert place in [hit.place for hit in manual.load_manual().search(asked)[:3]]


def test_every_question_of_the_short_answers_is_asked_above() -> None:
    """Twenty at least; each heading is found by its own words."""
    sections = manual.load_manual().topic("how-to").sections[1:]
    assert len(sections) >= 20
    for section in sections:
        hits = [hit.place for hit in manual.load_manual().search(section.title)[:3]]
        assert f"how-to#{section.anchor}" in hits, section.title


# What README promises a newcomer: all its commands, word for word and in order.
README = Path(__file__).parents[2] / "README.md"


@pytest.mark.sandbox
@pytest.mark.usefixtures("place")
def test_own_questions_reach_a_leaderboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert follow(README.read_text(encoding="utf-8"), lambda: "\n".join(capsys.readouterr())) >= 19
    capsys.readouterr()
    assert main(["results", "own.annotator", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["model"], row["score"]) for row in rows] == [("careful", 1.0), ("hasty", 0.5)]


def test_every_picture_and_file_that_is_named_exists() -> None:
    text = README.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(links) >= 7
    assert [name for name in links if not (README.parent / name).exists()] == []
    scripts = re.findall(r"`?(packaging/[\w/]+(?:\.\w+)?)", text)
    assert [name for name in scripts if not (README.parent / name).exists()] == []


def test_every_command_named_in_a_sentence_exists() -> None:
    named = re.findall(r"`annotator\s+([a-z-]+)", README.read_text(encoding="utf-8"))
    assert len(named) > 8 and set(named) <= set(WORDS)
