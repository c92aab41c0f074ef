"""What a shell completes, tried in bash itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from annotator.__main__ import main
from annotator.cli.parser import WORDS

TRY = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_shtab_annotator
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "annotator.bash"
    with pytest.MonkeyPatch.context() as patch, path.open("w", encoding="utf-8") as stream:
        patch.setattr("sys.stdout", stream)
        assert main(["completion", "bash"]) == 0
    return path


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("criter", ["criterion"]),
        ("criterion pro", ["prove"]),
        ("select p --verd", ["--verdict"]),
        ("select p --verdict acc", ["accept"]),
        ("release export p --format huggingface-", ["huggingface-parquet"]),
        ("status mine.ann", ["mine.annotator"]),
    ],
)
def test_bash_completes_words_options_choices_and_files(
    script: Path, tmp_path: Path, line: str, offered: list[str]
) -> None:
    (tmp_path / "mine.annotator").touch()
    done = subprocess.run(
        ["bash", "-c", TRY, "bash", str(script), "annotator", *line.split(" ")],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == offered, done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in WORDS)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "zhs"]) == 2
    assert "did you mean zsh?" in capsys.readouterr().err
