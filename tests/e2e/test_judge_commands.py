"""Judging from the command line, end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.__main__ import main
from tests.samples import load_samples
from tests.template_projects import project_of_rows

SAMPLES = load_samples(__file__)


@pytest.fixture
def run(command: Any) -> Any:
    def call(*arguments: str | Path, status: int = 0) -> Any:
        out, err = command(*arguments, "--json", status=status)
        assert "Traceback" not in err
        return json.loads(out)

    return call


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "p.annotator"
    project_of_rows(path, ({"id": str(n), "prompt": f"Question {n}?"} for n in range(6)), ()).close()
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps({"subject": str(n), "a": f"A {n}", "b": f"B {n}"}) + "\n" for n in range(6)))
    return path


def test_a_study_goes_out_and_comes_back(run: Any, project: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    asked = ("judge", "new", project, "--name", "s", "--kind", "domain", "--from", pairs)
    seen = run(*asked, "--hide", "B 3", "--preview")["pairs"]
    assert [row["hidden"] for row in seen] == [[]] * 3 + [["B 3"]] + [[]] * 2
    assert run("judge", "list", project)["studies"] == []
    made = run("judge", "new", project, "--name", "s", "--kind", "domain", "--from", pairs, "--rater", "Bo",
               "--rater", "Cy", "--repeats", "0")  # fmt: skip
    assert (made["pairs"], made["raters"], len(made["commitment"])) == (6, ["Bo", "Cy"], 64)
    # A command that only reads acts for the person who is named as well.
    assert "when your batch is sealed" in run("judge", "judgements", project, "--annotator", "Bo", status=3)["error"]
    assert run("judge", "judgements", project, "--annotator", "Ada")["judgements"] == []
    for rater in ("Bo", "Cy"):
        out = tmp_path / f"{rater}.jsonl"
        assert run("judge", "export", project, "--annotator", rater, "--out", out)["pairs"] == 6
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        for line in lines:
            line["verdict"] = 1 if line["1"].startswith("A") else "2"
        out.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert run("judge", "import", project, out, "--annotator", rater) == {"added": 6, "known": 0}
        assert run("judge", "import", project, out, "--annotator", rater) == {"added": 0, "known": 6}
        mine = run("judge", "mine", project, "--annotator", rater)["verdicts"]
        assert [row["choice"] for row in mine] == [str(line["verdict"]) for line in lines]
        run("judge", "seal", project, "--annotator", rater)
        lines[0]["verdict"] = "both_bad"
        out.write_text("".join(json.dumps(line) + "\n" for line in lines))
        run("judge", "import", project, out, "--annotator", rater, status=3)
    assert run("judge", "judgements", project, "--annotator", "Bo")["judgements"]
    assert "no annotator Dee" in run("judge", "models", project, "--annotator", "Dee", status=3)["error"]
    report = run("judge", "agreement", project, "--annotator", "Ada")
    assert (report["panel"]["wins"], report["panel"]["ties"], report["names"]) == (6, 0, ["A", "B"])
    assert report["agreement"]["kappa"]["value"] is None and report["agreement"]["kappa"]["reason"]
    judged = run("judge", "judgements", project)["judgements"]
    assert len(judged) == 12 and {row["rater"] for row in judged} == {"Bo", "Cy"}
    assert {row["verdict"] for row in judged} == {"win"} and not any(row["both_bad"] for row in judged)
    assert run("judge", "verify", project)["ok"] is True
    assert run("judge", "unblind", project, "--reason", "done")["a"] == "a"
    assert run("judge", "list", project)["studies"][0]["names"] == ["a", "b"]


def _exported(run: Any, project: Path, folder: Path) -> list[str]:
    run("judge", "export", project, "--annotator", "Bo", "--out", folder / "out.jsonl")
    return (folder / "out.jsonl").read_text().splitlines()


def test_the_tables_read_well(run: Any, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run("judge", "new", project, "--name", "s", "--kind", "domain", "--from", tmp_path / "pairs.jsonl", "--rater", "Bo")
    capfd.readouterr()
    assert main(["judge", "agreement", str(project), "--annotator", "Ada"]) == 0
    out = capfd.readouterr().out
    assert "Krippendorff's alpha" in out and "n/a" in out and "nan" not in out
    assert "0 of 6 pairs judged; 0 of 1 raters have finished" in out
    lines = [json.loads(line) | {"verdict": "tie"} for line in _exported(run, project, tmp_path)]
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run("judge", "import", project, tmp_path / "judged.jsonl", "--annotator", "Bo")
    capfd.readouterr()
    assert main(["judge", "judgements", str(project), "--annotator", "Ada"]) == 0
    assert " n/a " in (out := capfd.readouterr().out) and "None" not in out, "no time was recorded"
    assert main(["judge", "models", str(project)]) == 0
    assert "No study of two models has been judged and unblinded yet." in capfd.readouterr().out
    assert run("judge", "models", project) == {"studies": [], "left_out": [], "pairs": [], "scores": []}


def test_a_sealed_share_goes_out_and_comes_back(
    run: Any, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHRASE", "a long passphrase")
    pairs, share, away, back = (tmp_path / name for name in ("pairs.jsonl", "bo.packet", "bo.annotator", "back.packet"))
    run("judge", "new", project, "--name", "s", "--kind", "domain", "--from", pairs, "--rater", "Bo", "--repeats", "0")
    made = run("packet", "export", project, "--for", "Bo", "--out", share, "--passphrase-env", "PHRASE")
    assert made["sealed"] and made["rows"]["assignment"] == 6 and "blind_key" not in made["rows"]
    run("packet", "open", share, away, status=3)
    assert run("packet", "open", share, away, "--passphrase-env", "PHRASE")["annotator"] == "Bo"
    verdicts = tmp_path / "v.jsonl"
    run("judge", "export", away, "--out", verdicts)
    lines = [json.loads(line) | {"verdict": "tie"} for line in verdicts.read_text().splitlines()]
    verdicts.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run("judge", "import", away, verdicts)
    run("judge", "verify", away, status=3)
    run("packet", "export", away, "--out", back)
    for added in (6, 0):
        [merged] = run("packet", "import", project, back)["merged"]
        assert merged["added"].get("judgement", 0) == added and merged["conflicts"] == 0
    run("packet", "import", project, away)
    assert run("judge", "agreement", project, "--annotator", "Ada")["panel"]["ties"] == 6


@pytest.mark.parametrize(("arguments", "status"), SAMPLES["bad_input_ends_with_a_sentence"])
def test_bad_input_ends_with_a_sentence(
    project: Path, arguments: list[str], status: int, capfd: pytest.CaptureFixture[str]
) -> None:
    before = project.read_bytes()
    capfd.readouterr()
    assert main([str(project) if item == "P" else item for item in arguments]) == status
    err = capfd.readouterr().err
    assert err.strip() and "Traceback" not in err
    assert project.read_bytes() == before


def test_a_pair_is_skipped_and_another_rater_takes_over(run: Any, project: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    run("judge", "new", project, "--name", "s", "--kind", "domain", "--from", pairs, "--rater", "Bo", "--repeats", "0")
    reason = ("--reason", "I wrote it")
    exported = tmp_path / "bo.jsonl"
    run("judge", "export", project, "--annotator", "Bo", "--out", exported)
    assert [json.loads(line)["pair"] for line in exported.read_text().splitlines()] == [1, 2, 3, 4, 5, 6]
    third = json.loads(exported.read_text().splitlines()[2])["assignment"]
    assert "no pair 9" in run("judge", "skip", project, "--annotator", "Bo", "--pair", "9", *reason, status=3)["error"]
    run("judge", "skip", project, "--annotator", "Bo", "--pair", "3", *reason)
    assert run("judge", "list", project, "--annotator", "Bo")["studies"][0]["skipped"] == 1
    run("judge", "export", project, "--annotator", "Bo", "--open", "--out", exported)
    assert third not in exported.read_text() and '"pair": 4' in exported.read_text()
    run("judge", "take-up", project, "--annotator", "Bo")
    given = run("judge", "hand-over", project, "--annotator", "Ada", "--from", "Bo", "--to", "Cy", "--reason", "ill")
    assert (given["given"], given["kept"], given["dropped"]) == (6, 0, 0)
    out = tmp_path / "cy.jsonl"
    run("judge", "export", project, "--annotator", "Cy", "--out", out)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    lines[0]["skip"] = "cannot tell"
    for line in lines[1:]:
        line["verdict"] = "tie"
    out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("judge", "import", project, out, "--annotator", "Cy") == {"added": 6, "known": 0}
    assert run("judge", "import", project, out, "--annotator", "Cy") == {"added": 0, "known": 6}
    run("judge", "seal", project, "--annotator", "Cy")
    report = run("judge", "agreement", project, "--annotator", "Ada")
    assert [(row["rater"], row["reason"]) for row in report["skipped"]] == [("Cy", "cannot tell")]
    assert [(row["drawn_for"], row["rater"], row["pairs"]) for row in report["handovers"]] == [("Bo", "Cy", 6)]
    assert run("judge", "verify", project, "--annotator", "Ada")["ok"] is True
    assert "Give 6 pairs of Bo to Cy" in json.dumps(run("history", "list", project))


def test_authors_of_a_release_are_chosen(run: Any, project: Path) -> None:
    [ada] = run("release", "authors", project)["people"]
    assert (ada["name"], ada["is_named"], ada["choice"]) == ("Ada", True, "default")
    [ada] = run("release", "authors", project, "--person", "Ada", "--choice", "left-out")["people"]
    assert (ada["is_named"], ada["choice"]) == (False, "left-out")
    run("release", "authors", project, "--person", "Ada", status=2)
