"""Libraries of a repository's time: what was published by the day of its last commit, unless only later ones fit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.base.clock import now_text
from annotator.base.errors import MissingEnvironmentError
from annotator.mining.repository.confirmation import environment
from annotator.mining.repository.confirmation.environment import EARLIEST, make_environment

Index = Callable[[dict[str, str]], None]


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Index:
    """An index of packages by the day of their first wheel."""

    def serve(first: dict[str, str]) -> None:
        def run(_program: str, *arguments: str) -> bool:
            day = arguments[arguments.index("--exclude-newer") + 1] if "--exclude-newer" in arguments else "9999"
            wanted = arguments[arguments.index("--") + 1 :]
            if not all(first.get(name, "2000-01-01") <= day for name in wanted):
                return False
            if "--dry-run" not in arguments:
                folder = Path(arguments[arguments.index("--target") + 1])
                folder.mkdir()
                (folder / "installed").write_text(f"{day}: {' '.join(wanted)}")
            return True

        monkeypatch.setattr(environment, "uv_program", lambda: "uv")
        monkeypatch.setattr(environment, "run_uv", run)

    return serve


def _installed(found: environment.Environment) -> str:
    return (found.folder / "installed").read_text()


def test_libraries_are_those_of_the_day(index: Index, tmp_path: Path) -> None:
    index({})
    old = make_environment(["pandas", "pytest"], tmp_path, "2024-01-25")
    assert _installed(old) == "2024-01-25: pandas pytest"
    assert _installed(make_environment(["pandas", "pytest"], tmp_path)) == "9999: pandas pytest"
    assert _installed(old) == "2024-01-25: pandas pytest", "another day is another environment"


def test_a_day_before_this_python_gives_the_first_that_fit_it(index: Index, tmp_path: Path) -> None:
    index({})
    assert _installed(make_environment(["pytest"], tmp_path, "2013-05-01")) == f"{EARLIEST}: pytest"


def test_what_was_published_later_is_taken_all_the_same(index: Index, tmp_path: Path) -> None:
    index({"numba": "2023-05-01"})
    found = make_environment(["numba", "pytest"], tmp_path, "2023-01-01")
    assert _installed(found) == "9999: numba pytest" and found.missing == ()


def test_what_has_no_wheel_is_missing_and_the_rest_of_its_day(index: Index, tmp_path: Path) -> None:
    index({"cairo": "99999"})
    found = make_environment(["cairo", "pytest"], tmp_path, "2024-01-25")
    assert _installed(found) == "2024-01-25: pytest" and found.missing == ("cairo",)
    again = make_environment(["cairo", "pytest"], tmp_path, "2024-01-25")
    assert again == found
    today = now_text()[:10]
    for each in (found, again):
        assert each.missing_text.startswith("no wheel for Python 3.11 (")
        assert each.missing_text.endswith(f"until 2024-01-25 or later, was found for cairo, searched on {today}")


ADDRESS = "https://index.example/six/six-1.0-py3-none-any.whl"


@pytest.mark.parametrize(
    ("report", "reached"),
    [
        (f"Failed to fetch: {ADDRESS}\n  cause: error sending request for url ({ADDRESS})\n  cause: dns error", False),
        (f"Request failed after 3 retries in 8.8s\n  cause: error sending request for url ({ADDRESS})", False),
        (f"Failed to download {ADDRESS}\n  cause: operation timed out", False),
        (f"Failed to fetch: {ADDRESS}\n  cause: HTTP status server error (503 Service Unavailable)", False),
        (f"Failed to fetch: {ADDRESS}\n  cause: HTTP status client error (404 Not Found) for url ({ADDRESS})", True),
        (f"Failed to fetch: {ADDRESS}\n  cause: HTTP status client error (403 Forbidden) for url ({ADDRESS})", True),
        ("No solution found when resolving dependencies", True),
    ],
)
def test_an_index_that_cannot_be_reached_says_nothing_about_wheels(tmp_path: Path, report: str, reached: bool) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\ncat >&2 <<'END'\nerror: {report}\nEND\nexit 2\n")
    uv.chmod(0o755)
    if reached:
        assert environment.run_uv(str(uv), "pip", "install", "six") is False
        return
    with pytest.raises(MissingEnvironmentError, match="index could not be reached"):
        environment.run_uv(str(uv), "pip", "install", "six")
